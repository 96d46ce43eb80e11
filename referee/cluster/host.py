"""One dask worker as a host of a run: a thread in which a crew of one process plays what the desk has sent.

Bots, and all that times them, live in that process (resident.py) and never in dask's. When it dies it is replaced, as a
crew does. Must not know Dask.
"""

import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

import msgspec
import trio
from msgspec import Struct

from referee.cluster import resident
from referee.cluster.hosts import FromHost, Lacks, Piece, Ready, Refused, Telling
from referee.cluster.news import Hosting
from referee.play.bot.pool import Reuse
from referee.tournament.orders import Begun, Order, Played, Report, Spoiled
from referee.tournament.run.crew import LONGEST_SILENCE_S, Crew, Worker, WorkerGone, WorkersLost
from referee.tournament.run.frames import Frames
from referee.tournament.run.turns import Turns

END_PATIENCE_S = 20.0
"""How long the thread may take to end the worker process and all bots."""

STARTS = 3
"""How often the process is started at most until it is ready, where it dies before."""


class Task(Struct, eq=False):
    """A bundle that is to be played, and who is told how that goes. Both are called in the host's thread."""

    turns: Turns
    begun: Callable[[int], None]
    """A match of it is played from now on."""
    done: Callable[[tuple[Played | Spoiled, ...] | None], None]
    """It has been played; None where this host cannot play it."""


class Callers(Struct, frozen=True, kw_only=True):
    """Who is told what becomes of a host. All are called in the host's thread."""

    ready: Callable[[Ready], None]
    """It can play, again where its process was replaced."""
    lacks: Callable[[tuple[str, ...]], None]
    """It needs these parcels: `Host.give` gives them."""
    tells: Callable[[str], None]
    left_out: Callable[[str], None]
    """It does not play, or plays no longer, for this reason."""


class Host:
    """Plays bundles in a thread of its own, from `start` until `close`."""

    def __init__(self, hosting: Hosting, jobs: int, callers: Callers) -> None:
        self._desk = _Desk()
        hire = partial(self._hire, hosting)
        self._crew = Crew(self._desk, shares=[jobs], reuse=hosting.reuse, slap_s=hosting.slap_s, hire=hire)
        self._callers = callers
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._pieces_in, self._pieces = trio.open_memory_channel[Piece](math.inf)
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="golfref", daemon=True)

    def start(self) -> None:
        """Begin to get ready."""
        self._thread.start()
        self._has_begun.wait()

    def play(self, task: Task) -> None:
        """Have a bundle played. May be called in any thread."""
        if not self._soon(partial(self._desk.add, task)):
            task.done(None)

    def give(self, piece: Piece) -> None:
        """Give it the next piece of what it lacks. May be called in any thread."""
        self._soon(partial(self._pieces_in.send_nowait, piece))

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
                await self._crew.play()
        except* WorkersLost as lost:
            why = _text(lost)
        except* Exception as error:
            why = f"{type(error.exceptions[0]).__name__}: {_text(error)}"
        self._desk.give_up()
        if why:
            self._callers.left_out(why)

    async def _hire(self, hosting: Hosting, jobs: int, joins: Sequence[int]) -> Worker:
        """Start the process, and let it get ready. Raises WorkersLost where it does not."""
        for start in range(1, STARTS + 1):
            worker = _Resident(jobs, hosting.reuse, joins)
            try:
                said = await worker.get_ready(hosting, self._callers, self._pieces)
                if isinstance(said, Ready):
                    self._callers.ready(said)
                    return worker
            except WorkerGone as gone:
                if start == STARTS:
                    raise WorkersLost(f"its process does not get ready: it {gone}") from None
                said = None
            except BaseException:
                await worker.end(patience_s=0.0)
                raise
            await worker.end(patience_s=0.0)
            if said is not None:
                raise WorkersLost(said.reason)
        raise WorkersLost("its process does not get ready")


class _Resident(Worker):
    """The process of ours on this host."""

    def __init__(self, jobs: int, reuse: Reuse, joins: Sequence[int]) -> None:
        super().__init__(jobs, reuse, joins, start=resident.START)
        self._said: Frames[FromHost | Report] = Frames(msgspec.msgpack.Decoder(FromHost | Report))

    async def get_ready(
        self, hosting: Hosting, callers: Callers, pieces: trio.MemoryReceiveChannel[Piece]
    ) -> Ready | Refused:
        """Let it get ready. Raises WorkerGone."""
        ready: Ready | Refused | None = None
        async with trio.open_nursery() as nursery:

            async def send_parcels(parcels: tuple[str, ...]) -> None:
                left = set(parcels)
                while left:
                    piece = await pieces.receive()
                    await self.send(piece, LONGEST_SILENCE_S)
                    if not piece.data:
                        left.discard(piece.parcel)

            await self.send(hosting.demands, LONGEST_SILENCE_S)
            while ready is None:
                for said in self._said.feed(await self.receive(LONGEST_SILENCE_S)):
                    if isinstance(said, Ready | Refused):
                        ready = said
                    elif isinstance(said, Lacks):
                        callers.lacks(said.parcels)
                        nursery.start_soon(send_parcels, said.parcels)
                    elif isinstance(said, Telling):
                        callers.tells(said.line)
            nursery.cancel_scope.cancel()
        return ready

    def _fed(self, data: bytes) -> list[Report]:
        return [said for said in self._said.feed(data) if isinstance(said, Report)]


class _Desk:
    """Gives the crew of a host the orders of its bundles, in the host's thread."""

    def __init__(self) -> None:
        self._waiting: deque[Task] = deque()
        self._news = trio.Event()
        self._out: dict[int, Task] = {}
        """By number, the bundle of the match that is out."""
        self._is_over = False

    def add(self, task: Task, *, is_next: bool = False) -> None:
        """A bundle is to be played, after the others unless it `is_next`."""
        if self._is_over:
            task.done(None)
            return
        (self._waiting.appendleft if is_next else self._waiting.append)(task)
        self._news.set()
        self._news = trio.Event()

    async def next(self) -> Order:
        """The next match, as soon as there is one."""
        while not self._waiting:
            await self._news.wait()
        task = self._waiting.popleft()
        if (order := task.turns.order) is None:
            raise RuntimeError("a bundle without an order waits to be played")
        self._out[order.fixture.number] = task
        return order

    async def report(self, report: Report) -> None:
        """Take in what became of a match."""
        if isinstance(report, Begun):
            self._out[report.number].begun(report.number)
        elif isinstance(report, Played | Spoiled):
            task = self._out.pop(report.number)
            task.turns.take(report)
            if task.turns.order is None:
                task.done(tuple(task.turns.reports))
            else:
                self.add(task, is_next=True)

    def put_back(self, number: int) -> None:
        """A match that has not begun is to be played by the next worker."""
        self.add(self._out.pop(number), is_next=True)

    def give_up(self) -> None:
        """Nothing is played here any more."""
        self._is_over = True
        for task in (*self._out.values(), *self._waiting):
            task.done(None)


def _text(group: BaseExceptionGroup[BaseException]) -> str:
    """The text of the first exception of a group."""
    inner = group.exceptions[0]
    return _text(inner) if isinstance(inner, BaseExceptionGroup) else str(inner)
