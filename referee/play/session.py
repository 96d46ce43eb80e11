"""The frame in which bots are run: one pump, the work that uses it, signals, and nothing left behind at the end."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial

import trio

from referee.ending_signals import ENDING_SIGNALS, ignore_ending_signals
from referee.play.bot.accounts import Accounts
from referee.play.bot.orphans import nothing_left_behind
from referee.play.bot.warden import Warden
from referee.play.faults import hosts_fault
from referee.play.pump.pump import Pump
from referee.play.pump.waits import await_watches

WATCHES_S = 10.0
"""How long a loop that is about to begin waits for a watch of epoll, which a bot of another run or worker may hold."""

Work = Callable[[Pump], Awaitable[None]]


class Interrupted(BaseException):
    """SIGINT, SIGTERM or SIGHUP came, and everything that ran has been stopped. They are ignored from now on."""


def run_session(works: Sequence[Work], pump: Pump | None = None, *, stop: Callable[[], None] | None = None) -> None:
    """Run all works side by side on one pump, a new one unless given, from the main thread, until they are done.

    Raises Interrupted after a signal, as `heeding_signals` does with `stop`, and otherwise the first exception that a
    work lets out.
    """
    with hosts_fault():
        pump = pump or Pump()
    guarded(partial(heeding_signals, partial(pumping, works, pump), stop))


def guarded(main: Callable[[], Awaitable[None]]) -> None:
    """Run this in the main thread, with nothing left behind; raises the first exception that it lets out.

    Raises HostFault where trio's loop cannot begin because the user's watches of epoll are used up, and stay so.
    """
    await_watches(WATCHES_S)
    try:
        with ExitStack() as stack:
            with hosts_fault():
                stack.enter_context(nothing_left_behind())
            trio.run(main)
    except BaseExceptionGroup as group:
        raise _first(group) from None
    except trio.TrioInternalError:
        await_watches(0.0)  # the last one may have been taken just before the loop began
        raise


async def pumping(works: Sequence[Work], pump: Pump) -> None:
    """Run all works side by side on this pump, and close it."""
    with closing(pump):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump.run)
            nursery.start_soon(Warden(pump.channels).run)
            nursery.start_soon(Accounts(pump.admitted).run)
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


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
