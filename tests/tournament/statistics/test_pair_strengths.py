"""How strong bots are, for drawings: exact cases of the model, and what the figures do not depend on."""

from math import exp

import pytest

from referee.tournament.plan.meetings import Pair, Score
from referee.tournament.statistics.pair_strengths import pair_strengths


def score(matches: int, halves: int) -> Score:
    return Score(matches=matches, halves=halves)


def test_two_bots_with_three_wins_of_four() -> None:
    """The strength s and its opposite solve 3 - 4 / (1 + exp(-2 s)) = s."""
    found = pair_strengths({("a", "b"): score(4, 6)}, ["a", "b"])
    strength = found["a"].strength

    assert found["b"].strength == -strength
    assert 3 - 4 / (1 + exp(-2 * strength)) == pytest.approx(strength, abs=2e-6)


def test_bots_that_did_the_same_are_equal_to_the_digit() -> None:
    circle = {("a", "b"): score(2, 4), ("b", "c"): score(2, 4), ("a", "c"): score(2, 0)}

    assert {one.strength for one in pair_strengths(circle, "abcd").values()} == {0.0}


def test_who_beat_the_stronger_bot_is_stronger() -> None:
    scores = {("a", "b"): score(9, 18), ("a", "x"): score(2, 2), ("b", "y"): score(2, 2)}
    found = pair_strengths(scores, "abxy")

    assert found["a"].strength > found["x"].strength > found["y"].strength > found["b"].strength


def test_bots_that_are_gone_count_and_are_not_told() -> None:
    scores: dict[Pair, Score] = {("a", "old"): score(4, 8), ("b", "old"): score(4, 0)}
    found = pair_strengths(scores, ["a", "b"])

    assert [*found] == ["a", "b"]
    assert found["a"].strength > 0 > found["b"].strength


def test_more_matches_leave_less_doubt() -> None:
    few, many = (pair_strengths({("a", "b"): score(n, n)}, ["a", "b", "new"]) for n in (4, 400))

    assert few["new"].stderr == many["new"].stderr == 1.0
    assert many["a"].stderr < few["a"].stderr < 1.0


def test_without_matches_all_bots_are_equally_strong() -> None:
    assert [one.strength for one in pair_strengths({}, ["a", "b"]).values()] == [0.0, 0.0]
