"""All bots of a slap window compute on the same core, on systems that can pin a process to a core (Linux).

The cores of a virtual machine are not equally fast at every moment: each shares its hardware with another guest that
is busy or not. Measured on such a host, the same loop took one core 0.7 to 1.4 times as long as the other, for seconds.
Whoever happened to have the faster one won: of four C bots the one with 100 of 500 us less to compute had the least
time in 73 to 99 % of the windows, and in 87 to 100 % on one core (11 runs in turns, medians 87 and 98 %).
"""

import contextlib
import ctypes
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from referee.play.process.process import BotProcess
from referee.play.sandbox.system_info import text

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


class OneCore:
    """Chooses the core for the bots of the next window: the same as before, whose caches hold their data."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._is_left = False

    def choose(self) -> int | None:
        """Returns the number of a core that this thread is not on, as it must see at once when a bot has answered.

        It shares no hardware with ours if there is such a core. None if ours is the only one, or the system cannot
        report it.
        """
        ours = _our_core()
        if ours is None:
            return None
        others = os.sched_getaffinity(0) - {ours}
        cores = sorted(others - _siblings(ours) or others, reverse=True)  # the first one of a machine has most to do
        if cores and (self._is_left or self._last not in cores):
            last = cores[0] + 1 if self._last is None else self._last
            self._last = next((core for core in cores if core < last), cores[0])
            self._is_left = False
        return self._last if cores else None

    def leave(self) -> None:
        """Choose another core next time, if there is one: another program there may have disturbed the window."""
        self._is_left = True


@contextlib.contextmanager
def keeping_off(core: int | None) -> Iterator[None]:
    """During the block this thread runs on any core but this one, unless it has no other."""
    former = set[int]() if core is None else os.sched_getaffinity(0)
    if core is not None:
        _keep_to(former - {core})
    try:
        yield
    finally:
        _keep_to(former)


def _keep_to(cores: set[int]) -> None:
    with contextlib.suppress(OSError):  # the system does not allow it
        if cores:
            os.sched_setaffinity(0, cores)


@contextlib.contextmanager
def pinned_to(core: int | None, process: BotProcess | None) -> Iterator[None]:
    """During the block a bot of a single task runs on this core alone, and so do the tasks that it starts.

    Afterwards all of them may use the cores that it had before. A bot of several tasks is not pinned, so that its tasks
    can compute at the same time. The bot is frozen when the block begins, and when it ends.
    """
    tasks = [] if core is None or process is None else process.tasks(known=True)
    former: set[int] = set()
    if len(tasks) == 1 and core is not None:
        with contextlib.suppress(OSError):  # it has ended
            found = os.sched_getaffinity(tasks[0])
            os.sched_setaffinity(tasks[0], {core})
            former = found
    try:
        yield
    finally:
        for task in process.tasks() if process is not None and former else []:
            with contextlib.suppress(OSError):
                if os.sched_getaffinity(task) == {core}:  # else it has chosen for itself meanwhile
                    os.sched_setaffinity(task, former)


def _our_core() -> int | None:
    """The core on which this thread runs; None if the system cannot report it."""
    ask = _asker()
    core = -1 if ask is None else ask()
    return core if core >= 0 else None


@functools.cache
def _asker() -> Callable[[], int] | None:
    """The C library's sched_getcpu(3). Python has none."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    return getattr(ctypes.CDLL(None), "sched_getcpu", None)


@functools.cache
def _siblings(core: int) -> frozenset[int]:
    """The cores that share their hardware with this one. The system lists them as `0,4` or `0-1`."""
    found = set[int]()
    for part in (text(Path(_SIBLINGS.format(core))) or "").split(","):
        first, _, last = part.partition("-")
        with contextlib.suppress(ValueError):
            found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)
