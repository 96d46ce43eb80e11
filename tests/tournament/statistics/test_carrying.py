"""The test that finds bots which carry cards from one rotation of a deal to the next, and names nobody else."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import prod
from random import Random

import pytest
from made_up_runs import made_up_result
from msgspec.structs import replace

from referee.tournament.results import Result
from referee.tournament.statistics import carrying
from referee.tournament.statistics.carrying import LEVEL, Carrying, CarryingTest

pytestmark = pytest.mark.full


def result(block: int, commit: int, bots: Sequence[str], ranks: Sequence[int]) -> Result:
    return replace(made_up_result(bots, ranks, number=commit, block=block), commit=commit)


def examined(results: Sequence[Result]) -> dict[str, Carrying]:
    test = CarryingTest()
    for one in results:
        test.add(one)
    return {row.bot: row for row in test.findings()}


def duels(first: Sequence[bool], second: Sequence[bool]) -> list[Result]:
    """Blocks of eve against ann: whether eve won the rotation that was played first, and the second one."""
    matches = [won for pair in zip(first, second, strict=True) for won in pair]
    return [
        result(number // 2, number + 1, ("eve", "ann"), (1, 2) if won else (2, 1)) for number, won in enumerate(matches)
    ]


def test_a_bot_that_wins_every_second_rotation_is_named() -> None:
    """As one did by what lay in the host's page cache: 16 of 16 second rotations, and 5 of 16 first ones."""
    found = examined(duels([number < 5 for number in range(16)], [True] * 16))
    eve, ann = found["eve"], found["ann"]
    assert (eve.first, eve.later) == (5 / 16, 1.0)
    assert eve.p == 0.5**11
    assert eve.p_of_all == 2 * eve.p < LEVEL
    assert eve.is_suspected
    assert ann.p == 1.0
    assert not ann.is_suspected


def test_the_order_of_commits_counts_and_not_that_of_the_plan() -> None:
    played = duels([False] * 20, [True] * 20)
    turned = [block[::-1] for block in (played[at : at + 2] for at in range(0, 40, 2))]
    assert examined([one for block in turned for one in block])["eve"] == examined(played)["eve"]


def test_who_always_wins_or_never_does_is_not_named() -> None:
    found = examined(duels([True] * 50, [True] * 50))
    assert [row.p for row in found.values()] == [1.0, 1.0]
    assert not any(row.is_suspected for row in found.values())


def test_the_p_value_is_the_share_of_orders_that_are_at_least_as_good() -> None:
    """Compared with every order of every block, written out."""
    dice = Random(1)  # noqa: S311 - a test that can be told again
    for _ in range(20):
        blocks = [[dice.choice(list(permutations((1, 2, 3)))) for _ in range(3)] for _ in range(3)]
        results = [
            result(number, 3 * number + place + 1, "abc", ranks)
            for number, block in enumerate(blocks)
            for place, ranks in enumerate(block)
        ]
        points = [[{1: 2, 2: 1, 3: 0}[ranks[0]] for ranks in block] for block in blocks]
        orders = list(product(*(permutations(block) for block in points)))
        sums = [sum(place * one for block in order for place, one in enumerate(block)) for order in orders]
        at_least = sum(one >= sums_of(points) for one in sums)
        assert examined(results)["a"].p == pytest.approx(at_least / prod([6] * 3))


def sums_of(points: Sequence[Sequence[int]]) -> int:
    return sum(place * one for block in points for place, one in enumerate(block))


def test_many_blocks_are_judged_by_the_normal_distribution_which_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = Random(2)  # noqa: S311 - a test that can be told again
    results = duels([dice.random() < 0.4 for _ in range(300)], [dice.random() < 0.5 for _ in range(300)])
    exact = examined(results)["eve"].p
    assert 1e-4 < exact < 0.1
    monkeypatch.setattr(carrying, "MOST_BITS", 0)
    assert examined(results)["eve"].p == pytest.approx(exact, rel=0.03)


def simulated(dice: Random, *, deals: int, knows: str = "") -> Iterator[Result]:
    """A run of four bots of different strength, where seats and deals are not alike; at tables of two and of three.

    The bot that `knows` the cards of later rotations wins these.
    """
    strength = {"ann": 0.0, "bea": 0.3, "cid": 0.6, "eve": 0.3}
    block = commit = 0
    for _, seats in product(range(deals), (2, 3)):
        for lineup in combinations(strength, seats):
            luck = [dice.gauss(0, 1) for _ in range(seats)]
            rotations = dice.sample(range(seats), seats)
            for place, rotation in enumerate(rotations):
                bots = (*lineup[rotation:], *lineup[:rotation])
                scores = [strength[bot] + luck[seat] + dice.gauss(0, 1) for seat, bot in enumerate(bots)]
                scores = [9.0 if place and bot == knows else score for bot, score in zip(bots, scores, strict=True)]
                commit += 1
                yield result(block, commit, bots, [1 + sum(other > own for other in scores) for own in scores])
            block += 1


RUNS = 300


def test_in_an_honest_run_hardly_anybody_is_named() -> None:
    """At most in one of a hundred runs. Ten of 300 would come once in 2,000 times if it were just that many."""
    dice = Random(3)  # noqa: S311 - a test that can be told again
    named = sum(any(row.is_suspected for row in examined(list(simulated(dice, deals=5))).values()) for _ in range(RUNS))
    assert named < 10


def test_a_bot_that_knows_the_cards_is_found_in_a_short_run() -> None:
    """In nearly all of the runs with five deals, and no other bot is named in more than one of a hundred."""
    dice = Random(4)  # noqa: S311 - a test that can be told again
    found = [examined(list(simulated(dice, deals=5, knows="eve"))) for _ in range(30)]
    assert sum(rows["eve"].is_suspected for rows in found) >= 28
    assert sum(row.is_suspected for rows in found for row in rows.values() if row.bot != "eve") <= 2
