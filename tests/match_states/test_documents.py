"""The states documents of a match: what the rules' table holds, as each viewer may know it, and who knows what."""

import msgspec
import pytest
from at_random import AtRandom
from made_up_records import made_up
from msgspec.structs import replace
from recorded_matches import BY_PRESET
from states_shown import states

from referee.match_states.documents import document, documents
from referee.match_states.states import Knows
from referee.match_states.view import OPEN
from referee.rules.check_options import with_options
from referee.rules.record import Forfeit, Given, GivenSlaps, Mishap, Record, walk
from referee.rules.variants import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
def test_a_step_is_missing_or_two_have_one_name(preset: str) -> None:
    record = BY_PRESET[preset]
    steps = document(record, None).steps
    *_, (game, _) = walk(record)

    assert [step.event for step in steps] == [event.__struct_config__.tag for event in game.events]
    assert len({step.at for step in steps}) == len(steps)


def test_a_document_has_the_wire_of_another_seat() -> None:
    public, own, everything = documents(BY_PRESET["cactus"], [None, 1, OPEN])

    assert [[one.seat for one in made.wires] for made in (public, own, everything)] == [[], [1], [0, 1, 2]]


@pytest.mark.parametrize("preset", PRESETS)
def test_at_a_showdown_layouts_are_worth_another_number_than_they_score(preset: str) -> None:
    found, checked = states(made := document(BY_PRESET[preset], OPEN)), 0
    for number, step in enumerate(made.steps):
        if step.event == "scored":
            shown, scored = found[number - 1], found[number]
            assert [seat.worth for seat in shown.seats] == [seat.score for seat in scored.seats]
            assert all(seat.worth is None for seat in scored.seats)
            checked += 1
    assert checked == len(made.rounds) == len(BY_PRESET[preset].result.rounds)


def test_a_seat_that_looked_at_a_card_is_not_listed_as_one_that_knows_it() -> None:
    found = states(made := document(BY_PRESET["cactus"], None))
    number = next(number for number, step in enumerate(made.steps) if step.event == "looked")
    seat = made.steps[number].seat
    assert seat is not None
    slots = found[number].seats[seat].slots

    assert made.steps[number].cards == ((seat, 2), (seat, 3))
    assert [slot.knows for slot in slots if slot] == [(), (), *[(Knows(seat, number, "looked"),)] * 2]
    assert all(slot.card is None for slot in slots if slot)


def test_times_of_a_window_are_missing_or_stand_in_the_document_of_another_viewer() -> None:
    record = timed(BY_PRESET["cactus"])
    public, own, everything = documents(record, [None, 1, OPEN])
    moves = [move for move in record.moves if isinstance(move, GivenSlaps)]
    told = everything.windows

    assert len(told) == len(moves) > 0
    for window, move in zip(told, moves, strict=True):
        lots = [seat for seat in move.lots if seat != window.discarder] + [window.discarder]
        assert [seat for group in window.groups for seat in sorted(group, key=lots.index)] == list(move.order)
        assert [one.corrected_us for one in window.reactions] == [one.corrected_us for one in move.reactions]
    assert not any(one.reactions or one.groups or one.asked for one in public.windows)
    assert {one.seat for window in own.windows for one in window.reactions} == {1}
    assert [window.slaps for window in public.windows] == [window.slaps for window in told]


def timed(record: Record) -> Record:
    """The record with measured times in all windows: the seats that slapped 200 microseconds after one another."""
    moves = [_timed(move) if isinstance(move, GivenSlaps) else move for move in record.moves]
    return replace(record, moves=tuple(moves))


def _timed(move: GivenSlaps) -> GivenSlaps:
    order = move.order
    reactions = tuple(
        replace(one, corrected_us=100.0 + (200 * order.index(one.seat) if one.seat in order else 0))
        for one in move.reactions
    )
    return replace(move, reactions=reactions)


def test_an_answer_is_missing_or_stands_at_another_step() -> None:
    record = BY_PRESET["six-card"]
    public, own, everything = documents(record, [None, 2, OPEN])
    steps = everything.steps
    answers = [(step, one) for step in steps for one in step.answers]

    given = [
        one for move in record.moves for one in ([move] if isinstance(move, Given) else getattr(move, "answers", []))
    ]
    assert [(one.seat, one.action, one.time_us) for _, one in answers] == [
        (one.seat, one.action, one.time_us) for one in given
    ]
    assert all(one.seat == step.seat for step, one in answers if step.event == "drew" and one.decision == "turn")
    assert {one.seat for step in own.steps for one in step.answers} == {2}
    assert not any(step.answers for step in public.steps)


def test_a_fault_shows_where_programs_lie_on_the_organisers_host() -> None:
    record = BY_PRESET["cactus"]
    detail = (
        "cannot start /home/organiser/bots/faulty: [Errno 2] No such file or directory: '/home/organiser/bots/faulty'"
    )
    forfeit = Forfeit(seat=0, fault=Mishap(kind="start_failed", detail=detail))
    made = documents(replace(record, moves=(*record.moves[:1], forfeit, *record.moves[1:])), [None, OPEN])

    encoded = msgspec.json.encode(made).decode()
    assert encoded.count("its program cannot be started: No such file or directory") == 2, "the answer and the wire"
    assert "/home/organiser" not in encoded


def test_a_power_is_named_without_what_it_does(at_random: AtRandom) -> None:
    record = made_up(with_options("powers", {"rounds": 2, "turn_cap": 12}), 3, 221, at_random)
    told = {step.power: step.words[1] for step in document(record, None).steps if step.event == "power"}

    assert told["6"] == "    The power of a 6: swap one of your cards with an opponent's, unseen."
    assert len(told) > 5


def test_a_hole_is_named_without_its_par() -> None:
    made = document(BY_PRESET["par-course"], None)
    deals = [made.steps[hole.first] for hole in made.rounds]

    assert [step.words[1] for step in deals] == [f"    Hole {hole.round}, par {hole.par}." for hole in made.rounds]
    assert {hole.par for hole in made.rounds} == {3, 4}
    assert {hole.par for hole in document(BY_PRESET["cactus"], None).rounds} == {None}


def test_with_open_cards_a_card_is_called_hidden(at_random: AtRandom) -> None:
    powers = made_up(with_options("powers", {"rounds": 2, "turn_cap": 12}), 3, 221, at_random)
    steps = [step for record in (powers, BY_PRESET["par-course"]) for step in document(record, OPEN).steps]
    words = [step.words[0] for step in steps if step.event in {"lines_swapped", "swapped_own", "arranged"}]

    assert {step.event for step in steps} > {"lines_swapped", "swapped_own", "arranged"}
    assert not [line for line in words if "?" in line or "hidden" in line or "those of" in line]
