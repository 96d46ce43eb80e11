"""Means, their errors, and how bots compare: cases worked by hand, and scipy as the second opinion."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt

import pytest
from made_up_runs import made_up_result
from msgspec.structs import replace
from scipy import stats
from simulated import World, block, chance, names

from referee.tournament.figures.blocks import table_of
from referee.tournament.figures.compare import Comparer
from referee.tournament.figures.means import ALIKE, TOO_FEW, Figures, Stratified, over_games
from referee.tournament.figures.ranks import Contrast, holm, rank_ranges, settled
from referee.tournament.results import Result


def test_degrees_of_freedom_add_up() -> None:
    """Equal variances: those of both. One variance far greater: about its own."""

    def df_of(*scatters: int) -> float | None:
        """Of a bot in line-ups of six blocks each, whose results scatter so much."""
        rows = [{"a": 100 + scatter * (number % 3), other: 100} for other, scatter in zip("xyz", scatters, strict=False)
                for number in range(6)]  # fmt: skip
        return Figures(table_of(results(rows)), "strokes").estimate("a", ["game"]).df

    assert df_of(9) == pytest.approx(5)
    assert df_of(9, 9) == pytest.approx(12)
    assert df_of(90, 1) == pytest.approx(5, abs=0.01)


def test_the_interval_of_a_share_is_wilsons() -> None:
    """With the variance of a share of 50 draws, and so many degrees of freedom that t is normal."""
    mean, draws = 0.9, 50
    found = Stratified(mean=mean, variance=mean * (1 - mean) / draws, weight=1e-15, blocks=draws, is_known=True)
    estimate = over_games([found], is_share=True)
    wilson = stats.binomtest(45, draws).proportion_ci(method="wilson")
    assert (estimate.low, estimate.high) == pytest.approx((wilson.low, wilson.high), rel=1e-5)


def results(blocks: Sequence[dict[str, int]]) -> Iterator[Result]:
    """Blocks whose rotations all end alike, from the totals by bot."""
    for number, totals in enumerate(blocks):
        bots = list(totals)
        for turn in range(len(bots)):
            order = [*bots[turn:], *bots[:turn]]
            yield made_up_result(order, [totals[bot] for bot in order], number=10 * number + turn, block=number)


def test_the_difference_at_one_table_is_the_paired_t_test() -> None:
    """Strokes are used as they come, without what the other bots have."""
    random = chance("3")
    rows = [{bot: random.randint(0, 30) for bot in "abc"} for _ in range(12)]
    difference = Figures(table_of(results(rows)), "strokes").difference("a", "b", ["game"])
    expected = stats.ttest_rel([row["a"] for row in rows], [row["b"] for row in rows])
    assert difference.stderr is not None
    assert difference.df == pytest.approx(11)
    assert difference.mean / difference.stderr == pytest.approx(expected.statistic)
    low, high = expected.confidence_interval()
    assert (difference.low, difference.high) == pytest.approx((low, high), abs=1e-3)


def test_line_ups_are_strata_where_all_were_played() -> None:
    """What the opponents make of it is no chance: a meets a weak and a strong one, both always with the same result."""
    rows = [{"a": 0, "b": 2 + number % 2} for number in range(4)] + [
        {"a": 9 + number % 2, "c": 0} for number in range(4)
    ]
    figures = Figures(table_of(results(rows)), "strokes")
    estimate = figures.estimate("a", ["game"])
    assert estimate.mean == pytest.approx((-1.25 + 4.75) / 2)
    assert estimate.stderr == pytest.approx(sqrt(2 * (1 / 12) / 4) / 2), "each line-up: variance 1/12, four blocks"
    assert estimate.df == pytest.approx(8), "two equal variances of 3 degrees of freedom: 2 * (3 + 2) - 2"


@pytest.mark.parametrize(
    ("rows", "is_known"),
    [
        ([{"a": number % 2, "b": 1} for number in range(5)], False),
        ([{"a": number % 2, "b": 1} for number in range(6)], True),
        ([{"a": number % 2, other: 1} for other in "bcdefg" for number in range(1)], False),
        ([{"a": number % 2, other: 1} for other in "bcd" for number in range(2)], True),
        ([{"a": number % 2, "b": 1} for number in range(9)] + [{"a": 0, "c": 1}], False),
    ],
    ids=["five blocks", "six", "one of each line-up", "two of each", "one line-up with one"],
)
def test_an_interval_needs_six_blocks_and_two_of_each_line_up(rows: list[dict[str, int]], is_known: bool) -> None:
    estimate = Figures(table_of(results(rows)), "points").estimate("a", ["game"])
    assert (estimate.low is not None, estimate.reason) == (is_known, "" if is_known else TOO_FEW)


def test_compare_tells_what_would_settle_it_and_what_was_played_on_the_same_deals() -> None:
    random, bots = chance("2"), names(3)
    world = World(strengths=dict(zip(bots, (0.0, 0.15, 2.5), strict=True)))
    rows: list[Result] = []
    for number in range(45):
        pair = list(combinations(bots, 2))[number % 3]
        rows += block(world, random, variant="game", bots=pair, number=number, deal=number // 3, first_match=9 * number)
    comparer = Comparer(table_of(rows))
    near, far = comparer.compare(bots[1], bots[0]), comparer.compare(bots[2], bots[0])
    assert far.is_sure
    assert far.more_deals == 0
    assert not near.is_sure
    assert near.p_of_all is not None
    assert near.p is not None
    assert near.p_of_all >= near.p
    assert near.more_deals is not None
    assert near.more_deals > 15
    assert near.together is not None
    assert near.together.blocks == 15
    assert comparer.neighbours()[0].bot == bots[2]
    more = list(rows)
    for number in range(45, 45 + 3 * near.more_deals):
        pair = list(combinations(bots, 2))[number % 3]
        more += block(world, random, variant="game", bots=pair, number=number, deal=number // 3, first_match=9 * number)
    assert (Comparer(table_of(more)).compare(bots[1], bots[0]).p or 1) < near.p, "so many more deals tell more"


def test_rank_ranges_follow_from_the_pairs_that_are_sure() -> None:
    pairs = [Contrast(better="a", worse="c", p=0.001), Contrast(better="a", worse="b", p=0.04)]
    pairs.append(Contrast(better="b", worse="c", p=0.02))
    sure = settled(pairs)
    assert [(one.better, one.worse) for one in sure] == [("a", "c"), ("b", "c"), ("a", "b")], "0.003, 0.04, 0.04"
    assert {bot: (one.best, one.worst) for bot, one in rank_ranges("abc", sure).items()} == {
        "a": (1, 1), "b": (2, 2), "c": (3, 3),
    }  # fmt: skip
    ranges = rank_ranges("abc", [pairs[0]])
    assert {bot: (one.best, one.worst) for bot, one in ranges.items()} == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}


def test_p_values_are_corrected_as_holm_does() -> None:
    assert holm({"a": 0.04, "b": 0.01, "c": 0.03}) == pytest.approx({"b": 0.03, "c": 0.06, "a": 0.06})
    assert holm({}) == {}


def test_a_bot_that_lost_everything_may_still_win_some_day() -> None:
    rows = [{"a": number % 2, "b": (number + 1) % 2, "c": 9} for number in range(32)]
    alone = Figures(table_of(results(rows)), "points").estimate("c", ["game"])
    assert (alone.low, alone.stderr, alone.is_alike) == (0, None, True)
    assert alone.high == pytest.approx(1 - 0.025 ** (1 / 32))


def test_one_win_of_many_makes_no_narrow_interval() -> None:
    """One of 192 comparisons."""
    rows = list(results([{"a": number % 2, "b": (number + 1) % 2, "c": 9} for number in range(32)]))
    rows[3] = replace(rows[3], ranks=(1, 3, 2))
    estimate = Figures(table_of(rows), "points").estimate("c", ["game"])
    assert estimate.mean == pytest.approx(1 / 192)
    assert estimate.low == pytest.approx(0.0009, abs=5e-5)
    assert estimate.high == pytest.approx(0.0306, abs=5e-5)


def test_strokes_that_differ_alike_in_all_deals_separate_nobody() -> None:
    """Equal bots may differ by one stroke in nearly all deals, and by hundreds the other way in one."""
    table = table_of(results([{"a": 3, "b": 4}] * 12))
    by_strokes, by_points = Comparer(table, "strokes").compare("a", "b"), Comparer(table).compare("a", "b")
    assert (by_strokes.p, by_strokes.is_sure, by_strokes.difference.reason) == (None, False, ALIKE)
    assert by_points.p == pytest.approx(2 / 2**12)
    assert by_points.is_sure


def test_line_ups_that_come_out_alike_count_by_how_much_each_could_change_the_difference() -> None:
    """The bot a beats b and c, and b beats c. If the 8 deals of a and b had come out otherwise in half, a and b would
    be equal: that all 8 are alike has then a probability of 1 in 256."""
    deals = [{"a": 3, "b": 4}, {"b": 3, "c": 4}, {"a": 3, "c": 4}]
    found = Comparer(table_of(results(deals * 8))).compare("a", "b")
    assert found.p is not None
    assert found.p > 2 / 256
