"""The tournament's config file: what it can say, and everything that is wrong with it, told at once with its place.

`load` either returns a Config with which everything can be played, or raises ConfigError. This module must not know
how matches are run or scheduled.
"""

import os
import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.messages import Clocks, FaultPolicy
from protocol.text import printable
from referee.play.bots import (
    BUILTIN,
    LONGEST_NAME,
    BadBot,
    BotLimits,
    BotSpec,
    Confinement,
    Isolation,
    builtin_bot,
)
from referee.play.isolation import find_problem
from referee.rules.options import BadOptions, Options
from referee.rules.variants import UnknownVariant, Variant, customised, seat_problem
from referee.tournament.reader import KeyPath, Problem, Reader

Format = Literal["round-robin"]
RankBy = Literal["match-points", "strokes"]
Trust = Literal["all"]

LONGEST_TITLE = 100
"""Characters in the name of a tournament or of a bot's owner."""

LONGEST_LINE = 2000
"""Characters of a problem's line."""

_LEAST = {"memory_mb": 16, "processes": 1, "files": 16, "tmp_mb": 1, "cpu_s": 1}
"""Of each limit: less than this starts no bot."""

LONGEST_CLOCK_S = 86400
"""No clock runs longer than a day."""


class Entry(Struct, frozen=True, kw_only=True):
    """A variant as this tournament plays it."""

    name: str
    """Unique in the tournament; the preset's name unless the config gives another."""
    variant: Variant
    seats: int


class Config(Struct, frozen=True, kw_only=True):
    """A tournament that can be played."""

    name: str
    seed: str | None
    """None: a secret random key."""
    format: Format
    seats: int
    """Bots at a table where the variant does not say otherwise."""
    deals: int
    """Blocks per line-up and variant."""
    lineups: int | None
    """How many line-ups are played per variant; None is all."""
    jobs: int
    """Matches at a time, by default as many as there are cores."""
    isolation: Isolation
    trust: Trust | None
    """"all": bots of several owners may run without `bwrap`."""
    limits: BotLimits
    rank_by: RankBy
    clocks: Clocks
    faults: FaultPolicy
    variants: tuple[Entry, ...]
    bots: tuple[BotSpec, ...]
    folder: str
    """Absolute path of the config's folder."""

    @property
    def confinement(self) -> Confinement:
        """How every bot is kept from what is not its own."""
        return Confinement(isolation=self.isolation, limits=self.limits)


class ConfigError(ValueError):
    """What is wrong with a config: `lines` holds every problem with its place, in the order of the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


Positive = Annotated[int, Meta(ge=1)]


class _Tournament(Struct, frozen=True, kw_only=True):
    name: str | None = None
    seed: Annotated[str, Meta(min_length=1)] | None = None
    format: Format = "round-robin"
    seats: Annotated[int, Meta(ge=2)] = 2
    deals: Positive = 20
    lineups: Positive | None = None
    jobs: Positive | None = None
    isolation: Isolation = "limits"
    trust: Trust | None = None
    rank_by: RankBy = "match-points"


class _Variant(Struct, frozen=True, kw_only=True):
    preset: str | None = None
    name: str | None = None
    seats: int | None = None
    options: dict[str, Any] = {}


class _Bot(Struct, frozen=True, kw_only=True):
    name: str | None = None
    command: tuple[str, ...] | None = None
    builtin: str | None = None
    dir: str | None = None
    env: dict[str, str] = {}
    reads: tuple[str, ...] = ()
    owner: str | None = None


class _File(Struct, frozen=True, kw_only=True):
    """The config file as it is written; what it must contain is checked below."""

    tournament: _Tournament = _Tournament()
    time: Clocks = Clocks()
    faults: FaultPolicy = FaultPolicy()
    limits: BotLimits = BotLimits()
    variants: tuple[_Variant, ...] | None = None
    bots: tuple[_Bot, ...] | None = None


_HOMES = {
    **dict.fromkeys(Options.__struct_fields__, "the `options` of [[variants]]"),
    **dict.fromkeys(_Bot.__struct_fields__, "[[bots]]"),
    **dict.fromkeys(_Variant.__struct_fields__, "[[variants]]"),
    **dict.fromkeys(FaultPolicy.__struct_fields__, "[faults]"),
    **dict.fromkeys(Clocks.__struct_fields__, "[time]"),
    **dict.fromkeys(BotLimits.__struct_fields__, "[limits]"),
    **dict.fromkeys(_Tournament.__struct_fields__, "[tournament]"),
}


def load(path: str | Path) -> Config:
    """The config of this file; raises ConfigError with all that is wrong with it."""
    text = _text(path)
    document = _document(path, text)
    reader = Reader(_HOMES)
    file = reader.struct(_File, document)
    folder = os.path.dirname(os.path.abspath(path))
    _check_settings(file, reader)
    variants = _entries(file, reader)
    bots = _bots(file, folder, reader)
    _check_enough_bots(file, reader)
    _check_trust(file, reader)
    if reader.problems:
        raise ConfigError(_placed(path, text, reader.problems))
    given = file.tournament
    return Config(
        name=given.name or "",
        seed=given.seed,
        format=given.format,
        seats=given.seats,
        deals=given.deals,
        lineups=given.lineups,
        jobs=given.jobs or cores(),
        isolation=given.isolation,
        trust=given.trust,
        limits=file.limits,
        rank_by=given.rank_by,
        clocks=file.time,
        faults=file.faults,
        variants=tuple(variants),
        bots=tuple(bots),
        folder=folder,
    )


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _text(path: str | Path) -> str:
    try:
        data = Path(path).read_bytes().removeprefix(BOM_UTF8)
    except FileNotFoundError:
        raise ConfigError([_line(f"{path}: no such file")]) from None
    except (OSError, ValueError) as error:
        raise ConfigError([_line(f"{path}: cannot be read: {getattr(error, 'strerror', error)}")]) from None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        raise ConfigError([_line(f"{path}:{line}:{column}: not UTF-8; save the file in this encoding")]) from None


def _document(path: str | Path, text: str) -> dict[str, Any]:
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
    _check_label(("tournament", "name"), file.tournament.name, LONGEST_TITLE, reader)
    for clock in Clocks.__struct_fields__:
        seconds = getattr(file.time, clock)
        if not 0 < seconds <= LONGEST_CLOCK_S:
            reader.add(("time", clock), f"expected seconds above 0, at most {LONGEST_CLOCK_S}, got {seconds:g}")
    if file.faults.strikes < 1:
        reader.add(("faults", "strikes"), f"expected int >= 1, got {file.faults.strikes}")
    for name, least in _LEAST.items():
        if (value := getattr(file.limits, name)) < least:
            reader.add(("limits", name), f"expected int >= {least}, got {value}")


def _check_trust(file: _File, reader: Reader) -> None:
    """Other people's programs run under `bwrap`, or the organiser says in so many words that he trusts them."""
    owners = sorted({bot.owner or "(none)" for bot in file.bots or () if bot.builtin is None})
    if len(owners) > 1 and file.tournament.isolation != "bwrap" and file.tournament.trust is None:
        some = ", ".join(owners[:5]) + ", ..." * (len(owners) > 5)
        text = (
            f'bots of {len(owners)} owners ({some}) need isolation = "bwrap"'
            ', or trust = "all" if every one of them may read and change all that you can; see `golfref doctor`'
        )
        reader.add(("tournament", "isolation"), text)


def _check_label(path: KeyPath, text: str | None, longest: int, reader: Reader) -> None:
    """A name must be there, and show as what it is: no control or bidi characters, no blanks around it."""
    if text is None:
        reader.missing(path)
    elif not (0 < len(text) <= longest and text.isprintable() and text == text.strip()):
        reader.add(path, f"expected 1 to {longest} printable characters, without blanks around them")


def _check_unique(section: str, items: Sequence[_Variant | _Bot], stand_in: str, reader: Reader) -> None:
    """No two of a section go by the same name, which is `stand_in`'s value where no `name` is given."""
    first: dict[str, KeyPath] = {}
    for index, item in enumerate(items):
        key = stand_in if item.name is None else "name"
        name, path = getattr(item, key), (section, index, key)
        if name in first:
            hint = "" if key == "name" else "; give this one a `name`"
            reader.add(path, f"the name `{name}` is taken{hint}", first=first[name])
        elif name is not None:
            first[name] = path


def _entries(file: _File, reader: Reader) -> list[Entry]:
    if file.variants is None:
        reader.missing(("variants",), "expected at least one [[variants]]")
    entries = []
    for index, given in enumerate(file.variants or ()):
        path: KeyPath = ("variants", index)
        if given.name is not None:
            _check_label((*path, "name"), given.name, LONGEST_NAME, reader)
        variant = _variant(given, path, reader)
        if variant is not None:
            seats = file.tournament.seats if given.seats is None else given.seats
            _check_seats(variant, seats, given, path, reader)
            entries.append(Entry(name=given.name or variant.preset, variant=variant, seats=seats))
    _check_unique("variants", file.variants or (), "preset", reader)
    return entries


def _variant(given: _Variant, path: KeyPath, reader: Reader) -> Variant | None:
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


def _check_seats(variant: Variant, seats: int, given: _Variant, path: KeyPath, reader: Reader) -> None:
    """The seats must suit the variant (GEN-14)."""
    key = "preset" if given.seats is None else "seats"
    problem = seat_problem(variant, seats)
    if problem is None or reader.wrong((*path, "seats")):
        return
    if problem.option in given.options:
        reader.add((*path, "options", problem.option), problem.text)
    else:
        reader.add((*path, key), problem.text + ("" if key == "seats" else ", as [tournament] has it"))


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


def _bots(file: _File, folder: str, reader: Reader) -> list[BotSpec]:
    if file.bots is None:
        reader.missing(("bots",), "expected at least one [[bots]]")
    given = file.bots or ()
    level = file.tournament.isolation
    specs = [_bot(bot, ("bots", index), folder, level, reader) for index, bot in enumerate(given)]
    _check_unique("bots", given, "builtin", reader)
    return [spec for spec in specs if spec is not None]


def _bot(given: _Bot, path: KeyPath, folder: str, isolation: Isolation, reader: Reader) -> BotSpec | None:
    """The bot, as far as it can be told; what is wrong with it is noted."""
    if given.name is not None or given.builtin is None:
        _check_label((*path, "name"), given.name, LONGEST_NAME, reader)
    if given.owner is not None:
        _check_label((*path, "owner"), given.owner, LONGEST_TITLE, reader)
    for variable in given.env:
        if not variable or "=" in variable or "\0" in variable:
            reader.add((*path, "env", variable), "cannot be the name of an environment variable", at_key=True)
    if given.command is not None and given.builtin is not None:
        reader.add((*path, "builtin"), "a bot has either `builtin` or `command`, not both", at_key=True)
    elif given.builtin is not None:
        return _builtin(given, given.builtin, path, reader)
    elif given.command is not None:
        return _own(given, path, folder, isolation, reader)
    elif not reader.wrong((*path, "command")) and not reader.wrong((*path, "builtin")):
        reader.add(path, "expected `command` or `builtin`")
    return None


def _builtin(given: _Bot, name: str, path: KeyPath, reader: Reader) -> BotSpec | None:
    if given.dir is not None:
        reader.add((*path, "dir"), "goes with `command` only; a shipped bot starts in its own folder", at_key=True)
    try:
        bot = builtin_bot(name)
    except BadBot as error:
        reader.add((*path, "builtin"), str(error))
        return None
    return replace(bot, name=given.name or name, env=given.env, owner=given.owner or "")


def _own(given: _Bot, path: KeyPath, folder: str, isolation: Isolation, reader: Reader) -> BotSpec | None:
    command = given.command or ()
    start = os.path.normpath(os.path.join(folder, given.dir or ""))
    reads = tuple(os.path.normpath(os.path.join(folder, path)) for path in given.reads)
    bot = BotSpec(
        name=given.name or "", command=command, dir=start, env=given.env, reads=reads, owner=given.owner or ""
    )
    for index, place in enumerate(reads):
        if not os.path.exists(place):
            reader.add((*path, "reads", index), f"there is no {place}")
    if not os.path.isdir(start):
        reader.add((*path, "dir"), f"there is no folder {start}")
    elif not command[0]:
        reader.add((*path, "command", 0), "expected the name of a program, got an empty string")
    elif command[0].startswith(BUILTIN):
        reader.add((*path, "command"), f'a shipped bot is named by `builtin = "{command[0].removeprefix(BUILTIN)}"`')
    elif not reader.wrong((*path, "dir")) and (problem := find_problem(bot, isolation)):
        reader.add((*path, "command"), problem)
    return bot


def _placed(path: str | Path, text: str, problems: list[Problem]) -> list[str]:
    """The problems as lines for people, in the order of their places."""
    from referee.tournament.positions import Place, Places  # noqa: PLC0415 - loads tree-sitter

    places = Places(text)
    lines: list[tuple[Place, str]] = []
    for problem in problems:
        place = places.key(problem.path) if problem.at_key else places.value(problem.path)
        first = "" if problem.first is None else f" (first in line {places.value(problem.first).line})"
        what = f"{_dotted(problem.path)}: {problem.text}{first}"
        lines.append((place, _line(f"{path}:{place.line}:{place.column}: {what}")))
    return [line for _, line in sorted(lines, key=itemgetter(0))]


def _dotted(path: KeyPath) -> str:
    """A path as people write it: `bots[1].env."odd key"`."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key if _BARE.fullmatch(key) else repr(key)}" for key in path)
    return "".join(parts).removeprefix(".")


def _line(text: str) -> str:
    """Nothing of a config reaches a terminal as a control or bidi character."""
    return printable(text, LONGEST_LINE)


_BARE = re.compile(r"[A-Za-z0-9_-]+")
