"""What is kept of submissions, how many there may be, and whose they are."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.competition.history import (
    MOST_UNCHANGED,
    Outcome,
    Refused,
    Submission,
    add,
    lines,
    new_id,
    next_possible,
    told,
    versions_of,
)
from referee.competition.roster import Claims, owner_of
from referee.versions.store import VersionStore

NOON = datetime.fromisoformat("2026-11-23T12:00:00Z")


def line(hours: float, outcome: Outcome = "accepted", owner: str = "Ann", version: str = "a") -> Submission:
    """A submission of so many hours ago."""
    moment = NOON - timedelta(hours=hours)
    number = f"{told(moment)}-{outcome}-{version}"
    return Submission(
        id=number, time=told(moment), entry="bot", owner=owner, sender=owner, version=version, outcome=outcome
    )


def test_half_a_line_is_passed_over_and_none_is_written_twice(tmp_path: Path) -> None:
    versions = VersionStore(tmp_path)
    versions.folder.mkdir()
    add(versions, line(2))
    with (versions.folder / "submissions.jsonl").open("ab") as file:
        file.write(b'{"id": "half')
    add(versions, line(1))
    add(versions, line(1))

    assert lines(versions) == [line(2), line(1)]
    assert (versions.folder / "submissions.jsonl").read_bytes().count(b"\n") == 3


def test_what_changes_nothing_does_not_fill_the_history(tmp_path: Path) -> None:
    """An owner may hand in a version that is in place, or one too many, as often as it likes."""
    versions = VersionStore(tmp_path)
    versions.folder.mkdir()
    for number in range(MOST_UNCHANGED + 5):
        add(versions, line(1, "limited" if number % 2 else "same", version=str(number)))
    add(versions, line(1, "limited", owner="Bob"))
    add(versions, line(1, "refused"))
    add(versions, line(-25, "same"))

    kept = lines(versions)
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


# Whose a submission is: an entry keeps its owner unless the organiser says otherwise


NEW = Claims(by_config="", by_organiser="", sender="", said="", is_new=True, current="")
ANNS = replace(NEW, is_new=False, current="Ann")
NOBODYS = replace(NEW, is_new=False)


@pytest.mark.parametrize(
    ("claims", "owner"),
    [
        (NEW, ""),
        (replace(NEW, said="Ann"), "Ann"),
        (replace(NEW, sender="Ann"), "Ann"),
        (replace(NEW, sender="Ann", said="Ann"), "Ann"),
        (replace(NEW, by_organiser="Bob", said="Ann"), "Bob"),
        (replace(NEW, by_config="Bob", said="Ann"), "Bob"),
        (ANNS, "Ann"),
        (replace(ANNS, said="Ann", sender="Ann"), "Ann"),
        (replace(ANNS, by_organiser="Bob"), "Bob"),
        (replace(ANNS, by_config="Ann", said="Bob"), "Ann"),
        (NOBODYS, ""),
        (replace(NOBODYS, by_organiser="Ann"), "Ann"),
    ],
)
def test_an_owner_is_settled(claims: Claims, owner: str) -> None:
    assert owner_of("bot", claims) == owner


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        (replace(NEW, sender="Bob", said="Ann"), "it came from Bob"),
        (replace(ANNS, said="Bob"), "is Ann's, and its bot.toml says Bob"),
        (replace(ANNS, sender="Bob"), "is Ann's, and this came from Bob"),
        (replace(ANNS, sender="Bob", said="Ann"), "this came from Bob"),
        (replace(NOBODYS, sender="Bob"), "the organiser's own"),
        (replace(NOBODYS, said="Bob"), "the organiser's own"),
        (replace(ANNS, by_config="Ann", sender="Bob"), "by the organiser's config"),
        (replace(ANNS, by_config="Ann", by_organiser="Bob"), "`--owner` says Bob"),
    ],
)
def test_an_entry_is_not_taken_over(claims: Claims, words: str) -> None:
    with pytest.raises(Refused, match=words):
        owner_of("bot", claims)
