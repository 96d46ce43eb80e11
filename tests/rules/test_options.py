"""The options against section 21 of the rule book, whose tables stand here once more as CATALOGUE.

Defaults, ranges and the games that an option combines with are read off the book, not off the code.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from invariants import check_walk
from msgspec import Struct, field, json, to_builtins

import referee
from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import advice
from referee.rules.options import Options
from referee.rules.variants import PRESETS, from_record
from referee.tournament.config.config import ConfigError, load

RULES = (Path(referee.__file__).parent / "rules" / "RULES.md").read_text(encoding="utf-8")
SECTION_21 = RULES.split("\n## 21. ")[1].split("\n## 22. ")[0]

PRESET_OF_TAG = {
    "SIX": "six-card", "SGL": "single-deck", "FOU": "four-card", "NIN": "nine-card", "EIG": "eight-card",
    "CUT": "cutthroat", "CMB": "cambio", "POW": "powers", "CAC": "cactus", "T4": "four-turns", "TDK": "two-deck",
    "PAR": "par-3",
}  # fmt: skip
ALL = frozenset(PRESET_OF_TAG)
FAMILY = frozenset({"SIX", "SGL", "FOU", "NIN", "EIG", "CUT"})


class Entry(Struct, frozen=True, kw_only=True):
    """A row of section 21."""

    option: str
    combines: frozenset[str]
    """The column "combines with", by tag."""
    default: Any
    but: Mapping[str, Any] = field(default_factory=dict)
    """Presets with another default."""
    good: tuple[Any, ...]
    bad: tuple[Any, ...]
    needs: Mapping[str, Any] = field(default_factory=dict)
    """What the column asks for besides, as options that have to be set."""
    needs_of: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The same for single games."""


def entry(option: str, combines: frozenset[str] | set[str], default: Any, **more: Any) -> Entry:
    return Entry(option=option, combines=frozenset(combines), default=default, **more)


BOOL: dict[str, Any] = {"good": (True, False), "bad": (1, "true", "none")}
ONE_ROW: dict[str, Any] = {"name": "mine", "rules": [{"if": {"any": True}, "score": "sum"}]}
SLAPS_ON = {"CMB": {"slaps": True}}

CATALOGUE = (
    # 21.1
    entry(
        "rounds", ALL, 9, but={"four-turns": 1, "cactus": None, "par-course": 9},
        good=(1, 9, 18, "none", None), bad=(0, -1, 1.5, "nine", True),
    ),
    entry(
        "limit", ALL, None, but={"cactus": 25, "nine-card": 50}, good=(25, 100, "none", None), bad=("x", 2.5, False),
    ),
    entry(
        "limit_mode", ALL, "reach", but={"nine-card": "exceed"}, good=("reach", "exceed"), bad=("pass", "none", 1),
    ),
    entry(
        "decks", ALL - {"CAC", "T4", "PAR"}, "auto", but={"single-deck": 1, "four-card": 1},
        good=("auto", 1, 2, 3), bad=(0, 4, "two", "none"),
    ),
    entry("jokers", FAMILY | {"CMB"}, 0, but={"cambio": 2}, good=(0, 1, 2, 4), bad=(-1, "none", 0.5)),
    entry("first_dealer", ALL, 0, good=(0, 1, 2), bad=(-1, "none")),
    entry("fixed_starter", {"CAC"}, False, **BOOL),
    entry("tiebreak", ALL, "shared", good=("shared", "playoff"), bad=("none", "coin")),
    entry(
        "stock_out", ALL - {"T4"}, "reshuffle", but={"cactus": "end", "two-deck": "end"},
        good=("end", "reshuffle"), bad=("none", "stop"),
    ),
    entry("turn_cap", ALL, 60, good=(1, 60, 500), bad=(0, "none", -3)),
    # 21.2
    entry(
        "end_mode", FAMILY, "all_up", but={"six-card-knock": "knock", "four-card": "knock"},
        good=("all_up", "knock", "both"), bad=("none", "never"),
    ),
    entry(
        "final_turns", FAMILY, None, good=("one_each", "none", None), bad=("two_each", 1),
        needs_of={"FOU": {"end_mode": "all_up"}},
    ),
    entry(
        "flip_on_discard", FAMILY | {"TDK"}, "may", but={"two-deck": "must_unless_last"},
        good=("may", "must", "must_unless_last", "never"), bad=("none", True),
    ),
    entry("flip_instead", FAMILY, False, **BOOL),
    entry("initial_up", FAMILY, 2, but={"nine-card": 0}, good=(0, 1, 3), bad=(-1, 9, "none")),
    entry(
        "initial_look", {"FOU", "CMB", "POW"}, None, but={"cambio": "near_row", "powers": "any:2"},
        good=("near_row", "any:1", "any:4", "all", "none"), bad=("any", "any:0", "any:7", "far_row", 2),
    ),
    entry("jack_skip", FAMILY, False, **BOOL),
    entry("cutthroat_trade", {"SIX", "SGL", "NIN", "EIG", "CUT"}, False, but={"cutthroat": True}, **BOOL),
    entry("protect_ender", {"CUT", "CMB", "POW", "CAC"}, False, **BOOL),
    entry(
        "cambio_powers", {"FOU", "CMB"}, None,
        but={"cambio": {"J": "peek_own", "Q": "peek_other", "K": "exchange", "X": "rearrange"}},
        good=({"A": "peek_own"}, {"7": "peek_other", "10": "exchange", "X": "rearrange"}),
        bad=({"A": "look"}, {"1": "peek_own"}, {"KS": "peek_own"}, ["J"], "peek_own"),
        needs_of={"FOU": {"initial_look": "near_row"}},
    ),
    entry("hidden_rearrange", {"CMB", "POW"}, True, **BOOL),
    entry("powers_draw_pile", {"POW"}, False, **BOOL),
    entry("shield_uses", {"POW"}, 1, good=(1, 3, "unlimited"), bad=(0, "none", "two")),
    entry("black_king_cancels", {"POW"}, "discarded", good=("discarded", "drawn"), bad=("none", "pile", True)),
    entry("slaps", {"CAC", "CMB"}, False, but={"cactus": True}, **BOOL),
    entry(
        "slap_order", {"CAC", "CMB"}, "reaction", good=("reaction", "lottery", "clockwise"), bad=("none", "bid"),
        needs_of=SLAPS_ON,
    ),
    entry(
        "photo_finish_us", {"CAC", "CMB"}, 50, good=(0, 50, 1000), bad=(-1, "none"), needs_of=SLAPS_ON,
    ),
    entry("slap_tries", {"CAC", "CMB"}, 1, good=(1, 2, 5), bad=(0, "none", "two", True), needs_of=SLAPS_ON),
    entry(
        "slap_match", {"CAC", "CMB"}, "rank", good=("rank", "points"), bad=("none", "value", 10), needs_of=SLAPS_ON,
    ),
    entry(
        "late_card", {"CAC", "CMB"}, "owner", good=("owner", "slapper"), bad=("none", "pile", True), needs_of=SLAPS_ON,
    ),
    entry("power_before_slaps", {"CAC", "CMB"}, False, **BOOL, needs_of=SLAPS_ON),
    entry("cactus_ranks", {"CAC"}, "01", good=("01", "KA"), bad=("none", "AK")),
    entry("pairs_leave", {"TDK"}, "any_turn", good=("any_turn", "next_turn"), bad=("none", "never", True)),
    entry(
        "course", {"PAR"}, None, but={"par-course": (4, 3, 4, 5, 4, 4, 3, 5, 4)},
        good=([3], [5, 4, 3], [4] * 18), bad=([], [2], [6], [3, "4"], 4),
    ),
    entry("par", {"PAR"}, None, but={"par-3": 3, "par-4": 4, "par-5": 5}, good=(3, 4, 5), bad=(2, 6, "none", "3")),
    entry("no_par", {"PAR"}, False, but={"no-par": True}, **BOOL),
    entry("par_choice", {"PAR"}, "fixed", good=("fixed", "dealer"), bad=("none", "vote", True)),
    entry("arrange", {"PAR"}, "after_look", good=("after_look", "blind"), bad=("none", True)),
    entry(
        "par_table", {"PAR"},
        {
            "name": "ours-1",
            "values": "B1",
            "rules": [{"if": {"same_rank": True}, "score": 0}, {"if": {"any": True}, "score": "sum"}],
        },
        good=(
            ONE_ROW,
            ONE_ROW | {"values": "B1"},
            ONE_ROW | {"values": {"A": -3, "10": 7}},
            ONE_ROW | {"rules": [{"if": {"ranks": ["A", "10"], "gap": 0, "same_suit": False}, "score": -3}]},
            ONE_ROW | {"rules": [{"if": {"same_colour": True}, "score": one} for one in ("high", "low", "diff")]},
        ),
        bad=(
            "ours-1",
            "none",
            {"rules": ONE_ROW["rules"]},
            {"name": "mine"},
            ONE_ROW | {"name": ""},
            ONE_ROW | {"name": "ours-1"},
            ONE_ROW | {"rules": []},
            ONE_ROW | {"values": "B2"},
            ONE_ROW | {"values": {"1": 3}},
            ONE_ROW | {"more": 1},
            ONE_ROW | {"rules": [{"if": {}, "score": 0}]},
            ONE_ROW | {"rules": [{"if": {"any": False}, "score": 0}]},
            ONE_ROW | {"rules": [{"if": {"gap": 13}, "score": 0}]},
            ONE_ROW | {"rules": [{"if": {"ranks": ["A"]}, "score": 0}]},
            ONE_ROW | {"rules": [{"if": {"ranks": ["A", "X"]}, "score": 0}]},
            ONE_ROW | {"rules": [{"if": {"any": True}, "score": "product"}]},
            ONE_ROW | {"rules": [{"if": {"same": True}, "score": 0}]},
            ONE_ROW | {"rules": [{"score": 0}]},
        ),
    ),
    entry("strokes_per_turn", {"PAR"}, 1, good=(1, "unlimited"), bad=(0, 2, "none")),
    entry("no_par_first_end", {"PAR"}, 1, good=(1, 2, 10), bad=(0, "none"), needs={"no_par": True}),
    # 21.3
    entry(
        "joker_value", FAMILY | {"CMB"}, -5, but={"nine-card": -4}, good=(-5, -4, 0, 15), bad=("none", "x"),
        needs={"jokers": 2},
    ),
    entry(
        "joker_pair", FAMILY | {"CMB"}, "zero", good=("zero", "sum", -5, 0), bad=("none", "both"), needs={"jokers": 2},
    ),
    entry("queen_value", FAMILY, 10, good=(10, 12, 13, 20), bad=(0, 11, "none")),
    entry("qs40", FAMILY, False, **BOOL),
    entry("one_eyed_wild", FAMILY, False, **BOOL),
    entry(
        "one_eyed_pairs", FAMILY, (), good=(["row"], ["col", "row", "diag"], [], "none"), bad=("row", ["line"], 1),
        needs={"one_eyed_wild": True},
    ),
    entry("j0q12k13", FAMILY, False, **BOOL, needs_of={"CUT": {"kings15": False}}),
    entry("jack_value", FAMILY, 10, good=(10, 20), bad=(0, 15, "none")),
    entry("twos", FAMILY | {"CMB", "POW", "PAR"}, "minus2", good=("minus2", "plus2"), bad=(-2, 2, "none")),
    entry("kings15", FAMILY, False, but={"cutthroat": True}, **BOOL),
    entry(
        "values", ALL, None, good=({"3": 7}, {"3": -1, "3H": 40}, "none", None),
        bad=({"3": "x"}, {"3": True}, {"Z": 1}, {"3Z": 1}, [3]),
    ),
    # 21.4
    entry(
        "cancel", FAMILY | {"CMB"}, ("col",), but={"cambio": ()},
        good=(["col"], ["row", "col"], [], "none"), bad=("col", ["column"], 1),
    ),
    entry(
        "cancel_pairs", FAMILY | {"CMB"}, (),
        good=(["col"], ["row", "col", "diag"], [], "none"), bad=("row", ["line"], 1),
    ),
    entry(
        "any_pair", {"FOU", "T4", "CMB"}, None, but={"four-turns": "one_per_rank"},
        good=("one_per_rank", "all_pairs", "none"), bad=(True, "pairs"),
    ),
    entry("block_bonus", {"NIN", "EIG", "FOU"}, None, good=(-25, 0, 10, "none"), bad=("x", True)),
    entry(
        "block_match", {"NIN", "EIG", "FOU"}, "rank", good=("rank", "points"), bad=("none", "suit"),
        needs={"block_bonus": -25},
    ),
    entry("straight_score", {"NIN"}, None, good=(-12, 0, "none"), bad=("x", True)),
    entry("four_kind_wins", FAMILY, False, **BOOL),
    entry("moon", FAMILY, False, **BOOL),
    entry("moon_at", FAMILY, None, good=(60, 10, "none"), bad=("x", 5.5)),
    entry("kings_side", {"EIG"}, None, but={"eight-card": -16}, good=(-16, 0, "none"), bad=("x", True)),
    entry("pairs_zero_at_end", {"TDK"}, False, **BOOL),
    # 21.5
    entry(
        "knock_penalty", FAMILY | {"CMB", "POW", "TDK"}, None, but={"two-deck": "add:10"},
        good=("add:1", "add:20", "double5", "highest", "twice_players", "none"),
        bad=("add", "add:", "add:-5", "add:x", "add:0", 10, "triple"),
    ),
    entry(
        "knock_bonus", FAMILY | {"CMB", "POW"}, None, good=("zero", "minus_players", "none"), bad=(0, "minus:5"),
    ),
    entry(
        "knock_tie", FAMILY | {"CMB", "POW", "TDK"}, "neutral", but={"two-deck": "penalty"},
        good=("neutral", "penalty", "bonus"), bad=("none", "both"), needs={"knock_penalty": "add:10"},
    ),
    entry("cactus_knock", {"CAC"}, (5, 2), good=([5, 2], [0, 3]), bad=([5], [5, 2, 1], 5, ["5", 2], "none")),
)  # fmt: skip

NAMES = [one.option for one in CATALOGUE]
every_option = pytest.mark.parametrize("one", CATALOGUE, ids=NAMES)


def test_the_catalogue_has_every_game() -> None:
    assert set(PRESET_OF_TAG) == {variant.tag for variant in PRESETS.values()}, "PRESET_OF_TAG and ALL lack a game"


def test_the_catalogue_has_every_option_of_the_rule_book_and_of_the_referee() -> None:
    rows = [line.split("|")[1] for line in SECTION_21.splitlines() if line.startswith("| `")]
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == NAMES, "CATALOGUE is not section 21"
    lacking = sorted(set(Options.__struct_fields__) - set(NAMES))
    assert not lacking, (
        f"CATALOGUE has no entry for {', '.join(lacking)}: its default, range and games as in section 21"
    )
    assert len(NAMES) == len(Options.__struct_fields__)


def sample_of(one: Entry) -> str:
    """A game that the option combines with."""
    return next(tag for tag in PRESET_OF_TAG if tag in one.combines)


def changes_for(one: Entry, tag: str, value: Any) -> dict[str, Any]:
    return {**one.needs, **one.needs_of.get(tag, {}), one.option: value}


def culprits(preset: str, changes: Mapping[str, Any]) -> set[str]:
    with pytest.raises(BadOptions) as caught:
        with_options(preset, changes)
    assert all(problem.text for problem in caught.value.problems)
    return {problem.option for problem in caught.value.problems}


# Defaults, ranges, and what combines with what


@every_option
def test_the_default_of_every_option_in_every_preset_that_it_combines_with(one: Entry) -> None:
    assert set(one.but) <= set(PRESETS)
    for name, variant in PRESETS.items():
        if variant.tag in one.combines:
            assert as_wire(getattr(variant.options, one.option)) == as_wire(one.but.get(name, one.default)), name


def as_wire(value: Any) -> Any:
    return json.decode(json.encode(value))


@pytest.mark.parametrize(
    ("preset", "option", "value"),
    [
        ("cambio", "end_mode", "knock"),
        ("powers", "end_mode", "knock"),
        ("cactus", "end_mode", "knock"),
        ("two-deck", "end_mode", "all_up"),
        ("two-deck", "final_turns", "one_each"),
        ("two-deck", "initial_up", 0),
        ("cactus", "initial_look", "near_row"),
        ("four-turns", "initial_look", "near_row"),
        ("par-3", "initial_look", "all"),
        ("par-course", "initial_look", "all"),
        *((name, "cancel", ()) for name in ("cambio", "powers", "cactus", "four-turns", "two-deck", "par-3", "no-par")),
    ],
)
def test_what_is_fixed_in_a_game(preset: str, option: str, value: Any) -> None:
    assert getattr(PRESETS[preset].options, option) == value


def taken(one: Entry, value: Any) -> Any:
    """What the option is, as on the wire, where this value of it was given."""
    if one.option == "par_table":
        return {"values": "B1", **value}
    if value == "none":
        return [] if one.option in ("cancel", "cancel_pairs", "one_eyed_pairs") else None
    return value


@every_option
def test_values_in_the_range_are_taken_wherever_the_option_combines(one: Entry) -> None:
    for value in one.good:
        for tag in one.combines:
            variant = with_options(PRESET_OF_TAG[tag], changes_for(one, tag, value))
            assert as_wire(getattr(variant.options, one.option)) == taken(one, value), tag


@every_option
def test_values_out_of_the_range_are_refused_by_name(one: Entry) -> None:
    tag = sample_of(one)
    for value in one.bad:
        assert one.option in culprits(PRESET_OF_TAG[tag], changes_for(one, tag, value)), value


@every_option
def test_opt_08_an_option_outside_its_games_is_an_error_also_at_its_default(one: Entry) -> None:
    for tag in ALL - one.combines:
        for value in (one.good[0], as_wire(one.default)):
            assert one.option in culprits(PRESET_OF_TAG[tag], changes_for(one, tag, value)), tag


# Options that need others


@every_option
def test_opt_08_what_an_option_needs_besides(one: Entry) -> None:
    for tag in one.combines:
        given = PRESETS[PRESET_OF_TAG[tag]].options
        if any(getattr(given, name) != value for name, value in one.needs.items()):
            assert culprits(PRESET_OF_TAG[tag], {one.option: one.good[0]}) == {one.option}, tag


@pytest.mark.parametrize(
    ("preset", "changes", "culprit"),
    [
        ("six-card-knock", {"final_turns": "one_each"}, "final_turns"),
        ("four-card", {"cambio_powers": {"J": "peek_own"}}, "cambio_powers"),
        ("cambio", {"cambio_powers": {"J": "peek_own"}, "hidden_rearrange": False}, "hidden_rearrange"),
        ("cambio", {"jokers": 0, "joker_value": 5}, "joker_value"),
        ("cambio", {"slap_order": "lottery"}, "slap_order"),
        ("cactus", {"slaps": False, "slap_order": "lottery"}, "slap_order"),
        ("cactus", {"slap_order": "lottery", "photo_finish_us": 10}, "photo_finish_us"),
        ("cambio", {"slap_tries": 2}, "slap_tries"),
        ("cactus", {"slaps": False, "slap_match": "points"}, "slap_match"),
        ("cambio", {"late_card": "slapper"}, "late_card"),
        ("cactus", {"slaps": False, "power_before_slaps": True}, "power_before_slaps"),
        ("cambio", {"slaps": True, "cambio_powers": {}, "power_before_slaps": True}, "power_before_slaps"),
        ("no-par", {"strokes_per_turn": "unlimited"}, "strokes_per_turn"),
        ("par-3", {"par_table": ONE_ROW, "twos": "plus2"}, "twos"),
        ("six-card", {"initial_up": 6}, "initial_up"),
        ("eight-card", {"initial_up": 8}, "initial_up"),
        ("four-card", {"initial_look": "any:5"}, "initial_look"),
        ("powers", {"initial_look": "any:7"}, "initial_look"),
    ],
)
def test_opt_08_an_option_that_could_have_no_effect_is_an_error(
    preset: str, changes: dict[str, Any], culprit: str
) -> None:
    assert culprits(preset, changes) == {culprit}


# Conflicts


@pytest.mark.parametrize(
    ("preset", "changes", "culprit"),
    [
        ("six-card", {"queen_value": 13, "qs40": True}, "qs40"),  # C-035
        ("six-card", {"queen_value": 12, "j0q12k13": True}, "j0q12k13"),
        ("six-card", {"qs40": True, "j0q12k13": True}, "j0q12k13"),
        ("six-card", {"jack_value": 20, "j0q12k13": True}, "jack_value"),
        ("six-card", {"jack_value": 10, "j0q12k13": True}, "jack_value"),
        ("six-card", {"kings15": True, "j0q12k13": True}, "kings15"),
        ("cutthroat", {"j0q12k13": True}, "j0q12k13"),  # C-223
        ("cutthroat", {"values": {"K": 3}}, "values"),
        ("cutthroat", {"values": {"KH": 3}}, "values"),
        ("six-card", {"values": {"QS": 3}, "qs40": True}, "values"),
        ("six-card", {"values": {"8": 3}, "qs40": True}, "values"),
        ("six-card", {"values": {"2": 3}, "twos": "plus2"}, "values"),
        ("six-card", {"values": {"J": 3}, "jack_value": 20}, "values"),
        ("six-card", {"values": {"X": 3}, "joker_value": 4, "jokers": 2}, "values"),
        ("cactus", {"values": {"K": 3}, "cactus_ranks": "KA"}, "values"),
        ("par-3", {"values": {"KS": 3}, "par_table": ONE_ROW | {"values": {"K": 2}}}, "values"),
    ],
)
def test_opt_01_two_options_that_set_the_value_of_a_rank_are_never_settled_in_silence(
    preset: str, changes: dict[str, Any], culprit: str
) -> None:
    for order in (changes, dict(reversed(changes.items()))):
        assert culprits(preset, order) == {culprit}


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("six-card", {"queen_value": 10, "qs40": True}),
        ("six-card", {"queen_value": 20, "jack_value": 20, "kings15": True, "twos": "plus2"}),
        ("six-card", {"values": {"9": 3}, "qs40": True}),
        ("six-card", {"jokers": 2, "joker_value": 15, "joker_pair": -5}),
        ("six-card", {"jokers": 2, "values": {"X": 15}, "joker_pair": -5}),
        ("nine-card", {"jokers": 2, "values": {"X": 15}, "joker_pair": -5}),
        ("cutthroat", {"kings15": False, "values": {"K": 3}}),
        ("par-3", {"values": {"K": 3}, "twos": "plus2"}),
        ("par-3", {"values": {"K": 3}, "par_table": ONE_ROW | {"values": {"Q": 2}}}),
    ],
)
def test_opt_01_options_that_set_different_ranks_go_together(preset: str, changes: dict[str, Any]) -> None:
    with_options(preset, changes)


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("six-card", {"cancel": ["diag"]}),  # C-032
        ("eight-card", {"cancel": ["col", "diag"]}),
        ("six-card", {"straight_score": -12}),
        ("four-card", {"straight_score": -12}),
        ("nine-card", {"kings_side": -16}),  # C-223
        ("six-card", {"block_bonus": -25}),
        ("cambio", {"block_bonus": -25}),
    ],
)
def test_opt_02_options_with_a_condition_on_the_layout(preset: str, changes: dict[str, Any]) -> None:
    assert culprits(preset, changes) == set(changes)


def test_opt_02_diagonals_on_square_layouts_and_neighbours_anywhere() -> None:
    for preset in ("four-card", "nine-card", "cambio"):
        with_options(preset, {"cancel": ["col", "row", "diag"]})
    with_options("six-card", {"cancel_pairs": ["diag"]})


OF_CONSTANT_SIZE: dict[str, Any] = {
    "cancel": ["col"], "cancel_pairs": ["row"], "any_pair": "all_pairs", "block_bonus": -25, "moon": True,
    "straight_score": -12, "four_kind_wins": True,
}  # fmt: skip


@pytest.mark.parametrize("option", OF_CONSTANT_SIZE)
def test_opt_03_options_that_need_a_layout_of_constant_size(option: str) -> None:
    for preset in ("cactus", "powers", "two-deck"):
        assert culprits(preset, {option: OF_CONSTANT_SIZE[option]}) == {option}
    assert option in culprits("cambio", {"slaps": True, option: OF_CONSTANT_SIZE[option]})


def test_any_pair_takes_the_place_of_cancel() -> None:
    assert culprits("four-card", {"any_pair": "all_pairs", "cancel": ["col"]}) == {"any_pair"}
    with_options("four-card", {"any_pair": "all_pairs", "cancel": []})
    with_options("four-card", {"any_pair": "none", "cancel": ["row"]})


def test_opt_04_cheap_twos_go_with_jokers() -> None:
    options = with_options("six-card", {"twos": "plus2", "jokers": 2}).options
    assert (options.twos, options.jokers) == ("plus2", 2)


@pytest.mark.parametrize(
    ("changes", "warned"),
    [
        ({"moon": True}, False),
        ({"moon": True, "queen_value": 20}, True),
        ({"moon": True, "moon_at": 40}, True),
        ({"queen_value": 20}, False),
    ],
)
def test_opt_06_a_moon_that_is_not_the_highest_score_is_warned_of_and_stays(
    changes: dict[str, Any], warned: bool
) -> None:
    variant = with_options("six-card", changes)
    assert bool(list(advice(variant, 4))) is warned
    assert variant.options.moon_at == changes.get("moon_at")


# Par golf: course, par, no_par


@pytest.mark.parametrize(
    ("preset", "changes", "rows", "rounds"),
    [
        ("par-3", {"par": 5}, 5, 9),
        ("par-3", {"no_par": True}, 2, 9),
        ("par-3", {"no_par": False}, 3, 9),
        ("par-3", {"course": "none"}, 3, 9),
        ("par-course", {"par": 4}, 4, 9),
        ("par-course", {"par": 4, "rounds": 18}, 4, 18),
        ("par-course", {"course": [3, 3]}, 3, 2),
        ("par-course", {"course": [3, 5], "rounds": 2}, 5, 2),
        ("no-par", {"course": [3, 5, 4]}, 5, 3),
        ("no-par", {"no_par": False, "par": 3}, 3, 9),
    ],
)
def test_par_22_naming_one_of_course_par_and_no_par_replaces_the_presets_own(
    preset: str, changes: dict[str, Any], rows: int, rounds: int
) -> None:
    variant = with_options(preset, changes)
    assert (variant.rows, variant.options.rounds) == (rows, rounds)
    options = variant.options
    assert [options.course is not None, options.par is not None, options.no_par].count(True) == 1


@pytest.mark.parametrize(
    ("preset", "changes", "culprit"),
    [
        ("par-3", {"par": 4, "course": [3, 4]}, "par"),
        ("par-3", {"par": 4, "no_par": True}, "par"),
        ("par-course", {"course": [4], "no_par": True}, "par"),
        ("par-3", {"par": "none"}, "par"),
        ("no-par", {"no_par": False}, "par"),
        ("par-course", {"course": "none"}, "par"),
        ("par-course", {"rounds": 3}, "rounds"),
        ("par-course", {"rounds": "none"}, "rounds"),
        ("par-3", {"course": [3, 4], "rounds": 9}, "rounds"),
    ],
)
def test_par_22_exactly_one_of_the_three_and_the_rounds_of_the_course(
    preset: str, changes: dict[str, Any], culprit: str
) -> None:
    assert culprits(preset, changes) == {culprit}


def test_par_26_what_is_wrong_with_a_table_is_told_with_its_place() -> None:
    rules = [{"if": {"any": True}, "score": 0}, {"if": {"gap": 13}, "score": 0}]
    with pytest.raises(BadOptions, match=r"par_table: expected a table as in PAR-26.*rules\[1\].if.gap"):
        with_options("par-3", {"par_table": {"name": "mine", "rules": rules}})


# Tables and records


@every_option
def test_a_record_restores_the_options_that_were_played(one: Entry) -> None:
    tag = sample_of(one)
    for value in one.good:
        variant = with_options(PRESET_OF_TAG[tag], changes_for(one, tag, value))
        again = from_record(variant.preset, as_wire(to_builtins(variant.options)))
        assert (again.options, again.rows, again.play) == (variant.options, variant.rows, variant.play), value


# A variant of one's own, in TOML alone


OWN_GAMES = """
time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }
[tournament]
name = "own games"
seed = "abc"
seats = 3
deals = 1
jobs = 2
[[variants]]
preset = "four-card"
name = "night golf"
[variants.options]
rounds = 2
initial_look = "near_row"
any_pair = "all_pairs"
knock_penalty = "add:10"
cambio_powers = { J = "peek_own", Q = "peek_other", A = "exchange" }
[[variants]]
preset = "par-course"
name = "short course"
[variants.options]
course = [3, 4]
strokes_per_turn = "unlimited"
[variants.options.par_table]
name = "house rules"
values = { K = 0, A = -1 }
rules = [
  { if = { ranks = ["A", "A"] }, score = -5 },
  { if = { same_rank = true }, score = 0 },
  { if = { any = true }, score = "high" },
]
[[variants]]
preset = "six-card"
name = "wild six"
[variants.options]
rounds = 2
jokers = 2
joker_value = 15
joker_pair = -5
one_eyed_wild = true
jack_skip = true
cutthroat_trade = true
flip_instead = true
end_mode = "both"
[[bots]]
builtin = "random"
name = "one"
[[bots]]
builtin = "random"
name = "two"
[[bots]]
builtin = "random"
name = "three"
"""


def test_games_of_ones_own_need_a_config_and_no_code(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN_GAMES)
    entries = load(str(tmp_path / "own.toml")).variants
    assert [one.name for one in entries] == ["night golf", "short course", "wild six"]
    assert [one.variant.options.any_pair for one in entries] == ["all_pairs", None, None]
    assert entries[1].variant.options.par_table.name == "house rules"
    for entry in entries:
        check_walk(entry.variant, 3, seed=1)


def test_gen_14_a_conflict_is_told_at_its_line(tmp_path: Path) -> None:
    text = OWN_GAMES.replace("jokers = 2\n", "j0q12k13 = true\nkings15 = true\n").replace("course = [3, 4]", "par = 6")
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(str(tmp_path / "own.toml"))
    place = {line.split(" = ")[0]: number for number, line in enumerate(text.splitlines(), start=1)}
    told = [re.match(r".*?:(\d+):\d+: variants\[\d\]\.options\.(\w+):", line) for line in caught.value.lines]
    assert {(one[2], int(one[1])) for one in told if one} == {
        (name, place[name]) for name in ("par", "joker_value", "joker_pair", "kings15")
    }
