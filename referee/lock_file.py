"""A lock that is a file: one process has it at a time, and the system gives it back when that is killed.

Whoever can open a file can lock it. So a lock's file can only be opened by its user. A folder, which others may be able
to open, is never locked itself: its lock is a file in a folder of the user's own.
"""

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_AGAIN_S = 0.1
"""The time between two attempts to get a lock that another process holds."""


def open_lock(path: str | os.PathLike[str]) -> int:
    """The descriptor of a lock's file, for flock; the file is made if need be.

    Raises OSError, also where the file is another user's, or somebody holds it whom its mode let open it.
    """
    fd = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        about = os.fstat(fd)
        if about.st_uid != os.geteuid() or not stat.S_ISREG(about.st_mode) or _is_held_by_others(fd, about):
            what = f"{os.fspath(path)} is not a lock file that only you can open; if no other golfref runs, remove it"
            raise PermissionError(errno.EPERM, what)
        with contextlib.suppress(PermissionError):  # of a file system that keeps no modes
            os.fchmod(fd, 0o600)  # whatever the umask says
    except BaseException:
        os.close(fd)
        raise
    return fd


def _is_held_by_others(fd: int, about: os.stat_result) -> bool:
    if not about.st_mode & 0o077:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False


def try_lock(path: str | os.PathLike[str]) -> int | None:
    """Lock this file, as `open_lock` opens it; None where another process has it. Raises OSError.

    Returns what `unlock` takes. The file is removed then, so a lock counts only on the file that has the name now.
    """
    while True:
        fd = open_lock(path)
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


@contextlib.contextmanager
def locked(path: str | os.PathLike[str], waits: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock of this file within the context.

    If another process holds it, calls `waits` once and waits for it; without `waits`, raises BlockingIOError. Raises
    OSError.
    """
    if (fd := try_lock(path)) is None:
        if waits is None:
            raise BlockingIOError
        waits()
        while (fd := try_lock(path)) is None:
            time.sleep(_AGAIN_S)
    try:
        yield
    finally:
        unlock(path, fd)


def alone_in(fd: int) -> contextlib.AbstractContextManager[None]:
    """The lock of an open folder for the processes of this user, whatever the folder's name.

    Raises BlockingIOError if another process holds it, and OSError.
    """
    about = os.fstat(fd)
    return locked(users_folder() / f"golfref-folder-{about.st_dev:x}-{about.st_ino:x}.lock")


def users_folder() -> Path:
    """A folder of this user for this host, into which nobody else can look. Raises OSError.

    It is the one that a login gives (XDG_RUNTIME_DIR), or a new one in the folder for temporary files, or one in the
    user's home if another user has taken that name.
    """
    user = os.geteuid()
    given = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{user}")
    if _is_private(given) and os.access(given, os.W_OK):
        return given
    temporary = Path(tempfile.gettempdir(), f"golfref-{user}")
    at_home = Path(f"~/.cache/golfref/locks-{os.uname().nodename}").expanduser()  # hosts may share the home
    for made in (temporary, at_home):
        with contextlib.suppress(OSError):
            made.parent.mkdir(parents=True, exist_ok=True)
            made.mkdir(0o700)
            made.chmod(0o700)  # whatever the umask says
        if _is_private(made):
            return made
    what = f"{temporary} is not a folder that only you can enter; set XDG_RUNTIME_DIR to one that is, or remove it"
    raise PermissionError(errno.EPERM, what)


def _is_private(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        about = folder.lstat()
        return stat.S_ISDIR(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & 0o077
    return False
