"""VectorEnv: its rows are matches of Env, also in copies."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, cast, get_type_hints

import numpy as np
import pytest
from numpy.typing import NDArray

from referee.research import Env, VectorEnv
from referee.rules.questions import IllegalAnswer

GAMES: dict[str, dict[str, Any]] = {
    "six-card": {"rounds": 1},
    "cactus": {"limit": 1},
    "powers": {"rounds": 1},
    "par-3": {"rounds": 1, "reward": "rounds"},
    "cambio": {"rounds": 2, "reward": "rounds"},
}
"""Games with their options, so that matches are short."""


def any_numbers(vector: VectorEnv, dice: Random) -> list[int]:
    return [dice.choice(mask.nonzero()[0].tolist()) for mask in vector.masks]


def check_against_alone(vector: VectorEnv, envs: list[Env]) -> None:
    """What the arrays say is what each environment says."""
    assert vector.seats_to_move.tolist() == [env.seat for env in envs]
    assert np.array_equal(vector.masks, [env.mask() for env in envs])
    assert np.array_equal(vector.observations, [env.codes() for env in envs])


@pytest.mark.parametrize("preset", GAMES)
def test_rows_are_the_matches_of_an_environment(preset: str) -> None:
    vector = VectorEnv(preset, 3, **GAMES[preset])
    envs = [Env(preset, **GAMES[preset]) for _ in range(3)]
    matches = [0, 0, 0]
    vector.reset("demo")
    for row, env in enumerate(envs):
        env.reset(f"demo/{row}/0")
    check_against_alone(vector, envs)
    dice = Random(1)  # noqa: S311 - no secret
    while min(matches) < 1:
        numbers = any_numbers(vector, dice)
        vector.step(numbers)
        for row, (env, number) in enumerate(zip(envs, numbers, strict=True)):
            env.step(number)
            assert vector.done[row] == (env.seat is None)
            assert vector.rewards[row].tolist() == pytest.approx(env.rewards())
            if env.seat is None:
                info = vector.infos[row]
                assert (info["totals"], info["ranks"]) == (env.result.totals, env.result.ranks)
                assert np.array_equal(info["final_obs"], [env.codes(seat) for seat in range(env.seats)])
                matches[row] += 1
                env.reset(f"demo/{row}/{matches[row]}")
        assert sorted(vector.infos) == np.flatnonzero(vector.done).tolist()
        check_against_alone(vector, envs)


def test_a_move_that_is_not_legal_changes_nothing() -> None:
    vector = VectorEnv("six-card", 3, rounds=1)
    with pytest.raises(LookupError, match="reset"):
        vector.step([0, 0, 0])
    vector.reset(1)
    before = vector.observations.copy()
    knock = int((~vector.masks[1]).argmax())
    with pytest.raises(IllegalAnswer, match=rf"row 1: seat 0 may not answer number {knock}; legal are 0, 1, 2"):
        vector.step([0, knock, 0])
    with pytest.raises(IllegalAnswer, match="row 2: seat 0 may not answer number -1"):
        vector.step([0, 0, -1])
    for wrong in ([0, 0], [0.0, 0.0, 0.0], 0):
        with pytest.raises(ValueError, match="numbers: expected 3 integers, got "):
            vector.step(wrong)  # type: ignore[arg-type]
    assert np.array_equal(vector.observations, before)
    vector.step([0, 0, 0])


def test_numbers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="count: expected at least one match, got 0"):
        VectorEnv("six-card", 0)
    with pytest.raises(ValueError, match=r"count: expected a whole number, got 2\.5"):
        VectorEnv("six-card", cast(Any, 2.5))
    vector: Any = VectorEnv("six-card", cast(Any, np.int64(2)), rounds=np.int64(1))
    for wrong in (None, 1.5, b"7", True, -1):
        with pytest.raises(ValueError, match="seed: expected a whole number from 0 on or a text, got "):
            vector.reset(wrong)


def test_type_checkers_know_what_the_arrays_hold() -> None:
    vector, known = VectorEnv("six-card", 1), get_type_hints(VectorEnv)
    for name in ("seats_to_move", "masks", "observations", "rewards", "done"):
        assert known[name] == NDArray[getattr(vector, name).dtype.type], name  # type: ignore[misc]


@pytest.mark.parametrize("copied", [deepcopy, lambda vector: pickle.loads(pickle.dumps(vector))])  # noqa: S301 - ours
def test_a_copy_stands_where_the_vector_stands_and_goes_on_by_itself(copied: Callable[[VectorEnv], VectorEnv]) -> None:
    vector, dice = VectorEnv("six-card", 4, 2, rounds=1), Random(1)  # noqa: S311 - no secret
    with pytest.raises(LookupError, match="no match has begun"):
        copied(vector).step([0, 0, 0, 0])
    vector.reset("demo")
    for _ in range(30):
        vector.step(any_numbers(vector, dice))
    other = copied(vector)
    for _ in range(60):
        for name in ("seats_to_move", "masks", "observations", "rewards", "done"):
            assert np.array_equal(getattr(vector, name), getattr(other, name)), name
        numbers, before = any_numbers(vector, dice), other.observations.copy()
        vector.step(numbers)
        assert np.array_equal(other.observations, before)
        other.step(numbers)
