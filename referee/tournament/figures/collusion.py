"""Whether bots help each other at tables of three and more: does B do better against others where A is at the table?

For a bot B and another C, all blocks of a game in which both sat are compared: how often B finished before C where A
sat with them, and how often where A did not. How strong B and C are, and how they suit each other, is in both figures,
so honest bots of very unequal strength differ in neither. What A does to everybody at its table, it does to B and to C.
The *effect* of A on B is the mean of these differences over all C, all games and all blocks, weighted by what each can
tell. A bot that helps B, say by the cards that it leaves, has an effect on B above 0. A bot B that throws its games
where A sits does worse there against everybody: then the effect of A on B is below 0.

With d the share of matches of a block in which B finished before C (a tie counts half), m its mean over all blocks of B
and C, and q the share of these blocks in which A sat, the sum over blocks and over C of (1[A sat] - q) (d - m) is the
score of A and B. It is a sum over blocks, so the sum of their squares is its variance where A has no effect.

Honest bots can suit each other, too: each ordered pair has some effect, which many matches show. What differs from pair
to pair beyond chance is estimated from the median of all pairs of different owners (an empirical null: Efron 2004), and
is no reason to suspect anybody. It is taken to be something even where it does not show, so effects that are small in
any case are none either. So a pair is suspected whose effect is far from those of the others. Every ordered pair is
tested in both directions, and p-values are made greater by Holm's method in two families, pairs of one owner and all
others, each at half of LEVEL: the probability that anybody is named in a run of honest bots is about LEVEL at most.

An effect on B also shows, though weaker, on those whom B meets. So when a pair is named, the blocks in which both sat
are left out, and all others are tested again without them.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf, sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.figures.blocks import BlockTable, Floats, Ints, Part
from referee.tournament.figures.ranks import holm

LEVEL = 0.01
"""How often anybody is named in runs of honest bots."""

FEWEST = 4
"""A pair is tested from so many blocks on in which both sat with others."""


class Influence(Struct, frozen=True, kw_only=True):
    """What one bot's presence does to another."""

    bot: str
    """The bot that is there or not."""
    on: str
    """The bot whose results are looked at."""
    one_owner: bool
    blocks: int
    """In how many blocks both sat, with others."""
    effect: float
    """How much more often `on` finishes before its other opponents where `bot` is at the table, from -1 to 1."""
    stderr: float
    p: float
    """How likely a pair of honest bots comes to an effect as great, in either direction."""
    p_of_all: float
    """The same, made greater because all pairs were tested (Holm)."""
    is_suspected: bool


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

    @classmethod
    def of(cls, part: Part) -> "_Blocks":
        """Those of a part of the block table."""
        seats = part.lineups.shape[1]
        ahead = np.full((len(part.ahead), seats, seats), 0.5)
        for pair, (one, other) in enumerate(part.pairs.tolist()):
            ahead[:, one, other] = part.ahead[:, pair]
            ahead[:, other, one] = 1 - part.ahead[:, pair]
        return cls(bots=part.lineups[part.lineup], ahead=ahead)

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
        from scipy.special import stdtr  # noqa: PLC0415 - scipy takes a while to import

        return float(2 * stdtr(df, -abs(effect) / sqrt(of_all)))


def influences(table: BlockTable, owners: Mapping[str, str]) -> tuple[Influence, ...]:
    """What the test says of each ordered pair that met often enough: suspects first, then by p-value.

    `owners` are those of the bots of the run; whoever is not in it has left, and is not tested but as an opponent.
    """
    names = table.bots
    parts = [_Blocks.of(part) for _, part in table.all_parts() if part.lineups.shape[1] > 2]
    found: dict[tuple[str, str], Influence] = {}
    named: list[Influence] = []
    while parts:
        found |= {(row.bot, row.on): row for row in _tested(parts, names, owners)}
        suspects = [row for pair, row in found.items() if row.is_suspected and not _among(pair, named)]
        if not suspects:
            break
        named.append(min(suspects, key=lambda row: (row.p, row.bot, row.on)))
        pair = names.index(named[-1].bot), names.index(named[-1].on)
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

    def surplus(squared: float) -> float:
        return float(np.median(effects / (chance + squared))) - MEDIAN_OF_SQUARES

    if surplus(0.0) <= 0:
        return 0.0
    from scipy.optimize import brentq  # noqa: PLC0415 - as above

    return round(sqrt(brentq(surplus, 0.0, 1 / MEDIAN_OF_SQUARES, xtol=1e-15)), 9)


def _shown(p: float) -> float:
    """Rounded, so that it is the same on every machine."""
    return float(f"{p:.6g}")


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
