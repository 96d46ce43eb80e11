"""The frame in which bots are run: one pump, the work that uses it, signals, and nothing left behind at the end."""

import errno
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial

import trio

from referee.ending_signals import ENDING_SIGNALS, Interrupted, ignore_ending_signals
from referee.play.faults import HostFault, hosts_fault, in_words
from referee.play.process.limit_watch import watch_limits
from referee.play.process.open_files import raise_limit
from referee.play.process.orphans import nothing_left_behind
from referee.play.pump.pump import Pump

_NO_ROOM = frozenset({errno.ENOSPC, errno.ENOMEM})
"""What the kernel says where it takes no further watch of epoll, beside other causes."""

Work = Callable[[Pump], Awaitable[None]]


def run_session(works: Sequence[Work], *, stop: Callable[[], None] | None = None) -> None:
    """Run all works side by side on one new pump, from the main thread, until they are done.

    Raises Interrupted after a signal, as `heeding_signals` does with `stop`, and otherwise the first exception that a
    work lets out.
    """
    with hosts_fault():
        pump = Pump()
    guarded(partial(heeding_signals, partial(pumping, works, pump), stop))


def guarded(main: Callable[[], Awaitable[None]]) -> None:
    """Run this in the main thread, with nothing left behind; raises the first exception that it lets out.

    Raises HostFault where the host has no room, or our user no watch of epoll, which bots of the same user may have.
    """
    try:
        with ExitStack() as stack:
            raise_limit()
            with hosts_fault():
                stack.enter_context(nothing_left_behind())
            trio.run(main)
    except (BaseExceptionGroup, OSError, trio.TrioInternalError) as error:
        first = _first(error)
        if isinstance(first, OSError) and first.errno in _NO_ROOM:
            raise HostFault(in_words(first)) from error
        if isinstance(error, BaseExceptionGroup):
            raise first from None
        raise


async def pumping(works: Sequence[Work], pump: Pump) -> None:
    """Run all works side by side on this pump, and close it."""
    with closing(pump):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump.run)
            nursery.start_soon(watch_limits, pump.channels)
            async with trio.open_nursery() as inner:
                for work in works:
                    inner.start_soon(work, pump)
            nursery.cancel_scope.cancel()


async def heeding_signals(main: Callable[[], Awaitable[None]], stop: Callable[[], None] | None = None) -> None:
    """Run this, and cancel it when a signal comes that ends a command: then Interrupted is raised.

    The first SIGINT only calls `stop`, if there is one, and Interrupted is raised when `main` is done.
    """
    interrupted = False

    async def watch(signals: AsyncIterator[int]) -> None:
        nonlocal interrupted
        async for number in signals:
            if number == signal.SIGINT and stop is not None and not interrupted:
                stop()
            else:
                nursery.cancel_scope.cancel()
            interrupted = True

    with trio.open_signal_receiver(*ENDING_SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch, signals)
            await main()
            nursery.cancel_scope.cancel()
    if interrupted:
        ignore_ending_signals()
        raise Interrupted


def _first(error: BaseException) -> BaseException:
    """The first exception of a group; why trio's loop failed, where it did."""
    if isinstance(error, BaseExceptionGroup):
        return _first(error.exceptions[0])
    if isinstance(error, trio.TrioInternalError) and error.__cause__ is not None:
        return _first(error.__cause__)
    return error
