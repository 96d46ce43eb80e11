"""What runs inside Dask: on each worker the host of a run, on the scheduler the end of all of it with the run.

A dask worker plays for a run once it has the resource that is named for the run. It gets it when all that its host
needs is there, and loses it when the host can play no longer.
"""

import asyncio
import contextlib
import time
from typing import Any

import msgspec
import trio
from distributed import Reschedule, Scheduler, SchedulerPlugin, Worker, WorkerPlugin, get_worker
from distributed.worker_state_machine import SecedeEvent
from msgspec.structs import replace

from referee.cluster.host_main import END_PATIENCE_S, Callers, Host, Task
from referee.cluster.messages import Began, Came, Demands, Gone, Lacks, LeftOut, Line, Outcome, Piece, Ready, encoded
from referee.tournament.orders import Job, Played, Spoiled
from referee.tournament.run.this_host import host_name
from referee.tournament.workers.job_runner import JOBS_AHEAD

_JOB = msgspec.msgpack.Decoder(Job)
_PIECE = msgspec.msgpack.Decoder(Piece)
_DEMANDS = msgspec.msgpack.Decoder(Demands)

REPORT_AFTER_S = 0.4
"""A match that has been played for so long is reported as begun; of shorter ones the result is enough. Also the seconds
between two looks at that."""


class Hidden:
    """Bytes on their way through Dask, which shows them nowhere: they hold the keys of deals."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<{len(self.data)} bytes>"


class HostPlugin(WorkerPlugin):
    """Makes a dask worker a host of a run, and ends all of that when the run ends or the worker does."""

    def __init__(self, run: str, demands: Hidden) -> None:
        """This is made at the desk, and travels."""
        self.name, self._packed = run, demands
        self.is_ready = False
        self._host: Host | None = None
        self._ended: asyncio.Future[None]
        """Is done when no process of the host is left."""
        self._changing = asyncio.Lock()
        self._announcing: set[asyncio.Task[None]] = set()

    async def setup(self, worker: Worker) -> None:
        """Begin to get the host ready. The worker does not wait for it."""
        demands = _DEMANDS.decode(self._packed.data)
        jobs = demands.jobs or worker.state.nthreads
        loop = asyncio.get_running_loop()

        def tell(news: Lacks | Line | Ready) -> None:
            if isinstance(news, Ready):
                self.is_ready = True
                ready = replace(news, address=worker.address, bots=())
                self._announce(worker, ready, JOBS_AHEAD * jobs)
                return
            if isinstance(news, Lacks):
                news = replace(news, address=worker.address)
            loop.call_soon(worker.log_event, self.name, encoded(news))

        def leave_out(reason: str) -> None:
            left_out = LeftOut(address=worker.address, host=host_name(), reason=reason)
            self._announce(worker, left_out, 0)

        self._ended = loop.create_future()
        self._host = Host(demands, jobs, Callers(trial=tell, left_out=leave_out))
        with contextlib.suppress(Exception):  # the scheduler may be gone, and then it ends with the worker
            await worker.set_resources(**{self.name: 0})  # by which `end_hosts` finds it
        trio.lowlevel.start_guest_run(
            self._host.run,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=lambda _: self._ended.set_result(None),
            host_uses_signal_set_wakeup_fd=True,
        )

    async def teardown(self, worker: Worker) -> None:
        """End what is played here."""
        await self._offer(worker, 0)
        if self._host is not None:
            self._host.end()
            await asyncio.wait({self._ended}, timeout=END_PATIENCE_S)

    def play(self, task: Task) -> None:
        """Have a job played here."""
        if self._host is None:
            task.done(None)
        else:
            self._host.play(task)

    def give(self, piece: Piece) -> None:
        """Give the host a piece of what it lacks."""
        if self._host is not None:
            self._host.give(piece)

    def _announce(self, worker: Worker, news: Ready | LeftOut, units: int) -> None:
        """Let Dask send so many jobs at a time, and send the desk the news."""

        async def announce() -> None:
            await self._offer(worker, units)
            worker.log_event(self.name, encoded(news))

        task = asyncio.get_running_loop().create_task(announce())
        self._announcing.add(task)
        task.add_done_callback(self._announcing.discard)

    async def _offer(self, worker: Worker, units: int) -> None:
        """Let Dask send so many jobs at a time. Where it is 0, those that are here already are sent elsewhere.

        For that they must begin here, and be rescheduled: so only the scheduler gets the new number.
        """
        async with self._changing:
            with contextlib.suppress(Exception):  # the scheduler may be gone, and then it matters no more
                if units:
                    await worker.set_resources(**{self.name: units})
                else:
                    await worker.scheduler.set_resources(resources={self.name: 0}, worker=worker.contact_address)


async def become_host(run: str, demands: Hidden, dask_worker: Worker) -> None:
    """What the desk has a dask worker call, to make it a host of a run."""
    await dask_worker.plugin_add(HostPlugin(run, demands), name=run)


async def give(run: str, piece: Hidden, dask_worker: Worker) -> None:
    """What the desk has a dask worker call, to give it a piece of what it lacks."""
    if isinstance(plugin := dask_worker.plugins.get(run), HostPlugin):
        plugin.give(_PIECE.decode(piece.data))


async def play(run: str, key: str, job: Hidden) -> bytes:
    """The task that Dask moves: play a job on the host that this dask worker is, and return its Outcome."""
    worker = get_worker()
    plugin: Any = worker.plugins.get(run)
    if not isinstance(plugin, HostPlugin) or not plugin.is_ready:
        raise Reschedule
    played = _JOB.decode(job.data)
    underway = _Underway(worker, run, key)
    plugin.play(Task(played, begun=underway.begin, done=underway.end))
    if (reports := await underway.reports) is None:
        raise Reschedule
    return encoded(Outcome(id=played.id, address=worker.address, reports=reports))


class _Underway:
    """A job that is played. Dask gets that it has begun, and the desk which of its matches last longer."""

    def __init__(self, worker: Worker, run: str, key: str) -> None:
        self._worker, self._run, self._key = worker, run, key
        self._loop = asyncio.get_running_loop()
        self.reports: asyncio.Future[tuple[Played | Spoiled, ...] | None] = self._loop.create_future()
        self._came_at = self._begun_at = time.monotonic()
        self._number: int | None = None
        """Which match has begun last."""
        self._reported: int | None = None

    def begin(self, number: int) -> None:
        """A match of it has begun."""
        is_first = self._number is None
        self._begun_at, self._number = time.monotonic(), number
        if is_first:
            self._loop.call_soon(self._secede)

    def end(self, reports: tuple[Played | Spoiled, ...] | None) -> None:
        """It has ended."""
        if not self.reports.done():
            self.reports.set_result(reports)

    def _secede(self) -> None:
        self._worker.handle_stimulus(
            SecedeEvent(
                key=self._key,
                compute_duration=time.monotonic() - self._came_at,
                stimulus_id=f"golfref-begun-{time.monotonic()}",
            )
        )
        self._loop.call_later(REPORT_AFTER_S, self._report)

    def _report(self) -> None:
        """Report the match that is played now, unless it has just begun."""
        if self.reports.done():
            return
        is_due = time.monotonic() - self._begun_at > REPORT_AFTER_S
        if is_due and self._number is not None and self._number != self._reported:
            self._reported = self._number
            self._worker.log_event(self._run, encoded(Began(number=self._number)))
        self._loop.call_later(REPORT_AFTER_S, self._report)


class RunPlugin(SchedulerPlugin):
    """Sends a run which dask workers come and leave, and ends its hosts when it is gone itself, however it went."""

    def __init__(self, client: str, run: str) -> None:
        self._client, self._run = client, run
        self.name = f"{run}-run"
        self._ended: set[str] = set()
        """The addresses of dask workers that were hosts of the run."""

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """A dask worker has come."""
        scheduler.log_event(self._run, encoded(Came(address=worker)))

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: Any) -> None:
        """A dask worker has left, or was lost."""
        scheduler.log_event(self._run, encoded(Gone(address=worker)))

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """The run is gone."""
        if client == self._client:
            scheduler.loop.add_callback(self._end, scheduler)

    async def _end(self, scheduler: Scheduler) -> None:
        with contextlib.suppress(Exception):
            await self.end_hosts(scheduler)
        with contextlib.suppress(Exception):
            scheduler.remove_plugin(name=self.name)
        # Dask cannot remove a worker whose resource the scheduler does not know: it would stay for ever.
        for worker in scheduler.workers.values():
            worker.resources.pop(self._run, None)
            worker.used_resources.pop(self._run, None)
        scheduler.resources.pop(self._run, None)

    async def end_hosts(self, scheduler: Scheduler) -> None:
        """End all that is played for the run on its hosts. Each gets that once: Dask logs an error the second time."""
        hosts = {address for address, worker in scheduler.workers.items() if self._run in worker.resources}
        hosts -= self._ended
        self._ended |= hosts
        await scheduler.broadcast(msg={"op": "plugin-remove", "name": self._run}, workers=hosts)


async def end_hosts(run: str, dask_scheduler: Scheduler) -> None:
    """What the desk has the scheduler call, to end all that is played for a run on the hosts."""
    plugin = dask_scheduler.plugins.get(f"{run}-run")
    if isinstance(plugin, RunPlugin):
        await plugin.end_hosts(dask_scheduler)
