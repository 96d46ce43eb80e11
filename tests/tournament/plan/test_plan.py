"""The plan of a tournament: keys, line-ups, seats and the order of matches."""

from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.keys import Rotations, commitment, deal_key, master_key, own_cards
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import PlannedMatch

KEY = bytes(range(32))


def names(count: int) -> list[str]:
    return [f"bot {number}" for number in range(count)]


def plan(
    bots: list[str], seats: dict[str, int], *, deals: int = 1, lineups: int | None = None, key: bytes = KEY
) -> Plan:
    entries = [PlannedVariant(variant=variant, seats=count) for variant, count in seats.items()]
    return Plan(WholeDeals(master_key=key, bots=bots, variants=entries, deals=deals, lineups=lineups))


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, int, dict[str, int]]:
    """A plan, its deals, and the seats by variant."""
    bots = draw(st.integers(2, 7))
    seats = {f"v{number}": draw(st.integers(2, bots)) for number in range(draw(st.integers(1, 3)))}
    deals = draw(st.integers(1, 3))
    lineups = draw(st.none() | st.integers(1, 40))
    return (
        plan(names(bots), seats, deals=deals, lineups=lineups, key=draw(st.binary(min_size=32, max_size=32))),
        deals,
        seats,
    )


def test_the_master_key_of_a_seed_and_its_commitment_can_be_derived_by_anybody() -> None:
    """The vectors are from `openssl dgst`."""
    seeded = master_key("any text")
    assert seeded.hex() == "e223521d2f429e6098952a089cd699a1d3cf9da77ac9702d074efc863d0b8c10"
    assert commitment(seeded) == "5d79765b5aa86c02dd59a4eda8c7c2c36b5bb6f4a3d0fb95f4b5d972c3ec2aad"


def test_without_a_seed_every_tournament_has_a_key_of_its_own() -> None:
    assert len(master_key(None)) == 32
    assert master_key(None) != master_key(None)


def test_names_that_need_escapes_cannot_be_confused() -> None:
    keys = {deal_key(KEY, "v", bots, 0) for bots in (['a","b'], ["a", "b"], ["a\\", "b"], ["a\n", "b"], ["a\0", "b"])}
    assert len(keys) == 5


def test_a_plan_of_two_variants_match_by_match() -> None:
    """Variants take turns block by block; `full` has one line-up, `pairs` three; then comes the next deal."""
    planned_matches = list(plan(["ann", "bob", "cid"], {"full": 3, "pairs": 2}, deals=2))
    shape = [(one.deal, one.variant, one.block, one.rotation) for one in planned_matches[:10]]
    assert shape == [
        (0, "full", 0, 0), (0, "full", 0, 1), (0, "full", 0, 2),
        (0, "pairs", 1, 0), (0, "pairs", 1, 1),
        (0, "pairs", 2, 0), (0, "pairs", 2, 1),
        (0, "pairs", 3, 0), (0, "pairs", 3, 1),
        (1, "full", 4, 0),
    ]  # fmt: skip
    assert len(planned_matches) == 18
    assert {frozenset(one.lineup) for one in planned_matches[3:9]} == {
        frozenset(two) for two in combinations(range(3), 2)
    }


def test_the_same_seed_gives_the_same_plan_in_every_version() -> None:
    key = master_key("demo")
    assert plan(names(5), {"six-card": 3}, deals=4, lineups=4, key=key)[29] == PlannedMatch(
        number=29,
        variant="six-card",
        block=9,
        lineup=(2, 1, 0),
        rotation=2,
        deal=2,
        deal_key=deal_key(key, "six-card", ["bot 0", "bot 1", "bot 2"], 2),
    )


@settings(max_examples=25)
@given(plans())
def test_every_deal_has_the_same_line_ups_once_with_every_bot_in_each_seat(
    made: tuple[Plan, int, dict[str, int]],
) -> None:
    planned_matches, deals, seats = made
    blocks: dict[int, list[PlannedMatch]] = {}
    for planned_match in planned_matches:
        blocks.setdefault(planned_match.block, []).append(planned_match)
    assert list(blocks) == list(range(len(blocks)))
    assert len({block[0].deal_key for block in blocks.values()}) == len(blocks)
    for block in blocks.values():
        count = seats[block[0].variant]
        assert [planned_match.rotation for planned_match in block] == list(range(count))
        assert (
            len({(planned_match.variant, planned_match.deal, planned_match.deal_key) for planned_match in block}) == 1
        )
        by_seat = [sorted(planned_match.lineup[seat] for planned_match in block) for seat in range(count)]
        assert by_seat == [sorted(block[0].lineup)] * count
        assert len(set(block[0].lineup)) == count

    played = Counter((block[0].variant, frozenset(block[0].lineup), block[0].deal) for block in blocks.values())
    line_ups = {(variant, bots) for variant, bots, _ in played}
    assert played == dict.fromkeys(((variant, bots, deal) for variant, bots in line_ups for deal in range(deals)), 1)
    assert [planned_match.deal for planned_match in planned_matches] == sorted(
        planned_match.deal for planned_match in planned_matches
    )
    assert [planned_match.number for planned_match in planned_matches] == list(range(len(planned_matches)))
    for number in (-1, len(planned_matches)):
        with pytest.raises(IndexError, match=f"matches 0 to {len(planned_matches) - 1}, not {number}"):
            planned_matches[number]


def test_the_order_of_bots_in_the_config_changes_no_match() -> None:
    bots = names(6)
    turned = bots[::-1]
    one, other = plan(bots, {"v": 3}, deals=2, lineups=7), plan(turned, {"v": 3}, deals=2, lineups=7)
    assert [([bots[bot] for bot in planned_match.lineup], planned_match.deal_key) for planned_match in one] == [
        ([turned[bot] for bot in planned_match.lineup], planned_match.deal_key) for planned_match in other
    ]


def test_over_two_deals_each_sits_as_often_on_anothers_left_as_on_the_right() -> None:
    for count in (3, 4, 5):
        planned_matches = plan(names(count), {"v": count}, deals=6)
        left = Counter(
            (planned_match.deal // 2, bot, planned_match.lineup[(seat + 1) % count])
            for planned_match in planned_matches
            for seat, bot in enumerate(planned_match.lineup)
        )
        assert all(left[pair, other, bot] == times for (pair, bot, other), times in left.items())


def test_a_plan_knows_its_tables_and_how_many_it_has() -> None:
    bots = ["dan", "ada", "cid", "bob"]
    seats = {"pairs": 2, "threes": 3, "all": 4}
    made = plan(bots, seats, deals=2)
    assert len(made) == 2 * (6 * 2 + 4 * 3 + 4)
    assert (made.lineups, made.whole.seats_of) == ({"pairs": 6, "threes": 4, "all": 1}, seats)
    assert made.matches == {"pairs": 24, "threes": 24, "all": 8} == Counter(one.variant for one in made)
    assert made.place(made[0]) == (made[0].variant, tuple(bots[bot] for bot in made[0].lineup), 0, ())
    assert [one.block for one in made if one.rotation == 0] == [*range(22)]
    for table, deal, is_there in ((["bob", "dan"], 1, True), (["bob", "dan"], 2, False), (["bob", "eve"], 0, False)):
        assert made.has_table("pairs", table, deal) == is_there
    assert not made.has_table("fours", bots, 0)
    assert not made.has_table("pairs", ["ada", "ada"], 0)


def test_a_plan_too_long_to_play_is_still_counted_and_read_at_once() -> None:
    huge = plan(names(30), {"v": 4}, deals=10**9)
    assert len(huge) == comb(30, 4) * 4 * 10**9
    assert huge[len(huge) - 1].deal == 10**9 - 1
    assert [planned_match.number for planned_match in islice(huge, 3)] == [0, 1, 2]


def test_mistakes_in_what_is_to_be_planned_are_named() -> None:
    with pytest.raises(ValueError, match="bot names must be unique, but these are not: b"):
        plan(["b", "a", "b"], {"v": 2})
    with pytest.raises(ValueError, match="v has 3 seats, but there are 2 bots"):
        plan(["a", "b"], {"v": 3})
    with pytest.raises(ValueError, match="variant names must be unique"):
        Plan(WholeDeals(master_key=KEY, bots=["a", "b"], variants=[PlannedVariant(variant="v", seats=2)] * 2, deals=1))


# Who shares cards: all rotations of a deal, or none; and what a voided match changes where none does


def turned(rotations: Rotations, *, bots: int = 4, deals: int = 4) -> Plan:
    variants = [PlannedVariant(variant="six-card", seats=3, rotations=rotations)]
    return Plan(WholeDeals(master_key=KEY, bots=names(bots), variants=variants, deals=deals))


@pytest.mark.parametrize(
    ("rotations", "redeals", "key"),
    [
        ("same", 0, "3f80e6803429a6386f6ab937caca69e5fdb97593924b47141b854e5554fc4a44"),
        ("fresh", 0, "954a2fc1864c2bd83d59c0f227c4d0cb513eedc5c152ad0e81c5c941c3c9d2ea"),
        ("fresh", 2, "1c4f34a5b7e9697e878c8cb7e9b1964edc9e28becf234c847aee782123bd0c08"),
    ],
)
def test_every_deal_key_can_be_derived_by_anybody(rotations: Rotations, redeals: int, key: str) -> None:
    """For rotation 1. The vectors are from `openssl dgst`; the first one is that of earlier versions."""
    own = own_cards(rotations, 1, redeals)
    assert deal_key(KEY, "cactus short", ["é", "bob", "Ada"], 3, own).hex() == key


def test_how_many_versions_a_bot_had_before_joins_the_key_unless_it_is_0_for_all() -> None:
    """The vector is from `openssl dgst`."""
    bots = ["é", "bob", "Ada"]
    own = own_cards("fresh", 1, 0)
    assert deal_key(KEY, "cactus short", bots, 3, own, versions_before=(1, 2, 0)).hex() == (
        "41851f06248a8e13428d21158cde7626954070df6257b6ddbaf6f6f1f1c18fb3"
    )
    assert deal_key(KEY, "v", bots, 3, versions_before=(0, 0, 0)) == deal_key(KEY, "v", bots, 3)


def test_fresh_rotations_differ_in_nothing_but_their_cards() -> None:
    same, fresh = list(turned("same")), list(turned("fresh"))
    assert [(one.number, one.block, one.rotation, one.deal, one.lineup) for one in fresh] == [
        (one.number, one.block, one.rotation, one.deal, one.lineup) for one in same
    ]
    assert len({one.deal_key for one in fresh}) == len(fresh)
    assert len({one.deal_key for one in same}) == len(same) // 3
    assert not {one.deal_key for one in fresh} & {one.deal_key for one in same}


def test_other_fresh_cards_are_dealt_after_a_void_and_nothing_else_changes() -> None:
    made = turned("fresh")
    for planned_match in made:
        keys = {made.dealt(planned_match, redeals).deal_key for redeals in range(4)}
        assert len(keys) == 4
        again = made.dealt(planned_match, 2)
        assert (again.number, again.lineup, again.redeals) == (planned_match.number, planned_match.lineup, 2)
        assert made.dealt(again) == planned_match
    assert all(turned("same").dealt(planned_match, 2) == planned_match for planned_match in turned("same"))
