"""What changes from one state to the next, as paths and values of plain data (`Change`)."""

from collections.abc import Iterator
from typing import Any

from referee.match_states.states import Change

Plain = Any
"""What JSON can hold."""

_BY_ELEMENT = ("seats", "slots")
"""The lists of which an element can change by itself; others are replaced as a whole."""


def state_diff(before: Plain, after: Plain, path: tuple[str | int, ...] = ()) -> Iterator[Change]:
    """The changes that make the state `after` of the state `before`; no two of them concern the same place.

    A slot or a hand is replaced as a whole where several of its fields change, and slots are where most of them do.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        keys: list[Any] = [key for key in after if before[key] != after[key]]
        is_whole = "knows" in after and len(keys) > 1
    else:
        is_list = path[-1] in _BY_ELEMENT and len(before) == len(after)
        keys = [number for number in range(len(after)) if before[number] != after[number]] if is_list else []
        is_whole = not is_list or (path[-1] == "slots" and 2 * len(keys) > len(after) > 2)
    if is_whole:
        yield path, after
        return
    for key in keys:
        yield from state_diff(before[key], after[key], (*path, key))
