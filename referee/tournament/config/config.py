"""The tournament's config file: what it can say, and everything that is wrong with it, told at once with its place.

`load` either returns a Config with which everything can be played, or raises ConfigError. This module must not know
how matches are run or scheduled.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.messages import Clocks, FaultPolicy
from referee.play.process.pool import Reuse
from referee.play.sandbox.cell import settled
from referee.play.sandbox.problems import find_problem
from referee.play.sandbox.system_info import cores
from referee.play.spec import BotLimits, BotSpec, Confinement, Isolation
from referee.rules.options import Options, Positive
from referee.toml.document import BadDocument, parsed, read_text
from referee.toml.document import placed as document_lines
from referee.toml.reader import KeyPath, Problem, Reader
from referee.tournament.config.bots import (
    BotEntries,
    BotEntry,
    EntryTable,
    GivenBot,
    check_folders,
    check_owners,
    read_bots,
    usual_rotations,
)
from referee.tournament.config.formats import Entered, FormatKeys, StageKeys, check_formats, stages_of
from referee.tournament.config.hooks import Hooks, check_hooks
from referee.tournament.config.run_config import RunBot, RunConfig, RunRules, RunVariant
from referee.tournament.config.tables import (
    BY_CHECK,
    Faults,
    Qualify,
    Submissions,
    Time,
    check_builds,
    check_qualify,
    with_given,
)
from referee.tournament.config.variants import ConfiguredVariant, GivenVariant, games, read_variants
from referee.tournament.orders import SessionSetup, part_of
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.planned_match import for_blocks
from referee.tournament.plan.rounds import StopRules
from referee.tournament.standings import RankBy
from referee.versions.entry import Builds, Entry

LONGEST_TITLE = 100
"""How many characters the name of a tournament has at most."""

MATCHES_A_WORKER = 20
"""By default there is at most one worker for this many matches: to start it costs as much as some matches."""


class Settings(FormatKeys, frozen=True, kw_only=True):
    """The table [tournament] as it is written. Most of its keys stand in Config too, and are described there."""

    name: str | None = None
    """The name of the run. Required."""
    seed: Annotated[str, Meta(min_length=1)] | None = None
    seats: Positive = 2
    """The number of bots at a table, unless a variant has its own."""
    jobs: Positive | None = None
    """Matches at a time. Default: one for each core."""
    workers: Positive | None = None
    """Processes that play, at most `jobs`. Default: one for 20 matches, at most one for each core."""
    rotations: Rotations | None = None
    """`same`: all rotations of a deal share its cards. Default: `fresh` for bots of several owners, else `same`."""
    reuse: Reuse = "match"
    isolation: Isolation = "limits"
    """How golfref confines bots."""
    trust: Literal["all"] | None = None
    """Bots of several owners may play without `bwrap`, or without user ids of their own."""
    rank_by: RankBy = "match-points"
    """`strokes` is for one game, with all line-ups."""
    qualify: Literal["check"] | Qualify | None = None
    """A bot that fails the check, or does not beat a shipped bot, does not play."""


class Config(RunRules, frozen=True, kw_only=True):
    """A tournament that can be played."""

    sets_rotations: bool = True
    """Whether the file says so, and not only the default. A run that has begun goes on as it began."""
    jobs: int
    """Matches at a time."""
    workers: int | None = None
    """Processes that play, each one match at a time or more. None means as many as cores and matches warrant."""
    trust: Literal["all"] | None = None
    """With "all", bots of several owners may run without `bwrap`."""
    variants: tuple[ConfiguredVariant, ...]
    bots: tuple[BotSpec, ...]
    entries: tuple[Entry, ...] = ()
    """The entries among the bots, which play from the store of versions once they have been put there and built."""
    entry_tables: tuple[EntryTable, ...] = ()
    builds: Builds = Builds()
    submissions: Submissions = Submissions()
    qualify: Qualify | None = None
    """What a bot must have done before it takes part."""
    exempt: tuple[str, ...] = ()
    """The names of the bots that take part whatever `qualify` says. Shipped bots do so too."""
    tables: dict[str, int]
    """By the name of a bot, the number of its [[bots]] table, from 0."""
    folder: str
    """Absolute path of the config's folder."""
    file: str = ""
    """The config's file, as it was named."""
    hooks: Hooks = Hooks()
    key: bytes | None = None
    """The master key, where the command line names a file with it."""

    def run_config(self, had: Sequence[RunConfig] = ()) -> RunConfig:
        """All of it that results depend on, with the bots' versions, for which their files are read.

        `had` are the configs that the run has had, in order. They say how many versions each bot had before; and a
        variant stays as it is in them, so that it stays the same game when golfref gains an option.
        """
        known = [variant for one in had for variant in one.variants]
        new = RunConfig(
            **{name: getattr(self, name) for name in RunRules.__struct_fields__},
            variants=tuple(RunVariant.of(variant, known) for variant in self.variants),
            bots=tuple(RunBot.of(bot, self.folder) for bot in self.bots),
        )
        return new.counted(had)

    def only(self, names: Collection[str]) -> "Config":
        """The config with only these of its bots, by name."""
        return replace(
            self,
            bots=tuple(bot for bot in self.bots if bot.name in names),
            entries=tuple(entry for entry in self.entries if entry.name in names),
        )

    def with_cells(self) -> "Config":
        """The same with the cells of its bots, under `bwrap`. Raises Unfit and Missing."""
        return replace(self, bots=tuple(settled(bot, self.isolation) for bot in self.bots))

    def processes(self, matches: int) -> int:
        """How many processes play a run of this many matches; one where it plays all of them alone."""
        usual = min(cores(), ceil(matches / MATCHES_A_WORKER))
        most = 1 if len(self.alone) == len(self.variants) else self.jobs
        return min(self.workers or usual, most, matches)

    @property
    def alone(self) -> frozenset[str]:
        """The games that one worker plays alone."""
        return frozenset(one.name for one in self.variants if part_of(one.variant.options, self.clocks) == "alone")

    @property
    def confinement(self) -> Confinement:
        """How every bot is kept from what is not its own."""
        return Confinement(isolation=self.isolation, limits=self.limits)

    @property
    def session_setup(self) -> SessionSetup:
        """All that the matches of a session have in common."""
        return SessionSetup(
            variants={one.name: for_blocks(one.variant) for one in self.variants},
            bots=self.bots,
            shares_cards=self.rotations == "same",
            clocks=self.clocks,
            faults=self.faults,
            confinement=self.confinement,
            games=games(self.variants),
            reuse=self.reuse,
        )

    @property
    def needs_users(self) -> bool:
        """Whether each bot needs a user id of its own: several owners play under `bwrap`, and `trust` is not given."""
        return bool(self.strangers) and self.trust is None

    @property
    def strangers(self) -> tuple[BotSpec, ...]:
        """All bots but shipped ones, where they are of several owners and play under `bwrap`; else none."""
        bots = tuple(bot for bot in self.bots if bot.builtin is None)
        several = len({bot.owner for bot in bots}) > 1
        return bots if several and self.isolation == "bwrap" else ()


class ConfigError(BadDocument):
    """What is wrong with a config, and with the entries that it takes."""


class _File(Struct, frozen=True, kw_only=True):
    """The config file as it is written. What it must contain is checked below."""

    tournament: Settings = Settings()
    time: Time = Time()
    faults: Faults = Faults()
    limits: BotLimits = BotLimits()
    builds: Builds = Builds()
    submissions: Submissions = Submissions()
    stop: StopRules | None = None
    hooks: Hooks = Hooks()
    stages: tuple[StageKeys, ...] | None = None
    variants: tuple[GivenVariant, ...] | None = None
    bots: tuple[GivenBot, ...] | None = None


_TABLES = {
    **dict.fromkeys(Submissions.__struct_fields__, "[submissions]"),
    **dict.fromkeys(Options.__struct_fields__, "the `options` of [[variants]]"),
    **dict.fromkeys(Builds.__struct_fields__, "[builds]"),
    **dict.fromkeys(GivenBot.__struct_fields__, "[[bots]]"),
    **dict.fromkeys(GivenVariant.__struct_fields__, "[[variants]]"),
    **dict.fromkeys(Faults.__struct_fields__, "[faults]"),
    **dict.fromkeys(Time.__struct_fields__, "[time]"),
    **dict.fromkeys(BotLimits.__struct_fields__, "[limits]"),
    **dict.fromkeys(StopRules.__struct_fields__, "[stop]"),
    **dict.fromkeys(Hooks.__struct_fields__, "[hooks]"),
    **dict.fromkeys(Qualify.__struct_fields__, "`qualify` of [tournament], a table"),
    **dict.fromkeys(Settings.__struct_fields__, "[tournament]"),
    "rounds": "[tournament] or `options` of [[variants]]",
    "network": "[builds] or [[bots]]",
    "time": "a table of its own, [time], or in [[bots]]",
    "stop": "a table of its own: [stop]",
    "stages": "tables of their own: [[stages]]",
}
"""By key, the table where it belongs, in words."""


_GONE = {
    "voids": "leave it out: a run shows whose presence explains its voids, and `--amend` withdraws a bot",
    "adaptive": "leave `format` out and write [stop], which ends a round-robin when what it asks for is known",
}
"""By key or value that earlier releases took, what to write instead."""


class Survey(Struct, frozen=True, kw_only=True):
    """What can be made out of a config, also where something is wrong with it."""

    rest: Config | None
    """The config with those entries alone with which nothing is wrong; None where something else is wrong."""
    frame: Config | None
    """The config with those bots alone with which nothing is wrong, be they too few; None where what stands around the
    bots is wrong."""
    lines: tuple[str, ...]
    """What is wrong with the config itself, each line with its place."""
    problems: tuple[Problem, ...]
    """The same as the reader noted it."""
    entrants: BotEntries
    notes: tuple[str, ...]
    """What is no mistake, but should be known."""

    @property
    def config(self) -> Config | None:
        """None where something is wrong, be it with an entry only."""
        return None if self.entrants.broken else self.rest


def load(path: str | Path) -> Config:
    """The config of this file; raises ConfigError with all that is wrong with it and with its entries.

    Runs nothing of an entry and writes nothing.
    """
    found = survey(path)
    if found.config is None:
        raise ConfigError([*found.lines, *(line for broken in found.entrants.broken for line in broken.lines)])
    return found.config


def survey(
    path: str | Path, *, without: frozenset[str] = frozenset(), adding: tuple[EntryTable, Entry] | None = None
) -> Survey:
    """The config of this file, or what of it can be made out; raises ConfigError where it cannot be read at all.

    Bots `without` which it is to be made out, by name, are taken as if the file had never named them. An entry that is
    `adding` is taken as if it lay in the folder of its table already.
    """
    try:
        text = read_text(path)
        tables = parsed(path, text)
    except BadDocument as error:
        raise ConfigError(error.lines) from None
    reader = Reader(_TABLES, _GONE)
    file = _file_without(without, reader.struct(_File, tables))
    _check_settings(file, tables, reader)
    variants = read_variants(file.variants, file.tournament.seats, reader)
    is_sound = not reader.problems
    try:
        isolation = file.tournament.isolation
        entrants = read_bots(
            file.bots,
            str(path),
            isolation,
            file.builds,
            reader,
            clocks=with_given(Clocks(), file.time),
            adding=adding,
            without=without,
        )
    except BadDocument as error:
        raise ConfigError(error.lines) from None
    _check_enough_bots(file, entrants.all, reader)
    _check_formats(file, variants, entrants.all, reader)
    check_hooks(file.hooks, os.path.dirname(os.path.abspath(path)), reader)
    if is_sound:  # else `isolation` or `trust` may have been misspelt, or stand elsewhere
        keys = file.tournament
        timed = [one.name for one in variants if one.variant.options.times_slaps]
        check_owners(entrants.all, isolation, keys.rotations, timed, reader, trusted=keys.trust == "all")
    rest = None if reader.problems else _config(path, file, variants, entrants)
    return Survey(
        rest=rest,
        frame=_config(path, file, variants, entrants) if is_sound else None,
        lines=tuple(document_lines(path, text, reader.problems)),
        problems=tuple(reader.problems),
        entrants=entrants,
        notes=entrants.notes,
    )


def _config(path: str | Path, file: _File, variants: Sequence[ConfiguredVariant], bots: BotEntries) -> Config:
    """The config of a file with which nothing is wrong."""
    keys = file.tournament
    return Config(
        name=keys.name or "",
        seed=keys.seed,
        stages=stages_of(keys, file.stages),
        stop=file.stop,
        same_owner=keys.same_owner,
        hours=keys.hours,
        anchor=keys.anchor,
        rotations=keys.rotations or usual_rotations(bots.all),
        sets_rotations=keys.rotations is not None,
        reuse=keys.reuse,
        isolation=keys.isolation,
        trust=keys.trust,
        rank_by=keys.rank_by,
        jobs=keys.jobs or cores(),
        workers=keys.workers,
        qualify=BY_CHECK if isinstance(keys.qualify, str) else keys.qualify,
        hooks=file.hooks,
        limits=file.limits,
        clocks=with_given(Clocks(), file.time),
        faults=with_given(FaultPolicy(), file.faults),
        variants=tuple(variants),
        bots=bots.bots,
        entries=bots.entries,
        entry_tables=bots.tables,
        builds=file.builds,
        submissions=file.submissions,
        exempt=tuple(one.name for one in bots.all if one.is_exempt),
        tables={one.name: one.table for one in bots.all},
        folder=os.path.dirname(os.path.abspath(path)),
        file=str(path),
    )


def check_ready(config: Config, names: Collection[str] | None = None) -> None:
    """Hold the bots of entries, which are stored now, against the same rules as other bots; with `names` only these.

    Raises ConfigError with all that keeps any of them from being started, or shows it what it must not see.
    """
    reader = Reader(_TABLES)
    entries = [
        (config.tables[bot.name], bot) for bot in config.bots if bot.entry and (names is None or bot.name in names)
    ]
    for table, bot in entries:
        if problem := find_problem(bot, config.isolation):
            reader.add(("bots", table, "entries"), f"`{bot.name}`: {problem}")
    if config.isolation == "bwrap" and not reader.problems:
        bots = [(config.tables[bot.name], bot) for bot in config.bots]
        check_folders(entries, bots, os.path.join(config.folder, os.path.basename(config.file)), reader)
    if reader.problems:
        raise ConfigError(document_lines(config.file, read_text(config.file), reader.problems))


def _check_settings(file: _File, tables: Mapping[str, Any], reader: Reader) -> None:
    """Note what is wrong with [tournament], apart from its format, and with [builds]."""
    keys = file.tournament
    reader.check_label(("tournament", "name"), keys.name, LONGEST_TITLE)
    if keys.rank_by == "strokes" and len(file.variants or ()) > 1:
        text = (
            "strokes of different games cannot be added up, a stroke is not worth the same in all of them; "
            'leave it out to rank by match points, or play one game: got "strokes"'
        )
        reader.add(("tournament", "rank_by"), text)
    if isinstance(keys.qualify, Qualify):
        names_games = "games" in tables["tournament"]["qualify"]
        check_qualify(keys.qualify, names_games, ("tournament", "qualify"), reader)
    check_builds(file.builds, reader)


def _file_without(names: frozenset[str], file: _File) -> _File:
    """The file as if [tournament] did not name these bots."""
    settings = file.tournament
    anchor = None if settings.anchor in names else settings.anchor
    challengers = tuple(name for name in settings.challengers if name not in names)
    return replace(file, tournament=replace(settings, anchor=anchor, challengers=challengers))


def _check_enough_bots(file: _File, bots: Sequence[BotEntry], reader: Reader) -> None:
    """A line-up needs different bots, as many as there are seats."""
    if file.bots is None:
        return
    for index, given in enumerate(file.variants or ()):
        is_own = given.seats is not None
        path: KeyPath = ("variants", index, "seats") if is_own else ("tournament", "seats")
        seats = given.seats or file.tournament.seats
        if seats > len(bots) and not reader.wrong(path) and not reader.wrong(("bots",)):
            reader.add(path, f"{seats} bots at a table, but the config has only {len(bots)}")


def _check_formats(
    file: _File, variants: Sequence[ConfiguredVariant], bots: Sequence[BotEntry], reader: Reader
) -> None:
    entered = Entered(
        bots=[one.name for one in bots],
        owners={one.name: one.owner for one in bots},
        tables={variant.name: variant.seats for variant in variants},
        rank_by=file.tournament.rank_by,
    )
    check_formats(file.tournament, file.stages, file.stop, entered, reader)
