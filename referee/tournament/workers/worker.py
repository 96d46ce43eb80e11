"""A worker of a run: a process of its own with a pump of its own, which plays the matches that it is ordered to.

Jobs come in through one pipe, reports go out through another. When the jobs end, the worker ends all its bots and
itself. It leaves signals to the run, and knows neither the store nor the master key, only what stands in its jobs.
"""

import contextlib
import math
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial

import msgspec
import trio
from msgspec import Struct

from referee.ending_signals import ENDING_SIGNALS
from referee.play.faults import HostFault
from referee.play.process.orphans import take_name
from referee.play.pump.pump import Pump
from referee.play.session import guarded, pumping
from referee.tournament.orders import Heartbeat, Job, Report, SessionSetup, Stop, Unplayed
from referee.tournament.workers.frames import PIPE_READ_BYTES, Frames, frame
from referee.tournament.workers.job_runner import play_jobs

NAME = "golfref-worker"
"""What a worker is called in lists of processes."""

HEARTBEAT_S = 1.0
"""Seconds between two heartbeats."""

START = (
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "from referee.tournament.workers.worker import main; gc.freeze(); gc.enable(); main(sys.argv[2:])"
)
"""What the interpreter is told to run. It finds this installation, whatever the current folder holds; and it looks for
no garbage in what it imports, neither meanwhile nor later."""


class _Done(Exception):
    """No more jobs will come."""


class Pipes:
    """Give a worker the setup and the jobs that come through one pipe, and send reports through the other."""

    def __init__(self, orders: int, reports: int) -> None:
        self._orders = trio.lowlevel.FdStream(orders)
        self._reports = trio.lowlevel.FdStream(reports)
        self._writing = trio.Lock()
        self.stopping = trio.Event()
        self._give_setup, self._take_setup = trio.open_memory_channel[SessionSetup](1)
        self._give, self._take = trio.open_memory_channel[Job](math.inf)

    async def setup(self) -> SessionSetup:
        """What all matches have in common, as soon as it comes."""
        return await self._take_setup.receive()

    async def next(self) -> Job:
        """The next job, as soon as it comes."""
        return await self._take.receive()

    async def report(self, report: Report) -> None:
        """Send the run what became of a match."""
        async with self._writing:
            await self._reports.send_all(frame(report))

    async def listen(self, _: Pump) -> None:
        """Take the setup and jobs. Raises _Done when they end."""
        frames = Frames[SessionSetup | Job | Stop](msgspec.msgpack.Decoder(SessionSetup | Job | Stop))
        while data := await self._orders.receive_some(PIPE_READ_BYTES):
            for order in frames.feed(data):
                if isinstance(order, Stop):
                    self.stopping.set()
                elif isinstance(order, SessionSetup):
                    self._give_setup.send_nowait(order)
                else:
                    self._give.send_nowait(order)
            if self.stopping.is_set():
                await self._return_jobs()
        raise _Done

    async def _return_jobs(self) -> None:
        """Report the matches of jobs that no runner has taken as unplayed."""
        with contextlib.suppress(trio.WouldBlock):
            while True:
                for planned_match in reversed(self._take.receive_nowait().matches):
                    await self.report(Unplayed(number=planned_match.number))

    async def send_heartbeats(self, _: Pump) -> None:
        """Send heartbeats until this is cancelled."""
        while True:
            await self.report(Heartbeat())
            await trio.sleep(HEARTBEAT_S)


class Started(Struct, frozen=True, kw_only=True):
    """What a worker is started with."""

    jobs: int
    orders: int
    """The descriptor from which orders are read."""
    reports: int
    """The descriptor to which reports are written."""


def main(words: Sequence[str]) -> None:
    """Play the jobs of standard input until it ends, and report on standard output; `begin` reads the words."""
    started = begin(words)
    serve(started, Pipes(started.orders, started.reports))


def begin(words: Sequence[str]) -> Started:
    """Take our name, leave signals to the run, and read what this process was started with."""
    take_name(NAME)
    for number in ENDING_SIGNALS:
        # Not SIG_IGN, which the bots would inherit.
        signal.signal(number, lambda *_: None)
    orders, reports = _descriptors()
    return Started(jobs=int(words[0]), orders=orders, reports=reports)


def serve(started: Started, pipes: Pipes) -> None:
    """Play what is ordered until the orders end."""
    try:
        with contextlib.suppress(_Done, trio.BrokenResourceError):  # the latter: the run itself has gone
            guarded(partial(_work, pipes, started.jobs))
    except HostFault as fault:
        sys.exit(f"golfref: a worker ends: {fault}")


async def _work(pipes: Pipes, jobs: int) -> None:

    async def play(pump: Pump) -> None:
        await play_jobs(pump, await pipes.setup(), pipes, jobs=jobs)

    await pumping([pipes.listen, pipes.send_heartbeats, play], Pump())


def _descriptors() -> tuple[int, int]:
    """Standard input and output, moved to where nothing else reads or writes by mistake."""
    orders, reports = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return orders, reports
