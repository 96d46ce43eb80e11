"""Tar archives and streams, read once from the beginning to the end.

`tarfile` reads the headers through `_Blocks`, which bounds how long a header may be: a header alone could otherwise
claim gigabytes of memory. The content of files is read past `tarfile`.
"""

import gzip
import struct
import tarfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol, cast

from protocol.text import printable
from referee.versions.files import BadFiles, TooMuch
from referee.versions.folders import CHUNK_BYTES, NewFiles

_HEADER_BYTES = 1 << 14
"""How long the headers of one member may be, with a long name and extended attributes."""

_MEMBER_BYTES = 2048
"""How much longer than its content an archive may be for each member that is allowed."""

_BLOCK = tarfile.BLOCKSIZE

_DAMAGED = (tarfile.TarError, ValueError, EOFError, OverflowError, struct.error, IndexError, RecursionError, TypeError)
"""What `tarfile` raises about headers that make no sense."""

_UNPACKING = (EOFError, gzip.BadGzipFile, zlib.error)


class Reads(Protocol):
    """Whatever gives bytes: at most as many as are asked for, and none at its end."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""


class _Blocks:
    """A stream as `tarfile` may read it: forward, and no further than a header may be long."""

    def __init__(self, stream: Reads, files: NewFiles) -> None:
        self._stream, self._files = stream, files
        self._most = files.bounds.total_bytes + _MEMBER_BYTES * files.bounds.members
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
        """Read on up to a place; `tarfile` skips only paddings so."""
        self.read(place - self._place)
        return self._place

    def read(self, size: int) -> bytes:
        """So many bytes, or the rest."""
        if not 0 <= size <= self._allowed:
            raise BadFiles("the tar archive is damaged: a header is too long, or its sizes contradict each other")
        self._allowed -= size
        self.last = b"".join(self._some(size))
        return self.last

    def content(self, size: int) -> Iterator[bytes]:
        """The next `size` bytes, in chunks."""
        for chunk in self._some(size):
            size -= len(chunk)
            yield chunk
        if size:
            raise BadFiles("the tar archive is damaged: it ends within a file")

    def skip_to_end(self) -> None:
        """Read the rest, of which only the checksum matters."""
        for _ in self._some(1 << 62):
            pass

    def _some(self, most: int) -> Iterator[bytes]:
        while most > 0:
            self._files.check_time()
            try:
                data = self._stream.read(min(most, CHUNK_BYTES))
            except _UNPACKING as error:
                raise BadFiles(f"the archive is damaged, or not whole ({printable(str(error), 100)})") from None
            if not data:
                return
            self._place += len(data)
            if self._place > self._most:
                raise TooMuch(f"the tar archive is longer than {self._most} bytes, more than its files can need")
            most -= len(data)
            yield data


def read_tar(stream: Reads, files: NewFiles) -> None:
    """Write the files of a tar stream into a new folder. Raises BadFiles, and OSError where the host fails."""
    blocks = _Blocks(stream, files)
    tar = None
    while True:
        blocks.allow(_HEADER_BYTES)
        try:
            tar = tar or tarfile.TarFile(
                fileobj=cast(BinaryIO, blocks), mode="r", encoding="utf-8", errors="surrogateescape"
            )
            member = tar.next()
        except _DAMAGED as error:
            what = "this is no .zip, .tar or .tar.gz, or it" if tar is None else "the tar archive"
            raise BadFiles(f"{what} is damaged ({printable(str(error), 100)})") from None
        if member is None:
            break
        vars(tar)["members"].clear()  # `tarfile` would keep all of them
        vars(tar)["pax_headers"].clear()
        _take(member, blocks, files)
    if len(blocks.last) < _BLOCK or blocks.last.strip(b"\0"):
        raise BadFiles("the tar archive is damaged, or cut off, behind its last file")
    blocks.skip_to_end()


def _take(member: tarfile.TarInfo, blocks: _Blocks, files: NewFiles) -> None:
    name = member.name
    if member.issparse():
        raise files.refusal(name, "it is stored with holes; make the archive without `--sparse`")
    if files.leaves_out(name):
        for _ in blocks.content(member.size if member.isreg() else 0):
            pass
    elif member.isreg():
        files.file(name, blocks.content(member.size), executable=bool(member.mode & 0o100))
    elif member.isdir():
        files.folder(name)
    elif member.issym():
        files.link(name, member.linkname)
    elif member.islnk():
        files.hard_link(name, member.linkname)
    else:
        raise files.wrong_kind(name)
