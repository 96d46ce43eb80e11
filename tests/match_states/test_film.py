"""A film of a match shows at every event what lies there, as each viewer may know it."""

import pytest
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from protocol import events as wire
from referee.match_states.film import Film
from referee.match_states.view import OPEN, View
from referee.rules.record import BrokenRecord, walk
from referee.rules.variants import PRESETS


def cards(view: View) -> list[list[str | None]]:
    return [[None if placed is None else view.known.get(placed.number) for placed in layout] for layout in view.layouts]


@pytest.mark.parametrize("preset", PRESETS)
def test_open_cards_are_what_lies_there(preset: str) -> None:
    record = BY_PRESET[preset]
    film = Film(record)
    ends = [number for number, frame in enumerate(film.frames) if isinstance(frame.event, wire.Showdown)]
    assert ends
    for number, view in enumerate(film.view(one, OPEN) for one in range(len(film))):
        known = cards(view)
        assert all((card is None) == (placed is None) for row, layout in zip(known, view.layouts, strict=True)
                   for card, placed in zip(row, layout, strict=True)), number  # fmt: skip
    told = [event for frame in film.frames if (event := frame.event) is not None]
    *_, (game, _) = walk(record)
    assert told == list(game.events)


@pytest.mark.parametrize("preset", PRESETS)
def test_nobody_is_shown_more_than_the_open_cards_and_the_public_least(preset: str) -> None:
    film = Film(BY_PRESET[preset])
    for number in range(0, len(film), 7):
        everything = cards(film.view(number, OPEN))
        public = cards(film.view(number, None))
        for seat in range(len(film.names)):
            seen = cards(film.view(number, seat))
            for all_row, row, public_row in zip(everything, seen, public, strict=True):
                for card, known, shown in zip(all_row, row, public_row, strict=True):
                    assert known in (None, card)
                    assert shown in (None, known)


def test_a_record_that_is_cut_off_has_no_film() -> None:
    record = BY_PRESET["cactus"]
    half = replace(record, moves=record.moves[: len(record.moves) // 2])
    with pytest.raises(BrokenRecord):
        Film(half)


def test_times_and_slaps_stand_beside_the_events_but_not_for_a_seat() -> None:
    film = Film(BY_PRESET["cactus"])
    public = [line for number in range(len(film)) for line in film.words(number, None)]
    assert any("answered in" in line for line in public)
    assert not any("answered in" in line for number in range(len(film)) for line in film.words(number, 0))
