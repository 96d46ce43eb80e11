"""A gauntlet: challengers against a field, which is not ranked."""

from made_up_matches import results_of

from referee.tournament.plan.rounds import Table
from referee.tournament.plan.schedule import Plan, PlannedVariant
from referee.tournament.standings import OF_THE_FIELD, Tally

BOTS = [f"b{number:02}" for number in range(7)]
CHALLENGERS = ("b02", "b05")


def plan(seats: int, lineups: int | None = None) -> Plan:
    return Plan(
        master_key=b"key",
        bots=BOTS,
        variants=[PlannedVariant(variant="game", seats=seats)],
        deals=2,
        lineups=lineups,
        challengers=CHALLENGERS,
    )


def test_each_table_has_one_challenger_and_each_challenger_meets_the_same_field() -> None:
    lineups = {frozenset(BOTS[bot] for bot in fixture.lineup) for fixture in plan(3)}
    assert len(lineups) == 2 * 10
    against = {name: {lineup - {name} for lineup in lineups if name in lineup} for name in CHALLENGERS}
    assert against["b02"] == against["b05"]
    assert not any(set(CHALLENGERS) <= lineup for lineup in lineups)


def test_a_sample_gives_each_challenger_as_many_line_ups() -> None:
    fixtures = [fixture for fixture in plan(3, lineups=8) if (fixture.deal, fixture.rotation) == (0, 0)]
    assert [sum(BOTS.index(name) in fixture.lineup for fixture in fixtures) for name in CHALLENGERS] == [4, 4]


def test_only_challengers_are_ranked() -> None:
    tally = Tally(ranked=CHALLENGERS)
    for fixture in plan(2):
        if fixture.rotation == 0:
            names = tuple(sorted(BOTS[bot] for bot in fixture.lineup))
            for result in results_of([Table(variant="game", bots=names, deal=fixture.deal)]):
                tally.add(result)
    standings = tally.standings("match-points")
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
    tally = Tally(ranked=CHALLENGERS)
    for fixture in plan(2):
        if fixture.rotation == 0:
            names = tuple(sorted(BOTS[bot] for bot in fixture.lineup))
            for result in results_of([Table(variant="game", bots=names, deal=fixture.deal)]):
                tally.add(result)
    comparer = tally.comparer("match-points")
    met, apart = comparer.compare("b05", "b06"), comparer.compare("b04", "b06")
    assert [(one.games, one.p, one.more_deals) for one in (met, apart)] == [((), None, None)] * 2
    assert met.together is not None
    assert met.together.mean == -1.0
    assert apart.together is None
    assert "only its challengers" in apart.difference.reason
