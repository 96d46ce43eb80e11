"""What fits into some hours, and how precise it will be."""

from collections.abc import Mapping
from math import sqrt

import pytest

from referee.tournament.plan.budget import Game, choose, least_s, plus_minus, usual_within, variances
from referee.tournament.plan.lineups import AllLineups


def game(bots: int, seats: int, match_s: float, *, within: float = 0.1, between: float = 0.0) -> Game:
    return Game(every=AllLineups(bots, seats), match_s=match_s, within=within, between=between)


def test_all_line_ups_are_played_where_they_fit_with_two_deals() -> None:
    """Six bots make 15 pairs, whose deals take 2 s on each of two processes: 15 s for all."""
    six = game(6, 2, 1.0)
    some = choose([six], budget_s=100.0, side_by_side=2)
    assert some is not None
    assert (some.lineups, some.deals, some.blocks, some.matches, some.wall_s) == (None, 6, 90, 180, 90.0)
    some = choose([six], budget_s=29.9, side_by_side=2)
    assert some is not None
    assert (some.lineups, some.deals, some.matches, some.wall_s) == (14, 2, 56, 28.0)


def test_nothing_fits_where_not_every_bot_can_play_two_deals() -> None:
    six = game(6, 2, 1.0)
    assert least_s([six], 2) == 3 * 2 * 2 / 2
    assert choose([six], budget_s=5.9, side_by_side=2) is None
    some = choose([six], budget_s=6.0, side_by_side=2)
    assert some is not None
    assert some.lineups == 3
    gauntlet = AllLineups(10, 4, challengers=[0])
    assert Game(every=gauntlet, match_s=1.0, within=0.1, between=0.1).fewest == 3


def test_games_of_several_sizes_share_the_time() -> None:
    """Of three at a table there are few line-ups, which are all played; pairs have what is left."""
    games = [game(4, 3, 1.0), game(4, 2, 10.0)]
    some = choose(games, budget_s=224.0, side_by_side=1)
    assert some is not None
    assert (some.lineups, some.deals) == (5, 2)
    assert some.wall_s == 2 * (4 * 3 * 1.0 + 5 * 2 * 10.0)


def test_the_expected_precision_is_that_of_a_sample_without_replacement() -> None:
    """Of ten bots each is in 9 pairs; in a sample of 20 of 45 pairs each is in 4."""
    ten = game(10, 2, 1.0, within=0.08, between=0.02)
    assert plus_minus([ten], None, 5) == pytest.approx(1.96 * sqrt(0.08 / (9 * 5)))
    assert plus_minus([ten], 20, 2) == pytest.approx(1.96 * sqrt(0.02 / 4 * (1 - 4 / 9) + 0.08 / 8))
    assert plus_minus([ten, ten], 20, 2) == pytest.approx(plus_minus([ten], 20, 2) / sqrt(2))


def test_a_round_is_a_small_part_of_the_time_but_lasts_longer_than_many_matches() -> None:
    some = choose([game(60, 4, 0.5)], budget_s=3600.0, side_by_side=2)
    assert some is not None
    assert some.lineups_a_round == 3600 / 50 // (4 * 0.5 / 2)
    slow = choose([game(60, 4, 20.0)], budget_s=3600.0, side_by_side=2)
    assert slow is not None
    assert slow.lineups_a_round == 12 * 20 // (4 * 20 / 2)


def test_what_a_trial_saw_of_match_points_counts_beside_what_is_usual() -> None:
    """Two matches of equal bots, each won by lot, have a mean of variance 1/8."""
    usual = usual_within(2)
    assert usual == pytest.approx(0.7 / 8)
    assert variances({}, 2) == pytest.approx((usual, 0.3 * usual))
    seen: Mapping[tuple[str, tuple[str, ...]], list[float]] = {
        ("a", ("a", "b")): [1.0, 0.0],
        ("a", ("a", "c")): [1.0, 1.0],
    }
    within, between = variances(seen, 2)
    assert within == pytest.approx((0.5 + 4 * usual) / (2 + 4))
    assert between == pytest.approx((0.125 - within / 2 + 4 * 0.3 * usual) / (1 + 4))
