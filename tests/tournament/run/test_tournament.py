"""Whole tournaments through the command line, with real bots."""

import json
import os
import re
import shutil
import stat
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from forging import cut
from made_once import made_once
from measured import unmeasured

from referee.tournament.plan.keys import deal_key
from referee.tournament.store.store import Store

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }}
[tournament]
name = "small"
{seed}
seats = 2
deals = 2
jobs = {jobs}
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
[[variants]]
preset = "cactus"
name = "lottery"
seats = 3
options = {{ rounds = 1, slap_order = "lottery" }}
[[bots]]
builtin = "random"
[[bots]]
builtin = "random"
name = "other"
[[bots]]
builtin = "random"
name = "third"
"""

MATCHES = 3 * 2 * 2 + 1 * 3 * 2
"""Line-ups times rotations times deals, of both variants."""


def write(
    folder: Path, *, seed: str = 'seed = "abc"', jobs: int = 2, name: str = "small.toml", text: str = CONFIG
) -> None:
    (folder / name).write_text(text.format(seed=seed, jobs=jobs))


def results(path: Path) -> list[Any]:
    store = Store.open(path)
    try:
        return list(map(unmeasured, store.results()))
    finally:
        store.close()


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A folder in which the tournament of CONFIG was played, what it printed and what it said meanwhile."""

    def make(folder: Path) -> None:
        write(folder)
        tables, said = golfref("tournament", "small.toml", cwd=folder)
        (folder / "tables").write_text(tables)
        (folder / "said").write_text(said)

    folder = made_once(tmp_path_factory, "small", make)
    tables, said = ((folder / name).read_text() for name in ("tables", "said"))
    for name in ("tables", "said"):
        (folder / name).unlink()
    return folder, tables, said


@pytest.fixture
def played(once: tuple[Path, str, str], tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(once[0], tmp_path / "played"))


TIMED = """
[tournament]
name = "timed"
rotations = "fresh"
deals = 1
isolation = "none"
[time]
slap_timing = "broadcast"
move_s = 60
slap_s = 10
[[variants]]
preset = "cactus"
options = {{ rounds = 1 }}
[[bots]]
builtin = "random"
[[bots]]
builtin = "random"
name = "other"
"""


def test_a_tournament_from_config_to_tables(once: tuple[Path, str, str]) -> None:
    folder, tables, progress = once
    assert f"{MATCHES} matches" in progress
    assert progress.index("commitment") < progress.index(f"{MATCHES}/{MATCHES} matches")
    for word in ("Standings", "six-card", "lottery", "match points", "isolation limits", "digest", "key"):
        assert word in tables
    assert "slaps:" not in tables  # nothing is timed in these games
    assert golfref("standings", "small.golfref", cwd=folder, alone=True)[0] == tables
    assert "all holds" in golfref("verify", "small.golfref", cwd=folder, alone=True)[0]
    assert sorted(path.name for path in folder.iterdir()) == ["small.golfref", "small.toml"]
    assert stat.S_IMODE((folder / "small.golfref").stat().st_mode) == 0o600


def test_the_matches_of_a_bot_are_listed_worst_first_with_its_slaps(played: Path) -> None:
    rows = json.loads(golfref("standings", "small.golfref", "--bot", "third", "--json", cwd=played)[0])["matches"]
    of_bot = [result for result in results(played / "small.golfref") if "third" in result.bots]
    assert sorted(row["match"] for row in rows) == [result.number for result in of_bot]
    assert [row["beaten"] for row in rows] == sorted(row["beaten"] for row in rows)
    slaps = {row["variant"]: row["actions"].get("slaps") for row in rows}
    assert (slaps["six-card"], slaps["lottery"] is None) == (None, False)

    table, said = golfref("standings", "small.golfref", "--bot", "third", cwd=played)
    assert "right  wrong" in table[table.index("Takes from the pile") : table.index("Matches of")]
    worst = rows[0]
    assert "; the other bots have " in " ".join(table.split())
    assert "third and its neighbours among 3 bots\n\nrank  bot " in table
    assert "third by game\n\ngame      rank " in table
    own = table[table.index("Matches of third") :].splitlines()
    below_titles = 1 + next(number for number, line in enumerate(own) if line.startswith("---"))
    assert own[below_titles].split()[:3] == [str(worst["match"]), worst["variant"], str(worst["seat"])]
    assert said == f"to read on: golfref replay small.golfref:{worst['match']} --seat {worst['seat']}\n"
    _, problem = golfref("standings", "small.golfref", "--bot", "thrid", cwd=played, code=2)
    assert "no bot thrid plays in this run; did you mean third?" in problem


def test_one_game_and_a_few_lines_can_be_asked_for(played: Path) -> None:
    game = golfref("standings", "small.golfref", "--variant", "lottery", cwd=played)[0]
    assert game.startswith("Standings in lottery, by match points\n\nrank  bot ")
    document = json.loads(golfref("standings", "small.golfref", "--variant", "lottery", "--json", cwd=played)[0])
    assert [row["matches"] for row in document["standings"]] == [6, 6, 6]
    brief = golfref("standings", "small.golfref", "--brief", cwd=played)[0]
    verdict = brief.rpartition("\n\n")[2]
    assert golfref("standings", "small.golfref", cwd=played)[0].endswith(f"\n\n{verdict}")
    assert len(brief.splitlines()) <= 24
    assert brief.startswith("small: ")
    problem = golfref("standings", "small.golfref", "--variant", "lotery", cwd=played, code=2)[1]
    assert "no game lotery is played in this run; did you mean lottery?" in problem


def test_the_json_document_tells_which_deal_of_the_plan_each_match_was(played: Path) -> None:
    """From its deal, and the key that is revealed in the same JSON, anybody derives the key of its cards."""
    document = json.loads(golfref("standings", "small.golfref", "--json", cwd=played)[0])
    assert sha256(bytes.fromhex(document["key"])).hexdigest() == document["commitment"]
    assert set(document["variants"]) == {"six-card", "lottery"}
    assert sum(one["match_points"] for one in document["standings"]) == pytest.approx(1.5)
    blocks: dict[int, list[Any]] = {}
    with closing(Store.open(played / "small.golfref")) as store:
        for result in document["results"]:
            record = json.loads(store.record(result["id"]))
            key = deal_key(bytes.fromhex(document["key"]), result["variant"], result["bots"], result["deal"])
            assert record["deal_key"] == key.hex()
            blocks.setdefault(result["block"], []).append(result)
    for block in blocks.values():
        assert [result["rotation"] for result in block] == list(range(len(block[0]["bots"])))
        for result in block:
            seats = block[0]["bots"]
            assert result["bots"] == seats[result["rotation"] :] + seats[: result["rotation"]]
            assert result["deal"] == block[0]["deal"]
    assert {result["deal"] for result in document["results"]} == {0, 1}
    last = document["results"][-1]
    told = f"block {last['block']}, deal {last['deal']}, rotation {last['rotation']}"
    assert told in golfref("replay", f"small.golfref:{last['match']}", cwd=played)[0]


def test_a_finished_run_is_only_shown_again(once: tuple[Path, str, str]) -> None:
    folder, first, _ = once
    again, progress = golfref("tournament", "small.toml", cwd=folder)
    assert again == first
    assert f"{MATCHES} of {MATCHES} matches are there, so none is left to play" in progress
    assert "about" not in progress


def test_the_estimate_is_of_what_is_left(once: tuple[Path, str, str], played: Path) -> None:
    assert "at a time\nif bots answer at once, this takes about" in once[2]
    cut(played / "small.golfref", 15)
    progress = golfref("tournament", "small.toml", cwd=played)[1]
    assert f"what is left ({MATCHES - 15} matches) takes about" in progress
    assert re.search(rf"^15/{MATCHES} matches, about \d+ s left; leading: \w+ 0", progress, re.MULTILINE)


def test_a_changed_config_is_refused_and_fresh_keeps_the_old_store(once: tuple[Path, str, str], played: Path) -> None:
    write(played, seed='seed = "other"')
    _, refusal = golfref("tournament", "small.toml", code=2, cwd=played)
    assert 'seed: "abc" -> "other"' in refusal
    assert "--fresh" in refusal
    golfref("tournament", "small.toml", "--fresh", cwd=played)
    assert len(results(played / "small.golfref")) == MATCHES
    assert results(played / "small.golfref.old1") == results(once[0] / "small.golfref")


def test_a_dry_run_plays_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    out, progress = golfref("tournament", "small.toml", "--dry-run", cwd=tmp_path)
    assert out == ""
    assert "about" in progress
    assert not (tmp_path / "small.golfref").exists()


def test_bots_that_do_not_start_are_reported_together(tmp_path: Path) -> None:
    broken = '[[bots]]\nname = "{name}"\ncommand = ["{python}", "-c", "raise SystemExit(\'{name} is broken\')"]\n'
    text = "".join(broken.format(name=name, python=sys.executable) for name in ("left", "right"))
    (tmp_path / "small.toml").write_text(CONFIG.format(seed="", jobs=1) + text)
    _, report = golfref("tournament", "small.toml", code=1, cwd=tmp_path)
    for name in ("left", "right"):
        assert f"bot {name}: start_failed" in report
        assert f"| {name} is broken" in report
    assert not (tmp_path / "small.golfref").exists()


def test_a_single_match_of_a_run(played: Path) -> None:
    assert "scores" in golfref("replay", "small.golfref:3", cwd=played)[0]
    assert "all holds" in golfref("verify", "small.golfref:3", cwd=played)[0]
    assert "after the colon, got x" in golfref("replay", "small.golfref:x", code=2, cwd=played)[1]
    assert (
        "--json has no effect with it"
        in golfref("standings", "small.golfref", "--json", "--hashes", code=2, cwd=played)[1]
    )
    (played / "empty.txt").touch()
    assert (
        "empty.txt: no hashes in it"
        in golfref("verify", "small.golfref", "--digest", "empty.txt", code=2, cwd=played)[1]
    )
    assert "name one of its matches" in golfref("replay", "small.golfref", code=2, cwd=played)[1]
    assert (
        f"there is no match 999; it has {MATCHES} matches, from 0 to {MATCHES - 1}"
        in golfref("replay", "small.golfref:999", code=2, cwd=played)[1]
    )


def test_timed_slaps_fresh_cards_and_a_secret_key_in_a_store_elsewhere(tmp_path: Path) -> None:
    """The run says so wherever it is described, and whoever has the key derives every deal."""
    write(tmp_path, text=TIMED)
    tables, said = golfref("tournament", "small.toml", "--store", "elsewhere.db", cwd=tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["elsewhere.db", "small.toml"]
    assert "slaps: broadcast timing, " in tables
    assert "rotations fresh: each match has cards of its own\n" in said
    assert "rotations fresh: each match has cards of its own\n" in tables
    assert "all holds" in golfref("verify", "elsewhere.db", cwd=tmp_path)[0]
    document = json.loads(golfref("standings", "elsewhere.db", "--json", cwd=tmp_path)[0])
    assert (document["slap_timing"], document["rotations"]) == ("broadcast", "fresh")
    secret = bytes.fromhex(document["key"])
    keys = set()
    with closing(Store.open(tmp_path / "elsewhere.db")) as store:
        for result in document["results"]:
            key = deal_key(secret, result["variant"], result["bots"], result["deal"], (result["rotation"],))
            assert json.loads(store.record(result["id"]))["deal_key"] == key.hex()
            keys.add(key)
    assert (len(keys), len(secret)) == (2, 32)
