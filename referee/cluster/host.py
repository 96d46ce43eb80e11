"""One dask worker as a host of a run: a thread in which a crew plays what the desk has sent.

A process of ours (preparer.py) gets the host ready. Then as many workers play as would play so many matches at a time
without a cluster, or one worker alone while slaps are timed.
Bots, and all that times them, never live in dask's process. Must not know Dask.
"""

import math
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from math import ceil

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.cluster import preparer
from referee.cluster.here import Here, UnknownBot, here_of
from referee.cluster.hosts import FromHost, Lacks, Piece, Ready, Refused, Telling
from referee.cluster.news import Hosting
from referee.play.faults import Missing
from referee.play.process.open_files import check_open_files
from referee.play.process.pool import Reuse
from referee.play.sandbox.system_info import cores
from referee.tournament.orders import Begun, Job, MatchOrder, Part, Played, Report, Spoiled, Unplayed
from referee.tournament.workers.crew import LONGEST_SILENCE_S, Crew, Worker, WorkerGone, WorkersLost
from referee.tournament.workers.frames import Frames

END_PATIENCE_S = 20.0
"""How long the thread may take to end its processes and all bots."""


class Task:
    """A job that is played here, and how that goes."""

    def __init__(
        self,
        job: Job,
        *,
        begun: Callable[[int], None],
        done: Callable[[tuple[Played | Spoiled, ...] | None], None],
    ) -> None:
        """`begun` is called with the number of a match that is played from now on.

        `done` is called with what came of the job, or None where this host cannot play it. Both are called in the
        host's thread.
        """
        self.job, self.begun, self.done = job, begun, done
        self.waiting = {order.number: order for order in job.matches}
        """By number, the matches that are to be handed to a worker."""
        self.out: dict[int, MatchOrder] = {}
        """By number, those that a worker has."""
        self.reports: list[Played | Spoiled] = []


class Callers(Struct, frozen=True, kw_only=True):
    """Who is told what becomes of a host. All are called in the host's thread."""

    ready: Callable[[Ready], None]
    """It can play."""
    lacks: Callable[[tuple[str, ...]], None]
    """It needs these parcels: `Host.give` gives them."""
    tells: Callable[[str], None]
    left_out: Callable[[str], None]
    """It does not play, or plays no longer, for this reason."""


class Host:
    """Plays jobs in a thread of its own, from `start` until `close`."""

    def __init__(self, hosting: Hosting, jobs: int, callers: Callers) -> None:
        """`jobs` is how many matches it plays at a time."""
        self._hosting, self._jobs, self._callers = hosting, jobs, callers
        self._workers = min(hosting.workers or cores(), jobs)
        self._tasks = _Tasks()
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._pieces = _Pieces()
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="golfref", daemon=True)

    def start(self) -> None:
        """Begin to get ready."""
        self._thread.start()
        self._has_begun.wait()

    def play(self, task: Task) -> None:
        """Have a job played. May be called in any thread."""
        if not self._soon(partial(self._tasks.add, task)):
            task.done(None)

    def give(self, piece: Piece) -> None:
        """Give it the next piece of what it lacks. May be called in any thread."""
        self._soon(partial(self._pieces.put, piece))

    def close(self) -> None:
        """End what is played here, and wait until no process of it is left."""
        self._soon(self._scope.cancel)
        self._thread.join(END_PATIENCE_S)

    def _soon(self, function: Callable[[], None]) -> bool:
        """Call this in the host's thread. Returns whether that goes on."""
        if self._token is None:
            return False
        try:
            self._token.run_sync_soon(function)
        except trio.RunFinishedError:
            return False
        return True

    def _run(self) -> None:
        try:
            trio.run(self._play)
        finally:
            self._has_begun.set()

    async def _play(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._has_begun.set()
        why = ""
        try:
            with self._scope:
                await self._play_on()
        except* WorkersLost as lost:
            why = _text(lost)
        except* Exception as error:
            why = f"{type(_first(error)).__name__}: {_text(error)}"
        self._tasks.give_up()
        if why:
            self._callers.left_out(why)

    async def _play_on(self) -> None:
        """Get ready and play. Raises WorkersLost, also in a group."""
        demands = self._hosting.demands
        try:
            check_open_files(jobs=ceil(self._jobs / self._workers), seats=demands.seats, reuse=self._hosting.reuse)
        except Missing as missing:
            raise WorkersLost(str(missing)) from None
        preparing = _Preparer(self._jobs, self._hosting.reuse)
        try:
            ready = await preparing.get_ready(self._hosting, self._callers, self._pieces)
        except* WorkerGone as gone:
            raise WorkersLost(f"the process that gets it ready {_text(gone)}") from None
        finally:
            await preparing.end(patience_s=END_PATIENCE_S / 4)
        if isinstance(ready, Refused):
            raise WorkersLost(ready.reason)
        self._tasks.here = here_of(demands, ready)
        self._callers.ready(ready)
        await self._crew().play()

    def _crew(self) -> Crew:
        hosting = self._hosting
        return Crew(self._tasks, jobs=self._jobs, workers=self._workers, reuse=hosting.reuse, slap_s=hosting.slap_s)


class _Preparer(Worker):
    """The process of ours that gets this host ready."""

    def __init__(self, jobs: int, reuse: Reuse) -> None:
        super().__init__(jobs, reuse, start=preparer.START)
        self._said: Frames[FromHost] = Frames(msgspec.msgpack.Decoder(FromHost))

    async def get_ready(self, hosting: Hosting, callers: Callers, pieces: "_Pieces") -> Ready | Refused:
        """Let it get ready. Raises WorkerGone, in a group."""
        ready: Ready | Refused | None = None
        async with trio.open_nursery() as nursery:

            async def send_parcels() -> None:
                while (piece := await pieces.next()) is not None:
                    await self.send(piece, LONGEST_SILENCE_S)

            await self.send(hosting.demands, LONGEST_SILENCE_S)
            while ready is None:
                for said in self._said.feed(await self.receive(LONGEST_SILENCE_S)):
                    if isinstance(said, Ready | Refused):
                        ready = said
                    elif isinstance(said, Lacks):
                        pieces.awaited.update(said.parcels)
                        callers.lacks(said.parcels)
                        nursery.start_soon(send_parcels)
                    elif isinstance(said, Telling):
                        callers.tells(said.line)
            nursery.cancel_scope.cancel()
        return ready


class _Pieces:
    """The pieces of parcels that the desk sends, as they come."""

    def __init__(self) -> None:
        self.awaited: set[str] = set()
        """The parcels of which pieces are to come."""
        self._give, self._take = trio.open_memory_channel[Piece](math.inf)

    def put(self, piece: Piece) -> None:
        """A piece has come."""
        self._give.send_nowait(piece)

    async def next(self) -> Piece | None:
        """The next piece, which is empty after the last one of its parcel. None once all is there."""
        if not self.awaited:
            return None
        piece = await self._take.receive()
        if not piece.data:
            self.awaited.discard(piece.parcel)
        return piece


class _Tasks:
    """Gives the crew of a host its jobs, in the host's thread."""

    def __init__(self) -> None:
        self.here = Here(bots={})
        self._queue: deque[Task] = deque()
        """Those of which matches are to be handed to a worker."""
        self._changed = trio.Event()
        self._out: dict[int, Task] = {}
        """By number, the task of the match that is out."""
        self._is_over = False
        self.stopping = trio.Event()
        """Is never set: the fleet of the run takes back what is not to be played."""

    def add(self, task: Task) -> None:
        """A job is to be played."""
        if self._is_over:
            task.done(None)
            return
        self._queue.append(task)
        self._look_again()

    async def part(self) -> Part:
        """Of which part the next match is, as soon as there is one."""
        while not self._queue:
            await self._changed.wait()
        return self._queue[0].job.part

    async def next(self, part: Part) -> Job | None:
        """The next job, as soon as there is one. None where it is of the other part and none of this one is out."""
        while True:
            while not self._queue or self._queue[0].job.part != part:
                if self._queue and not self._out:
                    return None
                await self._changed.wait()
            task = self._queue.popleft()
            orders, task.waiting = task.waiting, {}
            task.out.update(orders)
            self._out.update(dict.fromkeys(orders, task))
            try:
                return replace(task.job, matches=tuple(map(self.here.order, orders.values())))
            except UnknownBot as unknown:
                for number in orders:
                    self._end(Spoiled(number=number, reason=str(unknown)))

    async def report(self, report: Report) -> None:
        """Take in what became of a match."""
        if isinstance(report, Begun):
            self._out[report.number].begun(report.number)
        elif isinstance(report, Played | Spoiled | Unplayed):
            self._end(report)

    def put_back(self, number: int) -> None:
        """A match that has not begun is to be played by the next worker."""
        task = self._out.pop(number)
        if not task.waiting:
            self._queue.appendleft(task)
        task.waiting = {number: task.out.pop(number), **task.waiting}
        self._look_again()

    def _end(self, report: Played | Spoiled | Unplayed) -> None:
        task = self._out.pop(report.number)
        del task.out[report.number]
        if not isinstance(report, Unplayed):
            task.reports.append(report)
        if not task.out and not task.waiting:
            task.done(tuple(task.reports))
        self._look_again()

    def _look_again(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    def give_up(self) -> None:
        """Nothing is played here any more."""
        self._is_over = True
        for task in {*self._out.values(), *self._queue}:
            task.done(None)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first exception of a group."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _text(group: BaseExceptionGroup[BaseException]) -> str:
    return str(_first(group))
