"""The states documents of a match, and the small additions that make a seat's document out of the public one."""

from typing import Any

import pytest
from old_records import BY_PRESET

from referee.film.documents import additions, changed, changes_between, document, plain
from referee.film.film import OPEN, Film
from referee.film.states import Document
from referee.rules.book.presets import PRESETS


def states(one: Document) -> list[Any]:
    """The state after each step, as plain data."""
    state, found = plain(one.start), []
    for step in one.steps:
        state = changed(state, step.changes)
        found.append(state)
    return found


def test_changes_name_what_is_set_and_nothing_else() -> None:
    before = {"pile": [1, 2], "hand": None, "seats": [{"total": 0}, {"total": 4}]}
    after = {"pile": [1, 2, 3], "hand": None, "seats": [{"total": 0}, {"total": 9}]}

    changes = tuple(changes_between(before, after))

    assert changes == ((("pile",), [1, 2, 3]), (("seats", 1, "total"), 9))
    assert changed(before, changes) == after


@pytest.mark.parametrize("preset", PRESETS)
def test_additions_make_a_seats_document_out_of_the_public_one(preset: str) -> None:
    record = BY_PRESET[preset]
    film = Film(record)
    public = document(record, film, None)
    for viewer in (0, OPEN):
        own = document(record, film, viewer)
        more = {one.step: one for one in additions(public, own).more}
        state: Any = plain(own.start)
        for number, (shared, step, expected) in enumerate(zip(public.steps, own.steps, states(own), strict=True)):
            extra = more.get(number)
            state = changed(changed(state, shared.changes), extra.changes if extra else ())
            assert state == expected
            assert (extra.words if extra and extra.words is not None else shared.words) == step.words


@pytest.mark.parametrize("preset", ["cactus", "powers"])
def test_moments_have_names_of_their_own(preset: str) -> None:
    steps = document(BY_PRESET[preset], Film(BY_PRESET[preset]), None).steps
    names = [step.at for step in steps]

    assert len(set(names)) == len(names)
    assert "r1t1" in names
