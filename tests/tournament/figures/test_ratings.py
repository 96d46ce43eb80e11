"""Strengths of bots, against scipy and by hand, and what must hold for any matches."""

from collections.abc import Iterable, Sequence
from itertools import chain, combinations, pairwise
from math import exp, log, sqrt
from random import Random

import numpy as np
import pytest
from made_up_runs import made_up_result
from numpy.typing import NDArray
from scipy.optimize import minimize

from referee.tournament.figures.blocks import BlockTable, table_of
from referee.tournament.figures.means import LEAST_BLOCKS, t_quantile
from referee.tournament.figures.ratings import Chance, RatedBots, Rating, chances_of, ratings_of
from referee.tournament.figures.strengths import strengths_of
from referee.tournament.plan.meetings import Pair, Score
from referee.tournament.results import Result


def block(deal: int, variant: str = "six", **ranks: int) -> list[Result]:
    """All rotations of a deal, each with these ranks, by bot."""
    match = made_up_result(tuple(ranks), tuple(ranks.values()), game=variant, block=deal, deal=deal)
    return [match] * len(ranks)


def flat(blocks: Iterable[Sequence[Result]]) -> list[Result]:
    return list(chain.from_iterable(blocks))


def some_results() -> list[Result]:
    """Tables of two to four, with ties, three deals each."""
    dice = Random(7)  # noqa: S311 - a test that can be told again
    tables = [bots for size in (2, 3, 4) for bots in combinations("abcde", size)]
    return [
        made_up_result(bots, [dice.randrange(3) for _ in bots], game="six", block=3 * number + deal, deal=deal)
        for number, bots in enumerate(tables)
        for deal in range(3)
        for _ in bots
    ]


def strengths(results: Iterable[Result], names: Iterable[str]) -> dict[str, float]:
    found = RatedBots(table_of(results), list(names)).strength
    return {name: found[name] for name in names}


def test_strengths_are_those_of_a_logistic_regression() -> None:
    """Of all pairs of all blocks, with half a win and half a loss against 0, found by scipy instead of Newton."""
    table = table_of(some_results())

    def loss(x: NDArray[np.float64]) -> float:
        total = float(np.log1p(np.exp(-x)).sum() + np.log1p(np.exp(x)).sum()) / 2
        for _, part in table.all_parts():
            bots = part.lineups[part.lineup]
            gaps = x[bots[:, part.pairs[:, 0]]] - x[bots[:, part.pairs[:, 1]]]
            total += float((part.ahead * np.log1p(np.exp(-gaps)) + (1 - part.ahead) * np.log1p(np.exp(gaps))).sum())
        return total

    expected = minimize(loss, np.zeros(5), tol=1e-10).x
    assert list(RatedBots(table, "abcde").strength.values()) == pytest.approx(list(expected), abs=1e-4)


def test_the_order_of_matches_has_no_influence() -> None:
    results = some_results()
    shuffled = results.copy()
    Random(1).shuffle(shuffled)  # noqa: S311 - a test that can be told again
    assert strengths(results, "abcde") == strengths(shuffled, "abcde")


def test_bots_that_did_the_same_are_as_strong_to_the_last_digit() -> None:
    """Each beat the next of a circle, but for one that lost to all and one that has not played."""
    circle = [block(0, a=1, b=2), block(1, b=1, c=2), block(2, c=1, a=2)]
    found = strengths(flat([*circle, block(3, a=1, d=2), block(4, b=1, d=2), block(5, c=1, d=2)]), "abcde")
    assert found["a"] == found["b"] == found["c"] > 0 == found["e"] > found["d"]


def test_a_bot_that_wins_everything_has_the_strength_of_half_a_loss() -> None:
    """The likelihood of x is 2 log p(x - y) + half a win and half a loss of both, and y = -x."""
    found = strengths(flat([block(0, a=1, b=2), block(1, a=1, b=2)]), "ab")
    x = found["a"]
    assert found["b"] == -x
    win, middle = 1 / (1 + exp(-2 * x)), 1 / (1 + exp(-x))
    assert 2 * (1 - win) + 0.5 * (1 - middle) - 0.5 * middle == pytest.approx(0, abs=1e-5)


def test_a_game_of_many_deals_weighs_as_much_as_one_of_few() -> None:
    """The opposite results in both, but ten times as often in one."""
    few = [block(deal, "four", a=1 + (deal > 0), b=1 + (deal == 0)) for deal in range(3)]
    many = [block(deal, "nine", a=1 + (deal % 3 == 0), b=1 + (deal % 3 > 0)) for deal in range(30)]
    assert strengths(flat([*few, *many]), "ab") == {"a": 0.0, "b": 0.0}


def test_bots_that_are_gone_count_as_opponents_and_are_not_listed() -> None:
    """Each beat a bot of its own; that of b was the stronger one."""
    gone = [block(0, strong=1, weak=2), block(1, strong=1, weak=2)]
    found = strengths(flat([*gone, block(2, a=1, weak=2), block(3, b=1, strong=2)]), "ab")
    assert found["b"] > found["a"]


def rated(results: Iterable[Result], names: str, anchor: str | None = None) -> tuple[str, dict[str, Rating]]:
    """The anchor, and the rating of each bot."""
    ratings = ratings_of(table_of(results), names.split(), anchor)
    assert ratings is not None
    return ratings.anchor, {row.bot: row for row in (*ratings.bots, *ratings.former)}


def test_an_interval_of_two_bots_by_hand() -> None:
    """Eve wins 7 of 10 blocks. With x her strength less ann's, all is a function of x, for both lie as far from 0."""
    _, found = rated(flat(block(deal, eve=1 + (deal >= 7), ann=1 + (deal < 7)) for deal in range(10)), "eve ann", "ann")
    x = found["eve"].strength
    p, q = 1 / (1 + exp(-x)), 1 / (1 + exp(-x / 2))
    assert 7 * (1 - p) - 3 * p + (1 - q) / 2 - q / 2 == pytest.approx(0, abs=1e-5), "the likelihood is greatest here"
    curvature = 10 * p * (1 - p) + q * (1 - q) / 2
    of_blocks = 10 / 9 * (7 * (1 - p) ** 2 + 3 * p**2)
    of_pseudo = 0.5**2 * 2 * ((1 - q) ** 2 + q**2) / 4
    stderr = sqrt(of_blocks + of_pseudo) / curvature
    assert found["eve"].strength_stderr == pytest.approx(stderr, abs=2e-6)
    assert found["eve"].chance == pytest.approx(p, abs=1e-6)
    ends = [x + sign * t_quantile(9) * stderr for sign in (-1, 1)]
    assert found["eve"].chance_interval == pytest.approx([1 / (1 + exp(-end)) for end in ends], abs=2e-6)
    assert found["ann"].chance_interval is None
    assert (found["ann"].chance, found["ann"].rank, found["ann"].rank_from, found["ann"].rank_to) == (0.5, 2, 1, 2)


def test_a_bot_that_wins_everything_has_an_interval_that_ends_below_certainty() -> None:
    _, found = rated(flat(block(deal, eve=1, ann=2) for deal in range(20)), "eve ann", "ann")
    low, high = found["eve"].chance_interval or (0, 0)
    assert 0.5 < low < 0.95 < high < 1
    assert (found["eve"].rank_to, found["ann"].rank_from) == (1, 2)


def test_the_anchor_is_the_bot_in_the_middle_where_none_is_named() -> None:
    pairs = combinations("abcde", 2)
    results = flat(block(number, "six", **{one: 1, other: 2}) for number, (one, other) in enumerate(pairs))
    assert rated(results, "e d c b a")[0] == "c"
    assert rated(results, "e d c b a x")[0] == "c", "x has not played"
    assert rated(results, "a b c d e", "d")[0] == "d"


def test_what_is_not_known_is_none() -> None:
    """Few blocks say little of how much results vary, and no match says nothing at all."""
    few = [block(deal, ann=1, bea=2) for deal in range(LEAST_BLOCKS - 1)]
    _, found = rated(flat([*few, block(9, ann=1, former=2)]), "ann bea cid", "bea")
    assert (found["ann"].chance_interval, found["ann"].strength_stderr) == (None, None)
    assert found["ann"].chance is not None
    assert (found["cid"].chance, found["cid"].rank) == (None, None)
    assert (found["former"].rank, found["former"].blocks) == (None, 1)
    assert ratings_of(BlockTable(), ["ann"]) is None


def test_bots_that_never_met_are_compared_by_those_whom_both_met() -> None:
    """Ann wins three of four against bea, and bea as often against cid: so the odds of ann and cid are about nine."""
    results = flat(
        block(400 * number + deal, "six", **{first: 1 + (deal % 4 == 0), second: 1 + (deal % 4 > 0)})
        for number, (first, second) in enumerate(pairwise(("ann", "bea", "cid")))
        for deal in range(400)
    )
    _, found = rated(results, "ann bea cid", "cid")
    assert found["ann"].strength == pytest.approx(log(9), abs=0.02)
    assert [found[bot].rank_to for bot in ("ann", "bea", "cid")] == [1, 2, 3]


def test_two_bots_are_compared_by_all_blocks_and_corrected_for_all_pairs() -> None:
    table = table_of(some_results())
    ratings = ratings_of(table, "abcde", "a")
    neighbours = chances_of(table, "abcde")
    assert ratings is not None
    assert [(row.bot, row.other) for row in neighbours] == list(pairwise(row.bot for row in ratings.bots))
    every = chances_of(table, "abcde", list(combinations("abcde", 2)))
    least = min(every, key=lambda row: row.p or 1)
    assert least.p_of_all == pytest.approx(min(1, 10 * (least.p or 0)), abs=1e-5)
    (looked,) = chances_of(table, "abcde", [(least.bot, least.other)], looks=3)
    assert looked.p == pytest.approx(min(1, 3 * (least.p or 0)), abs=1e-8)


def test_a_pair_is_settled_by_as_many_matches_as_were_forecast() -> None:
    """Ann wins six of ten blocks, and goes on so. What settles it in 4 of 5 runs is more than what just does."""

    def after(deals: int) -> Chance:
        blocks = (block(deal, ann=1 + (deal % 10 > 5), bea=2 - (deal % 10 > 5)) for deal in range(deals))
        (chance,) = chances_of(table_of(flat(blocks)), ["ann", "bea"])
        return chance

    times = after(30).times
    assert times is not None
    assert 4 < times < 10
    assert after(30 * times).is_sure
    assert after(30 * times).times is None
    assert not after(30 * times // 3).is_sure


def test_equal_bots_are_never_settled() -> None:
    table = table_of(flat(block(deal, ann=1 + deal % 2, bea=2 - deal % 2) for deal in range(20)))
    assert [one.times for one in chances_of(table, ["ann", "bea"])] == [None]


# Strengths for drawings, which know only who met whom


def test_strengths_from_sums_over_pairs_are_those_from_blocks() -> None:
    """All matches of one game and size weigh the same in both."""
    results = [one for one in some_results() if len(one.bots) == 2]
    scores: dict[Pair, Score] = {}
    for one in results[::2]:  # both rotations of a block ended alike or not: a block is their mean
        scores.setdefault((one.bots[0], one.bots[1]), Score())
    for one in results:
        score = scores[one.bots[0], one.bots[1]]
        score.matches += 1
        score.ahead += 0.5 if one.ranks[0] == one.ranks[1] else one.ranks[0] < one.ranks[1]
    halved = {pair: Score(matches=one.matches // 2, ahead=one.ahead / 2) for pair, one in scores.items()}
    found = {bot: one.strength for bot, one in strengths_of(halved, "abcde").items()}
    assert found == pytest.approx(strengths(results, "abcde"), abs=1e-6)


def test_bots_that_are_gone_count_for_drawings_and_are_not_listed() -> None:
    scores = {("a", "old"): Score(matches=4, ahead=4), ("b", "old"): Score(matches=4, ahead=0)}
    found = strengths_of(scores, ["a", "b"])
    assert [*found] == ["a", "b"]
    assert found["a"].strength > 0 > found["b"].strength


def test_more_matches_leave_less_doubt_for_drawings() -> None:
    few, many = (strengths_of({("a", "b"): Score(matches=n, ahead=n / 2)}, ["a", "b", "new"]) for n in (4, 400))
    assert few["new"].stderr == many["new"].stderr == 2.0
    assert {one.strength for one in strengths_of({}, ["a", "b"]).values()} == {0.0}
    assert many["a"].stderr < few["a"].stderr < 2.0
