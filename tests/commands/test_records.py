"""How records, matches and bots are named on the command line, and what is said where there is no such thing."""

from pathlib import Path

import pytest
from commands import golfref
from old_records import LINES

from referee.commands.records import seat_of
from referee.rules.record import NoRecord


def test_a_file_that_holds_no_record_is_not_said_to_hold_games(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import json\nprint(json)\n")
    _, said = golfref("replay", "bot.py", cwd=tmp_path, code=2)
    assert said.startswith("golfref: bot.py: not a golfref record: ")


def test_a_bot_goes_by_its_name_or_else_by_its_seat() -> None:
    names = ["ann", "2", "ann#2", "bob"]

    assert [seat_of(names, bot, "m.jsonl") for bot in ("ann", "ann#2", "2", "3")] == [0, 2, 1, 3]
    assert seat_of(["alone"], None, "m.jsonl") == 0


@pytest.mark.parametrize(
    ("names", "bot", "said"),
    [
        (["ann", "bob"], None, "say whose match with --bot, by a name or a seat: 0 ann, 1 bob"),
        (["ann", "bob"], "cid", "cid did not play in this match; its seats are 0 ann, 1 bob"),
        (["ann", "bob"], "2", "2 did not play in this match; its seats are 0 ann, 1 bob"),
        (["ann", "bob"], "9" * 5000, "did not play in this match"),
        (["twin", "ann", "twin"], "twin", "twin sat on the seats 0, 2; say which with --bot SEAT"),
    ],
)
def test_a_bot_that_cannot_be_meant(names: list[str], bot: str | None, said: str) -> None:
    with pytest.raises(NoRecord) as raised:
        seat_of(names, bot, "m.jsonl")
    assert said in str(raised.value)


@pytest.mark.parametrize("command", ["replay", "transcript", "verify"])
def test_a_record_that_is_cut_in_the_middle_is_told_so(command: str, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes(LINES[0][:3000])
    words = ["cut.jsonl", *(["--bot", "0"] if command == "transcript" else [])]

    _, said = golfref(command, *words, cwd=tmp_path, code=2)
    assert "not a golfref record: Input data was truncated; it is cut off, " in said
    assert "so that the rest of the match is lost; if it is a copy, copy it again" in said
