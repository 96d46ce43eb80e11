"""Comparing two versions of the same figures, such as stored and replayed ones."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from protocol.text import printable

LONGEST_SHOWN = 100
"""How many characters of a figure a finding shows."""


def differences(one: Any, other: Any, whose: tuple[str, str], where: str = "") -> Iterator[str]:
    """Every figure in which two values of JSON's own types differ. `whose` says of either whose it is."""
    one, other = _by_name(one), _by_name(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*one, *other)):
            path = f"{where}.{key}" if where else str(key)
            if key in one and key in other:
                yield from differences(one[key], other[key], whose, path)
            else:
                yield f"{path}: only {whose[0] if key in one else whose[1]}"
    elif one != other:
        yield f"{where}: {whose[0]} {excerpt(one)}, {whose[1]} {excerpt(other)}"


def excerpt(value: Any) -> str:
    """The beginning of a value's JSON."""
    return printable(msgspec.json.encode(value).decode(), LONGEST_SHOWN)


def _by_name(value: Any) -> Any:
    """Rows of tables by their bot, matches by their number or id, bots by their name: the same ones are compared."""
    for key in ("bot", "match", "name", "id"):
        if isinstance(value, list | tuple) and value and all(isinstance(row, Mapping) and key in row for row in value):
            return {str(row[key]): row for row in value}
    return value
