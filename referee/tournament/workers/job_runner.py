"""A job runner plays the matches of job after job, and while one is played it starts the bots of the next."""

import math
from collections import deque
from typing import Protocol

import trio
from msgspec import Struct

from referee.play.faults import HostFault
from referee.play.match import LiveMatch
from referee.play.process.pool import Pool
from referee.play.pump.pump import Pump
from referee.tournament.orders import Begun, Job, Report, SessionSetup, Spoiled, Unplayed, played
from referee.tournament.plan.planned_match import PlannedMatch

JOBS_AHEAD = 2
"""A job runner has two jobs at most: the one that it plays, and the one whose bots it starts."""

LONGEST_JOB_S = 1.0
"""A runner starts the bots of no further match of a job that has lasted for longer than this, unless the job stays
whole. The rest goes back to the dispatcher, so that another runner can play it."""


class JobSource(Protocol):
    """Gives runners their jobs, and takes their reports: the dispatcher, or in a worker the pipes to it."""

    stopping: trio.Event
    """Is set when no match may begin any more."""

    async def next(self) -> Job | None:
        """The next job, as soon as there is one that may be played. None where nothing is left."""

    async def report(self, report: Report) -> None:
        """Take in what became of a match."""


class _Seated(Struct):
    """A match whose bots are ready."""

    planned_match: PlannedMatch
    match: LiveMatch


class JobRunner:
    """Plays one match at a time until there is none to be had."""

    def __init__(self, pump: Pump, setup: SessionSetup, source: JobSource, pool: Pool | None) -> None:
        self._pump, self._setup, self._source, self._pool = pump, setup, source, pool
        self._left: deque[PlannedMatch] = deque()
        """The matches of the job whose bots are not started yet."""
        self._ends_at: float | None = None
        """When the job has lasted too long. None where none of its matches has begun."""
        self._waiting: _Seated | None = None
        self._is_playing = False

    async def run(self) -> None:
        """Play. However this ends, no bot is left except those that are kept for later matches."""
        try:
            await self._seat()
            while (seated := self._waiting) is not None and not self._source.stopping.is_set():
                self._waiting = None
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._seat)
                    await self._play(seated)
            if seated is not None:
                self._left.appendleft(seated.planned_match)
                await self._give_back()
        finally:
            if self._waiting is not None:
                await self._waiting.match.dismiss()

    async def _seat(self) -> None:
        """Start the bots of the next match; while another is played, they are frozen once they are ready."""
        while (planned_match := await self._next()) is not None:
            match = LiveMatch(self._pump, self._setup.match_setup(planned_match), self._pool)
            try:
                await match.seat()
            except Exception as error:
                await self._source.report(_spoiled(planned_match, error))
                continue
            self._waiting = _Seated(planned_match, match)
            if self._is_playing:
                match.pause()
            return

    async def _next(self) -> PlannedMatch | None:
        """The next match of the job, or of another one."""
        if self._ends_at is not None and trio.current_time() > self._ends_at:
            await self._give_back()
        if not self._left:
            if (job := await self._source.next()) is None:
                return None
            self._left.extend(job.matches)
            self._ends_at = math.inf if job.is_whole else None
        return self._left.popleft()

    async def _give_back(self) -> None:
        """Report what is left of the job as unplayed, the last match first, as it is to be put back."""
        while self._left:
            await self._source.report(Unplayed(number=self._left.pop().number))

    async def _play(self, seated: _Seated) -> None:
        """Play a match. One that the referee spoils is void."""
        self._is_playing = True
        planned_match = seated.planned_match
        if self._ends_at is None:
            self._ends_at = trio.current_time() + LONGEST_JOB_S
        report: Report
        try:
            await self._source.report(Begun(number=planned_match.number))
            report = played(planned_match, await seated.match.play())
        except Exception as error:
            report = _spoiled(planned_match, error)
        finally:
            self._is_playing = False
            await seated.match.dismiss()
        await self._source.report(report)


async def play_jobs(pump: Pump, setup: SessionSetup, source: JobSource, *, jobs: int) -> None:
    """Run so many job runners side by side, until none of them has anything left to do."""
    pool = Pool() if setup.reuse == "tournament" else None
    try:
        async with trio.open_nursery() as nursery:
            for _ in range(jobs):
                nursery.start_soon(JobRunner(pump, setup, source, pool).run)
    finally:
        if pool is not None:
            await pool.close()


def _spoiled(planned_match: PlannedMatch, error: Exception) -> Spoiled:
    reason = str(error) if isinstance(error, HostFault) else f"{type(error).__name__}: {error}"
    return Spoiled(number=planned_match.number, reason=reason)
