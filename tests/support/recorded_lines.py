"""Lines that a referee sends to bots: those of the golden transcripts, and of games that are played here in memory."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from as_starters_play import READY, AsStartersPlay, Message

import protocol
from protocol.messages import Clocks, FaultPolicy, GameMessage, Hello, Limits
from referee.play.talk.conversation import Conversation
from referee.play.talk.exchange import Delivery, Reply, Saying
from referee.play.talk.inbox import Inbox
from referee.play.talk.script import announcements
from referee.rules.chance import Keyed
from referee.rules.check_options import with_options
from referee.rules.game import Game
from referee.rules.variants import PRESETS

TRANSCRIPTS = Path(protocol.__file__).parent / "transcripts"

Seen = list[bytes]
"""What one seat is sent in one match, without `hello`."""


def transcripts() -> Iterator[Seen]:
    """The golden transcripts, as each seat sees them whose bot wants the table."""
    for path in sorted(TRANSCRIPTS.iterdir()):
        first, *lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
        for seat in [seat for seat, ready in enumerate(first["ready"]) if ready.get("table", True)]:
            told = [line["line"] for line in lines if line["seat"] == seat and line["to"] == "bot"]
            yield [msgspec.json.encode(message) for message in told if message["type"] != "hello"]


def hello() -> bytes:
    """The line that greets a process."""
    games = (GameMessage(variant="six-card", name="six-card", seats=2),)
    return msgspec.json.encode(Hello(protocol=protocol.VERSION, referee="golfref", games=games, limits=Limits()))


def games(*, seats: int = 3, rounds: int = 2) -> Iterator[Seen]:
    """A match of every game, as seats 0 and 1 see it: seat 0 plays as starters do, the others by chance."""
    for number, preset in enumerate(PRESETS):
        changes: dict[str, Any] = {"course": [3, 4]} if preset == "par-course" else {"rounds": rounds}
        if preset == "cambio":
            changes["slaps"] = True
        yield from list(_Memory(preset, changes, seats, number).play())[:2]


class _Memory:
    """A match whose bots are functions of this process."""

    def __init__(self, preset: str, changes: dict[str, Any], seats: int, number: int) -> None:
        variant = with_options(preset, changes)
        key = bytes([number]) * 32
        matches = announcements(
            variant, preset, seeds=range(seats), clocks=Clocks(), faults=FaultPolicy(policy="forfeit")
        )
        greeting = msgspec.json.decode(hello(), type=Hello)
        chance = Keyed(key, variant, seats)
        game = Game(variant, seats, chance)
        self._steps = Conversation(game, chance, hello=greeting, matches=matches, id_key=bytes(16)).steps()
        self._inboxes = [Inbox(Limits()) for _ in range(seats)]
        self._bots: list[AsStartersPlay | None] = [None] * seats
        self._dice = Random(number)  # noqa: S311 - no secret
        self._seen: list[Seen] = [[] for _ in range(seats)]

    def play(self) -> Sequence[Seen]:
        """What each seat is sent."""
        replies: list[Reply] | None = None
        while True:
            try:
                exchange: Saying = next(self._steps) if replies is None else self._steps.send(replies)
            except StopIteration:
                return self._seen
            replies = [self._reply(one) for one in exchange.deliveries if self._hears(one)]

    def _hears(self, delivery: Delivery) -> bool:
        """Whether the seat, which is told this, must answer."""
        for line in delivery.data.splitlines():
            message = json.loads(line)
            if message["type"] != "hello":
                self._seen[delivery.seat].append(line)
            if message["type"] == "match":
                self._bots[delivery.seat] = AsStartersPlay(message)
        return delivery.awaits is not None

    def _reply(self, delivery: Delivery) -> Reply:
        inbox = self._inboxes[delivery.seat]
        assert delivery.awaits is not None
        inbox.expect(delivery.awaits)
        inbox.feed(msgspec.json.encode(self._answer(delivery)) + b"\n")
        us = float(self._dice.randrange(100, 200))
        return Reply(seat=delivery.seat, heard=inbox.hear(), elapsed_us=us, corrected_us=us)

    def _answer(self, delivery: Delivery) -> Message:
        request = json.loads(delivery.data.splitlines()[-1])
        bot = self._bots[delivery.seat]
        if request["type"] == "hello":
            return READY
        assert bot is not None
        action = bot.decide(request) if delivery.seat == 0 else self._any(request["legal"])
        return {"type": "answer", "id": request["id"], "action": action}

    def _any(self, legal: list[Message]) -> Message:
        """A legal action; ending a round is put off a little, and powers are used more often than not."""
        kinds = [offer for offer in legal if offer["kind"] not in ("knock", "end", "none", "stop")]
        offer = self._dice.choice(kinds if kinds and self._dice.random() < 0.9 else legal)
        return {field: choice if field == "kind" else self._fill(choice) for field, choice in offer.items()}

    def _fill(self, choice: Message) -> Any:
        if "one_of" in choice:
            return self._dice.choice(choice["one_of"])
        if "pick" in choice:
            return self._dice.sample(choice["of"], choice["pick"])
        return [one for one in choice["any_of"] if self._dice.random() < 0.5]
