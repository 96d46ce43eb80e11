"""Who takes part in a run: its entries are stored and built, and its bots qualify.

A run that begins needs all of them. A ladder that has begun goes on whatever is wrong with a bot: an entry of which the
new version cannot be read, built or started, or has not qualified, plays on with the version that is in the run, as
long as that is stored. Any other such bot is left out until it is put right.
"""

import os
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from referee import wall_clock
from referee.commands.console import say
from referee.commands.interrupt import Signals
from referee.commands.tournament.announcement import failure_lines
from referee.commands.tournament.options import TournamentOptions
from referee.errors import CHECK_FAILED, GolfrefError
from referee.play.greeting import Greeted
from referee.play.sandbox.levels import check_cells
from referee.play.sandbox.problems import find_problem
from referee.play.spec import BotSpec
from referee.tournament.config.config import Config, ConfigError, Survey, check_ready, load, survey
from referee.tournament.config.run_config import RunConfig
from referee.tournament.config.traces import Trace, newest_ns, traces
from referee.tournament.run.run import greet_all
from referee.tournament.store.rows import KeptOut
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words
from referee.versions.entry import Entry
from referee.versions.store import VersionStore
from referee.versions.version import version_of

if TYPE_CHECKING:
    from referee.competition.qualify import Qualified
    from referee.versions.ready import NotReady

SETTLED_S = 2.0
"""Files that changed more recently than this are perhaps still being copied: the next round looks again."""

MANY_BOTS = 16
"""To start each of so many bots takes a while, so golfref prints that it does."""

Reasons = dict[str, tuple[str, ...]]
"""By the name of a bot, why it cannot play, in lines."""


class CannotPlay(GolfrefError):
    """Some bots cannot play, and why is printed already. The text says what that means for the run."""

    exit_code = CHECK_FAILED


class Participants(Struct, frozen=True, kw_only=True):
    """Who takes part."""

    config: Config
    """The config with those who take part, each with its version."""
    notes: tuple[KeptOut, ...] = ()
    """The lines for the run's history about bots that do not take part."""


class Registrar:
    """Settles who takes part: when the command begins, and again whenever a ladder takes up what changed."""

    def __init__(self, options: TournamentOptions, signals: Signals) -> None:
        self.has_changed = False
        """True if a look found a change, and nothing was settled since."""
        self._options, self._signals = options, signals
        self._started: dict[str, Greeted] = {}
        """By name, the bot that started last under it."""
        self._watched: Config | None = None
        self._seen = frozenset[Trace]()
        self._said = set[str]()

    def settle(self, start_hooks: Callable[[Config, Path], None]) -> Participants:
        """Who takes part as the command begins. Raises ConfigError, HostFault, CannotPlay and Interrupted."""
        options, began_s = self._options, wall_clock.now().timestamp()
        ladder = None if options.fresh or options.dry_run else _ladder_in(options.path)
        if ladder is not None and (found := survey(options.config)).rest is not None:
            start_hooks(found.rest, options.path)
            return self._going_on(found, ladder, began_s)
        config = load(options.config)
        if not options.dry_run:
            start_hooks(config, options.path)
        config = _with_versions(options.applied_to(config))
        if config.traits.is_endless:
            self._watch(config, began_s)
        not_ready = self._not_ready(config)
        say(*(line for one in not_ready for line in one.told()))
        lost = {one.name for one in not_ready}
        check_ready(config.only([bot.name for bot in config.bots if bot.name not in lost]))
        if lost and config.qualify is None:
            raise CannotPlay("an entry could not be built; nothing was played")
        if (qualified := self._qualified(config, say, fresh=options.fresh, not_ready=not_ready)) is None:
            return Participants(config=config)
        return Participants(config=qualified.config, notes=qualified.notes)

    def settle_again(self) -> Participants:
        """Who takes part as a ladder goes on. Raises ConfigError, HostFault and Interrupted."""
        self.has_changed, began_s = False, wall_clock.now().timestamp()
        ladder = _ladder_in(self._options.path)
        if ladder is None:
            raise RuntimeError("a run that is no ladder takes nothing up")
        return self._going_on(survey(self._options.config), ladder, began_s)

    def look(self) -> bool:
        """True if the config, its entries or the files of its bots changed since the last look, and are at rest now."""
        if self._watched is None:
            return False
        found = traces(self._watched)
        self.has_changed = found != self._seen and not 0 <= wall_clock.seconds_since(newest_ns(found)) <= SETTLED_S
        if self.has_changed:
            self._seen = found
        return self.has_changed

    def start(self, config: Config, bots: Sequence[BotSpec]) -> list[Greeted]:
        """Start each of these bots once, unless this version of it has started already. Returns those that failed."""
        new = [bot for bot in bots if not self._has_started(bot)]
        if len(new) >= MANY_BOTS:
            say(f"starting each of the {len(new)} bots once")
        with self._signals.held():
            greeted = greet_all(replace(config, bots=tuple(new)), self._signals.check) if new else []
        self._started |= {one.bot.name: one for one in greeted if one.mishap is None}
        return [one for one in greeted if one.mishap is not None]

    @property
    def start_s(self) -> float:
        """How many seconds a bot took to start, on average."""
        return sum(one.start_s for one in self._started.values()) / max(1, len(self._started))

    def say_once(self, *lines: str) -> None:
        """Print the lines that have not been printed before."""
        for line in lines:
            if line not in self._said:
                self._said.add(line)
                say(line)

    def _going_on(self, found: Survey, ladder: RunConfig, began_s: float) -> Participants:
        """Who takes part in a ladder that has begun. Raises ConfigError and HostFault where it cannot go on so."""
        out: Reasons = {}
        if found.frame is not None:
            self._watch(found.frame, began_s)
            out = _unfit(found.frame)
        if found.rest is None and out:
            found = survey(self._options.config, without=frozenset(out))
        if found.rest is None:
            raise ConfigError(found.lines)
        wanted = _with_versions(self._options.applied_to(found.rest))
        if wanted.needs_users:
            check_cells(of_strangers=True)
        can_play = _LadderBots(wanted, ladder, [one.name for one in found.entrants.all])
        out |= {one.name: one.lines for one in found.entrants.broken}
        out |= {one.name: tuple(one.told()) for one in self._not_ready(wanted)}
        check_ready(can_play.without(out))
        out |= self._not_starting(can_play.without(out), ladder)
        qualified = self._qualified(can_play.without(out), self.say_once, fresh=False)
        if qualified is not None:
            out |= {one.bot: tuple(in_words(one)) for one in qualified.kept_out}
        config = can_play.without(out)
        _check_enough(config)
        playing = {bot.name for bot in config.bots}
        for name, lines in out.items():
            self.say_once(*lines, (_PLAYS_ON if name in playing else _LEFT_OUT).format(name))
        return Participants(config=config, notes=() if qualified is None else qualified.notes)

    def _watch(self, config: Config, began_s: float) -> None:
        """Look from now on whether this config, its entries or the files of its bots change.

        What changed after it began to be read, in seconds since 1970, counts as a change.
        """
        self._watched = config
        self._seen = frozenset(trace for trace in traces(config) if trace[2] < began_s * 1e9)

    def _not_ready(self, config: Config) -> "tuple[NotReady, ...]":
        """Store entries and build them. Returns those that cannot play."""
        if not config.entries:
            return ()
        from referee.competition.builder import builder_for  # noqa: PLC0415 - only entries are built

        with self._signals.held():
            return builder_for(config, say).ready(config.entries, check=self._signals.check)

    def _not_starting(self, config: Config, ladder: RunConfig) -> Reasons:
        """Start each bot once that is new or has another version than in the ladder."""
        had = {bot.name: bot.version for bot in ladder.bots}
        new = [bot for bot in config.bots if bot.builtin is None and had.get(bot.name) != bot.version]
        return {one.bot.name: tuple(failure_lines(one)) for one in self.start(config, new)}

    def _qualified(
        self, config: Config, tell: Callable[[str], None], *, fresh: bool, not_ready: "Sequence[NotReady]" = ()
    ) -> "Qualified | None":
        """Who takes part as `qualify` has it. None where the config has no `qualify`."""
        if config.qualify is None:
            return None
        from referee.competition.qualify import qualified  # noqa: PLC0415 - a run without it starts sooner

        with self._signals.held():
            return qualified(config, self._options.path, fresh=fresh, not_ready=not_ready, tell=tell)

    def _has_started(self, bot: BotSpec) -> bool:
        started = self._started.get(bot.name)
        return started is not None and (started.bot.builtin, started.bot.version) == (bot.builtin, bot.version)


_PLAYS_ON = "`{}` goes on with the version that plays"
_LEFT_OUT = "`{}` does not play until that is put right"


class _LadderBots:
    """Who can play in a ladder that goes on: the bots as they are now, and the entries as they were."""

    def __init__(self, wanted: Config, ladder: RunConfig, names: Sequence[str]) -> None:
        """`wanted` has all bots that are entered and can be read; `names` are of all, in the order of the config."""
        self._wanted, self._names, self._versions = wanted, names, VersionStore(wanted.folder)
        self._former: dict[str, Entry] = {}
        of_entries = {table.index for table in wanted.entry_tables}
        for bot in ladder.bots:
            if bot.dir is None or wanted.tables.get(bot.name) not in of_entries:
                continue
            if (kept := self._versions.entry_of(bot.version)) is not None:  # as the entry that was the first to have it
                folder = os.path.normpath(os.path.join(wanted.folder, bot.dir))
                self._former[bot.name] = replace(kept, name=bot.name, owner=bot.owner, folder=folder)

    def without(self, out: Collection[str]) -> Config:
        """The config in which these bots play as they did before in the ladder, or not at all."""
        former = {name: entry for name, entry in self._former.items() if name in out}
        bots = {bot.name: bot for bot in self._wanted.bots if bot.name not in out}
        bots |= {name: self._versions.bot_of(entry) for name, entry in former.items()}
        entries = {entry.name: entry for entry in self._wanted.entries if entry.name not in out} | former
        return replace(
            self._wanted,
            anchor=self._wanted.anchor if self._wanted.anchor in bots else None,
            bots=tuple(bots[name] for name in self._names if name in bots),
            entries=tuple(entries[name] for name in self._names if name in entries),
        )


def _ladder_in(path: Path) -> RunConfig | None:
    """What the ladder in this store is played with. None where there is none."""
    if not path.exists():
        return None
    with closing(Store.open(path)) as store:
        config = store.meta().config
    return config if config.traits.is_endless else None


def _with_versions(config: Config) -> Config:
    """The config with the version of every bot, so that its files are read once. Shipped bots are read as they play."""
    bots = (bot if bot.builtin else replace(bot, version=version_of(bot, config.folder)) for bot in config.bots)
    return replace(config, bots=tuple(bots))


def _unfit(config: Config) -> Reasons:
    """Why bots that are no entries cannot be started from what lies in their folders."""
    own = (bot for bot in config.bots if bot.builtin is None and not bot.entry)
    found = ((bot.name, find_problem(bot, config.isolation)) for bot in own)
    return {name: (f"bot {name}: {problem}",) for name, problem in found if problem is not None}


def _check_enough(config: Config) -> None:
    """Raise ConfigError where too few bots are left."""
    seats = max(one.seats for one in config.variants)
    if len(config.bots) < seats:
        text = f"{seats} bots sit at a table, but only {len(config.bots)} of those that lie there can play"
        raise ConfigError([text])
