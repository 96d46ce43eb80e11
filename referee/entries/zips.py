"""Zip archives, which say twice what is in them: beside each member, and in a directory at the end.

The two must agree, and the file must consist of nothing but the members, one after the other, and the directory. So no
part of it counts twice, and nobody else finds other files in it.
"""

import contextlib
import os
import stat
import struct
import zipfile
import zlib
from itertools import pairwise
from typing import BinaryIO, cast

from protocol.text import printable
from referee.entries.members import BadArchive, Tree, Unpacked, refused

_LOCAL = struct.Struct("<4s5H3L2H")
_END_BYTES = 22
_END_64_BYTES = 76
_DESCRIPTORS = {0, 12, 16, 20, 24}
"""How many bytes may stand after a member: its checksum and sizes, where they were not known before it."""

_ENCRYPTED = 0x1 | 0x40 | 0x2000
_DESCRIBED_AFTER = 0x8
_UTF_8 = 0x800
_UNICODE_PATH = 0x7075
"""The extra field with the name of a member in UTF-8."""

_FAR = 1 << 62
"""No file has a place like this."""

_LEAST_DIRECTORY = 1 << 17
_DIRECTORY_BYTES = 400
"""How long the directory may be for each member that is allowed."""

_UNIX = {3, 19}
"""Systems on which names are bytes, written as they are: `zip` of Linux and the Finder say nothing of their UTF-8."""

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""What unpacks with little memory, and is what all tools use unless they are told otherwise."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error)


class _Bounded:
    """A file of which only so much is read at once."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file, self._most = file, most
        self.tell, self.seekable = file.tell, file.seekable

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, which may be nowhere in the file."""
        if whence == os.SEEK_SET and not 0 <= place <= _FAR:
            raise BadArchive("the zip is damaged: it names a place that is not in it")
        return self._file.seek(place, whence)

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or what is left."""
        data = self._file.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise BadArchive(
                "the directory of the zip is longer than so many files need; leave out what tools make, such as "
                "`.venv` and `node_modules`"
            )
        return data


def read_zip(file: BinaryIO, tree: Tree) -> Unpacked:
    """Put what a zip has into a folder. Raises BadArchive, and OSError where the host fails."""
    most = max(_LEAST_DIRECTORY, _DIRECTORY_BYTES * tree.bounds.members)
    try:
        bounded = cast(BinaryIO, _Bounded(file, most))
        with zipfile.ZipFile(bounded) as archive:
            if len(archive.infolist()) > tree.bounds.members:
                text = f"the zip has more than {tree.bounds.members} files, folders and links"
                raise BadArchive(text, archive.namelist())
            _check_places(archive, bounded)
            for member in archive.infolist():
                _take(archive, member, tree)
            return tree.finish(has_modes=any(member.external_attr >> 16 for member in archive.infolist()))
    except UnicodeDecodeError as error:
        name = printable(repr(error.object), 200)
        raise BadArchive(f"member {name}: its name is not UTF-8, though the zip says so; rename it") from None
    except _DAMAGED as error:
        raise BadArchive(f"the zip is damaged ({printable(str(error), 200)})") from None


def _take(archive: zipfile.ZipFile, member: zipfile.ZipInfo, tree: Tree) -> None:
    name = _name(member)
    if member.create_system not in _UNIX:
        name = name.replace("\\", "/")  # as .NET, and PowerShell by it, parts names
    mode = member.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if member.flag_bits & _ENCRYPTED:
        raise refused(name, "it is encrypted; make the zip without a password")
    if member.compress_type not in _METHODS:
        how = f"method {member.compress_type} of the zip format"
        raise refused(name, f"it is packed by {how}; make the zip with the usual one, `deflate`")
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}:
        raise refused(name, "it is a device, a pipe or a socket; only files, folders and links are taken")
    if name.endswith("/") != (kind == stat.S_IFDIR) and (kind or member.file_size):
        raise refused(name, "it says of itself both that it is a folder and that it is not; make the zip anew")
    try:
        if name.endswith("/"):
            tree.folder(name)
        elif kind == stat.S_IFLNK:
            tree.link(name, _target(archive, member, name, tree))
        else:
            with archive.open(member) as content:
                tree.file(name, member.file_size, content.read, executable=bool(mode & 0o100))
    except _DAMAGED as error:
        raise refused(name, f"it is damaged ({printable(str(error), 200)}); make the zip again") from None


def _target(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, tree: Tree) -> str:
    """The text of a link."""
    if member.file_size > tree.bounds.path_bytes:
        raise refused(name, f"it is a link whose text has more than {tree.bounds.path_bytes} bytes")
    with archive.open(member) as content:
        return content.read(tree.bounds.path_bytes + 1).decode(errors="surrogateescape")


def _name(member: zipfile.ZipInfo) -> str:
    """The name of a member: in ASCII, or in UTF-8 if the zip says that, or was made under Unix and the name is that.

    Other encodings are not guessed: BadArchive is raised.
    """
    written = member.orig_filename
    is_utf_8 = bool(member.flag_bits & _UTF_8)
    raw = written.encode("utf-8" if is_utf_8 else "cp437")
    told = _unicode_path(member.extra, raw)
    if told is not None and told != written and is_utf_8:
        raise refused(written, f'it has a second name, "{printable(told, 200)}"; make the zip anew')
    if told is not None:
        return told
    if is_utf_8 or raw.isascii():
        return written
    with contextlib.suppress(UnicodeDecodeError):
        if member.create_system in _UNIX:
            return raw.decode()
    shown = printable(repr(raw)[1:], 200)
    raise BadArchive(
        f"member {shown}: the zip does not say in which encoding this name is; rename it in ASCII, or make the zip "
        "with a tool that writes UTF-8"
    )


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """The name in the extra field for it. None where there is none, or where it belongs to an earlier name."""
    while len(extra) >= 4:
        kind, size = struct.unpack("<HH", extra[:4])
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(field) > 5 and struct.unpack("<BL", field[:5]) == (1, zlib.crc32(raw)):
            return field[5:].decode(errors="surrogateescape")
    return None


def _check_places(archive: zipfile.ZipFile, file: BinaryIO) -> None:
    """Raise BadArchive unless the file is its members, one after the other, and then the directory."""
    members = sorted(archive.infolist(), key=lambda member: member.header_offset)
    begin = archive.start_dir
    places = [(0, 0, False)]
    places += [(member.header_offset, _end(file, member), _is_described_after(member)) for member in members]
    places.append((begin, begin, False))
    for (_, end, described_after), (next_begin, _, _) in pairwise(places):
        gap = next_begin - end
        if gap < 0:
            raise BadArchive("members of the zip overlap: the same bytes count several times; make the zip anew")
        if gap and not (described_after and gap in _DESCRIPTORS):
            raise BadArchive(
                f"in the zip are {gap} bytes that belong to none of its members; send a zip that is nothing else"
            )
    directory = sum(46 + len(_raw(member)) + len(member.extra) + len(member.comment) for member in members)
    size = file.seek(0, os.SEEK_END)
    rest = size - begin - directory - len(archive.comment)
    file.seek(size - len(archive.comment) - 2)
    if rest not in {_END_BYTES, _END_BYTES + _END_64_BYTES} or file.read(2) != struct.pack("<H", len(archive.comment)):
        raise BadArchive("something follows after the end of the zip, or it is cut off; send the zip alone")


def _raw(member: zipfile.ZipInfo) -> bytes:
    return member.orig_filename.encode("utf-8" if member.flag_bits & _UTF_8 else "cp437")


def _is_described_after(member: zipfile.ZipInfo) -> bool:
    return bool(member.flag_bits & _DESCRIBED_AFTER)


def _end(file: BinaryIO, member: zipfile.ZipInfo) -> int:
    """Where the bytes of a member end."""
    file.seek(member.header_offset)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size:
        raise BadArchive("the zip is cut off")
    *_, name, extra = _LOCAL.unpack(header)
    return member.header_offset + _LOCAL.size + int(name) + int(extra) + member.compress_size
