"""Copies of an environment: they stand alike, have the same future chance, and go their own ways."""

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wandering import dice, moves_of, wander

from protocol.actions import Copy
from referee.research import Env
from referee.rules.variants import PRESETS


def stands(env: Env) -> Any:
    """What can be told of an environment."""
    told = [env.lines(seat) for seat in range(env.seats)]
    return told, env.seat, env.numbers(), env.begun, list(env.history), env.rewards(), env.game.table.layouts


@pytest.mark.parametrize("preset", PRESETS)
@given(seed=st.integers(0, 2**32), before=st.integers(0, 150), reads=st.booleans())
@settings(max_examples=1)
def test_a_clone_and_a_pickled_copy_of_it_have_the_same_future(
    preset: str, seed: int, before: int, reads: bool
) -> None:
    env = Env(preset, reward="rounds")
    env.reset(seed)
    wander(env, dice(seed), before)
    if reads:
        env.observe(0)
    first = env.clone()
    second = pickle.loads(pickle.dumps(first))  # noqa: S301 - made here
    as_it_stood = stands(env)
    assert stands(first) == stands(second) == as_it_stood
    wander(first, dice(1), 40)
    assert stands(env) == stands(second) == as_it_stood
    wander(env, dice(1), 40)
    wander(second, dice(1), 40)
    assert stands(first) == stands(env) == stands(second)


def until(env: Env, decision: str, answered: int = 0) -> None:
    """Play on to a question of this kind to which so many seats have answered already."""
    chance = dice(decision)
    while env.ask is None or env.ask.decision != decision or env.game.question is None or env.seat != answered:
        wander(env, chance, 1, haste=0.3)


def test_clones_between_the_sealed_answers_of_one_window_settle_it_apart() -> None:
    env = Env("cactus", seats=3)
    env.reset(5)
    until(env, "slap", answered=1)
    clone = env.clone()
    while clone.ask is not None and clone.ask.decision == "slap":
        clone.step(clone.numbers()[0])
    assert env.ask is not None
    assert (env.ask.decision, env.seat) == ("slap", 1)
    while env.ask.decision == "slap":
        env.step(env.numbers()[0])
    assert stands(env) == stands(clone)


def test_a_clone_in_the_middle_of_the_copies_of_a_2_goes_on_with_them() -> None:
    env = Env("powers", seats=2)
    env.reset("a 2")
    until(env, "pick2", answered=0)
    env.step(next(move for move in moves_of(env).values() if isinstance(move, Copy) and move.power != "Q"))
    assert env.ask is not None
    assert env.ask.decision == "power"  # what the copied power is aimed at
    clone = env.clone()
    wander(env, dice(7), 60)
    wander(clone, dice(7), 60)
    assert stands(env) == stands(clone)


def test_nothing_can_be_cloned_before_a_match_begins() -> None:
    with pytest.raises(LookupError, match="reset"):
        Env("six-card").clone()
    with pytest.raises(LookupError, match="no match has begun"):
        pickle.loads(pickle.dumps(Env("six-card"))).numbers()  # noqa: S301 - made here
