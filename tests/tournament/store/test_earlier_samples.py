"""A run with a sample of line-ups that golfref 0.4.0 began and amended is verified, gone on with and amended.

run_0_4_0.sqlite3 was made by that version: four line-ups of five bots of tests/quick, and then four of those without
`eve`. It drew all line-ups anew when a bot left. The file is never written anew.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commands import golfref

from referee.tournament.store.facts import plans_of
from referee.tournament.store.store import Store
from referee.tournament.verify.run import check_store

pytestmark = pytest.mark.full

HEAD = """
time = { start_s = 60, move_s = 60, bank_s = 600 }
[tournament]
name = "sampled"
seed = "abc"
deals = 1
lineups = 4
[[variants]]
preset = "six-card"
options = { rounds = 1 }
"""


def config(*bots: str) -> str:
    return HEAD + "".join(f'[[bots]]\ncommand = ["sh", "bot.sh"]\ndir = "quick"\nname = "{bot}"\n' for bot in bots)


def samples(run: Path) -> list[set[frozenset[str]]]:
    """The line-ups of each stage of the run, by the plans that follow from its configs."""
    with closing(Store.open(run)) as store:
        configs = store.configs()
        plans = plans_of(configs, bytes.fromhex(store.meta().master_key))
        return [
            {frozenset(facts.bots[bot].name for bot in fixture.lineup) for fixture in plan}
            for facts, plan in zip(configs, plans, strict=True)
        ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    shutil.copytree(Path(__file__).parents[2] / "quick", tmp_path / "quick")
    return Path(shutil.copy(Path(__file__).with_name("run_0_4_0.sqlite3"), tmp_path / "run.golfref"))


def test_its_stages_have_the_line_ups_of_then(run: Path) -> None:
    assert check_store(run).findings == ()
    first, second = samples(run)
    without_eve = {lineup for lineup in first if "eve" not in lineup}
    assert len(without_eve - second) == 1, "a line-up that 0.4.0 dropped although both of its bots were still there"


def test_the_words_of_its_amendment_are_checked(run: Path) -> None:
    """Versions 0.3.0 and 0.4.0 told the events of a history in the same words as this one."""
    assert check_store(run).unchecked == ()
    with closing(sqlite3.connect(run)) as connection, connection:
        connection.execute("UPDATE history SET lines = replace(lines, '4 kept', '5 kept')")
    assert any("it does not tell the amendment that was made" in finding for finding in check_store(run).findings)


def test_it_goes_on_as_it_is_and_from_its_next_amendment_on_line_ups_stay(run: Path) -> None:
    (run.parent / "run.toml").write_text(config("dan", "cid", "bea", "ann"))
    assert "so none is left to play" in golfref("tournament", "run.toml", cwd=run.parent)[1]
    before = samples(run)
    (run.parent / "run.toml").write_text(config("ann", "bea", "cid", "dan", "eve"))
    said = golfref("tournament", "run.toml", "--amend", cwd=run.parent)[1]
    assert "line-ups of `six-card`: 3 of 4 stay" in said
    assert "of those played 6 kept, 2 dropped" in said
    after = samples(run)
    assert after[:2] == before
    assert len(after[2] & before[1]) == 3
    assert after[2] <= before[0] | before[1], "`eve` is back in a line-up that it had"
    assert check_store(run).findings == ()
