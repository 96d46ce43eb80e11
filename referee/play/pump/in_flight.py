"""A match in flight and its bots, as the pump keeps them: what was asked last, what was replied, whether it is over.

What a bot owes is known to its channel; a match counts how many answers are due.
"""

from dataclasses import dataclass, field

import trio

from referee.play.process.channel import Channel
from referee.play.pump.clock import NEVER_NS
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Reply, Saying


@dataclass(slots=True, eq=False)  # each decision sets them, which takes longer with a Struct
class SeatedBot:
    """A bot in its match."""

    match: "MatchInFlight"
    seat: int
    channel: Channel
    alarm_ns: int = NEVER_NS
    """When the pump looks at it again, at the latest."""


@dataclass(slots=True, eq=False)
class MatchInFlight:
    """A match that the pump drives."""

    steps: Steps
    bots: dict[int, SeatedBot] = field(default_factory=dict)
    """The bots by seat."""
    over: trio.Event = field(default_factory=trio.Event)
    """Is set once nothing of the match is driven any more."""
    exchange: Saying | None = None
    """The last exchange; None before the first."""
    owed: int = 0
    """How many answers to it are due and not here."""
    replies: list[Reply] = field(default_factory=list)
    """The replies to it that are here, in the order in which they came."""
    failure: BaseException | None = None
    """Why the match is void, if it is."""
    worst_lag_ns: int = 0
    """The longest time in which nobody looked at its pipes."""
    asked_ns: int = 0
    """When the last exchange began."""

    def seat(self, channels: dict[int, Channel]) -> None:
        """Take these bots, by seat, into the match."""
        self.bots = {seat: SeatedBot(self, seat, channel) for seat, channel in channels.items()}

    def channels(self) -> dict[int, Channel]:
        """Returns the channels of its bots, by seat."""
        return {seat: bot.channel for seat, bot in self.bots.items()}

    def go_on(self) -> Saying:
        """Give the conversation its replies; returns what it says next. Raises what the conversation raises."""
        replies, self.replies = self.replies, []
        if len(replies) > 1 and self.exchange is not None:  # they came in any order
            seats = [delivery.seat for delivery in self.exchange.deliveries]
            replies.sort(key=lambda reply: seats.index(reply.seat))
        said = self.exchange = next(self.steps) if self.exchange is None else self.steps.send(replies)
        return said

    def fail(self, error: BaseException) -> None:
        """End the match, because the referee or its host has failed."""
        self.failure, self.owed = error, 0
        for bot in self.bots.values():
            bot.channel.give_up()
        self.over.set()
