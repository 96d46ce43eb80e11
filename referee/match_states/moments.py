"""How the moments of a match are named, so that a link can lead to one.

`r3t12` is the beginning of turn 12 of round 3, `r3t12e2` the second event after that, `r3w2` slap window 2 of round 3,
and `r3` the beginning of round 3. Events before the first turn of a round are counted from the round: `r3e2`.
"""

from msgspec import Struct


class Moment(Struct, frozen=True, kw_only=True):
    """When in a match an event happened."""

    round: int
    turn: int
    """The number of the turn in its round; 0 before the first one."""
    window: int = 0
    """The number of the slap window in its round that it is part of; 0 outside of windows."""


class MomentNames:
    """Names the moments of a match in order; no two names are the same."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def name(self, moment: Moment) -> str:
        """The name of the moment at which the next event happened."""
        start = _start(moment)
        count = self._counts.get(start, 0)
        self._counts[start] = count + 1
        return f"{start}e{count}" if count else start


def _start(moment: Moment) -> str:
    if moment.window:
        return f"r{moment.round}w{moment.window}"
    return f"r{moment.round}t{moment.turn}" if moment.turn else f"r{moment.round}"
