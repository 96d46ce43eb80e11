"""Whether the cores are equally fast, and at all times: the same loop is timed on them again and again."""

import contextlib
import math
import os
import statistics
import time

TURNS = 1000
"""Of the loop; this takes 10 to 30 us."""

AT_ONCE = 20
"""How often the loop is timed before the next core has its turn. The first time counts not: the core is new to us."""

LOOK_S = 0.5
"""For how long all cores are looked at together."""

MOST_CORES = 16
"""Of more, as many are looked at, spread evenly."""


def unevenness() -> float | None:
    """How many times as long the same work takes in slow moments and on slow cores as in quick ones on quick cores.

    That is the 95th percentile of all its times to the 5th. Time in which this thread waits for a core does not count,
    nor does what a virtual machine's host takes, where the kernel sets that apart. None where a thread cannot choose
    its core.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    former = os.sched_getaffinity(0)
    cores = sorted(former)[:: math.ceil(len(former) / MOST_CORES)]
    times_ns: list[int] = []
    end = time.monotonic() + LOOK_S
    try:
        while not times_ns or time.monotonic() < end:
            for core in cores:
                os.sched_setaffinity(0, {core})
                times_ns += [_loop_ns() for _ in range(AT_ONCE)][1:]
    except OSError:  # the system does not allow it
        return None
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, former)
    bounds = statistics.quantiles(times_ns, n=20)
    return bounds[-1] / bounds[0]


def _loop_ns() -> int:
    start_ns = time.thread_time_ns()
    for _ in range(TURNS):
        pass
    return time.thread_time_ns() - start_ns
