"""Why a bot was at fault, for its author: how, where in the match, with which line, and what it wrote to stderr."""

import os
import re
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from protocol.text import harmless
from referee.play.spec import SHIPPED
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.record import BrokenRecord, Forfeit, Given, GivenSlaps, GivenTogether, Mishap, Move, Record, walk

LAST_LINES = 15
"""How many lines of a bot's standard error are shown."""

PAGE = SHIPPED / "MISBEHAVES.md"
"""The page for authors, which is installed beside the shipped bots."""

EXAMPLES = 3
"""How many matches are named for each bot and kind of fault."""


class PlacedFault(Struct, frozen=True, kw_only=True):
    """A fault and where it happened."""

    where: str
    """Such as `round 3, turn` or `before the match`."""
    mishap: Mishap
    forfeits: bool


class FaultLog:
    """In which of many matches which bot was at fault, and how."""

    def __init__(self, one: str, many: str) -> None:
        """`one` and `many` are the words for what is numbered, such as `match` and `matches`."""
        self.first: dict[str, tuple[int, int]] = {}
        """By bot, the number of the first match in which it was at fault, and its seat there."""
        self._one, self._many = one, many
        self._numbers: Mapping[str, Mapping[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    def note(self, number: int, bots: Sequence[str], faults: Sequence[Mapping[str, int]]) -> None:
        """Note the faults of a match, by seat as the bots are."""
        for seat, (bot, kinds) in enumerate(zip(bots, faults, strict=True)):
            for kind in kinds:
                self.first.setdefault(bot, (number, seat))
                self._numbers[bot][kind].append(number)

    def in_words(self, bot: str) -> str:
        """Such as `timeout in match 44; illegal_action in matches 34, 35, 40 and 22 more`."""
        return "; ".join(f"{kind} in {self._named(numbers)}" for kind, numbers in self._numbers[bot].items())

    def _named(self, numbers: Sequence[int]) -> str:
        more = f" and {len(numbers) - EXAMPLES} more" if len(numbers) > EXAMPLES else ""
        what = self._one if len(numbers) == 1 else self._many
        return f"{what} {', '.join(map(str, numbers[:EXAMPLES]))}{more}"


def read_on(where: str, seat: int, name: str) -> str:
    """Which command prints the whole conversation with a bot; `where` is its match, as people name it."""
    bot = name if name == shlex.quote(name) else str(seat)
    return f"  all of it: golfref transcript {shlex.quote(where)} --bot {bot}"


def page_for_authors() -> str:
    """Where the author of a bot that was at fault finds what to do."""
    return f"what to do about a fault: {PAGE}"


def explain(record: Record, seat: int, which: str = "") -> Iterator[str]:
    """Lines about a seat's faults, the first of each kind. There are none where it made no fault. Raises BrokenRecord.

    `which` names the match, such as `match 17`, where there are several.
    """
    if seat >= len(record.seats):
        raise BrokenRecord(f"it has no seat {seat}")
    bot = record.seats[seat]
    who = harmless(f"{which}{', ' * bool(which)}seat {seat} {bot.name}")
    first: dict[str, PlacedFault] = {}
    for one in faults_of(record, seat):
        first.setdefault(one.mishap.kind, one)
    for kind, one in first.items():
        times = f" ({bot.faults[kind]} times, first here)" if bot.faults.get(kind, 0) > 1 else ""
        yield f"{who}, {one.where}: {kind}: {harmless(one.mishap.detail)}{times}"
        if one.mishap.line:
            yield f"  its line: {harmless(one.mishap.line)}"
    if bot.late_slaps:
        yield f"{who}: {harmless(late_in_words(record, seat))}"
    if first:
        yield from stderr_end(bot.stderr, bot.stderr_bytes)


def published_detail(mishap: Mishap) -> str:
    """What was wrong, for everybody: where a program could not be started, without its path on the organiser's host."""
    if mishap.kind != "start_failed" or "/" not in mishap.detail:
        return mishap.detail
    found = re.search(r"\[Errno (\d+)\]", mishap.detail)
    return f"its program cannot be started{f': {os.strerror(int(found[1]))}' if found else ''}"


def late_hint(move: Move, seat: int) -> str | None:
    """What may be the reason why a seat was late in a slap window, which is no fault. None where it was not late."""
    reactions = move.reactions if isinstance(move, GivenSlaps) else ()
    return next((reaction.hint for reaction in reactions if reaction.seat == seat and reaction.late), None)


def stderr_end(text: str, size: int, last: int = LAST_LINES) -> Iterator[str]:
    """The end of a standard error of so many bytes, if there is any."""
    if lines := text.splitlines():
        yield f"  the end of its standard error ({size} bytes):"
        yield from (f"  | {harmless(line)}" for line in lines[-last:])


def stderr_start(text: str, size: int, most: int) -> tuple[list[str], int]:
    """The start of a standard error of so many bytes, at most `most` lines of it, and how many lines are left out."""
    lines = text.splitlines()
    heading = [f"  its standard error ({size} bytes):"] if lines else []
    return heading + [f"  | {harmless(line)}" for line in lines[:most]], max(len(lines) - most, 0)


def mishap_of(move: Move, seat: int) -> Mishap | None:
    """The fault of this seat in a move, if there is one."""
    match move:
        case Forfeit() | Given():
            return move.fault if move.seat == seat else None
        case GivenTogether():
            return next((given.fault for given in move.answers if given.seat == seat), None)
        case GivenSlaps():
            return next((reaction.fault for reaction in move.reactions if reaction.seat == seat), None)


def late_in_words(record: Record, seat: int) -> str:
    """How often it was late in slap windows and by how much, or where nothing came, what there was the first time."""
    windows = [move for move in record.moves if isinstance(move, GivenSlaps)]
    reactions = [one for move in windows for one in move.reactions if one.seat == seat]
    late = [one for one in reactions if one.late]
    miss_us = record.seats[seat].nearest_miss_us
    first = [f"; the first time: {one.hint}" for one in late[:1]]
    more = first if miss_us is None else [f"; the nearest came {miss_us / 1e6:.3g} s too late"]
    slap_s = (record.seats[seat].clocks or record.clocks).slap_s
    return f"no answer within {slap_s:g} s in {len(late)} of {len(reactions)} slap windows{''.join(more)}"


def faults_of(record: Record, seat: int) -> Iterator[PlacedFault]:
    """All faults of a seat in the order in which they came. Raises BrokenRecord."""
    if not record.seats[seat].faults:
        return  # so the match need not be replayed
    for game, move in walk(record):
        mishap = mishap_of(move, seat)
        if mishap is not None:
            where = "before the match" if mishap.kind in ("start_failed", "start_timeout") else _where(game)
            yield PlacedFault(where=where, mishap=mishap, forfeits=isinstance(move, Forfeit))


def _where(game: Game) -> str:
    question = game.question
    if question is None:
        return "after the last round"
    ask = question if isinstance(question, Ask) else question.asks[0]
    return f"round {game.table.round}, {ask.decision}"
