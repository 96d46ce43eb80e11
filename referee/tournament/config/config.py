"""The tournament's config file: what it can say, and everything that is wrong with it, told at once with its place.

`load` either returns a Config with which everything can be played, or raises ConfigError. This module must not know
how matches are run or scheduled.
"""

import contextlib
import os
import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from math import ceil
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict

from protocol.messages import Clocks, FaultPolicy
from protocol.text import printable
from referee.play.bot.pool import Reuse
from referee.play.isolation.host import cores
from referee.play.spec import (
    LONGEST_NAME,
    BotLimits,
    BotSpec,
    Confinement,
    Isolation,
)
from referee.rules.book.changes import BadOptions
from referee.rules.book.options import Options, Positive
from referee.rules.book.variant import Variant
from referee.rules.book.variants import UnknownVariant, customised, seat_problem
from referee.tournament.config.entrants import GivenBot, check_trust, read_bots, usual_rotations
from referee.tournament.config.formats import Entry, FormatKeys, StageKeys, check_formats
from referee.tournament.config.reader import KeyPath, Problem, Reader
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.rounds import Format, StageRules, StopRules
from referee.tournament.standings import RankBy

LONGEST_TITLE = 100
"""How many characters the name of a tournament has at most."""

LONGEST_LINE = 2000
"""How many characters the line that tells a problem has at most."""

LONGEST_CLOCK_S = 86400
"""No clock runs longer than a day."""

LEAST_LIMITS = {"memory_mb": 16, "processes": 1, "files": 16, "tmp_mb": 1, "cpu_s": 1}
"""A bot that may use less than this does not start."""

MOST_WORKERS = 16
"""Each worker is joined to every other by descriptors."""

USUAL_WORKERS = 8
"""How many workers there are by default at most, however many cores: each slap window freezes all of their bots."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")

MATCHES_A_WORKER = 20
"""By default there is at most one worker for this many matches: to start it costs as much as some matches."""


class Settings(FormatKeys, frozen=True, kw_only=True):
    """The table [tournament] as it is written."""

    name: str | None = None
    seed: Annotated[str, Meta(min_length=1)] | None = None
    """Fixes the master key. Without it the key is secret and random."""
    seats: Positive = 2
    """How many bots sit at a table where the variant does not say otherwise."""
    jobs: Positive | None = None
    """Matches at a time. None means one for each core."""
    workers: Annotated[int, Meta(ge=1, le=MOST_WORKERS)] | None = None
    """Processes that play, each one match at a time or more. None means as many as cores and matches warrant."""
    rotations: Rotations | None = None
    """Whether each rotation of a block has cards of its own. None means that it depends on whose bots take part."""
    reuse: Reuse = "match"
    """How long a bot's process lives."""
    isolation: Isolation = "limits"
    trust: Literal["all"] | None = None
    """With "all", bots of several owners may run without `bwrap`."""
    rank_by: RankBy = "match-points"


class Faults(FaultPolicy, frozen=True, kw_only=True):
    """The table [faults] as it is written."""

    voids: int | None = None
    """From how many voided attempts on a bot is barred if its presence alone explains them; 0 for never. None leaves it
    to whether the bots have several owners. No bot is told."""


class ConfiguredVariant(Struct, frozen=True, kw_only=True):
    """A variant as this tournament plays it."""

    name: str
    """Unique in the tournament. It is the preset's name unless the config gives another."""
    variant: Variant
    seats: int


class Config(Settings, frozen=True, kw_only=True):
    """A tournament that can be played."""

    name: str
    format: Format | None
    """None where there are `stages`."""
    deals: int
    """As StageRules has it; 0 where there are `stages`."""
    lineups_a_round: int | None = None
    """As StageRules has it: where `hours` is set, the trial before the run chooses it, and `lineups` and `deals`."""
    stages: tuple[StageRules, ...] = ()
    """What [[stages]] says. Empty where [tournament] says what is played."""
    stop: StopRules | None = None
    jobs: int
    rotations: Rotations
    sets_rotations: bool = True
    """Whether the file says so, and not only the default. A run that has begun goes on as it began."""
    limits: BotLimits
    clocks: Clocks
    faults: FaultPolicy
    voids: int | None = None
    """`voids` in [faults]."""
    variants: tuple[ConfiguredVariant, ...]
    bots: tuple[BotSpec, ...]
    folder: str
    """Absolute path of the config's folder."""
    file: str = ""
    """The config's file, as it was named."""
    copies: str = ""
    """The folder with copies of what bots see; see Confinement."""

    def processes(self, matches: int) -> int:
        """How many processes play a run of this many matches."""
        usual = min(cores(), USUAL_WORKERS, ceil(matches / MATCHES_A_WORKER))
        return min(self.workers or usual, self.jobs, matches)

    @property
    def confinement(self) -> Confinement:
        """How every bot is kept from what is not its own."""
        return Confinement(isolation=self.isolation, limits=self.limits, copies=self.copies)

    @property
    def strangers(self) -> tuple[BotSpec, ...]:
        """The bots that may leave no mark for later matches: all that have owners, where several play under `bwrap`.

        Shipped bots are nobody's.
        """
        bots = tuple(bot for bot in self.bots if bot.builtin is None)
        several = len({bot.owner for bot in bots}) > 1
        return bots if several and self.isolation == "bwrap" else ()


class ConfigError(ValueError):
    """What is wrong with a config. `lines` holds every problem with its place, in the order of the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class _GivenVariant(Struct, frozen=True, kw_only=True):
    """[[variants]] as it is written."""

    preset: str | None = None
    name: str | None = None
    seats: int | None = None
    options: dict[str, Any] = {}


class _File(Struct, frozen=True, kw_only=True):
    """The config file as it is written. What it must contain is checked below."""

    tournament: Settings = Settings()
    time: Clocks = Clocks()
    faults: Faults = Faults()
    limits: BotLimits = BotLimits()
    stop: StopRules | None = None
    stages: tuple[StageKeys, ...] | None = None
    variants: tuple[_GivenVariant, ...] | None = None
    bots: tuple[GivenBot, ...] | None = None


_TABLES = {
    **dict.fromkeys(Options.__struct_fields__, "the `options` of [[variants]]"),
    **dict.fromkeys(GivenBot.__struct_fields__, "[[bots]]"),
    **dict.fromkeys(_GivenVariant.__struct_fields__, "[[variants]]"),
    **dict.fromkeys(Faults.__struct_fields__, "[faults]"),
    **dict.fromkeys(Clocks.__struct_fields__, "[time]"),
    **dict.fromkeys(BotLimits.__struct_fields__, "[limits]"),
    **dict.fromkeys(StopRules.__struct_fields__, "[stop]"),
    **dict.fromkeys(Settings.__struct_fields__, "[tournament]"),
    "rounds": "[tournament] or `options` of [[variants]]",
    "stop": "a table of its own: [stop]",
    "stages": "tables of their own: [[stages]]",
}
"""By key, the table where it belongs, in words."""


def load(path: str | Path) -> Config:
    """The config of this file; raises ConfigError with all that is wrong with it."""
    text = _text(path)
    reader = Reader(_TABLES)
    file = reader.struct(_File, _parsed(path, text))
    _check_settings(file, reader)
    variants = _variants(file, reader)
    bots = read_bots(file.bots, os.path.abspath(path), file.tournament.isolation, reader)
    given = file.bots or ()
    _check_enough_bots(file, reader)
    _check_formats(file, variants, reader)
    if not _is_trust_unclear(reader):
        trusted = file.tournament.trust == "all"
        check_trust(given, file.tournament.isolation, trusted=trusted, reader=reader)
    if reader.problems:
        raise ConfigError(_placed(path, text, reader.problems))
    return Config(
        **asdict(file.tournament)
        | _formats(file)
        | {"jobs": file.tournament.jobs or cores(), "rotations": file.tournament.rotations or usual_rotations(given)},
        stop=file.stop,
        sets_rotations=file.tournament.rotations is not None,
        limits=file.limits,
        clocks=file.time,
        faults=FaultPolicy(policy=file.faults.policy, strikes=file.faults.strikes),
        voids=file.faults.voids,
        variants=tuple(variants),
        bots=tuple(bots),
        folder=os.path.dirname(os.path.abspath(path)),
        file=str(path),
    )


def line_at(path: str | Path, key: KeyPath, text: str) -> str:
    """A problem with what a key of the file says, as a line for people. The key must be there."""
    (line,) = _placed(path, _text(path), [Problem(path=key, text=text)])
    return line


def placed(config: Config, change: str) -> str:
    """A change of the config since its run began, such as `clocks.move_s: 1.0 -> 2.0`, with its place in the file."""
    key, _, _ = change.partition(":")
    section, _, rest = key.partition(".")
    names = [f"bot `{bot.name}`" for bot in config.bots]
    path: KeyPath = ("tournament", key)
    if section in _SECTIONS:
        path = (_SECTIONS[section], *rest.split("."))
    elif key in ("stop", "stages"):
        path = (key,)
    elif key == "voids":
        path = ("faults", key)
    elif key in names:
        path = ("bots", names.index(key))
    with contextlib.suppress(ConfigError):
        from referee.tournament.config.positions import Positions  # noqa: PLC0415 - loads tree-sitter

        places = Positions(_text(config.file))
        place = places.value(path)
        if not places.has(path[:1]):
            place = places.value(("tournament",))
        return _line(f"{config.file}:{place.line}:{place.column}: {change}")
    return change


_SECTIONS = {"clocks": "time", "faults": "faults", "limits": "limits"}
"""By field of a run's facts, the table of the config where it stands."""


def _text(path: str | Path) -> str:
    try:
        data = Path(path).read_bytes().removeprefix(BOM_UTF8)
    except FileNotFoundError:
        raise ConfigError([_line(f"{path}: no such file")]) from None
    except (OSError, ValueError) as error:
        raise ConfigError([_line(f"{path}: cannot be read: {getattr(error, 'strerror', error)}")]) from None
    if data.startswith(b"SQLite format 3\0"):
        what = "a run's store, not its config"
        raise ConfigError([_line(f"{path}: this is {what}; `golfref standings {path}` prints what it holds")])
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        raise ConfigError([_line(f"{path}:{line}:{column}: not UTF-8; save the file in this encoding")]) from None


def _parsed(path: str | Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError([_line(f"{path}: nested too deeply")]) from None
    except ValueError as error:
        what, _, where = str(error).partition(" (at ")
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        if numbers := re.match(r"line (\d+), column (\d+)", where):
            line, column = int(numbers[1]), int(numbers[2])
        raise ConfigError([_line(f"{path}:{line}:{column}: not TOML: {what}")]) from None


def _check_settings(file: _File, reader: Reader) -> None:
    reader.check_label(("tournament", "name"), file.tournament.name, LONGEST_TITLE)
    for clock in Clocks.__struct_fields__:
        if not clock.endswith("_s"):
            continue
        seconds = getattr(file.time, clock)
        if not 0 < seconds <= LONGEST_CLOCK_S:
            reader.add(("time", clock), f"expected seconds above 0, at most {LONGEST_CLOCK_S}, got {seconds:g}")
    if file.faults.strikes < 1:
        reader.add(("faults", "strikes"), f"expected int >= 1, got {file.faults.strikes}")
    if file.faults.voids is not None and file.faults.voids < 0:
        reader.add(("faults", "voids"), f"expected int >= 0, got {file.faults.voids}")
    if file.tournament.rank_by == "strokes" and len(file.variants or ()) > 1:
        text = (
            "strokes of different games cannot be added up, a stroke is not worth the same in all of them; "
            'leave it out to rank by match points, or play one game: got "strokes"'
        )
        reader.add(("tournament", "rank_by"), text)
    for name, least in LEAST_LIMITS.items():
        if (value := getattr(file.limits, name)) < least:
            reader.add(("limits", name), f"expected int >= {least}, got {value}")


def _variants(file: _File, reader: Reader) -> list[ConfiguredVariant]:
    if file.variants is None:
        reader.missing(("variants",), "expected at least one [[variants]]")
    variants = []
    for index, given in enumerate(file.variants or ()):
        path: KeyPath = ("variants", index)
        if given.name is not None:
            reader.check_label((*path, "name"), given.name, LONGEST_NAME)
        variant = _variant(given, path, reader)
        if variant is not None:
            seats = file.tournament.seats if given.seats is None else given.seats
            _check_seats(variant, seats, given, path, reader)
            variants.append(ConfiguredVariant(name=given.name or variant.preset, variant=variant, seats=seats))
    reader.check_unique("variants", file.variants or (), "preset")
    return variants


def _is_trust_unclear(reader: Reader) -> bool:
    """Whether `isolation` or `trust` may have been written, but wrong, misspelt or elsewhere."""
    return any(
        problem.path[-1] in ("isolation", "trust") or (problem.at_key and problem.path[0] == "tournament")
        for problem in reader.problems
    )


def _variant(given: _GivenVariant, path: KeyPath, reader: Reader) -> Variant | None:
    if given.preset is None:
        reader.missing((*path, "preset"))
        return None
    try:
        return customised(given.preset, given.options)
    except UnknownVariant as error:
        reader.add((*path, "preset"), str(error))
    except BadOptions as bad:
        for problem in bad.problems:
            reader.add((*path, "options", problem.option), problem.text, at_key=problem.text.startswith("unknown"))
    return None


def _check_seats(variant: Variant, seats: int, given: _GivenVariant, path: KeyPath, reader: Reader) -> None:
    """The seats must suit the variant (GEN-14)."""
    key, origin = ("preset", ", as [tournament] has it") if given.seats is None else ("seats", "")
    problem = seat_problem(variant, seats)
    if reader.wrong((*path, "seats")):
        return
    if problem is not None and problem.option in given.options:
        reader.add((*path, "options", problem.option), problem.text)
    elif problem is not None:
        reader.add((*path, key), problem.text + origin)
    elif seats == 1:
        reader.add((*path, key), f"a tournament needs 2 seats or more (`golfref match` plays alone), got 1{origin}")


def _check_enough_bots(file: _File, reader: Reader) -> None:
    """A line-up needs different bots, as many as there are seats."""
    if file.bots is None:
        return
    variants = file.variants or ()
    tables: list[tuple[KeyPath, int]] = [
        (("variants", index, "seats"), given.seats) for index, given in enumerate(variants) if given.seats is not None
    ]
    if len(tables) < len(variants):
        tables.append((("tournament", "seats"), file.tournament.seats))
    for path, seats in tables:
        if seats > len(file.bots) and not reader.wrong(path):
            reader.add(path, f"{seats} bots at a table, but the config has only {len(file.bots)}")


def _check_formats(file: _File, variants: Sequence[ConfiguredVariant], reader: Reader) -> None:
    entry = Entry(
        bots=[bot.name or bot.builtin or "" for bot in file.bots or ()],
        owners={bot.name or bot.builtin or "": bot.owner or "" for bot in file.bots or ()},
        tables={variant.name: variant.seats for variant in variants},
        rank_by=file.tournament.rank_by,
    )
    check_formats(file.tournament, file.stages, file.stop, entry, reader)


def _formats(file: _File) -> dict[str, Any]:
    """What is played of formats, by the names of Config: one stage as its keys tell it, or several."""
    if file.stages is not None:
        return {"format": None, "deals": 0, "stages": tuple(stage.rules() for stage in file.stages)}
    return asdict(file.tournament.rules(file.tournament.challengers))


def _placed(path: str | Path, text: str, problems: list[Problem]) -> list[str]:
    """The problems as lines for people, in the order of their places."""
    from referee.tournament.config.positions import Position, Positions  # noqa: PLC0415 - loads tree-sitter

    places = Positions(text)
    lines: list[tuple[Position, str]] = []
    for problem in problems:
        place = places.key(problem.path) if problem.at_key else places.value(problem.path)
        first = "" if problem.first is None else f" (first in line {places.value(problem.first).line})"
        what = f"{_dotted(problem.path)}: {problem.text}{first}"
        lines.append((place, _line(f"{path}:{place.line}:{place.column}: {what}")))
    return [line for _, line in sorted(lines, key=itemgetter(0))]


def _dotted(path: KeyPath) -> str:
    """A path as people write it: `bots[1].env."odd key"`."""
    names = (key if isinstance(key, int) or _BARE_KEY.fullmatch(key) else repr(key) for key in path)
    return "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in names).removeprefix(".")


def _line(text: str) -> str:
    """The line, made safe to show: nothing of a config reaches a terminal as a control or bidi character."""
    return printable(text, LONGEST_LINE)
