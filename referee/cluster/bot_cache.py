"""The bots that a host keeps from one run to the next, below its own folder, by content and by what they are built for.

    TAG/archives/HASH/         the files of a bot that is no entry
    TAG/.golfref/versions/     the store with the versions of entries

What is there is whole at any moment, and can only be read. It is held against its hash before each run. One process of
a host receives at a time, so that nothing is sent to it twice.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from referee import __version__, wall_clock
from referee.cluster.archives import BOUNDS, FILES
from referee.cluster.archives import digest_of as archive_of
from referee.cluster.messages import Demands, SentBot
from referee.lock_file import open_lock
from referee.play.spec import BotSpec, builtin_bot
from referee.versions.archive import unpack_tar
from referee.versions.entry import Entry
from referee.versions.files import BadFiles
from referee.versions.store import (
    BUILT,
    SOURCE,
    BuildResult,
    NotStored,
    VersionStore,
    conditions,
    digest_of,
    make_read_only,
    open_folder,
    remove,
)

_NEW = ".sent"
"""What the desk built, until it is whole."""

_POLL_INTERVAL_S = 0.1

HOST_FOLDER = "GOLFREF_HOST_FOLDER"
"""The variable of a host's environment that names the folder in which it keeps bots."""


def host_folder() -> Path:
    """Where this host keeps bots from one run to the next: what GOLFREF_HOST_FOLDER says, else in the user's cache."""
    if told := os.environ.get(HOST_FOLDER):
        return Path(told).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "golfref", "host").absolute()


class NotKept(Exception):
    """A bot cannot be kept here. The text names it, on one line."""


class BotCache:
    """The bots that this host keeps for runs with these demands. Methods raise OSError where the host cannot write."""

    def __init__(self, folder: Path, tag: str, demands: Demands) -> None:
        """`folder` is the host's own, and `tag` is what bots are built for here."""
        self.folder, self._tag, self._demands = folder / tag, tag, demands
        self.versions = VersionStore(self.folder)
        self._entries = [one.entry for one in demands.bots if one.entry is not None]

    @contextlib.contextmanager
    def alone(self, wait: Callable[[float], None]) -> Iterator[None]:
        """Be the only process that receives here. `wait` waits for so many seconds, and may raise."""
        self.folder.mkdir(parents=True, exist_ok=True)
        open_folder(self.folder / "archives")
        fd = open_lock(self.folder / "lock")
        try:
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                wait(_POLL_INTERVAL_S)
            for left_over in (self.folder / "archives").glob(".*"):  # of a process that was killed
                remove(left_over)
            yield
        finally:
            os.close(fd)

    def lacking(self) -> tuple[str, ...]:
        """The archives that are not here, or are not as they were sent. What is left of these is removed."""
        wanted = dict.fromkeys(archive for bot in self._demands.bots for archive in self._wanted(bot))
        found = tuple(archive for archive in wanted if not self._is_whole(archive))
        for archive in found:
            remove(self._place(archive))
        return found

    def _wanted(self, bot: SentBot) -> Iterator[str]:
        """The archives that must be in the folder of archives."""
        if bot.entry is None:
            yield from [bot.archive] * bool(bot.archive)
            return
        if not self.versions.is_whole(bot.entry):
            yield bot.archive
        if self._takes_built(bot) and not self._has_built(bot.entry):
            yield bot.built

    def _is_whole(self, archive: str) -> bool:
        place = self._place(archive)
        with contextlib.suppress(OSError):
            return place.is_dir() and archive_of(place)[0] == archive
        return False

    def _takes_built(self, bot: SentBot) -> bool:
        """Whether what the desk built is started here."""
        return bool(bot.built) and self._tag == self._demands.tag

    def _has_built(self, entry: Entry) -> bool:
        kept = self.versions.last_build(entry.version)
        in_cell = self._demands.confinement.isolation == "bwrap"
        is_there = kept is not None and kept.outcome == "built" and kept.in_cell == in_cell
        return is_there and self.versions.version_now(entry) == entry.version

    def receive(self, archive: str, pieces: Iterable[bytes]) -> None:
        """Take an archive in, and put it in its place. Raises NotKept where it is not what it should be."""
        name = self._demands.bot_of(archive)
        with tempfile.TemporaryFile(dir=self.folder) as spool:
            for piece in pieces:
                spool.write(piece)
            spool.seek(0)
            into = self.folder / "archives" / f".{archive}"  # alone: nobody else writes here now
            remove(into)
            try:
                unpack_tar(spool, into, BOUNDS)
            except BadFiles as error:
                raise NotKept(f"bot `{name}` cannot be unpacked: {error}") from None
            if archive_of(into)[0] != archive:
                remove(into)
                raise NotKept(f"the files of bot `{name}` are not what the desk sent: a bot that differs between hosts")
        make_read_only(into)
        into.rename(self._place(archive))

    def store_entries(self) -> None:
        """Put entries into the store of versions from their archives, which are removed then. Raises NotKept."""
        used = {bot.archive for bot in self._demands.bots if bot.entry is None}
        done: set[str] = set()
        for bot in self._demands.bots:
            if bot.entry is None:
                continue
            try:
                self.versions.add(replace(bot.entry, folder=str(self._place(bot.archive))))
            except NotStored as error:
                raise NotKept(f"bot `{bot.name}`: {error}") from None
            if self._takes_built(bot) and not self._has_built(bot.entry):
                self._put_built(bot.entry, self._place(bot.built))
            done |= {bot.archive, bot.built} - used
        for archive in done - {""}:
            remove(self._place(archive))

    def _put_built(self, entry: Entry, unpacked: Path) -> None:
        place = self.versions.folder_of(entry.version)
        for left_over in (place / BUILT, place / _NEW):
            remove(left_over)
        shutil.copytree(unpacked, place / _NEW, symlinks=True, copy_function=os.link)
        digest = digest_of(place / _NEW)
        make_read_only(place / _NEW)
        (place / _NEW).rename(place / BUILT)
        built = BuildResult(
            outcome="built",
            in_cell=self._demands.confinement.isolation == "bwrap",
            under=conditions(self._demands.confinement.isolation, self._demands.builds),
            golfref=__version__,
            when=wall_clock.now().isoformat(timespec="seconds"),
            seconds=0.0,
            digest=digest,
        )
        self.versions.keep_build(entry.version, built)

    def entries(self) -> list[Entry]:
        """The entries, as they lie in the store of versions here."""
        return [replace(one, folder=str(self.versions.folder_of(one.version) / SOURCE)) for one in self._entries]

    def bot(self, bot: SentBot) -> BotSpec:
        """The bot as it starts here. A shipped one is this installation's own; raises BadBot where it has none."""
        spec = bot.spec
        if spec.builtin is not None:
            here = builtin_bot(spec.builtin)
            return replace(spec, command=here.command, dir=here.dir, reads=here.reads)
        if bot.entry is not None:
            entry = replace(bot.entry, folder=str(self.versions.folder_of(bot.version) / SOURCE))
            return replace(self.versions.bot_of(entry), name=spec.name, owner=spec.owner)
        place = self._place(bot.archive or "none")
        files = place / FILES
        if not files.is_dir():
            files = place if place.is_dir() else self._empty()
        words = [self._word(bot, number, word, place) for number, word in enumerate(spec.command)]
        return replace(spec, command=tuple(words), dir=str(files), version=bot.version, cell=None)

    def _word(self, bot: SentBot, number: int, word: str, place: Path) -> str:
        """A word of the command, as it names here what it named at the desk."""
        found = bot.words.get(number)
        if found is None or (found.startswith(f"{FILES}/") and not word.startswith("/")):
            return word
        return str(place / found)

    def _empty(self) -> Path:
        """A folder for bots that have none of their own."""
        folder = self.folder / "archives" / "none"
        folder.mkdir(exist_ok=True)
        return folder

    def _place(self, archive: str) -> Path:
        return self.folder / "archives" / archive
