"""The shelf: where the versions of entries are kept, by content, beside the config of a competition.

A version that has been put here never changes, whatever its author does to the entry's folder meanwhile. Each has a
folder of its own:

    .golfref/versions/VERSION/source/   the files of the entry as they were
    .golfref/versions/VERSION/built/    the same after its build, where it has one
    .golfref/versions/VERSION/build.log what the build said
    .golfref/versions/VERSION/kept.json what is known of it; a version without this file is not whole
"""

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.entries.entry import Entry
from referee.entries.versions import is_version, version_of
from referee.lock_file import open_lock
from referee.play.spec import BotSpec
from referee.versions.files import BadFiles, Bounds
from referee.versions.folders import copy_folder

SHELF = ".golfref"
"""The name of the shelf's folder."""

KEPT = "kept.json"
"""The file in the folder of a version that is written last."""

SOURCE = "source"
BUILT = "built"
"""The folders in that of a version; see above."""

OPEN_FOLDER = 0o755
"""Every bot may run as a user of its own, and must get at its files."""

_CLOSED_FOLDER = 0o555
_LOCK = "lock"


class ShelfError(Exception):
    """A version cannot be put on the shelf. The text says why, and what to do; whoever shows it names the entry."""


class ShelfNotWritten(ShelfError):
    """The host does not let us write to the shelf, or has no room. The text names the entry."""


class _Changed(Exception):
    """An entry is not as it was when its version was worked out."""


class Shelf:
    """The shelf of one competition."""

    def __init__(self, folder: str | Path) -> None:
        """`folder` is that of the config."""
        self.folder = Path(folder, SHELF)

    def place(self, version: str) -> Path:
        """The folder of a version, whether or not it is there."""
        return self.folder / "versions" / version

    def bot(self, entry: Entry) -> BotSpec:
        """The bot of an entry, which starts in its place here, whether or not that is there yet."""
        return BotSpec(
            name=entry.name,
            command=entry.command,
            dir=str(self.files(entry)),
            env=entry.env,
            reads=entry.reads,
            owner=entry.owner,
            entry=entry.folder,
            version=entry.version,
        )

    def files(self, entry: Entry) -> Path:
        """The folder in which this version of a bot starts, whether or not it is there yet."""
        return self.place(entry.version) / (BUILT if entry.build else SOURCE)

    def kept(self, version: str) -> Entry | None:
        """The entry as it was when its version was put here. None where that is not here, or not whole."""
        if not is_version(version):  # it may be of a stranger's store
            return None
        place = self.place(version)
        try:
            entry = msgspec.json.decode((place / KEPT).read_bytes(), type=_Kept).entry
        except (OSError, msgspec.MsgspecError, ValueError):
            return None
        return entry if (place / SOURCE).is_dir() else None

    def take(self, entry: Entry) -> None:
        """Put the files of an entry here, unless its version is here already. Nothing of it is followed or run.

        Waits for another process that does the same. Raises ShelfError.
        """
        if self.kept(entry.version) is not None:
            if self.version_of_source(entry) != entry.version:
                place = self.place(entry.version)
                raise ShelfError(
                    "its copy on the shelf was changed, perhaps by the bot itself; it is made again once it has been "
                    f"removed: chmod -R u+w {place}; rm -r {place}"
                )
            return
        try:
            with self.locked():
                if self.kept(entry.version) is None:
                    self._take(entry)
        except _Changed:
            raise ShelfError("its folder changed while it was read; try again") from None
        except OSError as error:
            where = f"{printable(str(error.filename), 1000)}: " if error.filename else ""
            what = f"entry `{printable(entry.name, 100)}` cannot be put into {self.folder}: {where}"
            text = f"{what}{error.strerror or error}; make room there, or see who may write"
            raise ShelfNotWritten(text) from None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Have the shelf to oneself, and wait for that if need be. Raises OSError."""
        open_folder(self.folder)
        fd = open_lock(self.folder / _LOCK)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def _take(self, entry: Entry) -> None:
        place = self.place(entry.version)
        remove(place)  # what a process that was killed has left
        try:
            open_folder(place.parent)
            open_folder(place)
            _copy(entry, place / SOURCE)
            if self.version_of_source(entry) != entry.version:
                raise _Changed
            close(place / SOURCE)
            write_whole(place / KEPT, msgspec.json.encode(_Kept(entry=entry)))
        except BaseException:
            remove(place)
            raise

    def version_of_source(self, entry: Entry) -> str:
        """The version of what stands in `source` now: another one where that was changed since it was put there."""
        copy = BotSpec(
            name=entry.name, command=entry.command, dir=str(self.place(entry.version) / SOURCE), env=entry.env
        )
        return version_of(copy, str(self.folder.parent), entry.build)


class _Kept(Struct, frozen=True, kw_only=True):
    """What is known of a version."""

    entry: Entry


def _copy(entry: Entry, into: Path) -> None:
    """Copy all that belongs to the version of an entry, which is no more than it was. Raises _Changed, OSError."""
    try:
        folder = os.open(entry.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        raise _Changed from None
    try:
        copy_folder(folder, into, Bounds(total_bytes=entry.size_bytes, members=entry.files))
    except BadFiles:
        raise _Changed from None
    finally:
        os.close(folder)


def open_folder(path: Path) -> None:
    """Make a folder if need be, into which everybody may look. Raises OSError."""
    path.mkdir(exist_ok=True)
    path.chmod(OPEN_FOLDER)


def close(folder: Path) -> None:
    """Let everybody read all of a folder, and nobody write into it any more. Raises OSError."""
    for path, _, files in os.walk(folder):
        for file in (os.path.join(path, name) for name in files):
            if not os.path.islink(file):
                os.chmod(file, 0o555 if os.stat(file).st_mode & stat.S_IXUSR else 0o444)
        os.chmod(path, _CLOSED_FOLDER)


def remove(folder: Path) -> None:
    """Remove a folder, also one that was closed; nothing where there is none. Raises OSError."""
    for path, _, _ in os.walk(folder):
        os.chmod(path, OPEN_FOLDER)
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file in one step: it is there whole, or as it was. Raises OSError."""
    beside = path.with_name(f"{path.name}.new")
    beside.write_bytes(data)
    beside.chmod(0o644)
    beside.replace(path)
