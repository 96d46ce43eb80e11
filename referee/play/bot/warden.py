"""Looks after the bots while they play, ten times a second.

A bot that exceeds its limits is ended, one that computes while nothing is asked of it is held frozen, and processes
that have escaped their bot are ended.

The kernel's own limits come first; this module bounds what they do not bound on this host. It must not know what is
played.
"""

import time
from collections.abc import Callable, Iterable

import trio

from referee.play.bot.channel import Channel
from referee.play.bot.orphans import end_orphans_now
from referee.play.bot.process import KEEPERS, BotProcess
from referee.play.bot.procfs import Holdings

CHECK_S = 0.1
"""Time between two looks."""

MB = 1 << 20


class Warden:
    """Looks after the bots that `channels` gives."""

    def __init__(self, channels: Callable[[], Iterable[Channel]]) -> None:
        self._channels = channels

    async def run(self) -> None:
        """Look after the bots until cancelled."""
        while True:
            await trio.sleep(CHECK_S)
            self.check_all()

    def check_all(self) -> None:
        """Look at every bot once."""
        for channel in list(self._channels()):
            if (process := channel.process) is None:
                continue
            process.go_on_killing()
            if channel.isolation != "none" and not process.has_exited():
                self._check(channel, process)
        end_orphans_now()

    def _check(self, channel: Channel, process: BotProcess) -> None:
        holds = channel.look(time.monotonic_ns())
        if holds is None:
            return
        if excess := _excess(holds, process):
            channel.end_for(excess)
        elif channel.turns.is_abused and not channel.owes_answer:
            channel.hold()


def _excess(holds: Holdings, process: BotProcess) -> str:
    """Which limit is exceeded, in words, if one is."""
    limits, bounded = process.limits, process.bounded
    # Where a control group bounds memory, the kernel may have ended only a part of the bot.
    if process.ran_out_of_memory() or (holds.memory_bytes > limits.memory_mb * MB and "memory" not in bounded):
        return f"it used more memory than {limits.memory_mb} MB, and was ended"
    # Those around a cell are counted too; a bot that the kernel keeps at its bound is not ended for it.
    if holds.tasks > limits.processes + KEEPERS and "processes" not in bounded:
        return f"it had more than {limits.processes} processes and threads, and was ended"
    if holds.cpu_ns > limits.cpu_s * 1_000_000_000:
        return f"it computed for more than {limits.cpu_s} s, and was ended"
    return ""
