"""A folder as a stream of bytes, the same on every machine: a tar archive of which each part can be read by itself.

Its SHA-256 names the parcel that travels, and tells after unpacking whether what lies there is what was sent. A file
counts by its path, its bytes and whether its owner may execute it, a link by its text, a folder by its path.
"""

import os
import stat
import tarfile
from bisect import bisect_right
from collections.abc import Iterator
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

_CHUNK_BYTES = 1 << 20
_BLOCK = tarfile.BLOCKSIZE


class Stream:
    """The stream of one folder. Raises OSError where the folder cannot be read."""

    def __init__(self, folder: Path) -> None:
        self._parts = [*_parts(folder)]
        self._starts = [0, *accumulate(part[1] for part in self._parts)]

    @property
    def size_bytes(self) -> int:
        """How long it is."""
        return self._starts[-1]

    def read(self, offset: int, most_bytes: int) -> bytes:
        """What stands from this place on, up to so much; empty at the end."""
        found: list[bytes] = []
        end = min(offset + most_bytes, self.size_bytes)
        while offset < end:
            number = bisect_right(self._starts, offset) - 1
            what, size = self._parts[number]
            within = offset - self._starts[number]
            count = min(size - within, end - offset)
            found.append(_some(what, within, count))
            offset += count
        return b"".join(found)

    def digest(self) -> str:
        """Its SHA-256, in hexadecimal."""
        digest, offset = sha256(), 0
        while data := self.read(offset, _CHUNK_BYTES):
            digest.update(data)
            offset += len(data)
        return digest.hexdigest()


_Part = tuple[bytes | Path, int]
"""Bytes, or a file of which they are the content, and how many there are."""


def _some(what: bytes | Path, within: int, count: int) -> bytes:
    if isinstance(what, bytes):
        return what[within : within + count]
    with open(os.open(what, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW), "rb") as file:
        file.seek(within)
        return file.read(count).ljust(count, b"\0")  # it has been cut off since, and the digest will tell


def _parts(folder: Path) -> Iterator[_Part]:
    for path, name in _below(folder):
        about = path.lstat()
        member = tarfile.TarInfo(name)
        if stat.S_ISLNK(about.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)
        elif stat.S_ISDIR(about.st_mode):
            member.type, member.mode = tarfile.DIRTYPE, 0o755
        else:
            member.size = about.st_size
            member.mode = 0o755 if about.st_mode & stat.S_IXUSR else 0o644
        header = member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
        yield header, len(header)
        if member.size:
            yield path, member.size
            if rest := -member.size % _BLOCK:
                yield bytes(rest), rest
    yield bytes(2 * _BLOCK), 2 * _BLOCK


def _below(folder: Path) -> Iterator[tuple[Path, str]]:
    """Everything below a folder with its path from there, in the order of names, folders before what is in them."""
    waiting = [""]
    while waiting:
        place = waiting.pop()
        if place:
            yield folder / place, place
        if not place or ((folder / place).is_dir() and not (folder / place).is_symlink()):
            names = sorted(os.listdir(folder / place), key=os.fsencode, reverse=True)
            waiting += [os.path.join(place, name) for name in names]
