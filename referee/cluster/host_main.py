"""One dask worker as a host of a run: a crew plays what the desk has sent.

A process of its own (trial_main.py) gets the host ready. Then as many workers play as would play so many matches at a
time without a cluster, or one worker alone while slaps are timed. Bots, and all that times them, never live in dask's
process. All of this runs by trio, as a guest in the loop of Dask, of which it must not know.
"""

import math
from collections import deque
from collections.abc import Callable
from functools import partial
from math import ceil

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.cluster import trial_main
from referee.cluster.messages import Demands, FromTrial, Lacks, LeftOut, Line, Piece, Ready
from referee.play.faults import Missing
from referee.play.process.open_files import check_open_files
from referee.play.sandbox.system_info import cores
from referee.tournament.orders import Begun, Job, Part, Played, Report, Spoiled, Unplayed
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.workers.crew import LONGEST_SILENCE_S, Crew, Worker, WorkerGone, WorkersLost
from referee.tournament.workers.frames import Frames

END_PATIENCE_S = 20.0
"""How long a host may take to end its processes and all bots."""


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

        `done` is called with what came of the job, or None where this host cannot play it.
        """
        self.job, self.begun, self.done = job, begun, done
        self.waiting = {planned_match.number: planned_match for planned_match in job.matches}
        """By number, the matches that are to be handed to a worker."""
        self.out: dict[int, PlannedMatch] = {}
        """By number, those that a worker has."""
        self.reports: list[Played | Spoiled] = []


class Callers(Struct, frozen=True, kw_only=True):
    """The functions that take what becomes of a host."""

    trial: Callable[[Lacks | Line | Ready], None]
    """This is what comes of its trial. `Host.give` gives it what it lacks."""
    left_out: Callable[[str], None]
    """It does not play, or plays no longer, for this reason."""


class Host:
    """Plays jobs. Other methods than `run` may be called from outside of trio, and in any thread."""

    def __init__(self, demands: Demands, jobs: int, callers: Callers) -> None:
        """`jobs` is how many matches it plays at a time."""
        self._demands, self._jobs, self._callers = demands, jobs, callers
        self._workers = min(demands.workers or cores(), jobs)
        self._tasks = _Tasks()
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._give, self._pieces = trio.open_memory_channel[Piece](math.inf)

    def play(self, task: Task) -> None:
        """Have a job played."""
        if not self._soon(partial(self._tasks.add, task)):
            task.done(None)

    def give(self, piece: Piece) -> None:
        """Give it the next piece of what it lacks."""
        self._soon(partial(self._give.send_nowait, piece))

    def end(self) -> None:
        """End what is played here. `run` returns when no process of it is left."""
        self._soon(self._scope.cancel)

    def _soon(self, function: Callable[[], None]) -> bool:
        """Call this while `run` goes on. Returns whether it does."""
        if self._token is None:
            function()
            return True
        try:
            self._token.run_sync_soon(function)
        except trio.RunFinishedError:
            return False
        return True

    async def run(self) -> None:
        """Get ready and play, until `end` is called or this host cannot play any longer."""
        self._token = trio.lowlevel.current_trio_token()
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
        demands = self._demands
        try:
            check_open_files(jobs=ceil(self._jobs / self._workers), seats=demands.seats, reuse=demands.session.reuse)
        except Missing as missing:
            raise WorkersLost(str(missing)) from None
        trial = Worker(self._jobs, start=trial_main.START)
        try:
            ready = await self._try(trial)
        except* WorkerGone as gone:
            raise WorkersLost(f"the process that gets it ready {_text(gone)}") from None
        finally:
            await trial.end(patience_s=END_PATIENCE_S / 4)
        self._callers.trial(ready)
        setup = replace(demands.session, bots=ready.bots)
        await Crew(setup, self._tasks, jobs=self._jobs, workers=self._workers).play()

    async def _try(self, trial: Worker) -> Ready:
        """Let a process get this host ready. Raises WorkersLost, and WorkerGone in a group."""
        frames: Frames[FromTrial] = Frames(msgspec.msgpack.Decoder(FromTrial))

        async def send_pieces() -> None:
            async for piece in self._pieces:
                await trial.send(piece, LONGEST_SILENCE_S)

        async with trio.open_nursery() as nursery:
            await trial.send(self._demands, LONGEST_SILENCE_S)
            nursery.start_soon(send_pieces)
            while True:
                for message in frames.feed(await trial.receive(LONGEST_SILENCE_S)):
                    if isinstance(message, Ready):
                        nursery.cancel_scope.cancel()
                        return message
                    if isinstance(message, LeftOut):
                        raise WorkersLost(message.reason)
                    if isinstance(message, Lacks | Line):
                        self._callers.trial(message)


class _Tasks:
    """Gives the crew of a host its jobs."""

    def __init__(self) -> None:
        self._queue: deque[Task] = deque()
        """Those of which matches are to be handed to a worker."""
        self._changed = trio.Event()
        self._out: dict[int, Task] = {}
        """By number, the task of the match that is out."""
        self._is_over = False
        self.stopping = trio.Event()
        """Is never set: the player of the run takes back what is not to be played."""

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
            planned_matches, task.waiting = task.waiting, {}
            task.out.update(planned_matches)
            self._out.update(dict.fromkeys(planned_matches, task))
            return replace(task.job, matches=tuple(planned_matches.values()))

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
