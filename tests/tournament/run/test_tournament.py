"""Whole tournaments through the command line, with real bots."""

import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.rules.record import Record
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
options = {{ rounds = 2 }}
[[variants]]
preset = "cactus"
name = "lottery"
seats = 3
options = {{ rounds = 3, slap_order = "lottery" }}
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


def run(folder: Path, *words: str, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "referee.cli", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout, done.stderr


def write(
    folder: Path, *, seed: str = 'seed = "abc"', jobs: int = 2, name: str = "small.toml", text: str = CONFIG
) -> None:
    (folder / name).write_text(text.format(seed=seed, jobs=jobs))


def results(path: Path) -> list[Any]:
    store = Store.open(path)
    try:
        return [msgspec.structs.replace(one, lag_us=0) for one in store.results()]
    finally:
        store.close()


TIMED = """
[tournament]
name = "timed"
seed = "abc"
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


def test_how_slaps_were_timed_stands_under_the_tables(tmp_path: Path) -> None:
    write(tmp_path, text=TIMED)
    assert "slaps: broadcast timing\n" in run(tmp_path, "tournament", "small.toml")[0]
    assert json.loads(run(tmp_path, "standings", "small.golfref", "--json")[0])["slap_timing"] == "broadcast"
    assert "all holds" in run(tmp_path, "verify", "small.golfref")[0]


def test_a_tournament_from_config_to_tables(tmp_path: Path) -> None:
    write(tmp_path)
    tables, progress = run(tmp_path, "tournament", "small.toml")
    assert f"{MATCHES} matches" in progress
    assert progress.index("commitment") < progress.index(f"{MATCHES}/{MATCHES} matches")
    for word in ("Standings", "six-card", "lottery", "match points", "strokes", "isolation limits", "digest", "key"):
        assert word in tables
    assert "slaps:" not in tables  # nothing is timed in these games
    assert run(tmp_path, "standings", "small.golfref")[0] == tables
    assert "all holds" in run(tmp_path, "verify", "small.golfref")[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.golfref", "small.toml"]
    assert stat.S_IMODE((tmp_path / "small.golfref").stat().st_mode) == 0o600


def test_the_json_document(tmp_path: Path) -> None:
    write(tmp_path)
    document = json.loads(run(tmp_path, "tournament", "small.toml", "--json")[0])
    assert document["name"] == "small"
    assert document["matches"] == MATCHES
    assert document["voided"] == 0
    assert sha256(bytes.fromhex(document["key"])).hexdigest() == document["commitment"]
    row = document["standings"][0]
    assert row["rank"] == 1
    assert {"bot", "match_points", "match_points_stderr", "strokes", "strokes_stderr", "matches"} < set(row)
    assert {"rounds", "firsts", "forfeits", "faults"} < set(row)
    assert set(document["variants"]) == {"six-card", "lottery"}
    assert document["crosstable"]["random"]["other"]["matches"] > 0
    assert sum(one["match_points"] for one in document["standings"]) == pytest.approx(1.5)


def test_the_json_tells_which_deal_of_the_plan_each_match_was(tmp_path: Path) -> None:
    """From its deal, and the key that is revealed in the same JSON, anybody derives the key of its cards."""
    write(tmp_path)
    run(tmp_path, "tournament", "small.toml")
    document = json.loads(run(tmp_path, "standings", "small.golfref", "--json")[0])
    blocks: dict[int, list[Any]] = {}
    with closing(Store.open(tmp_path / "small.golfref")) as store:
        for result in document["results"]:
            record = json.loads(store.record(result["number"]))
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
    assert told in run(tmp_path, "replay", f"small.golfref:{last['number']}")[0]


def test_results_do_not_depend_on_jobs(tmp_path: Path) -> None:
    """Deterministic bots, no timed slaps: the same seed gives the same schedule, deals, bots' seeds and results."""
    for jobs in (1, 3):
        write(tmp_path, jobs=jobs, name=f"jobs{jobs}.toml")
        run(tmp_path, "tournament", f"jobs{jobs}.toml")
    assert results(tmp_path / "jobs1.golfref") == results(tmp_path / "jobs3.golfref")


def test_without_a_seed_the_key_is_secret_and_new(tmp_path: Path) -> None:
    documents = []
    for name in ("one.toml", "two.toml"):
        write(tmp_path, seed="", name=name)
        documents.append(json.loads(run(tmp_path, "tournament", name, "--json")[0]))
    assert documents[0]["key"] != documents[1]["key"]
    assert all(len(bytes.fromhex(document["key"])) == 32 for document in documents)


def test_a_finished_run_is_only_shown_again(tmp_path: Path) -> None:
    write(tmp_path)
    first, _ = run(tmp_path, "tournament", "small.toml")
    again, progress = run(tmp_path, "tournament", "small.toml")
    assert again == first
    assert "every match of the plan is there: nothing is left to play" in progress
    assert f"{MATCHES} of {MATCHES} matches are there" in progress


def test_the_estimate_is_of_what_is_left(tmp_path: Path) -> None:
    write(tmp_path)
    assert "at a time; if bots answer at once, this takes about" in run(tmp_path, "tournament", "small.toml")[1]
    with closing(sqlite3.connect(tmp_path / "small.golfref")) as database, database:
        database.execute("DELETE FROM matches WHERE number > 14")
    dry = run(tmp_path, "tournament", "small.toml", "--dry-run")[1]
    assert f"the {MATCHES - 15} matches that are left take about" in dry
    progress = run(tmp_path, "tournament", "small.toml")[1]
    assert f"the {MATCHES - 15} matches that are left take about" in progress
    assert re.search(rf"^15/{MATCHES} matches, about \d+ s left; leading: \w+ 0", progress, re.MULTILINE)


def test_a_changed_config_is_refused_and_fresh_keeps_the_old_store(tmp_path: Path) -> None:
    write(tmp_path)
    first, _ = run(tmp_path, "tournament", "small.toml")
    write(tmp_path, seed='seed = "other"')
    _, refusal = run(tmp_path, "tournament", "small.toml", code=2)
    assert 'seed: "abc" -> "other"' in refusal
    assert "--fresh" in refusal
    run(tmp_path, "tournament", "small.toml", "--fresh")
    assert len(results(tmp_path / "small.golfref")) == MATCHES
    assert run(tmp_path, "standings", "small.golfref.old1")[0] == first


def test_a_dry_run_plays_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    out, progress = run(tmp_path, "tournament", "small.toml", "--dry-run")
    assert out == ""
    assert "about" in progress
    assert not (tmp_path / "small.golfref").exists()


def test_bots_that_do_not_start_are_reported_together(tmp_path: Path) -> None:
    broken = '[[bots]]\nname = "{name}"\ncommand = ["{python}", "-c", "raise SystemExit(\'{name} is broken\')"]\n'
    text = "".join(broken.format(name=name, python=sys.executable) for name in ("left", "right"))
    (tmp_path / "small.toml").write_text(CONFIG.format(seed="", jobs=1) + text)
    _, report = run(tmp_path, "tournament", "small.toml", code=1)
    for name in ("left", "right"):
        assert f"bot {name}: start_failed" in report
        assert f"| {name} is broken" in report
    assert not (tmp_path / "small.golfref").exists()


def test_what_was_tampered_with_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    run(tmp_path, "tournament", "small.toml")
    database = sqlite3.connect(tmp_path / "small.golfref")
    with database:
        (text,) = database.execute("SELECT result FROM matches WHERE number = 4").fetchone()
        result = json.loads(text)
        result["totals"][0] -= 5
        database.execute("UPDATE matches SET result = ? WHERE number = 4", (json.dumps(result),))
        database.execute("DELETE FROM matches WHERE number = 7")
    database.close()
    findings, _ = run(tmp_path, "verify", "small.golfref", code=1)
    assert "match 4: the result that the standings use is not the record's" in findings
    assert f"1 of {MATCHES} matches have no result yet" in findings


def test_a_single_match_of_a_run(tmp_path: Path) -> None:
    write(tmp_path)
    run(tmp_path, "tournament", "small.toml")
    assert "scores" in run(tmp_path, "replay", "small.golfref:3")[0]
    assert "all holds" in run(tmp_path, "verify", "small.golfref:3")[0]
    assert "after the colon, got x" in run(tmp_path, "replay", "small.golfref:x", code=2)[1]
    assert "give one of them" in run(tmp_path, "standings", "small.golfref", "--json", "--hashes", code=2)[1]
    (tmp_path / "empty.txt").touch()
    assert "empty.txt: no hashes in it" in run(tmp_path, "verify", "small.golfref", "--digest", "empty.txt", code=2)[1]
    assert "name one of its matches" in run(tmp_path, "replay", "small.golfref", code=2)[1]
    assert "there is no match 999" in run(tmp_path, "replay", "small.golfref:999", code=2)[1]


def test_every_rotation_of_a_block_has_the_same_cards(tmp_path: Path) -> None:
    write(tmp_path)
    run(tmp_path, "tournament", "small.toml")
    store = Store.open(tmp_path / "small.golfref")
    blocks: dict[int, list[Record]] = {}
    for result in store.results():
        record = msgspec.json.decode(store.record(result.number), type=Record)
        blocks.setdefault(result.block, []).append(record)
    store.close()
    for records in blocks.values():
        assert len({record.deal_key for record in records}) == 1
        assert len({record.rounds[0].deck for record in records}) == 1
        assert len({tuple(seat.name for seat in record.seats) for record in records}) == len(records)
        seeds = [seat.seed for record in records for seat in record.seats]
        assert len(set(seeds)) == len(seeds)


def test_a_store_is_a_single_file_for_its_owner(tmp_path: Path) -> None:
    write(tmp_path)
    run(tmp_path, "tournament", "small.toml", "--store", "elsewhere.db")
    assert sorted(os.listdir(tmp_path)) == ["elsewhere.db", "small.toml"]
