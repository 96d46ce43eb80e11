"""Keeping quiet what could disturb a timed slap window: other bots, the other workers of a run, other referees.

What is timed, and how, is the business of race.py.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator

from referee.play.bot.channel import Channel
from referee.play.bot.process import BotProcess
from referee.play.bot.procfs import states
from referee.play.slaps.neighbours import Neighbours
from referee.play.slaps.wakers import Wakers

REST_NS = 5_000_000
"""So long it may take until a bot stands still."""

LOOK_S = 20e-6
"""Time between two looks at a bot that is about to come to rest."""

NO_LOCK = "another referee may have been timing on this host"
NOT_AT_REST = "a bot could not be held still in time"
NOT_ALONE = "another worker was not still in time"

_STANDING = frozenset("TtZX")
"""States of a task: stopped, traced, ended."""


@contextlib.contextmanager
def quiet(
    everyone: Iterable[Channel], wakers: Wakers, neighbours: Neighbours | None, *, has_lock: bool
) -> Iterator[list[str]]:
    """For the duration of the block all bots stand, ours and the neighbours', and this thread has a core at once.

    Yields why that is in doubt. Neighbours are asked to be still only by who has the host's lock.
    """
    doubts = [] if has_lock else [NO_LOCK]
    asked = neighbours if has_lock else None
    with wakers.awake(), before_all_others():
        try:
            if asked is not None:
                asked.begin()
            with held_still(everyone) as at_rest:
                doubts += [] if at_rest else [NOT_AT_REST]
                doubts += [NOT_ALONE] if asked is not None and not asked.are_still() else []
                yield doubts
        finally:
            if asked is not None:
                asked.end()


@contextlib.contextmanager
def before_all_others() -> Iterator[None]:
    """This thread goes before all ordinary ones, where that is allowed; what it starts does not."""
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
def held_still(channels: Iterable[Channel]) -> Iterator[bool]:
    """Freeze these bots, and stop their clocks, for the duration of the block; yields whether those that owe an answer
    have come to rest. Who is held until the next line to it by then is not let go on.
    """
    frozen = [(channel, channel.process) for channel in channels if channel.process is not None]
    start_ns = time.monotonic_ns()
    for _, process in frozen:
        process.freeze()
    at_rest = [bring_to_rest(process) for channel, process in frozen if channel.is_busy()]
    try:
        yield all(at_rest)
    finally:
        held_ns = time.monotonic_ns() - start_ns
        for channel, process in frozen:
            if not channel.is_held():
                process.thaw()
            channel.shift_clock(held_ns)


def bring_to_rest(process: BotProcess) -> bool:
    """Stop all of the bot, and wait until it stands; False where it does not in time."""
    end_ns = time.monotonic_ns() + REST_NS
    process.freeze()
    while states(process.members()) - _STANDING:
        if time.monotonic_ns() > end_ns:
            return False
        time.sleep(LOOK_S)
        process.freeze()  # what it has started meanwhile
    return True
