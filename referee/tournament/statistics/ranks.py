"""Ranks as far as they are known: which bots are surely better than which, and the ranks that this leaves to each.

All pairs are tested, and p-values are made greater for it by Holm's method (1979): the chance that any bot is called
better than one that is as good is at most LEVEL. So the ranges of ranks that follow hold all at once.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from referee.tournament.statistics.multiple import holm

LEVEL = 0.05
"""How often ranks may be told apart that are not, in any place of a table."""


class Contrast(Struct, frozen=True, kw_only=True, gc=False):
    """How two bots compare: the first has the better figure, or they are equal."""

    better: str
    worse: str
    p: float
    """How likely two equal bots differ so much."""


class RankRange(Struct, frozen=True, kw_only=True):
    """The ranks that a bot can have, both included."""

    best: int
    """1 and the number of bots that are surely better."""
    worst: int
    """The number of bots less those that are surely worse."""


def settled(contrasts: Sequence[Contrast]) -> list[Contrast]:
    """Those pairs of which it is sure who is better, given every pair of the table once."""
    adjusted = holm({place: one.p for place, one in enumerate(contrasts)})
    return [contrasts[place] for place, p in adjusted.items() if p < LEVEL]


def rank_ranges(bots: Iterable[str], surely: Iterable[Contrast]) -> dict[str, RankRange]:
    """The ranks of each bot, given the pairs of which it is sure who is better."""
    names = list(bots)
    above, below = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for one in surely:
        above[one.worse] += 1
        below[one.better] += 1
    return {bot: RankRange(best=1 + above[bot], worst=len(names) - below[bot]) for bot in names}
