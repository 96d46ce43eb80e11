"""What a step shows on the terminal, as each viewer may know it."""

import pytest
from msgspec.structs import replace
from recorded_matches import BY_PRESET
from states_shown import states

from referee.match_states.documents import documents
from referee.match_states.replay import Replay
from referee.match_states.step_view import StepView
from referee.match_states.view import OPEN
from referee.rules.record import BrokenRecord
from referee.rules.variants import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
def test_the_terminal_draws_other_cards_than_stand_in_the_document_of_the_viewer(preset: str) -> None:
    record, viewers = BY_PRESET[preset], (None, 0, OPEN)
    replay = Replay(record)
    for viewer, made in zip(viewers, documents(record, viewers), strict=True):
        for step, state in zip(replay.steps, states(made), strict=True):
            table = StepView(replay, step.number, viewer).table
            drawn = [[placed and table.known.get(placed.number) for placed in layout] for layout in table.layouts]
            assert drawn == [[slot and slot.card for slot in seat.slots] for seat in state.seats]


def test_a_record_that_is_cut_off_is_shown() -> None:
    record = BY_PRESET["cactus"]
    half = replace(record, moves=record.moves[: len(record.moves) // 2])
    with pytest.raises(BrokenRecord):
        Replay(half)


def test_a_seat_is_told_times_or_the_public_none() -> None:
    replay = Replay(BY_PRESET["cactus"])
    public, own = (
        [line for step in replay.steps for line in StepView(replay, step.number, viewer).notes] for viewer in (None, 0)
    )
    assert {"answered in", "slapped in"} <= {" ".join(line.split()[1:3]) for line in public}
    assert not any(" in " in line for line in own)
