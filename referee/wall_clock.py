"""The time of day. It says when something was done, and never decides what is played, stored or told in a table.

This is the only place that reads it, because such clocks jump. Whoever measures or waits takes a monotonic clock.
"""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def now_here() -> datetime:
    """The time with the offset from UTC of this machine."""
    return datetime.now().astimezone()


def stamp() -> str:
    """The time in UTC, as `2026-11-23 04:50:07`."""
    return now().strftime("%Y-%m-%d %H:%M:%S")


def seconds_since(changed_ns: int) -> float:
    """How long ago a file was changed, of which the system notes the time in nanoseconds. A clock that jumps lies."""
    return time.time() - changed_ns / 1e9
