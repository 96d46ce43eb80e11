"""Standings where bots met different opponents on purpose: ratings order them, and means have no intervals."""

from math import log

import pytest
from drawn_rounds import by_name, results_of

from referee.reports.tables.overview import report
from referee.tournament.plan.rounds import Table
from referee.tournament.standings import Standings, ranked_otherwise, standings_of, with_opponents

RANKS = {"best": (1, 1, 2), "good": (2, 1, 3), "poor": (3, 2, 3)}


def swiss() -> Standings:
    """`poor` has won all its matches, against the weakest."""
    tables = [("best", "good"), ("poor", "weakest"), ("poor", "weakest")]
    results = [
        result
        for deal, bots in enumerate(tables)
        for result in results_of(Table(variant=f"game {deal % 2}", bots=bots, deal=deal), by_name)
    ]
    return with_opponents(
        ranked_otherwise(standings_of(results), "ratings", RANKS),
        {"best": log(9), "good": log(3), "poor": 0.0, "weakest": -log(3)},
    )


def test_the_order_is_that_of_the_ratings_whatever_the_means() -> None:
    rows = swiss().overall

    assert [(row.bot, row.rank, row.rank_from, row.rank_to) for row in rows[:3]] == [
        (bot, *ranks) for bot, ranks in RANKS.items()
    ]
    assert rows[2].match_points == 1
    assert {(row.match_points_interval, row.match_points_stderr) for row in rows} == {(None, None)}
    assert (rows[3].bot, rows[3].rank) == ("weakest", None)


def test_it_is_told_how_strong_the_opponents_were() -> None:
    assert {row.bot: row.opponents for row in swiss().overall} == {
        "best": pytest.approx(0.75),
        "good": pytest.approx(0.9),
        "poor": pytest.approx(0.25),
        "weakest": pytest.approx(0.5),
    }


def test_tables_of_means_are_left_out_with_the_reason() -> None:
    text = report(swiss(), 120, full=True)

    assert "by rating; other figures are over different opponents, and do not rank" in text
    assert "opponents" in text
    assert "\ngame 0\n" not in text
    assert "by game" not in text
    assert "no interval" not in text
