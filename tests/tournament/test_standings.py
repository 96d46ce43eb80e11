"""Standings from rows of results: a tournament worked by hand, and what must hold for any."""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.results import Result
from referee.tournament.standings import BotStanding, standings_of
from referee.tournament.store.rows import RunEvent
from referee.tournament.summary import EnteredBot, Lateness, RetiredMatch, RunSummary


def result(number: int, block: int, variant: str = "six", rounds: int = 2, **totals: int) -> Result:
    """A match without faults; the totals by bot, in the order of the seats."""
    points = tuple(totals.values())
    return Result(
        number=number,
        variant=variant,
        block=block,
        bots=tuple(totals),
        totals=points,
        ranks=tuple(1 + sum(other < total for other in points) for total in points),
        rounds=rounds,
        forfeited=(False,) * len(points),
        faults=({},) * len(points),
        late_slaps=(0,) * len(points),
    )


SIX = [
    result(0, 0, a=10, b=20, c=30),
    result(1, 0, b=16, c=16, a=22),
    result(2, 1, c=0, a=6, b=12),
]
"""Match points: a 1, 0, 1/2; b 1/2, 3/4, 0; c 0, 3/4, 1. Strokes: a -5, 2, 0; b 0, -1, 3; c 5, -1, -3."""

DUEL = [
    result(3, 2, "duel", rounds=4, a=4, b=0),
    result(4, 2, "duel", rounds=4, b=0, a=0),
    result(5, 3, "duel", rounds=4, a=8, b=0),
]
"""Match points: a 0, 1/2, 0; b 1, 1/2, 1. Strokes: a 1/2, 0, 1; b -1/2, 0, -1."""


def figures(rows: Sequence[BotStanding]) -> dict[str, tuple[object, ...]]:
    return {
        row.bot: (row.rank, row.match_points, row.match_points_stderr, row.strokes, row.strokes_stderr) for row in rows
    }


def test_one_variant_worked_by_hand() -> None:
    """For b, match points: the mean is 5/12; its blocks deviate by 5/12 and -5/12; so sqrt(2 * 2 * (5/12)**2) / 3."""
    assert figures(standings_of(SIX).overall) == {
        "a": (2, pytest.approx(1 / 2), pytest.approx(0), pytest.approx(-1), pytest.approx(2 / 3)),
        "b": (3, pytest.approx(5 / 12), pytest.approx(5 / 18), pytest.approx(2 / 3), pytest.approx(14 / 9)),
        "c": (1, pytest.approx(7 / 12), pytest.approx(5 / 18), pytest.approx(1 / 3), pytest.approx(20 / 9)),
    }


def test_variants_have_equal_weight() -> None:
    standings = standings_of(SIX + DUEL)
    assert list(standings.variants) == ["six", "duel"]
    assert figures(standings.variants["six"]) == figures(standings_of(SIX).overall)
    assert figures(standings.variants["duel"]) == {
        "b": (1, pytest.approx(5 / 6), pytest.approx(1 / 9), pytest.approx(-1 / 2), pytest.approx(1 / 3)),
        "a": (2, pytest.approx(1 / 6), pytest.approx(1 / 9), pytest.approx(1 / 2), pytest.approx(1 / 3)),
    }
    assert figures(standings.overall) == {
        "b": (
            1,
            pytest.approx(5 / 8),
            pytest.approx(sqrt(29) / 36),
            pytest.approx(1 / 12),
            pytest.approx(sqrt(205) / 18),
        ),
        "c": (2, pytest.approx(7 / 12), pytest.approx(5 / 18), pytest.approx(1 / 3), pytest.approx(20 / 9)),
        "a": (3, pytest.approx(1 / 3), pytest.approx(1 / 18), pytest.approx(-1 / 4), pytest.approx(sqrt(5) / 6)),
    }


def test_counts_add_up_over_variants() -> None:
    counts = {row.bot: (row.matches, row.rounds, row.firsts) for row in standings_of(SIX + DUEL).overall}
    assert counts == {"a": (6, 18, 2), "b": (6, 18, 4), "c": (3, 6, 2)}


def test_crosstable_worked_by_hand() -> None:
    """a and b: 2/3 in `six` and 1/6 in `duel`; -5/3 strokes and 1 stroke."""
    table = standings_of(SIX + DUEL).crosstable
    cells: dict[tuple[str, str], tuple[object, ...]] = {
        (bot, other): (cell.match_points, cell.strokes, cell.matches)
        for bot, row in table.items()
        for other, cell in row.items()
    }
    assert cells == {
        ("a", "b"): (pytest.approx(5 / 12), pytest.approx(-1 / 3), 6),
        ("b", "a"): (pytest.approx(7 / 12), pytest.approx(1 / 3), 6),
        ("a", "c"): (pytest.approx(1 / 3), pytest.approx(-4 / 3), 3),
        ("c", "a"): (pytest.approx(2 / 3), pytest.approx(4 / 3), 3),
        ("b", "c"): (pytest.approx(1 / 2), pytest.approx(1 / 3), 3),
        ("c", "b"): (pytest.approx(1 / 2), pytest.approx(-1 / 3), 3),
    }
    assert list(table) == ["b", "c", "a"]


def test_rank_by_strokes() -> None:
    standings = standings_of(SIX + DUEL, "strokes")
    assert [(row.rank, row.bot) for row in standings.overall] == [(1, "a"), (2, "b"), (3, "c")]
    assert [row.bot for row in standings.variants["duel"]] == ["b", "a"]
    assert list(standings.crosstable) == ["a", "b", "c"]


def test_equal_figures_share_a_rank_and_the_next_is_skipped() -> None:
    rows = standings_of([result(0, 0, d=9, b=1, c=5, a=5)]).overall
    assert [(row.rank, row.bot) for row in rows] == [(1, "b"), (2, "a"), (2, "c"), (4, "d")]


def test_figures_that_are_equal_but_for_the_order_of_adding_share_a_rank() -> None:
    """Shares of thirds: 1/3 + 2/3 + 1 against 2/3 + 2/3 + 2/3, among others."""
    matches = [result(0, 0, a=3, b=2, c=1, d=4), result(1, 0, a=2, b=2, c=9, d=4), result(2, 0, a=1, b=2, c=3, d=4)]
    rows = {row.bot: row for row in standings_of(matches).overall}
    assert rows["a"].match_points == pytest.approx((1 / 3 + 5 / 6 + 1) / 3)
    assert rows["b"].match_points == pytest.approx((2 / 3 + 5 / 6 + 2 / 3) / 3)
    assert (rows["a"].rank, rows["b"].rank) == (1, 1)


def test_no_standard_error_with_fewer_than_two_blocks() -> None:
    row = standings_of([*SIX, result(3, 2, "duel", a=1, b=0)]).overall[0]
    assert (row.bot, row.match_points_stderr, row.strokes_stderr) == ("b", None, None)
    assert standings_of(SIX[:2]).overall[0].match_points_stderr is None


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


def test_no_results_no_rows() -> None:
    standings = standings_of([])
    assert (standings.overall, standings.variants, standings.crosstable) == ((), {}, {})


@st.composite
def tournaments(draw: st.DrawFn) -> list[Result]:
    """Any matches of four bots in two variants with tables of two and three, some in the same block."""
    made = []
    for number in range(draw(st.integers(1, 15))):
        variant, seats = draw(st.sampled_from([("six", 3), ("duel", 2)]))
        bots = draw(st.permutations(["ann", "bob", "cid", "dan"]))[:seats]
        totals = {bot: draw(st.integers(-20, 60)) for bot in bots}
        made.append(result(number, draw(st.integers(0, 4)), variant, draw(st.integers(1, 9)), **totals))
    return made


@given(tournaments(), st.randoms(use_true_random=False))
def test_the_order_in_which_results_arrive_changes_nothing(results: list[Result], random: Random) -> None:
    shuffled = list(results)
    random.shuffle(shuffled)
    for rank_by in ("match-points", "strokes"):
        assert standings_of(results, rank_by) == standings_of(shuffled, rank_by)


@given(tournaments())
def test_what_one_bot_gains_others_lose(results: list[Result]) -> None:
    standings = standings_of(results)
    for rows in standings.variants.values():
        assert sum(row.match_points * row.matches for row in rows) == pytest.approx(
            sum(row.matches for row in rows) / 2
        )
        assert sum(row.strokes * row.matches for row in rows) == pytest.approx(0, abs=1e-6)
    for bot, other in combinations(standings.crosstable, 2):
        there, back = (standings.crosstable[one].get(two) for one, two in ((bot, other), (other, bot)))
        if there is None or back is None:
            assert there is back
            continue
        assert there.match_points + back.match_points == pytest.approx(1)
        assert there.strokes == -back.strokes
        assert there.matches == back.matches


@given(tournaments())
def test_figures_and_errors_by_the_definition(results: list[Result]) -> None:
    """The formula of the clustered standard error, written out match by match."""
    for variant, rows in standings_of(results).variants.items():
        for row in rows:
            played = [
                (one.block, one.totals[one.bots.index(row.bot)] - sum(one.totals) / len(one.totals), one.rounds)
                for one in results
                if one.variant == variant and row.bot in one.bots
            ]
            strokes = [over / rounds for _, over, rounds in played]
            mean = sum(strokes) / len(strokes)
            assert row.strokes == pytest.approx(mean, abs=1e-8)
            blocks = {block for block, _, _ in played}
            if len(blocks) < 2:
                assert row.strokes_stderr is None
                continue
            sums = [
                sum(value - mean for value, (at, _, _) in zip(strokes, played, strict=True) if at == block)
                for block in blocks
            ]
            factor = len(blocks) / (len(blocks) - 1)
            error = sqrt(factor * sum(value**2 for value in sums)) / len(strokes)
            assert row.strokes_stderr == pytest.approx(error, abs=1e-8)


@given(tournaments())
def test_ranks_follow_the_figure(results: list[Result]) -> None:
    for rows in (standings_of(results).overall, *standings_of(results).variants.values()):
        for row in rows:
            assert row.rank == 1 + sum(other.match_points > row.match_points for other in rows)


def test_the_document_has_the_fields_that_programs_read() -> None:
    standings = standings_of(SIX + DUEL)
    text = msgspec.json.encode(
        RunSummary(
            name="demo",
            matches=6,
            planned=7,
            voided=3,
            void_reasons={"the referee slept": 3},
            unplayed=(6,),
            lateness=Lateness(worst_ms=1.5, above_100_ms=0),
            counts_cpu=True,
            results=(SIX[0],),
            retired=(RetiredMatch(id=1, variant="duel", bots=("a", "b"), versions=("v1", "v2")),),
            history=(RunEvent(after=1, lines=("bot `b`: replaced",)),),
            version="0.1.0",
            host="Linux",
            isolation="limits",
            rotations="same",
            reuse="match",
            slap_timing=None,
            bots=(EnteredBot(name="a", owner="", version="v1"),),
            rank_by=standings.rank_by,
            scoring_tables={},
            commitment="c0",
            key=None,
            digest="d1",
            standings=standings.overall,
            variants=standings.variants,
            crosstable=standings.crosstable,
        )
    )
    document = msgspec.json.decode(text)
    fixed = ["name", "matches", "voided", "commitment", "key", "digest", "standings", "variants", "crosstable"]
    fixed += ["void_reasons", "unplayed", "lateness", "results", "retired", "history", "bots"]
    assert set(fixed) <= set(document)
    assert document["standings"][1] == {
        "rank": 2, "bot": "c", "match_points": 0.583333333, "match_points_stderr": 0.277777778,
        "strokes": 0.333333333, "strokes_stderr": 2.222222222, "matches": 3, "rounds": 6, "firsts": 2, "forfeits": 0,
        "faults": {}, "late_slaps": 0, "idle_cpu_ms": 0,
    }  # fmt: skip
    assert document["variants"]["duel"][0]["bot"] == "b"
    assert document["crosstable"]["c"]["b"] == {"match_points": 0.5, "strokes": -0.333333333, "matches": 3}
