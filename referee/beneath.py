"""Files and folders below an open folder, by names that cannot lead out of it: no link is followed.

Nothing here knows what is kept there.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

FOLDER_MODE = 0o755
"""Everybody may look into the folders that are made here."""


def is_inside(path: str) -> bool:
    """Whether a path can only mean something below the folder from which it is told."""
    return not path.startswith("/") and all(name not in ("", ".", "..") for name in path.split("/"))


def open_folder(path: Path) -> int:
    """A descriptor of a folder. Raises OSError."""
    return os.open(path, _FOLDER)


@contextlib.contextmanager
def opened(folder: str, above: int, *, makes: bool = False) -> Iterator[int]:
    """An open folder below an open one; links on the way are not followed. Raises OSError."""
    fd = os.dup(above)
    try:
        for name in folder.split("/") if folder else ():
            inner = _inner(name, fd, makes=makes)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


def _inner(name: str, above: int, *, makes: bool) -> int:
    if not makes:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
    try:
        os.mkdir(name, FOLDER_MODE, dir_fd=above)
    except FileExistsError:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
    fd = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
    os.fchmod(fd, FOLDER_MODE)
    return fd


def read(name: str, above: int, size: int | None = None) -> bytes | None:
    """The content of a file, if it has this size. None where there is none that can be read."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=above)
    except OSError:
        return None
    with open(fd, "rb") as file:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode) or size not in (None, about.st_size):
            return None
        return file.read()


def remove(name: str, above: int) -> None:
    """Remove a file if it is there and can be removed."""
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=above)


def exists(name: str, above: int) -> bool:
    """Whether something has this name, be it a link that leads nowhere."""
    try:
        os.stat(name, dir_fd=above, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
