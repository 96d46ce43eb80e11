"""The test that finds bots which help each other: its figures by their definition, planted pairs, and honest fields."""

import shutil
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from collusion import Case, tournament
from msgspec.structs import replace

from referee.commands.standings import show
from referee.tournament.results import Result
from referee.tournament.statistics.collusion import FEWEST, Influence, influences
from referee.tournament.statistics.rankings import Matches
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of

OLD_RUN = Path(__file__).parents[1] / "store" / "run_0_2_0.sqlite3"


def match(deal: int, bots: Sequence[str], totals: Sequence[int]) -> Result:
    none: tuple[dict[str, int], ...] = ({},) * len(bots)
    return Result(
        number=deal, variant="v", block=deal, deal=deal, bots=tuple(bots), totals=tuple(totals),
        ranks=tuple(1 + sum(other < total for other in totals) for total in totals), rounds=1,
        forfeited=(False,) * len(bots), faults=none, late_slaps=(0,) * len(bots),
    )  # fmt: skip


def found_in(results: Sequence[Result], owners: dict[str, str] | None = None) -> dict[tuple[str, str], Influence]:
    """By the bot whose results are looked at, and the bot that is there."""
    matches = Matches()
    for one in results:
        matches.add(one)
    names = {bot for one in results for bot in one.bots}
    return {(row.on, row.bot): row for row in influences(matches, owners or dict.fromkeys(names, ""))}


def suspected(case: Case, seed: int) -> set[tuple[str, str]]:
    matches, _ = tournament(case, Random(seed))  # noqa: S311 - a test that can be told again
    found = influences(matches, {str(bot): "" for bot in range(case.bots)})
    return {(row.on, row.bot) for row in found if row.is_suspected}


def some_results() -> list[Result]:
    dice = Random(5)  # noqa: S311 - a test that can be told again
    return [
        match(deal, lineup, [dice.randrange(6) for _ in lineup])
        for lineup in combinations("abcde", 3)
        for deal in range(FEWEST)
        for _ in lineup
    ]


def test_an_effect_is_the_mean_difference_with_and_without_the_other() -> None:
    """By its definition, pair by pair: how often `on` is ahead of each third with the bot there, less without it."""
    results = some_results()
    shares: dict[tuple[str, str, tuple[str, ...], int], list[float]] = defaultdict(list)
    for one in results:
        ranks = dict(zip(one.bots, one.ranks, strict=True))
        for on in one.bots:
            for third in one.bots:
                is_ahead = 0.5 if ranks[on] == ranks[third] else float(ranks[on] < ranks[third])
                shares[on, third, one.bots, one.deal].append(is_ahead)
    difference = weight = 0.0
    for third in "cde":
        by_presence: dict[bool, list[float]] = {True: [], False: []}
        for (on, other, bots, _), shared in shares.items():
            if (on, other) == ("a", third):
                by_presence["b" in bots].append(sum(shared) / len(shared))
        there, not_there = by_presence[True], by_presence[False]
        share = len(there) * len(not_there) / (len(there) + len(not_there))
        difference += share * (sum(there) / len(there) - sum(not_there) / len(not_there))
        weight += share

    found = found_in(results)["a", "b"]

    assert found.effect == pytest.approx(difference / weight, abs=1e-6)
    assert found.blocks == 3 * FEWEST


def test_the_order_of_matches_and_of_bots_has_no_influence() -> None:
    results = some_results()
    turned = [replace(one, bots=one.bots[::-1], totals=one.totals[::-1], ranks=one.ranks[::-1]) for one in results]

    assert found_in(results) == found_in(turned[::-1])


def test_one_that_helps_another_is_named_and_nobody_else() -> None:
    """Its victims do worse beside the pair, but not once the blocks of the pair are left out."""
    case = Case(name="", bots=7, seats=4, deals=6, helps=0.9)

    assert suspected(case, 1) == {("1", "0")}


def test_one_that_throws_its_games_is_named_and_nobody_else() -> None:
    case = Case(name="", bots=7, seats=4, deals=6, throws=1.5)

    assert suspected(case, 1) == {("0", "1")}


def test_honest_bots_of_very_unequal_strength_are_not_named() -> None:
    assert suspected(Case(name="", bots=7, seats=4, deals=6, reach=4), 1) == set()


def test_honest_bots_that_suit_each_other_more_or_less_are_not_named() -> None:
    """Their effects are great beside chance, but none is great beside those of the others."""
    case = Case(name="", bots=7, seats=4, deals=12, styles=0.3)
    matches, _ = tournament(case, Random(2))  # noqa: S311 - a test that can be told again
    rows = influences(matches, {str(bot): "" for bot in range(case.bots)})

    assert any(abs(row.effect) > 6 * row.stderr for row in rows)
    assert not any(row.is_suspected for row in rows)


def test_pairs_of_one_owner_are_a_family_of_their_own() -> None:
    found = found_in(some_results(), {"a": "ann", "b": "ann", "c": "", "d": "", "e": "eve"})

    assert {pair for pair, row in found.items() if row.one_owner} == {("a", "b"), ("b", "a")}
    least = min(found["a", "b"].p, found["b", "a"].p)
    assert min(found["a", "b"].p_of_all, found["b", "a"].p_of_all) == pytest.approx(min(1, 2 * least), rel=1e-5)


def test_who_has_left_is_not_tested_and_tables_of_two_say_nothing() -> None:
    found = found_in(some_results(), dict.fromkeys("abcd", ""))

    assert {name for pair in found for name in pair} == set("abcd")
    assert found_in([match(deal, "ab", (1, 2)) for deal in range(9)]) == {}


def test_the_standings_name_who_is_suspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Store.open(Path(shutil.copy(OLD_RUN, tmp_path / "run.golfref")))) as store:
        summary = summary_of(store)
    row = Influence(
        bot="ann", on="bea", one_owner=True, blocks=120, effect=0.1234, stderr=0.02, p=1e-6, p_of_all=2e-6,
        is_suspected=True,
    )  # fmt: skip
    show(replace(summary, influences=(row, replace(row, bot="bea", on="ann", effect=-0.2))), as_json=False)
    out = capsys.readouterr().out

    assert "bea finishes before 12.3% more of its other opponents where ann is at the table (both of one owner)" in out
    assert "p = 2e-06, 120 blocks: ann may help it" in out
    assert "ann finishes before 20.0% fewer of its other opponents where bea is" in out
    assert "it may give way to bea" in out
