"""One bot against another: how it did at the tables where both sat, by game and over games.

A line-up with both is a stratum, as for means (`means.py`). With two seats there is one such line-up in a game.
"""

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from referee.tournament.statistics.blocks import Blocks, Cell, Lineup, pairs
from referee.tournament.statistics.means import Estimate, Possible, Strata, estimate_of, over_games, spread_from


class Duel(Struct, frozen=True, kw_only=True, gc=False):
    """The first bot of a pair against the second, over all games in which they met."""

    points: Estimate
    """The share of wins, ties counting half."""
    strokes: Estimate
    """Its own strokes a round, less the other's."""
    games: tuple[str, ...]

    def turned(self) -> "Duel":
        """The second against the first."""
        return Duel(points=_turned(self.points, 1.0), strokes=_turned(self.strokes, 0.0), games=self.games)


class _Met(Struct, gc=False):
    """How two bots did against each other in a game, for one figure: sums over the line-ups with both."""

    strata: Strata
    squares: float = 0.0
    """Of the means of line-ups."""

    def add(self, total: float, squares: float, blocks: int) -> None:
        """Count a line-up, given the sum over its blocks and that of the squares."""
        mean, df = total / blocks, blocks - 1
        deviations = squares - blocks * mean * mean
        self.strata.add(mean, deviations / df / blocks if deviations > 1e-12 and df else 0.0, df, blocks)
        self.squares += mean * mean


class _Meeting(Struct, gc=False):
    """Both figures of two bots in a game."""

    points: _Met
    strokes: _Met
    seats: int


def duels_of(blocks: Blocks, possible: Possible | None = None) -> dict[tuple[str, str], Duel]:
    """Each pair that sat at a table for a whole block, by their names in order.

    `possible` is as for means: of how many line-ups the played ones are.
    """
    met: dict[tuple[str, str], dict[str, _Meeting]] = defaultdict(dict)
    for game, lineups in blocks.cells.items():
        for lineup, cell in lineups.items():
            _meet(met, game, lineup, cell)
    return {pair: _duel(games, pair[0], possible) for pair, games in met.items()}


def _meet(met: dict[tuple[str, str], dict[str, _Meeting]], game: str, lineup: Lineup, cell: Cell) -> None:
    """Count a line-up for each pair in it."""
    for place, (one, other) in enumerate(pairs(len(lineup))):
        games = met[lineup[one], lineup[other]]
        if (meeting := games.get(game)) is None:
            meeting = games[game] = _Meeting(_Met(Strata()), _Met(Strata()), len(lineup))
        meeting.points.add(*_points(cell, place), cell.blocks)
        meeting.strokes.add(*cell.strokes.difference(one, other), cell.blocks)


def _points(cell: Cell, place: int) -> tuple[float, float]:
    """The sum and the sum of squares of what the first of a pair won against the second."""
    if cell.duels:
        return cell.duels[2 * place], cell.duels[2 * place + 1]
    return cell.points.totals[0], cell.points.products[0]


def _duel(games: Mapping[str, _Meeting], bot: str, possible: Possible | None) -> Duel:
    every = list(games.items())
    fractions = [_fraction(meeting, None if possible is None else possible.get(game), bot) for game, meeting in every]
    return Duel(
        points=_estimate([(game, one.points) for game, one in every], fractions, bounded=True),
        strokes=_estimate([(game, one.strokes) for game, one in every], fractions, bounded=False),
        games=tuple(games),
    )


def _fraction(meeting: _Meeting, possible: Mapping[str, int] | None, bot: str) -> float:
    """Which part of the line-ups with both was played, taken that each bot meets every other in equally many."""
    if possible is None or len(possible) < 2:
        return 1.0
    of_all = possible.get(bot, 1) * (meeting.seats - 1) / (len(possible) - 1)
    return min(1.0, meeting.points.strata.lineups / max(1.0, round(of_all)))


def _estimate(met: list[tuple[str, _Met]], fractions: list[float], *, bounded: bool) -> Estimate:
    means = [one.strata.mean / one.strata.lineups for _, one in met]
    spreads = [
        spread_from(_scaled(one, mean), fraction)
        for (_, one), mean, fraction in zip(met, means, fractions, strict=True)
    ]
    spread = over_games([game for game, _ in met], means, spreads)
    return estimate_of(sum(means) / len(means), spread, sum(one.strata.blocks for _, one in met), bounded=bounded)


def _scaled(met: _Met, mean: float) -> Strata:
    strata = met.strata
    strata.between = max(0.0, met.squares - strata.lineups * mean * mean)
    return strata.scaled()


def _turned(one: Estimate, whole: float) -> Estimate:
    """What the other of two has, where both together have `whole`."""
    return Estimate(
        mean=whole - one.mean,
        stderr=one.stderr,
        df=one.df,
        low=None if one.high is None else whole - one.high,
        high=None if one.low is None else whole - one.low,
        reason=one.reason,
        blocks=one.blocks,
    )
