"""How the moments of a match are named, so that a link can lead to one.

`r3t12` is the beginning of turn 12 of round 3, `r3t12e2` the second event after that, `r3w2` slap window 2 of round 3,
and `r3` the beginning of round 3. Events before the first turn of a round are counted from the round: `r3e2`.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from referee.film.film import Frame


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


def moments(frames: Sequence[Frame]) -> list[str]:
    """The names of the moments of a film's frames. A frame without an event has the name of the one before it."""
    names = iter(named(_moment(frame) for frame in frames if frame.event is not None))
    found: list[str] = []
    for frame in frames:
        found.append(next(names) if frame.event is not None else found[-1] if found else "r1")
    return found


def _moment(frame: Frame) -> Moment:
    return Moment(round=frame.turn[0], turn=frame.turn[1], window=frame.window[1] if frame.is_window else 0)


def _start(moment: Moment) -> str:
    if moment.window:
        return f"r{moment.round}w{moment.window}"
    return f"r{moment.round}t{moment.turn}" if moment.turn else f"r{moment.round}"
