"""Whether the cores are equally fast, and at all times: the same loop is timed on them again and again."""

import contextlib
import math
import os
import statistics
import time

MEASURED_S = 0.5
"""For how long all cores are measured together."""

MOST_CORES = 16
"""Of more, as many are measured, spread evenly."""


def unevenness() -> float | None:
    """How many times as long the same work takes in slow moments and on slow cores as in quick ones on quick cores.

    That is the 95th percentile of all its times to the 5th. Time in which this thread waits for a core does not count,
    nor does what a virtual machine's host takes, where the kernel sets that apart. None where a thread cannot choose
    its core, and where the clock is too coarse.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    former = os.sched_getaffinity(0)
    cores = sorted(former)[:: math.ceil(len(former) / MOST_CORES)]
    times_ns: list[int] = []
    end = time.monotonic() + MEASURED_S
    try:
        while not times_ns or time.monotonic() < end:
            for core in cores:
                os.sched_setaffinity(0, {core})
                times_ns += [_loop_ns() for _ in range(20)][1:]  # the core is new to us at first
    except OSError:  # the system does not allow it
        return None
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, former)
    low, *_, high = statistics.quantiles(times_ns, n=20)
    return high / low if low > 0 else None


def _loop_ns() -> int:
    """The time of a loop, 10 to 30 us."""
    start_ns = time.thread_time_ns()
    for _ in range(1000):
        pass
    return time.thread_time_ns() - start_ns
