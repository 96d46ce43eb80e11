"""Broken bots, each a real process in a real match against an honest one: each way to be at fault once.

What the bot does, and what the record must say; a few ways look like a fault and are none. Whatever happens, the match
ends, the honest bot is blameless and no process is left. What makes a line wrong is in talk/test_inbox.py.
"""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from live_matches import match_setup, matches
from msgspec import Struct, field
from msgspec.structs import replace
from needs import need_bubblewrap
from quick import FILLER

from protocol.messages import Clocks, FaultPolicy
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.process import process
from referee.play.process.process import BotProcess
from referee.play.process.shutdown import stop
from referee.play.pump.pump import Pump
from referee.play.sandbox.cgroups import Cgroups, Group
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement, Isolation, builtin_bot
from referee.reports.faults import mishap_of
from referee.rules.record import Mishap, Record
from referee.rules.scoring.knocker import score_round
from referee.rules.variants import from_record
from referee.tournament.verify.replay import check_record

PRELUDE = FILLER + "import select, signal, subprocess, time\n"
"""What the bots of the table share; a bot that is `start(); play()` breaks no rule."""

HOLDER = """
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
"""
"""Starts a process that leaves the bot's session and holds its pipes."""


class Case(Struct, frozen=True, kw_only=True):
    """A bot and what comes of it."""

    does: str
    """Its program, after PRELUDE."""
    faults: dict[str, int] = {}
    """What it is charged with, in all."""
    forfeits: bool = True
    """Whether it forfeits, where it is charged with something."""
    told: str = ""
    """Part of what its author is told."""
    line: str = ""
    """The start of the line that is shown."""
    stderr: str = ""
    clocks: Clocks = field(default_factory=lambda: Clocks(start_s=60.0, move_s=60.0))
    policy: FaultPolicy = FaultPolicy(strikes=2)
    preset: str = "six-card"
    opponent: str = ""
    """The honest bot's program, after PRELUDE; the shipped random bot where there is none."""
    isolation: Isolation = "limits"


SHORT = Clocks(move_s=1.0)
FIRST = FaultPolicy(strikes=1)

CASES = {
    # It ends
    "exits at once": Case(
        does="raise SystemError('boom')",
        faults={"start_failed": 1},
        told="exited with code 1 before `ready`",
        stderr="SystemError: boom",
    ),
    "crashes": Case(
        does="start()\nfor request in requests(): raise ValueError('no idea')",
        faults={"crashed": 1},
        told="exited with code 1",
        stderr="ValueError: no idea",
    ),
    "leaves between questions": Case(
        does="start()\nfor request in requests(): say(right(request)); break",
        faults={"crashed": 1},
        told="exited with code 0",
    ),
    "is killed": Case(
        does="start()\nfor request in requests(): os.kill(os.getpid(), signal.SIGSEGV)",
        faults={"crashed": 1},
        told="killed by SIGSEGV",
    ),
    "crashes while another holds its pipes": Case(
        does=HOLDER + "start()\nfor request in requests(): sys.exit(3)",
        faults={"crashed": 1},
        told="exited with code 3",
    ),
    "crashes in a window": Case(
        does="""
start()
for request in requests():
    if request["decision"] == "slap": sys.exit(4)
    say(right(request))
""",
        faults={"crashed": 1},
        told="exited with code 4",
        preset="cactus",
    ),
    # It is silent
    "answers half": Case(
        does="start()\nfor request in requests(): say(json.dumps(right(request))[:-9], end=''); time.sleep(60)",
        faults={"timeout": 1},
        told="without a newline",
        clocks=SHORT,
        policy=FIRST,
    ),
    "closes its input": Case(
        does="start(); os.close(0); time.sleep(60)", faults={"timeout": 1}, clocks=SHORT, policy=FIRST
    ),
    "stops itself": Case(
        does="start(); os.kill(os.getpid(), signal.SIGSTOP)", faults={"timeout": 1}, clocks=SHORT, policy=FIRST
    ),
    # It closes its output
    "closes its output at once": Case(
        does="os.close(1); time.sleep(60)",
        faults={"start_failed": 1},
        told="closed its standard output before `ready`",
    ),
    "closes its output in a window": Case(
        does="""
start()
for request in requests():
    if request["decision"] == "slap":
        os.close(1)
        time.sleep(60)
    say(right(request))
""",
        faults={"closed_output": 1},
        told="closed its standard output",
        preset="cactus",
    ),
    # It says what is wrong, or too much
    "prints before it answers": Case(
        does="start()\nfor request in requests(): print('thinking'); say(right(request))",
        faults={"bad_message": 2},
        told="print debugging to standard error",
        line="thinking",
    ),
    "answers nonsense once": Case(
        does="start()\nfor request in requests(): say('hm'); break\nplay()",
        faults={"bad_message": 1},
        forfeits=False,
        line="hm",
    ),
    "plays against the rules": Case(
        does="start()\nfor request in requests(): say(right(request) | {'action': {'kind': 'knock'}})",
        faults={"illegal_action": 2},
        told='`turn_up` offered turn_up with slots 2 different ones of 0 1 2 3 4 5; not {"kind":"knock"}',
    ),
    "writes a line without end": Case(
        does="start()\nfor request in requests():\n  while True: say(1000 * 'x', end='')",
        faults={"line_too_long": 1},
        told="a line of more than 65536 bytes",
    ),
    "floods with answers": Case(
        does="start()\nfor request in requests():\n  while True: say(right(request) | {'id': 'guess'})",
        faults={"flood": 1},
        told="more than 1000 lines that answer no request",
    ),
    "floods while nothing is asked": Case(
        does="""
start()
for request in requests():
    say(right(request))
    for _ in range(40): say(right(request) | {"padding": 60_000 * "x"})
""",
        opponent="start()\nfor request in requests(): time.sleep(0.3); break\nsay(right(request)); play()",
        faults={"flood": 1},
    ),
    # It looks like a fault and is none
    "talks to standard error without end": Case(
        does="""
start()
for request in requests():
    os.write(2, 300_000 * b"x")
    say(right(request))
""",
        stderr="xxx",
    ),
    "takes no signal": Case(
        does="""
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE): signal.signal(number, signal.SIG_IGN)
start()
play()
time.sleep(60)
""",
    ),
    "leaves a process that has disowned it": Case(does="if os.fork(): start(); play(); sys.exit()\n" + HOLDER),
    "leaves a process in its group": Case(does="if os.fork(): start(); play(); sys.exit()\ntime.sleep(60)"),
    "leaves after its last answer": Case(
        does="""
start()
knocked = False
for request in requests():
    knocked = knocked or any(event["event"] == "knocked" for event in request["events"])
    say(right(request))
    if knocked and request["decision"] == "place": sys.exit(5)
""",
        preset="six-card-knock",
    ),
}


def python(program: str) -> tuple[str, ...]:
    return sys.executable, "-c", PRELUDE + program


def setup_of(case: Case, bot: BotSpec, mark: dict[str, str]) -> MatchSetup:
    """One round, the bot on seat 0 against an honest one on seat 1."""
    command = python(case.opponent) if case.opponent else builtin_bot("random").command
    honest = BotSpec(name="honest", command=command, dir="/", env=mark)
    confined = Confinement(isolation=case.isolation)
    return match_setup((bot, honest), case.preset, clocks=case.clocks, faults=case.policy, confinement=confined)


def mishaps(record: Record, seat: int) -> list[Mishap]:
    return [mishap for move in record.moves if (mishap := mishap_of(move, seat)) is not None]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_fault_is_told_apart_and_blamed_on_its_bot(case: Case, mark: dict[str, str], marked: Any) -> None:
    bot = BotSpec(name="faulty", command=python(case.does), dir="/", env=mark)
    (record,) = matches(setup_of(case, bot, mark))

    assert not marked()
    faulty, honest = record.seats
    told = mishaps(record, 0)
    assert faulty.faults == case.faults, (told, faulty.stderr[-500:])
    assert faulty.forfeited == (case.forfeits and bool(case.faults))
    assert case.told in told[0].detail if case.faults else not told
    assert told[0].line.startswith(case.line) if case.line else True
    assert case.stderr in faulty.stderr
    assert (honest.faults, honest.forfeited, honest.unasked_lines) == ({}, False, 0)
    assert mishaps(record, 1) == []
    check_result(record)


NO_WAITID = ("waitid", "waitid_result", "P_PID", "WEXITED", "WNOWAIT")
"""What `os` lacks on macOS before Python 3.13."""

ENDS = ("exits at once", "is killed", "leaves a process in its group")


@pytest.mark.parametrize("name", ENDS)
def test_how_a_bot_ended_is_known_without_waitid_too(
    name: str, mark: dict[str, str], marked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for lacking in NO_WAITID:
        monkeypatch.delattr(os, lacking)
    test_each_fault_is_told_apart_and_blamed_on_its_bot(CASES[name], mark, marked)


async def ended(bot: BotProcess) -> str:
    while (status := bot.exit_status()) is None:
        await trio.sleep(0.001)
    await stop(bot, patience_s=0, drain=lambda: None)
    return status


def test_bots_can_be_started_where_there_is_no_waitid() -> None:
    program = f"import os, trio\nfor name in {NO_WAITID}: delattr(os, name)\nimport referee.play.process.process"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="there are control groups on Linux only")
@pytest.mark.parametrize("isolation", ["limits", "bwrap"])
def test_a_control_group_that_takes_no_bot_is_the_hosts_fault(
    isolation: Isolation, mark: dict[str, str], marked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isolation == "bwrap":
        need_bubblewrap()
    gone = Group(Cgroups(version=2, folders={"kill": str(tmp_path)}), "gone", None)
    monkeypatch.setattr(process, "_new_group", lambda _: gone)
    bot = BotSpec(name="blameless", command=builtin_bot("random").command, dir=builtin_bot("random").dir, env=mark)
    setup = setup_of(Case(does="", isolation=isolation), bot, mark)
    with pytest.raises(HostFault, match=r"a bot could not enter its control group: .*gone/cgroup.procs"):
        matches(replace(setup, bots=(bot, bot)))
    assert not marked()


WRITES_TO_ALL = """
for fd in range(3, 1024):
    try:
        os.write(fd, b"no group\\n")
    except OSError:
        pass
sys.exit(3)
"""


@pytest.mark.parametrize("isolation", ["limits", "bwrap"])
def test_no_bot_can_report_that_another_or_itself_was_not_started(
    isolation: Isolation, mark: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isolation == "bwrap":
        need_bubblewrap()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spec = BotSpec(name="bot", command=python(WRITES_TO_ALL), dir=builtin_bot("random").dir, env=mark)
    bot = BotProcess(spec, Confinement(isolation=isolation))
    assert str(tmp_path) not in str(bot._popen.args), "others can read the name of a file"
    assert trio.run(ended, bot) == "exited with code 3"


def check_result(record: Record) -> None:
    """The honest score stands; who forfeited has the round's highest score and is last; the record replays."""
    (played,) = record.result.rounds
    earned = score_round(from_record(record.preset, record.options), played.raw, played.ender)
    assert played.scores[1] == earned[1]
    if record.seats[0].forfeited:
        assert played.scores[0] == max(earned)
        assert record.result.ranks == (2, 1)
    else:
        assert played.scores[0] == earned[0]
    assert list(check_record(record)) == []


def test_a_match_that_ends_leaves_the_processes_of_others_alone(mark: dict[str, str], tmp_path: Path) -> None:
    """A bot whose helper has lost its parent, and that cannot play on without it, beside a match that ends before."""
    needs_helper = f"""
reader, writer = os.pipe()
if not os.fork():
    if not os.fork(): time.sleep(60)
    os._exit(0)
os.close(writer)
os.wait()
start()
for number, request in enumerate(requests()):
    while number == 1 and not os.path.exists({str(tmp_path / "ended")!r}): time.sleep(0.01)
    if select.select([reader], [], [], 0)[0]: sys.exit("the helper is gone")
    say(right(request))
"""
    case = Case(does=needs_helper, clocks=Clocks(move_s=60.0))
    records = {}

    async def work(name: str, does: str, pump: Pump) -> None:
        bot = BotSpec(name=name, command=python(does), dir="/", env=mark)
        records[name] = await play(pump, setup_of(case, bot, mark))
        (tmp_path / "ended").touch()

    run_session([partial(work, "long", case.does), partial(work, "short", "start(); play()")])

    assert list(records) == ["short", "long"]
    assert [seat.faults for seat in records["long"].seats] == [{}, {}], records["long"].seats[0].stderr
