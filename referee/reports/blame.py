"""Tells a bot's author why it was at fault: how, where in the match, with which line, and what it wrote to stderr."""

from collections.abc import Iterator

from msgspec import Struct

from referee.rules.game import Game
from referee.rules.record import Forfeit, Given, GivenSlaps, GivenTogether, Mishap, Move, Record, walk
from referee.rules.table.asks import Ask

LAST_LINES = 15
"""How many lines of a bot's standard error are shown."""


class Blame(Struct, frozen=True, kw_only=True):
    """A fault and where it happened."""

    where: str
    """Such as `round 3, turn` or `before the match`."""
    mishap: Mishap
    forfeits: bool


def explain(record: Record, seat: int, number: int | None = None) -> Iterator[str]:
    """Lines about a seat's faults, the first of each kind. There are none where it made no fault. Raises BrokenRecord.

    With `number` they say which match of a run it was.
    """
    who = f"seat {seat} {record.seats[seat].name}"
    if number is not None:
        who = f"match {number}, {who}"
    counts = record.seats[seat].faults
    told: set[str] = set()
    for blame in _blames(record, seat):
        mishap = blame.mishap
        if mishap.kind not in told:
            told.add(mishap.kind)
            times = f" ({counts[mishap.kind]} times, first here)" if counts.get(mishap.kind, 0) > 1 else ""
            yield f"{who}, {blame.where}: {mishap.kind}: {mishap.detail}{times}"
            if mishap.line:
                yield f"  its line: {mishap.line}"
    if record.seats[seat].late_slaps:
        yield f"{who}: {_late(record, seat)}"
    if told:
        yield from stderr_lines(record, seat)


def late_hint(move: Move, seat: int) -> str | None:
    """What may be the reason why a seat was late in a slap window, which is no fault. None where it was not late."""
    reactions = move.reactions if isinstance(move, GivenSlaps) else ()
    return next((reaction.hint for reaction in reactions if reaction.seat == seat and reaction.late), None)


def stderr_lines(record: Record, seat: int, last: int = LAST_LINES) -> Iterator[str]:
    """The end of what a bot wrote to standard error, if it wrote anything."""
    bot = record.seats[seat]
    lines = bot.stderr.splitlines()
    if lines:
        yield f"  the end of its standard error ({bot.stderr_bytes} bytes):"
        yield from (f"  | {line}" for line in lines[-last:])


def mishap_of(move: Move, seat: int) -> Mishap | None:
    """The fault of this seat in a move, if there is one."""
    match move:
        case Forfeit() | Given():
            return move.fault if move.seat == seat else None
        case GivenTogether():
            return next((given.fault for given in move.answers if given.seat == seat), None)
        case GivenSlaps():
            return next((reaction.fault for reaction in move.reactions if reaction.seat == seat), None)


def _late(record: Record, seat: int) -> str:
    """How often it was late in slap windows and by how much, or where nothing came, what there was the first time."""
    windows = [move for move in record.moves if isinstance(move, GivenSlaps)]
    reactions = [one for move in windows for one in move.reactions if one.seat == seat]
    late = [one for one in reactions if one.late]
    miss_us = record.seats[seat].nearest_miss_us
    more = f"the first time: {late[0].hint}" if miss_us is None else f"the nearest came {miss_us / 1e6:.3g} s too late"
    return f"no answer within {record.clocks.slap_s:g} s in {len(late)} of {len(reactions)} slap windows; {more}"


def _blames(record: Record, seat: int) -> Iterator[Blame]:
    for game, move in walk(record):
        mishap = mishap_of(move, seat)
        if mishap is not None:
            where = "before the match" if mishap.kind in ("start_failed", "start_timeout") else _where(game)
            yield Blame(where=where, mishap=mishap, forfeits=isinstance(move, Forfeit))


def _where(game: Game) -> str:
    question = game.question
    if question is None:
        return "after the last round"
    ask = question if isinstance(question, Ask) else question.asks[0]
    return f"round {game.table.round}, {ask.decision}"
