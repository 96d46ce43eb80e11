"""How any two bots compare: their difference, how sure it is, in which games, and how many more deals would settle it.

Two bots are compared by the difference of their means, with the covariance that they have where both sat at one table.
All pairs of a table are tested, so p-values are made greater for it (`ranks.py`).
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from math import ceil
from statistics import NormalDist

import numpy as np
from msgspec import Struct

from referee.tournament.figures.blocks import BlockTable, Figure
from referee.tournament.figures.means import Estimate, Figures, Strata, over_games, p_of
from referee.tournament.figures.ranks import LEVEL, Contrast, RankRange, holm, rank_ranges

POWER = 0.8
"""How likely the deals that are said to settle a difference do so, if it is as great as it seems."""

MOST_MORE_DEALS = 1_000_000
"""Nobody plays more."""

NOT_RANKED = "a gauntlet compares only its challengers, since the means of other bots are over other opponents"

NO_GAME = "there is no game in which both have played a whole deal"


class GameDifference(Struct, frozen=True, kw_only=True):
    """How two bots compare in one game."""

    difference: Estimate
    """Of the first, less the second."""
    p: float
    """How likely two equal bots differ so much."""
    p_of_all: float
    """The same, made greater because every game is looked at (Holm)."""
    is_sure: bool
    """Whether the latter is below 0.05."""


class Comparison(Struct, frozen=True, kw_only=True):
    """How two bots compare."""

    bot: str
    other: str
    games: tuple[str, ...]
    """Over which games; empty where they have none in which they can be compared."""
    difference: Estimate
    """What the mean of `bot` has more than that of `other`."""
    p: float | None
    """How likely two equal bots differ so much; None where nothing can be said, as `difference.reason` tells."""
    p_of_all: float | None
    """The same, made greater because all pairs of the table are compared (Holm)."""
    is_sure: bool
    """Whether the latter is below 0.05."""
    by_game: dict[str, GameDifference]
    together: Estimate | None
    """The difference on the same deals: over the blocks where both sat at one table. None where they never did."""
    together_p: float | None
    more_deals: int | None
    """How many deals more for each line-up would settle it in 4 of 5 runs, if the difference stays as it is. 0 where it
    is settled, None where that cannot be told."""
    more_reason: str = ""
    """Why it cannot be told."""


class Comparer:
    """Compares the bots of a run, over the games in which they can be compared or over given ones."""

    def __init__(
        self,
        table: BlockTable,
        decides: Figure = "points",
        *,
        ranked: Collection[str] | None = None,
        looks: int = 1,
    ) -> None:
        """`decides` is the figure by which bots are ranked. `ranked` are the challengers of a gauntlet; None: all.

        `looks` is how often the results are looked at, as in `p_of`.
        """
        self.decides, self.table = decides, table
        self._ranked, self._looks = ranked, looks

    @cached_property
    def points(self) -> Figures:
        """Match points."""
        return Figures(self.table, "points")

    @cached_property
    def strokes(self) -> Figures:
        """Strokes a round, less the mean of the table."""
        return Figures(self.table, "strokes")

    @property
    def figures(self) -> Figures:
        """The figure that decides."""
        return self.strokes if self.decides == "strokes" else self.points

    def comparable(self, games: Sequence[str] | None = None) -> tuple[tuple[str, ...], list[str]]:
        """Over which of these games bots can be compared, and which bots.

        Each of these bots has a whole block of each of these games. Of the ways to choose them, that with the most
        pairs of bot and game is taken, and of equal ones that with more games.
        """
        some = [game for game in self.table.games if games is None or game in games]
        bots = [bot for bot in self.table.bots if self.may_be_ranked(bot)]
        seen = {bot: tuple(game for game in some if self.figures.has_block(bot, game)) for bot in bots}
        choices = {over: [bot for bot in bots if set(over) <= set(seen[bot])] for over in seen.values() if over}
        if not choices:
            return (), []
        best = max(choices, key=lambda over: (len(over) * len(choices[over]), len(over)))
        return best, choices[best]

    def may_be_ranked(self, bot: str) -> bool:
        """Whether the format ranks the bot at all."""
        return self._ranked is None or bot in self._ranked

    def ranges(self, games: Sequence[str], bots: Sequence[str]) -> dict[str, RankRange]:
        """The ranks that are possible by what is known."""
        return rank_ranges(bots, [one for one in self.contrasts(games, bots) if one.p < LEVEL])

    def contrasts(self, games: Sequence[str], bots: Sequence[str]) -> list[Contrast]:
        """Every pair of these bots, with the p-value made greater because all of them are compared."""
        sign = -1 if self.decides == "strokes" else 1
        differences = {pair: self.figures.difference(*pair, games) for pair in combinations(sorted(bots), 2)}
        of_all = holm({pair: p_of(one, self._looks) for pair, one in differences.items()})
        return [
            Contrast(better=one, worse=other, p=p)
            if sign * differences[one, other].mean >= 0
            else Contrast(better=other, worse=one, p=p)
            for (one, other), p in of_all.items()
        ]

    def neighbours(self, games: Sequence[str] | None = None) -> list[Comparison]:
        """Every bot that can be compared and the next one by the figure that decides, best first."""
        over, bots = self.comparable(games)
        sign = -1 if self.decides == "strokes" else 1
        order = sorted(bots, key=lambda bot: (-sign * round(self.figures.mean(bot, over), 9), bot))
        of_all = self._of_all(over, bots)
        return [
            self._compared(one, other, over, of_all[min(one, other), max(one, other)], len(of_all))
            for one, other in pairwise(order)
        ]

    def compare(self, bot: str, other: str, games: Sequence[str] | None = None) -> Comparison:
        """How two bots compare over these games, or over those in which the most bots can be compared."""
        if not (self.may_be_ranked(bot) and self.may_be_ranked(other)):
            return self._incomparable(bot, other, games, NOT_RANKED)
        over, bots = self.comparable(games)
        if bot in bots and other in bots:
            of_all = self._of_all(over, bots)
            return self._compared(bot, other, over, of_all[min(bot, other), max(bot, other)], len(of_all))
        over = tuple(self._with_both(bot, other, games))
        return self._compared(bot, other, over, None, 1) if over else self._incomparable(bot, other, games, NO_GAME)

    def _of_all(self, games: Sequence[str], bots: Sequence[str]) -> dict[tuple[str, str], float]:
        """By pair in the order of names, its p-value with all pairs in mind."""
        return {(min(one.better, one.worse), max(one.better, one.worse)): one.p for one in self.contrasts(games, bots)}

    def _with_both(self, bot: str, other: str, games: Sequence[str] | None) -> Iterator[str]:
        for game in self.table.games:
            if (games is None or game in games) and all(self.figures.has_block(one, game) for one in (bot, other)):
                yield game

    def _compared(self, bot: str, other: str, over: Sequence[str], of_all: float | None, pairs: int) -> Comparison:
        difference = self.figures.difference(bot, other, over)
        is_known = difference.stderr is not None or difference.is_alike
        is_sure = of_all is not None and of_all < LEVEL
        more, reason = (0, "") if is_sure else self._more_deals(difference, self.figures.deals(bot, other, over), pairs)
        together = self._together(bot, other, over)
        return Comparison(
            bot=bot,
            other=other,
            games=tuple(over),
            difference=difference,
            p=p_of(difference, self._looks) if is_known else None,
            p_of_all=of_all if is_known else None,
            is_sure=is_sure,
            by_game=self._by_game(bot, other, over),
            together=together,
            together_p=self._together_p(together),
            more_deals=more,
            more_reason=reason,
        )

    def _incomparable(self, bot: str, other: str, games: Sequence[str] | None, reason: str) -> Comparison:
        """Two bots whose means cannot be compared: only what they did at one table is known."""
        together = self._together(bot, other, list(self._with_both(bot, other, games)))
        return Comparison(
            bot=bot,
            other=other,
            games=(),
            difference=Estimate(mean=0.0, reason=reason),
            p=None,
            p_of_all=None,
            is_sure=False,
            by_game={},
            together=together,
            together_p=self._together_p(together),
            more_deals=None,
            more_reason=reason,
        )

    def _together(self, bot: str, other: str, games: Sequence[str]) -> Estimate | None:
        """The difference over the line-ups with both, as far as they were played, and over the games."""
        a, b = self.table.bots.index(bot), self.table.bots.index(other)
        found = []
        for game in games:
            rows = []
            for part in self.table.parts(game):
                one, two = (part.lineups == place for place in (a, b))
                with_both = one.any(axis=1) & two.any(axis=1)
                keep = with_both[part.lineup]
                lineup, values = part.lineup[keep], part.values(self.decides)[keep]
                apart = values[one[lineup]] - values[two[lineup]]
                number = np.cumsum(with_both) - 1
                if len(lineup):
                    rows.append((np.zeros((with_both.sum(), 1), dtype=np.int64), number[lineup], apart[:, None]))
            if rows:
                found.append(Strata(rows, 1))
        return over_games([one.at(0) for one in found], is_bounded=self.decides == "points") if found else None

    def _together_p(self, together: Estimate | None) -> float | None:
        return None if together is None or together.df is None else p_of(together, self._looks)

    def _by_game(self, bot: str, other: str, games: Sequence[str]) -> dict[str, GameDifference]:
        differences = {game: self.figures.difference(bot, other, [game]) for game in games}
        p_values = {game: p_of(one, self._looks) for game, one in differences.items()}
        of_all = holm(p_values)
        return {
            game: GameDifference(difference=one, p=p_values[game], p_of_all=of_all[game], is_sure=of_all[game] < LEVEL)
            for game, one in differences.items()
        }

    def _more_deals(self, difference: Estimate, deals: float, pairs: int) -> tuple[int | None, str]:
        """How many more deals of each line-up would settle it, tested beside so many pairs; or why that is not known.

        The variance of the difference d goes with 1 / m after m deals. So the m is sought at which d is z standard
        errors, where z is the sum of the normal quantiles of 1 - LEVEL / (2 * pairs * looks) and of POWER.
        """
        if difference.stderr is None:
            return None, difference.reason
        if not round(difference.mean, 9):
            return None, "there is no difference so far"
        normal = NormalDist()
        z = normal.inv_cdf(1 - LEVEL / (2 * pairs * self._looks)) + normal.inv_cdf(POWER)
        wanted = deals * (z * difference.stderr / difference.mean) ** 2
        if wanted > MOST_MORE_DEALS:
            return None, "the difference is too small"
        return max(1, ceil(wanted - deals)), ""


class HeadToHead(Struct, frozen=True, kw_only=True, gc=False):
    """The first bot of a pair against the second at the tables where both sat, over all games in which they met."""

    points: Estimate
    """The share of matches in which it was ahead, ties counting half."""
    strokes: Estimate
    """Its own strokes a round, less the other's."""
    games: tuple[str, ...]

    def turned(self) -> "HeadToHead":
        """The second against the first."""
        return HeadToHead(points=_turned(self.points, 1.0), strokes=_turned(self.strokes, 0.0), games=self.games)


def head_to_head(table: BlockTable) -> dict[tuple[str, str], HeadToHead]:
    """Each pair that sat at a table for a whole block, by their names in order.

    A line-up with both is a stratum, as for means. With two seats there is one such line-up in a game.
    """
    bots, games = table.bots, {}
    for game in table.games:
        of_points, of_strokes = [], []
        for part in table.parts(game):
            one, other = part.pairs[:, 0], part.pairs[:, 1]
            pairs = part.lineups[:, one] * len(bots) + part.lineups[:, other]
            of_points.append((pairs, part.lineup, part.ahead))
            of_strokes.append((pairs, part.lineup, part.strokes[:, one] - part.strokes[:, other]))
        games[game] = Strata(of_points, len(bots) ** 2), Strata(of_strokes, len(bots) ** 2)
    met: dict[int, list[str]] = {}
    for game, (points, _) in games.items():
        for place in np.flatnonzero(points.blocks).tolist():
            met.setdefault(place, []).append(game)
    return {
        (bots[place // len(bots)], bots[place % len(bots)]): HeadToHead(
            points=over_games([games[game][0].at(place) for game in some], is_share=True),
            strokes=over_games([games[game][1].at(place) for game in some]),
            games=tuple(some),
        )
        for place, some in met.items()
    }


def _turned(one: Estimate, whole: float) -> Estimate:
    """What the other of two has, where both together have `whole`."""
    return Estimate(
        mean=whole - one.mean,
        stderr=one.stderr,
        df=one.df,
        low=None if one.high is None else whole - one.high,
        high=None if one.low is None else whole - one.low,
        reason=one.reason,
        is_alike=one.is_alike,
        blocks=one.blocks,
    )
