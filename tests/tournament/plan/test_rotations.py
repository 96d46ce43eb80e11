"""Who shares cards: all rotations of a deal, or none; and what a voided match changes of that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.plan.keys import Rotations, deal_key, own_cards
from referee.tournament.plan.schedule import Plan, PlannedVariant

KEY = bytes(range(32))


def plan(rotations: Rotations, *, bots: int = 4, seats: int = 3, deals: int = 4) -> Plan:
    return Plan(
        master_key=KEY,
        bots=[f"bot {number}" for number in range(bots)],
        variants=[PlannedVariant(variant="six-card", seats=seats, rotations=rotations)],
        deals=deals,
    )


@pytest.mark.parametrize(
    ("rotations", "redeals", "key"),
    [
        ("same", 0, "3f80e6803429a6386f6ab937caca69e5fdb97593924b47141b854e5554fc4a44"),
        ("same", 1, "8d5bdc7dc2aace5dad1748d91f47e61b43a70be3fbfe81e6a6852703348cf4e1"),
        ("fresh", 0, "954a2fc1864c2bd83d59c0f227c4d0cb513eedc5c152ad0e81c5c941c3c9d2ea"),
        ("fresh", 2, "1c4f34a5b7e9697e878c8cb7e9b1964edc9e28becf234c847aee782123bd0c08"),
    ],
)
def test_every_deal_key_can_be_derived_by_anybody(rotations: Rotations, redeals: int, key: str) -> None:
    """For rotation 1. The vectors are from `openssl dgst`; the first one is that of earlier versions."""
    own = own_cards(rotations, 1, redeals)
    assert deal_key(KEY, "cactus short", ["é", "bob", "Ada"], 3, own).hex() == key


@given(st.sets(st.tuples(st.sampled_from(["fresh", "same"]), st.integers(0, 9), st.integers(0, 9)), min_size=2))
def test_no_two_matches_have_the_same_key_unless_they_share_their_cards(
    cases: set[tuple[Rotations, int, int]],
) -> None:
    shared = {(rotations, rotation if rotations == "fresh" else 0, redeals) for rotations, rotation, redeals in cases}
    assert len({deal_key(KEY, "v", ["a", "b"], 0, own_cards(*case)) for case in cases}) == len(shared)


def test_fresh_rotations_differ_in_nothing_but_their_cards() -> None:
    same, fresh = list(plan("same")), list(plan("fresh"))
    assert [(one.number, one.block, one.rotation, one.deal, one.lineup) for one in fresh] == [
        (one.number, one.block, one.rotation, one.deal, one.lineup) for one in same
    ]
    assert len({one.deal_key for one in fresh}) == len(fresh)
    assert len({one.deal_key for one in same}) == len(same) // 3
    assert not {one.deal_key for one in fresh} & {one.deal_key for one in same}


@pytest.mark.parametrize("rotations", ["same", "fresh"])
def test_other_cards_are_dealt_after_a_void_and_nothing_else_changes(rotations: Rotations) -> None:
    made = plan(rotations)
    for fixture in made:
        keys = {made.dealt(fixture, redeals).deal_key for redeals in range(4)}
        assert len(keys) == 4
        again = made.dealt(fixture, 2)
        assert (again.number, again.lineup, again.redeals) == (fixture.number, fixture.lineup, 2)
        assert made.dealt(again) == fixture


def test_the_order_of_play_is_drawn_for_each_block() -> None:
    """By the stream `order` of the deal's key: all orders come, and the same ones in every version."""
    made = plan("same", bots=3, deals=200)
    orders = [tuple(made.order_of_play(fixture)) for fixture in made if fixture.rotation == 0]
    assert orders[:4] == [(2, 1, 0), (2, 1, 0), (1, 2, 0), (2, 0, 1)]
    assert min(orders.count(order) for order in set(orders)) > 15
    assert len(set(orders)) == 6
    assert made.order_of_play(made[1]) == made.order_of_play(made[0])
