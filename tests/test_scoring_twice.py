"""Every layout scored twice: by the engine and by a second scorer that follows RULES.md section 6 whatever it costs.

The second scorer shares no code with the first. It looks at cells by row and column, tries every rank for every wild
jack, and every way to pair jokers.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.rules.by_hand import scoring_variant
from referee.rules.knocker import score_round
from referee.rules.options import BadOptions, Options, change
from referee.rules.scoring import raw_score
from referee.rules.variants import PRESETS, Variant, customised

Place = tuple[int, int]
Layout = dict[Place, str]
"""Row and column -> card."""

ALL_RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


# --- the second scorer ------------------------------------------------------------------------------------------------


def slow_score(options: Options, layout: Layout) -> int:
    wilds = [place for place, card in layout.items() if options.one_eyed_wild and card in ("JS", "JH")]
    ranks = [*ALL_RANKS, "joker"] if options.joker_pair == "zero" else ALL_RANKS
    totals = []
    for named in product(ranks, repeat=len(wilds)):
        known_as = {place: slow_rank(card) for place, card in layout.items()}
        known_as.update(zip(wilds, named, strict=True))
        totals.append(slow_total(options, layout, known_as))
    return min(totals)


def slow_total(options: Options, layout: Layout, known_as: dict[Place, str]) -> int:
    zeros: set[Place] = set()
    for group in slow_groups(options, layout):
        ranks = [known_as[place] for place in group]
        jokers_stay_out = "joker" in ranks and options.joker_pair != "zero"
        if ranks.count(ranks[0]) == len(ranks) and not jokers_stay_out:
            zeros |= set(group)
    rest = [place for place in layout if place not in zeros]
    if isinstance(options.joker_pair, int):
        jokers = [place for place in rest if slow_rank(layout[place]) == "joker"]
        others = sum(slow_value(options, layout[place]) for place in rest if place not in jokers)
        pairs = most_pairs(options, jokers)
        single = slow_value(options, "X1")
        return others + pairs * options.joker_pair + (len(jokers) - 2 * pairs) * single
    return sum(slow_value(options, layout[place]) for place in rest)


def slow_groups(options: Options, layout: Layout) -> Iterator[list[Place]]:
    height, width = (1 + max(place[axis] for place in layout) for axis in (0, 1))
    if "col" in options.cancel:
        yield from ([place for place in layout if place[1] == column] for column in range(width))
    if "row" in options.cancel:
        yield from ([place for place in layout if place[0] == row] for row in range(height))
    if "diag" in options.cancel and height == width:
        yield [place for place in layout if place[0] == place[1]]
        yield [place for place in layout if place[0] + place[1] == width - 1]
    for one, other in combinations(layout, 2):
        if way(one, other) in options.cancel_pairs:
            yield [one, other]


def way(one: Place, other: Place) -> str:
    apart = abs(one[0] - other[0]), abs(one[1] - other[1])
    return {(1, 0): "col", (0, 1): "row", (1, 1): "diag"}.get(apart, "no neighbours")


def most_pairs(options: Options, jokers: list[Place]) -> int:
    """By leaving the first joker alone, or pairing it with each of the others in turn."""
    if len(jokers) < 2:
        return 0
    first, *others = jokers
    counts = [most_pairs(options, others)]
    for other in others:
        if way(first, other) in options.cancel or way(first, other) in options.cancel_pairs:
            counts.append(1 + most_pairs(options, [joker for joker in others if joker != other]))
    return max(counts)


def slow_rank(card: str) -> str:
    return "joker" if card.startswith("X") else card[:-1]


def slow_value(options: Options, card: str) -> int:
    rank = slow_rank(card)
    named = {} if options.values is None else options.values
    if card in named:
        return named[card]
    if rank == "joker":
        return named.get("X", options.joker_value)
    if rank in named:
        return named[rank]
    special: dict[str, Callable[[], int]] = {
        "A": lambda: 1,
        "2": lambda: -2 if options.twos == "minus2" else 2,
        "8": lambda: 0 if options.qs40 else 8,
        "J": lambda: 0 if options.j0q12k13 else options.jack_value,
        "Q": lambda: 12 if options.j0q12k13 else 40 if options.qs40 and card == "QS" else options.queen_value,
        "K": lambda: 13 if options.j0q12k13 else 15 if options.kings15 else 0,
    }
    return special[rank]() if rank in special else int(rank)


# --- what it is compared on -------------------------------------------------------------------------------------------

SHAPES = [(2, 3), (3, 3), (2, 4), (2, 2)]
PACK = [rank + suit for rank in ALL_RANKS for suit in "SHDC"]
PLAIN = [*PACK, "X1", "X2"]
DENSE = ["7S", "7H", "7D", "2S", "2C", "8H", "QS", "QD", "JD", "JC", "KH", "KC", "X1", "X1", "X2", "X3"]
WILD = ["7S", "7S", "2C", "QS", "AD", "AH", "3H", "KD", "JD", "X1", "X2"]
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
MOST_WILDS = 2
"""A third wild jack would mean thousands of readings a layout for the second scorer."""


def directions() -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(["col", "row", "diag"]), max_size=3, unique=True)


def value_changes() -> st.SearchStrategy[dict[str, Any]]:
    """Options that set card values, in combinations without conflict (OPT-01)."""
    faces: st.SearchStrategy[dict[str, Any]] = st.one_of(
        st.just({}),
        st.just({"qs40": True}),
        st.just({"j0q12k13": True}),
        st.builds(
            lambda queen, jack, kings: {"queen_value": queen, "jack_value": jack, "kings15": kings},
            st.sampled_from([10, 12, 13, 20]),
            st.sampled_from([10, 20]),
            st.booleans(),
        ),
        st.just({"values": {"J": -3, "QS": 13}}),
        st.just({"values": {"J": -3, "JS": 4, "JD": -20}}),
        st.just({"values": {"7": -6, "7D": 9, "A": 11}}),
    )
    twos: st.SearchStrategy[dict[str, Any]] = st.sampled_from([{}, {"twos": "plus2"}])
    return st.builds(lambda *parts: {key: value for part in parts for key, value in part.items()}, faces, twos)


def joker_changes() -> st.SearchStrategy[dict[str, Any]]:
    pair = st.one_of(st.sampled_from(["zero", "sum"]), st.integers(-20, 20))
    return st.fixed_dictionaries({"joker_value": st.integers(-20, 20), "joker_pair": pair})


@st.composite
def variants(draw: st.DrawFn, *, wild: bool) -> Variant:
    """A family game on a grid of any shape, with any sound options that scoring reads."""
    rows, columns = draw(st.sampled_from(SHAPES))
    changes = draw(value_changes()) | draw(joker_changes()) | {"jokers": 2, "one_eyed_wild": wild}
    changes |= {"cancel": draw(directions()), "cancel_pairs": draw(directions())}
    base = PRESETS["six-card"]
    return replace(base, rows=rows, columns=columns, options=change(base.options, base.tag, changes))


@st.composite
def layouts(draw: st.DrawFn, variant: Variant, cards: list[str], count: int) -> list[Layout]:
    places = list(product(range(variant.rows), range(variant.columns)))
    drawn = draw(st.lists(st.sampled_from(cards), min_size=count * len(places), max_size=count * len(places)))
    hands = zip(*[iter(drawn)] * len(places), strict=True)
    return [dict(zip(places, hand, strict=True)) for hand in hands]


def rows_of(variant: Variant, layout: Layout) -> list[list[str]]:
    return [[layout[row, column] for column in range(variant.columns)] for row in range(variant.rows)]


@pytest.mark.parametrize("cards", [PLAIN, DENSE], ids=["whole pack", "many equal cards"])
@settings(PATIENT, max_examples=500)
@given(data=st.data())
def test_sco_03_04_06_both_scorers_agree(cards: list[str], data: st.DataObject) -> None:
    variant = data.draw(variants(wild=False))
    for layout in data.draw(layouts(variant, cards, 20)):
        assert raw_score(variant, rows_of(variant, layout)) == slow_score(variant.options, layout)


@settings(PATIENT, max_examples=300)
@given(data=st.data())
def test_sco_07_both_scorers_agree_on_wild_jacks(data: st.DataObject) -> None:
    variant = data.draw(variants(wild=True))
    (layout,) = data.draw(layouts(variant, WILD, 1))
    places = data.draw(st.lists(st.sampled_from(list(layout)), max_size=MOST_WILDS, unique=True))
    layout |= {place: data.draw(st.sampled_from(["JS", "JH"])) for place in places}
    assert raw_score(variant, rows_of(variant, layout)) == slow_score(variant.options, layout)


@pytest.mark.parametrize(
    ("changes", "layout", "score"),
    [
        ({"values": {"J": -3}}, [["JS", "JH", "JS"], ["JH", "JS", "JH"]], -18),
        (
            {"values": {"J": -20, "JS": 10, "4": -20, "5": -20}, "cancel_pairs": ["row"]},
            [["JS", "JS", "JD"], ["4H", "5H", "4S"]],
            -80,
        ),
        ({}, [["JS", "JH", "JS"], ["7D", "8D", "9D"]], 0),
    ],
    ids=["all apart", "wilds cancel by a rank of their own", "one rank each"],
)
def test_sco_07_the_lowest_total_with_many_wilds(changes: dict[str, Any], layout: list[list[str]], score: int) -> None:
    assert raw_score(customised("six-card", {"one_eyed_wild": True, **changes}), layout) == score


@settings(PATIENT, max_examples=200)
@given(
    cards=st.lists(st.none() | st.sampled_from([f"{rank}{suit}" for rank in range(11) for suit in "SHDCE"]), max_size=9)
)
def test_cac_40_is_a_plain_sum_of_what_is_left(cards: list[str | None]) -> None:
    rows = [cards[start : start + 2] for start in range(0, len(cards), 2)]
    assert raw_score(PRESETS["cactus"], rows) == sum(int(card[:-1]) for card in cards if card is not None)


# --- section 7 --------------------------------------------------------------------------------------------------------


def slow_adjusted(options: Options, raw: list[int], knocker: int) -> int:
    """KNK-01..KNK-08, from the other seats' point of view."""
    mine, others = raw[knocker], raw[:knocker] + raw[knocker + 1 :]
    strict = all(mine < other for other in others)
    beaten = any(other < mine for other in others)
    tied = not strict and not beaten
    if beaten or (tied and options.knock_tie == "penalty"):
        doubled = 2 * mine + 5 if mine >= 0 else mine + 5
        costs = {"double5": doubled, "highest": max(raw), "twice_players": mine + 2 * len(raw)}
        costs |= {"none": mine, "add:10": mine + 10, "add:20": mine + 20}
        return costs[options.knock_penalty or "none"]
    if strict or (tied and options.knock_tie == "bonus"):
        zero = 0 if mine > 0 else mine
        return {None: mine, "zero": zero, "minus_players": mine - len(raw)}[options.knock_bonus]
    return mine


@settings(PATIENT, max_examples=1000)
@given(
    raw=st.lists(st.integers(-8, 20), min_size=2, max_size=8),
    seat=st.integers(0, 7),
    changes=st.fixed_dictionaries(
        {
            "knock_penalty": st.sampled_from(["none", "add:10", "add:20", "double5", "highest", "twice_players"]),
            "knock_bonus": st.sampled_from(["none", "zero", "minus_players"]),
        },
        optional={"knock_tie": st.sampled_from(["neutral", "penalty", "bonus"])},
    ),
)
def test_knk_08_only_the_knocker_is_adjusted(raw: list[int], seat: int, changes: dict[str, str]) -> None:
    try:
        variant = scoring_variant("six-card", changes)
    except BadOptions:
        return
    knocker = seat % len(raw)
    expected = [slow_adjusted(variant.options, raw, knocker) if at == knocker else own for at, own in enumerate(raw)]
    assert score_round(variant, raw, knocker) == tuple(expected)
