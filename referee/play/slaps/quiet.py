"""Keeping a host quiet while a slap window is timed: all bots are frozen, and our thread goes before all others.

`race.py` times the bots. A bot is frozen by SIGSTOP.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator

from referee.play.process.channel import Channel
from referee.play.process.process import BotProcess
from referee.play.slaps.awake import AwakeCores

FREEZE_NS = 5_000_000
"""How long it may take until a bot is frozen."""

SPIN_NS = 25_000
"""For how long it is checked without a pause: as long as a bot takes to stop or to fall asleep on another core."""

POLL_INTERVAL_S = 20e-6
"""After that, the time between two checks. The bot may need the core that this thread has."""

NO_LOCK = "another referee may have been timing on this host"
NOT_FROZEN = "a bot could not be frozen in time"

AWAKE_NS = 1_000_000
"""For how long a bot that could not be frozen in time is watched, to find out whether it computes all the same."""

MOST_AWAKE = 10
"""In how many windows of a match a bot may compute although it is stopped; in the next one it is ended."""

_FROZEN_STATES = frozenset("TtZXD")
"""States of a task in which it does not compute: stopped, traced, ended, asleep in the kernel.

A task in D runs no code of the bot before it stops: that happens at the end of the system call that it is in. Whoever
calls vfork is there until its child has ended or become another program, and so for as long as that is stopped.
"""


@contextlib.contextmanager
def quiet(everyone: Iterable[Channel], cores: AwakeCores, *, has_lock: bool) -> Iterator[list[str]]:
    """During the block all bots of this referee are frozen, and this thread gets a core at once.

    Yields why that is in doubt.
    """
    with before_all_others(), cores.in_window(), frozen(everyone) as all_frozen:
        yield [NO_LOCK] * (not has_lock) + [NOT_FROZEN] * (not all_frozen)


@contextlib.contextmanager
def before_all_others() -> Iterator[None]:
    """This thread goes before all ordinary ones, where the system allows it. What it starts does not."""
    if not hasattr(os, "SCHED_FIFO"):
        yield
        return
    former = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        try:
            os.sched_setscheduler(0, *former)
        except OSError:  # only root takes the flag back; what we start is ordinary in any case
            with contextlib.suppress(OSError):
                os.sched_setscheduler(0, former[0] | os.SCHED_RESET_ON_FORK, former[1])


@contextlib.contextmanager
def frozen(channels: Iterable[Channel]) -> Iterator[bool]:
    """Freeze these bots and stop their clocks during the block, but leave those frozen that are held at its end.

    Yields whether all that owe an answer are frozen.
    """
    bots = [(channel, channel.process) for channel in channels if channel.process is not None]
    start_ns = time.monotonic_ns()
    for _, process in bots:
        process.freeze()
    are_frozen = [freeze_and_check(channel) for channel, _ in bots if channel.owes_answer]
    try:
        yield all(are_frozen)
    finally:
        frozen_ns = time.monotonic_ns() - start_ns
        for channel, process in bots:
            if not channel.paused:
                process.thaw()
            channel.shift_clock(frozen_ns)


def freeze_and_check(channel: Channel) -> bool:
    """Freeze a bot as `freeze_fully` does, and return the same. If it is not frozen, see whether it computes on."""
    channel.is_awake = False
    process = channel.process
    if process is None or (process.is_frozen() and process.is_stopped()) or freeze_fully(process):
        return True
    before = process.computed()
    time.sleep(AWAKE_NS / 1e9)
    after = process.computed()
    channel.is_awake = before is not None and after is not None and after.cpu_ns - before.cpu_ns > AWAKE_NS // 4
    return False


def freeze_fully(process: BotProcess) -> bool:
    """Freeze a bot and wait until none of its tasks computes; returns False where that takes too long."""
    process.freeze()
    for _ in looks(FREEZE_NS):
        if not process.states() - _FROZEN_STATES:
            return True
        process.freeze()  # what it has started meanwhile
    return False


def looks(patience_ns: int) -> Iterator[None]:
    """Yield for as long as something may take that is soon to be seen: at once for a while, then with pauses."""
    start_ns = time.monotonic_ns()
    yield
    while (passed_ns := time.monotonic_ns() - start_ns) < patience_ns:
        if passed_ns > SPIN_NS:
            time.sleep(POLL_INTERVAL_S)
        yield
