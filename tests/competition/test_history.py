"""What is kept of submissions: how many there may be, and which versions were in place."""

from datetime import datetime, timedelta
from pathlib import Path

from referee.competition.submissions.history import (
    MOST_UNCHANGED,
    Outcome,
    Submission,
    add,
    lines,
    new_id,
    next_possible,
    told,
    versions_of,
)
from referee.entries.shelf import Shelf

NOON = datetime.fromisoformat("2026-11-23T12:00:00Z")


def line(hours: float, outcome: Outcome = "accepted", owner: str = "Ann", version: str = "a") -> Submission:
    """A submission of so many hours ago."""
    moment = NOON - timedelta(hours=hours)
    number = f"{told(moment)}-{outcome}-{version}"
    return Submission(id=number, time=told(moment), entry="bot", owner=owner, version=version, outcome=outcome)


def test_half_a_line_is_passed_over_and_none_is_written_twice(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.folder.mkdir()
    add(shelf, line(2))
    with (shelf.folder / "submissions.jsonl").open("ab") as file:
        file.write(b'{"id": "half')
    add(shelf, line(1))
    add(shelf, line(1))

    assert lines(shelf) == [line(2), line(1)]
    assert (shelf.folder / "submissions.jsonl").read_bytes().count(b"\n") == 3


def test_what_changes_nothing_does_not_fill_the_history(tmp_path: Path) -> None:
    """An owner may hand in a version that is in place, or one too many, as often as it likes."""
    shelf = Shelf(tmp_path)
    shelf.folder.mkdir()
    for number in range(MOST_UNCHANGED + 5):
        add(shelf, line(1, "limited" if number % 2 else "same", version=str(number)))
    add(shelf, line(1, "limited", owner="Bob"))
    add(shelf, line(1, "refused"))
    add(shelf, line(-25, "same"))

    kept = lines(shelf)
    assert len(kept) == MOST_UNCHANGED + 3
    assert [one.outcome for one in kept[-3:]] == ["limited", "refused", "same"]


def test_an_owner_may_hand_in_so_often_within_24_hours() -> None:
    history = [line(30), line(20), line(10, "refused"), line(5, "same"), line(4, "limited"), line(3, owner="Bob")]

    assert next_possible(history, "Ann", 3, NOON) is None
    assert next_possible(history, "Ann", 2, NOON) == NOON + timedelta(hours=4)
    assert next_possible(history, "Ann", 1, NOON) == NOON + timedelta(hours=14)
    assert next_possible(history, "Bob", 2, NOON) is None


def test_versions_that_were_in_place_are_told_in_their_order() -> None:
    history = [
        line(9, "found", version="a"),
        line(8, version="b"),
        line(7, "refused", version="c"),
        line(6, "restored", version="a"),
    ]

    assert versions_of(history, "bot") == ["b", "a"]
    assert versions_of(history, "other") == []


def test_two_at_one_moment_have_two_ids() -> None:
    first = new_id([], NOON)
    second = new_id([Submission(id=first, time=told(NOON), entry="bot", outcome="same")], NOON)

    assert first != second
    assert first.startswith("20261123-120000")
