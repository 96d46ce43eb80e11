"""Live matches in memory, with bots that are modules of this process."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from protocol.codec import decode_ready
from protocol.messages import Answer, Clocks, FaultPolicy, GameMessage, Limits
from referee.play.talk import script
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import READY, Delivery, Reply, Saying
from referee.research.programs import Decide, Message
from referee.rules.chance import Keyed
from referee.rules.game import Game
from referee.rules.keyed_streams import seed_key
from referee.rules.variants import Variant

Make = Callable[[Message], Decide]
"""Makes what decides, from the `match` message."""


class Seat:
    """A bot at a table: takes the lines of the referee, gives answers."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self.decide: Decide = dict

    def reply(self, delivery: Delivery) -> Reply | None:
        """What the bot says to these lines; None where it is asked nothing."""
        message: dict[str, Any] = {}
        for line in delivery.data.splitlines():
            message = json.loads(line)
            if message["type"] == "match":
                self.decide = self._make(message)
        if delivery.awaits is None:
            return None
        if delivery.awaits == READY:
            return Reply(seat=delivery.seat, heard=decode_ready(b'{"type":"ready"}'), elapsed_us=0.0)
        answer = msgspec.convert({"type": "answer", "id": delivery.awaits, "action": self.decide(message)}, Answer)
        return Reply(seat=delivery.seat, heard=answer, elapsed_us=0.0, wait_us=0.0, corrected_us=1.0)


def play(variant: Variant, bots: Sequence[Make], deal: str) -> Game:
    """A match with these bots by seat; AssertionError where one of them is at fault."""
    seats = [Seat(bot) for bot in bots]
    chance = Keyed(seed_key(deal), variant, len(bots))
    game = Game(variant, len(bots), chance)
    games = (GameMessage(variant=variant.preset, name=variant.preset, seats=len(bots)),)
    matches = script.announcements(
        variant, variant.preset, seeds=range(len(bots)), clocks=Clocks(bank_s=1e6), faults=FaultPolicy()
    )
    hello = script.hello(games, Limits())
    talk = Conversation(game, chance, hello=hello, matches=matches, id_key=b"in process")
    steps = talk.steps()
    replies: list[Reply] = []
    exchange: Saying = next(steps)
    try:
        while True:
            heard = [seats[delivery.seat].reply(delivery) for delivery in exchange.deliveries]
            replies = [reply for reply in heard if reply is not None]
            exchange = steps.send(replies)
    except StopIteration:
        assert not any(seat.faults for seat in talk.seats), f"faults in deal `{deal}`"
        return game
