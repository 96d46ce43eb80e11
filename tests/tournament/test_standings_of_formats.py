"""Standings where bots met different opponents on purpose: a gauntlet, a Swiss and a knockout."""

from math import log

import pytest
from made_up_rounds import field_of, numbered, played_out, results_of

from referee.reports.tables.overview import report
from referee.tournament.formats.knockout import next_round
from referee.tournament.formats.places import places_of
from referee.tournament.plan.rounds import StageRules, Table
from referee.tournament.standings import (
    OF_THE_FIELD,
    OTHER_OPPONENTS,
    Standings,
    Tally,
    ranked_otherwise,
    standings_of,
    with_opponents,
)

# A gauntlet

CHALLENGERS = ("b02", "b05")


def gauntlet() -> Tally:
    """Each challenger meets each of the five other bots on two deals."""
    tally = Tally(ranked=CHALLENGERS)
    rest = [bot for bot in numbered(7) if bot not in CHALLENGERS]
    lineups = [tuple(sorted((one, other))) for one in CHALLENGERS for other in rest]
    for result in results_of(Table(variant="game", bots=bots, deal=deal) for deal in (0, 1) for bots in lineups):
        tally.add(result)
    return tally


def test_only_challengers_are_ranked() -> None:
    standings = gauntlet().standings("match-points")
    assert [(row.rank, row.bot, row.match_points) for row in standings.overall[:2]] == [
        (1, "b05", 0.8),
        (2, "b02", 0.4),
    ]
    assert {(row.rank, row.rank_from, row.rank_to, row.reason) for row in standings.overall[2:]} == {
        (None, None, None, OF_THE_FIELD)
    }
    assert standings.crosstable["b06"]["b05"].match_points == 1.0
    assert "b04" not in standings.crosstable["b06"]


def test_two_bots_of_whom_one_is_of_the_field_are_compared_only_where_they_met() -> None:
    comparer = gauntlet().comparer("match-points")
    met, apart = comparer.compare("b05", "b06"), comparer.compare("b04", "b06")
    assert [(one.games, one.p, one.more_deals) for one in (met, apart)] == [((), None, None)] * 2
    assert met.together is not None
    assert met.together.mean == -1.0
    assert apart.together is None
    assert "only its challengers" in apart.difference.reason


# A Swiss: ratings order the bots, and means have no intervals

RANKS = {"best": (1, 1, 2), "good": (2, 1, 3), "poor": (3, 2, 3)}


def swiss() -> Standings:
    """`poor` has won all its matches, against the weakest."""
    tables = [("best", "good"), ("poor", "weakest"), ("poor", "weakest")]
    results = [
        result
        for deal, bots in enumerate(tables)
        for result in results_of(
            [Table(variant=f"game {deal % 2}", bots=bots, deal=deal)], lambda table, _, bot: table.bots.index(bot)
        )
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


def test_the_table_says_how_strong_the_opponents_of_each_bot_were() -> None:
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


# A knockout


def test_places_take_the_place_of_ranks_by_means() -> None:
    field = field_of(4, StageRules(format="knockout", deals=4, advance=1, limit=8))
    past, _ = played_out(field, next_round)
    means = standings_of([result for played in past.played for result in played])
    ranks = places_of(field, past, is_playing=False).ranks
    found = ranked_otherwise(means, "places", ranks)
    assert [row.rank for row in found.overall] == [1, 2, 3, 3]
    assert [(row.rank_from, row.rank_to) for row in found.overall] == [(1, 1), (2, 2), (3, 4), (3, 4)]
    assert {(row.rank, row.reason) for row in found.variants["game"]} == {(None, OTHER_OPPONENTS)}
    assert [*found.crosstable] == [row.bot for row in found.overall]
    assert ranked_otherwise(means, "places", {}).overall[0].rank is None
    tied = ranked_otherwise(means, "places", {"b00": (1, 1, 2), "b01": (1, 1, 1)})
    assert [row.bot for row in tied.overall] == ["b01", "b00", "b02", "b03"]
