"""The plan of a tournament: keys, line-ups, seats and the order of matches."""

from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.table.streams import Stream
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.keys import commitment, deal_key, master_key
from referee.tournament.plan.lineups import AllLineups
from referee.tournament.plan.samples import choose_lineups
from referee.tournament.plan.schedule import Plan, PlannedVariant

KEY = bytes(range(32))


def names(count: int) -> list[str]:
    return [f"bot {number}" for number in range(count)]


def plan(
    bots: list[str], seats: dict[str, int], *, deals: int = 1, lineups: int | None = None, key: bytes = KEY
) -> Plan:
    entries = [PlannedVariant(variant=variant, seats=count) for variant, count in seats.items()]
    return Plan(master_key=key, bots=bots, variants=entries, deals=deals, lineups=lineups)


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


def test_keys_can_be_derived_by_anybody() -> None:
    """The vectors are from `openssl dgst`."""
    key = "3f80e6803429a6386f6ab937caca69e5fdb97593924b47141b854e5554fc4a44"
    assert deal_key(KEY, "cactus short", ["é", "bob", "Ada"], 3).hex() == key
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
    fixtures = list(plan(["ann", "bob", "cid"], {"full": 3, "pairs": 2}, deals=2))
    shape = [(one.deal, one.variant, one.block, one.rotation) for one in fixtures[:10]]
    assert shape == [
        (0, "full", 0, 0), (0, "full", 0, 1), (0, "full", 0, 2),
        (0, "pairs", 1, 0), (0, "pairs", 1, 1),
        (0, "pairs", 2, 0), (0, "pairs", 2, 1),
        (0, "pairs", 3, 0), (0, "pairs", 3, 1),
        (1, "full", 4, 0),
    ]  # fmt: skip
    assert len(fixtures) == 18
    assert {frozenset(one.lineup) for one in fixtures[3:9]} == {frozenset(two) for two in combinations(range(3), 2)}


def test_the_same_seed_gives_the_same_plan_in_every_version() -> None:
    key = master_key("demo")
    assert plan(names(5), {"six-card": 3}, deals=4, lineups=4, key=key)[29] == Fixture(
        number=29,
        variant="six-card",
        block=9,
        lineup=(2, 1, 0),
        rotation=2,
        deal=2,
        deal_key=deal_key(key, "six-card", ["bot 0", "bot 1", "bot 2"], 2),
    )


@given(plans())
def test_every_bot_sits_in_each_seat_once_a_block(made: tuple[Plan, int, dict[str, int]]) -> None:
    fixtures, _, seats = made
    blocks: dict[int, list[Fixture]] = {}
    for fixture in fixtures:
        blocks.setdefault(fixture.block, []).append(fixture)
    assert list(blocks) == list(range(len(blocks)))
    assert len({block[0].deal_key for block in blocks.values()}) == len(blocks)
    for block in blocks.values():
        count = seats[block[0].variant]
        assert [fixture.rotation for fixture in block] == list(range(count))
        assert len({(fixture.variant, fixture.deal, fixture.deal_key) for fixture in block}) == 1
        by_seat = [sorted(fixture.lineup[seat] for fixture in block) for seat in range(count)]
        assert by_seat == [sorted(block[0].lineup)] * count
        assert len(set(block[0].lineup)) == count


@given(plans())
def test_every_deal_plays_the_same_line_ups_of_each_variant_once(made: tuple[Plan, int, dict[str, int]]) -> None:
    fixtures, deals, _ = made
    starts = [fixture for fixture in fixtures if fixture.rotation == 0]
    played = Counter((fixture.variant, frozenset(fixture.lineup), fixture.deal) for fixture in starts)
    assert set(played.values()) == {1}
    line_ups = {(variant, bots) for variant, bots, _ in played}
    assert set(played) == {(variant, bots, deal) for variant, bots in line_ups for deal in range(deals)}
    assert [fixture.deal for fixture in fixtures] == sorted(fixture.deal for fixture in fixtures)


@given(plans())
def test_a_match_is_found_by_its_number(made: tuple[Plan, int, dict[str, int]]) -> None:
    fixtures = made[0]
    assert [fixture.number for fixture in fixtures] == list(range(len(fixtures)))
    for number in (-1, len(fixtures)):
        with pytest.raises(IndexError, match=f"not {number}"):
            fixtures[number]


def test_the_order_of_bots_in_the_config_changes_no_match() -> None:
    bots = names(6)
    turned = bots[::-1]
    one, other = plan(bots, {"v": 3}, deals=2, lineups=7), plan(turned, {"v": 3}, deals=2, lineups=7)
    assert [([bots[bot] for bot in fixture.lineup], fixture.deal_key) for fixture in one] == [
        ([turned[bot] for bot in fixture.lineup], fixture.deal_key) for fixture in other
    ]


def test_another_key_gives_other_deals_and_seats() -> None:
    one, other = plan(names(4), {"v": 4}, deals=8), plan(names(4), {"v": 4}, deals=8, key=bytes(32))
    assert not {fixture.deal_key for fixture in one} & {fixture.deal_key for fixture in other}
    assert [fixture.lineup for fixture in one] != [fixture.lineup for fixture in other]


def test_over_two_deals_each_sits_as_often_on_anothers_left_as_on_the_right() -> None:
    for count in (3, 4, 5):
        fixtures = plan(names(count), {"v": count}, deals=6)
        left = Counter(
            (fixture.deal // 2, bot, fixture.lineup[(seat + 1) % count])
            for fixture in fixtures
            for seat, bot in enumerate(fixture.lineup)
        )
        assert all(left[pair, other, bot] == times for (pair, bot, other), times in left.items())


def test_seating_orders_differ_from_deal_to_deal() -> None:
    assert len({fixture.lineup for fixture in plan(names(4), {"v": 4}, deals=40) if fixture.rotation == 0}) > 15


def test_a_plan_too_long_to_play_is_still_counted_and_read_at_once() -> None:
    huge = plan(names(60), {"v": 8}, deals=20)
    assert len(huge) == comb(60, 8) * 8 * 20
    assert huge[len(huge) - 1].deal == 19
    assert [fixture.number for fixture in islice(huge, 3)] == [0, 1, 2]


def test_the_beginning_of_a_long_plan_already_mixes_all_bots() -> None:
    """Sixty bots at three seats make 34,220 line-ups. In the first 300 of them each bot is in about 15."""
    counts = Counter(bot for fixture in islice(plan(names(60), {"v": 3}), 900) for bot in fixture.lineup)
    assert len(counts) == 60
    assert max(counts.values()) <= 3 * 30


def test_mistakes_in_what_is_to_be_planned_are_named() -> None:
    with pytest.raises(ValueError, match="bot names must be unique, but these are not: b"):
        plan(["b", "a", "b"], {"v": 2})
    with pytest.raises(ValueError, match="v has 3 seats, but there are 2 bots"):
        plan(["a", "b"], {"v": 3})
    with pytest.raises(ValueError, match="variant names must be unique"):
        Plan(master_key=KEY, bots=["a", "b"], variants=[PlannedVariant(variant="v", seats=2)] * 2, deals=1)


def test_all_line_ups_are_all_combinations() -> None:
    for bots in range(1, 9):
        for seats in range(1, bots + 1):
            assert sorted(AllLineups(bots, seats)) == list(combinations(range(bots), seats))


def test_a_sample_holds_every_bot_equally_often() -> None:
    """Every size of sample of every small field."""
    for bots in range(2, 8):
        for seats in range(2, bots + 1):
            for wanted in range(1, comb(bots, seats) + 2):
                some = list(choose_lineups(Stream(KEY, "lineups/v"), AllLineups(bots, seats), wanted))
                assert len(set(some)) == len(some) == min(wanted, comb(bots, seats))
                counts = Counter(bot for lineup in some for bot in lineup)
                assert max(counts.values()) - min(counts[bot] for bot in range(bots)) <= 1


@pytest.mark.parametrize(("seats", "wanted", "spread"), [(3, 500, 2), (4, 500, 3), (3, 2000, 3), (3, 32220, 4)])
def test_a_sample_of_sixty_bots_lets_pairs_meet_about_equally_often(seats: int, wanted: int, spread: int) -> None:
    some = list(choose_lineups(Stream(KEY, "lineups/v"), AllLineups(60, seats), wanted))
    assert len(set(some)) == wanted
    counts = Counter(bot for lineup in some for bot in lineup)
    assert max(counts.values()) - min(counts.values()) <= 1
    met = Counter(pair for lineup in some for pair in combinations(lineup, 2))
    often = [met[pair] for pair in combinations(range(60), 2)]
    assert max(often) - min(often) <= spread


def test_samples_depend_on_the_key_and_the_variant() -> None:
    fixtures = list(plan(names(12), {"v": 3, "w": 3}, lineups=10))
    other = list(plan(names(12), {"v": 3, "w": 3}, lineups=10, key=bytes(32)))
    samples = [
        {frozenset(fixture.lineup) for fixture in some if fixture.variant == variant}
        for some in (fixtures, other)
        for variant in ("v", "w")
    ]
    assert [len(sample) for sample in samples] == [10] * 4
    assert all(one != two for one, two in combinations(samples, 2))
