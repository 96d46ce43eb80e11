"""Ratings: how strong each bot is, from all blocks at once, whoever met whom.

The scale is the chance to be ahead of one bot, the anchor. Strengths are those of `strengths.py`, from the block table;
their differences vary as a bootstrap over blocks says, and intervals are those of Student's t, so that they hold for
few blocks too. All games weigh the same, and all blocks of a game. What is published is rounded, so that it is the same
on every machine.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, pairwise
from math import ceil, exp, sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from referee.tournament.figures.blocks import BlockTable, Floats
from referee.tournament.figures.means import LEAST_BLOCKS, Estimate, p_of, t_quantile
from referee.tournament.figures.ranks import LEVEL, Contrast, RankRange, holm, rank_ranges, settled
from referee.tournament.figures.strengths import PSEUDO, Model, chances

POWER = 0.8
"""How likely the matches that are said to settle a difference do so, if it is as great as it seems."""

DECIMALS = 6

MOST_TIMES = 100
"""Nobody plays more than so many times as many matches."""


class Rating(Struct, frozen=True, kw_only=True):
    """How strong a bot is. Figures are rounded to six decimals, so that equal ones are equal."""

    rank: int | None
    """By strength: 1 is best, and equal strengths share a rank. None where it has not played, or is no longer there."""
    rank_from: int | None
    """The best rank that the bot can have by what is known: 1 and the number of bots that are stronger."""
    rank_to: int | None
    """The worst one. Bots with the same ranks here are tied."""
    bot: str
    chance: float | None
    """Its chance to be ahead of the anchor at a table, ties counting half, from 0 to 1. None without a block."""
    chance_interval: tuple[float, float] | None
    """The 95 % confidence interval of that. None for the anchor, whose own is one half by definition, and where there
    are too few blocks."""
    strength: float
    """The logarithm of chance / (1 - chance): 0 for the anchor, and higher is better."""
    strength_stderr: float | None
    """The standard error of `strength`, None as above."""
    blocks: int
    """In how many blocks it played. All matches of one line-up on one deal of a game are a block."""


class Ratings(Struct, frozen=True, kw_only=True):
    """The ratings of a run."""

    anchor: str
    """The bot that all others are compared with."""
    is_chosen: bool
    """Whether the anchor was asked for. Else it is the bot in the middle of the table, by strength."""
    bots: tuple[Rating, ...]
    """The strongest first; those that have not played come last."""
    former: tuple[Rating, ...] = ()
    """Bots that are no longer there, and former versions of those that are. Their matches count for the others."""


class Chance(Struct, frozen=True, kw_only=True):
    """How one bot does against another, by all blocks at once."""

    bot: str
    other: str
    chance: float
    """That the first is ahead of the second at a table, ties counting half, from 0 to 1."""
    chance_interval: tuple[float, float] | None
    """The 95 % confidence interval; None where one of them played too few blocks."""
    p: float | None
    """How likely two equal bots differ so much; None as above."""
    p_of_all: float | None
    """The same, made greater because all pairs of the table were tested (Holm)."""
    is_sure: bool
    """Whether that is below 0.05."""
    times: int | None = None
    """About how many times as many matches settle it in 4 of 5 runs, if the bots are as far apart as they seem. None
    where it is settled, and where nobody plays so many."""


def ratings_of(
    table: BlockTable,
    names: Collection[str],
    anchor: str | None = None,
    *,
    unranked: Collection[str] = (),
    looks: int = 1,
) -> Ratings | None:
    """The ratings of these bots, and of others that played as former ones. None where no block is whole.

    `anchor` is one of `names`; without one it is the bot in the middle, by strength. Bots in `unranked` get no rank.
    `looks` is how often the results are looked at, as in `p_of`.
    """
    field = RatedBots(table, names)
    out = {name for name in names if not field.blocks(name)}.union(unranked)
    listed = sorted(names, key=lambda name: (name in out, -field.strength[name], name))
    played = [name for name in listed if name not in out]
    if not table.games or (not played and anchor is None):
        return None
    chosen = anchor if anchor is not None else played[len(played) // 2]
    ranges = rank_ranges(played, settled(field.contrasts(played, looks)))
    former = sorted(field.strength.keys() - set(names), key=lambda name: (-field.strength[name], name))
    return Ratings(
        anchor=chosen,
        is_chosen=anchor is not None,
        bots=tuple(field.rating(name, chosen, played, ranges) for name in listed),
        former=tuple(field.rating(name, chosen, played, ranges) for name in former),
    )


def chances_of(
    table: BlockTable,
    names: Collection[str],
    pairs: Iterable[tuple[str, str]] | None = None,
    *,
    looks: int = 1,
) -> tuple[Chance, ...]:
    """How these pairs do against each other; without `pairs`, all neighbours by strength, the stronger one first.

    `names` are the bots of the table, and the pairs are of them. Bots that have not played are in no pair. `looks` as
    in `p_of`.
    """
    field = RatedBots(table, names)
    order = sorted((name for name in names if field.blocks(name)), key=lambda name: (-field.strength[name], name))
    p_values = {frozenset((one.better, one.worse)): one.p for one in field.contrasts(order, looks)}
    of_all = holm(p_values)
    found = []
    for bot, other in pairs if pairs is not None else pairwise(order):
        pair = frozenset((bot, other))
        if pair not in p_values:
            continue
        difference, is_sure = field.difference(bot, other), of_all[pair] < LEVEL
        is_known = difference.stderr is not None
        found.append(
            Chance(
                bot=bot,
                other=other,
                chance=_chance(difference.mean),
                chance_interval=chance_interval(difference),
                p=p_values[pair] if is_known else None,
                p_of_all=round(of_all[pair], DECIMALS) if is_known else None,
                is_sure=is_sure,
                times=None if is_sure else _times(difference, looks * len(p_values)),
            )
        )
    return tuple(found)


def _times(difference: Estimate, tests: int) -> int | None:
    """How many times as many matches settle this difference, which is tested beside so many others.

    A difference of z standard errors has z * sqrt(m) of them after m times as many matches.
    """
    normal = NormalDist()
    now = abs(difference.mean) / difference.stderr if difference.stderr else 0.0
    wanted = normal.inv_cdf(1 - LEVEL / (2 * tests)) + normal.inv_cdf(POWER)
    return max(2, ceil((wanted / now) ** 2)) if now * MOST_TIMES**0.5 >= wanted else None


class RatedBots:
    """What is known of the strengths of bots: those of a block table, and these `names` even where they have none."""

    def __init__(self, table: BlockTable, names: Iterable[str]) -> None:
        self._names = [*table.bots, *sorted(set(names).difference(table.bots))]
        self._place = {name: place for place, name in enumerate(self._names)}
        size = len(self._names)
        games = [(table.parts(game), sum(len(part.ahead) for part in table.parts(game))) for game in table.games]
        blocks = sum(count for _, count in games)
        weighted = [(part, blocks / (len(games) * count)) for parts, count in games for part in parts]
        times, ahead = np.zeros(size * size), np.zeros(size * size)
        together = np.zeros((size, size), dtype=np.int64)
        for part, weight in weighted:
            bots = part.lineups[part.lineup]
            one, other = (bots[:, part.pairs[:, side]] for side in (0, 1))
            places = (one * size + other).ravel()
            times += np.bincount(places, np.full(len(places), weight), size * size)
            ahead += np.bincount(places, weight * part.ahead.ravel(), size * size)
            np.add.at(together, (bots[:, :, None], bots[:, None, :]), 1)
        met = np.flatnonzero(times)
        model = Model(np.column_stack((met // size, met % size)), times[met], ahead[met], size=size, here=size)
        strengths, inverse = model.fit()
        self.strength = {name: round(float(x), DECIMALS) + 0.0 for name, x in zip(self._names, strengths, strict=True)}
        scores = np.zeros((size, size))
        for part, weight in weighted:
            bots = part.lineups[part.lineup]
            residuals = np.zeros(bots.shape)
            for pair, (one, other) in enumerate(part.pairs.tolist()):
                surplus = part.ahead[:, pair] - chances(strengths[bots[:, one]] - strengths[bots[:, other]])
                residuals[:, one] += weight * surplus
                residuals[:, other] -= weight * surplus
            np.add.at(scores, (bots[:, :, None], bots[:, None, :]), residuals[:, :, None] * residuals[:, None, :])
        alone = chances(strengths)
        self._by_blocks: Floats = inverse @ scores @ inverse
        self._by_pseudo: Floats = (inverse * (PSEUDO**2 * ((1 - alone) ** 2 + alone**2))) @ inverse
        self._together = together

    def blocks(self, name: str) -> int:
        """In how many blocks it played."""
        return int(self._together[self._place[name], self._place[name]])

    def difference(self, bot: str, other: str) -> Estimate:
        """How much stronger the first is than the second.

        As other blocks would have moved it: the covariance of a bootstrap in which each block counts as often as it is
        drawn, and strengths move by one step of Newton's method (score bootstrap: Hu and Zidek 1995; Kline and Santos
        2012), for endlessly many draws. The variance is made greater by b / (b - 1), where b is the number of blocks of
        the bot that played fewer; there are as many degrees of freedom as there are blocks with either bot, less one.
        The won and the lost half match against the hypothetical bot count as often as blocks do: 0, 1, 2, ... times by
        Poisson's law. They keep a bot that won everything from a strength that is known exactly.
        """
        i, j = self._place[bot], self._place[other]
        fewer = min(self.blocks(bot), self.blocks(other))
        mean = self.strength[bot] - self.strength[other]
        if fewer < LEAST_BLOCKS:
            return Estimate(mean=mean, blocks=fewer)
        by_blocks, by_pseudo = (
            float(some[i, i] + some[j, j] - 2 * some[i, j]) for some in (self._by_blocks, self._by_pseudo)
        )
        stderr = sqrt(max(by_blocks * fewer / (fewer - 1) + by_pseudo, 0.0))
        df = float(self.blocks(bot) + self.blocks(other) - self._together[i, j] - 1)
        reach = t_quantile(df) * stderr
        return Estimate(mean=mean, stderr=stderr, df=df, low=mean - reach, high=mean + reach, blocks=fewer)

    def contrasts(self, names: Sequence[str], looks: int = 1) -> list[Contrast]:
        """All pairs. `names` are sorted, the strongest first."""
        return [
            Contrast(better=bot, worse=other, p=round(p_of(self.difference(bot, other), looks), 9))
            for bot, other in combinations(names, 2)
        ]

    def rating(self, name: str, anchor: str, played: Sequence[str], ranges: dict[str, RankRange]) -> Rating:
        """The row of a bot."""
        strength = round(self.strength[name] - self.strength[anchor], DECIMALS) + 0.0
        difference = self.difference(name, anchor) if name != anchor else Estimate(mean=0.0)
        range_ = ranges.get(name)
        return Rating(
            rank=1 + sum(self.strength[other] > self.strength[name] for other in played) if range_ else None,
            rank_from=range_.best if range_ else None,
            rank_to=range_.worst if range_ else None,
            bot=name,
            chance=_chance(strength) if self.blocks(name) else None,
            chance_interval=chance_interval(difference),
            strength=strength,
            strength_stderr=None if difference.stderr is None else round(difference.stderr, DECIMALS),
            blocks=self.blocks(name),
        )


def chance_interval(difference: Estimate) -> tuple[float, float] | None:
    """The ends of the interval of a difference in strength, as chances; None where it has none."""
    if difference.low is None or difference.high is None:
        return None
    return _chance(difference.low), _chance(difference.high)


def _chance(strength: float) -> float:
    """How often a bot is ahead that is so much stronger."""
    return round(1 / (1 + exp(-max(-700.0, min(700.0, strength)))), DECIMALS)
