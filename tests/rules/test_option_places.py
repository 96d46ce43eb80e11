"""An option that is added in one place only is found here: each test says in words what is missing, and where."""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from options_to_try import TO_TRY

import protocol
import referee
from referee.rules.check_options import BadOptions, with_options
from referee.rules.describe import rules_in_brief, rules_in_full
from referee.rules.options import CARD_VALUES, OPTIONS, TYPES, expected
from referee.rules.variants import PRESETS, Variant, deck

RULES_FOLDER = Path(referee.__file__).parent / "rules"
SPECIFICATION = (Path(protocol.__file__).parent / "README.md").read_text(encoding="utf-8")

every_option = pytest.mark.parametrize("name", OPTIONS)


@every_option
def test_an_option_is_declared_with_words_for_people(name: str) -> None:
    option = OPTIONS[name]
    assert re.fullmatch(r"[A-Z].*[^.]\.", option.sentence), f"options.py: what is written of `{name}` is no sentence"
    assert expected(TYPES[name])


@every_option
def test_an_option_has_values_that_tests_try(name: str) -> None:
    assert TO_TRY.get(name), f"tests/support/options_to_try.py: TO_TRY has no values for `{name}`"


def test_every_value_to_try_is_of_an_option() -> None:
    assert not TO_TRY.keys() - OPTIONS.keys(), "options_to_try.py: TO_TRY names what options.py does not declare"


@every_option
def test_a_rule_reads_the_option(name: str) -> None:
    assert name in READ | CARD_VALUES.keys(), f"no rule in referee/rules reads `options.{name}`: it has no effect"


def attributes_read(path: Path) -> Iterator[str]:
    """What is read off anything that goes by the name of options, but not in functions that only describe."""
    waiting: list[ast.AST] = [ast.parse(path.read_text())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("options"):
            yield node.attr
        if not (isinstance(node, ast.FunctionDef) and node.name.endswith("_in_words")):
            waiting += ast.iter_child_nodes(node)


READ = {
    name
    for path in RULES_FOLDER.rglob("*.py")
    if path.name not in ("options.py", "check_options.py", "describe.py")
    for name in attributes_read(path)
}
"""The options that some rule asks for; checks of options and words for people are no rules."""


NOT_DESCRIBED = {"decks", "first_dealer"}
"""What `cards` in the message `match`, and the event `round`, tell bots by themselves."""


@every_option
def test_the_description_changes_with_an_option(name: str) -> None:
    assert makes_a_difference(name, rules_in_brief) is (name not in NOT_DESCRIBED), (
        f"no sentence of rules/describe.py, or of a game in rules/games, changes with `{name}`; write it there"
    )


AWKWARD = re.compile(r" {2}| [,.;:]|\b1 [a-z]+s\b|\ba [A8]\b|\bNone\b|[\[({][])}]")
"""A gap, a plural of one, a wrong article, or a value as Python prints it."""


@every_option
def test_the_description_is_good_english_with_every_value_of_an_option(name: str) -> None:
    texts = {}
    for (preset, variant), value in product(PRESETS.items(), TO_TRY[name]):
        for beside in ({}, {"jokers": 2}, {"moon": True}, {"slaps": True}, {"limit": 1}) if variant.has(name) else ():
            try:
                texts[preset, str(value), *beside] = rules_in_brief(with_options(preset, {**beside, name: value}))
            except BadOptions:
                continue
    assert {key: found[0] for key, text in texts.items() if (found := AWKWARD.search(text.replace(" ...", "")))} == {}


def test_no_value_of_an_option_is_shown_as_nothing() -> None:
    lines = rules_in_full(with_options("cambio", {"cambio_powers": {}, "values": {}})).splitlines()
    assert [line for line in lines if line.endswith(" ")] == []
    assert "* cambio_powers    none" in lines


def test_without_a_first_look_the_description_says_that_nobody_looks() -> None:
    for preset in ("cambio", "powers"):
        assert "No seat looks at its cards before play." in rules_in_brief(
            with_options(preset, {"initial_look": "none"})
        )


def test_pow_23_the_description_lets_everybody_knock_again_after_a_cancelled_knock() -> None:
    text = rules_in_brief(PRESETS["powers"])
    assert "once a round" not in text
    assert "play goes on, and everybody may knock again" in text


@every_option
def test_the_specification_names_an_option_on_which_the_deal_depends(name: str) -> None:
    if makes_a_difference(name, dealt):
        assert re.search(rf"\b{name}\b", SPECIFICATION), (
            f"protocol/README.md: `{name}` changes what is dealt, but section 9 does not name it, "
            "so that nobody can derive the deal from the key"
        )


def dealt(variant: Variant) -> Any:
    """What a bot cannot read off `match` and `round`: the cards of the pack in their order, and the first dealer."""
    return deck(variant, 3), variant.options.first_dealer


def makes_a_difference(name: str, look: Callable[[Variant], Any]) -> bool:
    """Whether a game looks otherwise with some value of the option than without, beside other options or alone."""
    dice = Random(name)  # noqa: S311
    presets = [preset for preset, variant in PRESETS.items() if variant.has(name)]
    for _ in range(150):
        preset = dice.choice(presets)
        others = [other for other in TO_TRY if other != name and PRESETS[preset].has(other)]
        beside = {
            other: dice.choice(TO_TRY[other]) for other in dice.sample(others, min(len(others), dice.randint(0, 3)))
        }
        given = {name: dice.choice(TO_TRY[name])} if TO_TRY.get(name) else {}
        try:
            if look(with_options(preset, beside | given)) != look(with_options(preset, beside)):
                return True
        except BadOptions:
            continue
    return False
