"""A lock that is a file: one process has it at a time, and the system gives it back when that is killed."""

import contextlib
import fcntl
import os


def try_lock(path: str | os.PathLike[str]) -> int | None:
    """Lock this file, which is made if need be; None where another process has it. Raises OSError.

    Returns what `unlock` takes. The file is removed then, so a lock counts only on the file that has the name now.
    """
    while True:
        fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(fd), os.stat(path)):
                return fd
        except BlockingIOError:
            os.close(fd)
            return None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def is_locked(path: str | os.PathLike[str]) -> bool:
    """Whether some process has the lock of this file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def unlock(path: str | os.PathLike[str], fd: int) -> None:
    """Give a lock back, and remove its file."""
    with contextlib.suppress(OSError):
        os.unlink(path)  # while it is ours: whoever opened it meanwhile sees that it is gone, and looks again
    os.close(fd)
