"""How any two bots compare: their difference, how sure it is, in which games, and how many more deals would settle it.

Two bots are compared by the difference of their means over all line-ups, with the covariance that they have where both
sat at one table. All pairs of a table are tested, so p-values are made greater for it (multiple.py).
"""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from math import ceil, inf
from statistics import NormalDist

from msgspec import Struct

from referee.tournament.statistics.blocks import Blocks, Figure
from referee.tournament.statistics.means import BY_GAMES, LEAST_GAMES, Estimate, Figures, Possible, p_of
from referee.tournament.statistics.multiple import holm
from referee.tournament.statistics.ranks import LEVEL, Contrast, RankRange, rank_ranges

PValue = Callable[[Estimate], float]
"""How likely two equal bots differ so much."""

POWER = 0.8
"""How likely the deals that are told to settle a difference do so, if it is as great as it seems."""

MOST_MORE_DEALS = 1_000_000
"""Nobody plays more."""

OF_THE_FIELD = "a gauntlet compares only its challengers, since the means of other bots are over other opponents"
"""Why two bots are not compared of which one is no challenger."""

_Pair = tuple[str, str]


class Design(Struct, frozen=True, kw_only=True):
    """What the means of a run depend on besides its blocks."""

    possible: Possible | None = None
    """By game and bot, how many line-ups there are of it in all. None: those that were played."""
    ranked: Collection[str] | None = None
    """The challengers of a gauntlet: nobody else is ranked. None: everybody is."""


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
        blocks: Blocks,
        decides: Figure = "points",
        design: Design | None = None,
        p_value: PValue = p_of,
    ) -> None:
        """`decides` is the figure by which bots are ranked.

        `p_value` is another than Student's where somebody looked at the results before the last of them had come.
        """
        self._design = design = design or Design()
        self.points = Figures(blocks, "points", possible=design.possible)
        self.decides, self._blocks, self._p_value = decides, blocks, p_value
        self._contrasts: dict[tuple[str, ...], dict[_Pair, float]] = {}

    @cached_property
    def strokes(self) -> Figures:
        """Strokes a round, less the mean of the table."""
        return Figures(self._blocks, "strokes", possible=self._design.possible)

    @property
    def figures(self) -> Figures:
        """The figure that decides."""
        return self.strokes if self.decides == "strokes" else self.points

    def comparable(self, games: Sequence[str] | None = None) -> tuple[tuple[str, ...], list[str]]:
        """Over which of these games bots can be compared, and which bots.

        In each of these games each of these bots was in several line-ups, or in all that there are of it; with enough
        games, one line-up in each will do. Of the ways to choose them, that with the most pairs of bot and game is
        taken, and of equal ones that with more games.
        """
        some = [game for game in self.points.games if games is None or game in games]
        every = dict.fromkeys(bot for game in some for bot in self.points.games[game].bots)
        bots = [bot for bot in every if self.may_be_ranked(bot)]
        fit = {bot: tuple(game for game in some if self.is_fit(bot, game)) for bot in bots}
        seen = {bot: tuple(game for game in some if self.has_block(bot, game)) for bot in bots}
        choices = {over: [bot for bot in bots if set(over) <= set(fit[bot])] for over in fit.values() if over}
        for over in seen.values():
            if len(over) >= LEAST_GAMES:
                choices[over] = [bot for bot in bots if set(over) <= set(seen[bot])]
        if not choices:
            return (), []
        best = max(choices, key=lambda over: (len(over) * len(choices[over]), len(over)))
        return best, choices[best]

    def may_be_ranked(self, bot: str) -> bool:
        """Whether the format ranks the bot at all."""
        return self._design.ranked is None or bot in self._design.ranked

    def is_fit(self, bot: str, game: str) -> bool:
        """Whether the bot's mean in this game can stand for all line-ups of it."""
        return self.has_block(bot, game) and self.points.games[game].is_spread_out(bot)

    def has_block(self, bot: str, game: str) -> bool:
        """Whether the bot has played a whole block of this game."""
        return game in self.points.games and bot in self.points.games[game].bots

    def ranges(self, games: tuple[str, ...], bots: Sequence[str]) -> dict[str, RankRange]:
        """The ranks that are possible by what is known."""
        return rank_ranges(bots, [one for one in self.contrasts(games, bots) if one.p < LEVEL])

    def contrasts(self, games: tuple[str, ...], bots: Sequence[str]) -> list[Contrast]:
        """Every pair of these bots, with the p-value made greater because all of them are compared."""
        sign = -1 if self.decides == "strokes" else 1
        pairs = combinations(sorted(bots), 2)
        differences = {pair: self.figures.difference(*pair, games, with_interval=False) for pair in pairs}
        of_all = holm({pair: self._p_value(one) for pair, one in differences.items()})
        self._contrasts[games] = of_all
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
        merits = {bot: (-sign * round(self.figures.mean(bot, over), 9), bot) for bot in bots}
        return [self.compare(one, other, games) for one, other in pairwise(sorted(bots, key=merits.__getitem__))]

    def compare(self, bot: str, other: str, games: Sequence[str] | None = None) -> Comparison:
        """How two bots compare over these games, or over those in which the most bots can be compared."""
        if not (self.may_be_ranked(bot) and self.may_be_ranked(other)):
            return self._only_together(bot, other, games, OF_THE_FIELD)
        over, bots = self.comparable(games)
        of_all: float | None = None
        if bot in bots and other in bots:
            if over not in self._contrasts:
                self.contrasts(over, bots)
            of_all = self._contrasts[over][min(bot, other), max(bot, other)]
        else:
            over = self._common(bot, other, games)
        if not over:
            return self._only_together(
                bot, other, games, "there is no game in which both have been in several line-ups"
            )
        difference = self.figures.difference(bot, other, over)
        known = difference.stderr is not None or difference.is_alike
        pairs = len(bots) * (len(bots) - 1) // 2 if of_all is not None else 1
        is_sure = of_all is not None and of_all < LEVEL
        more, reason = (0, "") if is_sure else self._more_deals(bot, other, over, difference, max(1, pairs))
        together = self.figures.together(bot, other, over)
        return Comparison(
            bot=bot,
            other=other,
            games=over,
            difference=difference,
            p=self._p_value(difference) if known else None,
            p_of_all=of_all if known else None,
            is_sure=is_sure,
            by_game=self._by_game(bot, other, over),
            together=together,
            together_p=self._together_p(together),
            more_deals=more,
            more_reason=reason,
        )

    def _only_together(self, bot: str, other: str, games: Sequence[str] | None, reason: str) -> Comparison:
        """Two bots whose means cannot be compared: only what they did at one table can be told."""
        met = [
            game
            for game in self.points.games
            if (games is None or game in games) and self.has_block(bot, game) and self.has_block(other, game)
        ]
        together = self.figures.together(bot, other, met)
        return _incomparable(bot, other, reason, together, self._together_p(together))

    def _together_p(self, together: Estimate | None) -> float | None:
        return None if together is None or together.df is None else self._p_value(together)

    def _common(self, bot: str, other: str, games: Sequence[str] | None) -> tuple[str, ...]:
        some = [game for game in self.points.games if games is None or game in games]
        seen = tuple(game for game in some if self.has_block(bot, game) and self.has_block(other, game))
        if len(seen) >= LEAST_GAMES:
            return seen
        return tuple(game for game in seen if self.is_fit(bot, game) and self.is_fit(other, game))

    def _by_game(self, bot: str, other: str, games: Sequence[str]) -> dict[str, GameDifference]:
        differences = {game: self.figures.difference(bot, other, [game]) for game in games}
        p_values = {game: self._p_value(one) for game, one in differences.items()}
        of_all = holm(p_values)
        return {
            game: GameDifference(difference=one, p=p_values[game], p_of_all=of_all[game], is_sure=of_all[game] < LEVEL)
            for game, one in differences.items()
        }

    def _more_deals(
        self, bot: str, other: str, games: Sequence[str], difference: Estimate, pairs: int
    ) -> tuple[int | None, str]:
        """How many more deals of each line-up would settle it, tested beside so many pairs; or why nobody knows.

        With the variance s / m + f of the difference after m deals, as estimated now, this m makes the difference d
        significant with the chance POWER: m = s / (d**2 / z**2 - f), where z is the sum of the normal quantiles of
        1 - LEVEL / (2 * pairs) and of POWER.
        """
        if difference.stderr is None or difference.reason == BY_GAMES:
            return None, difference.reason
        if not round(difference.mean, 9):
            return None, "there is no difference so far"
        deals, by_deals, fixed = self.figures.parts(bot, other, games)
        normal = NormalDist()
        z = normal.inv_cdf(1 - LEVEL / (2 * pairs)) + normal.inv_cdf(POWER)
        room = difference.mean**2 / z**2 - fixed
        wanted = by_deals * deals / room if room > 0 else inf
        if wanted > MOST_MORE_DEALS:
            return None, "more line-ups are needed, not more deals" if fixed else "the difference is too small"
        return max(1, ceil(wanted - deals)), ""


def _incomparable(
    bot: str, other: str, reason: str, together: Estimate | None = None, together_p: float | None = None
) -> Comparison:
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
        together_p=together_p,
        more_deals=None,
        more_reason=reason,
    )
