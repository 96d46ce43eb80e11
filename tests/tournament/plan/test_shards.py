"""Shards are parts of the plan: every block is in one of them, and they are balanced."""

from collections import Counter

import pytest
from msgspec.structs import replace

from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.shards import MOST_SHARDS, Shard, read_shard

NAMES = ["ann", "bob", "cid", "dan", "eve"]
VARIANTS = [PlannedVariant(variant=f"v{seats}", seats=seats) for seats in (2, 3, 4)]


def whole_deals(deals: int) -> WholeDeals:
    return WholeDeals(master_key=bytes(32), bots=NAMES, variants=VARIANTS, deals=deals)


def number_in(whole: Plan, planned_match: PlannedMatch) -> int:
    """The number of a match in the plan of the whole run."""
    lineup = [
        planned_match.lineup[(seat + planned_match.rotation) % len(planned_match.lineup)]
        for seat in range(len(planned_match.lineup))
    ]
    number = whole.number_of(
        planned_match.variant, [NAMES[bot] for bot in lineup], planned_match.deal, planned_match.rotation
    )
    assert number is not None
    return number


def shards(whole: WholeDeals, of: int) -> list[Plan]:
    return [Plan(whole, shard=Shard(number=number, of=of)) for number in range(1, of + 1)]


@pytest.mark.parametrize(("of", "deals"), [(1, 1), (3, 4), (7, 5), (40, 1)])
def test_every_match_is_in_one_shard_with_its_cards_its_seats_and_its_block(of: int, deals: int) -> None:
    whole = Plan(whole_deals(deals))
    found: Counter[int] = Counter()
    for shard in shards(whole.whole, of):
        blocks = set()
        for number, planned_match in enumerate(shard):
            there = whole[number_in(whole, planned_match)]
            found[there.number] += 1
            assert planned_match == replace(there, number=number, block=planned_match.block)
            blocks.add((planned_match.block, there.block))
            assert shard.has_table(
                planned_match.variant, [NAMES[bot] for bot in planned_match.lineup], planned_match.deal
            )
        assert sorted(own for own, _ in blocks) == list(range(len(blocks)))
        assert len({of_whole for _, of_whole in blocks}) == len(blocks)
        assert shard.matches == {**dict.fromkeys(shard.matches, 0), **Counter(one.variant for one in shard)}
        lineups = {(one.variant, frozenset(one.lineup)) for one in shard}
        assert {name: count for name, count in shard.lineups.items() if count} == Counter(name for name, _ in lineups)
    assert found == dict.fromkeys(range(len(whole)), 1)


@pytest.mark.parametrize("of", [2, 3, 5])
def test_shards_have_as_many_blocks_of_each_variant_and_play_every_lineup(of: int) -> None:
    whole = whole_deals(10)
    parts = shards(whole, of)
    for entry in VARIANTS:
        counts = [part.matches[entry.variant] // entry.seats for part in parts]
        assert max(counts) - min(counts) <= 1 + 10 % of
        assert {part.lineups[entry.variant] for part in parts} == {whole.lineups[entry.variant]}
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 4 * of


def test_a_shard_has_the_same_matches_in_every_version() -> None:
    """Machines of two versions can play the shards of one run."""
    shard = shards(whole_deals(5), 7)[1]
    first = [number_in(Plan(shard.whole), one) for one in shard if one.rotation == 0]
    assert first == [2, 9, 57, 60, 70, 122, 125, 181, 187, 190, 242, 248, 255, 303, 309, 316]


def test_a_table_that_another_shard_has_is_not_in_this_one() -> None:
    whole = whole_deals(4)
    parts = shards(whole, 3)
    for planned_match in Plan(whole):
        table = planned_match.variant, [NAMES[bot] for bot in planned_match.lineup], planned_match.deal
        assert sum(part.has_table(*table) for part in parts) == 1
    assert not any(part.has_table("v2", ["ann", "bob"], 4) for part in parts)
    assert not any(part.has_table("v2", ["ann", "zoe"], 0) for part in parts)


@pytest.mark.parametrize("text", ["2/5", "1/1", f"{MOST_SHARDS}/{MOST_SHARDS}"])
def test_a_shard_is_read_as_it_is_written(text: str) -> None:
    assert str(read_shard(text)) == text


@pytest.mark.parametrize("text", ["", "2", "/", "0/5", "6/5", "2/0", "-1/5", "2/5/6", "a/b", "2 / 5", "1/9999", "²/5"])
def test_what_is_no_shard_is_not_read_as_one(text: str) -> None:
    assert read_shard(text) is None


def test_there_is_no_plan_of_a_shard_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="no shard 3/2"):
        Plan(whole_deals(1), shard=Shard(number=3, of=2))
