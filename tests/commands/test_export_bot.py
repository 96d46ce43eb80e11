"""All matches of one bot for its author: which he may have while the run goes on, and what reads the file."""

import sqlite3
from pathlib import Path

import pytest
from commands import golfref
from made_once import made_once
from two_deals import two_deals

from referee.reports.bot_match import BotMatch, read_bot_match


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of a finished run of two deals, with two rotations each: the matches 0 and 1, 2 and 3."""
    store = made_once(tmp_path_factory, "exported", two_deals) / "run.golfref"
    (tmp_path / "run.golfref").write_bytes(store.read_bytes())
    return tmp_path


def take_out(run: Path, statement: str) -> None:
    with sqlite3.connect(run / "run.golfref") as store:
        store.execute(statement)
    store.close()


def exported(run: Path, bot: str = "ann") -> list[BotMatch]:
    golfref("export", "run.golfref", "--bot", bot, "-o", f"{bot}.jsonl", cwd=run)
    lines = (run / f"{bot}.jsonl").read_bytes().splitlines()
    (run / f"{bot}.jsonl").unlink()
    return [read_bot_match(line) for line in lines]


def numbers(matches: list[BotMatch]) -> set[int | None]:
    return {match.place.match for match in matches if match.place}


def test_after_a_run_an_author_has_all_his_matches(run: Path) -> None:
    matches = exported(run)

    assert numbers(matches) == {0, 1, 2, 3}
    assert {match.bot for match in matches} == {"ann"}
    assert {match.seat for match in matches} == {0, 1}
    said, _ = golfref(
        "replay",
        "run.golfref:3",
        "--seat",
        str(next(m.seat for m in matches if m.place and m.place.match == 3)),
        cwd=run,
    )
    golfref("export", "run.golfref", "--bot", "ann", "-o", "ann.jsonl.gz", cwd=run)
    assert golfref("replay", "ann.jsonl.gz:3", cwd=run)[0] == said
    text, _ = golfref("transcript", "run.golfref:3", "--bot", "ann", cwd=run)
    assert golfref("transcript", "ann.jsonl.gz:3", cwd=run)[0] == text


def test_while_a_run_goes_on_the_matches_so_far_are_given_to_the_author(run: Path) -> None:
    take_out(run, "DELETE FROM places WHERE number = 3")

    _, said = golfref("export", "run.golfref", "--bot", "ann", "-o", "ann.jsonl", cwd=run)
    assert said == "3 matches of ann in ann.jsonl\n"


def test_nothing_of_the_other_bot_or_of_the_keys_is_in_the_file(run: Path) -> None:
    golfref("export", "run.golfref", "--bot", "ann", "-o", "ann.jsonl", cwd=run)
    text = (run / "ann.jsonl").read_text()

    assert "of bob" not in text
    with sqlite3.connect(run / "run.golfref") as store:
        (key,) = store.execute("SELECT master_key FROM secret").fetchone()
    store.close()
    assert key not in text


def test_what_cannot_be_exported_is_said_in_a_sentence(run: Path) -> None:
    def refused(*words: str) -> str:
        return golfref("export", *words, cwd=run, code=2)[1]

    assert refused("run.golfref", "--bot", "anne", "-o", "x") == (
        "golfref: run.golfref: no bot anne plays in this run; did you mean ann?\n"
    )
    take_out(run, "DELETE FROM places")
    _, said = golfref("export", "run.golfref", "--bot", "ann", "-o", "x", cwd=run, code=1)
    assert said == "golfref: ann has played no match so far; nothing was written\n"
    assert not (run / "x").exists()


def test_a_file_that_holds_one_bots_matches_is_asked_for_no_other(run: Path) -> None:
    golfref("export", "run.golfref", "--bot", "ann", "-o", "ann.jsonl", cwd=run)
    seat = str(1 - read_bot_match((run / "ann.jsonl").read_bytes().splitlines()[0]).seat)

    def refused(*words: str) -> str:
        return golfref(*words, cwd=run, code=2)[1]

    assert "this file has only what ann (seat " in refused("transcript", "ann.jsonl", "--bot", "bob")
    assert "this file has only what ann (seat " in refused("replay", "ann.jsonl", "--seat", seat)
    assert "ann.jsonl holds no match 77; it holds 0, 1, 2, 3" in refused("transcript", "ann.jsonl:77")
    cut = (run / "ann.jsonl").read_bytes()[:3000]
    (run / "cut.jsonl").write_bytes(cut)
    assert "the file is cut off: have it exported again" in refused("replay", "cut.jsonl")
