"""A run that golfref 0.2.0 began, in store format 3, is shown, verified and gone on with, and keeps its digest.

run_0_2_0.sqlite3 was made by that version: two bots of tests/quick, one deal; the first attempt at match 1 was spoiled,
and bot `bea` was replaced in the end. It is never written anew.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from commands import golfref

from referee.tournament.store.store import Store
from referee.tournament.verify.published import read_published
from referee.tournament.verify.run import check_store

pytestmark = pytest.mark.full

DIGEST = "e7935732bf257c59858a1f9a5952fef9f70100a010a2ef02e9c3888bbffca403"
"""What golfref 0.2.0 printed."""

CONFIG = """
time = { start_s = 60, move_s = 60, bank_s = 600 }
[tournament]
name = "earlier"
seed = "abc"
deals = 2
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
command = ["sh", "bot.sh"]
dir = "quick"
name = "ann"
[[bots]]
command = ["sh", "bot.sh"]
dir = "quick"
name = "bea"
env = { MODE = "2" }
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return Path(shutil.copy(Path(__file__).with_name("run_0_2_0.sqlite3"), tmp_path / "run.golfref"))


def test_it_holds_under_the_digest_of_then_and_what_no_hash_covers_is_told(run: Path) -> None:
    out, _ = golfref("verify", run.name, "--digest", DIGEST, cwd=run.parent)
    assert "store format 3, whose digest covers only the records of matches in the standings; no hash covers" in out
    assert "all holds: 2 matches and 2 out of the standings replayed; the digest is the published one" in out
    document = json.loads(golfref("standings", run.name, "--json", cwd=run.parent)[0])
    assert document["digest"] == DIGEST
    assert document["void_reasons"] == {"a cable was pulled": 1}


def test_what_was_published_of_it_holds(run: Path) -> None:
    """run_0_2_0.json is what golfref 0.2.0 printed. Later versions print more, which nobody has claimed."""
    printed = Path(__file__).with_name("run_0_2_0.json")
    assert check_store(run, read_published(None, printed)).findings == ()
    document = json.loads(printed.read_text())
    del document["standings"][0]["rank"], document["standings"][1]
    (run.parent / "results.json").write_text(json.dumps(document))
    (found,) = check_store(run, read_published(None, run.parent / "results.json")).findings
    assert found == "standings.bea: only in the store"


def test_what_was_printed_with_another_anchor_holds(run: Path) -> None:
    printed = golfref("standings", run.name, "--json", "--anchor", "bea", cwd=run.parent)[0]
    (run.parent / "results.json").write_text(printed)

    assert json.loads(printed)["ratings"]["anchor"] == "bea"
    assert check_store(run, read_published(None, run.parent / "results.json")).findings == ()


def test_the_table_says_of_whom_a_rating_tells(run: Path) -> None:
    out = golfref("standings", run.name, "--anchor", "bea", cwd=run.parent)[0]

    assert "50.0 (anchor)" in out
    assert "a bot wins against bea, from all matches" in out


def test_an_anchor_that_is_not_there_is_said(run: Path) -> None:
    problem = golfref("standings", run.name, "--anchor", "beh", cwd=run.parent, code=2)[1]

    assert f"{run.name}: no bot beh plays in this run; did you mean bea?" in problem


def test_its_hashes_are_those_of_then(run: Path) -> None:
    hashes = golfref("standings", run.name, "--hashes", cwd=run.parent)[0]
    assert sha256(bytes.fromhex("".join(line.split()[1] for line in hashes.splitlines()))).hexdigest() == DIGEST
    (run.parent / "hashes.txt").write_text(hashes)
    assert check_store(run, read_published(str(run.parent / "hashes.txt"), None)).findings == ()


def test_it_goes_on_in_its_format(run: Path) -> None:
    (run.parent / "run.toml").write_text(CONFIG)
    shutil.copytree(Path(__file__).parents[2] / "quick", run.parent / "quick")
    golfref("tournament", "run.toml", "--amend", cwd=run.parent)
    with closing(Store.open(run)) as store:
        assert store.format == store.meta().format == 3
        origin, amendment = (event.lines for event in store.history()[1:])
    assert origin[0].startswith("played from here on by golfref ")
    assert "deals: 1 -> 2" in amendment
    assert check_store(run).findings == ()


def test_its_records_are_compared_with_its_config_as_well(run: Path) -> None:
    with closing(sqlite3.connect(run)) as database, database:
        database.execute("UPDATE meta SET value = json_set(value, '$.clocks.move_s', 61) WHERE key = 'facts'")
    findings = check_store(run).findings
    assert "match 0: clocks.move_s: played with 60.0, the config has 61.0" in findings
    assert any(finding.startswith("event #1: no amendment does this: clocks.move_s") for finding in findings)
