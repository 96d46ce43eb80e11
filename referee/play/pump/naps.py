"""When trio's loop waits and when it is at work, as the pump must know while it is parked. Knows nothing of bots."""

import time
from collections.abc import Callable

import trio


class Naps(trio.abc.Instrument):
    """Tells after each wait of the loop when it began and ended, in nanoseconds of time.monotonic_ns."""

    def __init__(self, tell: Callable[[int, int], None]) -> None:
        self._tell = tell
        self._begun_ns = 0

    def before_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio gives it
        """The loop has nothing to do now."""
        self._begun_ns = time.monotonic_ns()

    def after_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio gives it
        """Something has come, or its time has."""
        self._tell(self._begun_ns, time.monotonic_ns())
