"""The right to change entries, which one process has at a time.

It is a lock on `.golfref/submit.lock`, which the system gives back when its holder is killed. What stands in the file
is for people: who has it, and for what.
"""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator

from protocol.text import printable
from referee.lock_file import open_lock
from referee.versions.store import VersionStore, open_folder

_FILE = "submit.lock"
_LONGEST = 500


@contextlib.contextmanager
def changing_entries(versions: VersionStore, what: str, waits: Callable[[str], None]) -> Iterator[None]:
    """Be the only one who changes entries of this competition; `what` says for what.

    Where another has the right, `waits` is called once with who it is, and then this waits. Raises OSError.
    """
    versions.folder.parent.mkdir(parents=True, exist_ok=True)
    open_folder(versions.folder)
    fd = open_lock(versions.folder / _FILE)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waits(_holder(fd))
            fcntl.flock(fd, fcntl.LOCK_EX)
        with contextlib.suppress(OSError):  # what stands in it is only told
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"process {os.getpid()}: {what}".encode(errors="replace"), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
        os.close(fd)


def _holder(fd: int) -> str:
    return printable(os.pread(fd, _LONGEST, 0).decode(errors="replace"), _LONGEST) or "another golfref"
