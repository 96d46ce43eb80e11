"""A file that a command writes: it gets its name when it is whole, so that nobody ever sees half of it."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from referee.errors import HOST_FAILED, GolfrefError


class NotWritten(GolfrefError):
    """A file that cannot be written. The text says which one and why, and what to do."""


class HostRefused(NotWritten):
    """The host did not let us write it, such as on a full disk."""

    exit_code = HOST_FAILED


_WRONG_NAME = {errno.ENOENT, errno.ENOTDIR, errno.EEXIST}


@contextlib.contextmanager
def new_file(path: Path, *, replaces: bool = False) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` when all has been written, and of a file there if it `replaces`.

    If anything is raised, nothing is left of it, and what was there is as it was. Raises NotWritten, also where it is
    written to and the disk is full.
    """
    _check(path, replaces=replaces)
    beside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            try:
                yield file
                file.close()  # this may fail where writing to it did not
                _check(path, replaces=replaces)
                os.replace(beside, path)
            except BaseException:
                beside.unlink()
                raise
    except OSError as error:
        raise refusal(f"{path}: cannot be written", error) from None


def refusal(what: str, error: OSError) -> NotWritten:
    """What to raise for this error: HostRefused, unless a folder is named that is not there."""
    kind = NotWritten if error.errno in _WRONG_NAME else HostRefused
    return kind(f"{what}: {error.strerror or error}")


def _check(path: Path, *, replaces: bool) -> None:
    if path.is_dir():
        raise NotWritten(f"{path} is a folder; name a file in it")
    if path.exists() and not path.is_file():  # a replaced device would be lost to all programs
        raise NotWritten(f"{path} is no regular file; name another one")
    if not replaces and os.path.lexists(path):
        raise NotWritten(f"{path} exists already; remove it, name another file, or replace it with --force")
