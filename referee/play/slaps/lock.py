"""The lock by which only one referee of a user times slaps at a time on a host."""

import fcntl
import os
from pathlib import Path

from referee.lock_file import open_lock, users_folder


class HostLock:
    """All referees of this user on this host share this lock, and each times a slap window only while it has it.

    Another user's referees have a lock of their own, so that no user can keep another one waiting.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock. Returns False if another referee has it, or its file cannot be opened."""
        try:
            fcntl.flock(self._open(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def problem(self) -> str:
        """Returns why its file cannot be opened; empty if it can."""
        try:
            self._open()
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _open(self) -> int:
        if self._fd is None:
            self._fd = open_lock(self._path or users_folder() / "golfref-timing.lock")
        return self._fd

    @property
    def is_there(self) -> bool:
        """Whether its file is open: then it is another referee that has the lock, and will release it."""
        return self._fd is not None

    def release(self) -> None:
        """Release the lock."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock's file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
