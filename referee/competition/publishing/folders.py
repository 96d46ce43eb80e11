"""The folders of a bundle while they are made: nothing has its name before it is whole.

Whoever publishes into a folder does so alone. What a publication left that was killed goes away with the next one.
"""

import contextlib
import errno
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

from referee.beneath import open_folder
from referee.competition.publishing.bundle import (
    AUTHORS,
    PACKED,
    SUMS,
    UNBORN,
    HostRefused,
    NotPublished,
    names_for,
    shown,
)
from referee.lock_file import alone_in

MARK = "UNFINISHED.txt"
_MARKED = b"`golfref publish` was ended while it made this folder. It can be removed; the next publication does so.\n"
_LEFT = re.compile(rf".+-\d{{4}}-\d\d-\d\d(-\d+)?({re.escape(AUTHORS)})?{re.escape(UNBORN)}")
_WRONG_NAME = {errno.ENOENT, errno.ENOTDIR, errno.EEXIST}

FILE_MODE, FOLDER_MODE, PRIVATE_MODE = 0o644, 0o755, 0o700


class NewBundle:
    """A bundle that has no name yet, in the folder into which it goes. `new_bundle` begins one."""

    def __init__(self, folder: Path, name: str, check: Callable[[], None]) -> None:
        """`check` is called often, and may raise what ends it all."""
        self.folder, self.name = folder, name
        self.check = check
        self.public = folder / (name + UNBORN)
        self.authors = folder / (name + AUTHORS + UNBORN)

    def begin(self, place: Path, mode: int) -> Path:
        """Make one of the folders."""
        place.mkdir()
        place.chmod(mode)
        place.joinpath(MARK).write_bytes(_MARKED)
        return place

    def write(self, path: Path, pieces: Iterable[bytes]) -> None:
        """Write a file, with the folders above it."""
        with self.file(path) as file:
            for piece in pieces:
                self.check()
                file.write(piece)

    @contextlib.contextmanager
    def file(self, path: Path) -> Iterator[BinaryIO]:
        """A new file to write, with the folders above it."""
        if not path.parent.exists():
            path.parent.mkdir()
            path.parent.chmod(FOLDER_MODE)
        with path.open("xb") as file:
            os.fchmod(file.fileno(), FILE_MODE)
            yield file

    def sums(self, place: Path) -> Path:
        """Write the sums of all files in one of the folders."""
        paths = sorted(path for path in place.rglob("*") if path.is_file() and path.name != MARK)
        self.write(place / SUMS, (self._sum(path, place) for path in paths))
        return place / SUMS

    def pack(self, place: Path) -> Path:
        """Write one of the folders as an archive beside it, in which it has the name that it is to have."""
        name = Path(place.name.removesuffix(UNBORN))
        target = place.with_name(f"{name}{PACKED}{UNBORN * place.name.endswith(UNBORN)}")
        with target.open("xb") as file, tarfile.open(fileobj=file, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
            os.fchmod(file.fileno(), FILE_MODE)
            for path in (place, *sorted(place.rglob("*"))):
                self.check()
                if path.name == MARK:
                    continue
                archive.add(path, (name / path.relative_to(place)).as_posix(), recursive=False, filter=_nobody)
        return target

    def finish(self) -> list[Path]:
        """Give everything its name, the public folder last. Either all of it has its name then, or nothing."""
        for place in (self.authors, self.public):
            place.joinpath(MARK).unlink(missing_ok=True)
        there = [self.authors, self.folder / (self.name + PACKED + UNBORN), self.public]
        named: list[tuple[Path, Path]] = []
        try:
            for place in (one for one in there if one.exists()):
                target = place.with_name(place.name.removesuffix(UNBORN))
                if os.path.lexists(target):
                    raise NotPublished(f"{shown(target)} has come meanwhile; run the same command again")
                named.append((target, place))
                place.rename(target)
        except BaseException:
            for target, place in reversed(named):
                if not place.exists():
                    target.rename(place)
            raise
        return [target for target, _ in named]

    def _sum(self, path: Path, place: Path) -> bytes:
        with path.open("rb") as file:
            return f"{file_digest(file, 'sha256').hexdigest()}  {path.relative_to(place).as_posix()}\n".encode()


@contextlib.contextmanager
def new_bundle(folder: Path, run: str, day: datetime, check: Callable[[], None]) -> Iterator[NewBundle]:
    """Begin a bundle of a run in a folder, which is made if need be. Nothing is left where anything is raised.

    Raises NotPublished where it cannot be written.
    """
    is_ours = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with _locked(folder):
                _clear(folder)
                bundle = NewBundle(folder, names_for(run, day, os.listdir(folder)), check)
                try:
                    yield bundle
                finally:
                    _clear(folder)
        finally:
            if is_ours:
                with contextlib.suppress(OSError):
                    folder.rmdir()  # if nothing came into it
    except OSError as error:
        kind = NotPublished if error.errno in _WRONG_NAME else HostRefused
        where = error.filename if isinstance(error.filename, str) else folder
        raise kind(f"{shown(where)}: cannot be written: {error.strerror or error}; nothing was published") from None


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        fd = open_folder(folder)
        stack.callback(os.close, fd)
        try:
            stack.enter_context(alone_in(fd))
        except BlockingIOError:
            what = "another golfref is publishing into this folder; wait for it, or name another one"
            raise NotPublished(f"{shown(folder)}: {what}") from None
        yield


def _clear(folder: Path) -> None:
    """Remove what has no name yet, of this publication or of one that was killed: only what bears our mark."""
    for mark in [*folder.glob(f"*{UNBORN}/{MARK}")]:
        place = mark.parent
        if not _LEFT.fullmatch(place.name) or place.is_symlink() or not _MARKED.startswith(mark.read_bytes()):
            continue
        place.with_name(place.name.removesuffix(UNBORN) + PACKED + UNBORN).unlink(missing_ok=True)
        shutil.rmtree(place)


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member of an archive that tells nothing of who made it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
