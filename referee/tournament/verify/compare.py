"""Comparing two versions of the same figures, such as stored and replayed ones."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from protocol.text import printable

LONGEST_SHOWN = 100
"""How many characters of a figure a finding shows."""

NOT_ALWAYS_PUBLISHED = frozenset({"deal", "rotation"})
"""Fields of a result that golfref 0.1.0 did not print."""


def differences(one: Any, other: Any, first: str, second: str, where: str = "") -> Iterator[str]:
    """Every figure in which two values of JSON's own types differ. `first` and `second` say whose they are."""
    one, other = _by_name(one), _by_name(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*one, *other)):
            path = f"{where}.{key}" if where else str(key)
            if key in one and key in other:
                yield from differences(one[key], other[key], first, second, path)
            elif key not in NOT_ALWAYS_PUBLISHED:
                yield f"{path}: only {first if key in one else second}"
    elif one != other:
        yield f"{where}: {first} {excerpt(one)}, {second} {excerpt(other)}"


def excerpt(value: Any) -> str:
    """The beginning of a value's JSON."""
    return printable(msgspec.json.encode(value).decode(), LONGEST_SHOWN)


def _by_name(value: Any) -> Any:
    """Rows of tables by their bot, and matches by their number, so that the same ones are compared."""
    for key in ("bot", "number"):
        if isinstance(value, list | tuple) and value and all(isinstance(row, Mapping) and key in row for row in value):
            return {str(row[key]): row for row in value}
    return value
