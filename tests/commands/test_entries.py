"""What `golfref entries` prints: every entry in a row, what is wrong below, and nothing run or written."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest
from commands import golfref
from wcwidth import clip, wcswidth

from referee.tournament.store.store import Store

CONFIG = """\
[tournament]
name = "friday"
trust = "all"
[[variants]]
preset = "six-card"
[[bots]]
entries = "entries/*"
[[bots]]
builtin = "greedy"
"""
LONG = "很长的中文名字很长的中文名字很长的中文名字"
OWNER = "一位名字非常非常非常长的所有者"


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """A folder with a config and three entries: one to be built, one with a long name and one that is broken."""
    entries = tmp_path / "entries"
    for name in ("ann", "bea", LONG):
        (entries / name).mkdir(parents=True)
    (entries / "ann/bot.c").touch()
    (entries / "bea/bot.toml").write_text('owner = 3\ncontact = "x"')
    (entries / LONG / "bot.py").touch()
    (entries / LONG / "bot.toml").write_text(f'owner = "{OWNER}"')
    (tmp_path / "c.toml").write_text(CONFIG)
    return tmp_path


def everything(folder: Path) -> set[tuple[Path, float]]:
    return {(path, path.stat().st_mtime) for path in folder.rglob("*")}


def test_every_entry_has_a_row_and_what_is_wrong_stands_below(contest: Path) -> None:
    before = everything(contest)

    said, told = golfref("entries", "c.toml", cwd=contest, code=2)

    assert [line.split()[0] for line in said.splitlines()[2:]] == ["ann", "很长的中文…中文名字", "bea"]
    assert said.splitlines()[2].split()[2:] == ["-", "C", "not", "yet", "not", "yet"]
    assert all(wcswidth(line) <= 80 for line in said.splitlines())
    title, _, *rows = said.splitlines()
    start = title.index("version")
    assert all(clip(row, start - 2, start) == "  " and clip(row, start, start + 1) != " " for row in rows)
    blank, wrong, unclear = told.splitlines()
    assert (blank, wrong) == ("", "entries/bea/bot.toml:1:9: owner: expected str, got int")
    assert unclear.startswith('entries/bea: no file tells what runs it; write `command = ["PROGRAM", "FILE"]` into bot')
    assert everything(contest) == before


def test_json_has_all_of_it(contest: Path) -> None:
    listing = json.loads(golfref("entries", "c.toml", "--json", cwd=contest, code=2)[0])

    ann, long = listing["entries"]
    assert (ann["name"], ann["build"][0], ann["built"], len(ann["version"])) == ("ann", "sh", None, 64)
    assert ann["check"] is None
    assert (long["name"], long["owner"], long["files"]) == (LONG, OWNER, 2)
    assert [broken["name"] for broken in listing["broken"]] == ["bea"]


RUN = """\
[tournament]
name = "friday"
seed = "abc"
deals = 1
isolation = "none"
[[variants]]
preset = "six-card"
options = { rounds = 1 }
[[bots]]
entries = "entries/*"
"""


def test_a_run_of_entries_is_amended_verified_and_played_again_by_the_version_that_played(tmp_path: Path) -> None:
    entries = tmp_path / "entries"
    for name in ("ann", "bea"):
        shutil.copytree(Path(__file__).parents[1] / "quick", entries / name)
    (tmp_path / "run.toml").write_text(RUN)
    golfref("tournament", "run.toml", cwd=tmp_path)
    played = json.loads(golfref("entries", "run.toml", "--json", cwd=tmp_path)[0])["entries"][0]["version"]

    with (entries / "ann/bot.sh").open("a") as file:
        file.write("exit 3\n")
    _, changed = golfref("tournament", "run.toml", cwd=tmp_path, code=2)
    said, _ = golfref("rerun", "run.golfref:0", "--bot", "ann", cwd=tmp_path)
    here, _ = golfref("rerun", "run.golfref:0", "--bot", "ann", "--dir", "entries/ann", cwd=tmp_path)
    golfref("tournament", "run.toml", "--amend", cwd=tmp_path)

    assert f"bot `ann`: replaced (version {played[:12]} -> " in changed
    assert f"/.golfref/versions/{played}/source" in said
    assert "answers are as recorded." in said
    assert f"in {entries / 'ann'}" in here
    verdict, _ = golfref("verify", "run.golfref", cwd=tmp_path)
    assert "all holds: 2 matches and 2 out of the standings replayed" in verdict
    with closing(Store.open(tmp_path / "run.golfref")) as store:
        assert [bot.dir for bot in store.meta().config.bots] == ["entries/ann", "entries/bea"]
