"""A plan that grows by rounds: numbers, seats and cards of its matches, and what no round may have."""

from collections import Counter

import pytest

from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.keys import Rotations, deal_key
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.rounds import Block, Round

KEY = bytes(range(32))
BOTS = ("dan", "ada", "cy", "bob")


def variants(rotations: Rotations = "same") -> list[PlannedVariant]:
    return [PlannedVariant(variant=f"v{seats}", seats=seats, rotations=rotations) for seats in (2, 3)]


def whole_deals(rotations: Rotations = "same") -> WholeDeals:
    return WholeDeals(master_key=KEY, bots=BOTS, variants=variants(rotations), deals=3)


def growing(*rounds: Round, rotations: Rotations = "same") -> Plan:
    return Plan(whole_deals(rotations), rounds=rounds)


def whole(deal: int) -> Round:
    return Round(number=deal, title=f"deal {deal + 1}", whole_deal=deal)


def tables(*some: Block) -> Round:
    return Round(number=0, title="tables", tables=some)


def table(bots: str, deal: int = 0) -> Block:
    names = tuple(bots.split())
    return Block(variant=f"v{len(names)}", bots=names, deal=deal)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_whole_deals_make_the_fixed_plan(rotations: Rotations) -> None:
    fixed, plan = Plan(whole_deals(rotations)), growing(*map(whole, range(3)), rotations=rotations)
    assert list(plan) == list(fixed)
    assert (plan.matches, plan.lineups) == (fixed.matches, fixed.lineups)
    assert plan.longest_round == len(fixed) // 3


def test_matches_are_numbered_by_rounds_tables_and_rotations_and_keep_their_numbers() -> None:
    plan = growing(tables(table("ada dan"), table("ada bob cy")))
    before = list(plan)
    plan.add(tables(table("bob cy"), table("ada dan", 1)))
    plan.add(whole(2))
    assert list(plan)[: len(before)] == before
    assert [one.number for one in plan] == list(range(len(plan)))
    assert [one.block for one in list(plan)[:9]] == [0, 0, 1, 1, 1, 2, 2, 3, 3]
    assert [plan.round_of(number) for number in (0, 4, 5, 8, 9, len(plan) - 1)] == [0, 0, 1, 1, 2, 2]
    assert Counter(one.variant for one in plan) == plan.matches
    assert plan.lineups == {"v2": 6, "v3": 4}
    assert plan.has_table("v3", ["cy", "ada", "bob"], 0)
    assert plan.has_table("v2", ["cy", "dan"], 2)
    assert not plan.has_table("v2", ["cy", "dan"], 0)


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_a_table_has_the_seats_and_cards_that_the_fixed_plan_gives_it(rotations: Rotations) -> None:
    """The same bots on the same deal, in whatever format they meet."""
    by_place = {(one.variant, one.lineup, one.deal): one for one in Plan(whole_deals(rotations))}
    plan = growing(tables(*(table(bots, deal) for bots in ("ada dan", "bob cy dan") for deal in range(3))))
    for one in growing(*plan.rounds, rotations=rotations):
        planned = by_place[one.variant, one.lineup, one.deal]
        assert (one.rotation, one.deal_key) == (planned.rotation, planned.deal_key)
    assert plan[0].deal_key == deal_key(KEY, "v2", ["ada", "dan"], 0)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (table("ada eve"), "does not take part"),
        (Block(variant="v4", bots=BOTS, deal=0), "no game `v4`"),
        (Block(variant="v3", bots=("ada", "bob"), deal=0), "expected 3 bots"),
        (Block(variant="v2", bots=("ada", "ada"), deal=0), "expected 2 bots"),
        (Block(variant="v2", bots=("bob", "ada"), deal=0), "in the order of their names"),
        (table("ada bob", -1), "a deal has the number -1"),
        (table("ada bob", 2**31), "a deal has the number"),
        (table("ada dan", 1), "meet twice on deal 1"),
        (table("ada cy", 2), "meet twice on deal 2"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(wrong: Block, why: str) -> None:
    plan = growing(tables(table("ada dan", 1)), whole(2))
    with pytest.raises(ValueError, match=why):
        plan.add(tables(wrong))
    with pytest.raises(ValueError, match=why):
        growing(*plan.rounds, tables(table("bob dan"), wrong))


@pytest.mark.parametrize("deal", [-1, 0, 1, 3])
def test_a_whole_deal_that_is_not_there_or_begun_is_refused(deal: int) -> None:
    plan = growing(whole(0), tables(table("ada dan", 1)))
    with pytest.raises(ValueError, match=f"takes deal {deal}"):
        plan.add(whole(deal))
