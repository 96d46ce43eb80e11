"""A version from the shelf becomes the entry, in one step that whoever comes next finishes if this process is killed.

First the new folder is made beside the older one, under a name that no pattern finds. Then `.golfref/placing.json`
says what is to be done: from then on the new version has won. The folders change names in one step (renameat2 with
RENAME_EXCHANGE; renamex_np on macOS), so that a run which loads the config at any moment finds one of them. Where a
file system cannot do that, the older one is renamed away first.
"""

import os
import shutil
import stat
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.competition.exchange import exchange
from referee.competition.history import Submission, add
from referee.entries.owners import keep_owner
from referee.entries.shelf import OPEN_FOLDER, SOURCE, Shelf, remove, write_whole
from referee.entries.versions import version_of
from referee.play.spec import BotSpec

_JOURNAL = "placing.json"
_STAGING = "staging"
"""The file that names the folder which is being made."""

_ASIDE = "set-aside"
"""The folder for what stood in place and is not kept on the shelf."""


class Placement(Struct, frozen=True, kw_only=True):
    """What is to be done."""

    place: str
    """Absolute path of the entry's folder."""
    inode: int
    """The number of the new folder, by which it is known wherever it is."""
    before: str
    """The version that stood there; empty where there was none, or one that could not be read."""
    owner: str
    """Whose it is where bot.toml does not say the same; else empty."""
    lines: tuple[Submission, ...]
    """What is told of it."""

    @property
    def staged(self) -> Path:
        """Where the new folder lies before."""
        return beside(Path(self.place), ".new")

    @property
    def older(self) -> Path:
        """Where the older folder lies for a moment, where folders cannot change names in one step."""
        return beside(Path(self.place), ".old")


def beside(place: Path, ending: str) -> Path:
    """A name beside an entry that is none of an entry."""
    return place.with_name(f".{place.name}{ending}")


def stage(shelf: Shelf, version: str, place: Path) -> int:
    """Make a copy of a version beside the place of an entry, and return its number. Raises OSError."""
    staged = beside(place, ".new")
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(shelf.folder / _STAGING, os.fsencode(staged))
    remove(staged)
    try:
        shutil.copytree(shelf.place(version) / SOURCE, staged, symlinks=True, copy_function=_copy)
    except _NotCopied as failed:
        raise failed.error from None
    for path, _, names in os.walk(staged):
        os.chmod(path, OPEN_FOLDER)
        for name in names:
            inner = os.path.join(path, name)
            mode = os.lstat(inner).st_mode
            if stat.S_ISREG(mode):
                os.chmod(inner, 0o755 if mode & stat.S_IXUSR else 0o644)
    return staged.stat().st_ino


class _NotCopied(Exception):
    """What ends a copy at once: `copytree` goes on after errors of the system."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error


def _copy(source: str, target: str) -> None:
    try:
        shutil.copy(source, target)
    except OSError as error:
        raise _NotCopied(error) from None


def begin(shelf: Shelf, placement: Placement) -> None:
    """Decide that this is done. Raises OSError, and then nothing has changed."""
    path = shelf.folder / _JOURNAL
    write_whole(path, msgspec.json.encode(placement))
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def finish(shelf: Shelf) -> Placement | None:
    """Do what has been decided, be it by a process that was killed. None where there was nothing. Raises OSError."""
    path = shelf.folder / _JOURNAL
    try:
        placement = msgspec.json.decode(path.read_bytes(), type=Placement)
    except (FileNotFoundError, NotADirectoryError):
        _unstage(shelf)
        return None
    except (msgspec.MsgspecError, ValueError):  # the machine went down before it was on the disk
        path.unlink()
        _unstage(shelf)
        return None
    place = Path(placement.place)
    if _put(placement, place):
        keep_owner(shelf, place.name, placement.owner)
        for line in placement.lines:
            add(shelf, line)
    for rest in (placement.staged, placement.older):
        _clear(shelf, rest, placement)
    path.unlink()
    _unstage(shelf)
    return placement


def _unstage(shelf: Shelf) -> None:
    """Remove the folder that was being made, if it is still there."""
    try:
        staged = Path(os.fsdecode((shelf.folder / _STAGING).read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return
    if staged.name.startswith(".") and staged.name.endswith(".new"):
        remove(staged)
    (shelf.folder / _STAGING).unlink()


def _put(placement: Placement, place: Path) -> bool:
    """Whether the new folder is in its place now; it is not if somebody has removed it."""
    if _number(place) == placement.inode:
        return True
    if _number(placement.staged) != placement.inode:
        return False
    if not os.path.lexists(place):
        os.rename(placement.staged, place)
    elif not exchange(placement.staged, place):
        remove(placement.older)
        os.rename(place, placement.older)
        os.rename(placement.staged, place)
    return True


def _clear(shelf: Shelf, rest: Path, placement: Placement) -> None:
    """Remove what stood in place if the shelf has it, and set it aside otherwise."""
    if rest.is_symlink():
        rest.unlink()
    elif rest.is_dir():
        if _number(rest) == placement.inode or _is_kept(shelf, rest, placement.before):
            remove(rest)
        else:
            aside = shelf.folder / _ASIDE
            aside.mkdir(exist_ok=True)
            shutil.move(rest, aside / f"{Path(placement.place).name}-{placement.lines[0].id}")


def _is_kept(shelf: Shelf, folder: Path, version: str) -> bool:
    """Whether a folder is just what the shelf has as this version."""
    kept = shelf.kept(version) if version else None
    if kept is None:
        return False
    bot = BotSpec(name=kept.name, command=kept.command, dir=str(folder), env=kept.env)
    return version_of(bot, str(shelf.folder.parent), kept.build) == version


def _number(path: Path) -> int | None:
    """The number of what is there itself, not of what a link leads to."""
    try:
        return path.lstat().st_ino
    except (FileNotFoundError, NotADirectoryError):
        return None
