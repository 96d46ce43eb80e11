"""Takes new versions up between the rounds of a ladder, while it goes on.

Nothing that is wrong with them ends it. An entry of which the new version cannot be read, built or started goes on with
the version that plays, which is still on the shelf; any other such bot leaves until it is put right.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from referee import wall_clock
from referee.commands.announcement import failure_lines
from referee.commands.console import say
from referee.commands.interrupt import Signals
from referee.entries.entry import Entry
from referee.entries.shelf import Shelf
from referee.play.faults import HostFault
from referee.play.sandbox.levels import check_cells
from referee.play.sandbox.problems import find_problem
from referee.play.sandbox.readable_check import Unfit
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config, ConfigError, Survey, check_ready, survey
from referee.tournament.config.traces import Trace, newest_ns, traces
from referee.tournament.formats.table import traits_of
from referee.tournament.run.run import greet_all
from referee.tournament.store.facts import config_facts
from referee.tournament.store.rows import KeptOut
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words

SETTLED_S = 2.0
"""Files that changed more recently than this are perhaps still being copied: the next round looks again."""


class NotTakenUp(Exception):
    """What lies there now cannot be played. The lines say why."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


class Newcomers:
    """Looks between rounds whether the config, its entries or the files of its bots have changed, and takes them up."""

    def __init__(self, config: Config, store: Path, with_options: Callable[[Config], Config], signals: Signals) -> None:
        """`config` is what plays in this store, and what lies there now is taken for it.

        `with_options` makes of what the config's file says what is played, as the command line has it.
        """
        self.came = False
        """Whether something has changed that has not been taken up."""
        self.legs = 0
        """How often the ladder has rested for what changed."""
        self.start_s: float | None = None
        """How long a bot took to start, once that was measured."""
        self.notes: tuple[KeptOut, ...] = ()
        """What the history is to tell of those who are kept out now."""
        self._file, self._store, self._with_options, self._signals = config.file, store, with_options, signals
        self._config = config
        self._aside: dict[str, BotSpec] = {}
        """Bots that are no entries and cannot play, by name."""
        self._seen = self._traces()
        self._told = set[str]()

    def begins_with(self, config: Config) -> None:
        """Note that this is what plays at first after all."""
        self._config = config
        self._seen = self._traces()

    def look(self) -> bool:
        """Whether something has changed since the last look that is not changing still."""
        found = self._traces()
        self.came = found != self._seen and _is_settled(found)
        if self.came:
            self._seen = found
        return self.came

    def config(self) -> Config:
        """What is to be played from now on: all that can play of what lies there, and the rest as it was.

        What is wrong is told, each line once. Raises NotTakenUp, and Interrupted.
        """
        self.came = False
        playing = self._config
        try:
            found, unfit = survey(self._file), dict[str, tuple[str, ...]]()
            if found.rest is None:
                unfit = self._unfit()
                found = survey(self._file, without=frozenset(unfit))
            wanted = found.rest
            if wanted is None:
                raise NotTakenUp(found.lines)
            wanted = self._with_options(wanted)
            if wanted.needs_users:
                check_cells(of_strangers=True)
            stay = unfit | {one.name: one.lines for one in found.entrants.broken}
            stay |= self._not_ready(wanted)
            config = _with_former(wanted, playing, stay, found)
            check_ready(config)
            stay |= self._not_starting(config, playing)
            stay |= self._not_qualified(_with_former(wanted, playing, stay, found))
            config = _with_former(wanted, playing, stay, found)
            _check_enough(config)
            config = config.with_cells()
        except ConfigError as error:
            raise NotTakenUp(error.lines) from None
        except (HostFault, Unfit) as error:
            raise NotTakenUp([str(error)]) from None
        for name, lines in stay.items():
            self._tell(lines, _what_becomes(name, config))
        own = {bot.name: bot for bot in (*self._own(), *wanted.bots) if not bot.entry}
        self._aside = {name: own[name] for name in stay if name in own}
        self._config = config
        return config

    def goes_back(self, config: Config, lines: Sequence[str]) -> None:
        """Note that what lies there cannot be taken up after all, and tell why."""
        self._config = config
        self._tell(lines, "the ladder goes on as it was")

    def _own(self) -> tuple[BotSpec, ...]:
        """The bots that are no entries, those that cannot play among them."""
        return (*(bot for bot in self._config.bots if not bot.entry), *self._aside.values())

    def _traces(self) -> frozenset[Trace]:
        """What lies there now of all that may play, or may do so again once it is put right."""
        return traces(replace(self._config, bots=(*self._config.bots, *self._aside.values())))

    def _unfit(self) -> dict[str, tuple[str, ...]]:
        """By name, why bots that are no entries cannot be started any more from what lies in their folders."""
        found = ((bot.name, find_problem(bot, self._config.isolation)) for bot in self._own())
        return {name: (f"bot {name}: {problem}",) for name, problem in found if problem is not None}

    def _not_ready(self, config: Config) -> dict[str, tuple[str, ...]]:
        """Put entries on the shelf and build them; returns by name why some cannot play."""
        if not config.entries:
            return {}
        from referee.competition.builder import builder_for  # noqa: PLC0415 - only entries are built

        builder = builder_for(config, say)
        with self._signals.held():
            not_ready = builder.ready(config.entries, check=self._signals.check)
        return {one.name: tuple(one.told()) for one in not_ready}

    def _not_starting(self, config: Config, playing: Config) -> dict[str, tuple[str, ...]]:
        """Start each bot once that is new or another version; returns by name why some did not start."""
        had = {bot.name: bot.version for bot in config_facts(playing).bots}
        now = {bot.name: bot.version for bot in config_facts(config).bots}
        new = tuple(bot for bot in config.bots if bot.builtin is None and had.get(bot.name) != now[bot.name])
        if not new:
            return {}
        with self._signals.held():
            greeted = greet_all(replace(config, bots=new), self._signals.check)
        return {one.bot.name: tuple(failure_lines(one)) for one in greeted if one.mishap is not None}

    def _not_qualified(self, config: Config) -> dict[str, tuple[str, ...]]:
        """Check and try newcomers where they must qualify; returns by name why some are kept out."""
        self.notes = ()
        if config.qualify is None:
            return {}
        from referee.competition.qualifying import qualified  # noqa: PLC0415 - a ladder without it starts sooner

        with self._signals.held():
            found = qualified(config, self._store, fresh=False, tell=self._say)
        self.notes = found.notes
        return {one.bot: tuple(in_words(one)) for one in found.kept_out}

    def _say(self, line: str) -> None:
        """Say a line, once."""
        if line not in self._told:
            self._told.add(line)
            say(line)

    def _tell(self, lines: Sequence[str], what: str) -> None:
        """Tell what is wrong and what becomes of it, once."""
        for line in (*lines, what):
            self._say(line)


def playing_in(path: Path, file: Path, with_options: Callable[[Config], Config]) -> Config | None:
    """What a ladder in this store was played with, as far as its entries are still on the shelf.

    None where there is no ladder in it. Raises ConfigError where nothing can be made of the config.
    """
    if not path.exists():
        return None
    with closing(Store.open(path)) as store:
        facts = store.meta().facts
    found = survey(file)
    if not traits_of(facts.format).is_endless or found.rest is None:
        return None
    config = with_options(found.rest)
    shelf = Shelf(config.folder)
    kept = (_kept(shelf, bot.version, bot.name, bot.owner) for bot in facts.bots if bot.name in config.tables)
    entries = tuple(entry for entry in kept if entry is not None)
    bots = (*(bot for bot in config.bots if not bot.entry), *(shelf.bot(entry) for entry in entries))
    return replace(config, bots=bots, entries=entries)


def _kept(shelf: Shelf, version: str, name: str, owner: str) -> Entry | None:
    """A version on the shelf as the entry of this name; what is kept of it names who was the first to have it."""
    entry = shelf.kept(version)
    return None if entry is None else replace(entry, name=name, owner=owner)


def _is_settled(found: frozenset[Trace]) -> bool:
    return not 0 <= wall_clock.seconds_since(newest_ns(found)) <= SETTLED_S


def _with_former(wanted: Config, playing: Config, stay: Mapping[str, Sequence[str]], found: Survey) -> Config:
    """The config in which these bots stay as they play; who does not play yet, or has no version left, is out."""
    shelf = Shelf(wanted.folder)
    former = {bot.name: bot for bot in playing.bots if bot.name in stay and bot.entry and shelf.kept(bot.version)}
    entered = [one.name for one in found.entrants.all]
    bots = {bot.name: bot for bot in wanted.bots if bot.name not in stay} | former
    entries = {entry.name: entry for entry in wanted.entries if entry.name not in stay}
    for bot in former.values():
        if (entry := _kept(shelf, bot.version, bot.name, bot.owner)) is not None:
            entries[bot.name] = entry
    return replace(
        wanted,
        anchor=wanted.anchor if wanted.anchor in bots else None,
        bots=tuple(bots[name] for name in entered if name in bots),
        entries=tuple(entries[name] for name in entered if name in entries),
    )


def _check_enough(config: Config) -> None:
    """Raise NotTakenUp where too few bots are left."""
    seats = max(one.seats for one in config.variants)
    if len(config.bots) < seats:
        raise NotTakenUp([f"{seats} bots sit at a table, but only {len(config.bots)} of those that lie there can play"])


def _what_becomes(name: str, config: Config) -> str:
    if any(bot.name == name for bot in config.bots):
        return f"`{name}` goes on with the version that plays"
    return f"`{name}` does not play until that is put right"
