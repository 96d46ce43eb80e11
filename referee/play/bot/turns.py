"""When it was a bot's turn, and what it has computed outside its turns.

A bot's turn begins when it is asked, and ends when its answer is there or will not come; that of a new process begins
when it is started. This module must not know where the figures come from. Times are in nanoseconds.
"""

import os
from dataclasses import dataclass, field

from referee.play.bot.procfs import Holdings

BURST_NS = 20_000_000
"""A bot that computes longer than this outside its turns, between two looks, does more than tidy up."""

ALLOWANCE_NS = 200_000_000
"""How long a bot may compute outside its turns in a match before it is frozen at the end of each of them."""

CORES = os.cpu_count() or 1


@dataclass(slots=True, kw_only=True)  # a decision sets it, which takes longer with a Struct
class Turns:
    """The turns of one bot in one match."""

    used: Holdings = field(default_factory=Holdings)
    """What the bot had used at the last look."""
    since_ns: int | None = None
    """When its turn began; None where it is not its turn."""
    idle_cpu_ns: int = 0
    """What it has computed outside its turns, at least: see `note`."""
    last_idle_cpu_ns: int = 0
    """How much of that came between the last two looks."""
    is_allowance_spent: bool = False
    """Whether the bot has computed so much outside its turns that it is frozen at the end of each."""
    looks: int = 0
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

    def note(self, used: Holdings, now_ns: int) -> None:
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
        self.looks += 1

    @property
    def is_abused(self) -> bool:
        """Whether the last look has found that the bot computes outside its turns."""
        return self.last_idle_cpu_ns > BURST_NS or self.is_allowance_spent
