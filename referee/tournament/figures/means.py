"""The mean of each bot and of each pair, and how sure it is.

What is estimated is the mean over all line-ups of a game, each with equal weight, and then over the games, each with
equal weight. Line-ups are strata: the opponents were fixed, and only the deals are chance. So the variance of a mean is
the sum of those of its line-ups, each learnt from the blocks of that line-up alone (Cochran, Sampling Techniques, 1977,
5.3), and its degrees of freedom are those of Satterthwaite (1946).
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
from msgspec import Struct

from referee.tournament.figures.blocks import BlockTable, Figure, Floats, Ints

CONFIDENCE = 0.95
"""How often an interval contains the true figure."""

LEAST_BLOCKS = 6
"""With fewer blocks a figure has no interval: it would be wide and hold too seldom."""

TOO_FEW = "too few deals"

_NOTHING = 1e-14
"""What rounding leaves of no variance."""


class Estimate(Struct, frozen=True, kw_only=True, gc=False):
    """A figure and how sure it is."""

    mean: float
    stderr: float | None = None
    """The standard error; None where it is not known, as `reason` says."""
    df: float | None = None
    """The degrees of freedom of `stderr`."""
    low: float | None = None
    """The lower end of the 95 % confidence interval; None where there is none."""
    high: float | None = None
    reason: str = ""
    """Why there is no interval or no standard error."""
    is_alike: bool = False
    """Whether all blocks came out alike, of a figure that is bounded by -1 and 1."""
    blocks: int = 0
    """How many whole blocks it comes from."""


class Stratified(Struct, frozen=True, kw_only=True, gc=False):
    """One figure in one game: what its line-ups give together."""

    mean: float
    variance: float
    """Of the mean."""
    weight: float
    """The sum over line-ups of s**2 / (df + 2), where s is what a line-up adds to the variance and df its blocks less
    one. With it the degrees of freedom are variance**2 / weight - 2: s**2 overestimates the square of the true variance
    by the factor 1 + 2 / df, which matters where there are few blocks."""
    blocks: int
    is_known: bool
    """Whether each of its line-ups has two blocks or more: of the deals of another, nothing is known."""


class Strata:
    """Figures in one game by their numbers, such as those of bots: what the line-ups of each give together."""

    def __init__(self, rows: Iterable[tuple[Ints, Ints, Floats]], size: int) -> None:
        """Each row has the numbers of some figures by line-up, the line-up by block, and the figures by block."""
        self.lineups, self.blocks, self._single = (np.zeros(size, dtype=np.int64) for _ in range(3))
        self._means, self._variances, self._weights = (np.zeros(size) for _ in range(3))
        for numbers, lineup, values in rows:
            blocks = np.bincount(lineup, minlength=len(numbers))[:, None]
            means = sums(lineup, values, len(numbers)) / blocks
            squares = sums(lineup, (values - means[lineup]) ** 2, len(numbers))
            variances = squares / (np.maximum(1, blocks - 1) * blocks)
            np.add.at(self.lineups, numbers, 1)
            np.add.at(self.blocks, numbers, blocks)
            np.add.at(self._single, numbers, blocks == 1)
            np.add.at(self._means, numbers, means)
            np.add.at(self._variances, numbers, variances)
            np.add.at(self._weights, numbers, variances**2 / (blocks + 1))

    def at(self, number: int) -> Stratified:
        """The figure of this number."""
        lineups = int(self.lineups[number])
        return Stratified(
            mean=float(self._means[number]) / lineups,
            variance=float(self._variances[number]) / lineups**2,
            weight=float(self._weights[number]) / lineups**4,
            blocks=int(self.blocks[number]),
            is_known=not self._single[number],
        )


class Game:
    """One figure of all bots in one game, with what the means of any two bots have in common."""

    def __init__(self, table: BlockTable, game: str, figure: Figure) -> None:
        size, parts = len(table.bots), table.parts(game)
        self.bots = Strata(((part.lineups, part.lineup, part.values(figure)) for part in parts), size)
        self._covariance, self._shared = np.zeros((size, size)), np.zeros((size, size))
        for part in parts:
            self._add(part.lineups, part.lineup, part.values(figure))

    def _add(self, bots: Ints, lineup: Ints, values: Floats) -> None:
        """Add up the covariances of two means, and what the weight of their difference has beside both of theirs."""
        blocks = np.bincount(lineup, minlength=len(bots))
        apart = values - (sums(lineup, values, len(bots)) / blocks[:, None])[lineup]
        products = sums(lineup, apart[:, :, None] * apart[:, None, :], len(bots))
        lineups = self.bots.lineups[bots]
        scale = np.maximum(1, blocks - 1)[:, None, None] * blocks[:, None, None]
        found = products / scale / (lineups[:, :, None] * lineups[:, None, :])
        own = np.diagonal(found, axis1=1, axis2=2)
        one, other = own[:, :, None], own[:, None, :]
        more = ((one + other - 2 * found) ** 2 - one**2 - other**2) / (blocks + 1)[:, None, None]
        np.add.at(self._covariance, (bots[:, :, None], bots[:, None, :]), found)
        np.add.at(self._shared, (bots[:, :, None], bots[:, None, :]), more)

    def difference(self, one: int, other: int) -> Stratified:
        """What the mean of the first bot has more than that of the second."""
        first, second = self.bots.at(one), self.bots.at(other)
        return Stratified(
            mean=first.mean - second.mean,
            variance=first.variance + second.variance - 2 * float(self._covariance[one, other]),
            weight=first.weight + second.weight + float(self._shared[one, other]),
            blocks=min(first.blocks, second.blocks),
            is_known=first.is_known and second.is_known,
        )


def sums(places: Ints, values: Floats, size: int) -> Floats:
    """By place, the sum of its rows."""
    found = np.zeros((size, *values.shape[1:]))
    np.add.at(found, places, values)
    return found


class Figures:
    """One figure of all bots in all games: match points or strokes."""

    def __init__(self, table: BlockTable, figure: Figure) -> None:
        self._is_share = figure == "points"
        self._number = {bot: place for place, bot in enumerate(table.bots)}
        self._games = {game: Game(table, game, figure) for game in table.games}

    def has_block(self, bot: str, game: str) -> bool:
        """Whether the bot has played a whole block of the game."""
        return game in self._games and bot in self._number and self._games[game].bots.blocks[self._number[bot]] > 0

    def mean(self, bot: str, games: Sequence[str]) -> float:
        """The bot's mean over these games, in all of which it must have a block."""
        return sum(self._games[game].bots.at(self._number[bot]).mean for game in games) / len(games)

    def estimate(self, bot: str, games: Sequence[str]) -> Estimate:
        """The bot's mean over these games, in all of which it must have a block, with its interval."""
        found = [self._games[game].bots.at(self._number[bot]) for game in games]
        return over_games(found, is_share=self._is_share)

    def difference(self, one: str, other: str, games: Sequence[str]) -> Estimate:
        """What the first bot's mean has more than the second's over these games, in all of which both have a block."""
        found = [self._games[game].difference(self._number[one], self._number[other]) for game in games]
        return over_games(found, is_bounded=self._is_share)

    def deals(self, one: str, other: str, games: Sequence[str]) -> float:
        """How many deals each line-up of the two has played, on average."""
        some = [(self._games[game].bots, self._number[bot]) for game in games for bot in (one, other)]
        return sum(int(bots.blocks[place]) for bots, place in some) / sum(
            int(bots.lineups[place]) for bots, place in some
        )


def over_games(found: Sequence[Stratified], *, is_share: bool = False, is_bounded: bool = False) -> Estimate:
    """The mean over games, with its interval, given that of each.

    `is_share`: it lies between 0 and 1. `is_bounded`: it lies between -1 and 1, as differences of shares do.
    """
    mean, blocks = sum(one.mean for one in found) / len(found), sum(one.blocks for one in found)
    if blocks < LEAST_BLOCKS or not all(one.is_known for one in found):
        return Estimate(mean=mean, reason=TOO_FEW, blocks=blocks)
    variance = sum(one.variance for one in found) / len(found) ** 2
    if variance <= _NOTHING:
        low, high = _if_all_are_alike(mean, blocks) if is_share else (None, None)
        return Estimate(mean=mean, low=low, high=high, reason=ALIKE, is_alike=is_share or is_bounded, blocks=blocks)
    df = max(1.0, variance * variance * len(found) ** 4 / sum(one.weight for one in found) - 2)
    low, high = _share_interval(mean, variance, df) if is_share else _interval(mean, variance, df)
    return Estimate(mean=mean, stderr=sqrt(variance), df=df, low=low, high=high, blocks=blocks)


ALIKE = "all deals came out alike"


def t_quantile(df: float) -> float:
    """How many standard errors an interval reaches on both sides."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy takes a while to import

    return float(stdtrit(df, (1 + CONFIDENCE) / 2))


def _interval(mean: float, variance: float, df: float) -> tuple[float, float]:
    half = t_quantile(df) * sqrt(variance)
    return mean - half, mean + half


def _share_interval(mean: float, variance: float, df: float) -> tuple[float, float]:
    """The interval of a mean between 0 and 1, which it never leaves.

    The variance of such a mean m goes with m * (1 - m). The interval has all m with
    (mean - m)**2 <= t**2 * variance * m * (1 - m) / (mean * (1 - mean)), after Wilson (1927).
    """
    widening = t_quantile(df) ** 2 * variance / (mean * (1 - mean))
    centre = mean + widening / 2
    half = sqrt(widening * mean * (1 - mean) + widening * widening / 4)
    return (centre - half) / (1 + widening), (centre + half) / (1 + widening)


def _if_all_are_alike(mean: float, blocks: int) -> tuple[float, float]:
    """The interval of a mean between 0 and 1 where all blocks came out alike.

    If a share p of all blocks came out otherwise, all of these would be alike with the chance (1 - p)**blocks. The
    interval has what the mean can be with the greatest p for which that is no less than 0.025.
    """
    other = 1 - ((1 - CONFIDENCE) / 2) ** (1 / blocks)
    return mean - other * mean, mean + other * (1 - mean)


def p_of(difference: Estimate, looks: int = 1) -> float:
    """How likely two equal bots differ so much at any of the looks: by Student's t, 1 where nothing can be said.

    Where the results are looked at before the last of them has come, the p-value of a look is multiplied by how many
    looks there are (Bonferroni).

    Where all blocks came out alike, there is no t. With shares a block moves the difference d by 2 at most, so two
    equal bots must come out otherwise in a share of d / 2 of all blocks or more. Strokes have no such bound.
    """
    if difference.stderr is not None and difference.df is not None:
        from scipy.special import stdtr  # noqa: PLC0415 - as above

        return min(1.0, looks * float(2 * stdtr(difference.df, -abs(difference.mean / difference.stderr))))
    if difference.is_alike and difference.mean:
        return min(1.0, looks * 2 * (1 - abs(difference.mean) / 2) ** difference.blocks)
    return 1.0
