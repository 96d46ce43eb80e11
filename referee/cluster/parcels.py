"""What travels from the desk to the hosts: bots by their content, and all that a host has to know to start them.

A parcel is a folder as a stream of bytes, and is called by its hash. The files of a bot that is no entry are copied
first, so that what travels is what the run has in its books, whatever becomes of them meanwhile.
"""

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import protocol
import referee
from referee.cluster.hosts import PIECE_BYTES, Demands, Travelling, host_tag
from referee.cluster.streams import Stream
from referee.entries.entry import Entry
from referee.entries.shelf import BUILT, SOURCE, Shelf
from referee.entries.tree import KINDS, look_through
from referee.entries.versions import files_of, version_of
from referee.play.sandbox.paths import is_within
from referee.play.sandbox.readable_check import MOST_FILES
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config
from referee.tournament.config.variants import games

MOST_MB = 1024
"""The most that the files of one bot may come to."""

FILES, WORDS = "files", "words"
"""The folders of a parcel: the bot's own folder, and what words of its command name elsewhere."""


class CannotTravel(Exception):
    """A bot cannot be sent to hosts. The text names it, and says what to do."""


class Parcels:
    """All parcels of a run, and what it demands of hosts. `parcels_of` makes them."""

    def __init__(self, demands: Demands, streams: dict[str, Stream]) -> None:
        self.demands = demands
        self._streams = streams

    def piece(self, parcel: str, offset: int) -> bytes:
        """What stands in a parcel from this place on, up to PIECE_BYTES; empty at its end. Raises OSError."""
        return self._streams[parcel].read(offset, PIECE_BYTES)


@contextlib.contextmanager
def parcels_of(config: Config) -> Iterator[Parcels]:
    """The parcels of these bots, for the duration of the block. Entries must be on the shelf, and built.

    Raises CannotTravel, and OSError where there is no room for the bots' files.
    """
    with tempfile.TemporaryDirectory(prefix="golfref-parcels-") as temporary:
        packing = _Packing(config, Path(temporary))
        bots = tuple(packing.pack(bot) for bot in config.bots)
        yield Parcels(_demands(config, bots, packing.streams), packing.streams)


def rooms() -> dict[str, str]:
    """By folder of the referee's code, the hash of all modules in it, by which the same version is known."""
    found: dict[str, str] = {}
    for package in (protocol, referee):
        (top,) = map(Path, package.__path__)
        for folder in (top, *sorted(path for path in top.iterdir() if path.is_dir())):
            modules = sorted(folder.glob("*.py") if folder == top else folder.rglob("*.py"))
            digest = sha256()
            for path in modules:
                digest.update(b"%b\0%b" % (os.fsencode(path.relative_to(top)), sha256(path.read_bytes()).digest()))
            if modules:
                found[str(folder.relative_to(top.parent))] = digest.hexdigest()
    return found


def _demands(config: Config, bots: tuple[Travelling, ...], streams: dict[str, Stream]) -> Demands:
    options = [one.variant.options for one in config.variants]
    return Demands(
        python=sys.version_info[:2],
        rooms=rooms(),
        tag=host_tag(),
        isolation=config.isolation,
        needs_users=config.needs_users,
        limits=config.limits,
        builds=config.builds,
        start_s=config.clocks.start_s,
        seats=max(one.seats for one in config.variants),
        times_slaps=any(one.slaps and one.slap_order == "reaction" for one in options),
        games=games(config.variants),
        bots=bots,
        parcels={parcel: stream.size_bytes for parcel, stream in streams.items()},
    )


class _Packing:
    """Packs bots, one after the other."""

    def __init__(self, config: Config, temporary: Path) -> None:
        self._config, self._temporary = config, temporary
        self._shelf = Shelf(config.folder)
        self._entries = {entry.name: entry for entry in config.entries}
        self.streams: dict[str, Stream] = {}

    def pack(self, bot: BotSpec) -> Travelling:
        """Pack one bot. Raises CannotTravel."""
        if bot.builtin is not None:
            return Travelling(spec=bot, version=version_of(bot, self._config.folder))
        if (entry := self._entries.get(bot.name)) is not None:
            return self._entry(bot, entry)
        return self._folder(bot)

    def _entry(self, bot: BotSpec, entry: Entry) -> Travelling:
        place = self._shelf.place(entry.version)
        built = self._add(place / BUILT) if entry.build else ""
        return Travelling(spec=bot, version=entry.version, entry=entry, parcel=self._add(place / SOURCE), built=built)

    def _folder(self, bot: BotSpec) -> Travelling:
        """A bot that is no entry: its folder, and what its command names elsewhere."""
        version = version_of(bot, self._config.folder)
        into = Path(tempfile.mkdtemp(dir=self._temporary))
        words: dict[int, str] = {}
        for path, shown in files_of(bot, self._config.folder):
            self._copy(bot, path, into / _place(bot, shown, words))
        for place in (path for path in (into / FILES, into / WORDS) if path.is_dir()):
            if problems := look_through(str(place), most_mb=MOST_MB, most_files=MOST_FILES).problems:
                raise CannotTravel(f"bot `{bot.name}` cannot be sent to hosts: {problems[0]}")
        if version_of(bot, self._config.folder) != version:
            raise CannotTravel(f"the files of bot `{bot.name}` changed while they were copied; start again")
        parcel = self._add(into) if any(into.rglob("*")) else ""
        return Travelling(spec=bot, version=version, parcel=parcel, words=words)

    def _add(self, folder: Path) -> str:
        stream = Stream(folder)
        parcel = stream.digest()
        self.streams[parcel] = stream
        return parcel

    def _copy(self, bot: BotSpec, path: str, into: Path) -> None:
        if os.path.lexists(into):  # a word of the command names what lies in the bot's folder
            return
        into.parent.mkdir(parents=True, exist_ok=True)
        try:
            mode = os.lstat(path).st_mode
            if stat.S_ISLNK(mode):
                into.symlink_to(os.readlink(path))
            elif stat.S_ISREG(mode):
                shutil.copyfile(path, into, follow_symlinks=False)
                into.chmod(0o755 if mode & stat.S_IXUSR else 0o644)
            else:
                what = KINDS.get(stat.S_IFMT(mode), "no plain file")
                raise CannotTravel(f"bot `{bot.name}` cannot be sent to hosts: {path} is {what}; remove it")
        except PermissionError:
            raise CannotTravel(f"bot `{bot.name}` cannot be sent to hosts: {path} cannot be read") from None


def _place(bot: BotSpec, shown: str, words: dict[int, str]) -> str:
    """Where in the parcel a file lies; notes what a word of the command names there."""
    if not shown.startswith("/"):
        return os.path.join(FILES, shown)
    number, _, below = shown[1:].partition("/")
    word = os.path.normpath(os.path.join(bot.dir, bot.command[int(number)]))
    if is_within(word, bot.dir):
        place = os.path.join(FILES, os.path.relpath(word, bot.dir))
    else:
        place = os.path.join(WORDS, number, os.path.basename(word))
    words[int(number)] = place
    return os.path.join(place, below) if below else place
