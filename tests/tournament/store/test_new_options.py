"""A later version of golfref has one option more: runs and records of the version before it stay what they are."""

from pathlib import Path

import pytest
from commands import golfref
from forging import cut, rows_of
from quick import QUICK

pytestmark = pytest.mark.full

CONFIG = f"""
time = {{ start_s = 60, move_s = 60, bank_s = 600 }}
[tournament]
name = "run"
seed = "abc"
deals = 1
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[bots]]
{QUICK}
name = "ann"
[[bots]]
{QUICK}
name = "bea"
[[bots]]
{QUICK}
name = "cid"
"""

NEW = "kings15"
"""The option that the earlier golfref does not have; bots are told of it."""

EARLIER = f"""
import msgspec

complete = msgspec.to_builtins

def without_the_new_option(value, **how):
    told = complete(value, **how)
    if type(value).__name__ == "Options" or (isinstance(value, dict) and "{NEW}" in value):
        del told["{NEW}"]
    return told

msgspec.to_builtins = without_the_new_option
"""


def said(folder: Path, *words: str, before: str = "", code: int = 0) -> str:
    """What a command says, on both of its outputs."""
    return "".join(golfref(*words, cwd=folder, before=before, code=code))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a run of the earlier golfref, two of whose six matches are missing."""
    (tmp_path / "run.toml").write_text(CONFIG)
    said(tmp_path, "tournament", "run.toml", before=EARLIER)
    cut(tmp_path / "run.golfref", 4)
    begin, *_ = rows_of(tmp_path / "run.golfref")
    assert NEW not in begin.body["config"]["variants"][0]["options"]
    return tmp_path


def test_the_run_goes_on(folder: Path) -> None:
    assert "not finished: 2 of 6 matches" in said(folder, "verify", "run.golfref", code=1)
    assert "going on with run.golfref: 4 of 6 matches are there" in said(folder, "tournament", "run.toml")
    assert "all holds: 6 matches replayed" in said(folder, "verify", "run.golfref")


def test_the_run_is_amended_and_keeps_its_matches(folder: Path) -> None:
    (folder / "run.toml").write_text(CONFIG.replace("deals = 1", "deals = 2"))
    told = said(folder, "tournament", "run.toml", "--amend")
    assert "  deals: 1 -> 2\n  matches: 6 -> 12 in the plan" in told
    assert "of those played 4 kept, 0 dropped; 8 to play" in told
    assert "all holds: 12 matches replayed" in said(folder, "verify", "run.golfref")


def test_the_new_option_makes_another_game_and_the_old_one_can_come_back(folder: Path) -> None:
    (folder / "run.toml").write_text(CONFIG.replace("rounds = 1", f"rounds = 1, {NEW} = true"))
    told = said(folder, "tournament", "run.toml", "--amend")
    assert f"variant `six-card`: another game (options.{NEW}: false -> true)" in told
    (folder / "run.toml").write_text(CONFIG)
    assert "4 that were dropped earlier count again; 2 to play" in said(folder, "tournament", "run.toml", "--amend")
    assert "all holds: 6 matches and 6 out of the standings replayed" in said(folder, "verify", "run.golfref")


def test_a_record_replays_and_what_was_sent_is_told_again(folder: Path) -> None:
    assert "all holds" in said(folder, "verify", "run.golfref:1")
    assert "scores" in said(folder, "replay", "run.golfref:1")
    wire = said(folder, "transcript", "run.golfref:1", "--bot", "0")
    assert '"final_turns"' in wire
    assert NEW not in wire
