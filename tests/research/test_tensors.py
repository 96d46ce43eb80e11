"""The tensor: what a seat may know, in fields that the page lists; test_resample.py holds that it has nothing else."""

from random import Random

import numpy as np
import pytest
from at_random import AtRandom
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protocol.cards import rank
from protocol.events import Looked
from referee.match_states.follower import Follower
from referee.match_states.view import View
from referee.research import Env
from referee.rules.check_options import seat_problem
from referee.rules.variants import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=1)
def test_a_tensor_has_the_cards_that_the_seat_can_follow_by_its_events_and_no_other_ones(
    preset: str, data: st.DataObject
) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    env = Env.of(variant, seats)
    env.reset(data.draw(st.integers(0, 9999)))
    dice, seat, told = Random(env.seed), data.draw(st.integers(0, seats - 1)), 0  # noqa: S311 - no secret
    follower = Follower(seats=seats, rows=variant.rows, columns=variant.columns)
    for _ in range(150):
        if env.seat is None:
            break
        env.step(dice.choice(env.numbers()))
        for event in env.game.seen(seat, told):
            follower.follow(event)
        told = len(env.game.events)
        check_cards(env, follower.view, seat)


def check_cards(env: Env, seen: View, seat: int) -> None:
    field = next(field for field in env.fields if field.name == "layouts")
    shown = field.of(env.encode(seat))
    first = env.begun.page * env.actions.window if env.seat == seat else 0
    for place, slot in np.ndindex(shown.shape[:2]):
        owner, number = (seat + place) % env.seats, first + slot
        layout = env.game.table.layouts[owner] if env.game.table.layouts else []
        lies, placed = (side[number] if number < len(side) else None for side in (layout, seen.layouts[owner]))
        if lies is None or placed is None:
            assert lies is placed
            assert not np.delete(shown[place, slot], 5).any()  # a slot that a slap has emptied can be aimed at
            continue
        card = seen.known.get(placed.number)
        kinds = np.flatnonzero(shown[place, slot, 6 + env.seats :])
        assert kinds.tolist() == ([] if card is None else [env._tensors.kinds[card]])
        assert shown[place, slot, :3].tolist() == [1.0, lies.up, card is not None]


@pytest.mark.parametrize("preset", PRESETS)
def test_tensors_are_within_their_bounds_and_their_fields_cover_them(preset: str) -> None:
    env, dice = Env(preset), Random(preset)  # noqa: S311 - no secret
    env.reset(1)
    tensors = [env.encode(seat) for seat in range(env.seats)]
    while env.seat is not None:
        env.step(dice.choice(env.numbers()))
        tensors += [env.encode(seat) for seat in range(env.seats)]

    together = np.array(tensors)
    assert together.dtype == np.float32
    assert together.shape[1:] == env.tensor_shape
    assert np.abs(together).max() == 1.0
    assert [field.start for field in env.fields[1:]] == [field.stop for field in env.fields[:-1]]
    assert env.fields[-1].stop == env.tensor_shape[0]
    named = {field.name: field.of(together) for field in env.fields}
    assert (named["one"] == 1.0).all()
    assert (named["turn"].sum(axis=1) == 1.0).all()
    assert (named["decision"].sum(axis=1) <= 1.0).all()
    assert named["layouts"].shape == (len(tensors), *next(f.shape for f in env.fields if f.name == "layouts"))


def test_the_kinds_of_cards_are_public_in_the_order_of_the_tensor() -> None:
    env = Env("four-card")
    assert [card for kind in env.kinds for card in kind if env._tensors.kinds[card] != env.kinds.index(kind)] == []
    assert [{rank(card) for card in kind} for kind in env.kinds] == [
        {one} for one in ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
    ]


def test_a_tensor_tells_what_the_seat_sees() -> None:
    env = Env("cambio", 2, deals="keyed")
    env.reset("seen")
    fields = {field.name: field for field in env.fields}
    table = env.game.table

    cards = fields["layouts"].of(env.encode(0))
    known = cards[0, :, 2]

    assert known.tolist() == [0.0, 0.0, 1.0, 1.0]  # the near row, at which it has looked
    assert cards[1, :, 2].tolist() == [0.0] * 4
    assert cards[:, :, 0].tolist() == [[1.0] * 4] * 2
    assert cards[1, 2, 6:8].tolist() == [0.0, 1.0]  # seat 1 knows its card
    looked = [isinstance(event, Looked) for event in env.game.events].index(True)
    assert cards[0, 2:, 3].tolist() == pytest.approx([(len(env.game.events) - looked) / 40] * 2)
    kinds = env._tensors.kinds
    for slot in (2, 3):
        lies = table.layouts[0][slot]
        assert lies is not None
        assert cards[0, slot, 8 + kinds[lies.card]] == 1.0
    assert fields["unseen"].of(env.encode(0)).sum() > 0
    assert fields["top"].of(env.encode(1))[kinds[table.pile[-1]]] == 1.0
    assert env.seat == 1
    env.step(env.move(0))
    assert fields["hand_of"].of(env.encode(0)).tolist() == [0.0, 1.0]
    assert fields["hand"].of(env.encode(0)).sum() == 0.0
    assert fields["hand"].of(env.encode(1)).sum() == 1.0
