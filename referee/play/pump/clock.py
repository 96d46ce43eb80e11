"""The pump's clock: what time it is, when the pump last looked at its pipes, and for how long nobody looked.

No bot is charged for time in which nobody looks at what it writes. This module finds such gaps; the pump decides what
follows from them. Times are in nanoseconds. It must not know bots.
"""

import contextlib
import time
from collections.abc import Callable, Iterator

import trio

LAG_NS = 2_000_000
"""A longer gap between two looks is a lag."""

NEVER_NS = 1 << 62
"""A time that does not come."""

AT_ONCE_NS = 50_000
"""A poll that returns within this time has not waited."""


class LoopWaits(trio.abc.Instrument):
    """Tells after each wait of trio's loop when the wait began and when it ended."""

    def __init__(self, now_ns: Callable[[], int], tell: Callable[[int, int], None]) -> None:
        self._now_ns, self._tell = now_ns, tell
        self._began_ns = 0

    def before_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio gives it
        """Note when the loop has nothing to do and begins to wait."""
        self._began_ns = self._now_ns()

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio gives it
        """Tell of a wait that has ended, because something has come or a deadline has passed."""
        self._tell(self._began_ns, self._now_ns())


class Clock:
    """The time, and when the pipes were last looked at. `on_lag` is called with the length of each lag."""

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """`now_ns` returns the time; a test gives one that it sets itself."""
        self.now_ns = now_ns
        self.on_lag: Callable[[int], None] = lambda _: None
        self.loop_waits = LoopWaits(now_ns, self._note_wait)
        """An instrument of trio, which the pump adds to its loop while it runs."""
        self.arrived_ns = now_ns()
        """When what the last poll found counts as arrived. Where that is uncertain, the bots have the benefit."""
        self._looked_ns = self.arrived_ns
        self._parked_until_ns: int | None = None

    def mark_looked(self) -> None:
        """Note that the pipes are looked at now; whatever the pump did before is no lag."""
        self._looked_ns = self.now_ns()

    def catch_up(self, now_ns: int) -> None:
        """Note that the pump looks again. If that is late, there was a lag, and what came in it counts as come now."""
        gap_ns = now_ns - self._looked_ns
        if gap_ns > LAG_NS:
            self._looked_ns = now_ns
            self.on_lag(gap_ns)

    def end_poll(self, start_ns: int, timeout_ns: int) -> int:
        """Note that a poll has returned that began at that time, with that timeout; returns what time it is now."""
        now_ns = self.now_ns()
        if start_ns - self._looked_ns > LAG_NS:
            self.catch_up(start_ns)
        if (late_ns := now_ns - start_ns - timeout_ns) > LAG_NS:
            self.on_lag(late_ns)
        # What is there at once may have come while the pump was at work since its last look.
        self.arrived_ns = self._looked_ns if now_ns - start_ns < AT_ONCE_NS else now_ns
        self._looked_ns = now_ns
        return now_ns

    @contextlib.contextmanager
    def parked(self, until_ns: int) -> Iterator[None]:
        """During the block the pump waits in trio's loop, until that time at most; the loop looks while it waits."""
        self._parked_until_ns = until_ns
        try:
            yield
        finally:
            self._parked_until_ns = None

    def _note_wait(self, began_ns: int, ended_ns: int) -> None:
        """Note that trio's loop has waited."""
        if self._parked_until_ns is None:
            return
        self.catch_up(began_ns)
        if (late_ns := ended_ns - max(began_ns, self._parked_until_ns)) > LAG_NS:
            self.on_lag(late_ns)
        self._looked_ns = ended_ns
