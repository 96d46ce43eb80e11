"""One strength for each bot, from how often it was ahead of each other: the model of Bradley and Terry (1952).

Of two bots at a table the first is ahead of the second with the chance 1 / (1 + exp(b - a)), where a and b are their
strengths; a tie is half a win for both. A table of more than two is one result for every pair at it (full breaking,
which is consistent for rankings of the model of Plackett and Luce: Azari Soufiani, Parkes and Xia, 2013). Each bot also
wins half a match and loses half a match against a hypothetical bot of strength 0, so that a bot that wins everything
has a finite strength, and bots that never met can be compared.

This model is preferred to that of Plackett and Luce with ties for whole rankings: it needs sums over pairs alone, so
that the same function serves the drawing of thousands of rounds, and its errors come from blocks, which makes up for
the pairs of a table not being independent. The library choix (0.4.1) has neither ties nor errors.
"""

from collections.abc import Collection, Mapping
from typing import Protocol

import numpy as np
from msgspec import Struct

from referee.tournament.figures.blocks import Floats, Ints

PSEUDO = 0.5
"""How many matches each bot wins, and how many it loses, against the hypothetical bot."""

_DIGITS = 6
"""Figures are rounded, so that all machines have the same ones."""

_TOLERANCE = 1e-10
_MOST_STEPS = 200
_LONGEST_STEP = 2.0


class Met(Protocol):
    """What came of the matches in which two bots met."""

    matches: int
    ahead: float
    """In how many of them the first one was ahead; a tie is half."""


class Strength(Struct, frozen=True, kw_only=True):
    """What is known of a bot."""

    strength: float
    """Higher is better, 0 is the middle, and that of a bot that has not played."""
    stderr: float
    """How far off that may be: the standard error, as if all matches were independent of each other."""


class Model:
    """The likelihood of strengths, given pairs of bots as numbers. The first `here` bots are those of interest.

    The first of each pair is one of these. The others have no pairs among each other, so that they are eliminated from
    each step, and thousands of them cost little.
    """

    def __init__(self, pairs: Ints, times: Floats, ahead: Floats, *, size: int, here: int) -> None:
        """Each row of `pairs` is a pair, which met so many times and in which the first was ahead so often."""
        self._first, self._second, self._times, self._ahead = pairs[:, 0], pairs[:, 1], times, ahead
        self._size, self._here = size, here

    def fit(self) -> tuple[Floats, Floats]:
        """The strengths of greatest likelihood, and the inverse of its curvature for the bots of interest."""
        strengths = np.zeros(self._size)
        for _ in range(_MOST_STEPS):
            step, inverse = self._step(strengths)
            longest = float(np.abs(step).max(initial=0.0))
            strengths += step * min(1.0, _LONGEST_STEP / max(longest, _LONGEST_STEP))
            if longest < _TOLERANCE:
                break
        return strengths, inverse

    def _step(self, strengths: Floats) -> tuple[Floats, Floats]:
        """Newton's step from here, and the inverse of the curvature."""
        first, second, size, here = self._first, self._second, self._size, self._here
        chance, alone = chances(strengths[first] - strengths[second]), chances(strengths)
        surplus, weight = self._ahead - self._times * chance, self._times * chance * (1 - chance)
        gradient = np.bincount(first, surplus, size) - np.bincount(second, surplus, size) + PSEUDO * (1 - 2 * alone)
        own = np.bincount(first, weight, size) + np.bincount(second, weight, size) + 2 * PSEUDO * alone * (1 - alone)
        between = np.bincount(first * size + second, weight, here * size).reshape(here, size)
        links = between[:, here:]
        among = np.diag(own[:here]) - between[:, :here] - between[:, :here].T
        inverse = np.linalg.inv(among - (links / own[here:]) @ links.T).astype(np.float64)
        inner = inverse @ (gradient[:here] + links @ (gradient[here:] / own[here:]))
        outer = (gradient[here:] + inner @ links) / own[here:]
        return np.concatenate((inner, outer)), inverse


def chances(strengths: Floats) -> Floats:
    """The chance to be ahead of a bot that is weaker by so much."""
    return 1 / (1 + np.exp(-np.clip(strengths, -700, 700)))


def strengths_of(met: Mapping[tuple[str, str], Met], names: Collection[str]) -> dict[str, Strength]:
    """The strengths of these bots. Pairs with one bot that is not among them count, but pairs of two such bots do not.

    `met` has each pair once, in either order.
    """
    here = {bot: place for place, bot in enumerate(sorted(names))}
    pairs = sorted(pair for pair in met if pair[0] in here or pair[1] in here)
    gone = sorted({bot for pair in pairs for bot in pair if bot not in here})
    number = here | {bot: len(here) + place for place, bot in enumerate(gone)}
    rows = []
    for one, other in pairs:
        times, ahead = met[one, other].matches, met[one, other].ahead
        rows.append((one, other, times, ahead) if one in here else (other, one, times, times - ahead))
    strengths, inverse = Model(
        np.array([(number[row[0]], number[row[1]]) for row in rows], dtype=np.int64).reshape(-1, 2),
        np.array([row[2] for row in rows], dtype=np.float64),
        np.array([row[3] for row in rows], dtype=np.float64),
        size=len(number),
        here=len(here),
    ).fit()
    errors = np.sqrt(np.diagonal(inverse))
    return {
        bot: Strength(
            strength=round(float(strengths[place]), _DIGITS) + 0.0, stderr=round(float(errors[place]), _DIGITS)
        )
        for bot, place in here.items()
    }
