"""What a bot may use: what is counted as its thinking, what it computes outside its turns, and its limits.

The kernel's own limits come first; this module bounds what they do not bound on this host. It must not know what is
played, nor where the figures come from. Times are in nanoseconds, unless a name says otherwise.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import trio

from referee.play.process.orphans import end_orphans_now
from referee.play.process.usage import ResourceUsage
from referee.play.spec import MB, BotLimits

CHECK_S = 0.1
"""Time between two looks at the bots."""

BURST_NS = 20_000_000
"""A bot that computes longer than this outside its turns, between two looks, does more than tidy up."""

ALLOWANCE_NS = 200_000_000
"""How long a bot may compute outside its turns in a match before it is frozen at the end of each of them."""

MOST_FORGIVEN = 10
"""How long a bot's wait for a core is forgiven at most, in times of the answer's limit."""

KEEPERS = 4
"""How many processes stand between the referee and a bot in a cell."""

CORES = os.cpu_count() or 1


def less_waiting(time_ns: int, wait_ns: int, cpu_ns: int) -> int:
    """What counts of a bot's time: its waiting for a core is taken off, but what it computed always counts.

    Its tasks waited for a core for `wait_ns`, added up. With many tasks a bot can wait as long as it likes, but only
    by computing as long. See RULES.md CAC-25.
    """
    return max(time_ns - wait_ns, min(time_ns, cpu_ns))


@dataclass(slots=True, kw_only=True)  # a decision sets it, which takes longer with a Struct
class Turns:
    """The turns of one bot in one match, and what it has computed outside them.

    A bot's turn begins when it is asked, and ends when its answer is there or will not come; that of a new process
    begins when it is started.
    """

    used: ResourceUsage = field(default_factory=ResourceUsage)
    """What the bot had used at the last look."""
    since_ns: int | None = None
    """When its turn began; None where it is not its turn."""
    idle_cpu_ns: int = 0
    """What it has computed outside its turns, at least: see `note`."""
    last_idle_cpu_ns: int = 0
    """How much of that came between the last two looks."""
    is_allowance_spent: bool = False
    """Whether the bot has computed so much outside its turns that it is frozen at the end of each."""
    _own_ns: int = 0
    """For how long it has been its turn since the last look, in turns that have ended."""

    def begin(self, now_ns: int) -> None:
        """Note that the bot is asked something, or is being started."""
        if self.since_ns is None:
            self.since_ns = now_ns

    def end(self, now_ns: int) -> None:
        """Note that its answer is there, or will not come."""
        if self.since_ns is not None:
            self._own_ns += now_ns - self.since_ns
            self.since_ns = None

    def note(self, used: ResourceUsage, now_ns: int) -> None:
        """Note what the bot has used up to now.

        Between two looks each of its tasks may have computed, on a core of its own, for as long as it was its turn.
        What is more than that was computed outside its turns.
        """
        if self.since_ns is not None:
            self._own_ns += now_ns - self.since_ns
            self.since_ns = now_ns
        computed_ns = used.cpu_ns - self.used.cpu_ns
        self.last_idle_cpu_ns = max(0, computed_ns - self._own_ns * min(used.tasks, CORES))
        self.idle_cpu_ns += self.last_idle_cpu_ns
        self.is_allowance_spent = self.idle_cpu_ns > ALLOWANCE_NS
        self.used, self._own_ns = used, 0

    @property
    def is_abused(self) -> bool:
        """Whether the last look has found that the bot computes outside its turns."""
        return self.last_idle_cpu_ns > BURST_NS or self.is_allowance_spent


class Bounded(Protocol):
    """A process that has limits."""

    limits: BotLimits

    @property
    def bounded(self) -> frozenset[str]:
        """What the kernel bounds: some of `memory` and `processes`."""

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has ended something of it because it wanted more memory than it may have."""


def excess(holds: ResourceUsage, process: Bounded) -> str:
    """Returns which limit is exceeded, in words; an empty text where none is."""
    limits, bounded = process.limits, process.bounded
    # Where a control group bounds memory, the kernel may have ended only a part of the bot.
    if process.ran_out_of_memory() or (holds.memory_bytes > limits.memory_mb * MB and "memory" not in bounded):
        return f"it used more memory than {limits.memory_mb} MB"
    # Those around a cell are counted too; a bot that the kernel keeps at its bound is not ended for it.
    if holds.tasks > limits.processes + KEEPERS and "processes" not in bounded:
        return f"it had more than {limits.processes} processes and threads"
    if holds.cpu_ns > limits.cpu_s * 1_000_000_000:
        return f"it computed for more than {limits.cpu_s} s"
    return ""


class Watched(Protocol):
    """A bot that is looked at."""

    def check_limits(self, now_ns: int) -> None:
        """End the bot where it exceeds a limit, and hold it frozen where it computes unasked."""


async def watch_limits(bots: Callable[[], Iterable[Watched]]) -> None:
    """Look at these bots every CHECK_S, and end the processes that have escaped theirs, until cancelled."""
    while True:
        await trio.sleep(CHECK_S)
        for bot in list(bots()):
            bot.check_limits(time.monotonic_ns())
        end_orphans_now()
