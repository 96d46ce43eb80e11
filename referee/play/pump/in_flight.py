"""A match in flight, and its bots, as the pump keeps them."""

import trio
from msgspec import Struct, field

from referee.play.bot.channel import Channel
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Exchange, Reply


class SeatedBot(Struct, eq=False):
    """A bot in its match."""

    number: int
    """Of this pump its own."""
    live: "MatchInFlight"
    seat: int
    channel: Channel
    alarm_ns: int = 0
    """When it is looked at again, at the latest; 0: no time is set."""


class MatchInFlight(Struct, eq=False):
    """A match in flight."""

    steps: Steps
    links: dict[int, SeatedBot] = field(default_factory=dict)
    """By seat."""
    done: trio.Event = field(default_factory=trio.Event)
    exchange: Exchange | None = None
    replies: dict[int, Reply] = field(default_factory=dict)
    awaited: int = 0
    """So many answers are still missing."""
    failure: BaseException | None = None
    worst_lag_ns: int = 0
    opened_ns: int = 0
    """When the last exchange was begun."""

    def collect(self) -> list[Reply]:
        """The replies in the order of the deliveries that they answer."""
        deliveries = () if self.exchange is None else self.exchange.deliveries
        return [self.replies[delivery.seat] for delivery in deliveries if delivery.awaits is not None]

    def channels(self) -> dict[int, Channel]:
        """By seat."""
        return {seat: link.channel for seat, link in self.links.items()}

    def is_over(self) -> bool:
        """Whether nothing of it is driven any more."""
        return self.done.is_set()

    def fail(self, error: BaseException) -> None:
        """It is over because the referee or its host has failed."""
        self.failure = error
        for channel in self.channels().values():
            channel.give_up()
        self.done.set()
