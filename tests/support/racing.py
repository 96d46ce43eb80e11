"""Matches between programs that slap as a test has it, and their timed windows."""

import sys
from collections.abc import Sequence

from live_matches import match_setup
from quick import FILLER

from protocol.messages import Clocks, FaultPolicy
from referee.play.match import MatchSetup
from referee.play.spec import BotSpec
from referee.rules.record import GivenSlaps, Record
from referee.tournament.verify.replay import check_record

PRELUDE = (
    FILLER
    + """
import time
from pathlib import Path

def respond(request, kind=""):
    say(right(request, kind))

def play(slap, turns=0, ready={}):
    start(**ready)
    for request in requests():
        if request["decision"] == "slap":
            slap(request)
        elif request["decision"] == "turn":
            respond(request, "draw" if turns else "knock")
            turns -= bool(turns)
        else:
            respond(request)
"""
)
"""A bot that draws for so many turns and then knocks; what it does in slap windows is given."""


WAITERS = """
import os, threading, time
wanted, want = os.pipe()
def wait_for_the_core():
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while os.read(wanted, 1):
        end = time.thread_time() + 20e-6
        while time.thread_time() < end: pass
def work(seconds):
    os.write(want, b"xxx")
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
for _ in range(3):
    if not os.fork(): wait_for_the_core()
"""
"""Three idle processes want the core on which a bot does its `work`: they wait much and compute next to nothing."""


def slapper(delay_s: float, turns: int = 0) -> str:
    return f"def slap(request): time.sleep({delay_s}); respond(request, 'slap')\nplay(slap, turns={turns})"


def computing_slapper(work_s: float) -> str:
    """A bot that computes for `work_s` before it slaps: no wait for a core brings its time below that."""
    work = f"end = time.thread_time() + {work_s}\n    while time.thread_time() < end: pass"
    return f"def slap(request):\n    {work}\n    respond(request, 'slap')\nplay(slap)"


def setup(
    programs: Sequence[str], mark: dict[str, str], *, preset: str = "cactus", clocks: Clocks | None = None
) -> MatchSetup:
    """One round between these programs, each after PRELUDE."""
    command = (sys.executable, "-c")
    bots = [
        BotSpec(name=f"bot{seat}", command=(*command, PRELUDE + program), dir="/", env=mark)
        for seat, program in enumerate(programs)
    ]
    clocks = clocks or Clocks(move_s=60.0, slap_s=10.0)
    return match_setup(bots, preset, clocks=clocks, faults=FaultPolicy(policy="forfeit"))


def windows(record: Record) -> list[GivenSlaps]:
    assert list(check_record(record)) == []
    return [move for move in record.moves if isinstance(move, GivenSlaps)]
