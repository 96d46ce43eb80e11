"""`golfref replay`, `transcript` and `verify` of files of records: which match, who sees what, what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import golfref

from referee.commands.recorded.records import seat_of
from referee.rules.record import NoRecord

BOTS = ("--bot", "builtin:random", "--bot", "builtin:random")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a file with three matches."""
    folder = tmp_path_factory.mktemp("played")
    cactus = ("match", "--variant", "cactus", "-o", "rounds=1", "--games", "3")
    golfref(*cactus, *BOTS, "--seed", "s", "--record", "m.jsonl", cwd=folder)
    return folder


def changed(played: Path, folder: Path, change: Any) -> None:
    """Write a file with the last match changed, after the first one and half of one."""
    lines = (played / "m.jsonl").read_text().splitlines()
    record = json.loads(lines[2])
    change(record)
    (folder / "changed.jsonl").write_text("\n".join([lines[0], "{", json.dumps(record)]))


def swap_cards(record: Any) -> None:
    deck = record["rounds"][0]["deck"]
    deck[0], deck[-1] = deck[-1], deck[0]


def lower_a_total(record: Any) -> None:
    record["result"]["totals"][0] -= 1


@pytest.mark.parametrize(
    ("change", "finding"),
    [(swap_cards, "round 1: the deck is not the one"), (lower_a_total, "the record claims otherwise")],
)
def test_every_match_of_a_file_is_verified(played: Path, tmp_path: Path, change: Any, finding: str) -> None:
    assert golfref("verify", "m.jsonl", cwd=played)[0] == "m.jsonl: all holds: 3 matches replayed\n"

    changed(played, tmp_path, change)
    broken, wrong, *_, verdict = golfref("verify", "changed.jsonl", cwd=tmp_path, code=1)[0].splitlines()

    assert broken.startswith("changed.jsonl:1: not a golfref record")
    assert wrong.startswith("changed.jsonl:2: ")
    assert finding in wrong
    assert verdict.startswith("changed.jsonl: ")


def test_a_replay_names_the_game_of_the_file_and_shows_a_seat_only_what_it_saw(played: Path) -> None:
    public, note = golfref("replay", "m.jsonl", cwd=played)
    assert public.splitlines()[1] == "game 0 of m.jsonl, which holds games 0 to 2"
    assert note == "note: m.jsonl holds 3 games, and this is the first; the next is m.jsonl:1\n"
    assert golfref("transcript", "m.jsonl", "--bot", "0", cwd=played)[1] == note

    public, note = golfref("replay", "m.jsonl:1", cwd=played)
    own, _ = golfref("replay", "m.jsonl:1", "--seat", "1", cwd=played)
    assert (public.splitlines()[1], note) == ("game 1 of m.jsonl, which holds games 0 to 2", "")
    assert public.count(" a hidden card") > own.count(" a hidden card") > 0


def test_a_file_that_holds_no_record_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import json\nprint(json)\n")

    said = golfref("replay", "bot.py", cwd=tmp_path, code=2)[1]
    assert said.startswith("golfref: bot.py: not a golfref record: ")
    assert "not a golfref record" in golfref("verify", "bot.py", cwd=tmp_path, code=2)[1]
    assert "cannot be read" in golfref("replay", "nothing.json", cwd=tmp_path, code=2)[1]
    assert "no such store" in golfref("standings", "nothing.golfref", cwd=tmp_path, code=2)[1]


def test_all_commands_of_a_run_print_the_same_of_a_file_of_records(played: Path) -> None:
    commands = [("standings",), ("compare",), ("highlights",), ("watch",), ("export", "--table", "seats")]
    said = {golfref(*words, "m.jsonl", cwd=played, code=2)[1] for words in commands}

    assert said == {next(iter(said))}
    assert said.pop().startswith("golfref: m.jsonl: not a golfref store, but JSON: records of matches, ")


@pytest.mark.parametrize("command", ["replay", "transcript", "verify"])
def test_a_record_that_is_cut_off_is_told_as_such(command: str, played: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes((played / "m.jsonl").read_bytes()[:3000])
    words = ["cut.jsonl", *(["--bot", "0"] if command == "transcript" else [])]

    _, said = golfref(command, *words, cwd=tmp_path, code=2)
    assert "not a golfref record: Input data was truncated; it is cut off, " in said
    assert "so that the rest of the match is lost; if it is a copy, copy it again" in said


def test_a_bot_goes_by_its_name_or_else_by_its_seat() -> None:
    names = ["ann", "2", "ann#2", "bob"]

    assert [seat_of(names, bot, "m.jsonl") for bot in ("ann", "ann#2", "2", "3")] == [0, 2, 1, 3]
    assert seat_of(["alone"], None, "m.jsonl") == 0


@pytest.mark.parametrize(
    ("names", "bot", "said"),
    [
        (["ann", "bob"], None, "say whose match with --bot, by a name or a seat: 0 ann, 1 bob"),
        (["ann", "bob"], "cid", "cid did not play in this match; its seats are 0 ann, 1 bob"),
        (["ann", "bob"], "9" * 5000, "did not play in this match"),
        (["twin", "ann", "twin"], "twin", "twin sat on the seats 0, 2; say which with --bot SEAT"),
    ],
)
def test_a_bot_that_cannot_be_meant(names: list[str], bot: str | None, said: str) -> None:
    with pytest.raises(NoRecord) as raised:
        seat_of(names, bot, "m.jsonl")
    assert said in str(raised.value)
