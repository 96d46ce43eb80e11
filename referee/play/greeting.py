"""Starting every bot once and saying hello, so that a bot that does not work is known before anything is played."""

from collections.abc import Sequence

import trio
from msgspec import Struct

from protocol.codec import encode
from protocol.messages import GameMessage, Hello, Limits, Ready
from referee.play.faults import hosts_fault
from referee.play.process.process import FAREWELL_S
from referee.play.process.shutdown import end_orphans
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps, start_mishap
from referee.play.talk.exchange import READY, Delivery, Exchange, Reply
from referee.play.talk.script import hello
from referee.rules.record import Mishap


class Greeted(Struct, frozen=True, kw_only=True):
    """How a bot answered `hello`: its `ready`, or what went wrong; the time it took and its standard error."""

    bot: BotSpec
    ready: Ready | None
    mishap: Mishap | None
    start_s: float
    stderr: str


async def greet(  # noqa: PLR0913 - what bots are told, how they are kept, and how many at a time
    pump: Pump,
    bots: Sequence[BotSpec],
    *,
    games: tuple[GameMessage, ...],
    confinement: Confinement,
    start_s: float,
    at_a_time: int = 1,
) -> list[Greeted]:
    """Start each bot, one after another so that none is slowed down by the others, or so many `at_a_time`.

    Returns what they said, in the order of the bots.
    """
    greeted: dict[int, Greeted] = {}
    room = trio.CapacityLimiter(at_a_time)

    async def greet_one(number: int, bot: BotSpec) -> None:
        async with room:
            greeted[number] = await _greet_one(pump, bot, hello(games, Limits()), confinement, start_s)

    async with trio.open_nursery() as nursery:
        for number, bot in enumerate(bots):
            nursery.start_soon(greet_one, number, bot)
    return [greeted[number] for number in range(len(bots))]


async def _greet_one(pump: Pump, bot: BotSpec, message: Hello, confinement: Confinement, start_s: float) -> Greeted:
    replies: list[Reply] = []
    with hosts_fault():
        channel = await pump.start_bot(bot, confinement, Limits())
    try:
        with hosts_fault():
            await pump.converse(_steps(message, start_s, replies), {0: channel})
    finally:
        with trio.CancelScope(shield=True):
            await channel.stop(patience_s=FAREWELL_S)
            pump.let_go(channel)
            await end_orphans()
    heard = replies[0].heard
    is_ready = isinstance(heard, Ready)
    return Greeted(
        bot=bot,
        ready=heard if isinstance(heard, Ready) else None,
        mishap=None if is_ready else start_mishap(replies[0], start_s),
        start_s=replies[0].elapsed_us / 1e6,
        stderr=channel.stderr.text(),
    )


def _steps(message: Hello, start_s: float, replies: list[Reply]) -> Steps:
    replies += yield Exchange(deliveries=(Delivery(seat=0, data=encode(message), awaits=READY, limit_s=start_s),))
