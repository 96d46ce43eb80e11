"""The computation of collusion.py, which says what is tested and why. It imports numpy, and is imported only there.

Most of it runs for one bot at a time, over all blocks in which it sat, and all others at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.statistics.collusion import FEWEST, LEVEL, Influence
from referee.tournament.statistics.multiple import holm
from referee.tournament.statistics.plackett_luce import Floats, Ints, Rows, counted
from referee.tournament.statistics.rankings import Matches
from referee.tournament.statistics.student import two_sided_p

MEDIAN_OF_SQUARES = 0.454936
"""The median of the square of a variable with the standard normal distribution."""

LEAST_STYLES = 0.015
"""By how much effects of honest bots are taken to differ at least, as a standard deviation. Among six shipped bots in
six-card golf they did by 0.009. The surest was one of 0.034, between two that play at random: skilled bots gain more
from the cards that such a bot leaves than another of its kind does."""

PAIRS_A_DEGREE = 3
"""So many pairs give a degree of freedom to what is taken from a median of theirs."""


class _Blocks(Struct, frozen=True, kw_only=True):
    """Blocks of one game with equally many seats."""

    bots: Ints
    """By block, the numbers of its bots."""
    ahead: Floats
    """By block, place and place: the share of matches in which the first finished before the second."""

    def without(self, bot: int, other: int) -> "_Blocks":
        """Those in which the two did not both sit."""
        keep = ~((self.bots == bot).any(axis=1) & (self.bots == other).any(axis=1))
        return _Blocks(bots=self.bots[keep], ahead=self.ahead[keep])


class _Sums(Struct, frozen=True, kw_only=True):
    """By the bot that is looked at, and the bot that is there."""

    scores: Floats
    variances: Floats
    weights: Floats
    blocks: Ints


class _Styles(Struct, frozen=True, kw_only=True):
    """How much effects differ from pair to pair beyond chance."""

    deviation: float
    df: float
    """The degrees of freedom with which that is known."""

    def p(self, effect: float, variance: float) -> float:
        """How likely an effect is as great as this, whose variance by chance is given."""
        of_all = variance + max(self.deviation, LEAST_STYLES) ** 2
        df = self.df * (of_all / self.deviation**2) ** 2 if self.deviation > LEAST_STYLES else inf
        return two_sided_p(effect / sqrt(of_all), df)


def found_in(matches: Matches, owners: Mapping[str, str]) -> tuple[Influence, ...]:
    """As `influences` of collusion.py."""
    all_ = counted(matches, owners)
    parts = [part for rows in all_.tables if rows.bots.shape[1] > 2 for part in _blocks(rows)]
    found: dict[tuple[str, str], Influence] = {}
    named: list[Influence] = []
    while True:
        found |= {(row.bot, row.on): row for row in _tested(parts, all_.names, owners)}
        suspects = [row for pair, row in found.items() if row.is_suspected and not _among(pair, named)]
        if not suspects:
            break
        named.append(min(suspects, key=lambda row: (row.p, row.bot, row.on)))
        pair = all_.names.index(named[-1].bot), all_.names.index(named[-1].on)
        parts = [part.without(*pair) for part in parts]
    rows = [row if row in named else replace(row, is_suspected=False) for row in found.values()]
    return tuple(sorted(rows, key=lambda row: (not row.is_suspected, row.p, row.bot, row.on)))


def _among(pair: tuple[str, str], named: Sequence[Influence]) -> bool:
    return any({row.bot, row.on} == set(pair) for row in named)


def _tested(parts: Sequence[_Blocks], names: Sequence[str], owners: Mapping[str, str]) -> Iterator[Influence]:
    """All ordered pairs of bots of the run, each with what these blocks say of it."""
    sums = _added([_sums(part, len(names)) for part in parts], len(names))
    there = np.array([name in owners for name in names])
    is_tested = (sums.blocks >= FEWEST) & (sums.weights > 1e-9) & (sums.variances > 1e-18) & there & there[:, None]
    np.fill_diagonal(is_tested, val=False)
    owner = np.array([owners.get(name, "") for name in names])
    is_one = (owner == owner[:, None]) & (owner != "")
    others = is_tested & ~is_one if (is_tested & ~is_one).any() else is_tested
    styles = _Styles(
        deviation=_styles(sums.scores[others], sums.variances[others], sums.weights[others]),
        df=float(others.sum()) / PAIRS_A_DEGREE,
    )
    for one_owner in (True, False):
        family = is_tested & (is_one == one_owner)
        rows = [_influence(sums, on, bot, names, styles) for on, bot in np.argwhere(family).tolist()]
        adjusted = holm({place: row.p for place, row in enumerate(rows)})
        for place, row in enumerate(rows):
            p = _shown(adjusted[place])
            yield replace(row, one_owner=one_owner, p_of_all=p, is_suspected=p < LEVEL / 2)


def _influence(sums: _Sums, on: int, bot: int, names: Sequence[str], styles: "_Styles") -> Influence:
    """What is known of one pair, before it is counted how many there are."""
    weight = float(sums.weights[on, bot])
    effect, variance = float(sums.scores[on, bot]) / weight, float(sums.variances[on, bot]) / weight**2
    return Influence(
        bot=names[bot],
        on=names[on],
        one_owner=False,
        blocks=int(sums.blocks[on, bot]),
        effect=round(effect, 6) + 0.0,
        stderr=round(sqrt(variance), 6),
        p=_shown(styles.p(effect, variance)),
        p_of_all=1.0,
        is_suspected=False,
    )


def _styles(scores: Floats, variances: Floats, weights: Floats) -> float:
    """By how much effects differ from pair to pair beyond chance: their standard deviation, 0 where they do not.

    With it the median of the squares of all effects, each in units of its own deviation, is that of the normal
    distribution. A median does not move for some colluders among many pairs.
    """
    if not len(scores):
        return 0.0
    effects, chance = (scores / weights) ** 2, variances / weights**2

    def median(squared: float) -> float:
        return float(np.median(effects / (chance + squared)))

    low, high = 0.0, 1.0
    if median(low) <= MEDIAN_OF_SQUARES:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if median(middle) > MEDIAN_OF_SQUARES else (low, middle)
    return round(sqrt(high), 9)


def _shown(p: float) -> float:
    """Rounded, so that it is the same on every machine."""
    return float(f"{p:.6g}")


def _blocks(rows: Rows) -> Iterator[_Blocks]:
    """The blocks of each game."""
    block = np.cumsum(rows.is_new_block) - 1
    ahead = (rows.ranks[:, :, None] < rows.ranks[:, None, :]) + 0.5 * (rows.ranks[:, :, None] == rows.ranks[:, None, :])
    seats = rows.bots.shape[1]
    shares = np.zeros((int(block[-1]) + 1, seats, seats))
    np.add.at(shares, block, ahead * rows.counts[:, None, None])
    shares /= np.bincount(block, rows.counts)[:, None, None]
    bots, games = rows.bots[rows.is_new_block], rows.games[rows.is_new_block]
    for game in sorted(set(games.tolist())):  # np.unique imports masked arrays: 30 ms
        yield _Blocks(bots=bots[games == game], ahead=shares[games == game])


def _sums(blocks: _Blocks, bots: int) -> _Sums:
    """What these blocks say of all ordered pairs."""
    scores, variances, weights = np.zeros((bots, bots)), np.zeros((bots, bots)), np.zeros((bots, bots))
    together = np.zeros((bots, bots), dtype=np.int64)
    for on in range(bots):
        block, place = np.nonzero(blocks.bots == on)
        there, ahead = np.zeros((len(block), bots)), np.zeros((len(block), bots))
        lines = np.arange(len(block))[:, None]
        there[lines, blocks.bots[block]] = 1.0
        there[:, on] = 0.0
        ahead[lines, blocks.bots[block]] = blocks.ahead[block, place]
        ahead[:, on] = 0.0
        met = there.T @ there
        often = np.diagonal(met)
        share = met / np.maximum(often, 1)[:, None]
        surplus = there * (ahead - (ahead.sum(axis=0) / np.maximum(often, 1)))
        moved = there * surplus.sum(axis=1)[:, None] - surplus @ share
        scores[on], variances[on] = moved.sum(axis=0), (moved**2).sum(axis=0)
        weights[on] = (share * (1 - share) * often[:, None]).sum(axis=0)
        together[on] = often
    return _Sums(scores=scores, variances=variances, weights=weights, blocks=together)


def _added(parts: Sequence[_Sums], bots: int) -> _Sums:
    zeros = np.zeros((bots, bots))
    return _Sums(
        scores=sum((part.scores for part in parts), zeros),
        variances=sum((part.variances for part in parts), zeros),
        weights=sum((part.weights for part in parts), zeros),
        blocks=sum((part.blocks for part in parts), np.zeros((bots, bots), dtype=np.int64)),
    )
