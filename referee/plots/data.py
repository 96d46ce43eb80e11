"""What pictures need that no table has: gathered over all matches of a run, in one pass and in little memory."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from referee.plots.times import Times
from referee.rules.record import Move
from referee.tournament.figures.strengths import strengths_of
from referee.tournament.plan.meetings import PairHistory
from referee.tournament.results import Result, beaten_shares
from referee.tournament.standings import RankBy, RankedBy
from referee.tournament.store.rows import CommittedMatch

KINDS: Mapping[str, str] = {
    "intervals": "intervals of the standings",
    "ranks": "ranks over time",
    "slaps": "slap times",
    "thinking": "thinking times",
}
"""The kinds of pictures, and what they are called."""

OF_TIMES = frozenset({"slaps", "thinking"})
"""Those that need the records of the matches, besides their results."""

MOST_POINTS, MOST_RATED = 50, 20
"""At how many moments ranks are told at most, and where they go by ratings, which take longer to compute."""


class Moment(Struct, frozen=True, kw_only=True):
    """How the bots stood after some matches."""

    after: int
    """How many matches that count had been committed."""
    merits: dict[str, float]
    """Of each bot that had played a figure by which they are ranked: greater is better."""


class ChartData:
    """Takes the committed matches of a run in the order of commits."""

    def __init__(self, *, order: RankedBy, rank_by: RankBy) -> None:
        self.times = Times()
        self.records = 0
        """How many matches came with their records, from which times are told."""
        self.matches = 0
        """How many matches count."""
        self._by_strokes = rank_by == "strokes"
        self._by_ratings = order != "means"
        self._met = PairHistory()
        self._sums: dict[str, dict[str, tuple[int, float]]] = {}
        """By bot and game, over how many matches, and the sum of its figure."""
        self._moments: list[Moment] = []
        self._step = 1
        """After how many matches there is a moment. It doubles when there are too many of them."""

    def add_times(self, row: CommittedMatch, moves: Sequence[Move]) -> None:
        """Count the times in the moves of a match whose result has been counted before."""
        if row.number is not None:
            self.records += 1
            self.times.add(row.identity.bots, moves)

    def add_result(self, row: CommittedMatch) -> None:
        """Count a match without its record."""
        if row.number is None:
            return
        self.matches += 1
        if self._by_ratings:
            self._met.ended(row.result)
        else:
            self._add_figures(row.result)
        if self.matches % self._step == 0:
            self._moments.append(Moment(after=self.matches, merits=self._merits()))
            if len(self._moments) > (MOST_RATED if self._by_ratings else MOST_POINTS):
                self._moments, self._step = self._moments[1::2], 2 * self._step

    def moments(self) -> list[Moment]:
        """How the bots stood, at most at `MOST_POINTS` and one moments, the last of which is now."""
        if not self.matches or (self._moments and self._moments[-1].after == self.matches):
            return list(self._moments)
        return [*self._moments, Moment(after=self.matches, merits=self._merits())]

    def _add_figures(self, result: Result) -> None:
        mean = sum(result.totals) / len(result.totals)
        shares = beaten_shares(result.ranks)
        for bot, share, total in zip(result.bots, shares, result.totals, strict=True):
            figure = (mean - total) / (result.rounds or 1) if self._by_strokes else share
            games = self._sums.setdefault(bot, {})
            count, so_far = games.get(result.variant, (0, 0.0))
            games[result.variant] = (count + 1, so_far + figure)

    def _merits(self) -> dict[str, float]:
        """Where bots met whom they met by chance, means over games; else ratings."""
        if self._by_ratings:
            bots = {bot for pair in self._met.scores for bot in pair}
            return {bot: one.strength for bot, one in strengths_of(self._met.scores, bots).items()}
        return {
            bot: round(sum(total / count for count, total in games.values()) / len(games), 9)
            for bot, games in self._sums.items()
        }
