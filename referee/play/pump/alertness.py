"""Whether the cores are kept awake between one answer and the next.

A bot that answers at once is asked again at once, and a core that has fallen asleep meanwhile costs as much to wake as
the decision itself. Bots that think for long leave cores asleep that have nothing to do. Nobody keeps cores awake that
are shared with other guests of a virtual machine's host: it would take them from these, or from our own bots. How cores
are kept awake is the business of `slaps/awake.py`.

Measured in turns on a quiet virtual machine with two cores, C bots (throughput.py): with cores that stay awake one
match makes 1.8 times as many decisions a second, and each costs the referee 0.66 of the CPU; four matches make 1.3
times as many, at 0.76.
"""

from collections.abc import Callable
from typing import Protocol

from referee.play.bot.procfs import stolen_ticks
from referee.play.isolation.host import cores

SOON_NS = 500_000
"""Bots answer at once if there is something to read as often as this."""

CHECK_NS = 1_000_000_000
"""Time between two looks at what the host's other guests take."""

TICK_NS = 10_000_000
"""In what steps the kernel tells that."""

MOST_STOLEN = 0.02
"""If they take a larger part of the cores than this, the cores are theirs too."""

REST_NS = 60_000_000_000
"""For how long the cores may sleep then."""


class Sleepers(Protocol):
    """What can be kept awake."""

    def stay_awake(self, *, wanted: bool) -> None:
        """Keep it awake from now on, or let it sleep."""


class Alertness:
    """Says after each turn of the pump whether the cores stay awake."""

    def __init__(self, sleepers: Sleepers, *, stolen: Callable[[], int] = stolen_ticks) -> None:
        """`stolen` returns for how many ticks the cores have been taken away so far."""
        self._sleepers, self._stolen = sleepers, stolen
        self._looked_ns: int | None = None
        self._ticks = self._rests_until_ns = 0

    def note_turn(self, looks: int, began_ns: int, ended_ns: int) -> None:
        """Note a turn in which so many looks found something; 0 where the last of them found nothing."""
        wanted = looks * SOON_NS > ended_ns - began_ns
        if wanted:
            if self._looked_ns is None or ended_ns - self._looked_ns > CHECK_NS:
                self._look(ended_ns)
            wanted = ended_ns >= self._rests_until_ns
        self._sleepers.stay_awake(wanted=wanted)

    def _look(self, now_ns: int) -> None:
        ticks = self._stolen()
        if self._looked_ns is not None:
            stolen_ns, all_ns = (ticks - self._ticks) * TICK_NS, (now_ns - self._looked_ns) * cores()
            if stolen_ns > MOST_STOLEN * all_ns:
                self._rests_until_ns = now_ns + REST_NS
        self._looked_ns, self._ticks = now_ns, ticks
