"""The folder of a bundle as it is read: a stranger's, in which no link is followed and nothing is written."""

import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from protocol.text import printable
from referee.beneath import is_inside, open_folder, opened
from referee.competition.publishing.bundle import PACKED, SUMS, UNLISTED, HostRefused, NotPublished, shown
from referee.versions.archive import open_archive, unpack
from referee.versions.files import BadFiles, Bounds

MOST_SUMS_BYTES = 1 << 26
MOST_FILES = 2_000_000
MOST_DEPTH = 32
"""How deep folders may lie in each other."""

MOST_RATIO = 200
"""How many times longer an unpacked text may be: rows and records of real runs come to 20 times."""

FREE_BYTES = 1 << 24
"""So much may come out of any packed text."""

BOUNDS = Bounds(
    total_bytes=1 << 42,
    members=MOST_FILES,
    depth=MOST_DEPTH,
    time_s=3600.0,
)
"""What may come out of an archive: a bundle of a long run is gigabytes, and its disk bounds it."""

MOST_NAMED = 20
"""How many findings of one kind are told."""

_PIECE = 1 << 18
_BLOCK = 512
"""Bytes in a block of st_blocks."""

_SUM = re.compile(r"([0-9a-f]{64}) [ *](.+)")


class Broken(Exception):
    """Something of a bundle cannot be used. The text is a finding."""


class BundleFolder:
    """An open folder of a bundle. `opened_bundle` opens one."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd
        self.sums: dict[str, str] = {}
        """By path the SHA-256 that SHA256SUMS tells, of all files that are as it tells."""

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        with suppress(Broken), self.open(path):
            return True
        return False

    @contextmanager
    def open(self, path: str) -> Iterator[BinaryIO]:
        """A file. Raises Broken where there is none, or something else has its name."""
        above, _, name = path.rpartition("/")
        try:
            with opened(above, self._fd) as there:
                fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=there)
        except FileNotFoundError:
            raise Broken(f"{path}: it is not there") from None
        except OSError as error:
            raise Broken(f"{printable(path, 200)}: it cannot be read ({error.strerror})") from None
        with open(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise Broken(f"{path}: it is no file")
            yield file

    def read(self, path: str, most: int) -> bytes:
        """All of a file. Raises Broken, also where it has more bytes than `most`."""
        with self.open(path) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise Broken(f"{path}: it is longer than {most} bytes")
        return data

    def lines(self, path: str, most: int) -> Iterator[bytes]:
        """The lines of a packed text, without their ends. Raises Broken where one has more than `most` bytes.

        They are unpacked a piece at a time, and no more than a text of that size can come to.
        """
        with self.open(path) as file:
            allowed = FREE_BYTES + MOST_RATIO * os.fstat(file.fileno()).st_size
            rest: list[bytes] = []
            size = 0
            for piece in _unpacked(path, file, allowed):
                *ends, last = piece.split(b"\n")
                for end in ends:
                    yield b"".join((*rest, end))
                    rest, size = [], 0
                rest.append(last)
                size += len(last)
                if size > most:
                    raise Broken(f"{path}: it has a line of more than {most} bytes")
            if size:
                raise Broken(f"{path}: its last line has no end")

    def check_sums(self) -> Iterator[str]:
        """What is wrong with the files, by SHA256SUMS; `sums` has the others."""
        told = dict(_told(self.read(SUMS, MOST_SUMS_BYTES)))
        there: set[str] = set()
        for path, is_file in self._walk("", 0):
            if len(there) > MOST_FILES:
                raise Broken(f"it has more than {MOST_FILES} files")
            there.add(path)
            if path in UNLISTED and is_file:
                continue
            if not is_file:
                yield f"{printable(path, 200)}: it is neither a file nor a folder"
            elif path not in told:
                yield f"{printable(path, 200)}: it is there, but {SUMS} does not name it"
            elif self._hash(path) != told[path]:
                yield f"{path}: it was changed: its SHA-256 is not the one in {SUMS}"
            else:
                self.sums[path] = told[path]
        yield from (f"{path}: it is in {SUMS}, but not there" for path in told if path not in there)

    def _hash(self, path: str) -> str:
        """The SHA-256 of a file, or something else for one that nobody can read to its end."""
        digest = sha256()
        with self.open(path) as file:
            about = os.fstat(file.fileno())
            if about.st_size > FREE_BYTES + MOST_RATIO * about.st_blocks * _BLOCK:
                return "it is almost nothing but holes, which may take days to read"
            while piece := file.read(_PIECE):
                digest.update(piece)
        return digest.hexdigest()

    def _walk(self, folder: str, depth: int) -> Iterator[tuple[str, bool]]:
        """All that is no folder, in order, and whether it is a file."""
        if depth > MOST_DEPTH:
            raise Broken(f"{printable(folder, 100)}: folders lie in it deeper than {MOST_DEPTH}")
        try:
            with opened(folder, self._fd) as there, os.scandir(there) as found:
                entries = sorted(found, key=lambda one: one.name)
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        yield from self._walk(path, depth + 1)
                    else:
                        yield path, entry.is_file(follow_symlinks=False)
        except OSError as error:
            raise Broken(f"{printable(folder, 200) or 'the folder'}: it cannot be read ({error.strerror})") from None


@contextmanager
def opened_bundle(path: Path, temporary: Path) -> Iterator[BundleFolder]:
    """The folder of a bundle; an archive of one is unpacked into a temporary folder first.

    Raises NotPublished where there is none, HostRefused where there is no room for what is unpacked.
    """
    inner = path if path.is_dir() else _unpacked_bundle(path, temporary / "unpacked")
    try:
        fd = open_folder(inner)
    except OSError as error:
        what = f"expected the folder of a bundle, or its {PACKED} ({error.strerror})"
        raise NotPublished(f"{shown(path)}: {what}") from None
    try:
        yield BundleFolder(inner, fd)
    finally:
        os.close(fd)


def _unpacked_bundle(archive: Path, into: Path) -> Path:
    """The one folder that an archive holds, unpacked."""
    try:
        with open_archive(archive) as file:
            unpack(file, into, BOUNDS)
        names = os.listdir(into)
    except BadFiles as error:
        raise NotPublished(f"{shown(archive)}: {error}") from None
    except OSError as error:
        where = (
            f"it cannot be unpacked into {into.parent.parent}: {error.strerror or error}; TMPDIR names another place"
        )
        raise HostRefused(f"{shown(archive)}: {where}") from None
    if len(names) != 1:
        raise NotPublished(f"{shown(archive)}: expected an archive that holds one folder, and nothing beside it")
    return into / names[0]


def _told(data: bytes) -> Iterator[tuple[str, str]]:
    """By path the sums. Raises Broken."""
    for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
        found = _SUM.fullmatch(line)
        if found is None or not is_inside(found[2]) or found[2] != printable(found[2], len(line)):
            raise Broken(f"{SUMS}:{number}: expected a SHA-256, two blanks and the path of a file in the bundle")
        yield found[2], found[1]


def _unpacked(path: str, file: BinaryIO, allowed: int) -> Iterator[bytes]:
    """What a file of gzip holds, piece by piece. Raises Broken, also where it is more than `allowed`."""
    unpacking = zlib.decompressobj(wbits=31)
    size = 0
    while piece := file.read(_PIECE):
        while piece:
            try:
                data = unpacking.decompress(piece, _PIECE)
            except zlib.error as error:
                raise Broken(f"{path}: it cannot be unpacked ({error})") from None
            size += len(data)
            if size > allowed:
                raise Broken(f"{path}: it unpacks to more than {MOST_RATIO} times its size, which no run does")
            yield data
            piece = unpacking.unconsumed_tail
        if unpacking.unused_data:
            raise Broken(f"{path}: something follows the end of the packed text")
    if not unpacking.eof:
        raise Broken(f"{path}: it is cut off")
