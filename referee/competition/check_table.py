"""The results of checks as a table: a row for each bot, and beneath it in few words what was found."""

from collections.abc import Iterator, Sequence
from typing import Any

from referee.competition.checks import CheckResult, OneBot
from referee.reports.tables.layout import Column, Names, fitted, wrapped
from referee.versions.ready import NotReady
from referee.versions.version import short

NAMES_WIDTH = 0.75
"""The part of the table's width by which the names of bots and games are cut."""

Row = OneBot | NotReady

_MARKS = {"pass": "pass", "warn": "WARN", "fail": "FAIL", "void": "void"}


def verdict_of(row: Row) -> str:
    """What a bot's check came to: `void` where the host spoiled it."""
    if isinstance(row, NotReady):
        return "fail"
    return row.came_to.verdict if isinstance(row.came_to, CheckResult) else "void"


def words_of(row: Row) -> str:
    """What was found, in few words."""
    if isinstance(row, NotReady):
        return f"fail: {row.problem}"
    return row.came_to.words if isinstance(row.came_to, CheckResult) else f"not checked: {row.came_to.problem}"


def as_json(rows: Sequence[Row]) -> dict[str, Any]:
    """All of it, for programs."""
    return {"bots": [_as_json(row) for row in rows]}


def _as_json(row: Row) -> dict[str, Any]:
    told = {"bot": row.name, "version": row.version or None, "verdict": verdict_of(row), "words": words_of(row)}
    if isinstance(row, NotReady):
        return told | {"problem": row.problem, "lines": row.lines, "check": None}
    checked = _checked(row)
    problem = None if isinstance(row.came_to, CheckResult) else row.came_to.problem
    more = {"owner": row.bot.owner, "is_new": row.is_new, "problem": problem}
    return told | more | {"check": checked}


def lines_of(rows: Sequence[Row], width: int) -> Iterator[str]:
    """The table, at most `width` cells wide. Columns that find no room are left out."""
    bots = Names((row.name for row in rows), int(NAMES_WIDTH * width))
    games = Names(filter(None, map(_worst_game, rows)), int(NAMES_WIDTH * width))
    columns: list[Column[Row]] = [
        Column("bot", lambda row: bots(row.name), is_text=True),
        Column("version", lambda row: short(row.version) or "-", is_text=True, gives_way=2),
        Column("verdict", lambda row: _MARKS[verdict_of(row)], is_text=True),
        Column("slowest answer\nof its limit, ms", _slowest),
        Column("memory\nMB", _memory),
        Column("worst game", lambda row: games(_worst_game(row)) or "-", is_text=True, gives_way=1),
    ]
    told = fitted(columns, rows, width).text.splitlines()
    above = len(told) - len(rows)
    yield from told[:above]
    for row, line in zip(rows, told[above:], strict=True):
        yield line
        yield from (f"    {words}" for words in wrapped(words_of(row), width - 4).splitlines())


def _checked(row: Row) -> CheckResult | None:
    return row.came_to if isinstance(row, OneBot) and isinstance(row.came_to, CheckResult) else None


def _slowest(row: Row) -> str:
    if (checked := _checked(row)) is None or checked.slowest is None:
        return "-"
    ms, limit_ms = checked.slowest.ms, checked.slowest.limit_ms
    return f"{ms:.0f} of {limit_ms:.0f}" if ms >= 10 else f"{ms:.1f} of {limit_ms:.0f}"


def _memory(row: Row) -> str:
    checked = _checked(row)
    return "-" if checked is None or checked.memory is None else f"{checked.memory.peak_mb:.0f}"


def _worst_game(row: Row) -> str:
    checked = _checked(row)
    return "" if checked is None else checked.worst_game
