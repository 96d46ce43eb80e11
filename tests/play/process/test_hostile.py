"""Programs that would harm the referee, their opponent or the result, each a real process in a real match.

The programs are in tests/hostile. A row of CASES says how one is run and what it is charged with. Whatever it does, the
match ends, the honest bot is blameless, the record replays, the referee stays small, and nothing is left on the host:
the arena (tests/support) sees to most of that. What a bot may be at fault for without harm is in test_faults.py.
"""

import shlex
from typing import Any

import pytest
from arena import Arena
from msgspec import Struct

from referee.reports.faults import mishap_of

pytestmark = pytest.mark.isolation

FLAT_KB = 20_000
"""How much more memory than a calm match the referee may take and still count as flat."""


class Case(Struct, frozen=True, kw_only=True):
    """A program, and what comes of it."""

    runs: str
    charged: str = ""
    """The fault that it is charged with, FORFEITS or BOUNDED; the empty text stands for none."""
    told: str = ""
    """Part of what its author is told."""
    says: str = ""
    """Part of its standard error."""
    most_mb: int = 400
    """How much memory it may say at most that it came to hold."""
    under: tuple[str, ...] = ("bwrap",)
    rival: str = "honest"
    limits: dict[str, int] = {}
    network: bool = False
    full: tuple[str, ...] = ()
    """The levels at which it is one more of what another run has already."""


FORFEITS = "forfeits"
"""It never answers: whether it was ended for what it used before its time was over depends on what the host bounds."""
BOUNDED = "bounded"
"""A host that refuses it more lets it play on, and another one ends it."""
BOTH = ("bwrap", "limits")
ROOMY = {"memory_mb": 512, "processes": 128}
TOO_MUCH = "used more memory than 64 MB"

CASES = {
    "leaves many processes that take their time to die": Case(runs="leaves_much 10 1", limits=ROOMY),
    "leaves a daemon that holds its pipes": Case(runs="leaves_a_daemon", says="session: EPERM"),
    "is late behind many processes": Case(runs="slows_the_referee 93 600", charged="timeout", limits=ROOMY, full=BOTH),
    # It takes more than its share: of processes
    "forks without end": Case(runs="forks_without_end", charged=FORFEITS, under=BOTH, full=("limits",)),
    "has a child that forks without end": Case(
        runs="hides_behind_a_child 0 hostile forks_without_end", charged=FORFEITS, rival="thinks_long 1", full=BOTH
    ),
    "starts threads without end": Case(runs="starts_threads", charged=BOUNDED, limits={"memory_mb": 128}, full=BOTH),
    # of memory
    "eats heap": Case(runs="eats_memory heap", charged=BOUNDED, told=TOO_MUCH, most_mb=128, under=BOTH),
    "eats heap in many processes": Case(
        runs="eats_memory forked", charged="crashed", told=TOO_MUCH, under=BOTH, full=("bwrap",)
    ),
    "has a child that eats heap": Case(
        runs="hides_behind_a_child 5 eats_memory heap", charged="crashed", told=TOO_MUCH, full=BOTH
    ),
    "eats memory in a shared mapping": Case(runs="eats_memory shared", charged=BOUNDED, under=BOTH, full=BOTH),
    "eats memory by /dev/zero": Case(runs="eats_memory zero", says="refused: No such device\nholds: 0", full=BOTH),
    "eats memory in a newer shared mapping": Case(runs="eats_memory validated", charged=BOUNDED, most_mb=64, full=BOTH),
    "eats memory where the first thread has ended": Case(
        runs="eats_memory leaderless", charged="crashed", told=TOO_MUCH, under=BOTH, full=BOTH
    ),
    "eats memory in files without a name": Case(runs="eats_memory memfd", charged=BOUNDED, most_mb=64, full=BOTH),
    "eats memory of System V": Case(runs="eats_memory sysv", says="refused: shmget\nholds: 0", full=BOTH),
    "leaves data in sockets": Case(runs="fills_sockets", charged=BOUNDED, most_mb=64, full=BOTH),
    "leaves data in the sockets of many processes": Case(
        runs="fills_sockets 20",
        charged="crashed",
        told="used more memory than 320 MB",
        limits={"memory_mb": 320, "files": 128},
        rival="thinks_long 1",
        full=BOTH,
    ),
    # of files
    "fills every folder": Case(
        runs="fills_folders", limits=ROOMY, says="/tmp: 8 MB, ENOSPC\n/dev/shm: 8 MB, ENOSPC\n/bot: 0 MB, EROFS"
    ),
    "makes files without end": Case(runs="makes_files", charged=BOUNDED, full=BOTH),
    "makes files without end beside a network": Case(runs="makes_files", charged=BOUNDED, network=True, full=BOTH),
    # It sends signals
    "kills all that it can": Case(runs="signals_its_group SIGKILL", charged="crashed", told="killed by SIGKILL"),
    "stops all that it can": Case(runs="signals_its_group SIGSTOP", charged="timeout"),
    "would kill its rival": Case(runs="kills_its_rival", says="rivals: 0"),
}
RUNS = [
    pytest.param(case, level, id=f"{name} ({level})", marks=pytest.mark.full if level in case.full else ())
    for name, case in CASES.items()
    for level in case.under
]


@pytest.mark.parametrize(("case", "isolation"), RUNS)
def test_a_hostile_bot_harms_nobody(case: Case, isolation: str, arena: Arena, marked: Any, calm_kb: int) -> None:
    record = arena.play(
        arena.bot(*shlex.split(case.runs), network=case.network),
        arena.bot(*shlex.split(case.rival)),
        isolation=isolation,
        limits=case.limits,
        clocks={"move_s": 1.0} if case.charged in {"timeout", FORFEITS} else {},
    )

    hostile, honest = record.seats
    told = [mishap.detail for move in record.moves if (mishap := mishap_of(move, 0)) is not None]
    assert not marked()
    assert (honest.faults, honest.forfeited, honest.unasked_lines) == ({}, False, 0)
    assert hostile.forfeited == bool(hostile.faults)
    if case.charged == FORFEITS:
        assert hostile.forfeited
    elif case.charged == BOUNDED:
        assert hostile.faults == {"crashed": 1} or "refused: " in hostile.stderr, (told, hostile.stderr[-500:])
    else:
        assert hostile.faults == ({case.charged: 1} if case.charged else {}), (told, hostile.stderr[-500:])
    assert not hostile.faults or case.told in told[0]
    held = [int(line.removeprefix("holds: ")) for line in hostile.stderr.splitlines() if line.startswith("holds: ")]
    assert max(held, default=0) <= case.most_mb
    assert case.says in hostile.stderr
    assert arena.peak_kb < calm_kb + FLAT_KB
