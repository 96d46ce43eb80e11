"""Programs that would harm the referee, their opponent or the result, each a real process in a real match.

The programs are in tests/hostile, one a behaviour. A row of CASES says how one is run and what it is charged with.
Whatever it does, the match ends, the honest bot is blameless, the record replays, the referee stays small, and nothing
is left on the host: the arena (tests/support) sees to most of that. What a bot may be at fault for without harm is
in test_faults.py.
"""

import shlex
from typing import Any

import pytest
from arena import Arena
from msgspec import Struct

from referee.reports.blame import mishap_of
from referee.rules.record import Record

pytestmark = pytest.mark.isolation

FLAT_KB = 20_000
"""How much more memory than a calm match the referee may take and still count as flat."""


class Case(Struct, frozen=True, kw_only=True):
    """A program, and what comes of it."""

    runs: str
    charged: tuple[str, ...] = ("",)
    """It is charged with faults of one of these kinds; the empty text stands for none at all."""
    told: str = ""
    """Part of what its author is told."""
    says: str = ""
    """Part of its standard error."""
    most_mb: int = 400
    """How much memory it may say at most that it came to hold."""
    under: tuple[str, ...] = ("bwrap",)
    rival: str = "honest"
    limits: dict[str, int] = {}
    clocks: dict[str, float] = {}
    """Where time must run out, SHORT unless it says otherwise; elsewhere time should be no matter."""


BOTH = ("bwrap", "limits")
SHORT = {"move_s": 2.0}
ROOMY = {"memory_mb": 512, "processes": 128}
TOO_MUCH = "used more memory than 64 MB"

CASES = {
    # It comes, goes and is silent
    "exits before hello": Case(
        runs="exits_before_hello", charged=("start_failed",), told="exited with code 3 before `ready`"
    ),
    "never says ready": Case(runs="never_says_ready", charged=("start_timeout",), clocks={"start_s": 3.0}),
    "crashes in the middle of the game": Case(runs="crashes_mid_game", charged=("crashed",), told="killed by SIGSEGV"),
    "writes half a line and sleeps": Case(runs="half_a_line", charged=("timeout",), told="without a newline"),
    "never reads": Case(runs="never_reads", charged=("timeout",)),
    "closes its output and lives": Case(runs="closes_stdout", charged=("closed_output",)),
    "takes no signal": Case(runs="ignores_signals"),
    "leaves many processes that take their time to die": Case(runs="leaves_much 30 1", limits=ROOMY),
    "leaves a daemon that holds its pipes": Case(runs="leaves_a_daemon", says="session: EPERM"),
    "stops itself": Case(runs="stops_itself", charged=("timeout",)),
    "dumps core": Case(runs="dumps_core", charged=("crashed",), told="killed by SIGQUIT"),
    "thinks for most of a long time": Case(runs="thinks_long 3"),
    # It says too much
    "writes one endless line": Case(runs="endless_line", charged=("line_too_long",), under=BOTH),
    "floods with lines": Case(runs="floods_lines", charged=("flood",), under=BOTH),
    "floods standard error": Case(runs="floods_stderr", says="never mind", under=BOTH),
    "prints debugging": Case(
        runs="prints_debugging", charged=("bad_message",), told="print debugging to standard error"
    ),
    "answers out of turn": Case(runs="answers_out_of_turn", under=BOTH),
    # It takes more than its share: of processes
    "forks without end, and answers": Case(runs="forks_without_end parent", charged=("", "crashed"), under=BOTH),
    "forks without end": Case(
        runs="forks_without_end all", charged=("timeout", "crashed"), under=BOTH, clocks={"move_s": 1.0}
    ),
    "has a child that forks without end": Case(
        runs="hides_behind_a_child 0 forks_without_end all", charged=("", "crashed"), rival="thinks_long 1"
    ),
    "starts threads without end": Case(runs="starts_threads", charged=("", "crashed"), limits={"memory_mb": 128}),
    # of memory
    "eats heap": Case(runs="eats_memory heap", charged=("", "crashed"), told=TOO_MUCH, most_mb=128, under=BOTH),
    "eats heap in many processes": Case(runs="eats_memory forked", charged=("crashed",), told=TOO_MUCH, under=BOTH),
    "has a child that eats heap": Case(
        runs="hides_behind_a_child 5 eats_memory heap",
        charged=("crashed",),
        told=TOO_MUCH,
    ),
    "eats memory in a shared mapping": Case(runs="eats_memory shared", charged=("", "crashed"), under=BOTH),
    "eats memory by /dev/zero": Case(runs="eats_memory zero", says="refused: No such device\nholds: 0"),
    "eats memory in a newer shared mapping": Case(runs="eats_memory validated", charged=("", "crashed"), most_mb=64),
    "eats memory where the first thread has ended": Case(
        runs="eats_memory leaderless", charged=("crashed",), told=TOO_MUCH, under=BOTH
    ),
    "eats memory in files without a name": Case(runs="eats_memory memfd", charged=("", "crashed"), most_mb=64),
    "eats memory of System V": Case(runs="eats_memory sysv", says="refused: shmget\nholds: 0"),
    "leaves data in the sockets of many processes": Case(
        runs="fills_sockets 20",
        charged=("crashed",),
        told="used more memory than 320 MB",
        limits={"memory_mb": 320, "files": 128},
        rival="thinks_long 1",
    ),
    "leaves data in sockets": Case(runs="fills_sockets", charged=("", "crashed"), most_mb=64),
    # of files
    "fills every folder": Case(
        runs="fills_folders", limits=ROOMY, says="/tmp: 8 MB, ENOSPC\n/dev/shm: 8 MB, ENOSPC\n/bot: 0 MB, EROFS"
    ),
    "makes files without end": Case(runs="makes_files", charged=("", "crashed", "timeout"), clocks={"move_s": 10.0}),
    # of the referee's attention
    "is late behind many processes": Case(runs="slows_the_referee 93 60", charged=("timeout",), limits=ROOMY),
    # It sends signals
    "kills all that it can": Case(runs="signals_its_group SIGKILL", charged=("crashed",), told="killed by SIGKILL"),
    "stops all that it can": Case(runs="signals_its_group SIGSTOP", charged=("timeout",)),
    "signals all that it can": Case(runs="signals_its_group SIGTERM", charged=("", "crashed")),
    "would kill its rival": Case(runs="kills_its_rival SIGKILL", says="rivals: 0"),
    "would stop its rival": Case(runs="kills_its_rival SIGSTOP", says="rivals: 0"),
}


def told(record: Record, seat: int) -> list[str]:
    return [mishap.detail for move in record.moves if (mishap := mishap_of(move, seat)) is not None]


RUNS = [pytest.param(case, level, id=f"{name} ({level})") for name, case in CASES.items() for level in case.under]


@pytest.mark.parametrize(("case", "isolation"), RUNS)
def test_the_match_is_refereed_to_its_end(case: Case, isolation: str, arena: Arena, marked: Any, calm_kb: int) -> None:
    record = arena.play(
        arena.bot(*shlex.split(case.runs)),
        arena.bot(*shlex.split(case.rival)),
        isolation=isolation,
        limits=case.limits,
        clocks=case.clocks or (SHORT if "timeout" in case.charged else {}),
    )

    hostile, honest = record.seats
    assert not marked()
    assert (honest.faults, honest.forfeited, honest.unasked_lines) == ({}, False, 0), told(record, 1)
    assert "+".join(hostile.faults) in case.charged, (told(record, 0), hostile.stderr[-500:])
    assert hostile.forfeited == bool(hostile.faults)
    assert any(case.told in detail for detail in told(record, 0)) or not (case.told and hostile.faults)
    held = [line.removeprefix("holds: ") for line in hostile.stderr.splitlines() if line.startswith("holds: ")]
    assert max(map(int, held), default=0) <= case.most_mb
    assert case.says in hostile.stderr
    assert arena.peak_kb < calm_kb + FLAT_KB
