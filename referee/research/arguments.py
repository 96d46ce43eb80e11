"""The arguments of environments: games by name and options, numbers, seeds. A wrong one is named in one sentence."""

from contextlib import suppress
from operator import index
from typing import Any

import numpy as np
from msgspec.structs import replace

from referee.rules.check_options import NOT_OPTIONS, BadOptions, OptionProblem, with_options
from referee.rules.variants import Variant


def variant_for(preset: str, options: dict[str, Any]) -> Variant:
    """Return the game with these options, its slaps ordered without a clock."""
    if not isinstance(preset, str):
        raise wrong("preset", 'the name of a game, such as "six-card"', preset)
    problems = [OptionProblem(name, _no_option(name)) for name in options if name in NOT_OPTIONS]
    if options.get("slap_order") == "reaction":
        problems.append(OptionProblem("slap_order", 'nobody\'s time is taken here; expected "lottery" or "clockwise"'))
    if problems:
        raise BadOptions(problems)
    return without_clock(with_options(preset, {name: plain(value) for name, value in options.items()}))


def without_clock(variant: Variant) -> Variant:
    """Return the game with slaps that the lot orders where reaction times would."""
    options = variant.options
    if options.slap_order != "reaction" or not (variant.has("slaps") and options.slaps):
        return variant
    return replace(variant, options=replace(options, slap_order="lottery"))


def default_seats(variant: Variant) -> int:
    """Return the fewest seats that can play and that the rules advise, at least two."""
    return max(2, variant.seats[0], variant.advised_from)


def _no_option(name: str) -> str:
    if name == "seed":
        return "is no option: give it to reset(seed)"
    if name in ("variant", "preset", "seats", "bots"):
        return "is no option: the game and its number of seats come first, as in Env('six-card', 2)"
    return "is no option here: nobody's time is taken"


def whole(field: str, given: Any, expected: str = "a whole number") -> int:
    """Return the number that was given, also where numpy made it.

    Raises ValueError for everything else, booleans too: `seat: expected a whole number, got '0'`.
    """
    if type(given) is int:
        return given
    if not isinstance(given, bool):
        with suppress(TypeError):
            return index(given)
    raise wrong(field, expected, given)


def seed_of(given: object) -> str:
    """Return the seed as text: 7 and "7" are the same. Raises ValueError for negative numbers and other things."""
    if isinstance(given, str):
        return given
    expected = "a whole number from 0 on or a text"
    if (number := whole("seed", given, expected)) < 0:
        raise wrong("seed", expected, given)
    return str(number)


def plain(given: Any) -> Any:
    """Return a number of numpy as Python's own, and everything else as it is."""
    return given.item() if isinstance(given, np.generic) else given


def wrong(field: str, expected: str, given: object) -> ValueError:
    """Return the error that says of a field that something else was expected there."""
    return ValueError(f"{field}: expected {expected}, got {given!r}")
