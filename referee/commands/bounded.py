"""A bound on the computing and the memory of a command that reads what strangers made.

A file of theirs can ask for any amount of either: a config with a plan of a million million matches, a small record
that unpacks to a large one. What an honest file takes grows with its size, and so does the bound.
"""

import contextlib
import resource
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from referee.errors import CommandError

SECONDS = 60
"""So many seconds of computing are allowed, and as many for each megabyte. Runs take 1 to 5 s a megabyte."""

MEMORY_BYTES = 1 << 31
"""So much memory is allowed, and twice the size besides."""

_AGAIN_S = 1.0
"""After the first signal there is one each second, should something catch the first."""


class _OutOfBounds(BaseException):
    """The bound is reached. No Exception: what survives any damage must not catch it."""


@contextlib.contextmanager
def bounded(where: str, size_bytes: int) -> Iterator[None]:
    """Within this context, reading so many bytes of strangers is bounded. Main thread only. Raises CommandError."""
    seconds, memory = SECONDS * (1 + size_bytes // 1_000_000), MEMORY_BYTES + 2 * size_bytes
    what = f"{where}: to read it takes more than %s, which no run of its size does; it may be made to do harm"
    is_over = False

    def over(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_over
        is_over = True
        raise _OutOfBounds

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [memory, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_S)
    try:
        with contextlib.suppress(OSError, ValueError):  # a host that bounds no memory
            resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
        yield
    except MemoryError:
        raise CommandError(what % f"{memory / 1e9:.1f} GB of memory") from None
    except (_OutOfBounds, Exception):
        if is_over:  # whatever was raised: it may have been raised where nothing passes it on
            raise CommandError(what % f"{seconds} s of computing") from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def size_of(path: Path) -> int:
    """How many bytes lie in this file, or in all files of this folder, as far as they are no holes.

    Follows no link in the folder, which may be of any depth.
    """
    size, waiting = 0, [path.resolve()]
    while waiting:
        place = waiting.pop()
        with contextlib.suppress(OSError):
            about = place.lstat()
            if stat.S_ISDIR(about.st_mode):
                waiting += place.iterdir()
            else:
                size += min(about.st_size, 512 * about.st_blocks)
    return size
