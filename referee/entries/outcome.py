"""What comes out of a build: a tar stream that a stranger's program may have written, unpacked within bounds.

Nothing of it can lie outside the folder into which it is unpacked, lead out of it, or be anything but a file, a folder
or a link. Files lose all rights but to be read, and to be run if their owner could run them.
"""

import os
import shutil
import stat
import tarfile
import time
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from protocol.text import printable
from referee.play.isolation.paths import is_within

LONGEST_HEADER_BYTES = 1 << 16
"""How long the part of a header may be that holds long names."""

LONGEST_PATH_BYTES = 1024
LONGEST_NAME_BYTES = 255

_CHUNK_BYTES = 1 << 20
_SHOWN = 120
_LATEST_S = 1 << 32
"""A file is not later than this, in seconds since 1970."""


class BadArchive(ValueError):
    """The stream is refused; the text names the member and the rule."""


class Bounds(Struct, frozen=True, kw_only=True):
    """How much may come out."""

    size_bytes: int
    """All files together."""
    files: int
    """Files, folders and links."""
    depth: int
    """Folders within each other."""
    time_s: float
    """How long it may take to unpack it."""


class Unpacked(Struct, frozen=True, kw_only=True):
    """What was unpacked."""

    size_bytes: int
    files: int


def unpack_tar(file: BinaryIO, into: Path, bounds: Bounds) -> Unpacked:
    """Unpack a tar file, from where it stands, so that the folder `into` appears when all is in it.

    Raises BadArchive, and OSError where the host cannot keep it.
    """
    beside = into.parent / f"{into.name}.new"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(0o755)
    try:
        unpacked = _unpacked(file, beside, bounds)
        os.rename(beside, into)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return unpacked


def _unpacked(file: BinaryIO, into: Path, bounds: Bounds) -> Unpacked:
    try:
        with tarfile.open(fileobj=file, mode="r:", tarinfo=_Member, encoding="utf-8", errors="surrogateescape") as tar:
            return _Unpacking(tar, into, bounds).run()
    except (tarfile.TarError, ValueError, OverflowError, UnicodeError, RecursionError) as error:
        if isinstance(error, BadArchive):
            raise
        raise BadArchive(f"no tar file: {printable(str(error), _SHOWN)}") from None


class _Member(tarfile.TarInfo):
    """A header that is not read into memory where it claims to be long."""

    def _proc_member(self, tar: tarfile.TarFile) -> tarfile.TarInfo:
        is_header = self.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK) or (
            self.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
        )
        if is_header and not 0 <= self.size <= LONGEST_HEADER_BYTES:
            raise BadArchive(f"a header of {self.size} bytes; names may have {LONGEST_PATH_BYTES}")
        if self.type == tarfile.GNUTYPE_SPARSE:
            raise BadArchive(f"{_shown(self.name)}: a file with holes; write all of it")
        return super()._proc_member(tar)  # type: ignore[misc,no-any-return]


class _Unpacking:
    def __init__(self, tar: tarfile.TarFile, into: Path, bounds: Bounds) -> None:
        self._tar = tar
        self._into = into
        self._bounds = bounds
        self._end = time.monotonic() + bounds.time_s
        self._folders = {""}
        self._known = {""}
        self._links: list[str] = []
        self._size_bytes = 0

    def run(self) -> Unpacked:
        for member in self._tar:
            self._check_time()
            path = self._path(member)
            if path:
                self._unpack(member, path)
            vars(self._tar)["members"] = []  # else it keeps all of them
        for path in self._links:
            self._check_link(path)
        return Unpacked(size_bytes=self._size_bytes, files=len(self._known) - 1)

    def _path(self, member: tarfile.TarInfo) -> str:
        """The path of a member below the folder, empty for the folder itself."""
        name = member.name
        try:
            length = len(name.encode())
        except UnicodeEncodeError:
            raise BadArchive(f"{_shown(name)}: the name is not UTF-8") from None
        if name.startswith("/"):
            raise BadArchive(f"{_shown(name)}: an absolute path")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise BadArchive(f"{_shown(name)}: a path that climbs out of its folder")
        if length > LONGEST_PATH_BYTES or any(len(part.encode()) > LONGEST_NAME_BYTES for part in parts):
            raise BadArchive(f"{_shown(name)}: a path may have {LONGEST_PATH_BYTES} bytes")
        if len(parts) > self._bounds.depth:
            raise BadArchive(f"{_shown(name)}: more than {self._bounds.depth} folders within each other")
        return "/".join(parts)

    def _unpack(self, member: tarfile.TarInfo, path: str) -> None:
        self._make_room_for(path, is_folder=member.isdir())
        if member.isdir():
            return
        target = self._into / path
        if member.issym():
            os.symlink(member.linkname, target)
            self._links.append(path)
        elif member.isreg():
            self._write(member, path, target)
        else:
            raise BadArchive(f"{_shown(path)}: {_KINDS.get(member.type, 'neither a file, a folder nor a link')}")

    def _make_room_for(self, path: str, *, is_folder: bool) -> None:
        """Make the folders on the way to a path, and with `is_folder` that one. Raises BadArchive."""
        above = path.split("/") if is_folder else path.split("/")[:-1]
        for number in range(1, len(above) + 1):
            folder = "/".join(above[:number])
            if folder in self._folders:
                continue
            if folder in self._known:
                raise BadArchive(f"{_shown(path)}: it lies in {_shown(folder)}, which is no folder")
            self._note(folder)
            self._folders.add(folder)
            os.mkdir(self._into / folder, 0o755)
        if not is_folder:
            if path in self._known:
                raise BadArchive(f"{_shown(path)}: it is there twice")
            self._note(path)

    def _note(self, path: str) -> None:
        self._known.add(path)
        if len(self._known) > self._bounds.files + 1:
            raise BadArchive(f"more than {self._bounds.files} files, folders and links")

    def _write(self, member: tarfile.TarInfo, path: str, target: Path) -> None:
        source = self._tar.extractfile(member)
        if member.issparse() or source is None:
            raise BadArchive(f"{_shown(path)}: a file with holes; write all of it")
        self._size_bytes += member.size
        if member.size < 0 or self._size_bytes > self._bounds.size_bytes:
            raise BadArchive(f"more than {self._bounds.size_bytes >> 20} MB")
        fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as out:
            while data := source.read(_CHUNK_BYTES):
                out.write(data)
                self._check_time()
            out.flush()
            seconds = min(max(0, int(member.mtime)), _LATEST_S)
            os.utime(fd, (seconds, seconds))
            os.fchmod(fd, 0o555 if member.mode & stat.S_IXUSR else 0o444)

    def _check_link(self, path: str) -> None:
        """A link leads to something inside, be it there or not."""
        root = os.path.realpath(self._into)
        target = os.readlink(self._into / path)
        try:
            target.encode()
        except UnicodeEncodeError:
            raise BadArchive(f"{_shown(path)}: a link to a name that is not UTF-8") from None
        if target.startswith("/") or not is_within(os.path.realpath(self._into / path), root):
            raise BadArchive(
                f"{_shown(path)}: a link to {_shown(target)}, which leads out of the bot's folder; links may be "
                "relative, to something in it (`python3 -m venv --copies` makes no links)"
            )

    def _check_time(self) -> None:
        if time.monotonic() > self._end:
            raise BadArchive(f"it takes more than {self._bounds.time_s:g} s to unpack")


_KINDS = {
    tarfile.FIFOTYPE: "a pipe",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.LNKTYPE: "a hard link",
}


def _shown(name: str) -> str:
    return printable(name, _SHOWN)
