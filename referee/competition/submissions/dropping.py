"""The folder into which archives and folders are dropped: whose turn it is, what of it is whole, where answers go.

    FOLDER/bot.zip          an archive that the organiser has put there
    FOLDER/OWNER/bot.zip    one of this owner; so FOLDER/OWNER/bot/, a folder
    FOLDER/OWNER/bot.txt    the answer
    FOLDER/done/            what has been answered

Owners can do what they like in their folders: no link is followed, what changes meanwhile is taken again, and a look
at the folder of one owner costs a bounded time.
"""

import contextlib
import os
import shutil
import stat
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from protocol.text import folded
from referee.beneath import opened
from referee.competition.submissions.answers import file_of
from referee.play.sandbox.paths import PATH
from referee.versions.archive import stem_of, without_copy_marks
from referee.versions.files import is_left_out

POLL_INTERVAL_S = 2.0
"""So long nothing may have changed in what is taken."""

PATIENCE_S = 60.0
"""An archive that is damaged is not answered before it has stayed so for this long: it may still be on its way."""

DONE = "done"
"""The folder for what has been answered. No owner can be called so."""

_KEPT = 20
"""So many answered archives and folders of each owner are kept, the latest ones."""

_MOST = 1000
"""So many things in a folder of an owner are looked at at once. Of the folders among them it is one."""

_MOST_BELOW = 10_000
"""At so many things within a folder it is looked whether they have changed."""

_DEEPEST = 32
"""So many folders within each other are looked into."""

_REMOVING_S = 5.0
"""So long it may take to remove what was answered; the rest is removed the next time."""

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
        """What the entry is called."""
        return without_copy_marks(self.name if self.is_folder else stem_of(self.name) or self.name)


class Due(Struct, frozen=True, kw_only=True):
    """What is to be taken."""

    drop: Drop
    older: tuple[Drop, ...]
    """What its owner has put there under the same name before."""


class _Seen(Struct, kw_only=True):
    """What is known of something that lies there."""

    signature: str
    since: float
    """When it was first seen as it is."""
    until: float = 0.0
    """It is not taken before this moment."""


class DropFolder:
    """An open folder, into which nothing is written but answers and what has been answered."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd
        self._seen: dict[str, dict[str, _Seen]] = {}
        """By owner and name."""
        self._looks: Counter[str] = Counter()
        self._turns: dict[str, int] = {}
        self._turn = 0

    def owners(self) -> list[str]:
        """Whose folders there are, who has waited longest first; the top, which is the organiser's, has no name."""
        found = [name for name, about in _plain(self._fd) if stat.S_ISDIR(about.st_mode) and name != DONE]
        return sorted(["", *found], key=lambda owner: (self._turns.get(owner, 0), owner))

    def look(self, owner: str, now: float) -> Due | None:
        """What of this owner has waited longest of all that is whole: it has not changed for POLL_INTERVAL_S.

        Of several of one name it is the newest. `now` is a time in seconds that only grows.
        """
        alike: dict[str, list[Drop]] = {}
        with contextlib.suppress(OSError):
            for drop in sorted(self._whole(owner, now), key=lambda one: (one.changed, one.name)):
                alike.setdefault(folded(drop.stem), []).append(drop)
        due = [drops for drops in alike.values() if now >= self._seen[owner][drops[-1].name].until]
        if not due:
            return None
        *older, newest = min(due, key=lambda drops: (drops[-1].changed, drops[-1].name))
        return Due(drop=newest, older=tuple(older))

    def had_turn(self, owner: str) -> None:
        """Let all other owners have theirs first."""
        self._turn += 1
        self._turns[owner] = self._turn

    def has_settled(self, drop: Drop, now: float) -> bool:
        """Whether it has not changed for so long that no more of it will come."""
        seen = self._seen[drop.owner][drop.name]
        return seen.signature == drop.signature and now - seen.since >= PATIENCE_S

    def hold(self, drop: Drop, until: float) -> None:
        """Do not take it again before this moment, unless it changes."""
        self._seen[drop.owner][drop.name].until = until

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
        """Whether it is still what it was. Raises OSError."""
        with opened(drop.owner, self._fd) as there:
            about = os.stat(drop.name, dir_fd=there, follow_symlinks=False)
            return _drop(drop.owner, drop.name, about, there) == drop

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

    def put_away(self, drops: Sequence[Drop], number: str) -> None:
        """Move these of one owner to what has been answered, of which the oldest go. Raises OSError."""
        owner = drops[0].owner
        into = f"{DONE}/{owner}" if owner else f"{DONE}/.top"
        with opened(owner, self._fd) as there, opened(into, self._fd, makes=True) as done:
            for turn, drop in enumerate(drops):
                name = f"{number}-{f'{turn}-' if turn else ''}{_end_of(drop.name)}"
                os.rename(drop.name, name, src_dir_fd=there, dst_dir_fd=done)
            for name in sorted(os.listdir(done))[:-_KEPT]:
                if stat.S_ISDIR(os.stat(name, dir_fd=done, follow_symlinks=False).st_mode):
                    if not _remove(self.path / into / name):
                        break
                else:
                    os.unlink(name, dir_fd=done)

    def _whole(self, owner: str, now: float) -> Iterator[Drop]:
        """What has not changed for POLL_INTERVAL_S."""
        known = self._seen.get(owner, {})
        self._seen[owner] = {}
        with opened(owner, self._fd) as there:
            plain = list(_plain(there, _MOST))
            folders = sorted(name for name, about in plain if owner and stat.S_ISDIR(about.st_mode))
            chosen = folders[self._looks[owner] % len(folders)] if folders else ""
            self._looks[owner] += 1
            for name, about in plain:
                if stat.S_ISDIR(about.st_mode) and name != chosen:
                    if name in known:
                        self._seen[owner][name] = known[name]
                    continue
                drop = _drop(owner, name, about, there)
                seen = known.get(name)
                if seen is None or seen.signature != drop.signature:
                    seen = _Seen(signature=drop.signature, since=now)
                self._seen[owner][name] = seen
                if now - seen.since >= POLL_INTERVAL_S:
                    yield drop


def _drop(owner: str, name: str, about: os.stat_result, above: int) -> Drop:
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


def _plain(folder: int, most: int | None = None) -> Iterator[tuple[str, os.stat_result]]:
    """Files and folders that may be submissions, among as many things that lie there."""
    with os.scandir(folder) as found:
        for entry in islice(found, most):
            name = entry.name
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                plain = stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)
                is_none = name.startswith(".") or is_left_out(name) or name.lower().endswith(_UNDER_WAY)
                if plain and not is_none:
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
                    if stat.S_ISDIR(about.st_mode) and path.count("/") < _DEEPEST:
                        waiting.append(f"{path}/{inner}")


def _end_of(name: str) -> str:
    """The end of a name, which is short enough to have a number before it."""
    return os.fsdecode(os.fsencode(name)[-_LONGEST_NAME:])


def _remove(folder: Path) -> bool:
    """Remove a folder of a stranger; returns whether that was tried to its end. What cannot be removed stays."""
    # shutil recurses before Python 3.13, and a stranger's folders lie in one another as deep as he likes.
    if tool := shutil.which("rm", path=PATH):
        command = [tool, "-rf", "--", str(folder.absolute())]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_REMOVING_S)
        except subprocess.TimeoutExpired:
            return False
    return True
