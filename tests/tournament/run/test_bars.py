"""A bot that voids its matches at will, in a real run: it is found out, barred, and gains nothing by it.

It kills the worker of the referee whenever it has seat 0, which the isolation `none` cannot keep it from.
"""

import json
import shutil
import sqlite3
import sys
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio
from arena import HOSTILE
from commands import golfref
from made_once import made_once
from quick import QUICK

from referee.commands.opening import open_store, prepare
from referee.play.match import BARRED
from referee.tournament.config.config import load
from referee.tournament.orders import Order, Played, Spoiled
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.bars import Bars
from referee.tournament.run.desk import Desk
from referee.tournament.run.play_order import PlayOrder
from referee.tournament.store.disk import locked
from referee.tournament.store.facts import Terms
from referee.tournament.summary import RunSummary, summary_of

pytestmark = pytest.mark.full

SETTINGS = """
[tournament]
name = "run"
seed = "abc"
deals = {deals}
jobs = 2
workers = 2
isolation = "none"
trust = "all"
[time]
start_s = 60.0
move_s = 60.0
bank_s = 600.0
[faults]
{faults}
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[bots]]
name = "mallory"
owner = "mallory"
command = ["{python}", "{script}"]
dir = "mallory"
"""
RIVALS = ("ann", "bea", "cid", "dan", "eve")


def write(folder: Path, *, deals: int = 3, faults: str = "", script: str = "voids_its_matches.py") -> None:
    rivals = "".join(f'[[bots]]\nname = "{name}"\nowner = "{name}"\n{QUICK}\n' for name in RIVALS)
    settings = SETTINGS.format(deals=deals, faults=faults, python=sys.executable, script=script)
    (folder / "run.toml").write_text(settings + rivals)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was played to its end."""
    return made_once(tmp_path_factory, "bars", play)


def play(folder: Path) -> None:
    (folder / "mallory").mkdir()
    for file in (HOSTILE / "voids_its_matches.py", Path(__file__).parents[2] / "support" / "filler.py"):
        shutil.copy(file, folder / "mallory")
    write(folder)
    out, said = golfref("tournament", "run.toml", "--json", cwd=folder)
    (folder / "first.json").write_text(out)
    (folder / "said.txt").write_text(said)


def copied(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to / "run")
    return to / "run"


def bots(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {bot["name"]: bot for bot in document["bots"]}


def test_a_bot_that_voids_its_matches_is_barred_and_loses_them(folder: Path) -> None:
    document = json.loads((folder / "first.json").read_text())
    told = bots(document)
    mallory = told.pop("mallory")
    standing = {row["bot"]: row for row in document["standings"]}

    assert document["matches"] == document["planned"] == 90
    assert document["unplayed"] == []
    assert mallory["barred"]
    assert mallory["voided"] == document["voided"] >= 3
    assert mallory["attempts"] == 30 + mallory["voided"]
    assert not any(bot["barred"] for bot in told.values())
    assert sum(bot["voided"] for bot in told.values()) == document["voided"]
    assert standing["mallory"]["rank"] == 6
    assert standing["mallory"]["faults"].keys() == {"start_failed"}
    assert not any(row["faults"] for name, row in standing.items() if name != "mallory")
    first = next(result for result in document["results"] if result["bots"][0] == "mallory")
    assert first["forfeited"][0]


def test_it_is_told_when_it_happens_and_in_the_end(folder: Path) -> None:
    tables = golfref("standings", "run.golfref", cwd=folder)[0]
    barred = [line for line in (folder / "said.txt").read_text().splitlines() if line.startswith("bot `mallory` (")]

    assert len(barred) == 1
    assert barred[0].endswith("attempts at matches were void, and its presence alone explains that")
    assert f"    {barred[0]}\n" in tables
    assert "attempts voided, barred\n" in tables
    told = bots(json.loads((folder / "first.json").read_text()))
    rivals = [name for name in RIVALS if told[name]["voided"]]  # whom mallory met, which depends on who is slower
    assert rivals
    assert [name for name in RIVALS if f"  {name}: " in tables] == rivals


def test_the_record_says_why_it_did_not_play(folder: Path) -> None:
    document = json.loads((folder / "first.json").read_text())
    number = next(one["number"] for one in document["results"] if one["faults"] and any(one["forfeited"]))
    told = golfref("replay", f"run.golfref:{number}", cwd=folder)[0]

    assert BARRED in told
    assert "all holds" in golfref("verify", "run.golfref", cwd=folder)[0]


def test_the_bar_stays_when_the_run_goes_on_and_the_bot_is_not_started(folder: Path, tmp_path: Path) -> None:
    run = copied(folder, tmp_path)
    write(run, deals=4)
    document = json.loads(golfref("tournament", "run.toml", "--amend", "--json", cwd=run)[0])
    before = json.loads((folder / "first.json").read_text())

    assert document["matches"] == 120
    assert document["voided"] == before["voided"]
    assert bots(document)["mallory"]["barred"]
    mallory = next(row for row in document["standings"] if row["bot"] == "mallory")
    assert mallory["forfeits"] >= 10
    assert "all holds" in golfref("verify", "run.golfref", cwd=run)[0]


def test_another_version_of_the_bot_may_play(folder: Path, tmp_path: Path) -> None:
    run = copied(folder, tmp_path)
    (run / "mallory" / "honest.py").write_text("from filler import play, start\nstart()\nplay()\n")
    write(run, script="honest.py")
    document = json.loads(golfref("tournament", "run.toml", "--amend", "--json", cwd=run)[0])

    assert document["matches"] == 90
    assert not bots(document)["mallory"]["barred"]
    assert not any(row["faults"] for row in document["standings"])
    assert "all holds" in golfref("verify", "run.golfref", cwd=run)[0]


CHANGES = {
    "no bar": ("UPDATE history SET lines = '[]'", "was barred, but nothing in the run's history bars it"),
    "another bot barred": (
        "UPDATE history SET lines = replace(lines, 'bot `mallory` (', 'bot `ann` (')",
        "golfref never tells this: bot `ann` (",
    ),
    "other counts": (
        "UPDATE history SET lines = replace(lines, ' of its ', '1 of its ')",
        "the voids before it are others than it tells",
    ),
    "no voids": ("DELETE FROM voids", "the voids before it do not bar the bot mallory"),
    "voids that show nothing": (
        "UPDATE voids SET reason = 'the host ran out of memory, and its kernel killed the bot ann'",
        "the voids before it do not bar the bot mallory",
    ),
    "voids of others": (
        """UPDATE voids SET bots = '["ann","bea"]'""",
        "the voids before it do not bar the bot mallory",
    ),
}
"""What is changed in the store, and what is said of it."""


@pytest.mark.parametrize("what", CHANGES)
def test_a_bar_that_does_not_follow_is_found(what: str, folder: Path, tmp_path: Path) -> None:
    change, told = CHANGES[what]
    run = copied(folder, tmp_path)
    connection = sqlite3.connect(run / "run.golfref")
    with connection:
        connection.execute(change)
    connection.close()

    assert told in "".join(golfref("verify", "run.golfref", cwd=run, code=1))


class Silent:
    """Nobody watches."""

    def begun(self, fixture: Fixture) -> None: ...

    def finished(self, result: Result) -> None: ...

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None: ...

    def barred(self, why: str) -> None: ...

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None: ...


def report(order: Order) -> Played | Spoiled:
    """What becomes of a match that mallory voids wherever it is started."""
    fixture, names = order.fixture, tuple(bot.name for bot in order.setup.bots)
    if "mallory" in names and "mallory" not in order.setup.barred:
        return Spoiled(number=fixture.number, reason="mallory")
    nothing: tuple[dict[str, int], ...] = ({},) * len(names)
    result = Result(
        number=fixture.number,
        variant=fixture.variant,
        block=fixture.block,
        bots=names,
        totals=(0,) * len(names),
        ranks=(1,) * len(names),
        rounds=1,
        forfeited=(False,) * len(names),
        faults=nothing,
        late_slaps=(0,) * len(names),
    )
    return Played(result=result, hash="", record=b"")


def play_out(path: Path, faults: str, ahead: int) -> RunSummary:
    """What comes of a run whose matches are handed out so far ahead."""
    (path / "mallory").mkdir()
    (path / "mallory" / "never_run.py").touch()
    write(path, deals=8, faults=faults, script="never_run.py")
    prepared = prepare(load(path / "run.toml"), path / "run.golfref", fresh=True, may_change=False)

    async def play(desk: Desk) -> None:
        out: deque[Order] = deque()
        while True:
            with trio.move_on_after(0):  # where it would wait for one that is out
                while len(out) < ahead and (order := await desk.next()) is not None:
                    out.append(order)
            if not out:
                return
            await desk.report(report(out.popleft()))

    with locked(path / "run.golfref") as lock, closing(open_store(prepared, lock)) as store:
        desk = Desk(
            PlayOrder(prepared.plan, done=(), voids={}, redeals_of=lambda _: 0, jobs=ahead),
            config=prepared.config,
            terms=Terms(prepared.facts),
            store=store,
            watcher=Silent(),
            bars=Bars(store),
        )
        trio.run(play, desk)
        return summary_of(store)


@pytest.mark.parametrize("ahead", [1, 4, 16])
def test_what_was_handed_out_before_the_bar_or_left_out_is_played_without_the_bot(ahead: int, tmp_path: Path) -> None:
    summary = play_out(tmp_path, "", ahead)

    assert summary.matches == summary.planned == 240
    assert summary.unplayed == ()
    assert [bot.name for bot in summary.bots if bot.barred] == ["mallory"]
    assert len(summary.history) == 1


def test_nobody_is_barred_where_the_config_says_so_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    summary = play_out(tmp_path, "voids = 0", 4)
    mallory = next(bot for bot in summary.bots if bot.name == "mallory")

    assert not mallory.barred
    assert mallory.left_out == len(summary.unplayed) == 80
    assert mallory.voided == mallory.attempts == 240
    assert all(bot.left_out == 16 for bot in summary.bots if bot is not mallory)
