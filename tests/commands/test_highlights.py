"""`golfref highlights`: what it prints of a real run, and what it says of runs that have nothing to show."""

import re
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from commands import golfref
from exported import made_up_run

from referee.commands.recorded.records import open_match
from referee.commands.runs.highlights import RunHighlights
from referee.match_states.replay import Replay

COMMAND = re.compile(r"^    golfref replay '?(run\.golfref:\d+)'? --at (\S+)$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made_up_run(tmp_path, ["six-card"], deals=2)
    return tmp_path


def found(folder: Path, *options: str) -> RunHighlights:
    out, _ = golfref("highlights", "run.golfref", "--json", *options, cwd=folder)
    return msgspec.json.decode(out, type=RunHighlights)


def test_the_list_has_a_sentence_and_a_command_for_each_moment(folder: Path) -> None:
    out, _ = golfref("highlights", "run.golfref", "--limit", "2", cwd=folder)
    told = found(folder, "--limit", "2")

    words = " ".join(out.split())
    assert all(one.sentence in words for one in told.highlights)
    assert [f"{where}" for where, _ in COMMAND.findall(out)] == [f"run.golfref:{one.match}" for one in told.highlights]
    assert max(map(len, out.splitlines())) <= 80
    for place, moment in COMMAND.findall(out):
        assert moment in {step.at for step in Replay(open_match(str(folder / place)).record()).steps}


def test_kinds_and_numbers_can_be_chosen(folder: Path) -> None:
    chosen = found(folder, "--kind", "closest-finish", "--limit", "1")

    assert [one.kind for one in chosen.highlights] == ["closest-finish"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run.golfref", "--kind", "hand"), "--kind: there is no kind hand; expected one of upset, comeback"),
        (("run.golfref", "--variant", "six"), "no game six is played in this run; its games are six-card"),
        (("run.golfref:3",), "run.golfref:3 is one match; name the whole run: run.golfref"),
        (("none.golfref",), "none.golfref: no such store"),
        (("notes.txt",), "notes.txt: not a golfref store"),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(folder: Path, words: tuple[str, ...], told: str) -> None:
    (folder / "notes.txt").write_text("nothing")

    out, err = golfref("highlights", *words, cwd=folder, code=2)

    assert (out, told in err) == ("", True), err


def test_highlights_need_no_replay(tmp_path: Path) -> None:
    made_up_run(tmp_path, ["cactus"])
    with closing(sqlite3.connect(tmp_path / "run.golfref")) as store, store:
        for id_, packed in store.execute("SELECT id, record FROM records").fetchall():
            broken = zlib.decompress(packed).replace(b'"kind":"draw"', b'"kind":"knock"')
            store.execute("UPDATE records SET record = ? WHERE id = ?", [zlib.compress(broken), id_])

    assert {one.kind for one in found(tmp_path).highlights} == {"closest-finish", "wrong-slap"}


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ((b'"rounds":[{"raw"', b'"rounds":[],"_":[{"raw"'), "the result in the record of match #5 is damaged"),
        ((b'{"owner":1,"round":1', b'{"owner":1,"round":9'), "the result in the record of match #5 is damaged"),
        ((b'"result":{', b'"result":7,"_":{'), "the record of match #5 is damaged (Expected `object`, got `int`"),
    ],
)
def test_a_damaged_result_is_a_sentence(tmp_path: Path, damage: tuple[bytes, bytes], problem: str) -> None:
    made_up_run(tmp_path, ["cactus"])
    with closing(sqlite3.connect(tmp_path / "run.golfref")) as store, store:
        ((packed,),) = store.execute("SELECT record FROM records WHERE id = 5")
        data = zlib.decompress(packed)
        assert damage[0] in data
        store.execute("UPDATE records SET record = ? WHERE id = 5", [zlib.compress(data.replace(*damage, 1))])

    _, err = golfref("highlights", "run.golfref", cwd=tmp_path, code=2)

    assert problem in err


def test_replay_knows_the_moments_of_a_match(folder: Path) -> None:
    """Where there is no terminal, that is said; a moment that is not there is said first."""
    _, wrong = golfref("replay", "run.golfref:0", "--at", "r9t9", cwd=folder, code=2)
    _, right = golfref("replay", "run.golfref:0", "--at", "r1t2", cwd=folder, code=2)

    assert "--at: this match has no moment r9t9; expected one such as r1t2 (round 1, turn 2) or r1t" in wrong
    assert "--at" not in right
