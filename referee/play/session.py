"""The frame in which bots are run: one pump, the work that uses it, signals, and nothing left behind at the end."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing

import trio

from referee.play.household import nothing_left_behind
from referee.play.pump import Pump
from referee.play.warden import Warden

Work = Callable[[Pump], Awaitable[None]]


class Interrupted(Exception):
    """SIGINT or SIGTERM came, and everything that ran has been stopped."""


def run_session(works: Sequence[Work]) -> None:
    """Run all works side by side on one pump, from the main thread, until they are done.

    Raises Interrupted after SIGINT or SIGTERM, and otherwise the first exception that a work lets out.
    """
    try:
        with nothing_left_behind():
            trio.run(_session, works)
    except BaseExceptionGroup as group:
        raise _first(group) from None


async def _session(works: Sequence[Work]) -> None:
    interrupted = False

    async def watch(signals: AsyncIterator[int]) -> None:
        nonlocal interrupted
        async for _ in signals:
            interrupted = True
            nursery.cancel_scope.cancel()

    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals, closing(Pump()) as pump:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch, signals)
            nursery.start_soon(pump.run)
            nursery.start_soon(Warden(pump.channels).run)
            async with trio.open_nursery() as workers:
                for work in works:
                    workers.start_soon(work, pump)
            nursery.cancel_scope.cancel()
    if interrupted:
        raise Interrupted


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner
