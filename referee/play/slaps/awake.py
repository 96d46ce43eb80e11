"""Keeping the cores awake: a core that sleeps takes tens of microseconds to begin.

Linux promises it to whoever may open /dev/cpu_dma_latency, as root does: a core without work then waits in a loop of
the kernel's own. Everybody else has the wakers. Measured in turns on a quiet virtual machine with two cores, with four
C bots that slap at once: a window takes 0.8 ms beside the bots' own time with the promise and 1.6 ms with wakers, which
had the shortest slice then, and the bots' own time is 55 instead of 95 us. Where sessions share out the cores, who
wakes up beside a waker has to wait for the next tick of the kernel's clock now and then; on a core without work there
is nobody to wait for.
"""

import contextlib
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from referee.play.isolation.host import text
from referee.play.slaps.wakers import Wakers

PROMISE = "/dev/cpu_dma_latency"
"""Takes the longest time in microseconds that a core may need to begin. It holds until the file is closed.

Source: the kernel's admin-guide/pm/cpuidle.rst, "Power Management Quality of Service for CPUs".
"""

_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
"""What puts the cores to sleep. Without a driver the kernel has no loop for them to wait in."""

_AT_ONCE, _ANY = struct.pack("=i", 0), struct.pack("=i", 2_000_000_000)


class Cores:
    """All cores of the host. `close` leaves nothing open or running."""

    def __init__(self) -> None:
        self._wakers = Wakers()
        self._promise: int | None = None
        self._tried = False
        self._stay_awake = self._is_promised = False

    def stay_awake(self, *, wanted: bool) -> None:
        """Keep the cores awake from now on, or let them sleep, where the kernel does it. Wakers gain nothing by it."""
        if wanted is not self._stay_awake:
            self._stay_awake = wanted
            self._ask(awake=wanted)

    @contextlib.contextmanager
    def awake(self) -> Iterator[None]:
        """Keep the cores awake for the duration of the block."""
        if not self._ask(awake=True):
            with self._wakers.awake():
                yield
            return
        try:
            yield
        finally:
            self._ask(awake=self._stay_awake)

    def close(self) -> None:
        """Let them sleep as they like."""
        self._wakers.close()
        if self._promise is not None:
            os.close(self._promise)
        self._promise, self._tried, self._stay_awake, self._is_promised = None, False, False, False

    def _ask(self, *, awake: bool) -> bool:
        """Ask the kernel to keep the cores awake, or not to; returns whether it can be asked."""
        if not self._tried:
            self._tried = True
            self._promise = _open()
        if self._promise is None:
            return False
        if awake is not self._is_promised:
            os.write(self._promise, _AT_ONCE if awake else _ANY)
            self._is_promised = awake
        return True


def _open() -> int | None:
    """The file by which the kernel is asked; None where it cannot be opened or changes nothing."""
    if text(_DRIVER) in (None, "none"):
        return None
    with contextlib.suppress(OSError):
        return os.open(PROMISE, os.O_WRONLY | os.O_CLOEXEC)
    return None
