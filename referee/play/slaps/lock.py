"""The lock by which only one referee of a host times slaps at a time."""

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path


class HostLock:
    """One timed window at a time on this host, whatever number of referees run."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _shared_folder() / "golfref-timing.lock"
        self._fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock; False while another referee has it, and where its file cannot be opened."""
        if self._fd is None:
            self._fd = _open_shared(self._path)
        if self._fd is None:
            return False
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True

    @property
    def is_there(self) -> bool:
        """Whether its file could be opened, so that it can be waited for."""
        return self._fd is not None

    def release(self) -> None:
        """Give the lock up."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock's file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _shared_folder() -> Path:
    """The folder for files of all users of this host; one that does not exist if nothing can be written at all."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return Path("/nowhere")


def _open_shared(path: Path) -> int | None:
    """A file that whoever uses this host can open and lock, reading being enough for that; None where it cannot be."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        return os.open(path, flags)
    with contextlib.suppress(OSError):
        fd = os.open(path, flags | os.O_CREAT, 0o644)
        os.fchmod(fd, 0o644)  # whatever the umask says
        return fd
    return None
