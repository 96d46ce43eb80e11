"""Files and folders below an open folder, by names that cannot lead out of it: no link is followed.

Nothing here knows what is kept there.
"""

import contextlib
import os
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
