"""How the moments of a match are named, so that a link can lead to one.

`r3t12` is the beginning of turn 12 of round 3, `r3t12e2` the second step after that, `r3w2` slap window 2 of round 3,
and `r3` the beginning of round 3. Steps before the first turn of a round are counted from the round: `r3e2`.
"""

from collections.abc import Sequence

from referee.film.film import Frame


def moments(frames: Sequence[Frame]) -> list[str]:
    """The names of all frames, in order; no two are the same."""
    names: list[str] = []
    counts: dict[str, int] = {}
    for frame in frames:
        start = _start(frame)
        count = counts.get(start, 0)
        counts[start] = count + 1
        names.append(f"{start}e{count}" if count else start)
    return names


def _start(frame: Frame) -> str:
    round_, turn = frame.turn
    if frame.is_window:
        return f"r{frame.window[0]}w{frame.window[1]}"
    return f"r{round_}t{turn}" if turn else f"r{round_}"
