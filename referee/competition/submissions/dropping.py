"""The folder into which archives and folders are dropped: what in it is whole, whose turn it is, where answers go.

    FOLDER/bot.zip          an archive that the organiser has put there
    FOLDER/OWNER/bot.zip    one of this owner; so FOLDER/OWNER/bot/, a folder
    FOLDER/OWNER/bot.txt    the answer
    FOLDER/done/            what has been answered

Owners can do what they like in their folders: no link is followed, and what changes meanwhile is taken again.
"""

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from referee.beneath import opened
from referee.competition.submissions.answers import file_of
from referee.entries.archive import stem_of
from referee.entries.tree import DEEPEST
from referee.play.isolation.paths import PATH

LOOK_S = 2.0
"""So long nothing may have changed in what is taken."""

PATIENCE_S = 60.0
"""An archive that is damaged is not answered before it has stayed so for this long: it may still be on its way."""

DONE = "done"
"""The folder for what has been answered. No owner can be called so."""

_KEPT = 20
"""So many answered archives and folders of each owner are kept, the latest ones."""

_MOST = 1000
"""So many things in a folder of an owner are looked at at once."""

_MOST_FOLDERS = 20
"""So many of them are folders; others have their turn when these have been answered."""

_MOST_BELOW = 10_000
"""At so many things within a folder it is looked whether they have changed."""

_UNDER_WAY = (".txt", ".part", ".partial", ".filepart", ".tmp", ".crdownload", ".new", "~")
"""How names end that are answers, or that programs give to files until they are whole."""

_LONGEST_NAME = 120
"""So many bytes of a name are kept when it is put away."""


class Drop(Struct, frozen=True, kw_only=True):
    """An archive or a folder that lies there."""

    owner: str
    """The name of the folder in which it lies; empty at the top."""
    name: str
    is_folder: bool
    signature: str
    """It changes with what is dropped."""
    changed: float
    """When it was changed last, in seconds since 1970."""

    @property
    def stem(self) -> str:
        """What it is called without the ending of an archive."""
        return self.name if self.is_folder else stem_of(self.name) or self.name


class DropFolder:
    """An open folder, into which nothing is written but answers and what has been answered."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd
        self._since: dict[tuple[str, str], tuple[str, float]] = {}
        """By owner and name the signature, and since when it has not changed."""
        self._held: dict[tuple[str, str], tuple[str, float]] = {}
        """What is not taken before a moment unless it changes."""
        self._turns: dict[str, int] = {}
        self._turn = 0

    def look(self, now: float) -> list[Drop]:
        """What is whole: it has not changed for LOOK_S. `now` is a time in seconds that only grows."""
        drops = list(self._drops())
        since = {}
        for drop in drops:
            key = drop.owner, drop.name
            signature, moment = self._since.get(key, ("", now))
            since[key] = (signature, moment) if signature == drop.signature else (drop.signature, now)
        self._since = since
        return [drop for drop in drops if now - since[drop.owner, drop.name][1] >= LOOK_S and self._is_due(drop, now)]

    def has_settled(self, drop: Drop, now: float) -> bool:
        """Whether it has not changed for so long that no more of it will come."""
        signature, moment = self._since.get((drop.owner, drop.name), ("", now))
        return signature == drop.signature and now - moment >= PATIENCE_S

    def hold(self, drop: Drop, until: float) -> None:
        """Do not take it again before this moment, unless it changes."""
        self._held[drop.owner, drop.name] = drop.signature, until

    def older(self, drops: list[Drop]) -> list[tuple[Drop, Drop]]:
        """Those of an owner of which there is a newer one of the same name, each with the newest."""
        newest: dict[tuple[str, str], Drop] = {}
        for drop in sorted(drops, key=lambda one: (one.changed, one.name)):
            newest[drop.owner, drop.stem] = drop
        return [(drop, newest[drop.owner, drop.stem]) for drop in drops if newest[drop.owner, drop.stem] is not drop]

    def next(self, drops: list[Drop]) -> Drop:
        """Whose turn it is: of the owner who has waited longest, what has waited longest."""
        drop = min(drops, key=lambda one: (self._turns.get(one.owner, 0), one.changed, one.owner, one.name))
        self._turn += 1
        self._turns[drop.owner] = self._turn
        return drop

    def open(self, drop: Drop) -> BinaryIO:
        """An archive to be read. Raises OSError."""
        with opened(drop.owner, self._fd) as there:
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
            return os.fdopen(os.open(drop.name, flags, dir_fd=there), "rb")

    def enter(self, drop: Drop) -> int:
        """A folder to be read, as a descriptor that the caller closes. Raises OSError."""
        with opened(drop.owner, self._fd) as there, opened(drop.name, there) as folder:
            return os.dup(folder)

    def is_unchanged(self, drop: Drop) -> bool:
        """Whether it is still what it was."""
        return any(one == drop for one in self._drops())

    def answer(self, drop: Drop, text: str, *, whole_name: bool = False) -> Path:
        """Put an answer beside it, in one step. Raises OSError."""
        name = file_of(drop.name if whole_name else drop.stem)
        beside = f".{name}.new"
        with opened(drop.owner, self._fd) as there:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=there)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(beside, flags, 0o644, dir_fd=there), "wb") as file:
                file.write(text.encode(errors="replace"))
            try:
                os.rename(beside, name, src_dir_fd=there, dst_dir_fd=there)
            except OSError:  # a folder of this name
                os.unlink(beside, dir_fd=there)
                raise
        return self.path / drop.owner / name

    def put_away(self, drop: Drop, number: str) -> None:
        """Move it to what has been answered, of which the oldest go. Raises OSError."""
        into = f"{DONE}/{drop.owner}" if drop.owner else f"{DONE}/.top"
        with opened(drop.owner, self._fd) as there, opened(into, self._fd, makes=True) as done:
            os.rename(drop.name, f"{number}-{_end_of(drop.name)}", src_dir_fd=there, dst_dir_fd=done)
            for name in sorted(os.listdir(done))[:-_KEPT]:
                if stat.S_ISDIR(os.stat(name, dir_fd=done, follow_symlinks=False).st_mode):
                    _remove(self.path / into / name)
                else:
                    os.unlink(name, dir_fd=done)

    def _is_due(self, drop: Drop, now: float) -> bool:
        signature, until = self._held.get((drop.owner, drop.name), ("", 0.0))
        return signature != drop.signature or now >= until

    def _drops(self) -> Iterator[Drop]:
        for name, about in _seen(self._fd):
            if stat.S_ISDIR(about.st_mode) and name != DONE:
                with contextlib.suppress(OSError), opened(name, self._fd) as there:
                    yield from (self._drop(name, inner, one, there) for inner, one in _few_folders(_seen(there)))
            elif stat.S_ISREG(about.st_mode):
                yield self._drop("", name, about, self._fd)

    def _drop(self, owner: str, name: str, about: os.stat_result, above: int) -> Drop:
        is_folder = stat.S_ISDIR(about.st_mode)
        signature = f"{about.st_ino} {about.st_size} {about.st_mtime_ns}"
        changed = about.st_mtime
        if is_folder:
            digest = sha256(signature.encode())
            for path, inner in _below(name, above):
                digest.update(f"{path!r} {inner.st_ino} {inner.st_size} {inner.st_mtime_ns} ".encode())
                changed = max(changed, inner.st_mtime)
            signature = digest.hexdigest()
        return Drop(owner=owner, name=name, is_folder=is_folder, signature=signature, changed=changed)


def _seen(folder: int) -> Iterator[tuple[str, os.stat_result]]:
    """Files and folders that may be submissions."""
    with os.scandir(folder) as found:
        for entry in islice(found, _MOST):
            name = entry.name
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                plain = stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)
                if plain and not name.startswith(".") and not name.lower().endswith(_UNDER_WAY):
                    yield name, about


def _below(name: str, above: int) -> Iterator[tuple[str, os.stat_result]]:
    """What lies in a folder, as far as it counts here."""
    left, waiting = _MOST_BELOW, [name]
    while waiting and left > 0:
        path = waiting.pop()
        with contextlib.suppress(OSError), opened(path, above) as fd, os.scandir(fd) as entries:
            for inner in sorted(entry.name for entry in islice(entries, left)):
                left -= 1
                with contextlib.suppress(OSError):
                    about = os.stat(inner, dir_fd=fd, follow_symlinks=False)
                    yield f"{path}/{inner}", about
                    if stat.S_ISDIR(about.st_mode) and path.count("/") < DEEPEST:
                        waiting.append(f"{path}/{inner}")


def _end_of(name: str) -> str:
    """The end of a name, which is short enough to have a number before it."""
    return os.fsdecode(os.fsencode(name)[-_LONGEST_NAME:])


def _few_folders(seen: Iterator[tuple[str, os.stat_result]]) -> Iterator[tuple[str, os.stat_result]]:
    """The same with no more folders than are looked through at once."""
    left = _MOST_FOLDERS
    for name, about in seen:
        left -= stat.S_ISDIR(about.st_mode)
        if left >= 0 or not stat.S_ISDIR(about.st_mode):
            yield name, about


def _remove(folder: Path) -> None:
    """Remove a folder of a stranger. What cannot be removed stays."""
    # shutil recurses before Python 3.13, and a stranger's folders lie in one another as deep as he likes.
    if tool := shutil.which("rm", path=PATH):
        command = [tool, "-rf", "--", str(folder.absolute())]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
