"""The process in which a person's match is played: the same referee, pump and bots as anywhere else.

It takes the match from standard input, plays it, and writes what came of it to standard output. When its input ends,
because the screen has been left or killed, all its bots are ended and it exits. It must not know the screen.
"""

import os
import sys
from functools import partial
from pathlib import Path

import msgspec
import trio
from msgspec import Struct

import referee
from referee.ending_signals import Interrupted
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.rules.record import Record
from referee.tournament.workers.frames import PIPE_READ_BYTES, Frames, frame

_START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.terminal.play.table import main; main()"


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of the match: its record, or why it is void."""

    record: Record | None = None
    void: str = ""


class _Left(Exception):
    """Nobody wants the match any more."""


def command() -> list[str]:
    """The command of this process; it finds this installation, whatever the current folder holds."""
    return [sys.executable, "-P", "-c", _START, str(Path(referee.__file__).resolve().parent.parent)]


def main() -> None:
    """Play the match that standard input holds."""
    setup = _setup()
    outcomes: list[Outcome] = []
    try:
        run_session([partial(_play, setup, outcomes)])
    except (_Left, Interrupted):
        return
    except HostFault as fault:
        outcomes.append(Outcome(void=str(fault)))
    data = memoryview(frame(outcomes[0]))
    os.set_blocking(1, True)
    while data:
        data = data[os.write(1, data) :]


def _setup() -> MatchSetup:
    frames = Frames(msgspec.msgpack.Decoder(MatchSetup))
    while data := os.read(0, PIPE_READ_BYTES):
        for setup in frames.feed(data):
            return setup
    sys.exit("golfref: the match to be played did not come")


async def _play(setup: MatchSetup, outcomes: list[Outcome], pump: Pump) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_listen)
        outcomes.append(Outcome(record=await play(pump, setup)))
        nursery.cancel_scope.cancel()


async def _listen() -> None:
    """Wait for the end of the input. Raises _Left."""
    async with trio.lowlevel.FdStream(os.dup(0)) as input_:
        while await input_.receive_some(PIPE_READ_BYTES):
            pass
    raise _Left
