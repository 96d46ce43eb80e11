"""The test that finds bots which help each other: its figures by their definition, planted pairs, and honest fields."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from made_up_runs import made_up_result, made_up_summary
from msgspec.structs import replace
from simulated import World, chance, names, played

from referee.commands.runs.standings import show
from referee.tournament.figures.blocks import table_of
from referee.tournament.figures.collusion import FEWEST, Influence, influences
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.plan import Plan
from referee.tournament.results import Result
from referee.tournament.tally import standings_of


def found_in(results: Sequence[Result], owners: dict[str, str] | None = None) -> dict[tuple[str, str], Influence]:
    """By the bot whose results are looked at, and the bot that is there."""
    names = {bot for one in results for bot in one.bots}
    return {(row.on, row.bot): row for row in influences(table_of(results), owners or dict.fromkeys(names, ""))}


def simulated(seed: str, *, deals: int = 6, reach: float = 1.5, **effects: Any) -> tuple[Influence, ...]:
    """What is found in a tournament of seven bots at tables of four; `bot 03` and `bot 04` are in the middle."""
    bots = names(7)
    world = World(strengths={bot: reach * (at - 3) / 3 for at, bot in enumerate(bots)}, **effects)
    plan = Plan(WholeDeals(master_key=b"k", bots=bots, variants=[PlannedVariant(variant="v", seats=4)], deals=deals))
    return influences(table_of(played(plan, bots, world, chance(seed))), dict.fromkeys(bots, ""))


def suspected(rows: Sequence[Influence]) -> set[tuple[str, str]]:
    return {(row.on, row.bot) for row in rows if row.is_suspected}


def some_results() -> list[Result]:
    dice = chance("5")
    return [
        made_up_result(lineup, [dice.randrange(6) for _ in lineup], block=deal, deal=deal)
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


@pytest.mark.parametrize(
    ("effects", "named"),
    [
        ({"beside": {("bot 04", "bot 03"): 0.9}}, {("bot 04", "bot 03")}),
        ({"beside": {("bot 03", "bot 04"): -1.5}}, {("bot 03", "bot 04")}),
        ({"reach": 4}, set()),
    ],
    ids=["helps", "throws", "unequal"],
)
def test_a_bot_that_helps_another_or_throws_its_games_is_named_and_nobody_else(
    effects: dict[str, Any], named: set[tuple[str, str]]
) -> None:
    """Their victims do worse beside the pair, but not once the blocks of the pair are left out."""
    assert suspected(simulated("1", **effects)) == named


def test_honest_bots_that_suit_each_other_more_or_less_are_not_named() -> None:
    """Their effects are great beside chance, but none is great beside those of the others."""
    rows = simulated("2", deals=12, interaction=0.3)

    assert any(abs(row.effect) > 6 * row.stderr for row in rows)
    assert suspected(rows) == set()


def test_pairs_of_one_owner_are_a_family_of_their_own() -> None:
    found = found_in(some_results(), {"a": "ann", "b": "ann", "c": "", "d": "", "e": "eve"})

    assert {pair for pair, row in found.items() if row.one_owner} == {("a", "b"), ("b", "a")}
    least = min(found["a", "b"].p, found["b", "a"].p)
    assert min(found["a", "b"].p_of_all, found["b", "a"].p_of_all) == pytest.approx(min(1, 2 * least), rel=1e-5)


def test_bots_that_have_left_are_not_tested_and_tables_of_two_say_nothing() -> None:
    found = found_in(some_results(), dict.fromkeys("abcd", ""))

    assert {name for pair in found for name in pair} == set("abcd")
    assert found_in([made_up_result("ab", (1, 2), block=deal) for deal in range(9)]) == {}


def test_the_standings_name_who_is_suspected(capsys: pytest.CaptureFixture[str]) -> None:
    standings = standings_of(some_results())
    summary = made_up_summary(
        standings.overall, matches=1, variants=standings.variants, crosstable=standings.crosstable
    )
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
