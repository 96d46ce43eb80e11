"""Keeping the cores awake: a core that sleeps takes tens of microseconds to begin, as long as a quick bot's decision.

Linux does it for whoever may open /dev/cpu_dma_latency, as root may: a core without work then waits in a loop of the
kernel's own. Where that file cannot be opened, the cores sleep as they like.

They are kept awake in slap windows, and between two answers of bots that answer at once. Measured in turns on a quiet
virtual machine with two cores, C bots (throughput.py): with cores that stay awake between answers one match makes 1.8
times as many decisions a second, and each costs the referee 0.66 of the CPU; four matches make 1.3 times as many, at
0.76. A virtual machine whose host has other guests takes its cores from these, so they may sleep where that shows.
"""

import contextlib
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from referee.play.process.usage import stolen_ticks
from referee.play.sandbox.system_info import cores, text

PROMISE = "/dev/cpu_dma_latency"
"""Takes the longest time in microseconds that a core may need to begin. It holds until the file is closed.

Source: the kernel's admin-guide/pm/cpuidle.rst, "Power Management Quality of Service for CPUs".
"""

_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
"""What puts the cores to sleep. Without a driver the kernel has no loop for them to wait in."""

_AT_ONCE, _ANY = struct.pack("=i", 0), struct.pack("=i", 2_000_000_000)

SOON_NS = 500_000
"""Bots answer at once if there is something to read as often as this."""

CHECK_NS = 1_000_000_000
"""Time between two looks at how much of the cores the host's other guests take."""

TICK_NS = 10_000_000
"""The steps in which the kernel counts that."""

MOST_STOLEN = 0.02
"""If they take a larger part of the cores than this, the cores may sleep between answers."""

REST_NS = 60_000_000_000
"""For how long the cores may sleep then."""


class AwakeCores:
    """All cores of the host, kept awake while slaps are timed and while bots answer at once."""

    def __init__(self, *, stolen: Callable[[], int] = stolen_ticks) -> None:
        """`stolen` returns for how many ticks the cores have been given to other guests so far."""
        self._promise, self._stolen = _open(), stolen
        self._are_awake = self._stay_awake = False
        self._looked_ns: int | None = None
        self._ticks = self._rest_until_ns = 0

    @contextlib.contextmanager
    def in_window(self) -> Iterator[None]:
        """Keep the cores awake for the duration of the block."""
        self._ask(awake=True)
        try:
            yield
        finally:
            self._ask(awake=self._stay_awake)

    def note_turn(self, looks: int, began_ns: int, ended_ns: int) -> None:
        """Keep the cores awake from now on if bots answered at once in this turn of the pump, else let them sleep.

        `looks` found something to read; they are 0 where the last of them found nothing.
        """
        if self._promise is None:
            return
        self._stay_awake = looks * SOON_NS > ended_ns - began_ns
        if self._stay_awake:
            if self._looked_ns is None or ended_ns - self._looked_ns > CHECK_NS:
                self._look(ended_ns)
            self._stay_awake = ended_ns >= self._rest_until_ns
        self._ask(awake=self._stay_awake)

    def close(self) -> None:
        """Let them sleep as they like."""
        if self._promise is not None:
            os.close(self._promise)
            self._promise = None

    def _ask(self, *, awake: bool) -> None:
        """Ask the kernel to keep the cores awake, or not to."""
        if self._promise is not None and awake is not self._are_awake:
            os.write(self._promise, _AT_ONCE if awake else _ANY)
            self._are_awake = awake

    def _look(self, now_ns: int) -> None:
        ticks = self._stolen()
        if self._looked_ns is not None:
            stolen_ns, all_ns = (ticks - self._ticks) * TICK_NS, (now_ns - self._looked_ns) * cores()
            if stolen_ns > MOST_STOLEN * all_ns:
                self._rest_until_ns = now_ns + REST_NS
        self._looked_ns, self._ticks = now_ns, ticks


def _open() -> int | None:
    """The file by which the kernel is asked; None where it cannot be opened or changes nothing."""
    if text(_DRIVER) in (None, "none"):
        return None
    with contextlib.suppress(OSError):
        return os.open(PROMISE, os.O_WRONLY | os.O_CLOEXEC)
    return None
