"""The store of versions: the files of entries by their content, in `.golfref` beside the config of a competition.

A version that is here never changes, whatever its author does meanwhile. Each has a folder of its own:

    .golfref/versions/VERSION/source/     the files as they were handed in
    .golfref/versions/VERSION/built/      the same after the build, if it has one
    .golfref/versions/VERSION/build.log   the output of the build
    .golfref/versions/VERSION/build.json  the result of the build
    .golfref/versions/VERSION/entry.json  the entry that was the first to have these files

The link `entries/NAME` leads to the `source` of the version that plays.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee import __version__
from referee.errors import HOST_FAILED, GolfrefError
from referee.lock_file import locked
from referee.play.spec import BotSpec, Isolation
from referee.versions.entry import Builds, Entry
from referee.versions.files import BadFiles, Bounds
from referee.versions.folders import copy_folder
from referee.versions.version import checked_version, is_version, version_of

FOLDER = ".golfref"
"""The name of the folder beside the config."""

SOURCE = "source"
BUILT = "built"
BUILD_LOG = "build.log"
BUILD_RESULT = "build.json"
ENTRY = "entry.json"
"""The names in the folder of a version; see above."""

OPEN_FOLDER = 0o755
"""Every bot may run as a user of its own, and must get at its files."""

_READ_ONLY_FOLDER = 0o555
_VERSIONS = "versions"
_LOCK = "lock"
_NEW, _OLD = ".new", ".old"

_NAMED = 5
"""So many changed files are named."""


class NotStored(GolfrefError):
    """A version cannot be put into the store. The text says why, and what to do; whoever shows it names the entry."""

    exit_code = HOST_FAILED


class StoreNotWritable(NotStored):
    """The host does not let golfref write to the store, or has no room. The text names the entry."""


class _Changed(Exception):
    """The files of an entry changed after its version was computed."""


class BuildResult(Struct, frozen=True, kw_only=True):
    """The result of the build of a version."""

    outcome: Literal["built", "failed"]
    problem: str = ""
    """Why it failed, in words."""
    in_cell: bool
    """Whether it was built in a cell, and so for a bot that finds itself in /bot."""
    under: str
    """What was allowed and given to it; see `conditions`. A build that failed under others is tried again."""
    golfref: str
    """The version of golfref that built it."""
    when: str
    """When it ended, in UTC as in ISO 8601."""
    seconds: float
    cpu_s: float | None = None
    """What it computed, where that is known."""
    size_bytes: int = 0
    """All files of a bot that was built, together."""
    files: int = 0
    """How many files, folders and links it has."""
    digest: str = ""
    """A hash of these files; see `digest_of`."""


class VersionStore:
    """The store of one competition. No method takes a version that is not a hash for the name of a folder."""

    def __init__(self, folder: str | Path) -> None:
        """`folder` is that of the config."""
        self.folder = Path(folder, FOLDER)

    def folder_of(self, version: str) -> Path:
        """The folder of a version, whether or not it is there. Raises BadVersion."""
        return self.folder / _VERSIONS / checked_version(version)

    def start_folder(self, entry: Entry) -> Path:
        """The folder in which this version of a bot starts, whether or not it is there yet."""
        return self.folder_of(entry.version) / (BUILT if entry.build else SOURCE)

    def bot_of(self, entry: Entry) -> BotSpec:
        """The bot of an entry, which starts from its folder here, whether or not that is there yet."""
        return BotSpec(
            name=entry.name,
            command=entry.command,
            dir=str(self.start_folder(entry)),
            env=entry.env,
            reads=entry.reads,
            owner=entry.owner,
            entry=entry.folder,
            version=entry.version,
        )

    def entry_of(self, version: str) -> Entry | None:
        """The entry that was the first to have this version. None if the version is not here."""
        with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):  # no version: from a stranger's store
            folder = self.folder_of(version)
            entry = msgspec.json.decode((folder / ENTRY).read_bytes(), type=Entry)
            return entry if (folder / SOURCE).is_dir() else None
        return None

    def add(self, entry: Entry) -> list[str]:
        """Copy the files of an entry into the store, unless they are there. Nothing of them is followed or run.

        Waits for another process that does the same. If somebody changed files of the version here, those of the entry
        replace them; returns the first of these. Raises NotStored.
        """
        try:
            if self.is_whole(entry):
                return []
            with self.locked():
                if self.is_whole(entry):
                    return []
                changed = self.changed_files(entry.version)
                self._add(entry)
                return changed
        except _Changed:
            raise NotStored("its folder changed while it was read; try again") from None
        except OSError as error:
            where = f"{printable(str(error.filename), 1000)}: " if error.filename else ""
            what = f"entry `{printable(entry.name, 100)}` cannot be put into {self.folder}: {where}"
            text = f"{what}{error.strerror or error}; make room there, or see who may write"
            raise StoreNotWritable(text) from None

    def is_whole(self, entry: Entry) -> bool:
        """Whether the version of this entry is here, and its files are as they were handed in."""
        return self.entry_of(entry.version) is not None and self.version_of_source(entry) == entry.version

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Have the store to oneself, and wait for that if need be. Raises OSError."""
        open_folder(self.folder)
        with locked(self.folder / _LOCK, waits=lambda: None):
            yield

    def _add(self, entry: Entry) -> None:
        """Make the folder of a version under another name, and rename it when all of it is on the disk."""
        folder = self.folder_of(entry.version)
        new, old = (folder.with_name(f"{folder.name}{ending}") for ending in (_NEW, _OLD))
        for left_over in (*new.parent.glob(f"*{_NEW}"), *new.parent.glob(f"*{_OLD}")):  # of a process that was killed
            remove(left_over)
        try:
            open_folder(new.parent)
            open_folder(new)
            _copy(entry, new / SOURCE)
            if _version_in(new / SOURCE, entry, self.folder.parent) != entry.version:
                raise _Changed
            make_read_only(new / SOURCE)
            write_whole(new / ENTRY, msgspec.json.encode(entry))
            os.sync()  # one call costs less than an fsync for each of 10,000 files
            if folder.exists():
                folder.rename(old)
            new.rename(folder)
        except BaseException:
            remove(new)
            raise
        remove(old)

    def version_of_source(self, entry: Entry) -> str:
        """The version of the files that are in `source` now: another one if somebody changed them."""
        return _version_in(self.folder_of(entry.version) / SOURCE, entry, self.folder.parent)

    def version_now(self, entry: Entry) -> str:
        """The same of the files from which the entry starts, which a build may have made."""
        if not entry.build:
            return self.version_of_source(entry)
        result, now = self.last_build(entry.version), digest_of(self.start_folder(entry))
        return entry.version if result is None or result.digest in ("", now) else now

    def remove(self, version: str) -> None:
        """Remove a version. Raises OSError."""
        remove(self.folder_of(version))

    # What plays

    def link(self, place: Path, version: str, *, aside: Path) -> None:
        """Let the entry at this place be this version, in one step. Raises OSError, and then nothing has changed.

        A folder that was put there by hand is renamed to `aside` first, since no link takes the place of a folder.
        The files of the version are on the disk before. A killed process leaves at most a hidden link, which the next
        call replaces.
        """
        source = self.folder_of(version) / SOURCE
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f".{place.name}{_NEW}")
        new.unlink(missing_ok=True)
        new.symlink_to(os.path.relpath(os.path.realpath(source), os.path.realpath(place.parent)))
        os.sync()
        if place.is_dir() and not place.is_symlink():
            place.rename(aside)
        os.replace(new, place)
        os.sync()

    def linked_version(self, place: str | Path) -> str:
        """The version to which the link at this place leads, be it there or not; empty if it is no such link."""
        try:
            target = os.path.join(os.path.realpath(os.path.dirname(place)), os.readlink(place))
        except OSError:
            return ""
        folder, source = os.path.split(os.path.normpath(target))
        versions, version = os.path.split(folder)
        is_ours = source == SOURCE and is_version(version) and versions == os.path.realpath(self.folder / _VERSIONS)
        return version if is_ours else ""

    def changed_files(self, version: str) -> list[str]:
        """The first files and folders in `source` of a version that changed after it was put here."""
        source = self.folder_of(version) / SOURCE
        found: list[str] = []
        with contextlib.suppress(OSError):
            put_ns = (source.parent / ENTRY).stat().st_mtime_ns
            for folder, _, names in os.walk(source):
                paths = [*(os.path.join(folder, name) for name in sorted(names)), folder]
                newer = (path for path in paths if os.lstat(path).st_ctime_ns > put_ns)
                found += [printable(os.path.relpath(path, source.parent), 200) for path in newer]
        return found[:_NAMED]

    # Builds

    def last_build(self, version: str) -> BuildResult | None:
        """The result of the last build of this version. None if there was none, or it did not end."""
        with contextlib.suppress(OSError, msgspec.MsgspecError, ValueError):
            return msgspec.json.decode((self.folder_of(version) / BUILD_RESULT).read_bytes(), type=BuildResult)
        return None

    def keep_build(self, version: str, result: BuildResult) -> None:
        """Write the result of a build when all that was built is on the disk. Raises OSError."""
        os.sync()
        write_whole(self.folder_of(version) / BUILD_RESULT, msgspec.json.format(msgspec.json.encode(result)) + b"\n")

    def build_log(self, version: str) -> bytes | None:
        """The output of the last build of this version, as far as it is kept. None if there was none."""
        with contextlib.suppress(OSError, ValueError):
            return (self.folder_of(version) / BUILD_LOG).read_bytes()
        return None


def conditions(isolation: Isolation, builds: Builds) -> str:
    """A hash of all on which it depends what a build may do, with the version of golfref."""
    return sha256(msgspec.json.encode([isolation, builds, __version__], order="sorted")).hexdigest()


def digest_of(folder: Path) -> str:
    """A hash of all files of a folder, as SHA-256 in hexadecimal. What belongs to no version is left out."""
    return version_of(BotSpec(name="", command=(), dir=str(folder), env={}), "")


def _version_in(folder: Path, entry: Entry, config_folder: Path) -> str:
    """The version that the entry has with the files in this folder."""
    copy = BotSpec(name=entry.name, command=entry.command, dir=str(folder), env=entry.env)
    return version_of(copy, str(config_folder), entry.build)


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


def make_read_only(folder: Path) -> None:
    """Let everybody read all of a folder, and nobody write into it any more. Raises OSError."""
    for path, _, files in os.walk(folder):
        for file in (os.path.join(path, name) for name in files):
            if not os.path.islink(file):
                os.chmod(file, 0o555 if os.stat(file).st_mode & stat.S_IXUSR else 0o444)
        os.chmod(path, _READ_ONLY_FOLDER)


def remove(folder: Path) -> None:
    """Remove a folder, also a read-only one; nothing where there is none. Raises OSError."""
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
