"""How strong bots are, from sums over pairs: quick, however many matches there were. It is for drawing who meets whom.

The standings rate bots by all that is known (ratings), which takes every match; a drawing needs only about who is how
good, and a ladder needs it thousands of times.
"""

from collections.abc import Collection, Mapping

from msgspec import Struct

from referee.tournament.plan.meetings import Pair, Score

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
    """The strengths of these bots. Pairs with other bots count, but these are not told.

    This is the maximum of the posterior in the model of Bradley and Terry (1952), where a tie counts as half a win for
    both, and each strength has a normal prior with a mean of 0 and a deviation of 1. It is concave, and found by
    Newton's method. A table of more than two counts as one result for every pair at it (full breaking, which is
    consistent for rankings of the model of Plackett and Luce: Azari Soufiani, Parkes and Xia, 2013).
    """
    import numpy as np  # noqa: PLC0415 - neither --help nor a single match needs it

    everybody = sorted({*names, *(bot for pair in scores for bot in pair)})
    index = {bot: place for place, bot in enumerate(everybody)}
    pairs = sorted(scores)
    first = np.array([index[pair[0]] for pair in pairs], dtype=np.int64)
    second = np.array([index[pair[1]] for pair in pairs], dtype=np.int64)
    matches = np.array([scores[pair].matches for pair in pairs], dtype=np.float64)
    wins = np.array([scores[pair].halves / 2 for pair in pairs], dtype=np.float64)
    size = len(everybody)
    strengths = np.zeros(size)
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        surplus, weight = wins - matches * chance, matches * chance * (1 - chance)
        gradient = np.bincount(first, surplus, size) - np.bincount(second, surplus, size) - strengths
        curvature = np.eye(size)
        np.add.at(curvature, (first, first), weight)
        np.add.at(curvature, (second, second), weight)
        np.add.at(curvature, (first, second), -weight)
        np.add.at(curvature, (second, first), -weight)
        step = np.linalg.solve(curvature, gradient)
        longest = float(np.abs(step).max(initial=0.0))
        strengths += step * min(1.0, _LONGEST_STEP / max(longest, _LONGEST_STEP))
        if longest < _TOLERANCE:
            break
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
    return {
        bot: Strength(
            strength=round(float(strengths[index[bot]]), _DIGITS) + 0.0,
            stderr=round(float(errors[index[bot]]), _DIGITS),
        )
        for bot in names
    }
