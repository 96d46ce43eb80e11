"""Samples of line-ups, and what is left of them when bots leave, come, and come back."""

from collections import Counter
from hashlib import sha256
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.table.streams import Stream
from referee.tournament.plan.lineups import AllLineups
from referee.tournament.plan.samples import choose_lineups
from referee.tournament.plan.schedule import Plan, PlannedVariant, all_lineups

KEY = bytes(range(32))
NAMES = [f"bot {number:02}" for number in range(16)]


def plan(
    bots: list[str], seats: int, lineups: int | None, before: Plan | None = None, owners: dict[str, str] | None = None
) -> Plan:
    variants = [PlannedVariant(variant="v", seats=seats)]
    return Plan(
        master_key=bytes(32), bots=bots, variants=variants, deals=1, lineups=lineups, before=before, owners=owners
    )


def tables(made: Plan, bots: list[str]) -> set[frozenset[str]]:
    found = [frozenset(bots[bot] for bot in fixture.lineup) for fixture in made if fixture.rotation == 0]
    assert len(set(found)) == len(found)
    return set(found)


def spread(some: set[frozenset[str]], bots: list[str]) -> int:
    """By how many line-ups the bot with the most differs from the one with the fewest."""
    counts = Counter(bot for lineup in some for bot in lineup)
    return max(counts[bot] for bot in bots) - min(counts[bot] for bot in bots)


@pytest.mark.parametrize(("seats", "lineups"), [(4, 28), (2, 28), (7, 28), (3, 300)])
def test_a_withdrawal_takes_the_line_ups_of_the_bot_and_no_others(seats: int, lineups: int) -> None:
    before = plan(NAMES[:14], seats, lineups)
    gone = plan(NAMES[:13], seats, lineups, before)
    old, new = tables(before, NAMES), tables(gone, NAMES)
    assert {lineup for lineup in old if NAMES[13] not in lineup} <= new
    assert len(new) == min(lineups, comb(13, seats))
    assert spread(new, NAMES[:13]) <= 1
    back = plan(NAMES[:14], seats, lineups, gone)
    assert tables(back, NAMES) == old


def test_a_late_entry_takes_its_share_of_seats_and_no_more() -> None:
    """28 line-ups of four have 112 seats: each of 15 bots is in seven or eight of them."""
    before = plan(NAMES[:14], 4, 28)
    more = plan(NAMES[:15], 4, 28, before)
    old, new = tables(before, NAMES), tables(more, NAMES)
    assert len(old & new) == 28 - 7
    assert spread(new, NAMES[:15]) == 1
    assert plan(NAMES[:15], 4, 28, before).lineups == {"v": 28}
    assert tables(plan(NAMES[:14], 4, 40, before), NAMES) >= old
    assert tables(plan(NAMES[:14], 4, 14, before), NAMES) <= old


def test_of_all_line_ups_a_sample_takes_those_that_come_first() -> None:
    every = plan(NAMES[:14], 4, None)
    first = {frozenset(NAMES[bot] for bot in every[number].lineup) for number in range(0, 28 * 4, 4)}
    sample = tables(plan(NAMES[:14], 4, 28, every), NAMES)
    assert len(sample & first) > 18
    assert spread(sample, NAMES[:14]) == 0


@settings(max_examples=10)
@given(st.data())
def test_however_a_run_is_amended_every_bot_sits_equally_often(data: st.DataObject) -> None:
    made = None
    for _ in range(data.draw(st.integers(2, 4))):
        bots = sorted(data.draw(st.sets(st.sampled_from(NAMES[:9]), min_size=3, max_size=9)))
        seats = data.draw(st.integers(2, 3))
        wanted = data.draw(st.none() | st.integers(1, 40))
        made = plan(bots, seats, wanted, made)
        new = tables(made, bots)
        assert len(new) == min(wanted or 1000, comb(len(bots), seats))
        assert spread(new, bots) <= 1


OWNERS = dict(zip(NAMES, ["ann", "ann", "bea", "bea", "cid", "", "", ""], strict=False))


@st.composite
def fields(draw: st.DrawFn) -> tuple[int, int, list[str], list[int]]:
    """Bots, seats, owners and challengers."""
    bots = draw(st.integers(2, 8))
    owners = draw(st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=bots, max_size=bots))
    return bots, draw(st.integers(2, 4)), owners, draw(st.lists(st.integers(0, bots - 1), max_size=2, unique=True))


@settings(max_examples=20)
@given(fields())
def test_all_line_ups_that_are_allowed_are_there_once(field: tuple[int, int, list[str], list[int]]) -> None:
    bots, seats, owners, challengers = field
    expected = []
    for lineup in combinations(range(bots), seats):
        whose = [owners[bot] for bot in lineup if owners[bot]]
        guests = [bot for bot in lineup if bot in challengers]
        if len(set(whose)) == len(whose) and len(guests) == bool(challengers):
            expected.append(lineup)
    every = AllLineups(bots, seats, owners=owners, challengers=challengers)
    assert sorted(every) == expected
    assert all(every.allows(lineup) for lineup in expected)
    assert every.by_bot == [sum(bot in lineup for lineup in expected) for bot in range(bots)]


def test_a_sample_keeps_owners_apart_and_every_bot_equally_often() -> None:
    bots = NAMES[:8]
    every = all_lineups(bots, 3, owners=OWNERS)
    assert len(every) == 2 * 2 * 4 + (2 + 2) * 6 + 4  # of ann and bea one each, of one of them, of none
    made = plan(bots, 3, 16, owners=OWNERS)
    assert spread(tables(made, bots), bots) == 0
    fewer = plan(bots[:7], 3, 14, made, owners=OWNERS)
    for some in (tables(made, bots), tables(fewer, bots)):
        assert all(len({OWNERS[bot] or bot for bot in lineup}) == 3 for lineup in some)
    left = {lineup for lineup in tables(made, bots) if NAMES[7] not in lineup}
    assert len(left - tables(fewer, bots)) <= 1, "one may go, where nobody else may have the seat that is to be had"
    assert spread(tables(fewer, bots), bots[:7]) <= 1
    with pytest.raises(ValueError, match="no bots that may meet"):
        plan(bots[:5], 4, None, owners=OWNERS)


def test_an_owner_of_too_many_bots_has_one_at_every_table_and_the_others_are_balanced() -> None:
    owners = dict.fromkeys(NAMES[:4], "ann") | dict.fromkeys(NAMES[4:8], "")
    counts = Counter(bot for lineup in tables(plan(NAMES[:8], 3, 12, owners=owners), NAMES) for bot in lineup)
    assert [counts[bot] for bot in NAMES[:8]] == [3] * 4 + [6] * 4


def test_a_sample_of_a_gauntlet_has_one_challenger_at_each_table() -> None:
    variants = [PlannedVariant(variant="v", seats=3)]
    made = Plan(
        master_key=bytes(32), bots=NAMES[:9], variants=variants, deals=1, lineups=14, challengers={NAMES[2], NAMES[5]}
    )
    some = tables(made, NAMES)
    counts = Counter(bot for lineup in some for bot in lineup)
    assert all((NAMES[2] in lineup) != (NAMES[5] in lineup) for lineup in some)
    assert counts == {bot: 7 if bot in (NAMES[2], NAMES[5]) else 4 for bot in NAMES[:9]}


def test_a_sample_holds_every_bot_equally_often() -> None:
    """Every size of sample of every small field."""
    for bots in range(2, 8):
        for seats in range(2, bots + 1):
            for wanted in range(1, comb(bots, seats) + 2):
                some = list(choose_lineups(Stream(KEY, "lineups/v"), AllLineups(bots, seats), wanted))
                assert len(set(some)) == len(some) == min(wanted, comb(bots, seats))
                counts = Counter(bot for lineup in some for bot in lineup)
                assert max(counts.values()) - min(counts[bot] for bot in range(bots)) <= 1


@pytest.mark.parametrize(("seats", "wanted", "spread"), [(3, 500, 2), (4, 500, 3)])
def test_a_sample_of_sixty_bots_lets_pairs_meet_about_equally_often(seats: int, wanted: int, spread: int) -> None:
    some = list(choose_lineups(Stream(KEY, "lineups/v"), AllLineups(60, seats), wanted))
    assert len(set(some)) == wanted
    counts = Counter(bot for lineup in some for bot in lineup)
    assert max(counts.values()) - min(counts.values()) <= 1
    met = Counter(pair for lineup in some for pair in combinations(lineup, 2))
    often = [met[pair] for pair in combinations(range(60), 2)]
    assert max(often) - min(often) <= spread


def test_samples_depend_on_the_key_and_the_variant() -> None:
    two = [PlannedVariant(variant=variant, seats=3) for variant in ("v", "w")]
    fixtures, other = (
        list(Plan(master_key=key, bots=NAMES[:12], variants=two, deals=1, lineups=10)) for key in (KEY, bytes(32))
    )
    samples = [
        {frozenset(fixture.lineup) for fixture in some if fixture.variant == variant}
        for some in (fixtures, other)
        for variant in ("v", "w")
    ]
    assert [len(sample) for sample in samples] == [10] * 4
    assert all(one != two for one, two in combinations(samples, 2))


def test_a_plan_says_how_much_of_a_sample_an_amendment_kept() -> None:
    sample = plan(NAMES[:8], 2, 12)
    more = plan(NAMES[:8], 2, 14, sample)
    fewer = plan(NAMES[:7], 2, 10, sample)
    with_bot_7 = sum(NAMES[7] in lineup for lineup in tables(sample, NAMES))
    assert more.kept_lineups(sample) == {"v": (12, 12)}
    assert fewer.kept_lineups(sample) == {"v": (12, min(10, 12 - with_bot_7))}
    every = plan(NAMES[:8], 2, None, sample)
    assert every.kept_lineups(sample) == sample.kept_lineups(every) == {}


def test_each_amendment_draws_anew() -> None:
    """By the streams `lineups/v/1` and `lineups/v/2`, as in every version."""
    more = tables(plan(NAMES, 3, 60, plan(NAMES[:6], 3, 8)), NAMES)
    drawn = " ".join(sorted("".join(sorted(f"{NAMES.index(bot):x}" for bot in lineup)) for lineup in more))
    assert sha256(drawn.encode()).hexdigest()[:16] == "dd2335edbb1bb7b3"
    first = plan(NAMES[:8], 2, 12)
    same = plan(NAMES[:8], 2, 12, first)
    assert tables(same, NAMES) == tables(first, NAMES)
    late, later = (tables(plan(NAMES[:9], 2, 14, before), NAMES) for before in (first, same))
    assert late != later
