"""How a bot's process is ended, and what has escaped from bots, while trio's loop goes on."""

import os
from collections.abc import Callable

import trio

from referee.play.process.orphans import end_orphans_now
from referee.play.process.process import BotProcess

DRAIN_S = 0.01
"""How often the standard error of a bot that is ending by itself is read, so that it never waits for us for long."""

KILL_AGAIN_S = 0.001
"""Time after which what a kill has left is killed."""

MOMENT_S = 0.002
"""Time between two looks whether a bot has ended, where the kernel does not tell of it."""

DYING_S = 10.0
"""How long killed processes may take to be gone. A control group that is not empty then is left to a later referee."""

BUILD_DYING_S = 120.0
"""The same for a build, which may have filled its folder, and gets a core only when little else wants one."""

POLL_INTERVAL_S = 0.002
"""Time between two looks whether what was killed is gone: it needs a core to die."""


async def stop(process: BotProcess, *, patience_s: float, drain: Callable[[], None]) -> None:
    """End the bot's input, and kill the bot if it has not ended after `patience_s` of its own time.

    The process is reaped when this returns. `drain` is called to read what the bot still writes to standard error.
    """
    process.close_stdin()
    end = process.own_time_s() + patience_s
    while not process.has_exited() and (left_s := end - process.own_time_s()) > 0:
        drain()
        await _ends_within(process, min(left_s, DRAIN_S))
    process.kill()
    while not process.has_exited():
        await _ends_within(process, KILL_AGAIN_S)
        process.go_on_killing()
    drain()
    process.reap()
    latest = trio.current_time() + (BUILD_DYING_S if process.is_build else DYING_S)
    while not process.leave_group() and trio.current_time() < latest:
        await trio.sleep(POLL_INTERVAL_S)
    process.give_back()


async def end_orphans(*, patience_s: float = 1.0) -> bool:
    """Do what `end_orphans_now` does, for so long. Returns False if some are left."""
    end = trio.current_time() + patience_s
    while not end_orphans_now():
        if trio.current_time() >= end:
            return False
        await trio.sleep(POLL_INTERVAL_S)
    return True


async def _ends_within(process: BotProcess, seconds: float) -> None:
    """Wait until it has ended, or for so long; where the kernel does not wake us for that, for a moment.

    It takes no descriptor for granted, and no watch of epoll: bots are ended where the host has neither.
    """
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        await trio.sleep(min(seconds, MOMENT_S))
        return
    try:
        with trio.move_on_after(seconds):
            await trio.lowlevel.wait_readable(fd)
    except OSError:
        await trio.sleep(min(seconds, MOMENT_S))
    finally:
        os.close(fd)
