"""Archives of strangers, unpacked into a new folder that is whole or not there at all.

The standard library reads the formats. What may come out, and how much of it, is in `members`: it goes by what is
really written, never by what an archive says of itself.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from referee.entries.members import BadArchive, Bounds, Tree, Unpacked, new_folder
from referee.entries.tars import Reads, bunzip2, gunzip, read_tar, unxz
from referee.entries.zips import read_zip

_TAR_MAGIC_AT = 257
_HEADERS_BYTES = 2048
"""How much longer than its content an archive may be for each member."""

_Kind = tuple[tuple[str, ...], int, tuple[bytes, ...], Callable[[BinaryIO], Reads] | None]

_KINDS: tuple[_Kind, ...] = (
    ((".zip",), 0, (b"PK\3\4", b"PK\5\6"), None),
    ((".tar.gz", ".tgz"), 0, (b"\x1f\x8b",), gunzip),
    ((".tar.xz", ".txz"), 0, (b"\xfd7zXZ\0",), unxz),
    ((".tar.bz2", ".tbz2"), 0, (b"BZh",), bunzip2),
    ((".tar",), _TAR_MAGIC_AT, (b"ustar",), lambda file: file),
)
"""The ends of names; where a file of the kind has which bytes; how its content is read as a tar stream."""

ENDINGS = tuple(ending for endings, *_ in _KINDS for ending in endings)
"""How the names of archives end."""


def stem_of(name: str) -> str | None:
    """The name of an archive without its ending. None if it is not one that can be unpacked."""
    return next((name[: -len(ending)] for ending in ENDINGS if name.lower().endswith(ending)), None)


def unpack(archive: Path, into: Path, bounds: Bounds) -> Unpacked:
    """Unpack an archive into a folder that is not there yet.

    `into` appears when all is in it; until then it has `.new` after its name. Raises BadArchive, and OSError where the
    archive cannot be read or the host cannot write; then nothing is left.
    """
    with open_archive(archive) as file:
        return unpack_file(file, archive.name, into, bounds)


def open_archive(path: Path) -> BinaryIO:
    """An archive to read; nobody is waited for where it is a pipe. Raises OSError."""
    return open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def unpack_file(file: BinaryIO, name: str, into: Path, bounds: Bounds) -> Unpacked:
    """Unpack an open archive of this name as `unpack` does."""
    endings, at, magics, packing = _kind_of(name)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise BadArchive("it is no plain file")
    size = file.seek(0, os.SEEK_END)
    if size > bounds.total_bytes + _HEADERS_BYTES * bounds.members:
        raise BadArchive(f"it is longer than an archive of {bounds.total_bytes >> 20} MB can be")
    file.seek(0)
    begin = file.read(at + 8)[at:]
    if not begin.startswith(magics):
        raise BadArchive(f"its content is no {endings[0]} archive, or it is damaged from its beginning")
    file.seek(0)
    with new_folder(into) as fd:
        tree = Tree(fd, bounds, size)
        return read_zip(file, tree) if packing is None else read_tar(packing(file), tree)


def unpack_tar(stream: BinaryIO, into: Path, bounds: Bounds) -> Unpacked:
    """Unpack a tar stream into a folder that is not there yet, as `unpack` does. Nothing of it is packed."""
    with new_folder(into) as fd:
        return read_tar(stream, Tree(fd, bounds, None))


def _kind_of(name: str) -> _Kind:
    for kind in _KINDS:
        if name.lower().endswith(kind[0]):
            return kind
    raise BadArchive(f"its name must end with one of {', '.join(ENDINGS)}")
