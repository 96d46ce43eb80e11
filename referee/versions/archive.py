"""Archives of strangers, unpacked into a new folder that is whole or not there at all.

The standard library reads the formats, and the rulebook in `files` holds each file that comes out to its rules.
"""

import gzip
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO

from referee.versions.files import BadFiles, Bounds, Contents
from referee.versions.folders import new_files
from referee.versions.tar import Reads, read_tar
from referee.versions.zip import read_zip

FORMATS = ".zip, .tar or .tar.gz"
"""The formats in words."""

_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz")

_COPY_MARKS = re.compile(r"(?i)^copy of +| *\(\d+\)$| - copy$| copy( \d+)?$")
"""What browsers, mail programs and desktops add to the name of a file that is saved or copied for the second time."""


def stem_of(name: str) -> str | None:
    """The name of an archive without its ending. None if its format is unknown."""
    return next((name[: -len(ending)] for ending in _ENDINGS if name.lower().endswith(ending)), None)


def without_copy_marks(name: str) -> str:
    """The name as it was before it was copied: `caddie (1)` and `Copy of caddie` are `caddie`."""
    while (plain := _COPY_MARKS.sub("", name)) != name and plain.strip():
        name = plain
    return name


def open_archive(path: Path) -> BinaryIO:
    """An archive to read; a pipe is not waited for. Raises OSError."""
    return open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def unpack(file: BinaryIO, into: Path, bounds: Bounds) -> Contents:
    """Unpack an open archive into a folder that is not there yet. Its content says which format it has.

    `into` appears when all files are in it. Raises BadFiles, and OSError where the archive cannot be read or the host
    cannot write; then nothing is left.
    """
    about = os.fstat(file.fileno())
    if not stat.S_ISREG(about.st_mode):
        raise BadFiles("it is no plain file")
    file.seek(0)
    begin = file.read(4)
    file.seek(0)
    with new_files(into, bounds, about.st_size) as files:
        if begin.startswith((b"PK\3\4", b"PK\5\6")):
            has_modes = read_zip(file, files)
            return files.contents(has_modes=has_modes)
        read_tar(gzip.GzipFile(fileobj=file, mode="rb") if begin.startswith(b"\x1f\x8b") else file, files)
        return files.contents()


def unpack_tar(stream: Reads, into: Path, bounds: Bounds) -> Contents:
    """Unpack a tar stream as `unpack` does."""
    with new_files(into, bounds) as files:
        read_tar(stream, files)
        return files.contents()
