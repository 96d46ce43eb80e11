"""A match as one of its bots knows it: all that it was sent and wrote, with its own times, faults and standard error.

This is what an author may have of a match that others played in too. It is made from a record, and holds nothing that
the bot's seat was not sent but what standings publish of every match: who played, the totals, the ranks, and how late
the referee was. It must not come to hold more: no cards that the seat did not see, no key or seed of others, no time,
line, command or standard error of another bot.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from protocol.actions import Action, Pass, Slap
from protocol.codec import answer_in, encode
from protocol.events import Event
from protocol.messages import Clocks, End, Fault, FaultKind, FromReferee, Request
from referee.play.talk.exchange import Delivery
from referee.play.talk.retell import Answered, Retelling
from referee.play.talk.script import hello
from referee.reports.faults import late_hint, mishap_of
from referee.rules.record import Forfeit, Given, Line, Move, NoRecord, Reaction, Record, read_record, walk
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

S = TypeVar("S", bound=Struct)

FORMAT: Literal["golfref-bot-match-1"] = "golfref-bot-match-1"
"""What the lines of a file of such matches say that they are."""


class Sent(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="sent", tag_field="what"):
    """What was written to the bot at once: a line, or `match` together with the first request."""

    text: str
    """As it was sent, newlines included."""
    awaits: str | None = None
    """The id of the request in it, `ready` for `hello`, None where no answer is due."""
    limit_s: float = 0.0
    """The time for the answer."""


class Wrote(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="wrote", tag_field="what"):
    """A line that the bot wrote, as far as it is kept. It stands after what had been sent when it was read."""

    text: str
    """Its start, as it came: it is not safe to show. Its newline is included where that is reached."""
    size: int
    """Bytes of the whole line."""
    ignored: str = ""
    """Why it answered nothing; empty where it was the answer or a fault, or too little of it is kept to say."""


class Took(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="took", tag_field="what"):
    """How long the answer to the last request took, in microseconds, and what was played by it."""

    us: float
    """As it was charged, in a slap window as it counted."""
    waived_us: int = 0
    """Time that was not charged and is not in `us`."""
    action: Action | None = None
    """None where it was a fault."""
    in_window: bool = False


class Joined(Struct, frozen=True, kw_only=True, tag="joined", tag_field="what"):
    """The last answer brought the next one along in `then` (DEC-15), so that no request was sent for it."""

    action: Action


class Faulted(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="fault", tag_field="what"):
    """A fault of the bot, where it happened."""

    kind: FaultKind
    detail: str
    line: str = ""
    forfeits: bool = False


class Late(Struct, frozen=True, kw_only=True, tag="late", tag_field="what"):
    """No answer came in time in a slap window, which is a pass and no fault."""

    hint: str


Entry = Sent | Wrote | Took | Joined | Faulted | Late


class RunPlace(Struct, frozen=True, kw_only=True):
    """Which match of a run it was."""

    run: str
    """The name of the run."""
    match: int | None
    """Its number in the plan; None where it is out of the standings."""
    id: int
    """The id of its row in the store."""
    block: int
    deal: int
    rotation: int
    redeals: int
    version: str
    """The version of the bot, as `standings --json` has it."""


class BotMatch(Struct, frozen=True, kw_only=True):
    """A match of one bot."""

    format: Literal["golfref-bot-match-1"] = FORMAT
    golfref: str
    protocol: str
    preset: str
    name: str
    """The game's name in tables."""
    place: RunPlace | None = None
    bots: tuple[str, ...]
    """The names of all bots, by seat."""
    seat: int
    """The seat of the bot whose match this is."""
    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    forfeited: bool
    faults: dict[str, int]
    late_slaps: int
    nearest_miss_us: int | None
    command: tuple[str, ...]
    isolation: str
    limits: dict[str, Any]
    clocks: Clocks
    """Those of its seat."""
    lag_us: int
    """The longest time in which the referee did not look at its pipes during the match."""
    idle_cpu_ms: int
    matches_before: int
    hello: str
    """The line that greeted its process, in this match or before an earlier one."""
    wrote_lines: int
    wrote_bytes: int
    stderr_bytes: int
    stderr: str
    """The start of its standard error, as far as it is kept, escaped."""
    wire: tuple[Entry, ...]

    @property
    def bot(self) -> str:
        """Its bot's name."""
        return self.bots[self.seat]


def bot_match(record: Record, seat: int, place: RunPlace | None = None) -> BotMatch:
    """The match as the bot on this seat knows it. Raises BrokenRecord, and ValueError for a key that is none."""
    bot = record.seats[seat]
    return BotMatch(
        golfref=record.golfref,
        protocol=record.protocol,
        preset=record.preset,
        name=record.name,
        place=place,
        bots=tuple(one.name for one in record.seats),
        seat=seat,
        totals=record.result.totals,
        ranks=record.result.ranks,
        forfeited=bot.forfeited,
        faults=bot.faults,
        late_slaps=bot.late_slaps,
        nearest_miss_us=bot.nearest_miss_us,
        command=bot.command,
        isolation=record.isolation,
        limits=record.limits,
        clocks=bot.clocks or record.clocks,
        lag_us=record.lag_us,
        idle_cpu_ms=bot.idle_cpu_ms,
        matches_before=bot.matches_before,
        hello=encode(hello(record.games, record.bounds, record.golfref)).decode(),
        wrote_lines=bot.wrote_lines,
        wrote_bytes=bot.wrote_bytes,
        stderr_bytes=bot.stderr_bytes,
        stderr=bot.stderr,
        wire=tuple(one.entry for one in on_wires(record, [seat])),
    )


def matches_of_bot(store: Store, bot: str, ids: Sequence[int]) -> Iterator[BotMatch]:
    """These matches of a run as the bot knows them: a new version of it meets other cards, so none is held back.

    Raises StoreError, and what a record raises that does not replay.
    """
    run = store.meta().config.name
    for id_ in ids:
        row = store.match(id_)
        try:
            record = read_record(store.record(id_))
        except NoRecord as error:
            raise StoreError(f"{store.path}: the record of match #{id_} is damaged ({error})") from None
        seat = row.identity.bots.index(bot)
        yield bot_match(record, seat, run_place(run, row, seat))


class OnWire(Struct, frozen=True, kw_only=True):
    """Something on the wire of a seat."""

    seat: int
    events: int
    """How many events had happened; an answer stands where its question was asked."""
    entry: Entry


def run_place(run: str, row: CommittedMatch, seat: int) -> RunPlace:
    """Where in its run a committed match stands, as the bot on this seat may know it."""
    return RunPlace(
        run=run,
        match=row.number,
        id=row.id,
        block=row.result.block,
        deal=row.identity.deal,
        rotation=row.identity.rotation,
        redeals=row.result.redeals,
        version=row.identity.versions[seat],
    )


def events_in(sent: Sent) -> Iterator[Event]:
    """The events that a line sent to the bot has, but for its own faults. Raises NoRecord for what is no message."""
    for line in sent.text.removesuffix("\n").split("\n"):
        try:
            message = msgspec.json.decode(line, type=FromReferee)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
            raise NoRecord(f"a line that was sent is no message of this version: {error}") from None
        if isinstance(message, Request | End):
            yield from (event for event in message.events if not isinstance(event, Fault))


def is_bot_match(data: bytes) -> bool:
    """Whether a line of a file is the match of a bot, and not the record of a whole one."""
    return data.startswith(b'{"format":"%b"' % FORMAT.encode())


def read_bot_match(data: bytes) -> BotMatch:
    """The match in a line of a file. Raises NoRecord."""
    match = _decoded(data, BotMatch)
    if not 0 <= match.seat < len(match.bots) == len(match.totals) == len(match.ranks):
        raise NoRecord("not a match of a bot: its seats are not those of its bots")
    return match


def number_of(data: bytes) -> RunPlace | None:
    """Where in its run the match in a line of a file stands; None where it is of no run. Raises NoRecord."""
    return _decoded(data, _Placed).place


class _Placed(Struct):
    place: RunPlace | None = None


def _decoded(data: bytes, kind: type[S]) -> S:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        is_cut = not data.rstrip().endswith(b"}")
        cut = "; the file is cut off: have it exported again" if is_cut else ""
        raise NoRecord(f"not a match of a bot: {error}{cut}") from None


_FAULTS_OF_LINES = ("bad_message", "illegal_action")
"""Faults that lie in the line that was taken for the answer."""


class _Asked(Struct):
    """What the seat was sent last: the id that an answer must have, and what came of it."""

    id: str | None = None
    given: Given | Reaction | None = None
    is_answered: bool = False
    """Whether the wire has how long the answer took."""

    @property
    def was_silent(self) -> bool:
        """Whether nothing came in time."""
        if isinstance(self.given, Reaction):
            return self.given.late
        return self.given is not None and self.given.fault is not None and self.given.fault.kind == "timeout"


def on_wires(record: Record, seats: Sequence[int]) -> Iterator[OnWire]:
    """All that the bots on these seats were sent and wrote, side by side, for each seat in order.

    Raises BrokenRecord where the record does not replay, and ValueError for a key that is none.
    """
    retelling = Retelling(record)
    wires = {seat: _Wire(record, seat) for seat in seats}
    game = None
    for game, move in walk(record):
        for delivery, answered in retelling.before(game, move):
            if delivery.seat in wires:
                yield from wires[delivery.seat].sent(delivery, answered, len(game.events))
        for wire in wires.values():
            yield from wire.moved(move, len(game.events))
    events = 0 if game is None else len(game.events)
    for wire in wires.values():
        yield from wire.written()
    for delivery in retelling.after():
        if delivery.seat in wires:
            yield OnWire(seat=delivery.seat, events=events, entry=Sent(text=delivery.data.decode()))


class _Wire:
    """The conversation with a seat in order, with the seat's faults where they happened."""

    def __init__(self, record: Record, seat: int) -> None:
        self._seat = seat
        self._lines = list(record.seats[seat].lines)
        self._count = 0
        """How many messages that await an answer have been sent."""
        self._asked = _Asked()
        self._events = 0
        """How many events had happened when it was asked."""
        self._earlier: dict[str, _Asked] = {}
        """What was asked before that, by the ids."""
        self._gone = False

    def sent(self, delivery: Delivery, answered: Answered | None, events: int) -> Iterator[OnWire]:
        """What the bot had written before it was sent this, and what it was sent."""
        yield from self.written()
        self._count += 1
        if self._asked.id is not None:
            self._earlier[self._asked.id] = self._asked
        self._asked = _Asked(id=delivery.awaits, given=None if answered is None else answered[1])
        self._events = events
        yield self._placed(Sent(text=delivery.data.decode(), awaits=delivery.awaits, limit_s=delivery.limit_s))

    def moved(self, move: Move, events: int) -> Iterator[OnWire]:
        """What the wire has of a move of this seat, if anything, after what the bot had written by then."""
        if not self._gone and (of_move := list(self._of_move(move))):
            self._events = events
            yield from self.written(of_move)
            self._gone = isinstance(move, Forfeit)

    def written(self, of_move: Sequence[Entry] = ()) -> Iterator[OnWire]:
        """The lines that had come when so many messages were sent, and how long the answer among them took.

        What a move has of the answer comes right after it if its line is at fault, and else last.
        """
        asked = self._asked
        is_of_line = any(isinstance(one, Faulted) and one.kind in _FAULTS_OF_LINES for one in of_move)
        rest = list(of_move)
        while self._lines and self._lines[0].after <= self._count:
            line = self._lines.pop(0)
            ignored = _ignored(line, asked, self._earlier)
            yield self._placed(Wrote(text=line.text, size=line.size, ignored=ignored or ""))
            if ignored is None and asked.given is not None and not asked.is_answered:
                asked.is_answered = True
                yield self._placed(_took(asked.given))
                while is_of_line and rest:
                    yield self._placed(rest.pop(0))
        if asked.given is not None and not asked.is_answered and asked.given.fault is None and not asked.was_silent:
            asked.is_answered = True  # its line is not kept
            yield self._placed(_took(asked.given))
        yield from map(self._placed, rest)

    def _placed(self, entry: Entry) -> OnWire:
        return OnWire(seat=self._seat, events=self._events, entry=entry)

    def _of_move(self, move: Move) -> Iterator[Entry]:
        mishap, hint = mishap_of(move, self._seat), late_hint(move, self._seat)
        if mishap is not None:
            yield Faulted(kind=mishap.kind, detail=mishap.detail, line=mishap.line, forfeits=isinstance(move, Forfeit))
        elif isinstance(move, Given) and move.joined and move.seat == self._seat:
            yield Joined(action=move.action)
        if hint is not None:
            yield Late(hint=hint)


def _ignored(line: Line, asked: _Asked, earlier: Mapping[str, _Asked]) -> str | None:
    """Why a line answered nothing. None where it was the answer or a fault, or too little of it is kept to say."""
    if not line.text.strip():
        return "a blank line" if line.text.endswith("\n") else None
    if (answer := answer_in(line.text)) is None:
        return None
    meant = asked if answer.id == asked.id else earlier.get(answer.id)
    if meant is None:
        return "no request before it has this id"
    if meant.was_silent:
        return "it came too late" if meant is asked else "it came too late, when the next request had been sent"
    if meant is asked and not asked.is_answered:
        return None
    return "its request has an answer already"


def _took(given: Given | Reaction) -> Took:
    """How long an answer took: a slap as it counted, any other answer as it was charged, and what was not charged."""
    if isinstance(given, Reaction):
        slap = Pass() if given.target is None else Slap(target=given.target)
        return Took(us=given.corrected_us or 0.0, action=None if given.fault else slap, in_window=True)
    return Took(us=float(given.time_us), waived_us=given.waived_us, action=None if given.fault else given.action)
