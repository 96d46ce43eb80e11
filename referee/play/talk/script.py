"""What each seat of a match is sent, byte for byte: the only place where lines to bots are composed.

Everything here follows from the game, the messages at its beginning, the id key and what the seats did, so that a
match can be told again from its record and proved to have been told so (`retell.py`). It must not know clocks or pipes.
"""

import itertools
import math
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from hashlib import shake_256
from struct import Struct as Packed
from typing import Any, cast

from msgspec import Struct, to_builtins

from protocol import VERSION
from protocol.codec import array, encode, encode_event, encode_request, encode_table, encode_times
from protocol.messages import Clocks, End, Fault, FaultPolicy, GameMessage, Hello, Limits, Match, TableMessage
from referee import __version__
from referee.play.talk.exchange import READY, Delivery
from referee.play.talk.tally import Tally
from referee.rules.describe import rules_in_brief
from referee.rules.game import Game
from referee.rules.questions import Ask
from referee.rules.record import Mishap
from referee.rules.secrets import TableEvent, views
from referee.rules.table import Table
from referee.rules.variants import Variant, card_values, deck_size

ID_LETTERS = 12
"""How many letters a request's id has; they carry 72 bits."""

IDS_AT_ONCE = 64
"""How many ids of a seat are derived together."""

_IDS = Packed(f"{ID_LETTERS}s" * IDS_AT_ONCE)
"""Takes the letters of that many ids apart."""

NONE_OF_THEIR_OWN: Mapping[int, Clocks] = {}
"""No seat has clocks of its own."""


class Times(Struct, frozen=True, gc=False):
    """The time for an answer, and how a request tells it together with the bank."""

    limit_s: float
    told: bytes
    least_bank_us: int
    """All this stays as it is until the bank is below this."""


NO_TIMES = Times(0.0, b"", sys.maxsize)
"""None have been worked out yet."""


@dataclass(slots=True, kw_only=True)  # a decision sets it, which takes longer with a Struct
class SeatScript:
    """How far the telling to one seat has come."""

    clocks: Clocks
    """The limits that hold for this seat."""
    bank_us: int
    preamble: bytes
    """The lines that go before the next request."""
    ids: Iterator[bytes]
    """The ids of the seat's requests, in order."""
    times: Times = NO_TIMES
    """Those of the answers that are no slaps."""
    wants_table: bool = False
    faults: int = 0
    news: list[bytes] = field(default_factory=list)
    """The events of which it has not been told yet, as it may see them."""
    notices: list[bytes] = field(default_factory=list)
    """Its own faults of which it has not been told yet; they come after the events."""
    sent: Tally = field(default_factory=Tally)
    """Everything sent."""


class Script:
    """What is sent in one match. Each message counts as sent when it is composed."""

    def __init__(self, game: Game, *, hello: Hello, matches: Sequence[Match], id_key: bytes) -> None:
        """`matches` holds the `match` message of each seat; `id_key` is secret while the match is played."""
        self.clocks: Clocks = matches[0].clocks
        """Those of seat 0. How slaps are timed is the same for all seats."""
        self.policy: FaultPolicy = matches[0].faults
        self.seats = [
            SeatScript(
                clocks=match.clocks,
                bank_us=round(match.clocks.bank_s * 1e6),
                preamble=encode(match),
                ids=request_ids(id_key, seat),
            )
            for seat, match in enumerate(matches)
        ]
        self._game = game
        self._events = 0
        """How many events of the game are among the news."""
        self._hello = encode(hello)
        limits = {limit_s for match in matches for limit_s in (match.clocks.move_s, match.clocks.slap_s)}
        self._told_limits = {limit_s: round(limit_s, 3) for limit_s in limits}
        """For each limit that does not come from a bank, in seconds: the same limit rounded, as bots are told it."""
        self.id_key = id_key

    def copy(self, game: Game) -> "Script":
        """Return a script that has told the same, and goes on with this game, which stands as the present one does."""
        script = copy(self)
        script._game = game
        script.seats = [_copied(seat) for seat in self.seats]
        return script

    def hello(self, seat: int) -> Delivery:
        """The first line."""
        script = self.seats[seat]
        script.sent.add(self._hello)
        return Delivery(seat, self._hello, awaits=READY, limit_s=script.clocks.start_s)

    def match(self, seat: int) -> Delivery:
        """The line of `match` by itself; else it goes before the first request."""
        script = self.seats[seat]
        data, script.preamble = script.preamble, b""
        script.sent.add(data)
        return Delivery(seat, data)

    def request(self, ask: Ask) -> Delivery:
        """The line of a request (DEC), with everything that happened since the last line to this seat."""
        script = self.seats[ask.seat]
        times = script.times
        if script.bank_us < times.least_bank_us or ask.decision == "slap":
            times = self._times(ask)
        id_ = next(script.ids)
        table = encode_table(table_message(self._game.table)) if script.wants_table and ask.opens_turn else b""
        data = encode_request(self._news(script), id_, ask.encoded, table, times.told)
        if script.preamble:
            data, script.preamble = script.preamble + data, b""
        script.sent.add(data)
        return Delivery(ask.seat, data, id_.decode(), times.limit_s)

    def end(self, seat: int) -> Delivery:
        """The last line, once the match is over."""
        result = self._game.result
        script = self.seats[seat]
        end = End(
            events=cast(Any, array(self._news(script))),
            totals=result.totals,
            ranks=result.ranks,
            forfeited=tuple(sorted(self._game.table.forfeited)),
        )
        data = script.preamble + encode(end)
        script.sent.add(data)
        return Delivery(seat, data)

    def limit_s(self, ask: Ask) -> float:
        """Seconds for the answer to this question, asked now."""
        script = self.seats[ask.seat]
        if ask.decision == "slap":
            return script.clocks.slap_s
        move_s = script.clocks.move_s
        return move_s if script.bank_us >= move_s * 1e6 else script.bank_us / 1e6

    def _times(self, ask: Ask) -> Times:
        """Work out the time for the answer to this question, and how it is told."""
        script = self.seats[ask.seat]
        limit_s, bank_ms = self.limit_s(ask), (script.bank_us + 500) // 1000
        bank_s = bank_ms / 1000
        told = encode_times(self._told_limits.get(limit_s, bank_s), bank_s)
        least_for_limit_us = min(script.bank_us, math.ceil(script.clocks.move_s * 1e6))
        times = Times(limit_s, told, max(bank_ms * 1000 - 500, least_for_limit_us))
        if ask.decision != "slap":
            script.times = times
        return times

    def charge(self, seat: int, time_us: int) -> int:
        """Take thinking time from a seat's bank; returns the microseconds left."""
        script = self.seats[seat]
        left_us = script.bank_us - time_us
        script.bank_us = left_us if left_us > 0 else 0
        return script.bank_us

    def note_fault(self, seat: int, mishap: Mishap) -> int:
        """Tell a seat of its fault with its next line; returns how many more faults forfeit the match."""
        script = self.seats[seat]
        script.faults += 1
        left = max(0, self.policy.strikes - script.faults)
        script.notices.append(encode_event(Fault(kind=mishap.kind, detail=mishap.detail, strikes_left=left)))
        return left

    def _news(self, script: SeatScript) -> list[bytes]:
        """The events since the last line to this seat as it may see them, then what it did wrong itself."""
        events = self._game.table.events
        if self._events < len(events):
            self._spread(events[self._events :])
            self._events = len(events)
        news, script.news = script.news, []
        if script.notices:
            news += script.notices
            script.notices = []
        return news

    def _spread(self, events: Sequence[TableEvent]) -> None:
        """Add events to the news of every seat. Each is encoded once for all seats that see the same of it."""
        for event in events:
            seen, insiders = views(event)
            text = encode_event(seen)
            for script in self.seats:
                script.news.append(text)
            for seat, more in insiders:
                self.seats[seat].news[-1] = encode_event(more)


def _copied(seat: SeatScript) -> SeatScript:
    seat.ids, ids = itertools.tee(seat.ids)
    return replace(seat, ids=ids, news=list(seat.news), notices=list(seat.notices), sent=seat.sent.copy())


def request_ids(key: bytes, seat: int) -> Iterator[bytes]:
    """The ids of a seat's requests, in order: 72 bits each that only the key tells, in base64url.

    Block i (i = 0, 1, ...) holds IDS_AT_ONCE ids: nine bytes each of the SHAKE-256 of `golfref/id`, a zero byte,
    `SEAT/i`, another zero byte, and the key.
    """

    def ids_of(block: int) -> tuple[bytes, ...]:
        secret = shake_256(b"golfref/id\0%d/%d\0%b" % (seat, block, key)).digest(_IDS.size // 4 * 3)
        return _IDS.unpack(urlsafe_b64encode(secret))

    return itertools.chain.from_iterable(map(ids_of, itertools.count()))


def hello(games: tuple[GameMessage, ...], limits: Limits, golfref: str = __version__) -> Hello:
    """The first message to every bot, as this version of golfref says it, or another one that words it alike."""
    return Hello(protocol=VERSION, referee=f"golfref {golfref}", games=games, limits=limits)


def announcements(  # noqa: PLR0913 - what differs from match to match
    variant: Variant,
    name: str,
    *,
    seeds: Sequence[int],
    clocks: Clocks,
    own_clocks: Mapping[int, Clocks] = NONE_OF_THEIR_OWN,
    faults: FaultPolicy,
    matches_before: Sequence[int] = (),
) -> list[Match]:
    """The `match` message of every seat; `seeds` and `matches_before` have what it tells of each seat's bot.

    `own_clocks` has those of seats for which other limits hold. An empty `matches_before` means that every bot's
    process is a new one.
    """
    options = to_builtins(variant.own_options())
    options.pop("values", None)  # the field `values` of the message tells what all cards count
    return [
        Match(
            variant=variant.preset,
            name=name,
            rules=rules_in_brief(variant),
            options=options,
            seats=len(seeds),
            seat=seat,
            rows=variant.rows,
            columns=variant.columns,
            cards=deck_size(variant, len(seeds)),
            values=dict(card_values(variant)),
            seed=seed,
            matches_before=matches_before[seat] if matches_before else 0,
            clocks=own_clocks.get(seat, clocks),
            faults=faults,
        )
        for seat, seed in enumerate(seeds)
    ]


def table_message(table: Table) -> TableMessage:
    """The table as everybody sees it (INF-10): a fixed list of fields, nothing that is hidden."""
    return TableMessage(
        round=table.round,
        dealer=table.dealer,
        turn=table.turn,
        knocker=table.ended_by,
        stock=len(table.stock),
        pile=tuple(table.pile[-1:]),
        layouts=tuple(
            tuple(None if slot is None else slot.card if slot.up else "?" for slot in layout)
            for layout in table.layouts
        ),
        totals=tuple(table.totals),
    )
