"""Ranks as far as they are known: which bots are better than which, by tests of all pairs, and the ranks that follow.

All pairs are tested, and p-values are made greater for it by Holm's method (1979): the probability that any bot is
called better than one that is as good is at most LEVEL. So the ranges of ranks that follow hold all at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

LEVEL = 0.05
"""How often ranks may be separated that are not, in any place of a table."""

Key = TypeVar("Key")


class Contrast(Struct, frozen=True, kw_only=True, gc=False):
    """How two bots compare: the first has the better figure, or they are equal."""

    better: str
    worse: str
    p: float
    """How likely two equal bots differ so much."""


class RankRange(Struct, frozen=True, kw_only=True):
    """The ranks that a bot can have, both included."""

    best: int
    """1 and the number of bots that are better."""
    worst: int
    """The number of bots less those that are worse."""


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """The p-values, made so much greater that the least of them errs no more often than each of them did (Holm 1979).

    Equal ones stay in the order in which they were given.
    """
    adjusted, least = {}, 0.0
    for rank, key in enumerate(sorted(p_values, key=lambda key: p_values[key])):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[key]))
        adjusted[key] = least
    return adjusted


def settled(contrasts: Sequence[Contrast]) -> list[Contrast]:
    """Those pairs of which it is known who is better, given every pair of the table once."""
    adjusted = holm({place: one.p for place, one in enumerate(contrasts)})
    return [contrasts[place] for place, p in adjusted.items() if p < LEVEL]


def rank_ranges(bots: Iterable[str], known: Iterable[Contrast]) -> dict[str, RankRange]:
    """The ranks of each bot, given the pairs of which it is known who is better."""
    names = list(bots)
    above, below = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for one in known:
        above[one.worse] += 1
        below[one.better] += 1
    return {bot: RankRange(best=1 + above[bot], worst=len(names) - below[bot]) for bot in names}
