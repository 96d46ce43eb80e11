"""Bots in memory for `golfref check`, which are called in place of a process: nothing is started or late."""

import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from protocol.messages import Limits
from referee.bot_check.games import GameToTry
from referee.bot_check.run import CheckRun
from referee.play.faults import Trouble
from referee.play.process.channel import Channel
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Reply
from referee.play.talk.inbox import Heard

PROGRAM = Path(__file__).parent.parent / "hostile" / "breaks_a_rule.py"
BOTS = runpy.run_path(str(PROGRAM))
"""The classes of that program by their names."""


def run_of(make: Callable[[], Any], games: Sequence[GameToTry], **conditions: Any) -> CheckRun:
    """Where bots in memory are checked; `make` is called for each start of one."""
    given: dict[str, Any] = {"options": (), "seed": "1"} | conditions
    spec = BotSpec(name="memory", command=("memory",), dir="/", env={})
    return CheckRun(cast(Pump, MemoryPump(make)), spec, Confinement(), games=games, **given)


def live(name: str, pump: Pump, mark: dict[str, str], games: Sequence[GameToTry]) -> CheckRun:
    """Where a bot of that program is checked as a process."""
    spec = BotSpec(name=name, command=(sys.executable, "-S", str(PROGRAM), name), dir="/", env=mark)
    return CheckRun(pump, spec, Confinement(), games=games, options=(), seed="1")


class MemoryPump:
    """In place of the pump."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._bots: dict[Channel, _Bot] = {}

    async def start_bot(self, spec: BotSpec, confinement: Confinement, limits: Limits) -> Channel:
        channel = Channel(replace(spec, dir="/nowhere"), confinement, limits)  # which starts no process
        self._bots[channel] = _Bot(self._make(), channel)
        return channel

    def admit(self, channel: Channel) -> Channel:
        return channel

    def let_go(self, channel: Channel) -> None:
        """End the bot's input."""
        self._bots[channel].call("finish")

    async def converse(self, steps: Steps, channels: dict[int, Channel]) -> int:
        exchange = next(steps)
        while True:
            replies = [self._reply(one, channels[one.seat]) for one in exchange.deliveries]
            try:
                exchange = steps.send([one for one in replies if one is not None])
            except StopIteration:
                return 0

    def _reply(self, delivery: Delivery, channel: Channel) -> Reply | None:
        bot = self._bots[channel]
        if delivery.awaits is not None:
            channel.inbox.expect(delivery.awaits)
        heard = bot.call("take", delivery.data)
        if delivery.awaits is None:
            return None
        hint = "" if heard else channel.inbox.hint()
        if heard is None:
            channel.inbox.give_up()
        return Reply(delivery.seat, heard, elapsed_us=50.0, corrected_us=50.0, wait_us=0.0, hint=hint)


class _Bot:
    """A bot with the channel that takes what it writes."""

    def __init__(self, bot: Any, channel: Channel) -> None:
        self._bot, self._channel = bot, channel
        self._written = bytearray()
        self._ended: Trouble | None = None
        bot.write, bot.log, bot.close = self._written.extend, channel.stderr.add, self._close

    def call(self, name: str, *values: bytes) -> Heard | None:
        """Call a method of the bot unless it has ended; what the referee hears then."""
        try:
            if self._ended is None:
                getattr(self._bot, name)(*values)
        except SystemExit as exits:
            self._ended = Trouble(kind="crashed", detail=f"exited with code {exits.code or 0}")
        except Exception:
            if self._ended is None:
                self._channel.stderr.add(traceback.format_exc().encode())
                self._ended = Trouble(kind="crashed", detail="exited with code 1")
        data = bytes(self._written)
        self._written.clear()
        inbox = self._channel.inbox
        return (inbox.take(data) if data else inbox.hear()) or self._ended

    def _close(self) -> None:
        self._ended = Trouble(kind="closed_output", detail="closed its standard output")
        raise BrokenPipeError
