"""Means, their errors, and how bots compare: cases worked by hand, and scipy as the second opinion."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt

import pytest
from made_up_runs import made_up_result
from msgspec.structs import replace
from scipy import stats
from simulated import World, block, chance, names, played

from referee.tournament.plan.schedule import Plan, PlannedVariant
from referee.tournament.results import Result
from referee.tournament.statistics.blocks import Blocks, blocks_of
from referee.tournament.statistics.comparisons import Comparer, Design
from referee.tournament.statistics.means import BY_GAMES, TOO_FEW, Figures, over_games
from referee.tournament.statistics.multiple import holm
from referee.tournament.statistics.ranks import Contrast, rank_ranges, settled
from referee.tournament.statistics.spreads import Spread, alike_interval, score_interval, spread_of, total
from referee.tournament.statistics.student import quantile, two_sided_p


@pytest.mark.parametrize("df", [0.5, 1, 2.7, 12, 140, 20_000, 2e6])
def test_students_t_is_that_of_scipy(df: float) -> None:
    for t in (0.01, 0.7, 2, 6):
        assert two_sided_p(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-5)
        assert two_sided_p(-t, df) == two_sided_p(t, df)
    for probability in (0.6, 0.975, 0.9999, 0.025):
        assert quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-5)
    assert quantile(0.5, df) == 0
    with pytest.raises(ValueError, match="probability"):
        quantile(1.0, df)


def test_degrees_of_freedom_add_up() -> None:
    """Equal variances: those of both. One variance far greater: about its own."""
    assert spread_of(2.0, 5).df == pytest.approx(5)
    assert total([spread_of(1.0, 5), spread_of(1.0, 5)]).df == pytest.approx(12, abs=1e-9)
    assert total([spread_of(1.0, 5), spread_of(1e-6, 5)]).df == pytest.approx(5, abs=1e-3)
    assert spread_of(1.0, 5).times(3).variance == 9
    assert spread_of(1.0, 5).times(3).df == pytest.approx(5)


def test_the_interval_of_a_share_is_wilsons() -> None:
    """With the variance of a share of 50 draws, and so many degrees of freedom that t is normal."""
    mean, draws = 0.9, 50
    low, high = score_interval(mean, mean * (1 - mean), spread_of(mean * (1 - mean) / draws, 1e9))
    wilson = stats.binomtest(45, draws).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wilson.low, wilson.high), rel=1e-5)
    assert score_interval(1.0, 0.01, spread_of(0.001, 5))[1] == pytest.approx(1)
    assert alike_interval(1.0, 20) == pytest.approx((0.025 ** (1 / 20), 1))
    assert alike_interval(0.5, 20)[0] == pytest.approx(0.5 * 0.025 ** (1 / 20))


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
    difference = Figures(blocks_of(results(rows)), "strokes").difference("a", "b", ["game"])
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
    figures = Figures(blocks_of(results(rows)), "strokes")
    estimate = figures.estimate("a", ["game"])
    assert estimate.mean == pytest.approx((-1.25 + 4.75) / 2)
    assert estimate.stderr == pytest.approx(sqrt(2 * (1 / 12) / 4) / 2), "each line-up: variance 1/12, four blocks"
    assert estimate.df == pytest.approx(8), "two equal variances of 3 degrees of freedom: 2 * (3 + 2) - 2"


def test_a_sample_of_line_ups_has_more_chance_in_it() -> None:
    random = chance("5")
    bots = names(8)
    plan = Plan(master_key=b"k", bots=bots, variants=[PlannedVariant(variant="game", seats=2)], deals=3, lineups=16)
    world = World(strengths={bot: number / 4 for number, bot in enumerate(bots)})
    blocks = blocks_of(played(plan, bots, world, random))
    fixed = Figures(blocks, "points")
    sampled = Figures(blocks, "points", possible={"game": dict.fromkeys(bots, 7)})
    for bot in bots:
        one, other = (figures.estimate(bot, ["game"]) for figures in (fixed, sampled))
        assert one.mean == other.mean
        assert other.stderr is not None
        assert one.stderr is not None
    wider = sum(
        (sampled.estimate(bot, ["game"]).stderr or 0) > (fixed.estimate(bot, ["game"]).stderr or 0) for bot in bots
    )
    assert wider >= 6


def test_two_line_ups_that_agree_do_not_stand_for_many() -> None:
    """Three deals of each tell much of the deals, and still nothing of how line-ups differ."""
    blocks = [{"a": score, other: 5} for other in ("b", "c") for score in (1, 5, 9)]
    possible = {"game": {"a": 20, "b": 20, "c": 20}}
    estimate = Figures(blocks_of(results(blocks)), "points", possible=possible).estimate("a", ["game"])
    assert estimate.low is estimate.stderr is None
    assert "at least three" in estimate.reason
    assert Figures(blocks_of(results(blocks)), "points").estimate("a", ["game"]).stderr is not None


def test_one_line_up_of_many_cannot_stand_for_all() -> None:
    rows = [{"a": number, "b": 5} for number in range(4)]
    comparer = Comparer(blocks_of(results(rows)), design=Design(possible={"game": {"a": 3, "b": 3, "c": 3, "d": 3}}))
    estimate = comparer.points.estimate("a", ["game"])
    assert (estimate.low, estimate.reason) == (None, "only 1 of its line-ups has been played")
    assert comparer.comparable() == ((), [])
    assert comparer.compare("a", "b").more_reason == "there is no game in which both have been in several line-ups"


def test_compare_tells_what_would_settle_it_and_what_was_played_on_the_same_deals() -> None:
    random, bots = chance("2"), names(3)
    world = World(strengths=dict(zip(bots, (0.0, 0.15, 2.5), strict=True)))
    rows: list[Result] = []
    for number in range(45):
        pair = list(combinations(bots, 2))[number % 3]
        rows += block(world, random, variant="game", bots=pair, number=number, deal=number // 3, first_match=9 * number)
    comparer = Comparer(blocks_of(rows))
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
    assert (Comparer(blocks_of(more)).compare(bots[1], bots[0]).p or 1) < near.p, "so many more deals tell more"


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
    """However much the others vary: its 32 blocks tell of nothing but themselves. One game, and two of which the other
    is no different."""
    rows = [{"a": number % 2, "b": (number + 1) % 2, "c": 9} for number in range(32)]
    blocks = blocks_of(results(rows))
    alone = Figures(blocks, "points").estimate("c", ["game"])
    assert (alone.low, alone.stderr) == (0, None)
    assert alone.high == pytest.approx(1 - 0.025 ** (1 / 32))
    blocks.cells["other"] = blocks.cells["game"]
    both = Figures(blocks, "points").estimate("c", ["game", "other"])
    assert both.low == 0
    assert both.high == pytest.approx(1 - 0.025 ** (1 / 64))
    assert both.is_alike


def test_a_game_that_was_lost_in_every_block_is_not_known_exactly_beside_others() -> None:
    blocks = blocks_of(results([{"a": 0, "b": 9}] * 4))
    blocks.cells["other"] = blocks_of(results([{"a": 0, "b": 9}, {"a": 9, "b": 0}] * 2)).cells["game"]
    figures = Figures(blocks, "points")
    own = figures.estimate("b", ["other"])
    both = figures.estimate("b", ["game", "other"])
    unlearnt = (0.25 / 4.5) * (1 - 0.25 / 4.5) / 4
    assert both.stderr == pytest.approx(sqrt((own.stderr or 0) ** 2 + unlearnt) / 2), "half of half a block was won"
    difference = figures.difference("a", "b", ["game", "other"])
    assert difference.stderr == pytest.approx(2 * (both.stderr or 0)), "one wins what the other loses"


def test_one_win_of_many_makes_no_narrow_interval() -> None:
    """One of 192 comparisons."""
    rows = list(results([{"a": number % 2, "b": (number + 1) % 2, "c": 9} for number in range(32)]))
    rows[3] = replace(rows[3], ranks=(1, 3, 2))
    estimate = Figures(blocks_of(rows), "points").estimate("c", ["game"])
    assert estimate.mean == pytest.approx(1 / 192)
    assert estimate.low == pytest.approx(0.0006, abs=5e-5)
    assert estimate.high == pytest.approx(0.0456, abs=5e-5)


def test_one_deal_of_each_of_many_games_is_told_by_what_the_games_differ_in() -> None:
    wins = [1, 1, 0, 1, 1, 1]
    blocks = Blocks()
    for number, won in enumerate(wins):
        rows = results([{"a": 0 if won else 9, "b": 5}])
        blocks.cells[f"game {number}"] = blocks_of(rows).cells["game"]
    comparer = Comparer(blocks, "strokes")
    games = tuple(blocks.cells)
    few = comparer.strokes.estimate("a", games[:3])
    assert (few.low, few.reason) == (None, f"{TOO_FEW} in game 0")
    difference = comparer.compare("a", "b").difference
    expected = stats.ttest_1samp([-5 if won else 4 for won in wins], 0)
    assert difference.df == pytest.approx(5)
    assert difference.stderr is not None
    assert difference.mean / difference.stderr == pytest.approx(expected.statistic)
    assert difference.reason == BY_GAMES
    assert comparer.compare("a", "b").more_deals is None


def test_where_few_games_lack_deals_all_games_are_told_by_what_they_differ_in() -> None:
    means, known = [0.1, 0.5, 0.3, 0.2, 0.9], spread_of(0.01, 4)
    one = over_games("abcde", means, [known, known, TOO_FEW, known, known])
    assert isinstance(one, Spread)
    assert one.variance == pytest.approx(stats.tvar(means) / 5)
    four = over_games("abcde", means, [TOO_FEW, TOO_FEW, TOO_FEW, TOO_FEW, known])
    assert isinstance(four, Spread)
    assert four.variance == pytest.approx((4 * stats.tvar(means[:4]) + 0.01) / 25)
