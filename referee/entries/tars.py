"""Tar archives and streams, read once from the beginning to the end.

`tarfile` reads the headers, through `_Blocks`, which lets it go neither back nor further than a header may be long: a
header alone could otherwise claim gigabytes of memory. What files hold is read past it.
"""

import bz2
import gzip
import lzma
import struct
import tarfile
import zlib
from collections.abc import Callable
from typing import BinaryIO, Protocol, cast

from protocol.text import printable
from referee.entries.members import CHUNK_BYTES, BadArchive, Tree, Unpacked, refused

_HEADER_BYTES = 1 << 14
"""How long the headers of one member may be, with a long name and what else is told of it."""

_GLOBALS = 64
"""So many things may be told of all members."""

_PADDING_BYTES = 1 << 22
"""How many zeros may follow an archive; tar fills it up to a multiple of what it writes at once."""

_XZ_MEMORY_BYTES = 1 << 27
"""What unpacking xz may use. `xz -9` needs half of it."""

_BLOCK = tarfile.BLOCKSIZE

_DAMAGED = (tarfile.TarError, ValueError, EOFError, OverflowError, struct.error, IndexError, RecursionError, TypeError)
"""What `tarfile` raises about headers that make no sense."""

_UNPACKING = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, ValueError)


class Reads(Protocol):
    """Whatever gives bytes: at most as many as are asked for, and none at its end."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""


class _Blocks:
    """A stream as `tarfile` may read it."""

    def __init__(self, stream: Reads, tree: Tree) -> None:
        self._stream, self._tree = stream, tree
        self._place = 0
        self._allowed = 0
        self.last = b""
        """What `tarfile` read last."""

    def allow(self, size: int) -> None:
        """Let `tarfile` read so many bytes."""
        self._allowed = size

    def tell(self) -> int:
        """How many bytes have been read."""
        return self._place

    def seek(self, place: int, _whence: int = 0) -> int:
        """Read on up to a place; only paddings are left out so."""
        self.read(place - self._place)
        return self._place

    def read(self, size: int) -> bytes:
        """So many bytes, or what is left."""
        if not 0 <= size <= self._allowed:
            raise BadArchive("the tar archive is damaged: a header is too long, or its sizes contradict each other")
        self._allowed -= size
        self.last = self._whole(size)
        return self.last

    def content(self, size: int) -> Callable[[int], bytes]:
        """What reads the next `size` bytes, and nothing after them."""
        left = size

        def read(most: int) -> bytes:
            nonlocal left
            chunk = self._some(min(left, most))
            left -= len(chunk)
            return chunk

        return read

    def is_blank_to_the_end(self) -> bool:
        """Whether only zeros are left, and not too many."""
        for _ in range(0, _PADDING_BYTES, CHUNK_BYTES):
            chunk = self._some(CHUNK_BYTES)
            if not chunk:
                return True
            if chunk.strip(b"\0"):
                return False
        return False

    def _whole(self, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := self._some(size - len(data))):
            data += more
        return data

    def _some(self, most: int) -> bytes:
        self._tree.look_at_the_clock()
        try:
            data = self._stream.read(most) if most else b""
        except _UNPACKING as error:
            raise BadArchive(f"what is packed is damaged, or not whole ({printable(str(error), 100)})") from None
        self._place += len(data)
        return data


class _Unpacking:
    """An unpacked bz2 or xz file. The standard library's files of these take no bound, and let rubbish follow."""

    def __init__(self, file: BinaryIO, begin: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]) -> None:
        """`begin` makes what unpacks one stream; several may follow one another."""
        self._file, self._begin = file, begin
        self._one = begin()
        self._rest = b""

    def read(self, size: int) -> bytes:
        """At most so many unpacked bytes; none at the end."""
        while True:
            if self._one.eof:
                self._rest = (self._one.unused_data or self._file.read(CHUNK_BYTES)).lstrip(b"\0")
                if not self._rest:
                    return b""
                self._one = self._begin()
            if self._one.needs_input and not self._rest:
                self._rest = self._file.read(CHUNK_BYTES)
                if not self._rest:
                    raise EOFError("it ends too early")
            try:
                data = self._one.decompress(self._rest, size)
            except OSError as error:  # bz2 has no error of its own
                raise ValueError(str(error)) from None
            self._rest = b""
            if data:
                return data


def bunzip2(file: BinaryIO) -> Reads:
    """The content of a .bz2 file."""
    return _Unpacking(file, bz2.BZ2Decompressor)


def unxz(file: BinaryIO) -> Reads:
    """The content of a .xz file."""
    return _Unpacking(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES))


def gunzip(file: BinaryIO) -> Reads:
    """The content of a .gz file."""
    return gzip.GzipFile(fileobj=file, mode="rb")


def read_tar(stream: Reads, tree: Tree) -> Unpacked:
    """Put what a tar stream has into a folder. Raises BadArchive, and OSError where the host fails."""
    blocks = _Blocks(stream, tree)
    tar = None
    while True:
        blocks.allow(_HEADER_BYTES)
        try:
            tar = tar or tarfile.TarFile(
                fileobj=cast(BinaryIO, blocks), mode="r", encoding="utf-8", errors="surrogateescape"
            )
            member = tar.next()
        except _DAMAGED as error:
            raise BadArchive(f"the tar archive is damaged ({printable(str(error), 100)})") from None
        if member is None:
            break
        vars(tar)["members"].clear()  # they are taken one by one
        if len(tar.pax_headers) > _GLOBALS:
            raise BadArchive("the tar archive tells too much of all members at once; make it with another tool")
        _take(member, blocks, tree)
    if len(blocks.last) < _BLOCK:
        raise BadArchive("the tar archive is cut off: it has no end")
    if blocks.last.strip(b"\0"):
        raise BadArchive("the tar archive is damaged: what follows its last member is no header")
    if not blocks.is_blank_to_the_end():
        raise BadArchive("something follows after the end of the tar archive; send the archive alone")
    return tree.finish(has_modes=True)


def _take(member: tarfile.TarInfo, blocks: _Blocks, tree: Tree) -> None:
    if member.issparse():
        raise refused(member.name, "it is stored with holes; make the archive without `--sparse`")
    if member.isreg() and member.type in tarfile.REGULAR_TYPES:
        executable = bool(member.mode & 0o100)
        tree.file(member.name, member.size, blocks.content(member.size), executable=executable)
    elif member.isdir():
        tree.folder(member.name)
    elif member.issym():
        tree.link(member.name, member.linkname)
    elif member.islnk():
        tree.second_name(member.name, member.linkname)
    else:
        raise refused(member.name, f"it is {_kind(member)}; only files, folders and links are taken")


def _kind(member: tarfile.TarInfo) -> str:
    if member.isfifo():
        return "a pipe"
    return "a device" if member.isdev() else "of a kind that is unknown"
