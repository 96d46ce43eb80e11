"""What the referee does when it is late itself: nobody is charged for the time in which it did not look."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio
from racing import WAITERS

from protocol.messages import Clocks, FaultPolicy, Game
from referee.play.bot import orphans
from referee.play.faults import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import BotSpec, Confinement, builtin_bot
from referee.rules.book.variants import customised
from referee.rules.record import Forfeit, Given, Record

TELLS = """
import json, pathlib, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "request":
        if message["decision"] == "turn":
            pathlib.Path("asked").touch()
            while not pathlib.Path("stalled").exists():
                time.sleep(0.001)
        offer = message["legal"][0]
        fill = lambda choice: choice["of"][:choice["pick"]] if "pick" in choice else choice["one_of"][0]
        action = {name: choice if name == "kind" else fill(choice) for name, choice in offer.items()}
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""
"""Says by a file that its first turn has come, and answers once the referee has ceased to look."""


COMPUTES = TELLS.replace(
    'pathlib.Path("asked").touch()',
    """
            import os
            pathlib.Path("stalled").touch()
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            until = time.process_time() + 0.3
            while time.process_time() < until:
                pass""",
)
"""Computes for 0.3 seconds at each turn, all on the same core."""

BURNS = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.nice(5)
while True:
    pass
"""
"""Computes on that core for ever, with no more right to it than a bot has."""


def setup_of(folder: Path, mark: dict[str, str], bot: str, move_s: float) -> MatchSetup:
    """A match of this bot at seat 0, to which a single fault is fatal."""
    return MatchSetup(
        variant=customised("six-card", {"rounds": 1, "turn_cap": 4}),
        name="six-card",
        bots=(BotSpec(name=bot, command=("python3", f"{bot}.py"), dir=str(folder), env=mark), builtin_bot("random")),
        seeds=(1, 2),
        deal_key=b"lag",
        clocks=Clocks(move_s=move_s),
        faults=FaultPolicy(strikes=1),
        confinement=Confinement(),
        games=(Game(variant="six-card", name="six-card", seats=2),),
    )


def played(folder: Path, mark: dict[str, str], stall_s: float) -> Record:
    """A match in which the referee is kept from looking for so long while the bot at seat 0 has 0.5 s to answer."""
    setup = setup_of(folder, mark, "tells", 0.5)
    records: list[Record] = []

    async def match(pump: Pump) -> None:
        records.append(await play(pump, setup))

    async def stall(_: Pump) -> None:
        while not (folder / "asked").exists():
            await trio.sleep(0.001)
        (folder / "stalled").touch()
        time.sleep(stall_s)  # noqa: ASYNC251 - this is what happens to a referee on an overloaded host

    run_session([match, stall])
    return records[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tells.py").write_text(TELLS)
    return tmp_path


def test_an_answer_that_came_while_the_referee_did_not_look_is_not_late(folder: Path, mark: dict[str, str]) -> None:
    record = played(folder, mark, 0.7)
    assert record.seats[0].faults == {}, [move for move in record.moves if getattr(move, "fault", None)]
    times = [move.time_us for move in record.moves if isinstance(move, Given) and move.seat == 0]
    assert max(times) < 500_000  # the stall is not on its clock


def test_a_referee_that_does_not_look_for_too_long_voids_the_match(folder: Path, mark: dict[str, str]) -> None:
    with pytest.raises(HostFault, match=r"did not look at its pipes for \d\.\d+ s while a clock ran"):
        played(folder, mark, 2.1)


STARVED = """
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "request":
        until = time.process_time() + (0.5 if message["decision"] == "turn" else 0)
        while time.process_time() < until:
            pass
        offer = message["legal"][0]
        fill = lambda choice: choice["of"][:choice["pick"]] if "pick" in choice else choice["one_of"][0]
        action = {name: choice if name == "kind" else fill(choice) for name, choice in offer.items()}
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""
"""Computes for half a second at each turn."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waited for a core")
def test_the_time_in_which_a_bot_waited_for_a_core_is_not_on_its_clock(folder: Path, mark: dict[str, str]) -> None:
    (folder / "computes.py").write_text(COMPUTES)
    records: list[Record] = []

    async def match(pump: Pump) -> None:
        records.append(await play(pump, setup_of(folder, mark, "computes", 0.7)))

    with contextlib.ExitStack() as stack:
        for _ in range(2):
            burner = stack.enter_context(subprocess.Popen([sys.executable, "-c", BURNS], start_new_session=True))
            stack.callback(burner.kill)
            orphans.begun(burner.pid)  # else the warden would take it for a runaway
            stack.callback(orphans.ended, burner.pid)
        run_session([match])
    (record,) = records
    assert record.seats[0].faults == {}, [move for move in record.moves if getattr(move, "fault", None)]
    answers = [move for move in record.moves if isinstance(move, Given) and move.seat == 0]
    assert max(move.time_us for move in answers) < 700_000
    assert max(move.time_us + move.waived_us for move in answers) > 700_000


SPENDS = f"""
import json, sys
sys.stdin.readline()
print('{{"type": "ready"}}', flush=True)
sys.stdin.readline()
request = json.loads(sys.stdin.readline())
{WAITERS}
end = time.monotonic() + 5
while time.monotonic() < end:
    thread = threading.Thread(target=work, args=(0.003,))
    thread.start()
    thread.join()
action = {{"kind": "turn_up", "slots": [0, 1]}}
print(json.dumps({{"type": "answer", "id": request["id"], "action": action}}), flush=True)
sys.stdin.read()
"""
"""Computes for five seconds at its first question, in threads that soon end, while idle processes of it wait."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process waited for a core")
def test_computing_in_threads_that_end_does_not_pass_for_waiting(folder: Path, mark: dict[str, str]) -> None:
    (folder / "spends.py").write_text(SPENDS)
    records: list[Record] = []

    async def match(pump: Pump) -> None:
        records.append(await play(pump, setup_of(folder, mark, "spends", 1.5)))

    run_session([match])
    first = records[0].moves[0]
    assert isinstance(first, Forfeit)
    assert first.fault.kind == "timeout"
