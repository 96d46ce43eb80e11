"""Bots that have played and wait, held frozen, for a further match: `reuse = "tournament"`.

A process never meets the same cards twice: matches of one block share them, so it plays no two of them.
This module must not know what was played.
"""

import time
from typing import Literal

import trio
from msgspec import Struct

from protocol.messages import Ready
from referee.play.faults import Trouble
from referee.play.process.channel import Channel
from referee.play.process.process import FAREWELL_S
from referee.play.talk.exchange import Delivery

Reuse = Literal["match", "tournament"]
"""How long a bot's process lives."""

MOST_KEPT = 64
"""How many processes wait at a time, so that they do not fill the memory; the longest waiting one is ended first."""

PATIENCE_S = 2.0
"""How long a bot may be busy with the end of its match, for example to learn, and until it reads the next `match`."""

EXIT_S = 1.0
"""How long a bot may take to exit after `end`, as long as none of its processes has played a second match.

Runtimes that read ahead, such as Node.js, take the next `match` from the pipe although the program is about to exit.
"""

POLL_INTERVAL_S = 0.001
"""The time between two looks at such a bot."""


class PooledBot(Struct, frozen=True, kw_only=True):
    """A bot's process between two matches."""

    bot: str
    channel: Channel
    """The channel of the match that it played last."""
    ready: Ready
    """What it said when it was greeted."""
    matches: int
    """How many matches it has played."""
    blocks: set[int]
    """The blocks of the matches that it has played."""


class Pool:
    """The bots of one referee that wait for a further match."""

    def __init__(self, play_on: set[str] | None = None) -> None:
        """Those that `play_on` are known to: one of their processes has played a second match. Others are added."""
        self._waiting: list[PooledBot] = []
        """The longest waiting bot stands first."""
        self._play_on = set[str]() if play_on is None else play_on

    async def take(self, bot: str, block: int) -> PooledBot | None:
        """A process of this bot that has not yet played in this block; None where there is none."""
        while fit := [one for one in self._waiting if one.bot == bot and block not in one.blocks]:
            self._waiting.remove(fit[0])
            if fit[0].channel.can_play_on():
                return fit[0]
            await _end(fit[0].channel)
        return None

    async def keep(self, kept: PooledBot) -> None:
        """Keep a bot, frozen, for a later match, if it is fit for one and wants to live on; otherwise end it."""
        if kept.matches > 1:
            self._play_on.add(kept.bot)
        if not await _waits_for_more(kept.channel, at_least_s=0.0 if kept.bot in self._play_on else EXIT_S):
            await _end(kept.channel, patience_s=FAREWELL_S)
            return
        kept.channel.pause()
        self._waiting.append(kept)
        while len(self._waiting) > MOST_KEPT:
            await _end(self._waiting.pop(0).channel)

    async def close(self) -> None:
        """End all bots that wait."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                while self._waiting:
                    nursery.start_soon(_end, self._waiting.pop().channel)


async def reads_on(channel: Channel, match: Delivery) -> bool:
    """Whether a bot that has waited reads this `match`. One that ends without reading it wants no further match.

    It knows nothing of the cards yet, so that another process can take its place. Call this where it may run.
    """
    channel.write(match, time.monotonic_ns())
    process = channel.process
    end = 0.0 if process is None else process.own_time_s() + PATIENCE_S
    while process is not None and process.own_time_s() < end and not channel.has_ended():
        if channel.has_read_all():
            break
        await trio.sleep(POLL_INTERVAL_S)
        channel.read_rest()
    return channel.has_read_all()


async def _waits_for_more(channel: Channel, *, at_least_s: float) -> bool:
    """Whether the bot has read the end of its match, has not exited `at_least_s` later, and waits for more."""
    if (process := channel.process) is None:
        return False
    began, quiet = process.own_time_s(), 0
    end = began + PATIENCE_S
    while process.own_time_s() < end:
        read = channel.inbox.bytes_read
        channel.read_rest()
        if channel.has_ended() or isinstance(channel.hear(), Trouble):
            return False
        is_idle = not process.is_frozen() and not process.is_running()
        is_quiet = is_idle and channel.inbox.bytes_read == read and channel.has_read_all()
        quiet = quiet + 1 if is_quiet else 0
        if quiet > 1 and process.own_time_s() >= began + at_least_s:
            return channel.can_play_on()
        await trio.sleep(POLL_INTERVAL_S)
    return False


async def _end(channel: Channel, patience_s: float = 0.0) -> None:
    with trio.CancelScope(shield=True):
        await channel.stop(patience_s=patience_s)
