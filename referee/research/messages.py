"""What each seat has been sent so far, as `referee.play.talk` composes it for bots: the same bytes in the same order.

The match is played a second time here, along the answers that were given, and only as far as somebody wants to read.
So a game whose messages nobody reads pays nothing for them.
"""

from collections.abc import Sequence
from copy import copy

import msgspec

from protocol.actions import Action
from protocol.messages import Clocks, FaultPolicy, FromReferee, GameMessage, Limits, Ready
from referee.play.talk.exchange import Delivery
from referee.play.talk.script import Script, announcements, hello
from referee.research.serial import Serial
from referee.rules.chance import Chance
from referee.rules.game import Game
from referee.rules.variants import Variant

_DECODER: msgspec.json.Decoder[FromReferee] = msgspec.json.Decoder(FromReferee)

READY = Ready()
"""What the seats are taken to have said: they want the table, and they slap."""


class Messages:
    """The lines to all seats of one match: `advance` along the answers, then read `lines` and `messages`."""

    def __init__(self, variant: Variant, *, chance: Chance, id_key: bytes, seeds: Sequence[int]) -> None:
        """`seeds` has what `match` tells each seat for its own randomness; the requests' ids come from `id_key`."""
        seats = len(seeds)
        game = Game(variant, seats, chance)
        games = (GameMessage(variant=variant.preset, name=variant.preset, seats=seats),)
        matches = announcements(variant, variant.preset, seeds=seeds, clocks=Clocks(), faults=FaultPolicy())
        self._script = Script(game, hello=hello(games, Limits()), matches=matches, id_key=id_key)
        self._asking = Serial(game, chance)
        self._lines: list[list[bytes]] = [[] for _ in range(seats)]
        self._messages: list[list[FromReferee]] = [[] for _ in range(seats)]
        self._answers = 0
        for seat in range(seats):
            self._tell(self._script.hello(seat))
            self._script.seats[seat].wants_table = READY.table
        self._ask()

    def copy(self) -> "Messages":
        """Return an independent telling of a match that has come as far."""
        telling = copy(self)
        telling._asking = self._asking.copy()
        telling._script = self._script.copy(telling._asking.game)
        telling._lines = [list(lines) for lines in self._lines]
        telling._messages = [list(messages) for messages in self._messages]
        return telling

    def advance(self, answers: Sequence[tuple[int, Action]]) -> None:
        """Go on along all answers of the match so far; those that are known already are passed over."""
        for seat, action in answers[self._answers :]:
            self._asking.turn_to(seat)
            if self._asking.give(action):
                self._ask()
        self._answers = len(answers)

    def lines(self, seat: int) -> tuple[bytes, ...]:
        """Return the lines to a seat, newlines included."""
        return tuple(self._lines[seat])

    def messages(self, seat: int) -> tuple[FromReferee, ...]:
        """Return the same as messages."""
        known = self._messages[seat]
        known += [_DECODER.decode(line) for line in self._lines[seat][len(known) :]]
        return tuple(known)

    def _ask(self) -> None:
        """All who are asked at the same time get their requests before anybody answers; in the end all are told."""
        for ask in self._asking.asks:
            self._tell(self._script.request(ask))
        if self._asking.ask is None:
            for seat in range(len(self._lines)):
                self._tell(self._script.end(seat))

    def _tell(self, delivery: Delivery) -> None:
        self._lines[delivery.seat] += delivery.data.splitlines(keepends=True)
