"""Samples of line-ups, and what is added to them when bots leave, come, and come back."""

from collections import Counter
from hashlib import sha256
from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.keyed_streams import Stream
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.lineups import MOST_LINEUPS, LineupRule
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.samples import choose_lineups

KEY = bytes(range(32))
NAMES = [f"bot {number:02}" for number in range(16)]


def plan(
    bots: list[str], seats: int, lineups: int | None, before: Plan | None = None, owners: dict[str, str] | None = None
) -> Plan:
    variants = [PlannedVariant(variant="v", seats=seats)]
    return Plan(
        WholeDeals(
            master_key=bytes(32),
            bots=bots,
            variants=variants,
            deals=1,
            lineups=lineups,
            before=None if before is None else before.whole,
            owners=owners,
        )
    )


def tables(made: Plan, bots: list[str]) -> set[frozenset[str]]:
    found = [
        frozenset(bots[bot] for bot in planned_match.lineup) for planned_match in made if planned_match.rotation == 0
    ]
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
    assert tables(back, NAMES) >= old | new, "the bot that is back has its line-ups again"


def test_a_late_entry_gets_as_many_line_ups_as_the_others_and_drops_none() -> None:
    """In 28 line-ups of four each of 14 bots is in eight; the newcomer meets each of them in one or two of its own."""
    before = plan(NAMES[:14], 4, 28)
    more = plan(NAMES[:15], 4, 28, before)
    old, new = tables(before, NAMES), tables(more, NAMES)
    assert old < new
    added = new - old
    assert len(added) == 8
    assert all(NAMES[14] in lineup for lineup in added)
    beside = Counter(bot for lineup in added for bot in lineup)
    assert {beside[bot] for bot in NAMES[:14]} == {1, 2}
    assert more.lineups == {"v": 36}
    assert tables(plan(NAMES[:14], 4, 40, before), NAMES) > old


def test_late_entries_meet_the_other_bots_not_one_another_alone() -> None:
    before = plan(NAMES[:8], 4, 14)
    more = plan(NAMES, 4, 14, before)
    old, new = tables(before, NAMES), tables(more, NAMES)
    assert old < new
    counts = Counter(bot for lineup in new for bot in lineup)
    assert min(counts.values()) == 7
    late = set(NAMES[8:])
    among = sum(len(list(combinations(lineup & late, 2))) for lineup in new - old)
    mixed = sum(len(lineup & late) * len(lineup - late) for lineup in new - old)
    assert mixed > 1.5 * among


@settings(max_examples=20)
@given(st.data())
def test_however_a_run_is_amended_no_line_up_of_bots_that_are_there_goes(data: st.DataObject) -> None:
    made, had, wanted = None, set[frozenset[str]](), 1
    seats, challengers = data.draw(st.integers(2, 3)), {NAMES[0]} if data.draw(st.booleans()) else set[str]()
    variants = [PlannedVariant(variant="v", seats=seats)]
    for _ in range(data.draw(st.integers(2, 4))):
        bots = [NAMES[0], *sorted(data.draw(st.sets(st.sampled_from(NAMES[1:9]), min_size=3, max_size=8)))]
        wanted = data.draw(st.integers(wanted, 40))
        made = Plan(
            WholeDeals(
                master_key=bytes(32),
                bots=bots,
                variants=variants,
                deals=1,
                lineups=wanted,
                challengers=challengers,
                before=None if made is None else made.whole,
            )
        )
        new = tables(made, bots)
        every = comb(len(bots) - 1, seats - 1) if challengers else comb(len(bots), seats)
        assert min(wanted, every) <= len(new) <= every
        assert {lineup for lineup in had if lineup <= {*bots}} <= new
        had |= new


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
    rule = LineupRule(bots, seats, owners=owners, challengers=challengers)
    assert sorted(rule.lineups()) == expected
    assert rule.count == len(expected)
    assert all(rule.allows(lineup) for lineup in expected)
    assert [rule.count_with((bot,)) for bot in range(bots)] == [
        sum(bot in lineup for lineup in expected) for bot in range(bots)
    ]


def test_a_sample_keeps_owners_apart_and_every_bot_equally_often() -> None:
    bots = NAMES[:8]
    made = plan(bots, 3, 16, owners=OWNERS)
    assert spread(tables(made, bots), bots) == 0
    fewer = plan(bots[:7], 3, 14, made, owners=OWNERS)
    for some in (tables(made, bots), tables(fewer, bots)):
        assert all(len({OWNERS[bot] or bot for bot in lineup}) == 3 for lineup in some)
    assert {lineup for lineup in tables(made, bots) if NAMES[7] not in lineup} <= tables(fewer, bots)
    with pytest.raises(ValueError, match="no bots that may meet"):
        plan(bots[:5], 4, None, owners=OWNERS)


def test_an_owner_of_too_many_bots_has_one_at_every_table_and_the_others_are_balanced() -> None:
    owners = dict.fromkeys(NAMES[:4], "ann") | dict.fromkeys(NAMES[4:8], "")
    counts = Counter(bot for lineup in tables(plan(NAMES[:8], 3, 12, owners=owners), NAMES) for bot in lineup)
    assert [counts[bot] for bot in NAMES[:8]] == [3] * 4 + [6] * 4


def test_a_sample_of_a_gauntlet_has_one_challenger_at_each_table() -> None:
    variants = [PlannedVariant(variant="v", seats=3)]
    made = Plan(
        WholeDeals(
            master_key=bytes(32),
            bots=NAMES[:9],
            variants=variants,
            deals=1,
            lineups=14,
            challengers={NAMES[2], NAMES[5]},
        )
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
                some = list(choose_lineups(Stream(KEY, "lineups/v"), LineupRule(bots, seats), wanted))
                assert len(set(some)) == len(some) == min(wanted, comb(bots, seats))
                counts = Counter(bot for lineup in some for bot in lineup)
                assert max(counts.values()) - min(counts[bot] for bot in range(bots)) <= 1


@pytest.mark.parametrize(("seats", "wanted", "spread"), [(3, 500, 2), (4, 500, 3)])
def test_a_sample_of_sixty_bots_lets_pairs_meet_about_equally_often(seats: int, wanted: int, spread: int) -> None:
    some = list(choose_lineups(Stream(KEY, "lineups/v"), LineupRule(60, seats), wanted))
    assert len(set(some)) == wanted
    counts = Counter(bot for lineup in some for bot in lineup)
    assert max(counts.values()) - min(counts.values()) <= 1
    met = Counter(pair for lineup in some for pair in combinations(lineup, 2))
    often = [met[pair] for pair in combinations(range(60), 2)]
    assert max(often) - min(often) <= spread


def test_more_line_ups_than_can_be_listed_are_refused() -> None:
    """Eighty-five bots at three seats make 98,770 line-ups, a hundred 161,700."""
    for wanted in (None, MOST_LINEUPS + 1):
        with pytest.raises(ValueError, match="100 bots at tables of 3 make 161,700 line-ups, of which 100,000 at most"):
            choose_lineups(Stream(KEY, "lineups/v"), LineupRule(100, 3), wanted)
    assert len(choose_lineups(Stream(KEY, "lineups/v"), LineupRule(85, 3), None)) == comb(85, 3)


def test_samples_depend_on_the_key_and_the_variant() -> None:
    two = [PlannedVariant(variant=variant, seats=3) for variant in ("v", "w")]
    planned_matches, other = (
        list(Plan(WholeDeals(master_key=key, bots=NAMES[:12], variants=two, deals=1, lineups=10)))
        for key in (KEY, bytes(32))
    )
    samples = [
        {frozenset(planned_match.lineup) for planned_match in some if planned_match.variant == variant}
        for some in (planned_matches, other)
        for variant in ("v", "w")
    ]
    assert [len(sample) for sample in samples] == [10] * 4
    assert all(one != two for one, two in combinations(samples, 2))


def test_each_amendment_draws_anew() -> None:
    """By the streams `lineups/v/1` and `lineups/v/2`."""
    more = tables(plan(NAMES, 3, 60, plan(NAMES[:6], 3, 8)), NAMES)
    drawn = " ".join(sorted("".join(sorted(f"{NAMES.index(bot):x}" for bot in lineup)) for lineup in more))
    assert sha256(drawn.encode()).hexdigest()[:16] == "b3579460ec954115"
    first = plan(NAMES[:8], 2, 12)
    same = plan(NAMES[:8], 2, 12, first)
    assert tables(same, NAMES) == tables(first, NAMES)
    late, later = (tables(plan(NAMES[:9], 2, 14, before), NAMES) for before in (first, same))
    assert late != later
