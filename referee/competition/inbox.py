"""The folder in which owners put archives. golfref moves one away before it reads it, and puts the answer in its place.

    FOLDER/bot.zip          an archive of the organiser
    FOLDER/OWNER/bot.zip    an archive of this owner
    FOLDER/OWNER/bot.txt    the answer
    FOLDER/.taken/OWNER/    the archive that golfref is reading
    FOLDER/done/OWNER/      the latest archives that were answered

Nothing is remembered: all that counts lies in these folders. Owners may change theirs at any moment, so no link is
followed, and golfref looks at the names and times of a bounded number of files.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct

from protocol.text import printable
from referee import wall_clock
from referee.beneath import opened
from referee.competition.answers import file_of
from referee.versions.files import is_left_out

UNTOUCHED_S = 10.0
"""An archive is taken when nobody has written to it or renamed it for so long."""

_TAKEN, _DONE = ".taken", "done"
_TOP = ".top"
"""The organiser's folder in these two. No owner has such a name."""

_MOST_FILES = 200
"""So many files in the folder of an owner are looked at."""

_KEPT = 20
"""So many answered archives of each owner are kept."""

_LEFT_ALONE = (".txt", ".part", ".partial", ".filepart", ".tmp", ".crdownload", ".new", "~")
"""The names of answers, and of files that are still being copied, end so."""

_LONGEST_NAME_BYTES = 120
"""The end of a name that is kept when an archive has been answered."""


class InboxItem(Struct, frozen=True, kw_only=True):
    """An archive that golfref has taken."""

    owner: str
    """The owner in whose folder it lay; empty: the organiser's."""
    name: str
    path: Path
    """Its path now. Only golfref can write there."""

    @property
    def shown(self) -> str:
        """Its path in the inbox, as people may read it."""
        return printable(f"{self.owner}/{self.name}" if self.owner else self.name, 200)


class Inbox:
    """An open inbox. Methods raise OSError."""

    def __init__(self, path: Path, fd: int, age: Callable[[int], float] = wall_clock.seconds_since) -> None:
        """`age` returns the seconds since a time of a file in nanoseconds."""
        self.path, self._fd, self._age = path, fd, age
        for name in (_TAKEN, _DONE):  # owners must not get at the archives of others
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=fd)

    def owners(self) -> list[str]:
        """The owners who have a folder, after the organiser, who has no name."""
        with os.scandir(self._fd) as found:
            folders = [entry.name for entry in found if entry.is_dir(follow_symlinks=False)]
        return ["", *sorted(name for name in folders if name != _DONE and not name.startswith("."))]

    def next_item(self, owner: str) -> InboxItem | None:
        """The archive of this owner that was taken before, or the oldest that nobody has touched for UNTOUCHED_S."""
        into = f"{_TAKEN}/{owner or _TOP}"
        with (
            opened(owner, self._fd) as there,
            opened(into, self._fd, makes=True) as taken,
            opened(f"{_DONE}/{owner or _TOP}", self._fd, makes=True),  # nothing is taken that could not be put away
        ):
            if not (found := sorted(_files(taken))):
                # The server of a network's folder may have another time.
                waiting = [(at, name) for at, name in _files(there) if abs(self._age(at)) >= UNTOUCHED_S]
                for _, name in sorted(waiting)[:1]:
                    os.rename(name, name, src_dir_fd=there, dst_dir_fd=taken)
                found = sorted(_files(taken))  # without what its owner has put in its place meanwhile
        return next((InboxItem(owner=owner, name=name, path=self.path / into / name) for _, name in found), None)

    def answer(self, owner: str, entry: str, text: str) -> None:
        """Put an answer about this entry into the folder of an owner, in one step."""
        name = file_of(entry)
        beside = f".{name}.new"
        with opened(owner, self._fd) as there:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=there)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            try:
                with open(os.open(beside, flags, 0o644, dir_fd=there), "wb") as file:
                    file.write(text.encode(errors="replace"))
                os.rename(beside, name, src_dir_fd=there, dst_dir_fd=there)
            except OSError:  # a full disk, or a folder of this name
                with contextlib.suppress(OSError):
                    os.unlink(beside, dir_fd=there)
                raise

    def put_away(self, item: InboxItem, number: str) -> None:
        """Move an archive that was answered to the others, of which the oldest go. `number` is unique, and grows."""
        name = f"{number}-{os.fsdecode(os.fsencode(item.name)[-_LONGEST_NAME_BYTES:])}"
        whose = item.owner or _TOP
        with opened(f"{_TAKEN}/{whose}", self._fd) as taken, opened(f"{_DONE}/{whose}", self._fd) as done:
            os.rename(item.name, name, src_dir_fd=taken, dst_dir_fd=done)
            for older in sorted(os.listdir(done))[:-_KEPT]:
                with contextlib.suppress(OSError):
                    os.unlink(older, dir_fd=done)


def _files(folder: int) -> Iterator[tuple[int, str]]:
    """The files that may be archives, each with the time of its last change in nanoseconds, which no owner can set."""
    with os.scandir(folder) as found:
        for entry in islice(found, _MOST_FILES):
            name = entry.name
            if name.startswith(".") or is_left_out(name) or name.lower().endswith(_LEFT_ALONE):
                continue
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(about.st_mode):
                    yield about.st_ctime_ns, name
