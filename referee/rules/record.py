"""The record of a match: its options, chance outcomes, answers, slap orders and forfeits.

A replay of the record yields the same events, or the record is wrong. Beside what a replay needs, the record keeps
times, faults, names and what passed on the wire: the lines of the bots as they wrote them, and as much of what they
were sent as it takes to tell it again and to prove it. This module never measures or judges any of that.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct, field

from protocol.actions import Action, Target
from protocol.messages import Clocks, FaultKind, FaultPolicy, GameMessage, Limits
from referee.errors import CHECK_FAILED, GolfrefError
from referee.rules.chance import Chance, Recorded, RoundOutcomes
from referee.rules.counts import SeatCounts
from referee.rules.game import Game
from referee.rules.match import MatchResult
from referee.rules.questions import IllegalAnswer, Question, Response, Sealed, Slap, SlapOrder, Window
from referee.rules.table import Table
from referee.rules.variants import from_record

FORMAT = 4
"""The record format's number. It rises with any change of what is kept, or of what bots are sent in a match.

So the bytes that were sent follow from every record that this version reads.
"""

READS_EARLIER = "golfref 0.8.0"
"""What reads the formats before this one."""


class Mishap(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fault of a bot: its kind, what was wrong, and the start of the line where it happened."""

    kind: FaultKind
    detail: str
    line: str = ""


class Given(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True, tag="answer", tag_field="move"):
    """A seat's answer: what was played, the time it took in microseconds, and its fault, if any. See `was_asked`."""

    seat: int
    action: Action
    time_us: int = 0
    waived_us: int = 0
    """Time that is not charged and not in `time_us`: the referee did not look, or the bot could not run."""
    joined: bool = False
    """Whether it came together with the seat's previous answer (DEC-15), so that no request was sent for it."""
    fault: Mishap | None = None


class GivenTogether(Struct, frozen=True, kw_only=True, tag="sealed", tag_field="move"):
    """The answers to a sealed question, in the order of its asks."""

    answers: tuple[Given, ...]


class Reaction(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one seat did in a slap window, and the measurement, in microseconds.

    `raw_us` runs from the moment at which the bot could go on, with the window in its pipe, to the arrival of its
    answer, less the time for which the referee waited for a core. `wait_us` is the time for which the bot's tasks
    waited for one, and `corrected_us` is what counts. A seat that was not asked has no times.
    """

    seat: int
    target: Target | None = None
    raw_us: float | None = None
    wait_us: float | None = None
    corrected_us: float | None = None
    late: bool = False
    """Whether no answer came in time, which is a pass and no fault."""
    hint: str = ""
    """The likely reason, if the answer was late."""
    fault: Mishap | None = None


class GivenSlaps(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="slaps", tag_field="move"):
    """A slap window: who was asked in which order, the reactions, the lots drawn, and the order that came out."""

    round: int
    window: int
    asked: tuple[int, ...]
    reactions: tuple[Reaction, ...]
    lots: tuple[int, ...]
    order: tuple[int, ...]
    disturbed: str = ""
    """Why the measurement is in doubt, if it is."""


class Forfeit(Struct, frozen=True, kw_only=True, tag="forfeit", tag_field="move"):
    """A seat forfeited at this point of the match."""

    seat: int
    fault: Mishap


Move = Given | GivenTogether | GivenSlaps | Forfeit


def was_asked(given: Given, forfeited: Container[int]) -> bool:
    """Whether a request was sent for this answer, where these seats have forfeited in the moves before it.

    The time of an answer that was asked for may be 0, where it was there when the referee looked first, or all of it
    was waived. The answer by which a seat forfeits stands after the Forfeit, with its fault.
    """
    return not given.joined and (given.fault is not None or given.seat not in forfeited)


def asked_in(moves: Iterable[Move]) -> Iterator[Given]:
    """The answers for which a request was sent, in order; slaps are none."""
    forfeited = set[int]()
    for move in moves:
        if isinstance(move, Forfeit):
            forfeited.add(move.seat)
        answers = move.answers if isinstance(move, GivenTogether) else (move,) if isinstance(move, Given) else ()
        yield from (given for given in answers if was_asked(given, forfeited))


class Line(Struct, frozen=True, array_like=True):
    """A line that a bot wrote: when, how long it was, and its start, its newline included where that is reached."""

    after: int
    """How many messages that await an answer had been written to the bot when the line came; the first is `hello`."""
    size: int
    """Bytes, newline included."""
    text: str
    """The text as it came: it is not safe to show. Bytes that are no UTF-8 stand as U+FFFD."""


class SeatRecord(Struct, frozen=True, kw_only=True):
    """The bot on a seat: its name here, what it said of itself in `ready`, its command, and what passed on its wire.

    "Sent" is what the referee handed to the bot's pipe: a bot that does not read may not have taken all of it.
    "Wrote" is what the referee read of the bot's standard output.
    """

    name: str
    ready: bool = True
    """Whether the bot has said `ready`. The next fields are what it said in it."""
    ready_name: str = ""
    version: str = ""
    author: str = ""
    owner: str = ""
    command: tuple[str, ...] = ()
    wants_slaps: bool = True
    wants_table: bool = True
    seed: int = 0
    clocks: Clocks | None = None
    """Its limits, where they are not those of the match: a person at a table with bots has more time."""
    matches_before: int = 0
    """How many matches its process had played before: 0 says that it was started, and sent `hello`, for this one."""
    faults: dict[str, int] = field(default_factory=dict)
    late_slaps: int = 0
    nearest_miss_us: int | None = None
    """The least time by which an answer to a slap request came too late; None where none came."""
    idle_cpu_ms: int = 0
    """What it computed outside its turns, as far as the referee saw it, which looks ten times a second.

    Nobody looks under the isolation `none`. Without the record's `counts_cpu`, processes that had ended may be missing.
    """
    unasked_lines: int = 0
    stderr_bytes: int = 0
    stderr: str = ""
    """The start of its standard error, as far as it is kept, escaped."""
    forfeited: bool = False
    sent_bytes: int = 0
    sent_sha256: str = ""
    wrote_lines: int = 0
    wrote_bytes: int = 0
    lines: tuple[Line, ...] = ()
    """What it wrote, in order and up to a bound. `wrote_lines` and `wrote_bytes` count the rest too."""


class Record(Struct, frozen=True, kw_only=True):
    """A whole match."""

    format: int = FORMAT
    golfref: str
    protocol: str
    preset: str
    name: str
    options: dict[str, Any]
    seed: str = ""
    """The seed text, where the match was given one of its own."""
    deal_key: str
    """The key in hex. With a given deck (`stacked`) the deals cannot be derived from it alone."""
    stacked: bool = False
    id_key: str
    """The key, in hex, from which the ids of the match's requests are derived."""
    isolation: str
    limits: dict[str, Any] = field(default_factory=dict)
    """What each bot could use of the host at most, as far as the isolation bounds it."""
    cgroups: tuple[str, ...] = ()
    """The resources that were bounded by control groups."""
    counts_cpu: bool = False
    """Whether control groups counted all that the bots computed, also in processes that had ended."""
    host: str
    lag_us: int = 0
    """The longest time in which the referee did not look at its pipes during the match."""
    games: tuple[GameMessage, ...]
    """All that was to be played, as `hello` told it."""
    bounds: Limits
    """The bounds of a bot's output, as `hello` told them."""
    clocks: Clocks
    faults: FaultPolicy
    seats: tuple[SeatRecord, ...]
    rounds: tuple[RoundOutcomes, ...]
    moves: tuple[Move, ...]
    result: MatchResult
    counts: tuple[SeatCounts, ...] = ()
    """By seat; empty while the match is played."""


class NoRecord(GolfrefError, ValueError):
    """There is no record that this version reads; the text says what was looked for, or what is there instead."""


class BrokenRecord(GolfrefError, ValueError):
    """A record that does not replay; the text says at which move and why."""

    exit_code = CHECK_FAILED


class Head(Struct):
    """What every format of a record has."""

    format: int
    golfref: str
    protocol: str


def other_format(found: int) -> str:
    """What reads a record of another format than ours, in words that begin with the format."""
    other = f"; {READS_EARLIER} reads it" if found < FORMAT else ""
    return f"format {found}{other}; this version reads format {FORMAT}"


def read_record(data: bytes) -> Record:
    """Return the record that is written as one line of JSON. Raises NoRecord where it is none, or of another format."""
    try:
        head = msgspec.json.decode(data, type=Head)
        if head.format != FORMAT:
            raise NoRecord(f"a record of {other_format(head.format)}")
        record = msgspec.json.decode(data, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NoRecord(f"not a golfref record: {error}") from None
    if not record.seats:
        raise NoRecord("not a golfref record: it has no seats")
    return record


def walk(
    record: Record, chance: Chance | None = None, *, kind: Callable[..., Table] = Table
) -> Iterator[tuple[Game, Move]]:
    """Play the record again: yield the game and the next move before each move, then go on with it.

    `chance` takes the place of the recorded chance outcomes, and `kind` is as in `Game`. Raises BrokenRecord where a
    move is illegal, chance outcomes are missing, or moves are missing or left over.
    """
    source = chance or Recorded(record.rounds)
    played = 0
    try:
        game = Game(from_record(record.preset, record.options), len(record.seats), source, kind=kind)
        for move in record.moves:
            if isinstance(move, Forfeit) and not 0 <= move.seat < len(record.seats):
                raise IllegalAnswer(f"there is no seat {move.seat}")
            yield game, move
            played += 1
            if isinstance(move, Forfeit):
                game.forfeit(move.seat)
            else:
                game.answer(_response(game.question, move))
    except (IllegalAnswer, LookupError) as error:
        if chance is not None and not isinstance(error, IllegalAnswer):
            raise  # nothing that was recorded can be missing
        raise BrokenRecord(f"move {played}: {error}") from None
    if game.question is not None:
        raise BrokenRecord(f"the record ends after move {played}, but the match does not")


def replay(record: Record, chance: Chance | None = None) -> Game:
    """Return the game that the record tells, played to its end. Raises BrokenRecord as `walk` does."""
    last = None
    for game, _ in walk(record, chance):
        last = game
    if last is None:
        raise BrokenRecord("the record has no moves")
    return last


def _response(question: Question | None, move: Given | GivenTogether | GivenSlaps) -> Response:
    if isinstance(move, GivenSlaps):
        targets = {reaction.seat: reaction.target for reaction in move.reactions}
        slaps = [(seat, targets.get(seat)) for seat in move.order]
        return SlapOrder(slaps=tuple(Slap(seat=seat, target=target) for seat, target in slaps if target is not None))
    if isinstance(move, GivenTogether):
        if not isinstance(question, Sealed) or [g.seat for g in move.answers] != [a.seat for a in question.asks]:
            raise IllegalAnswer("other seats are asked here")
        return tuple(given.action for given in move.answers)
    if isinstance(question, Sealed | Window) or question is None or question.seat != move.seat:
        raise IllegalAnswer(f"seat {move.seat} is not asked here")
    return move.action
