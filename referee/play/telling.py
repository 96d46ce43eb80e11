"""What each seat of a match is sent, byte for byte: the only place where lines to bots are composed.

Everything here follows from the game, the messages at its beginning, the id key and what the seats did, so that a
match can be told again from its record and proved to have been told so (`retell.py`). It must not know clocks or pipes.
"""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from msgspec import UNSET, Struct, field, to_builtins

from protocol import VERSION
from protocol.codec import encode
from protocol.events import Event
from protocol.messages import (
    Clocks,
    End,
    Fault,
    FaultPolicy,
    Hello,
    Limits,
    Match,
    Request,
)  # fmt: skip
from protocol.messages import (
    Game as GameMessage,
)
from protocol.messages import (
    Table as TableMessage,
)
from referee import __version__
from referee.play.exchange import READY, Delivery
from referee.rules.asks import Ask
from referee.rules.describe import rules_in_brief
from referee.rules.game import Game
from referee.rules.options import COMBINES
from referee.rules.record import Mishap
from referee.rules.seen import view
from referee.rules.table import Table
from referee.rules.values import card_values
from referee.rules.variants import Variant, deck


class Told(Struct, kw_only=True):
    """How far the telling to one seat has come."""

    bank_us: int
    preamble: bytes
    """Lines that go before the next request."""
    wants_table: bool = False
    events: int = 0
    """Events already told."""
    requests: int = 0
    faults: int = 0
    notices: list[Fault] = field(default_factory=list)
    """Its own faults of which it has not been told yet."""
    sent_bytes: int = 0
    digest: Any = field(default_factory=sha256)
    """SHA-256 over everything sent."""


class Telling:
    """What is sent in one match. Each message counts as sent when it is composed."""

    def __init__(self, game: Game, *, hello: Hello, matches: Sequence[Match], id_key: bytes) -> None:
        """`matches` holds the `match` message of each seat; `id_key` is secret while the match is played."""
        self.clocks: Clocks = matches[0].clocks
        self.policy: FaultPolicy = matches[0].faults
        bank_us = round(self.clocks.bank_s * 1e6)
        self.seats = [Told(bank_us=bank_us, preamble=encode(match)) for match in matches]
        self._game = game
        self._hello = encode(hello)
        self.id_key = id_key

    def hello(self, seat: int) -> Delivery:
        """The first line."""
        return self._deliver(seat, self._hello, awaits=READY, limit_s=self.clocks.start_s)

    def request(self, ask: Ask) -> Delivery:
        """DEC: the request line, with everything that happened since the last line to this seat."""
        told = self.seats[ask.seat]
        told.requests += 1
        limit_s = self.limit_s(ask)
        request = Request(
            events=self._news(ask.seat),
            id=request_id(self.id_key, ask.seat, told.requests),
            decision=ask.decision,
            legal=ask.offers,
            table=table_message(self._game.table) if ask.opens_turn and told.wants_table else UNSET,
            time_s=round(limit_s, 3),
            bank_s=round(told.bank_us, -3) / 1e6,
        )
        return self._deliver(ask.seat, self._after_preamble(told, request), awaits=request.id, limit_s=limit_s)

    def end(self, seat: int) -> Delivery:
        """The last line, once the match is over."""
        result = self._game.result
        end = End(
            events=self._news(seat),
            totals=result.totals,
            ranks=result.ranks,
            forfeited=tuple(sorted(self._game.table.forfeited)),
        )
        return self._deliver(seat, self._after_preamble(self.seats[seat], end))

    def limit_s(self, ask: Ask) -> float:
        """Seconds for the answer to this question, asked now."""
        if ask.decision == "slap":
            return self.clocks.slap_s
        return min(self.clocks.move_s, self.seats[ask.seat].bank_us / 1e6)

    def charge(self, seat: int, time_us: int) -> int:
        """Take thinking time from a seat's bank; returns the microseconds left."""
        told = self.seats[seat]
        told.bank_us = max(0, told.bank_us - time_us)
        return told.bank_us

    def reproach(self, seat: int, mishap: Mishap) -> int:
        """Tell a seat of its fault with its next line; returns how many more faults forfeit the match."""
        told = self.seats[seat]
        told.faults += 1
        left = max(0, self.policy.strikes - told.faults)
        told.notices.append(Fault(kind=mishap.kind, detail=mishap.detail, strikes_left=left))
        return left

    def _news(self, seat: int) -> tuple[Event | Fault, ...]:
        """The events since the last line to this seat as it may see them, then what it did wrong itself."""
        told = self.seats[seat]
        events = self._game.events[told.events :]
        told.events = len(self._game.events)
        notices, told.notices = told.notices, []
        return (*(view(event, seat) for event in events), *notices)

    def _after_preamble(self, told: Told, message: Request | End) -> bytes:
        data, told.preamble = told.preamble + encode(message), b""
        return data

    def _deliver(self, seat: int, data: bytes, awaits: str | None = None, limit_s: float = 0.0) -> Delivery:
        told = self.seats[seat]
        told.sent_bytes += len(data)
        told.digest.update(data)
        return Delivery(seat=seat, data=data, awaits=awaits, limit_s=limit_s)


def request_id(key: bytes, seat: int, number: int) -> str:
    """The id of a seat's request of this number (from 1): 72 bits that only the key tells (HMAC-SHA-256, base64url)."""
    return urlsafe_b64encode(hmac.digest(key, b"golfref/id\0%d/%d" % (seat, number), "sha256")[:9]).decode()


def hello(games: tuple[GameMessage, ...], limits: Limits) -> Hello:
    """The first message to every bot."""
    return Hello(protocol=VERSION, referee=f"golfref {__version__}", games=games, limits=limits)


def announcements(
    variant: Variant, name: str, *, seeds: Sequence[int], clocks: Clocks, faults: FaultPolicy
) -> list[Match]:
    """The `match` message of every seat; `seeds` are those of the bots, by seat."""
    options = {
        name: value
        for name, value in to_builtins(variant.options).items()
        if variant.tag in COMBINES[name] and name != "values"  # `values` of the message tells what they come to
    }
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
            cards=len(deck(variant, len(seeds))),
            values=dict(card_values(variant)),
            seed=seed,
            clocks=clocks,
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
        knocker=table.knocker,
        stock=len(table.stock),
        pile=tuple(table.pile[-1:]),
        layouts=tuple(
            tuple(None if slot is None else slot.card if slot.up else "?" for slot in layout)
            for layout in table.layouts
        ),
        totals=tuple(table.totals),
    )
