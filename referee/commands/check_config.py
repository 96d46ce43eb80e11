"""check CONFIG: the conformance check of a whole competition, with one table, and a letter for each author."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import (
    CHECK_FAILED,
    DONE,
    HOST_FAILED,
    INTERRUPTED,
    USAGE,
    put,
    put_json,
    say,
    screen_width,
)
from referee.commands.interrupt import Signals
from referee.competition.checking import Checked, OneBot, check_bots
from referee.competition.letters import file_names, folder_for, letter
from referee.entries.versions import short
from referee.new_file import HostRefused, NotWritten, new_file
from referee.play.faults import HostFault
from referee.play.isolation.levels import bubblewrap
from referee.play.session import Interrupted
from referee.play.spec import BotSpec
from referee.reports.tables.figures import duration
from referee.reports.tables.layout import Column, fitted, wrapped
from referee.reports.tables.names import Names
from referee.tournament.config.config import Config, ConfigError, load

NAMES_WIDTH = 0.75
"""The part of a table's width by which the names of bots and games are cut."""


class ConfigOrdered(Struct, frozen=True, kw_only=True):
    """What `golfref check CONFIG` is asked to do."""

    config: Path
    bots: Sequence[str]
    """The names of those that are checked; none: all that are no shipped ones."""
    letters: Path | None
    """Where the letters go; None: beside the config."""
    as_json: bool
    again: bool


class BadOrder(Exception):
    """The command line asks for something that the config has not; the text says what to change."""


def check_config(order: ConfigOrdered, signals: Signals) -> int:
    """Check the bots of a competition, tell what came of it, and write the letters. Returns the exit code."""
    try:
        with signals:
            return _check(order, signals)
    except ConfigError as error:
        say(*error.lines)
        return USAGE
    except BadOrder as error:
        say(f"golfref check: {error}")
        return USAGE
    except HostFault as fault:
        say(f"golfref check: {fault}")
        return HOST_FAILED
    except NotWritten as error:
        say(f"golfref check: {error}")
        return HOST_FAILED if isinstance(error, HostRefused) else USAGE
    except Interrupted:
        say("golfref check: interrupted; what was checked whole is told above, and checked again next time")
        return INTERRUPTED


def _check(order: ConfigOrdered, signals: Signals) -> int:
    config = load(order.config)
    bots = _chosen(config, order.bots)
    if config.isolation == "bwrap":
        bubblewrap()
    told = _Telling(len(bots))
    with signals.held():
        found = check_bots(config, bots, again=order.again, tell=told.tell)
    folder = order.letters or folder_for(config)
    _write_letters(config, found, folder)
    if order.as_json:
        put_json(msgspec.json.encode(_json(found)))
    else:
        put(*_lines(config, found, folder))
    if any(not isinstance(one.came_to, Checked) for one in found):
        return HOST_FAILED
    return CHECK_FAILED if any(_verdict(one) == "fail" for one in found) else DONE


def _chosen(config: Config, names: Sequence[str]) -> list[BotSpec]:
    """The bots that are checked: those of these names, or all that are no shipped ones. Raises BadOrder."""
    known = {bot.name: bot for bot in config.bots}
    if unknown := [name for name in names if name not in known]:
        raise BadOrder(f"--bot {printable(unknown[0], 60)}: {config.file} has {', '.join(known)}")
    bots = [known[name] for name in dict.fromkeys(names)] or [bot for bot in config.bots if bot.builtin is None]
    if not bots:
        raise BadOrder(f"{config.file} has shipped bots only; --bot NAME checks one of them")
    return bots


class _Telling:
    """Says on stderr which bots have been checked."""

    def __init__(self, bots: int) -> None:
        self._bots, self._done = bots, 0

    def tell(self, one: OneBot, seconds: float) -> None:
        """Say what a bot's check came to."""
        self._done += 1
        took = duration(seconds) if one.is_new else "kept from before"
        say(f"checked {self._done} of {self._bots}: {one.bot.name}: {_verdict(one)}, {took}")
        if one.has_changed:
            say(
                f"WARNING: the files of {one.bot.name} changed while it was checked; this is about version "
                f"{short(one.version)}, as it was before"
            )


def _verdict(one: OneBot) -> str:
    return one.came_to.verdict if isinstance(one.came_to, Checked) else "void"


def _write_letters(config: Config, found: Sequence[OneBot], folder: Path) -> None:
    names = file_names(one.bot.name for one in found)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotWritten(f"{folder}: the folder cannot be made: {error.strerror}") from None
    for one in found:
        if isinstance(one.came_to, Checked):
            with new_file(folder / names[one.bot.name], replaces=True) as file:
                file.write(letter(config, one).encode())


def _json(found: Sequence[OneBot]) -> dict[str, object]:
    return {
        "bots": [
            {
                "bot": one.bot.name,
                "owner": one.bot.owner,
                "version": one.version,
                "verdict": _verdict(one),
                "is_new": one.is_new,
                "has_changed": one.has_changed,
                "check": one.came_to,
            }
            for one in found
        ]
    }


# For people


def _lines(config: Config, found: Sequence[OneBot], folder: Path) -> Iterator[str]:
    width = screen_width()
    header, rule, *rows = _table(found, width).splitlines()
    titles = [header]
    while not rule.startswith("--"):
        titles.append(rule)
        rule, *rows = rows
    yield from (*titles, rule)
    for one, row in zip(found, rows, strict=True):
        yield row
        yield from (f"    {line}" for line in wrapped(_words(one), width - 4).splitlines())
    yield ""
    counts = {verdict: sum(_verdict(one) == verdict for one in found) for verdict in ("pass", "warn", "fail", "void")}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    games = f"{len(config.variants)} games" if len(config.variants) > 1 else "1 game"
    yield wrapped(f"{len(found)} bots in {games}: {told}. For each there is a letter in {folder}.", width)
    yield from _about_times(found, width)


def _about_times(found: Sequence[OneBot], width: int) -> Iterator[str]:
    most = max((one.came_to.side_by_side for one in found if isinstance(one.came_to, Checked)), default=1)
    if most > 1:
        yield wrapped(
            f"Times: up to {most} bots were checked at a time. Whoever was late or slow was checked again alone, and "
            "this is what counts.",
            width,
        )


def _table(found: Sequence[OneBot], width: int) -> str:
    bots = Names((one.bot.name for one in found), int(NAMES_WIDTH * width))
    games = Names((game for one in found if (game := _worst_game(one))), int(NAMES_WIDTH * width))
    columns = [
        Column(title="bot", cells=[bots(one.bot.name) for one in found], is_text=True),
        Column(title="version", cells=[short(one.version) for one in found], is_text=True, gives_way=2),
        Column(title="verdict", cells=[_MARKS[_verdict(one)] for one in found], is_text=True),
        Column(title="slowest answer\nof its limit, ms", cells=[_slowest(one) for one in found]),
        Column(title="memory\nMB", cells=[_memory(one) for one in found]),
        Column(
            title="worst game",
            cells=[games(game) if (game := _worst_game(one)) else "-" for one in found],
            is_text=True,
            gives_way=1,
        ),
    ]
    return fitted(columns, width).text


_MARKS = {"pass": "pass", "warn": "WARN", "fail": "FAIL", "void": "void"}


def _words(one: OneBot) -> str:
    return one.came_to.words if isinstance(one.came_to, Checked) else f"not checked: {one.came_to.problem}"


def _slowest(one: OneBot) -> str:
    if not isinstance(one.came_to, Checked) or one.came_to.slowest is None:
        return "-"
    slowest = one.came_to.slowest
    ms = f"{slowest.ms:.0f}" if slowest.ms >= 10 else f"{slowest.ms:.1f}"
    return f"{ms} of {slowest.limit_ms:.0f}"


def _memory(one: OneBot) -> str:
    memory = one.came_to.memory if isinstance(one.came_to, Checked) else None
    return "-" if memory is None else f"{memory.peak_mb:.0f}"


def _worst_game(one: OneBot) -> str:
    return one.came_to.worst_game if isinstance(one.came_to, Checked) else ""
