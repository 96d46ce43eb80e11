"""The scoring engine against worked cases (cases.txt, scoring_cases.txt), and what people are told of wrong layouts."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from worked_cases import worked_cases

from referee.rules.check_options import BadOptions, with_options
from referee.rules.scoring.by_hand import Scores, score_grids, scoring_variant
from referee.rules.scoring.grid import BadGrid, parse_grid
from referee.rules.scoring.knocker import score_round
from referee.rules.scoring.scoring import has_four_of_a_kind
from referee.rules.variants import PRESETS, card_values

PRESET_OF_TAG = {
    "SIX": "six-card",
    "FOU": "four-card",
    "NIN": "nine-card",
    "EIG": "eight-card",
    "CUT": "cutthroat",
    "CMB": "cambio",
    "POW": "powers",
    "CAC": "cactus",
    "T4": "four-turns",
    "TDK": "two-deck",
    "PAR": "par-course",
}


class Case(NamedTuple):
    preset: str
    options: dict[str, Any]
    given: str
    expected: str


def cases(kind: str) -> list[Any]:
    """The cases of a kind: those of cases.txt by their numbers, others by the comment above each."""
    named = [(f"{case.number} {case.rules}", line) for case in worked_cases() for line in case.lines]
    name = ""
    for line in Path(__file__).with_name("scoring_cases.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            name = line[3:]
        elif line and not line.startswith("#"):
            named.append((name, line))
    return [pytest.param(_case(line), id=name) for name, line in named if line.startswith(kind)]


def _case(line: str) -> Case:
    head, given, expected = line.split(" | ")
    _, tag, options = head.split(" ", 2)
    return Case(PRESET_OF_TAG[tag], json.loads(options), given, expected.removeprefix("= "))


@pytest.mark.parametrize("case", cases("SCORE"))
def test_raw_score(case: Case) -> None:
    scored = score_grids(scoring_variant(case.preset, case.options), [case.given])
    assert scored.raw == scored.scores == (int(case.expected),)


@pytest.mark.parametrize("case", cases("ADJ"))
def test_round_score(case: Case) -> None:
    match = re.fullmatch(r"knocker (none|\d+) raw ([-\d,]+)", case.given)
    assert match
    ender = None if match[1] == "none" else int(match[1])
    raw = [int(score) for score in match[2].split(",")]
    scores = score_round(with_options(case.preset, case.options), raw, ender)
    assert scores == tuple(int(score) for score in case.expected.split(","))


def test_section_7_works_on_the_grids_of_a_table() -> None:
    variant = scoring_variant("six-card", {"knock_penalty": "add:10"})
    beaten = "KS 5H 9D / KD AC 9S"
    lowest = "KS AD 9D / KD AC 9S"
    assert score_grids(variant, [beaten, lowest], ender=0) == Scores(raw=(6, 0), scores=(16, 0))
    assert score_grids(variant, [beaten, lowest], ender=1) == Scores(raw=(6, 0), scores=(6, 0))


@pytest.mark.parametrize(
    ("grid", "four"),
    [
        ("9S 4D 9H / 9C KH 9D", True),
        ("9S 9S 9H / 9C 9H 9D", True),
        ("9S 4D 9H / 9C KH 4S", False),
        ("X1 X2 4D / X3 X4 KH", False),
        ("JS JH 4D / JC 4H 4S", False),
        ("-- -- -- / -- -- --", False),
    ],
)
def test_sco_11_four_of_a_kind(grid: str, four: bool) -> None:
    cards = [card for row in parse_grid(grid) for card in row]
    assert has_four_of_a_kind(cards) is four


def test_values_of_six_card_are_table_b1_without_jokers() -> None:
    assert card_values(PRESETS["six-card"]) == {
        "A": 1, "2": -2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9, "10": 10, "J": 10, "Q": 10, "K": 0,
    }  # fmt: skip


def test_values_name_jokers_when_they_are_dealt_and_single_cards_that_differ() -> None:
    values = card_values(with_options("six-card", {"jokers": 2, "joker_value": -4, "qs40": True}))
    assert (values["X"], values["Q"], values["QS"], values["8"]) == (-4, 10, 40, 0)


def test_cac_40_values_follow_the_ranks_in_the_pack() -> None:
    assert list(card_values(PRESETS["cactus"])) == ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q"]
    assert card_values(PRESETS["cactus"])["1"] == 1
    kings_and_aces = card_values(with_options("cactus", {"cactus_ranks": "KA"}))
    assert (kings_and_aces["A"], kings_and_aces["K"]) == (1, 0)
    assert "0" not in kings_and_aces


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("7H 11H / KD AC", "row 1, card 2: `11H` is no card"),
        ("7H 5H / KD ac", "row 2, card 2: `ac` is no card"),
        ("7H X / KD AC", "row 1, card 2: `X` is no card"),
        ("7H (5H / KD AC", "row 1, card 2: `(5H` is no card"),
        ("7H (--) / KD AC", "row 1, card 2: `(--)` is no card"),
        ("7H \x1b[2J / KD AC", r"row 1, card 2: `\x1b[2J` is no card"),
        ("7H 5H /", "row 2 is empty"),
        ("", "row 1 is empty"),
    ],
)
def test_bad_notation_is_named_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(BadGrid, match=re.escape(complaint)):
        parse_grid(text)


@pytest.mark.parametrize(
    ("preset", "grids", "complaint"),
    [
        ("six-card", ["KS 5H 9D / KD AC 9S", "KS 5H 9D / KD AC"], "grid 2 (seat 1): expected 2 rows of 3 cards"),
        ("six-card", ["KS 5H / KD AC / 3C 4C"], "grid 1 (seat 0): expected 2 rows of 3 cards for six-card, got 3 rows"),
        ("six-card", ["KS 5H 9D / KD -- 9S"], "row 2, card 2 is an empty slot"),
        ("six-card", ["KS 0H 9D / KD AC 9S"], "grid 1 (seat 0): row 1, card 2: 0H is not in the pack of six-card"),
        ("six-card", ["KS 5H 9D / KD ?? 9S"], "grid 1 (seat 0): row 2, card 2: `??` is no card"),
        ("cactus", ["0S 1H / 2D KC"], "row 2, card 2: KC is not in the pack of cactus"),
        ("powers", ["KH X1 2C / KS 9D AC"], "X1 is not in the pack of powers"),
        ("par-4", ["5S 5D / 2C KH / QS 3H"], "expected 4 rows of 2 cards for par-4, got 3 rows"),
        ("par-course", ["5S 5D / 2C KH"], "expected 3 or 4 or 5 rows of 2 cards for par-course, got 2 rows"),
        ("cactus", [], "no grid to score"),
    ],
)
def test_a_layout_that_the_game_cannot_have_is_refused(preset: str, grids: list[str], complaint: str) -> None:
    with pytest.raises(BadGrid, match=re.escape(complaint)):
        score_grids(PRESETS[preset], grids)


@pytest.mark.parametrize("ender", [-1, 1])
def test_the_ender_is_a_seat_with_a_grid(ender: int) -> None:
    with pytest.raises(BadGrid, match="ender: expected a seat from 0 to 0"):
        score_grids(PRESETS["cactus"], ["0S 1H / 2D 3C"], ender)


def test_par_22_a_course_has_holes_of_several_pars() -> None:
    grids = ["5S 5D / 2C KH / QS 3H", "2S 2D / 2C KH / JS JD / AH 10C", "AS AD / 3S 3D / 4S 4D / 5S 5D / 6S KD"]
    assert score_grids(PRESETS["par-course"], grids).raw == (11, 9, 6)


@pytest.mark.parametrize("preset", ["six-card", "four-card", "nine-card", "eight-card", "cutthroat", "cambio"])
def test_jokers_that_are_not_in_the_pack_score_by_hand(preset: str) -> None:
    variant = scoring_variant(preset, {"jokers": 0, "values": {"3": 0}})
    shape = [["3S"] * variant.columns for _ in range(variant.rows)]
    shape[0][0] = "X1"
    joker = -4 if preset == "nine-card" else -5
    assert score_grids(variant, [" / ".join(map(" ".join, shape))]).raw == (joker,)


def test_joker_options_need_no_jokers_in_the_pack_to_score_by_hand() -> None:
    changes = {"joker_value": 15, "joker_pair": -5}
    with pytest.raises(BadOptions, match="needs `jokers` above 0"):
        with_options("six-card", changes)
    assert score_grids(scoring_variant("six-card", changes), ["X1 X2 3C / 4C 5C 6C"]).raw == (48,)


def test_opt_08_cactus_has_no_jokers_by_hand_either() -> None:
    with pytest.raises(BadOptions, match="joker_value: does not go with") as caught:
        scoring_variant("cactus", {"joker_value": 15})
    assert {problem.option for problem in caught.value.problems} == {"joker_value"}
