"""How the moments of a match are named, so that a link can lead to one.

`r3t12` is the beginning of turn 12 of round 3, `r3t12e2` the second event after that, `r3w2` slap window 2 of round 3,
and `r3` the beginning of round 3. Events before the first turn of a round are counted from the round: `r3e2`.
"""

from collections.abc import Iterable

from msgspec import Struct


class Moment(Struct, frozen=True, kw_only=True):
    """When in a match an event happened."""

    round: int
    turn: int
    """The number of the turn in its round; 0 before the first one."""
    window: int = 0
    """The number of the slap window in its round that it is part of; 0 outside of windows."""


def named(moments: Iterable[Moment]) -> list[str]:
    """The names of the moments at which events happened, in order; no two are the same."""
    names: list[str] = []
    counts: dict[str, int] = {}
    for moment in moments:
        start = _start(moment)
        count = counts.get(start, 0)
        counts[start] = count + 1
        names.append(f"{start}e{count}" if count else start)
    return names


def _start(moment: Moment) -> str:
    if moment.window:
        return f"r{moment.round}w{moment.window}"
    return f"r{moment.round}t{moment.turn}" if moment.turn else f"r{moment.round}"
