"""The options: which values each takes, in which games, and which go together (RULES.md 21)."""

from collections.abc import Mapping
from itertools import product
from typing import Any, get_args

import pytest
from msgspec import json, to_builtins
from options_to_try import BESIDE, TO_TRY

from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import advice
from referee.rules.options import OPTIONS, TYPES, Lines, Options, expected
from referee.rules.variants import PRESETS, from_record

ONE_ROW: dict[str, Any] = {"name": "mine", "rules": [{"if": {"any": True}, "score": "sum"}]}

OUT_OF_RANGE: Mapping[str, tuple[Any, ...]] = {
    "rounds": (0, -1),
    "decks": (0, 4),
    "jokers": (-1, 9),
    "first_dealer": (-1,),
    "turn_cap": (0, -3),
    "initial_up": (-1, 9),
    "initial_look": ("any", "any:0", "any:7"),
    "cambio_powers": ({"A": "look"}, {"1": "peek_own"}, {"KS": "peek_own"}, ["J"]),
    "shield_uses": (0,),
    "photo_finish_us": (-1,),
    "slap_tries": (0,),
    "course": ([], [2], [6], [3, "4"], 4),
    "par": (2, 6, "3"),
    "par_table": (
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
    "strokes_per_turn": (0, 2),
    "no_par_first_end": (0,),
    "queen_value": (0, 11),
    "one_eyed_pairs": ("row", ["line"], 1),
    "jack_value": (0, 15),
    "twos": (-2, 2),
    "values": ({"3": "x"}, {"3": True}, {"3Z": 1}, [3]),
    "cancel": ("col", ["column"], 1),
    "cancel_pairs": ("row", ["line"], 1),
    "knock_penalty": ("add", "add:", "add:-5", "add:x", "add:0", 10),
    "knock_bonus": (0, "minus:5"),
    "cactus_knock": ([5], [5, 2, 1], 5, ["5", 2]),
}
"""Values that an option does not take though they are of its kind, or nearly."""

every_option = pytest.mark.parametrize("option", OPTIONS)


# Ranges, and what combines with what


NOT_EVERYWHERE = {("rounds", "par-course"), ("initial_up", "four-card"), ("no_par", "no-par")}
"""An option and a game in which another option, or the grid, restricts its values."""


def games_of(option: str) -> list[str]:
    return [game for game in PRESETS if game in OPTIONS[option].games]


def changes_for(option: str, game: str, value: Any) -> dict[str, Any]:
    beside = {name: one for name, one in BESIDE.get(option, {}).items() if PRESETS[game].has(name)}
    return {**beside, option: value}


def taken(option: str, value: Any) -> Any:
    """What the option is, as on the wire, where this value of it was given."""
    if option == "par_table":
        return {"values": "B1", **value}
    if value == "none":
        return [] if option in ("cancel", "cancel_pairs", "one_eyed_pairs") else None
    return as_wire(value)


def as_wire(value: Any) -> Any:
    return json.decode(json.encode(value))


def culprits(preset: str, changes: Mapping[str, Any]) -> set[str]:
    with pytest.raises(BadOptions) as caught:
        with_options(preset, changes)
    assert all(problem.text for problem in caught.value.problems)
    return {problem.option for problem in caught.value.problems}


@every_option
def test_values_are_taken_wherever_the_option_belongs_and_a_record_restores_them(option: str) -> None:
    values = [value for value in (*TO_TRY[option], as_wire(getattr(Options(), option))) if value is not None]
    for game, value in product(games_of(option), values):
        if (option, game) not in NOT_EVERYWHERE:
            variant = with_options(game, changes_for(option, game, value))
            assert as_wire(getattr(variant.options, option)) == taken(option, value), game
            again = from_record(game, as_wire(to_builtins(variant.options)))
            assert (again.options, again.rows, again.play) == (variant.options, variant.rows, variant.play), game


@every_option
def test_values_out_of_the_range_are_refused_by_name(option: str) -> None:
    kind = get_args(TYPES[option])[0]
    wrong: list[Any] = [1.5, "another", {"Z": 1}, 1 if kind is bool else True]
    wrong += ["none"] if '"none"' not in expected(TYPES[option]) and kind != get_args(Lines)[0] else []
    for value in (*wrong, *OUT_OF_RANGE.get(option, ())):
        game = games_of(option)[0]
        assert option in culprits(game, changes_for(option, game, value)), value


@every_option
def test_opt_08_an_option_outside_its_games_is_an_error_also_at_its_default(option: str) -> None:
    values = (TO_TRY[option][0], as_wire(getattr(Options(), option)))
    for game, value in product(PRESETS.keys() - OPTIONS[option].games, values):
        assert option in culprits(game, {option: value}), game


# Options that need others


@every_option
def test_opt_08_what_an_option_needs_besides(option: str) -> None:
    needs = OPTIONS[option].needs
    for game in games_of(option) if needs else ():
        if needs and not needs.holds(PRESETS[game].options) and option != "final_turns":
            assert culprits(game, {option: TO_TRY[option][0]}) == {option}, game


@pytest.mark.parametrize(
    ("preset", "changes", "culprit"),
    [
        ("six-card-knock", {"final_turns": "one_each"}, "final_turns"),
        ("cambio", {"cambio_powers": {"J": "peek_own"}, "hidden_rearrange": False}, "hidden_rearrange"),
        ("cambio", {"jokers": 0, "joker_value": 5}, "joker_value"),
        ("cactus", {"slaps": False, "slap_order": "lottery"}, "slap_order"),
        ("cactus", {"slap_order": "lottery", "photo_finish_us": 10}, "photo_finish_us"),
        ("cambio", {"slaps": True, "cambio_powers": {}, "power_before_slaps": True}, "power_before_slaps"),
        ("par-3", {"par_table": ONE_ROW, "twos": "plus2"}, "twos"),
        ("six-card", {"initial_up": 6}, "initial_up"),
        ("four-card", {"initial_look": "any:5"}, "initial_look"),
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
        ("six-card", {"jokers": 2, "twos": "plus2"}),
        ("six-card", {"values": {"9": 3}, "qs40": True}),
        ("six-card", {"jokers": 2, "joker_value": 15, "joker_pair": -5}),
        ("six-card", {"jokers": 2, "values": {"X": 15}, "joker_pair": -5}),
        ("nine-card", {"jokers": 2, "values": {"X": 15}, "joker_pair": -5}),
        ("cutthroat", {"kings15": False, "values": {"K": 3}}),
        ("par-3", {"values": {"K": 3}, "twos": "plus2"}),
        ("par-3", {"values": {"K": 3}, "par_table": ONE_ROW | {"values": {"Q": 2}}}),
    ],
)
def test_opt_01_opt_04_options_that_set_different_ranks_go_together(preset: str, changes: dict[str, Any]) -> None:
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


# A variant of one's own, in TOML alone
