"""Zip archives, read by `zipfile` in the order of their central directory; each file counts by what comes out of it."""

import contextlib
import os
import stat
import struct
import zipfile
import zlib
from functools import partial
from typing import BinaryIO, cast

from protocol.text import printable
from referee.versions.files import LONGEST_PATH_BYTES, BadFiles
from referee.versions.folders import CHUNK_BYTES, NewFiles

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UTF_8 = 0x800
_UNICODE_PATH = 0x7075
"""The extra field with the name of a member in UTF-8."""

_LEAST_DIRECTORY = 1 << 17
_DIRECTORY_BYTES = 400
"""How long the central directory may be for each member that is allowed."""

_UNIX = {3, 19}
"""Systems on which names are bytes, written as they are: `zip` of Linux and the Finder do not flag them as UTF-8."""

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""They unpack with little memory, and all tools use them by default."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)


class _Bounded:
    """A file of which only so much is read at once: `zipfile` reads a whole central directory into memory."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most = file, most
        self.tell, self.seekable = file.tell, file.seekable
        self._size = os.fstat(file.fileno()).st_size

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place in the file."""
        if whence == os.SEEK_SET and not 0 <= place <= self._size:
            raise BadFiles("the zip is damaged: it names a place that is not in it")
        return self._file.seek(place, whence)

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or the rest."""
        data = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise BadFiles(
                "the directory of the zip is longer than so many files need; leave out what tools make, such as "
                "`.venv` and `node_modules`"
            )
        return data


def read_zip(file: BinaryIO, files: NewFiles) -> bool:
    """Write the files of a zip into a new folder; returns whether the zip says which of them can be executed.

    Raises BadFiles, and OSError where the host fails.
    """
    most = max(_LEAST_DIRECTORY, _DIRECTORY_BYTES * files.bounds.members)
    try:
        with zipfile.ZipFile(cast(BinaryIO, _Bounded(file, most))) as archive:
            members = archive.infolist()
            for member in members:
                _take(archive, member, files)
            return any(member.external_attr >> 16 for member in members)
    except UnicodeDecodeError as error:
        raise BadFiles("its name is not UTF-8, though the zip says so; rename it", repr(error.object)) from None
    except _DAMAGED as error:
        raise BadFiles(f"the zip is damaged, or not whole ({printable(str(error), 200)})") from None


def _take(archive: zipfile.ZipFile, member: zipfile.ZipInfo, files: NewFiles) -> None:
    name = _name(member)
    if member.create_system not in _UNIX:
        name = name.replace("\\", "/")  # .NET, and PowerShell with it, separates folders so
    if files.leaves_out(name):
        return
    mode = member.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if member.flag_bits & _ENCRYPTED:
        raise files.refusal(name, "it is encrypted; make the zip without a password")
    if member.compress_type not in _METHODS:
        how = f"method {member.compress_type} of the zip format"
        raise files.refusal(name, f"it is packed by {how}; make the zip with the usual one, `deflate`")
    if name.endswith("/") or kind == stat.S_IFDIR:
        files.folder(name)
    elif kind not in {0, stat.S_IFREG, stat.S_IFLNK}:
        raise files.wrong_kind(name)
    else:
        with archive.open(member) as content:
            if kind == stat.S_IFLNK:
                files.link(name, content.read(LONGEST_PATH_BYTES + 1).decode(errors="surrogateescape"))
            else:
                chunks = iter(partial(content.read, CHUNK_BYTES), b"")
                files.file(name, chunks, executable=bool(mode & 0o100))


def _name(member: zipfile.ZipInfo) -> str:
    """The name of a member: in ASCII, or in UTF-8 if the zip says that, or was made under Unix and the name is that.

    Other encodings are not guessed: BadFiles is raised.
    """
    written = member.orig_filename
    is_utf_8 = bool(member.flag_bits & _UTF_8)
    raw = written.encode("utf-8" if is_utf_8 else "cp437")
    if (told := _unicode_path(member.extra, raw)) is not None:
        return told
    if is_utf_8 or raw.isascii():
        return written
    with contextlib.suppress(UnicodeDecodeError):
        if member.create_system in _UNIX:
            return raw.decode()
    raise BadFiles(
        "the zip does not say in which encoding this name is; rename it in ASCII, or make the zip with a tool that "
        "writes UTF-8",
        repr(raw)[1:],
    )


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """The name in the extra field for it. None where there is none, or where it belongs to an earlier name."""
    while len(extra) >= 4:
        kind, size = struct.unpack("<HH", extra[:4])
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(field) > 5 and struct.unpack("<BL", field[:5]) == (1, zlib.crc32(raw)):
            return field[5:].decode(errors="surrogateescape")
    return None
