"""The workers of a run: starting them, giving them orders, watching over them, replacing and ending them.

When a worker dies, its matches that had begun are void, which is no bot's fault. The others are given to another.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Protocol

import msgspec
import trio
from msgspec import Struct

import referee
from referee.play.process import orphans
from referee.play.process.limit_watch import MOST_FORGIVEN
from referee.play.process.pool import Reuse
from referee.play.process.shutdown import end_orphans
from referee.play.session import guarded, heeding_signals
from referee.tournament.orders import Begun, Job, Part, Played, Report, Spoiled, Stop, Unplayed
from referee.tournament.run.frames import PIPE_READ_BYTES, Frames, frame
from referee.tournament.run.hatchery import hatch
from referee.tournament.run.worker import HEARTBEAT_S, START

ORDERS_PER_JOB = 2
"""A worker has two orders for each of its jobs: the match that it plays, and the one whose bots it starts."""

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


class WorkersLost(Exception):
    """The host starts no workers, or they die faster than they play. The text says why."""


class WorkerGone(Exception):
    """A worker is dead or hung. The text says how."""


class Process(Protocol):
    """A process of a worker, however it was started."""

    @property
    def pid(self) -> int:
        """Its id."""

    def poll(self) -> int | None:
        """Its exit code, or the signal that killed it as a negative number; None while it runs."""

    def kill(self) -> None:
        """Kill it, unless it has ended."""


def _no_worker(error: OSError) -> WorkersLost:
    return WorkersLost(f"the host cannot start another worker: {error.strerror}")


def _started(words: Sequence[str], start: str) -> tuple[Process, int, int]:
    """A process, and our ends of the pipes for its orders and its reports. Raises OSError.

    It is forked where there is a hatchery. With `start` this is what Python is to run, else what a worker does.
    """
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:
        orders, giving = os.pipe()
        theirs.callback(os.close, orders)
        ours.callback(os.close, giving)
        taking, reports = os.pipe()
        theirs.callback(os.close, reports)
        ours.callback(os.close, taking)
        process: Process | None = None if start else hatch(words, orders, reports)
        if process is None:
            root = str(Path(referee.__file__).resolve().parent.parent)
            command = [sys.executable, "-P", "-c", start or START, root, *words]
            process = Popen(command, stdin=orders, stdout=reports, start_new_session=True, bufsize=0)
        ours.pop_all()
        return process, giving, taking


class Worker:
    """A worker's process and its pipes."""

    def __init__(self, jobs: int, reuse: Reuse, *, start: str = "") -> None:
        """Start it. `start` is what Python is to run where that is not what a worker does.

        Raises WorkersLost where the host cannot start a process.
        """
        try:
            self._process, orders, reports = _started([str(jobs), reuse], start)
        except OSError as error:
            raise _no_worker(error) from None
        self._orders, self._reports = trio.lowlevel.FdStream(orders), trio.lowlevel.FdStream(reports)
        self._sending = trio.Lock()
        self.pid = self._process.pid
        orphans.register(self.pid)
        self._frames = Frames(msgspec.msgpack.Decoder(Report))
        self.room = ORDERS_PER_JOB * jobs
        """How many orders it may have at a time."""

    async def order(self, order: Job, patience_s: float) -> None:
        """Give it another match to play. Raises WorkerGone where it takes none within `patience_s`.

        A dead worker takes the order without a word: the end of its reports tells that it is dead, for it may have
        played matches of which the reports are not read yet.
        """
        await self.send(order, patience_s)

    async def send(self, message: Struct, patience_s: float) -> None:
        """Send it a message, as `order` sends orders."""
        with trio.move_on_after(patience_s):
            with contextlib.suppress(trio.BrokenResourceError):
                async with self._sending:
                    await self._orders.send_all(frame(message))
            return
        raise WorkerGone(f"has taken no order for {patience_s:g} s")

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


class CrewsDesk(Protocol):
    """Gives a crew its orders, and takes its reports."""

    stopping: trio.Event
    """Is set when no match may begin any more."""

    async def part(self) -> Part | None:
        """Of which part the next match is, as soon as there is one that may be played. None where nothing is left."""

    async def next(self, part: Part) -> Job | None:
        """The next match of a part, as soon as there is one. None where the part has been played."""

    async def report(self, report: Report) -> None:
        """Take in what became of a match."""

    def put_back(self, number: int) -> None:
        """Take back a match that has not begun, because whoever had its order cannot play it."""


class Crew:
    """All workers of a run: they play the games without timed slaps and end, then one worker plays the others alone."""

    def __init__(self, desk: CrewsDesk, *, jobs: int, workers: int, reuse: Reuse, slap_s: float) -> None:
        """`jobs` are shared out among the `workers`, of which there are no more."""
        each, more = divmod(jobs, workers)
        together = [each + (number < more) for number in range(workers)]
        self._shares: dict[Part, list[int]] = {"together": together, "alone": [jobs]}
        self._desk, self._reuse = desk, reuse
        self._patience_s = LONGEST_SILENCE_S + HEARTBEAT_STEPS * LONGEST_SLAP * slap_s
        self._lost = 0
        """How many workers have died since one began a match."""

    def run(self, check: Callable[[], None], stop: Callable[[], None] | None) -> None:
        """Play until the desk has nothing left. Raises Interrupted, WorkersLost, and what desk and `check` raise.

        `stop` is called at the first Ctrl-C; without it that ends all at once.
        """
        guarded(partial(heeding_signals, partial(self._run, check), stop))

    async def _run(self, check: Callable[[], None]) -> None:
        check()
        await self.play()

    async def play(self) -> None:
        """Play until the desk has nothing left, or until this is cancelled; no worker is left then.

        Raises WorkersLost, and what the desk raises.
        """
        while (part := await self._desk.part()) is not None:
            async with trio.open_nursery() as nursery:
                for share in self._shares[part]:
                    nursery.start_soon(self._keep_worker, share, part)

    async def _keep_worker(self, share: int, part: Part) -> None:
        """Keep one worker running, and replace it when it dies, as long as something of this part is left to play."""
        was_lost = True
        while was_lost:
            worker, was_lost = Worker(share, self._reuse), False
            try:
                was_lost = await self._run_worker(worker, part)
            finally:
                await worker.end(patience_s=0.0 if was_lost else END_PATIENCE_S)

    async def _run_worker(self, worker: Worker, part: Part) -> bool:
        """Give a worker orders and take its reports until nothing of the part is left. Returns whether it was lost."""
        out: dict[int, bool] = {}
        """By number of its orders, whether the match has begun."""
        room = trio.Semaphore(worker.room)
        lost = ""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._give_orders, worker, part, out, room, nursery.cancel_scope)
                nursery.start_soon(self._pass_on_stop, worker)
                while True:
                    for report in await worker.reports(self._patience_s):
                        await self._take(report, out, room)
        except* WorkerGone as gone:
            lost = str(gone.exceptions[0])
        if not lost:
            return False
        for report in await worker.unread():
            await self._take(report, out, room)
        await self._lose(out, lost)
        return True

    async def _give_orders(
        self, worker: Worker, part: Part, out: dict[int, bool], room: trio.Semaphore, scope: trio.CancelScope
    ) -> None:
        """Give a worker orders as long as it has room, and end the scope when nothing of the part is left to play."""
        await room.acquire()
        while (order := await self._desk.next(part)) is not None:
            out[order.fixture.number] = False
            await worker.order(order, self._patience_s)
            await room.acquire()
        scope.cancel()

    async def _pass_on_stop(self, worker: Worker) -> None:
        """Let a worker begin no match once the desk stops."""
        await self._desk.stopping.wait()
        await worker.send(Stop(), self._patience_s)

    async def _take(self, report: Report, out: dict[int, bool], room: trio.Semaphore) -> None:
        if isinstance(report, Begun):
            out[report.number] = True
            self._lost = 0
        elif isinstance(report, Played | Spoiled | Unplayed):
            del out[report.number]
            room.release()
        await self._desk.report(report)

    async def _lose(self, out: dict[int, bool], how: str) -> None:
        self._lost += 1
        for number, has_begun in sorted(out.items()):
            if has_begun:
                await self._desk.report(Spoiled(number=number, reason=f"its worker {how}"))
            else:
                self._desk.put_back(number)
        if self._lost > MOST_LOST:
            raise WorkersLost(f"more than {MOST_LOST} workers died one after another; the last one {how}")
