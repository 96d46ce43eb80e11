"""Strengths of bots, against what R's package PlackettLuce (0.4.5) gives, and what must hold for any matches."""

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import exp, log, sqrt
from random import Random

import pytest
from made_up_runs import made_up_result

from referee.tournament.plan.meetings import Pair, Score
from referee.tournament.results import Result
from referee.tournament.statistics import plackett_luce
from referee.tournament.statistics.pair_strengths import pair_strengths
from referee.tournament.statistics.plackett_luce import model_of
from referee.tournament.statistics.rankings import Matches
from referee.tournament.statistics.ratings import Chance, Rating, chances, ratings_of, strengths
from referee.tournament.statistics.student import quantile


def match(deal: int, variant: str = "six", **ranks: int) -> Result:
    """A match with these ranks, by bot."""
    return made_up_result(tuple(ranks), tuple(ranks.values()), game=variant, block=deal, deal=deal)


FRUIT = [
    match(0, apple=1, banana=2),
    match(0, banana=1, orange=2, pear=3, apple=4),
    match(0, banana=1, orange=1, pear=1, apple=4),
    match(1, apple=1, banana=2, orange=3),
    match(1, banana=1, orange=1, apple=3),
    match(0, apple=1, pear=2, orange=3),
]
"""The example of the package's own pages: ties of two and of three, tables of two to four."""

PUDDINGS = {
    ("p1", "p2"): (19, 22, 16), ("p1", "p3"): (16, 19, 12), ("p2", "p3"): (19, 19, 10), ("p1", "p4"): (18, 23, 13),
    ("p2", "p4"): (23, 19, 9), ("p3", "p4"): (19, 20, 15), ("p1", "p5"): (13, 19, 18), ("p2", "p5"): (16, 20, 12),
    ("p3", "p5"): (16, 15, 17), ("p4", "p5"): (17, 14, 16), ("p1", "p6"): (18, 21, 12), ("p2", "p6"): (22, 20, 12),
    ("p3", "p6"): (13, 18, 10), ("p4", "p6"): (14, 19, 18), ("p5", "p6"): (11, 21, 12),
}  # fmt: skip
"""Davidson (1970), as in the package: by pair, how often the first was liked more, the second, and neither."""

OUTCOMES = ((1, 2), (2, 1), (1, 1))


def pudding_matches() -> list[Result]:
    """Each in a block of its own."""
    return [
        match(deal, "pudding", **dict(zip(pair, ranks, strict=True)))
        for pair, counts in PUDDINGS.items()
        for deal, ranks in enumerate(ranks for ranks, count in zip(OUTCOMES, counts, strict=True) for _ in range(count))
    ]


def fitted(results: Sequence[Result]) -> list[float]:
    """Strengths less that of the first bot, in the order of names, then the logarithms of ties."""
    matches = Matches()
    for result in results:
        matches.add(result)
    model = model_of(matches)
    found = model.fit().tolist()
    bots = len(model.names)
    return [*(strength - found[0] for strength in found[:bots]), *found[bots:]]


@pytest.mark.parametrize(
    ("pseudo", "expected"),
    [
        (0.5, [0, 0.25287377226, -0.61350684274, -0.08688471289, -2.15068110157, -0.79245357182]),
        (2.0, [0, 0.18096396736, -0.42365745958, -0.04300410063, -2.69594771682, -0.86644141978]),
    ],
)
def test_ties_of_any_size_are_those_of_the_package_plackettluce(
    monkeypatch: pytest.MonkeyPatch, pseudo: float, expected: list[float]
) -> None:
    """Coefficients of R's PlackettLuce 0.4.5 with `npseudo` as here, after 100,000 iterations to 1e-12."""
    monkeypatch.setattr(plackett_luce, "PSEUDO", pseudo)

    assert fitted(FRUIT) == pytest.approx(expected, abs=1e-9)


def test_two_at_a_table_are_davidsons_puddings() -> None:
    expected = [0, 0.2188770300, 0.1520511259, 0.1740634712, 0.1330615789, 0.3747427663, -0.3029811052]

    assert fitted(pudding_matches()) == pytest.approx(expected, abs=1e-9)


def test_the_order_of_matches_has_no_influence() -> None:
    results = [*pudding_matches(), *FRUIT]
    names = sorted({bot for result in results for bot in result.bots})
    shuffled = results.copy()
    Random(1).shuffle(shuffled)  # noqa: S311 - a test that can be told again

    assert strengths(results, names) == strengths(shuffled, names)


def test_bots_that_did_the_same_are_as_strong_to_the_last_digit() -> None:
    """Each beat the next of a circle, but for one who lost to all and one who has not played."""
    circle = [match(0, a=1, b=2), match(0, b=1, c=2), match(0, c=1, a=2)]
    found = strengths([*circle, match(0, a=1, d=2), match(0, b=1, d=2), match(0, c=1, d=2)], ["a", "b", "c", "d", "e"])

    assert found["a"] == found["b"] == found["c"] > 0 == found["e"] > found["d"]


def test_a_bot_that_wins_everything_has_the_strength_of_half_a_loss() -> None:
    """The likelihood of x is 2 log p(x - y) + half a win and half a loss of both, and y = -x."""
    found = strengths([match(0, a=1, b=2), match(1, a=1, b=2)], ["a", "b"])

    x = found["a"]
    assert found["b"] == -x
    win, middle = 1 / (1 + exp(-2 * x)), 1 / (1 + exp(-x))
    assert 2 * (1 - win) + 0.5 * (1 - middle) - 0.5 * middle == pytest.approx(0, abs=1e-5)


def test_a_game_of_many_matches_weighs_as_much_as_one_of_few() -> None:
    """The same results in both, but ten times as often in one."""
    few = [match(0, "four", a=1, b=2), match(1, "four", a=2, b=1), match(2, "four", a=2, b=1)]
    many = [match(3 * copy + one.deal, "nine", **dict(zip(one.bots, (3 - rank for rank in one.ranks), strict=True)))
            for copy in range(10) for one in few]  # fmt: skip

    found = strengths([*few, *many], ["a", "b"])

    assert found == {"a": 0.0, "b": 0.0}


def test_bots_that_are_gone_count_as_opponents_and_are_not_listed() -> None:
    """Each beat a bot of its own; that of b was the stronger one."""
    gone = [match(0, strong=1, weak=2), match(1, strong=1, weak=2)]
    found = strengths([*gone, match(0, a=1, weak=2), match(0, b=1, strong=2)], ["a", "b"])

    assert set(found) == {"a", "b"}
    assert found["b"] > found["a"]


def rated(results: Iterable[Result], names: str, anchor: str | None = None) -> tuple[str, dict[str, Rating]]:
    """The anchor, and the rating of each bot."""
    matches = Matches()
    for result in results:
        matches.add(result)
    ratings = ratings_of(matches, names.split(), anchor)
    assert ratings is not None
    return ratings.anchor, {row.bot: row for row in (*ratings.bots, *ratings.former)}


def test_an_interval_of_two_bots_by_hand() -> None:
    """Eve wins 7 of 10 blocks. With x her strength less ann's, all is a function of x, for both lie as far from 0."""
    results = [match(deal, eve=1 + (deal >= 7), ann=1 + (deal < 7)) for deal in range(10)]
    _, found = rated(results, "eve ann", "ann")

    x = found["eve"].strength
    p, q = 1 / (1 + exp(-x)), 1 / (1 + exp(-x / 2))
    assert 7 * (1 - p) - 3 * p + (1 - q) / 2 - q / 2 == pytest.approx(0, abs=1e-5), "the likelihood is greatest here"
    curvature = 10 * p * (1 - p) + q * (1 - q) / 2
    of_blocks = 10 / 9 * (7 * (1 - p) ** 2 + 3 * p**2)
    of_pseudo = 0.5 * 2 * ((1 - q) ** 2 + q**2) / 4
    stderr = sqrt(of_blocks + of_pseudo) / curvature
    assert found["eve"].strength_stderr == pytest.approx(stderr, abs=2e-6)
    assert found["eve"].chance == pytest.approx(p, abs=1e-6)
    ends = [x + sign * quantile(0.975, 9) * stderr for sign in (-1, 1)]
    assert found["eve"].chance_interval == pytest.approx([1 / (1 + exp(-end)) for end in ends], abs=2e-6)
    assert found["ann"].chance_interval is None
    assert (found["ann"].chance, found["ann"].rank, found["ann"].rank_from, found["ann"].rank_to) == (0.5, 2, 1, 2)


def test_a_bot_that_wins_everything_has_an_interval_that_ends_below_certainty() -> None:
    _, found = rated([match(deal, eve=1, ann=2) for deal in range(20)], "eve ann", "ann")

    low, high = found["eve"].chance_interval or (0, 0)
    assert 0.5 < low < 0.95 < high < 1
    assert (found["eve"].rank_to, found["ann"].rank_from) == (1, 2)


def test_the_anchor_is_the_bot_in_the_middle_where_none_is_named() -> None:
    order = "abcde"
    results = [
        match(deal, "six", **{first: 1, second: 2}) for first, second in combinations(order, 2) for deal in range(3)
    ]

    assert rated(results, "e d c b a")[0] == "c"
    assert rated(results, "e d c b a x")[0] == "c", "x has not played"
    assert rated(results, "a b c d e", "d")[0] == "d"


def test_what_is_not_known_is_none() -> None:
    """One block says nothing of how much results vary, and no match says nothing at all."""
    _, found = rated([match(0, ann=1, bea=2), match(0, ann=1, former=2)], "ann bea cid", "bea")

    assert (found["ann"].chance_interval, found["ann"].strength_stderr) == (None, None)
    assert found["ann"].chance is not None
    assert (found["cid"].chance, found["cid"].rank) == (None, None)
    assert (found["former"].rank, found["former"].blocks) == (None, 1)
    assert ratings_of(Matches(), ["ann"]) is None


def test_bots_that_never_met_are_compared_by_those_whom_both_met() -> None:
    """Ann wins three of four against bea, and bea as often against cid: so the odds of ann and cid are about nine."""
    pairs = [("ann", "bea"), ("bea", "cid")]
    results = [
        match(deal, "six", **{first: 1 + (deal % 4 == 0), second: 1 + (deal % 4 > 0)})
        for first, second in pairs
        for deal in range(400)
    ]
    _, found = rated(results, "ann bea cid", "cid")

    assert found["ann"].strength == pytest.approx(log(9), abs=0.02)
    assert [found[bot].rank_to for bot in ("ann", "bea", "cid")] == [1, 2, 3]


def test_two_bots_are_compared_by_all_matches_and_corrected_for_all_pairs() -> None:
    matches = Matches()
    for one in pudding_matches():
        matches.add(one)
    names = [f"p{number}" for number in range(1, 7)]
    ratings = ratings_of(matches, names, "p1")

    (pair,) = chances(matches, names, [("p6", "p1")])
    neighbours = chances(matches, names)

    assert ratings is not None
    best = ratings.bots[0]
    assert (best.bot, best.chance, best.chance_interval) == ("p6", pair.chance, pair.chance_interval)
    assert [(row.bot, row.other) for row in neighbours] == list(pairwise(row.bot for row in ratings.bots))
    assert pair.p == pytest.approx(0.0511, abs=0.003), "0.3747 of R's standard errors of 0.1921"
    assert pair.p_of_all == pytest.approx(15 * (pair.p or 0), abs=1e-5), "no pair of all 15 differs more"
    assert not pair.is_sure


def test_a_pair_is_settled_by_as_many_matches_as_were_forecast() -> None:
    """Ann wins six of ten blocks, and goes on so. What settles it in 4 of 5 runs is more than what just does."""

    def after(deals: int) -> Chance:
        matches = Matches()
        for deal in range(deals):
            matches.add(match(deal, ann=1 + (deal % 10 > 5), bea=2 - (deal % 10 > 5)))
        (chance,) = chances(matches, ["ann", "bea"])
        return chance

    times = after(30).times
    assert times is not None
    assert 4 < times < 10
    assert after(30 * times).is_sure
    assert after(30 * times).times is None
    assert not after(30 * times // 3).is_sure


def test_equal_bots_are_never_settled() -> None:
    matches = Matches()
    for deal in range(20):
        matches.add(match(deal, ann=1 + deal % 2, bea=2 - deal % 2))

    assert [one.times for one in chances(matches, ["ann", "bea"])] == [None]


# Strengths for drawings, which know only who met whom


def score(matches: int, halves: int) -> Score:
    return Score(matches=matches, halves=halves)


def test_the_strengths_for_drawings_of_two_bots_with_three_wins_of_four() -> None:
    """The strength s and its opposite solve 3 - 4 / (1 + exp(-2 s)) = s."""
    found = pair_strengths({("a", "b"): score(4, 6)}, ["a", "b"])
    strength = found["a"].strength

    assert found["b"].strength == -strength
    assert 3 - 4 / (1 + exp(-2 * strength)) == pytest.approx(strength, abs=2e-6)


def test_for_drawings_bots_that_did_the_same_are_equal_to_the_digit() -> None:
    circle = {("a", "b"): score(2, 4), ("b", "c"): score(2, 4), ("a", "c"): score(2, 0)}

    assert {one.strength for one in pair_strengths(circle, "abcd").values()} == {0.0}


def test_for_drawings_who_beat_the_stronger_bot_is_stronger() -> None:
    scores = {("a", "b"): score(9, 18), ("a", "x"): score(2, 2), ("b", "y"): score(2, 2)}
    found = pair_strengths(scores, "abxy")

    assert found["a"].strength > found["x"].strength > found["y"].strength > found["b"].strength


def test_for_drawings_bots_that_are_gone_count_and_are_not_listed() -> None:
    scores: dict[Pair, Score] = {("a", "old"): score(4, 8), ("b", "old"): score(4, 0)}
    found = pair_strengths(scores, ["a", "b"])

    assert [*found] == ["a", "b"]
    assert found["a"].strength > 0 > found["b"].strength


def test_for_drawings_more_matches_leave_less_doubt() -> None:
    few, many = (pair_strengths({("a", "b"): score(n, n)}, ["a", "b", "new"]) for n in (4, 400))

    assert few["new"].stderr == many["new"].stderr == 1.0
    assert {one.strength for one in pair_strengths({}, ["a", "b"]).values()} == {0.0}
    assert many["a"].stderr < few["a"].stderr < 1.0
