"""The tensor: what a seat may know, in fields that the page lists; test_resample.py holds that it has nothing else."""

from random import Random

import numpy as np
import pytest
from at_random import AtRandom
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from referee.film import knowledge as film
from referee.film.follower import Follower
from referee.film.reel import opened
from referee.research import Env
from referee.research.knowledge import Knowledge
from referee.rules.check_options import seat_problem
from referee.rules.variants import PRESETS


class Filmed:
    """Who knows what, as the film of a match tells it: by seat and for spectators (None)."""

    def __init__(self, env: Env) -> None:
        variant = env.variant
        self._env = env
        self._follower = Follower(seats=env.seats, rows=variant.rows, columns=variant.columns)
        self._at = 0
        self.sides: dict[int | None, film.Knowledge] = {
            viewer: film.Knowledge(viewer, env.seats) for viewer in (None, *range(env.seats))
        }

    def follow(self) -> None:
        events = self._env.game.events
        for number in range(self._at, len(events)):
            before = self._follower.view
            after = self._follower.follow(opened(events[number]))
            film.learn(list(self.sides.values()), number, events[number], before, after)
        self._at = len(events)

    def knows(self, viewer: int | None, of: int | None, target: tuple[int, int]) -> int | None:
        """Since when `of` knows a card, as the viewer can tell; None where it does not."""
        placed = self._follower.view.layouts[target[0]][target[1]]
        assert placed is not None
        known = self.sides[viewer].of(placed.number).get(of)
        return None if known is None else known.since


@pytest.mark.parametrize("preset", PRESETS)
@given(data=st.data())
@settings(max_examples=1)
def test_who_knows_which_card_is_followed_as_the_film_follows_it(preset: str, data: st.DataObject) -> None:
    variant, seats = data.draw(AtRandom().tables(preset))
    assume(seat_problem(variant, seats) is None)
    env = Env.of(variant, seats)
    env.reset(data.draw(st.integers(0, 9999)))
    dice, filmed, known = Random(env.seed), Filmed(env), Knowledge(env.game)  # noqa: S311 - no secret
    for _ in range(150):
        if env.seat is None:
            break
        env.step(dice.choice(env.numbers()))
        filmed.follow()
        known.follow()
        check_cards(env, filmed, dice.randrange(seats))
        layouts = env.game.table.layouts
        for owner, slot in [(owner, slot) for owner, layout in enumerate(layouts) for slot in range(len(layout))]:
            card = known.layouts[owner][slot]
            assert (card is None) == (layouts[owner][slot] is None)
            if card is None:
                continue
            for seat in range(seats):
                since = filmed.knows(seat, seat, (owner, slot))
                assert bool(card.by >> seat & 1) == (since is not None)
                assert card.since[seat] == (-1 if since is None else since)
                assert bool(card.seems >> seat & 1) == (filmed.knows(None, seat, (owner, slot)) is not None)


def check_cards(env: Env, filmed: Filmed, seat: int) -> None:
    """The tensor has the cards that the seat knows, and no other ones."""
    layouts = env.game.table.layouts
    field = next(field for field in env.fields if field.name == "layouts")
    shown = field.of(env.encode(seat))
    first = env.begun.page * env.actions.window if env.seat == seat else 0
    for place, slot in np.ndindex(shown.shape[:2]):
        owner = (seat + place) % env.seats
        lies = layouts[owner][first + slot] if layouts and first + slot < len(layouts[owner]) else None
        if lies is None:
            assert not np.delete(shown[place, slot], 5).any()  # a slot that a slap has emptied can be aimed at
            continue
        knows = filmed.knows(seat, seat, (owner, first + slot)) is not None
        kinds = np.flatnonzero(shown[place, slot, 6 + env.seats :])
        assert kinds.tolist() == ([env._tensors.kinds[lies.card]] if knows else [])
        assert shown[place, slot, :3].tolist() == [1.0, lies.up, knows]


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
