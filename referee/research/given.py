"""What a program gives to an environment: a wrong kind of thing is told in a sentence that names the field."""

from contextlib import suppress
from operator import index
from typing import Any

import numpy as np


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
