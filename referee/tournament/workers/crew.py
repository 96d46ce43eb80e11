"""The workers of a run: starting them, giving them orders, watching over them, replacing and ending them.

When a worker dies, its matches that had begun are void, which is no bot's fault. The others go to another worker.
"""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Protocol

import msgspec
import trio
from msgspec import Struct

import referee
from referee.errors import HOST_FAILED, GolfrefError
from referee.play.process import orphans
from referee.play.process.limit_watch import MOST_FORGIVEN
from referee.play.process.shutdown import end_orphans
from referee.play.session import guarded, heeding_signals
from referee.tournament.orders import Begun, Job, Part, Played, Report, SessionSetup, Spoiled, Stop, Unplayed
from referee.tournament.workers.frames import PIPE_READ_BYTES, Frames, frame
from referee.tournament.workers.job_runner import JOBS_AHEAD
from referee.tournament.workers.worker import HEARTBEAT_S, START

LONGEST_SILENCE_S = 30.0
"""A worker that reports nothing for longer than this, and the time that slaps may take, counts as hung."""

HEARTBEAT_STEPS = 4
"""Within how many steps of its tasks a worker's heartbeat comes. While it times slaps, a bot's answer is a step."""

LONGEST_SLAP = MOST_FORGIVEN + 1
"""How many times `slap_s` a slap may take, since the time for which a bot waits for a core is forgiven."""

UNREAD_S = 0.1
"""How long the run reads the reports that a hung worker left in its pipe."""

END_PATIENCE_S = 5.0
"""How long a worker may take to end its bots and itself."""

MOST_LOST = 10
"""The run gives up when more workers than this die one after another before they begin a match.

A match that a dead worker had begun is void, and ends with its attempts.
"""


class WorkersLost(GolfrefError):
    """The host starts no workers, or they die faster than they play. The text says why."""

    exit_code = HOST_FAILED


class WorkerGone(Exception):
    """A worker is dead or hung. The text says how."""


def _started(command: Sequence[str]) -> "tuple[Popen[bytes], int, int]":
    """A process, and our ends of the pipes for its orders and its reports. Raises OSError."""
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        orders, giving = os.pipe()
        theirs.callback(os.close, orders)
        ours.callback(os.close, giving)
        taking, reports = os.pipe()
        theirs.callback(os.close, reports)
        ours.callback(os.close, taking)
        process = Popen(command, stdin=orders, stdout=reports, start_new_session=True, bufsize=0)
        ours.pop_all()
        return process, giving, taking


class Worker:
    """A worker's process and its pipes."""

    def __init__(self, jobs: int, *, start: str | None = None) -> None:
        """Start it. `start` is the program that Python is to run where that is not a worker's.

        Raises WorkersLost where the host cannot start a process.
        """
        root = str(Path(referee.__file__).resolve().parent.parent)
        try:
            self._process, orders, reports = _started([sys.executable, "-P", "-c", start or START, root, str(jobs)])
        except OSError as error:
            raise WorkersLost(f"the host cannot start another worker: {error.strerror}") from None
        self._orders, self._reports = trio.lowlevel.FdStream(orders), trio.lowlevel.FdStream(reports)
        self._sending = trio.Lock()
        self.pid = self._process.pid
        orphans.register(self.pid)
        self._frames = Frames(msgspec.msgpack.Decoder(Report))
        self.jobs = jobs
        """How many matches it plays at a time."""

    async def send(self, message: Struct, patience_s: float) -> None:
        """Send it a job or another message. Raises WorkerGone where it takes none within `patience_s`.

        To a dead worker this sends nothing and raises nothing: the end of its reports shows that it is dead, for it may
        have played matches whose reports are not read yet.
        """
        with trio.move_on_after(patience_s):
            with contextlib.suppress(trio.BrokenResourceError):
                async with self._sending:
                    await self._orders.send_all(frame(message))
            return
        raise WorkerGone(f"has taken no job for {patience_s:g} s")

    async def reports(self, patience_s: float) -> list[Report]:
        """What it reports next. Raises WorkerGone where it is dead, or reports nothing within `patience_s`."""
        return self._fed(await self.receive(patience_s))

    async def receive(self, patience_s: float) -> bytes:
        """What it says next. Raises WorkerGone where it is dead, or says nothing within `patience_s`.

        The waits of a second are counted, so that workers do not look hung after the host has slept.
        """
        for _ in range(round(patience_s / HEARTBEAT_S)):
            with trio.move_on_after(HEARTBEAT_S):
                data = await self._reports.receive_some(PIPE_READ_BYTES)
                if not data:
                    raise WorkerGone(await self._end_in_words())
                return data
        raise WorkerGone(f"hangs: nothing was heard of it for {patience_s:g} s")

    async def unread(self) -> list[Report]:
        """What it had reported before it was given up."""
        told: list[Report] = []
        with trio.move_on_after(UNREAD_S):
            while data := await self._reports.receive_some(PIPE_READ_BYTES):
                told += self._fed(data)
        return told

    def _fed(self, data: bytes) -> list[Report]:
        """The reports that are whole with these bytes."""
        return list(self._frames.feed(data))

    async def end(self, *, patience_s: float) -> None:
        """Let it end its bots and itself within `patience_s`, else kill it. It is gone and reaped when this returns."""
        with trio.CancelScope(shield=True):
            self._orders.close()
            await self._wait(patience_s)
            self._process.kill()
            await self._wait(None)
            self._reports.close()
            orphans.unregister(self.pid)
            await end_orphans()

    async def _wait(self, patience_s: float | None) -> None:
        """Wait until it has ended, or for `patience_s`."""
        end = None if patience_s is None else trio.current_time() + patience_s
        while self._process.poll() is None and (end is None or trio.current_time() < end):
            await trio.sleep(0.002)

    async def _end_in_words(self) -> str:
        await self._wait(END_PATIENCE_S)
        code = self._process.poll()
        if code is None:
            return "closed its pipes"
        return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"


class CrewSource(Protocol):
    """Gives a crew its jobs, and takes its reports."""

    stopping: trio.Event
    """Is set when no match may begin any more."""

    async def part(self) -> Part | None:
        """Of which part the next match is, as soon as there is one that may be played. None where nothing is left."""

    async def next(self, part: Part) -> Job | None:
        """The next job of a part, as soon as there is one. None where the part has been played."""

    async def report(self, report: Report) -> None:
        """Take in what became of a match."""

    def put_back(self, number: int) -> None:
        """Take back a match that has not begun, because whoever had its order cannot play it."""


class Crew:
    """All workers of a run: they play the games without timed slaps and end, then one worker plays the others alone."""

    def __init__(self, setup: SessionSetup, source: CrewSource, *, jobs: int, workers: int) -> None:
        """`jobs` are shared out among the `workers`, of which there are no more."""
        each, more = divmod(jobs, workers)
        together = [each + (number < more) for number in range(workers)]
        self._shares: dict[Part, list[int]] = {"together": together, "alone": [jobs]}
        self._setup, self._source = setup, source
        self._patience_s = LONGEST_SILENCE_S + HEARTBEAT_STEPS * LONGEST_SLAP * setup.clocks.slap_s
        self._lost = 0
        """How many workers have died since one began a match."""

    def run(self, check: Callable[[], None], stop: Callable[[], None] | None) -> None:
        """Play until the source has nothing left.

        Raises Interrupted, WorkersLost, and what the source and `check` raise.

        `stop` is called at the first Ctrl-C; without it that ends all at once.
        """
        guarded(partial(heeding_signals, partial(self._run, check), stop))

    async def _run(self, check: Callable[[], None]) -> None:
        check()
        await self.play()

    async def play(self) -> None:
        """Play until the source has nothing left, or until this is cancelled; no worker is left then.

        Raises WorkersLost, and what the source raises.
        """
        while (part := await self._source.part()) is not None:
            async with trio.open_nursery() as nursery:
                for share in self._shares[part]:
                    nursery.start_soon(self._keep_worker, share, part)

    async def _keep_worker(self, share: int, part: Part) -> None:
        """Keep one worker running, and replace it when it dies, as long as something of this part is left to play."""
        was_lost = True
        while was_lost:
            worker, was_lost = Worker(share), False
            try:
                was_lost = await self._run_worker(worker, part)
            finally:
                await worker.end(patience_s=0.0 if was_lost else END_PATIENCE_S)

    async def _run_worker(self, worker: Worker, part: Part) -> bool:
        """Give a worker jobs and take its reports until nothing of the part is left. Returns whether it was lost."""
        out = _JobsOut(JOBS_AHEAD * worker.jobs)
        lost = ""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._give_jobs, worker, part, out, nursery.cancel_scope)
                nursery.start_soon(self._pass_on_stop, worker)
                while True:
                    for report in await worker.reports(self._patience_s):
                        await self._take(report, out)
        except* WorkerGone as gone:
            lost = str(gone.exceptions[0])
        if not lost:
            return False
        for report in await worker.unread():
            await self._take(report, out)
        await self._lose(out, lost)
        return True

    async def _give_jobs(self, worker: Worker, part: Part, out: "_JobsOut", scope: trio.CancelScope) -> None:
        """Give a worker the setup, and jobs as long as it has room; end the scope when nothing of the part is left."""
        await worker.send(self._setup, self._patience_s)
        await out.room.acquire()
        while (job := await self._source.next(part)) is not None:
            out.add(job)
            await worker.send(job, self._patience_s)
            await out.room.acquire()
        scope.cancel()

    async def _pass_on_stop(self, worker: Worker) -> None:
        """Let a worker begin no match once the source stops."""
        await self._source.stopping.wait()
        await worker.send(Stop(), self._patience_s)

    async def _take(self, report: Report, out: "_JobsOut") -> None:
        if isinstance(report, Begun):
            out.begun.add(report.number)
            self._lost = 0
        elif isinstance(report, Played | Spoiled | Unplayed):
            out.remove(report.number)
        await self._source.report(report)

    async def _lose(self, out: "_JobsOut", how: str) -> None:
        self._lost += 1
        for number in reversed(out.numbers):
            if number in out.begun:
                await self._source.report(Spoiled(number=number, reason=f"its worker {how}"))
            else:
                self._source.put_back(number)
        if self._lost > MOST_LOST:
            raise WorkersLost(f"more than {MOST_LOST} workers died one after another; the last one {how}")


class _JobsOut:
    """The matches of the jobs that a worker has."""

    def __init__(self, most: int) -> None:
        """`most` is how many jobs it may have."""
        self.room = trio.Semaphore(most)
        """Has a place for each job that it can get."""
        self.begun: set[int] = set()
        """The numbers of the matches that have begun."""
        self._jobs: dict[int, int] = {}
        """By number of a match, the id of its job."""
        self._left: Counter[int] = Counter()
        """By id of a job, how many of its matches are not reported."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of the matches, in the order in which they were given."""
        return list(self._jobs)

    def add(self, job: Job) -> None:
        """The worker gets a job."""
        self._jobs.update((planned_match.number, job.id) for planned_match in job.matches)
        self._left[job.id] = len(job.matches)

    def remove(self, number: int) -> None:
        """The worker has reported what became of a match."""
        id_ = self._jobs.pop(number)
        self.begun.discard(number)
        self._left[id_] -= 1
        if not self._left[id_]:
            del self._left[id_]
            self.room.release()
