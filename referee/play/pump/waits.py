"""Waiting in trio's loop until a descriptor is ready, also where the kernel takes no further watch of epoll.

trio adds a descriptor to its own epoll when it is waited for the first time. A bot of the same user can have used up
all watches by then (see poller.py); trio raises OSError. Here the descriptor is then looked at with poll(2), which
takes none. This module must not know who waits, nor for what.
"""

import select
import time

import trio

from referee.play.bot.accounts import USED_UP, has_watches
from referee.play.faults import HostFault

LOOK_S = 0.002
"""Time between two looks at a descriptor that trio cannot watch."""

NO_WATCHES = (
    "the user that golfref runs as has used up its watches of epoll, so golfref cannot begin; "
    "end the programs that hold them, or have root raise `sysctl fs.epoll.max_user_watches`"
)


class TaskSteps(trio.abc.Instrument):
    """Counts the steps of trio's tasks, so that a task whose steps are long knows whether others wait for it."""

    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 - trio gives it
        """Count a step."""
        self.count += 1


async def wait_readable(fd: int) -> None:
    """Wait until the descriptor can be read or has ended."""
    try:
        await trio.lowlevel.wait_readable(fd)
    except OSError as error:
        if error.errno not in USED_UP:
            raise
        await _look_until(fd, select.POLLIN)


async def wait_writable(fd: int) -> None:
    """Wait until the descriptor can be written, or nobody reads it any more."""
    try:
        await trio.lowlevel.wait_writable(fd)
    except OSError as error:
        if error.errno not in USED_UP:
            raise
        await _look_until(fd, select.POLLOUT)


def await_watches(patience_s: float) -> None:
    """Wait, outside trio's loop, until there is a watch left, which the loop needs to begin. Raises HostFault."""
    end = time.monotonic() + patience_s
    while not has_watches():
        if time.monotonic() > end:
            raise HostFault(NO_WATCHES)
        time.sleep(LOOK_S)


async def _look_until(fd: int, events: int) -> None:
    poll = select.poll()
    poll.register(fd, events)
    while not poll.poll(0):
        await trio.sleep(LOOK_S)
