"""How many line-ups and deals fit into so many hours, and how precise the means of the bots will be.

Pure: it is told what a match takes and how much blocks differ. It must not know clocks, bots or the store.
"""

from collections.abc import Mapping, Sequence
from math import ceil, sqrt

from msgspec import Struct

from referee.tournament.plan.lineups import AllLineups

LEAST_DEALS = 2
"""From two deals of a line-up one learns how much luck there is in a deal. Without that, the ± would have to take all
line-ups that were not played for unknown, and a run of all of them would have no ± at all."""

SPARE = 2
"""The plan has so many times the deals that are expected to fit, so that a run that is faster than expected goes on."""

ROUNDS = 50
"""In about so many rounds the hours are played; a run can end after each."""

MATCHES_A_ROUND = 12
"""A round takes at least as long as so many matches one after another: at its end some processes wait for others."""

WIDE = 1.96
"""Standard errors in a ±."""


class Game(Struct, frozen=True, kw_only=True):
    """What is known of a variant before it is played for long."""

    every: AllLineups
    """All line-ups that there are."""
    match_s: float
    """How long a process takes for a match, in seconds."""
    within: float
    """The variance of a bot's match points in a block from deal to deal of the same line-up."""
    between: float
    """The variance of its mean from line-up to line-up."""

    @property
    def seats(self) -> int:
        """How many bots sit at a table, which is also how many matches a block has."""
        return self.every.seats

    def played(self, lineups: int | None) -> int:
        """How many line-ups are played where so many are wanted."""
        return len(self.every) if lineups is None else min(lineups, len(self.every))

    @property
    def fewest(self) -> int:
        """How many line-ups it takes so that every bot sits at a table, in a sample that is balanced."""
        return ceil(len(self.every) / min(self.every.by_bot))


class Choice(Struct, frozen=True, kw_only=True):
    """What is played in the time that there is."""

    lineups: int | None
    """Of each variant; None for all."""
    deals: int
    """How many deals of each are expected to fit."""
    blocks: int
    matches: int
    """How many those have."""
    wall_s: float
    """How long they take."""
    plus_minus: float
    """The ± that is to be expected of a bot's match points over all variants, as a share of 1."""
    lineups_a_round: int


def lap_s(games: Sequence[Game], lineups: int | None, side_by_side: float) -> float:
    """How long one deal of so many line-ups of each variant takes, in seconds."""
    return sum(game.played(lineups) * game.seats * game.match_s for game in games) / side_by_side


def choose(games: Sequence[Game], *, budget_s: float, side_by_side: float) -> Choice | None:
    """What fits into so many seconds; `side_by_side` is how many processes play. None where nothing does.

    All line-ups, if they fit with two deals each; else a sample of line-ups with two deals, for line-ups differ, and
    more of them tell more than more deals of the same ones.
    """
    every_s = lap_s(games, None, side_by_side)
    if (deals := int(budget_s / every_s)) >= LEAST_DEALS:
        return _choice(games, None, deals, side_by_side=side_by_side, budget_s=budget_s)
    low, high = max(game.fewest for game in games), max(len(game.every) for game in games)
    if lap_s(games, low, side_by_side) * LEAST_DEALS > budget_s:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        fits = lap_s(games, middle, side_by_side) * LEAST_DEALS <= budget_s
        low, high = (middle, high) if fits else (low, middle)
    return _choice(games, low, LEAST_DEALS, side_by_side=side_by_side, budget_s=budget_s)


def least_s(games: Sequence[Game], side_by_side: float) -> float:
    """How many seconds it takes to play the least that `choose` would."""
    return lap_s(games, max(game.fewest for game in games), side_by_side) * LEAST_DEALS


def plus_minus(games: Sequence[Game], lineups: int | None, deals: int) -> float:
    """The ± of a bot's match points over all variants, with so many line-ups and deals; for a bot like most.

    The variance of a variant's mean is between / m * (1 - m / M) + within / (m * deals), where the bot is in m of the M
    line-ups that it could be in (Cochran, Sampling Techniques, 1977, section 10.3).
    """
    variances = []
    for game in games:
        possible = sum(game.every.by_bot) / game.every.bots
        own = max(1.0, possible * game.played(lineups) / len(game.every))
        variances.append(game.between / own * (1 - own / possible) + game.within / (own * deals))
    return WIDE * sqrt(sum(variances)) / len(games)


def _choice(games: Sequence[Game], lineups: int | None, deals: int, *, side_by_side: float, budget_s: float) -> Choice:
    blocks = [game.played(lineups) * deals for game in games]
    most = max(game.played(lineups) for game in games)
    slowest_s = max(game.match_s for game in games)
    round_s = max(budget_s / ROUNDS, slowest_s * MATCHES_A_ROUND)
    lineup_s = lap_s(games, lineups, side_by_side) / most
    return Choice(
        lineups=lineups,
        deals=deals,
        blocks=sum(blocks),
        matches=sum(count * game.seats for count, game in zip(blocks, games, strict=True)),
        wall_s=lap_s(games, lineups, side_by_side) * deals,
        plus_minus=plus_minus(games, lineups, deals),
        lineups_a_round=min(most, max(1, int(round_s / lineup_s))),
    )


def usual_within(seats: int) -> float:
    """The variance of a bot's match points from block to block, where nobody has played yet.

    A rank among `seats` that is drawn by lot has match points of variance (seats + 1) / (12 * (seats - 1)), and the
    mean over the matches of a block of as many has a part of it. Between bots that are not equal less is luck.
    """
    return UNEQUAL * (seats + 1) / (12 * (seats - 1) * seats)


UNEQUAL = 0.7
"""How much of the variance between equal bots there is between shipped bots of all strengths. Measured."""

USUAL_BETWEEN = 0.3
"""How large the variance between line-ups usually is, as a share of that within: shipped bots of all strengths."""

_WEIGHT = 4
"""As how many observations the usual figures count beside those of a trial."""


def variances(points: Mapping[tuple[str, tuple[str, ...]], list[float]], seats: int) -> tuple[float, float]:
    """The variance of match points within and between line-ups, from a trial, drawn towards what is usual.

    `points` tells by bot and line-up the bot's match points in each block of the line-up.
    """
    squares = degrees = 0.0
    means: dict[str, list[float]] = {}
    for (bot, _), some in points.items():
        mean = sum(some) / len(some)
        means.setdefault(bot, []).append(mean)
        squares += sum((one - mean) ** 2 for one in some)
        degrees += len(some) - 1
    usual = usual_within(seats)
    within = (squares + _WEIGHT * usual) / (degrees + _WEIGHT)
    deals = sum(len(some) for some in points.values()) / max(1, len(points))
    spread = own = 0.0
    for some in means.values():
        mean = sum(some) / len(some)
        spread += sum((one - mean) ** 2 for one in some)
        own += len(some) - 1
    found = max(0.0, spread - own * within / max(1.0, deals))
    return within, (found + _WEIGHT * USUAL_BETWEEN * usual) / (own + _WEIGHT)
