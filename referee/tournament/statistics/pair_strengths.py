"""How strong bots are, from sums over pairs: quick, however many matches there were. It is for drawing who meets whom.

The standings rate bots by all that is known (ratings), which takes every match; a drawing needs only about who is how
good, and a ladder needs it thousands of times.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from referee.tournament.plan.meetings import Pair, Score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Figures = NDArray[np.float64]

_DIGITS = 6
"""Figures are rounded, so that all machines have the same ones."""

_TOLERANCE = 1e-10
_MOST_STEPS = 100
_LONGEST_STEP = 2.0


class Strength(Struct, frozen=True, kw_only=True):
    """What is known of a bot. Of two bots the chance of the first to be ahead is 1 / (1 + exp(second - first))."""

    strength: float
    """Higher is better, 0 is the middle. A bot that has not played has 0."""
    stderr: float
    """How far off that may be: the standard error, as if all matches were independent of each other."""


def pair_strengths(scores: Mapping[Pair, Score], names: Collection[str]) -> dict[str, Strength]:
    """The strengths of these bots. Pairs with one bot that is not among them count, but pairs of two such bots do not.

    This is the maximum of the posterior in the model of Bradley and Terry (1952), where a tie counts as half a win for
    both, and each strength has a normal prior with a mean of 0 and a deviation of 1. It is concave, and found by
    Newton's method. A table of more than two counts as one result for every pair at it (full breaking, which is
    consistent for rankings of the model of Plackett and Luce: Azari Soufiani, Parkes and Xia, 2013). Bots that are
    gone have no pairs among each other, so that they are eliminated from each step, and thousands cost little.
    """
    import numpy as np  # noqa: PLC0415 - neither --help nor a single match needs it

    model = _Model(scores, sorted(names))
    strengths = np.zeros(model.size)
    for _ in range(_MOST_STEPS):
        step, covariance = model.step(strengths)
        longest = float(np.abs(step).max(initial=0.0))
        strengths += step * min(1.0, _LONGEST_STEP / max(longest, _LONGEST_STEP))
        if longest < _TOLERANCE:
            break
    return {
        bot: Strength(
            strength=round(float(strengths[place]), _DIGITS) + 0.0,
            stderr=round(float(np.sqrt(covariance[place, place])), _DIGITS),
        )
        for place, bot in enumerate(sorted(names))
    }


class _Model:
    """The pairs as arrays. The bots of interest come first, and bots that are gone after them."""

    def __init__(self, scores: Mapping[Pair, Score], names: Sequence[str]) -> None:
        import numpy as np  # noqa: PLC0415 - neither --help nor a single match needs it

        here = set(names)
        pairs = sorted(pair for pair in scores if not here.isdisjoint(pair))
        gone = sorted({bot for pair in pairs for bot in pair} - here)
        index = {bot: place for place, bot in enumerate((*names, *gone))}
        # The first of a pair is of interest. The score of a pair is that of the one whose name comes first.
        turned = [pair[0] not in here for pair in pairs]
        self._first = np.array([index[pair[turn]] for pair, turn in zip(pairs, turned, strict=True)], dtype=np.int64)
        self._second = np.array(
            [index[pair[not turn]] for pair, turn in zip(pairs, turned, strict=True)], dtype=np.int64
        )
        self._matches = np.array([scores[pair].matches for pair in pairs], dtype=np.float64)
        wins = np.array([scores[pair].halves / 2 for pair in pairs], dtype=np.float64)
        self._wins = np.where(np.array(turned, dtype=bool), self._matches - wins, wins)
        self.size = len(index)
        self._here = len(names)

    def step(self, strengths: "Figures") -> tuple["Figures", "Figures"]:
        """Newton's step from here, and the covariance of the bots of interest."""
        import numpy as np  # noqa: PLC0415 - neither --help nor a single match needs it

        first, second, size, here = self._first, self._second, self.size, self._here
        chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        surplus, weight = self._wins - self._matches * chance, self._matches * chance * (1 - chance)
        gradient = np.bincount(first, surplus, size) - np.bincount(second, surplus, size) - strengths
        own = 1 + np.bincount(first, weight, size) + np.bincount(second, weight, size)
        between = np.bincount(first * size + second, weight, here * size).reshape(here, size)
        links = between[:, here:]
        among = np.diag(own[:here]) - between[:, :here] - between[:, :here].T
        covariance = np.linalg.inv(among - (links / own[here:]) @ links.T).astype(np.float64)
        inner = covariance @ (gradient[:here] + links @ (gradient[here:] / own[here:]))
        outer = (gradient[here:] + inner @ links) / own[here:]
        return np.concatenate((inner, outer)), covariance
