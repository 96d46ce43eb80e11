"""A bot that voids its matches: the run goes on, shows that its presence explains the voids, and how to withdraw it."""

import json
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest
import trio
from arena import HOSTILE
from commands import golfref
from in_store import Silent, bot, findings, go_on, result_of, summary
from quick import QUICK

from referee.commands.tournament.prepare import open_store, prepare
from referee.play.faults import OUT_OF_MEMORY
from referee.reports.provenance import provenance
from referee.tournament.config.config import load
from referee.tournament.orders import Spoiled
from referee.tournament.store.disk import locked
from referee.tournament.voids import VoidSuspect

RIVALS = ("ann", "bea", "cid", "dan")
OF_HOG = [frozenset({"hog", rival}) for rival in RIVALS]
HEAD = """
[tournament]
name = "run"
seed = "abc"
deals = {deals}
rotations = "fresh"
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
"""


class Watching(Silent):
    """Keeps what it is called with."""

    def __init__(self) -> None:
        self.suspects: list[VoidSuspect] = []

    def suspected(self, suspect: VoidSuspect) -> None:
        self.suspects.append(suspect)


def write(folder: Path, *names: str, deals: int = 2) -> None:
    (folder / "run.toml").write_text(HEAD.format(deals=deals) + "".join(map(bot, names)))


def test_a_run_shows_the_bot_whose_presence_explains_its_voids_until_it_is_withdrawn(tmp_path: Path) -> None:
    write(tmp_path, "hog", *RIVALS)
    go_on(tmp_path, spoiled=OF_HOG)

    shown = summary(tmp_path)
    assert (shown.matches, shown.planned, len(shown.unplayed)) == (24, 40, 16)
    assert shown.void_suspects == (VoidSuspect(bot="hog", voided=48, of=48),)
    lines = provenance(shown)
    assert any(
        line.startswith("  hog: 48 of its 48 attempts voided, which its presence alone explains, ") for line in lines
    )
    (warning,) = (line for line in lines if line.startswith("WARNING: hog"))
    assert warning.endswith("take it out of the config and run `golfref tournament CONFIG --amend`")

    write(tmp_path, *RIVALS)
    go_on(tmp_path, may_change=True)
    after = summary(tmp_path)
    assert (after.matches, after.planned, after.unplayed, after.void_suspects) == (24, 24, (), ())
    assert findings(tmp_path) == []


@pytest.mark.parametrize(("reason", "expected"), [("its worker died", ["hog"]), (f"{OUT_OF_MEMORY}, and ...", [])])
def test_whoever_watches_is_called_once_when_the_voids_are_explained(
    reason: str, expected: list[str], tmp_path: Path
) -> None:
    """A void for want of memory says nothing: the kernel kills the largest process, whichever bot has filled it."""
    names = ("hog", *RIVALS)
    write(tmp_path, *names)
    path, watcher = tmp_path / "run.golfref", Watching()
    prepared = prepare(load(tmp_path / "run.toml"), path, fresh=False, may_change=False)

    with locked(path) as lock, closing(open_store(prepared, lock)) as store:
        dispatcher = prepared.run(store, watcher).dispatcher()

        async def play() -> None:
            while (job := await dispatcher.next()) is not None:
                for planned_match in job.matches:
                    spoiled = Spoiled(number=planned_match.number, reason=reason)
                    is_spoiled = names.index("hog") in planned_match.lineup
                    await dispatcher.report(spoiled if is_spoiled else result_of(planned_match, names))

        trio.run(play)
    assert [one.bot for one in watcher.suspects] == expected
    assert all(one.voided == one.of < 48 for one in watcher.suspects)


LIVE = """
[tournament]
name = "run"
seed = "abc"
deals = 3
jobs = 2
workers = 2
isolation = "none"
trust = "all"
[time]
start_s = 60.0
move_s = 60.0
bank_s = 600.0
[[variants]]
preset = "six-card"
options = { rounds = 1 }
"""


@pytest.mark.full
def test_a_bot_that_kills_the_workers_neither_ends_the_run_nor_stays_unseen(tmp_path: Path) -> None:
    """It does so whenever it has seat 0. When the run goes on, only its own matches are left to be played."""
    (tmp_path / "hog").mkdir()
    for file in (HOSTILE / "voids_its_matches.py", Path(__file__).parents[2] / "support" / "filler.py"):
        shutil.copy(file, tmp_path / "hog")
    hog = f'[[bots]]\nname = "hog"\nowner = "mallory"\ncommand = ["{sys.executable}", "voids_its_matches.py"]\n'
    hog += 'dir = "hog"\n'
    rivals = "".join(f'[[bots]]\nname = "{name}"\nowner = "{name}"\n{QUICK}\n' for name in (*RIVALS, "eve"))
    (tmp_path / "run.toml").write_text(LIVE + hog + rivals)

    for _ in range(2):
        out, said = golfref("tournament", "run.toml", "--json", cwd=tmp_path, code=3)
        document = json.loads(out)
        assert (document["matches"], len(document["unplayed"])) == (75, 15)
        assert [one["bot"] for one in document["void_suspects"]] == ["hog"]
        assert not any(row["faults"] for row in document["standings"])
        assert sum(line.startswith("WARNING: hog sat at ") for line in said.splitlines()) == 1

    (tmp_path / "run.toml").write_text(LIVE + rivals)
    document = json.loads(golfref("tournament", "run.toml", "--amend", "--json", cwd=tmp_path)[0])
    assert (document["matches"], document["unplayed"], document["void_suspects"]) == (60, [], [])
    assert "all holds" in golfref("verify", "run.golfref", cwd=tmp_path)[0]
