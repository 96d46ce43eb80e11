"""One job of a run plays match after match, and while one is played it starts the bots of the next."""

from typing import Protocol

import trio
from msgspec import Struct

from referee.play.faults import HostFault
from referee.play.match import LiveMatch
from referee.play.process.pool import Pool, Reuse
from referee.play.pump.pump import Pump
from referee.tournament.orders import Begun, Job, Report, Spoiled, Unplayed, played


class Dispatcher(Protocol):
    """Gives jobs their orders, and takes their reports: the desk, or in a worker the pipes to it."""

    stopping: trio.Event
    """Is set when no match may begin any more."""

    async def next(self) -> Job | None:
        """The next match, as soon as there is one that may be played. None where nothing is left."""

    async def report(self, report: Report) -> None:
        """Take in what became of a match."""


class _Seated(Struct):
    """A match whose bots are ready."""

    order: Job
    match: LiveMatch


class JobRunner:
    """Plays one match at a time until there is none to be had."""

    def __init__(self, pump: Pump, dispatcher: Dispatcher, pool: Pool | None) -> None:
        self._pump, self._dispatcher, self._pool = pump, dispatcher, pool
        self._waiting: _Seated | None = None
        self._is_playing = False

    async def run(self) -> None:
        """Play. However this ends, no bot is left except those that are kept for later matches."""
        try:
            await self._seat()
            while (seated := self._waiting) is not None and not self._dispatcher.stopping.is_set():
                self._waiting = None
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._seat)
                    await self._play(seated)
            if seated is not None:
                await self._dispatcher.report(Unplayed(number=seated.order.fixture.number))
        finally:
            if self._waiting is not None:
                await self._waiting.match.dismiss()

    async def _seat(self) -> None:
        """Start the bots of the next match; while another is played, they are frozen once they are ready."""
        while (order := await self._dispatcher.next()) is not None:
            match = LiveMatch(self._pump, order.setup, self._pool)
            try:
                await match.seat()
            except Exception as error:
                await self._dispatcher.report(_spoiled(order, error))
                continue
            self._waiting = _Seated(order, match)
            if self._is_playing:
                match.pause()
            return

    async def _play(self, seated: _Seated) -> None:
        """Play a match. One that the referee spoils is void."""
        self._is_playing = True
        report: Report
        try:
            await self._dispatcher.report(Begun(number=seated.order.fixture.number))
            report = played(seated.order.fixture, await seated.match.play())
        except Exception as error:
            report = _spoiled(seated.order, error)
        finally:
            self._is_playing = False
            await seated.match.dismiss()
        await self._dispatcher.report(report)


async def play_jobs(pump: Pump, dispatcher: Dispatcher, *, jobs: int, reuse: Reuse) -> None:
    """Run this many jobs side by side, until none of them has anything left to do."""
    pool = Pool() if reuse == "tournament" else None
    try:
        async with trio.open_nursery() as nursery:
            for _ in range(jobs):
                nursery.start_soon(JobRunner(pump, dispatcher, pool).run)
    finally:
        if pool is not None:
            await pool.close()


def _spoiled(order: Job, error: Exception) -> Spoiled:
    reason = str(error) if isinstance(error, HostFault) else f"{type(error).__name__}: {error}"
    return Spoiled(number=order.fixture.number, reason=reason)
