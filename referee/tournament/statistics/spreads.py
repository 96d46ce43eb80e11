"""How far a mean may be off: its variance, from how much that variance was learnt, and the interval that follows.

All is plain arithmetic on a few numbers. This module must not know bots, games or blocks.
"""

from collections.abc import Iterable
from math import sqrt

from msgspec import Struct

from referee.tournament.statistics.student import quantile

CONFIDENCE = 0.95
"""How often an interval contains the true figure."""

LEAST_DF = 2.0
"""With fewer degrees of freedom of its own a mean gets no interval: it would be wide and say little."""


class Spread(Struct, frozen=True, kw_only=True, gc=False):
    """The variance of a mean or of a difference, as far as it is known.

    `weight` is the estimated variance of the estimate `variance`, halved, so that
    df = variance**2 / weight - 2, the degrees of freedom of Satterthwaite (1946). For a sum of variances s_i of a_i
    degrees of freedom it is the sum of s_i**2 / (a_i + 2): s_i**4 overestimates the fourth power of the true standard
    deviation by the factor 1 + 2 / a_i, which matters where there are few blocks.
    """

    variance: float
    weight: float
    least_df: float = 0.0
    """Those that blocks of its own gave. They count where all blocks came out alike, and the formula says nothing."""
    is_alike: bool = False
    """Whether all blocks came out alike, so that the variance is no estimate but what it may well be."""
    note: str = ""
    """What a reader should know of where the variance comes from."""

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        if self.weight <= 0:
            return self.least_df
        return max(0.0, self.variance * self.variance / self.weight - 2)

    def times(self, factor: float) -> "Spread":
        """The spread of this factor times the figure."""
        square = factor * factor
        return Spread(
            variance=self.variance * square,
            weight=self.weight * square * square,
            least_df=self.least_df,
            is_alike=self.is_alike,
        )


def spread_of(variance: float, df: float) -> Spread:
    """The spread of a variance with so many degrees of freedom."""
    return Spread(variance=variance, weight=variance * variance / (df + 2), least_df=df)


def total(spreads: Iterable[Spread]) -> Spread:
    """The spread of a sum of independent figures."""
    variance = weight = least_df = 0.0
    is_alike = True
    for one in spreads:
        variance += one.variance
        weight += one.weight
        least_df += one.least_df
        is_alike = is_alike and (one.is_alike or one.variance <= 0)
    return Spread(variance=variance, weight=weight, least_df=least_df, is_alike=is_alike)


def score_interval(mean: float, scale: float, spread: Spread) -> tuple[float, float]:
    """The interval of a mean between 0 and 1, which it never leaves.

    The variance of such a mean m goes with m * (1 - m); `scale` is that product where `spread` was estimated. The
    interval has all m with (mean - m)**2 <= t**2 * variance * m * (1 - m) / scale, after Wilson (1927).
    """
    widening = quantile((1 + CONFIDENCE) / 2, round(spread.df, 3)) ** 2 * spread.variance / scale
    centre = mean + widening / 2
    half = sqrt(widening * mean * (1 - mean) + widening * widening / 4)
    return (centre - half) / (1 + widening), (centre + half) / (1 + widening)


def symmetric_interval(mean: float, spread: Spread) -> tuple[float, float]:
    """The mean and on both sides Student's t times the standard error."""
    half = quantile((1 + CONFIDENCE) / 2, round(spread.df, 3)) * sqrt(spread.variance)
    return mean - half, mean + half


def alike_interval(mean: float, blocks: int) -> tuple[float, float]:
    """The interval of a mean between 0 and 1 where all blocks came out alike.

    If a share p of all blocks came out otherwise, all of these would be alike with the chance (1 - p)**blocks. The
    interval has what the mean can be with the greatest p for which that is no less than 0.025.
    """
    other = 1 - ((1 - CONFIDENCE) / 2) ** (1 / blocks)
    return mean - other * mean, mean + other * (1 - mean)
