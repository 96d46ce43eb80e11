"""What the referee does when it is late itself: nobody is charged for the time in which it did not look."""

import time
from pathlib import Path

import pytest
import trio

from protocol.messages import Clocks, FaultPolicy, Game
from referee.play.bots import BotSpec, Confinement, builtin_bot
from referee.play.exchange import HostFault
from referee.play.match import MatchSetup, play
from referee.play.pump import Pump
from referee.play.session import run_session
from referee.rules.record import Given, Record
from referee.rules.variants import customised

TELLS = """
import json, pathlib, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "request":
        if message["decision"] == "turn":
            pathlib.Path("asked").touch()
        offer = message["legal"][0]
        fill = lambda choice: choice["of"][:choice["pick"]] if "pick" in choice else choice["one_of"][0]
        action = {name: choice if name == "kind" else fill(choice) for name, choice in offer.items()}
        print(json.dumps({"type": "answer", "id": message["id"], "action": action}), flush=True)
"""
"""Says by a file that its first turn has come."""


def played(folder: Path, mark: dict[str, str], stall_s: float) -> Record:
    """A match in which the referee is kept from looking for so long while the bot at seat 0 has a second to answer."""
    setup = MatchSetup(
        variant=customised("six-card", {"rounds": 1}),
        name="six-card",
        bots=(
            BotSpec(name="tells", command=("python3", "tells.py"), dir=str(folder), env=mark),
            builtin_bot("random"),
        ),
        seeds=(1, 2),
        deal_key=b"lag",
        clocks=Clocks(move_s=1.0),
        faults=FaultPolicy(strikes=1),
        confinement=Confinement(),
        games=(Game(variant="six-card", name="six-card", seats=2),),
    )
    records: list[Record] = []

    async def match(pump: Pump) -> None:
        records.append(await play(pump, setup))

    async def stall(_: Pump) -> None:
        while not (folder / "asked").exists():
            await trio.sleep(0.001)
        time.sleep(stall_s)  # noqa: ASYNC251 - this is what happens to a referee on an overloaded host

    run_session([match, stall])
    return records[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tells.py").write_text(TELLS)
    return tmp_path


def test_an_answer_that_came_while_the_referee_did_not_look_is_not_late(folder: Path, mark: dict[str, str]) -> None:
    record = played(folder, mark, 1.3)
    assert record.seats[0].faults == {}
    times = [move.time_us for move in record.moves if isinstance(move, Given) and move.seat == 0]
    assert max(times) < 1_000_000  # the stall is not on its clock


def test_a_referee_that_does_not_look_for_too_long_voids_the_match(folder: Path, mark: dict[str, str]) -> None:
    with pytest.raises(HostFault, match=r"did not look at its pipes for 2\.\d+ s while a clock ran"):
        played(folder, mark, 2.2)
