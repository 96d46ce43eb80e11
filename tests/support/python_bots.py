"""Matches of bots in Python, played in this process by the rules and the lines of live matches."""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from protocol.codec import decode_ready
from protocol.messages import Answer, Clocks, FaultPolicy, GameMessage, Limits
from referee.play.talk import script
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import READY, Delivery, Reply, Saying
from referee.research.programs import Decide, Program
from referee.rules.book.variant import Variant
from referee.rules.game import Game
from referee.rules.table.chance import Keyed
from referee.rules.table.streams import seed_key


class Seat:
    """A bot at a table: takes the lines of the referee, gives answers."""

    def __init__(self, bot: Program) -> None:
        self.bot = bot
        self.decide: Decide = dict

    def reply(self, delivery: Delivery) -> Reply | None:
        """The bot's answer to these lines; None where it is asked nothing."""
        message: dict[str, Any] = {}
        for line in delivery.data.splitlines():
            message = json.loads(line)
            if message["type"] == "match":
                self.decide = self.bot.make(message)
        if delivery.awaits is None:
            return None
        if delivery.awaits == READY:
            return Reply(seat=delivery.seat, heard=decode_ready(b'{"type":"ready"}'), elapsed_us=0.0)
        answer = {"type": "answer", "id": delivery.awaits, "action": self.decide(message)}
        return Reply(seat=delivery.seat, heard=msgspec.convert(answer, Answer), elapsed_us=0.0)


def play(variant: Variant, bots: Sequence[Program], deal: str) -> Game:
    """A match with these bots by seat, in which none of them may be at fault."""
    seats = [Seat(bot) for bot in bots]
    chance = Keyed(seed_key(deal), variant, len(bots))
    game = Game(variant, len(bots), chance)
    games = (GameMessage(variant=variant.preset, name=variant.preset, seats=len(bots)),)
    matches = script.announcements(
        variant, variant.preset, seeds=range(len(bots)), clocks=Clocks(bank_s=1e6), faults=FaultPolicy()
    )
    talk = Conversation(game, chance, hello=script.hello(games, Limits()), matches=matches, id_key=b"python")
    steps = talk.steps()
    exchange: Saying = next(steps)
    try:
        while True:
            heard = [seats[delivery.seat].reply(delivery) for delivery in exchange.deliveries]
            exchange = steps.send([reply for reply in heard if reply is not None])
    except StopIteration:
        assert not any(seat.faults for seat in talk.seats), [dict(seat.faults) for seat in talk.seats]
        return game
