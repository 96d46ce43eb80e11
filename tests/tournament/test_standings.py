"""Standings from rows of results: a tournament worked by hand, and what must hold for any."""

from collections.abc import Sequence
from itertools import combinations
from math import log, sqrt
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_rounds import field_of, numbered, played_out, results_of
from made_up_runs import made_up_result, made_up_summary

from referee.reports.tables.bot_tables import report
from referee.tournament.figures.means import TOO_FEW
from referee.tournament.formats.knockout import next_round
from referee.tournament.formats.places import places_of
from referee.tournament.plan.rounds import Block, StageRules
from referee.tournament.results import Result
from referee.tournament.standings import (
    OTHER_OPPONENTS,
    BotStanding,
    Standings,
    ranked_otherwise,
    with_opponents,
)
from referee.tournament.store.words import HistoryEvent
from referee.tournament.summary import EnteredBot, RetiredMatch
from referee.tournament.tally import NOT_RANKED, Tally, standings_of


def result(number: int, block: int, variant: str = "six", rounds: int = 2, **totals: int) -> Result:
    """A match without faults; the totals by bot, in the order of the seats."""
    return made_up_result(list(totals), list(totals.values()), number=number, game=variant, block=block, rounds=rounds)


def block(number: int, variant: str = "six", rounds: int = 2, **totals: int) -> list[Result]:
    """A block whose matches all end alike, whoever sits where."""
    bots = list(totals)
    turned = [bots[place:] + bots[:place] for place in range(len(bots))]
    return [
        result(4 * number + place, number, variant, rounds, **{bot: totals[bot] for bot in order})
        for place, order in enumerate(turned)
    ]


SIX = [*block(0, a=10, b=20, c=30), *block(1, a=22, b=16, c=16), *block(2, c=0, a=6, b=12)]
"""Match points: a 1, 0, 1/2; b 1/2, 3/4, 0; c 0, 3/4, 1. Strokes: a -5, 2, 0; b 0, -1, 3; c 5, -1, -3."""

DUEL = [
    *block(3, "duel", rounds=4, a=4, b=0),
    *block(4, "duel", rounds=4, a=0, b=0),
    *block(5, "duel", rounds=4, a=8, b=0),
]
"""Match points: a 0, 1/2, 0; b 1, 1/2, 1. Strokes: a 1/2, 0, 1; b -1/2, 0, -1."""


def twice(results: Sequence[Result]) -> list[Result]:
    """The same blocks once more, as six are needed for an interval."""
    return [
        *results,
        *(msgspec.structs.replace(one, block=one.block + 100, number=one.number + 100) for one in results),
    ]


def figures(rows: Sequence[BotStanding]) -> dict[str, tuple[object, ...]]:
    return {
        row.bot: (row.rank, row.match_points, row.match_points_stderr, row.strokes, row.strokes_stderr) for row in rows
    }


def test_one_game_worked_by_hand() -> None:
    """The variances of three blocks are 1/4 for a, 7/48 for b and 13/48 for c; of the same six 4/5 of that."""
    rows = standings_of(twice(SIX)).overall
    own = {"a": 1 / 4, "b": 7 / 48, "c": 13 / 48}
    errors = {bot: pytest.approx(sqrt(variance * 4 / 5 / 6)) for bot, variance in own.items()}
    strokes = {"a": 13, "b": 13 / 3, "c": 52 / 3}
    of_strokes = {bot: pytest.approx(sqrt(variance * 4 / 5 / 6)) for bot, variance in strokes.items()}
    assert figures(rows) == {
        "a": (2, pytest.approx(1 / 2), errors["a"], pytest.approx(-1), of_strokes["a"]),
        "b": (
            3,
            pytest.approx(5 / 12),
            pytest.approx(errors["b"]),
            pytest.approx(2 / 3),
            pytest.approx(of_strokes["b"]),
        ),
        "c": (
            1,
            pytest.approx(7 / 12),
            pytest.approx(errors["c"]),
            pytest.approx(1 / 3),
            pytest.approx(of_strokes["c"]),
        ),
    }
    assert [(row.rank_from, row.rank_to, row.games, row.waiting) for row in rows] == [(1, 3, ("six",), 0)] * 3


def test_games_have_equal_weight_and_ranks_are_over_the_games_that_most_bots_have() -> None:
    """c has not played in `duel`. Over `six` alone there are as many pairs of bot and game as over both; over `six`
    three bots are ranked."""
    standings = standings_of(twice(SIX + DUEL))
    assert list(standings.variants) == ["six", "duel"]
    assert figures(standings.variants["six"]) == figures(standings_of(twice(SIX)).overall)
    assert figures(standings.variants["duel"]) == {
        "b": (1, pytest.approx(5 / 6), pytest.approx(sqrt(1 / 90)), pytest.approx(-1 / 2), pytest.approx(sqrt(1 / 30))),
        "a": (2, pytest.approx(1 / 6), pytest.approx(sqrt(1 / 90)), pytest.approx(1 / 2), pytest.approx(sqrt(1 / 30))),
    }
    overall = {row.bot: row for row in standings.overall}
    assert overall["b"].games == ("six", "duel")
    assert overall["b"].match_points == pytest.approx((5 / 12 + 5 / 6) / 2)
    six, duel = (next(row for row in standings.variants[game] if row.bot == "b") for game in ("six", "duel"))
    assert overall["b"].match_points_stderr == pytest.approx(
        sqrt((six.match_points_stderr or 0) ** 2 + (duel.match_points_stderr or 0) ** 2) / 2
    )
    assert (overall["b"].strokes, overall["b"].strokes_interval) == (None, None), "strokes of two games are not added"
    assert [(row.rank, row.bot) for row in standings.overall] == [(1, "b"), (2, "a"), (None, "c")]
    assert overall["c"].reason == "no deal has been played from every seat yet in duel"


def test_crosstable_worked_by_hand() -> None:
    """a and b: 2/3 in `six` and 1/6 in `duel`; -5/3 strokes in `six` and 1 stroke in `duel`."""
    table = standings_of(twice(SIX + DUEL)).crosstable
    cells: dict[tuple[str, str], tuple[object, ...]] = {
        (bot, other): (cell.match_points, cell.strokes, cell.matches)
        for bot, row in table.items()
        for other, cell in row.items()
    }
    assert cells == {
        ("a", "b"): (pytest.approx(5 / 12), None, 30),
        ("b", "a"): (pytest.approx(7 / 12), None, 30),
        ("a", "c"): (pytest.approx(1 / 3), pytest.approx(-4 / 3), 18),
        ("c", "a"): (pytest.approx(2 / 3), pytest.approx(4 / 3), 18),
        ("b", "c"): (pytest.approx(1 / 2), pytest.approx(1 / 3), 18),
        ("c", "b"): (pytest.approx(1 / 2), pytest.approx(-1 / 3), 18),
    }
    assert list(table) == ["b", "a", "c"]
    there, back = (table[bot][other].match_points_interval for bot, other in ("ac", "ca"))
    assert there is not None
    assert back is not None
    assert there == pytest.approx((1 - back[1], 1 - back[0]), abs=2e-9)


def test_ranks_by_strokes_are_told_apart_by_strokes() -> None:
    """In each block each wins once, but `b` loses by more."""
    rows = []
    for number in range(6):
        rows += [result(2 * number, number, a=1 + number % 2, b=0), result(2 * number + 1, number, b=9, a=0)]
    by_strokes, by_points = (
        [(row.rank, row.rank_from, row.rank_to) for row in standings_of(rows, rank_by).overall]
        for rank_by in ("strokes", "match-points")
    )
    assert by_strokes == [(1, 1, 1), (2, 2, 2)]
    assert by_points == [(1, 1, 2), (1, 1, 2)]


def test_bots_without_a_rank_come_last_whatever_their_names() -> None:
    renamed = [
        msgspec.structs.replace(one, bots=tuple("0" if bot == "c" else bot for bot in one.bots)) for one in SIX + DUEL
    ]
    assert [(row.rank, row.bot) for row in standings_of(renamed).overall] == [(1, "b"), (2, "a"), (None, "0")]


def test_equal_figures_share_a_rank_and_the_next_is_skipped() -> None:
    rows = standings_of([result(0, 0, d=9, b=1, c=5, a=5)]).overall
    assert [(row.rank, row.bot) for row in rows] == [(1, "b"), (2, "a"), (2, "c"), (4, "d")]


def test_figures_that_are_equal_but_for_the_order_of_adding_share_a_rank() -> None:
    """Shares of thirds: 1/3 + 2/3 + 1 against 2/3 + 2/3 + 2/3, among others."""
    matches = [*block(0, a=3, b=2, c=1, d=4), *block(1, a=2, b=2, c=9, d=4), *block(2, a=1, b=2, c=3, d=4)]
    rows = {row.bot: row for row in standings_of(matches).overall}
    assert rows["a"].match_points == pytest.approx((1 / 3 + 5 / 6 + 1) / 3)
    assert rows["b"].match_points == pytest.approx((2 / 3 + 5 / 6 + 2 / 3) / 3)
    assert (rows["a"].rank, rows["b"].rank) == (1, 1)


def test_with_fewer_than_six_deals_there_is_no_interval_and_the_row_says_why() -> None:
    for row in standings_of(SIX).overall:
        assert (row.match_points_stderr, row.match_points_interval, row.reason) == (None, None, TOO_FEW)
        assert (row.rank_from, row.rank_to) == (1, 3)


def test_a_block_that_lacks_rotations_waits() -> None:
    """Seats are not alike: nobody may gain because the others have not had the good one yet."""
    rows = {row.bot: row for row in standings_of([*SIX, result(40, 9, a=90, b=0, c=0)]).overall}
    assert {bot: row.match_points for bot, row in rows.items()} == {
        row.bot: row.match_points for row in standings_of(SIX).overall
    }
    assert [(row.matches, row.waiting) for row in rows.values()] == [(10, 1)] * 3


def test_with_no_whole_block_the_matches_count_as_they_are() -> None:
    rows = standings_of(SIX[:1]).overall
    assert [(row.rank, row.bot, row.match_points, row.strokes) for row in rows] == [
        (1, "a", 1, -5), (2, "b", 0.5, 0), (3, "c", 0, 5),
    ]  # fmt: skip
    assert {row.reason for row in rows} == {"no deal has been played from every seat yet"}
    others = [result(1, 1, a=1, b=2, d=3)]
    assert {row.rank for row in standings_of([*SIX[:1], *others]).overall} == {None}, "they met different opponents"


def test_all_alike_is_not_certainty() -> None:
    """Six deals won: with a chance of 0.025**(1/6) to win, that happens in 1 of 40 tournaments."""
    rows = standings_of([one for number in range(6) for one in block(number, a=0, b=5)]).overall
    assert [(row.match_points, row.match_points_stderr) for row in rows] == [(1, None), (0, None)]
    assert rows[0].match_points_interval == pytest.approx((0.025 ** (1 / 6), 1))
    assert rows[1].match_points_interval == pytest.approx((0, 1 - 0.025 ** (1 / 6)))
    assert (rows[0].strokes, rows[0].strokes_interval) == (-1.25, None)
    assert [(row.rank_from, row.rank_to) for row in rows] == [(1, 1), (2, 2)]


def test_the_crosstable_lacks_bots_that_share_no_whole_block() -> None:
    crosstable = standings_of([*SIX, result(40, 9, a=4, d=8)]).crosstable
    assert set(crosstable["a"]) == {"b", "c"}
    assert crosstable["d"] == {}


def test_a_forfeit_is_ranked_last_whatever_its_total() -> None:
    """The ranks of the match count, not its totals; faults and late slaps are summed by kind."""
    lost = msgspec.structs.replace(
        result(0, 0, a=0, b=5, c=9),
        ranks=(3, 1, 2),
        forfeited=(True, False, False),
        faults=({"timeout": 2, "crashed": 1}, {}, {"timeout": 1}),
        late_slaps=(4, 0, 1),
    )
    rows = {row.bot: row for row in standings_of([lost, msgspec.structs.replace(lost, number=1, block=1)]).overall}
    assert [rows[bot].match_points for bot in "abc"] == [0, 1, 0.5]
    assert [rows[bot].forfeits for bot in "abc"] == [2, 0, 0]
    assert [rows[bot].faults for bot in "abc"] == [{"crashed": 2, "timeout": 4}, {}, {"timeout": 2}]
    assert [rows[bot].late_slaps for bot in "abc"] == [8, 0, 2]


def test_a_match_that_ended_before_its_first_round_moves_no_strokes() -> None:
    rows = standings_of([result(0, 0, rounds=0, a=0, b=0)]).overall
    assert [(row.match_points, row.strokes) for row in rows] == [(0.5, 0), (0.5, 0)]


def test_without_results_there_are_no_rows() -> None:
    standings = standings_of([])
    assert (standings.overall, standings.variants, standings.crosstable) == ((), {}, {})


@st.composite
def tournaments(draw: st.DrawFn) -> list[Result]:
    """Any blocks of four bots in two games with tables of two and three; the last one may lack matches."""
    made: list[Result] = []
    for number in range(draw(st.integers(1, 12))):
        variant, seats = draw(st.sampled_from([("six", 3), ("duel", 2)]))
        bots = draw(st.permutations(["ann", "bob", "cid", "dan"]))[:seats]
        rounds = draw(st.integers(1, 9))
        for turn in range(seats):
            totals = {bot: draw(st.integers(-20, 60)) for bot in [*bots[turn:], *bots[:turn]]}
            made.append(result(4 * number + turn, number, variant, rounds, **totals))
    return made[: len(made) - draw(st.integers(0, 1))]


@settings(max_examples=15)
@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_in_which_results_arrive_changes_nothing(results: list[Result], random: Random) -> None:
    shuffled = list(results)
    random.shuffle(shuffled)
    for rank_by in ("match-points", "strokes"):
        assert standings_of(results, rank_by) == standings_of(shuffled, rank_by)


@settings(max_examples=15)
@given(tournaments())
def test_what_one_bot_gains_others_lose(results: list[Result]) -> None:
    standings = standings_of(results)
    for bot, other in combinations(standings.crosstable, 2):
        there, back = (standings.crosstable[one].get(two) for one, two in ((bot, other), (other, bot)))
        if there is None or back is None:
            assert there is back
            continue
        assert there.match_points + back.match_points == pytest.approx(1)
        assert (there.strokes is None) == (back.strokes is None)
        assert (there.strokes or 0) == -(back.strokes or 0)
        assert there.matches == back.matches


@settings(max_examples=15)
@given(tournaments())
def test_mean_strokes_are_those_of_whole_blocks_by_line_up(results: list[Result]) -> None:
    """Blocks with all rotations only; their means by line-up; the means of these."""
    played: dict[int, list[Result]] = {}
    for one in results:
        played.setdefault(one.block, []).append(one)
    whole = [some for some in played.values() if len(some) == len(some[0].bots)]
    for variant, rows in standings_of(results).variants.items():
        for row in rows:
            by_lineup: dict[frozenset[str], list[float]] = {}
            for some in whole:
                if some[0].variant == variant and row.bot in some[0].bots:
                    over = [
                        (one.totals[one.bots.index(row.bot)] - sum(one.totals) / len(one.totals)) / one.rounds
                        for one in some
                    ]
                    by_lineup.setdefault(frozenset(some[0].bots), []).append(sum(over) / len(over))
            if by_lineup:
                means = [sum(values) / len(values) for values in by_lineup.values()]
                assert row.strokes == pytest.approx(sum(means) / len(means), abs=1e-8)


@settings(max_examples=15)
@given(tournaments())
def test_ranks_follow_the_figure_and_intervals_hold_it(results: list[Result]) -> None:
    for rows in (standings_of(results).overall, *standings_of(results).variants.values()):
        ranked = [row for row in rows if row.rank is not None]
        for row in ranked:
            assert row.rank == 1 + sum((other.match_points or 0) > (row.match_points or 0) for other in ranked)
            assert 1 <= (row.rank_from or 0) <= row.rank <= (row.rank_to or 0) <= len(ranked)
        for row in rows:
            assert row.match_points_interval or row.reason
            low, high = row.match_points_interval or (0, 1)
            assert row.match_points is not None
            assert 0 <= low <= row.match_points <= high <= 1
            assert low < high


def test_the_document_has_the_fields_that_programs_read() -> None:
    standings = standings_of(twice(SIX + DUEL))
    text = msgspec.json.encode(
        made_up_summary(
            standings.overall,
            matches=6,
            unplayed=(6,),
            void_reasons={"the referee slept": 3},
            results=(SIX[0],),
            retired=(RetiredMatch(id=1, variant="duel", bots=("a", "b"), versions=("v1", "v2")),),
            history=(HistoryEvent(id=2, after=1, lines=("bot `b`: replaced",)),),
            bots=(EnteredBot(name="a", owner="", version="v1"),),
            variants=standings.variants,
            crosstable=standings.crosstable,
        )
    )
    document = msgspec.json.decode(text)
    fixed = ["name", "matches", "voided", "commitment", "key", "digest", "standings", "variants", "crosstable"]
    fixed += ["void_reasons", "unplayed", "lateness", "results", "retired", "history", "bots"]
    assert set(fixed) <= set(document)
    assert document["variants"]["six"][1] == {
        "rank": 2, "rank_from": 1, "rank_to": 3, "bot": "a",
        "match_points": 0.5, "match_points_stderr": 0.182574186, "match_points_interval": [0.157807575, 0.842192425],
        "strokes": -1.0, "strokes_stderr": 1.316561177, "strokes_interval": [-4.384328248, 2.384328248],
        "opponents": None, "reason": "", "games": ["six"],
        "matches": 18, "waiting": 0, "rounds": 36, "firsts": 6, "forfeits": 0,
        "faults": {}, "late_slaps": 0, "actions": {}, "idle_cpu_ms": 0,
    }  # fmt: skip
    assert document["variants"]["duel"][0]["bot"] == "b"
    assert document["crosstable"]["c"]["b"].keys() == {
        "match_points", "match_points_interval", "strokes", "strokes_interval", "matches",
    }  # fmt: skip


# Where bots met different opponents on purpose

CHALLENGERS = ("b02", "b05")


def gauntlet() -> Tally:
    """In a gauntlet each challenger meets each of the five other bots on two deals."""
    tally = Tally(ranked=CHALLENGERS)
    rest = [bot for bot in numbered(7) if bot not in CHALLENGERS]
    lineups = [tuple(sorted((one, other))) for one in CHALLENGERS for other in rest]
    for result in results_of(Block(variant="game", bots=bots, deal=deal) for deal in (0, 1) for bots in lineups):
        tally.add(result)
    return tally


def test_in_a_gauntlet_only_challengers_are_ranked() -> None:
    standings = gauntlet().standings("match-points")
    assert [(row.rank, row.bot, row.match_points) for row in standings.overall[:2]] == [
        (1, "b05", 0.8),
        (2, "b02", 0.4),
    ]
    assert {(row.rank, row.rank_from, row.rank_to, row.reason) for row in standings.overall[2:]} == {
        (None, None, None, NOT_RANKED)
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


RANKS = {"best": (1, 1, 2), "good": (2, 1, 3), "poor": (3, 2, 3)}


def swiss() -> Standings:
    """In a Swiss ratings order the bots. `poor` has won all its matches, against the weakest."""
    tables = [("best", "good"), ("poor", "weakest"), ("poor", "weakest")]
    results = [
        result
        for deal, bots in enumerate(tables)
        for result in results_of(
            [Block(variant=f"game {deal % 2}", bots=bots, deal=deal)], lambda table, _, bot: table.bots.index(bot)
        )
    ]
    return with_opponents(
        ranked_otherwise(standings_of(results), "ratings", RANKS),
        {"best": log(9), "good": log(3), "poor": 0.0, "weakest": -log(3)},
    )


def test_a_swiss_is_ordered_by_ratings_whatever_the_means() -> None:
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


def test_tables_of_means_are_left_out_of_a_swiss() -> None:
    text = report(swiss(), 120, full=True)

    assert "by rating; other figures are over different opponents, and do not rank" in text
    assert "opponents" in text
    assert "\ngame 0\n" not in text
    assert "by game" not in text
    assert "no interval" not in text


def test_places_of_a_knockout_take_the_place_of_ranks_by_means() -> None:
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
