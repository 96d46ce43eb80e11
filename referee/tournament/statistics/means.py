"""The mean of each bot, how sure it is, and how sure the difference of two bots is.

What is estimated is the mean of a bot over all line-ups that it can be in, each with equal weight, and then over the
games, each with equal weight. Line-ups are strata. Where all of them were played, only the deals are chance: the
opponents were fixed. Where they are a sample, the differences between line-ups count as well, as in sampling in two
stages from a finite population (Cochran, Sampling Techniques, 1977, 10.3): with n of N line-ups played, the variance
is (1 - n/N) times that by the differences between line-ups plus n/N times that by the deals within them (opponents.py
has what the strength of opponents is in it).

Where blocks are few, the variance within line-ups is drawn towards what the other bots of the game have, measured
against m * (1 - m), since little can be learnt from a few blocks.

Where all blocks of a bot came out alike, nothing is learnt of their variance, and what the others have tells little of
a bot that wins or loses everything. By itself such a game gets the interval of spreads.alike_interval. In a mean over
games it counts as if a block more had been played, half of it won and half of it lost.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import sqrt
from statistics import variance

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.statistics.blocks import Blocks, Cell, Figure, Lineup
from referee.tournament.statistics.opponents import Opponents, Seen
from referee.tournament.statistics.spreads import (
    LEAST_DF,
    Spread,
    alike_interval,
    score_interval,
    spread_of,
    symmetric_interval,
    total,
)
from referee.tournament.statistics.student import two_sided_p

PRIOR_DF = 4.0
"""As how many degrees of freedom the variance of the other bots counts at most."""

LEAST_LINEUPS = 2
"""One line-up tells nothing of how line-ups differ."""

LEAST_GAMES = 4
"""From so many games on, the differences between them can stand for what single games do not tell."""

TOO_FEW = "too few deals and line-ups, at least three are needed"

BY_GAMES = "single games have too few deals, so differences between games count as chance"

ALIKE = "all deals came out alike"

Possible = Mapping[str, Mapping[str, int]]
"""By game and bot, how many line-ups there are of it in all, whether they are played or not."""


class Estimate(Struct, frozen=True, kw_only=True, gc=False):
    """A figure and how sure it is."""

    mean: float
    stderr: float | None = None
    """None where nothing can be said, as `reason` tells."""
    df: float | None = None
    low: float | None = None
    """The interval that contains the true figure in 95 of 100 tournaments. None where there is none."""
    high: float | None = None
    reason: str = ""
    """Why there is no interval or no standard error, or what the interval rests on."""
    is_alike: bool = False
    """Whether all blocks came out alike."""
    blocks: int = 0
    """How many whole blocks it comes from."""


class Played(Struct, frozen=True, kw_only=True, gc=False):
    """What the bots of one line-up made of it in one game, for one figure. Values are in the order of the bots."""

    lineup: Lineup
    means: tuple[float, ...]
    covariances: tuple[tuple[float, ...], ...]
    """Of one block, by two bots; all 0 where only one block was played."""
    df: int
    """Blocks less one: from how much the covariances were learnt."""
    blocks: int

    @property
    def share(self) -> float:
        """By what the covariances are multiplied to give those of the means."""
        return 1 / self.blocks


def played_of(lineup: Lineup, cell: Cell, figure: Figure) -> Played:
    """The means of a line-up."""
    sums, blocks = cell.sums(figure), cell.blocks
    size, place = len(lineup), 0
    squares = [0.0] * (size * (size + 1) // 2)
    for index, value in enumerate(sums.totals):
        for other in sums.totals[index:]:
            squares[place] = sums.products[place] - value * other / blocks
            place += 1
    return Played(
        lineup=lineup,
        means=tuple(value / blocks for value in sums.totals),
        covariances=_square(squares, size, blocks - 1),
        df=blocks - 1,
        blocks=blocks,
    )


def _square(triangle: Sequence[float], size: int, df: int) -> tuple[tuple[float, ...], ...]:
    """The covariances from sums of products of deviations, without what rounding leaves of nothing."""
    rows = [[0.0] * size for _ in range(size)]
    place = 0
    for one in range(size):
        for other in range(one, size):
            value = triangle[place] / df if df else 0.0
            rows[one][other] = rows[other][one] = value if abs(value) > 1e-12 else 0.0
            place += 1
    return tuple(map(tuple, rows))


class Strata(Struct, gc=False):
    """Sums over the line-ups of one bot in a game."""

    lineups: int = 0
    blocks: int = 0
    df: int = 0
    single: int = 0
    """Line-ups with one block only, of whose deals nothing is known."""
    mean: float = 0.0
    between: float = 0.0
    """The squares of what the means of its line-ups deviate from its mean."""
    within: float = 0.0
    """The variance of the sum of its means, by the deals."""
    weight: float = 0.0
    """As in Spread."""
    prior: float = 0.0
    """The same variance as the other bots have it."""

    def add(self, mean: float, variance: float, df: int, blocks: int) -> None:
        """Count a line-up, given its mean with the variance of that by the deals; 0 where nothing is known of it."""
        self.lineups += 1
        self.blocks += blocks
        self.df += df
        self.single += not df
        self.mean += mean
        self.within += variance
        self.weight += variance * variance / (df + 2)

    def scaled(self) -> "Strata":
        """What the sums come to for the mean over the line-ups."""
        square = self.lineups**2
        return replace(
            self,
            between=self.between / square,
            within=self.within / square,
            weight=self.weight / square**2,
            prior=self.prior / square,
        )


class _Shared(Struct, gc=False):
    """Sums over the line-ups with two bots in a game. Of the difference of their means they tell what it has less than
    those of both by themselves, or more where that is below 0."""

    lineups: int = 0
    blocks: int = 0
    df: int = 0
    single: int = 0
    between: float = 0.0
    within: float = 0.0
    weight: float = 0.0
    prior: float = 0.0


class Game:
    """One figure of all bots in one game."""

    def __init__(self, played: Iterable[Played], possible: Mapping[str, int] | None, *, bounded: bool) -> None:
        """`possible` None: all line-ups were played that there are. `bounded`: the figure lies between 0 and 1."""
        self.played = list(played)
        self._possible = possible
        self._bounded = bounded
        self._bots: dict[str, Strata] = defaultdict(Strata)
        self._differences: dict[tuple[str, str], Spread | str] = {}
        self._learnt = sum(one.df * (len(one.lineup) - 1) for one in self.played)
        self._dispersion = _dispersion(self.played) if bounded else 0.0
        for one in self.played:
            self._count(one)
        for bot in self._bots.values():
            bot.mean /= bot.lineups
        for one in self.played:
            for name, mean in zip(one.lineup, one.means, strict=True):
                self._bots[name].between += (mean - self._bots[name].mean) ** 2

    @property
    def bots(self) -> Collection[str]:
        """The bots with a whole block in this game."""
        return self._bots.keys()

    def mean(self, bot: str) -> float:
        """The mean over its line-ups."""
        return self._bots[bot].mean

    def is_spread_out(self, bot: str) -> bool:
        """Whether the bot was in all its line-ups or in several of them, so that its mean can stand for all."""
        return self._fraction(bot) >= 1 or self._bots[bot].lineups > 1

    def blocks(self, bot: str) -> int:
        """How many blocks the bot has."""
        return self._bots[bot].blocks

    def spread(self, bot: str, games: int = 1) -> Spread | str:
        """How far its mean may be off, or why that cannot be told. `games`: over how many games a mean is wanted."""
        sums, fraction = self._bots[bot], self._fraction(bot)
        within = self._within(sums.scaled(), (bot,), games)
        if fraction >= 1 and within is not None:
            return within
        if sums.lineups < LEAST_LINEUPS:
            return _too_few(sums.lineups, fraction)
        return _two_stages(*self._opponents.spreads(bot), within, fraction)

    def difference(self, one: str, other: str, games: int = 1) -> Spread | str:
        """How far the difference of two bots' means may be off, or why that cannot be told."""
        pair = (one, other) if one < other else (other, one)
        if games > 1 and self._is_alike(one) and self._is_alike(other) and not self._have_one_deal(one, other):
            return self._difference(*pair, games)
        if (known := self._differences.get(pair)) is None:
            known = self._differences[pair] = self._difference(*pair, 1)
        return known

    def _difference(self, one: str, other: str, games: int) -> Spread | str:
        first, second = self._bots[one], self._bots[other]
        fraction, lineups = min(self._fraction(one), self._fraction(other)), min(first.lineups, second.lineups)
        within = self._within(self._apart(one, other), (one, other), games)
        if fraction >= 1 and within is not None:
            return within
        if lineups < LEAST_LINEUPS:
            return _too_few(lineups, fraction)
        return _two_stages(*self._opponents.differences(one, other), within, fraction)

    def _apart(self, one: str, other: str) -> Strata:
        """The sums of the difference of two bots' means, in the order of their names."""
        return _apart(self._scaled[one], self._scaled[other], self._shared.get((one, other), _NOTHING_SHARED))

    def _within(self, sums: Strata, bots: Sequence[str], games: int) -> Spread | None:
        """The spread by the deals of a bot's mean, or of the difference of two; None where too little is known."""
        if not self._bounded or sums.within > 0:
            return within_of(sums, self._others(sums))
        drawn = within_of(sums, self._others(sums))
        if drawn is None:
            return None
        # One wins what the other loses, at worst.
        variance = sum(sqrt(self._unlearnt(bot, games)) for bot in bots) ** 2
        return replace(spread_of(max(variance, drawn.variance), sums.df), is_alike=True)

    def _is_alike(self, bot: str) -> bool:
        return self._bots[bot].within <= 0

    def _have_one_deal(self, *bots: str) -> bool:
        """Whether all their line-ups played one deal only. Then nothing is known of deals, over however many games."""
        return all(self._bots[bot].single == self._bots[bot].lineups for bot in bots)

    def _unlearnt(self, bot: str, games: int) -> float:
        """What the variance of a mean may well be where all blocks came out alike.

        It is that with half a block more, spread over all line-ups and games, which came out as far away as it can.
        """
        lineups, variance = self._bots[bot].lineups, 0.0
        for one in self._lineups_of[bot]:
            mean, more = one.means[one.lineup.index(bot)], 1 / (lineups * games)
            other = 0.5 * more / (one.blocks + more)
            variance += other * (1 - other) * max(mean, 1 - mean) ** 2 * one.share
        return variance / lineups**2

    @cached_property
    def _lineups_of(self) -> Mapping[str, Sequence[Played]]:
        found: dict[str, list[Played]] = defaultdict(list)
        for one in self.played:
            for bot in one.lineup:
                found[bot].append(one)
        return found

    @cached_property
    def _scaled(self) -> dict[str, Strata]:
        """The sums of each bot, scaled to its mean."""
        return {name: bot.scaled() for name, bot in self._bots.items()}

    @cached_property
    def _opponents(self) -> Opponents:
        return Opponents(Seen(one.lineup, one.means) for one in self.played)

    def together(self, one: str, other: str) -> Strata:
        """The sums of the difference of two bots over the line-ups with both."""
        found, means = Strata(), list[float]()
        for played in self.played:
            if one not in played.lineup or other not in played.lineup:
                continue
            a, b = played.lineup.index(one), played.lineup.index(other)
            rows = played.covariances
            variance = _plain((rows[a][a] + rows[b][b] - 2 * rows[a][b]) * played.share)
            means.append(played.means[a] - played.means[b])
            found.add(means[-1], variance, played.df, played.blocks)
        found.between = sum((mean - found.mean / found.lineups) ** 2 for mean in means)
        return found

    def parts(self, one: str, other: str) -> tuple[float, float, float]:
        """Of the difference: deals for each line-up so far, and its variance by the deals and by the line-ups."""
        first, second = self._bots[one], self._bots[other]
        whole = self.difference(one, other)
        variance = whole.variance if isinstance(whole, Spread) else 0.0
        deals = (first.blocks + second.blocks) / (first.lineups + second.lineups)
        fraction = min(self._fraction(one), self._fraction(other))
        pair = min(one, other), max(one, other)
        by_deals = self._within(self._apart(*pair), pair, 1)
        if fraction >= 1 or by_deals is None:
            return deals, variance, 0.0
        return deals, min(variance, by_deals.variance), max(0.0, variance - by_deals.variance)

    @cached_property
    def _shared(self) -> dict[tuple[str, str], _Shared]:
        """By pair of bots, in the order of their names, what they share."""
        found: dict[tuple[str, str], _Shared] = defaultdict(_Shared)
        for one in self.played:
            bots = [self._bots[name] for name in one.lineup]
            own = [one.covariances[index][index] * one.share / bot.lineups**2 for index, bot in enumerate(bots)]
            prior = [sqrt(self._prior(one, index)) / bot.lineups for index, bot in enumerate(bots)]
            apart = [(mean - bot.mean) / bot.lineups for mean, bot in zip(one.means, bots, strict=True)]
            for a, b in combinations(range(len(bots)), 2):
                sums = found[one.lineup[a], one.lineup[b]]
                less = 2 * one.covariances[a][b] * one.share / (bots[a].lineups * bots[b].lineups)
                sums.lineups += 1
                sums.blocks += one.blocks
                sums.df += one.df
                sums.single += not one.df
                sums.between += 2 * apart[a] * apart[b]
                sums.within += less
                sums.weight += (own[a] ** 2 + own[b] ** 2 - (own[a] + own[b] - less) ** 2) / (one.df + 2)
                # What some at a table win others lose: on average two of them have the correlation -1 / (seats - 1).
                sums.prior -= 2 * prior[a] * prior[b] / (len(bots) - 1)
        return dict(found)

    def _prior(self, one: Played, index: int) -> float:
        return self._dispersion * _unsettled(one.means[index], one.blocks) * one.share

    def _count(self, one: Played) -> None:
        for index, name in enumerate(one.lineup):
            bot = self._bots[name]
            bot.add(one.means[index], one.covariances[index][index] * one.share, one.df, one.blocks)
            bot.prior += self._prior(one, index)

    def _others(self, sums: Strata) -> float:
        """As how many degrees of freedom the variance of the other bots counts: at most as many as they have."""
        return min(PRIOR_DF, self._learnt - sums.df) if self._bounded else 0.0

    def _fraction(self, bot: str) -> float:
        """Which part of all its line-ups the bot has played."""
        if self._possible is None:
            return 1.0
        return min(1.0, self._bots[bot].lineups / max(1, self._possible.get(bot, 1)))


def spread_from(sums: Strata, fraction: float) -> Spread | str:
    """The spread of a mean over line-ups, or why it cannot be told, where nothing is known of the other bots.

    `sums` are scaled to the mean, `fraction` tells which part of all its line-ups were played.
    """
    within, lineups = within_of(sums), sums.lineups
    if fraction >= 1 and within is not None:
        return within
    if lineups < LEAST_LINEUPS:
        return _too_few(lineups, fraction)
    between = spread_of(max(0.0, sums.between) * lineups / (lineups - 1), lineups - 1)
    return _two_stages(between, spread_of(0.0, 1), within, fraction)


def _two_stages(between: Spread, by_strength: Spread, within: Spread | None, fraction: float) -> Spread:
    """The spread where line-ups are a sample, or where nothing is known of the deals.

    What line-ups differ in contains what the deals make of it. Without more than one deal of each line-up, the latter
    cannot be told apart, and all of it counts.
    """
    parts = [between, by_strength]
    if within is not None:
        parts = [between.times(sqrt(1 - fraction)), by_strength, within.times(sqrt(fraction))]
    # Two line-ups that happen to agree must not make the deals seem to be all the chance that there is.
    return replace(total(parts), least_df=between.least_df)


def within_of(sums: Strata, others: float = 0.0) -> Spread | None:
    """The spread by the deals; None where most line-ups have played one only, so that too little is known.

    It is drawn towards that of the other bots, which counts as `others` degrees of freedom.
    """
    several = sums.lineups - sums.single
    if not several or (sums.lineups >= LEAST_LINEUPS and sums.single > several):
        return None
    factor = 1 + sums.single / several
    own = Spread(variance=sums.within * factor, weight=sums.weight * factor * factor, least_df=float(sums.df))
    if others <= 0:
        return own
    df = own.df
    drawn = spread_of((df * own.variance + others * sums.prior) / (df + others), df + others)
    return replace(drawn, least_df=own.least_df)


_NOTHING_SHARED = _Shared()


def _apart(one: Strata, other: Strata, shared: _Shared) -> Strata:
    """The sums of the difference of two bots' means."""
    return Strata(
        lineups=one.lineups + other.lineups - shared.lineups,
        blocks=one.blocks + other.blocks - shared.blocks,
        df=one.df + other.df - shared.df,
        single=one.single + other.single - shared.single,
        mean=one.mean - other.mean,
        between=one.between + other.between - shared.between,
        within=_plain(one.within + other.within - shared.within),
        weight=_plain(one.weight + other.weight - shared.weight),
        prior=one.prior + other.prior - shared.prior,
    )


class Figures:
    """One figure of all bots in all games: match points or strokes."""

    def __init__(self, blocks: Blocks, figure: Figure, *, possible: Possible | None = None) -> None:
        """Of how many line-ups the played ones are, by game and bot; None where all were played that there are."""
        self._bounded = figure == "points"
        self.games = {
            game: Game(
                (played_of(lineup, cell, figure) for lineup, cell in lineups.items()),
                None if possible is None else possible.get(game),
                bounded=self._bounded,
            )
            for game, lineups in blocks.cells.items()
        }
        """By name, the games in which there is a whole block."""

    def games_of(self, bot: str) -> tuple[str, ...]:
        """The games in which the bot has a whole block."""
        return tuple(name for name, game in self.games.items() if bot in game.bots)

    def mean(self, bot: str, games: Sequence[str]) -> float:
        """The bot's mean over these games, in all of which it must have a block."""
        return sum(self.games[name].mean(bot) for name in games) / len(games)

    def estimate(self, bot: str, games: Sequence[str]) -> Estimate:
        """The bot's mean over these games, in all of which it must have a block."""
        some = [self.games[name] for name in games]
        mean = sum(game.mean(bot) for game in some) / len(some)
        blocks = sum(game.blocks(bot) for game in some)
        spread = over_games(games, [game.mean(bot) for game in some], [game.spread(bot, len(games)) for game in some])
        return estimate_of(mean, spread, blocks, bounded=self._bounded)

    def difference(self, one: str, other: str, games: Sequence[str], *, with_interval: bool = True) -> Estimate:
        """What the first bot's mean has more than the second's over these games. `df` and `stderr` make a t test."""
        some = [self.games[name] for name in games]
        means = [game.mean(one) - game.mean(other) for game in some]
        mean = sum(means) / len(some)
        blocks = sum(min(game.blocks(one), game.blocks(other)) for game in some)
        spread = over_games(games, means, [game.difference(one, other, len(games)) for game in some])
        return estimate_of(mean, spread, blocks, bounded=False, with_interval=with_interval)

    def together(self, one: str, other: str, games: Sequence[str]) -> Estimate | None:
        """The difference on the same deals: over blocks where both sat at one table. None where they never did.

        What is estimated is the mean over the line-ups with both, as far as they were played, and over the games.
        """
        met = {name: sums for name in games if (sums := self.games[name].together(one, other)).lineups}
        if not met:
            return None
        spreads = [spread_from(sums.scaled(), 1.0) for sums in met.values()]
        means = [sums.mean / sums.lineups for sums in met.values()]
        mean = sum(means) / len(met)
        blocks = sum(sums.blocks for sums in met.values())
        return estimate_of(mean, over_games(list(met), means, spreads), blocks, bounded=False)

    def parts(self, one: str, other: str, games: Sequence[str]) -> tuple[float, float, float]:
        """Of the difference: deals for each line-up so far, and its variance by the deals and by the line-ups."""
        some = [self.games[name].parts(one, other) for name in games]
        square = len(games) ** 2
        return (
            sum(deals for deals, _, _ in some) / len(games),
            sum(by_deals for _, by_deals, _ in some) / square,
            sum(fixed for _, _, fixed in some) / square,
        )


def p_of(difference: Estimate) -> float:
    """How likely two equal bots differ so much: by Student's t, 1 where nothing can be said.

    Where all blocks came out alike, there is no t. With a figure from 0 to 1 two equal bots that differ by d in nearly
    all blocks must differ the other way, by 1 at most, in a share of d / (1 + d) of them or more.
    """
    if difference.stderr is not None and difference.df is not None:
        return two_sided_p(difference.mean / difference.stderr, difference.df)
    if difference.is_alike and difference.mean:
        return min(1.0, 2 / (1 + min(1.0, abs(difference.mean))) ** difference.blocks)
    return 1.0


def over_games(games: Sequence[str], means: Sequence[float], spreads: Sequence[Spread | str]) -> Spread | str:
    """The spread of the mean over games, given the mean in each.

    Where single games have too little, what their means differ in is taken for chance (collapsed strata; Cochran,
    Sampling Techniques, 1977, 5A.12). Games do differ, so this is on the safe side. With few such games, all count.
    """
    known = [spread for spread in spreads if isinstance(spread, Spread)]
    if len(known) == len(spreads):
        return total(spread.times(1 / len(spreads)) for spread in known)
    if len(games) >= LEAST_GAMES:
        some = [mean for mean, spread in zip(means, spreads, strict=True) if isinstance(spread, str)]
        if len(some) < LEAST_GAMES:
            some, known = list(means), []
        by_games = spread_of(_plain(len(some) * variance(some)), len(some) - 1)
        return replace(total(spread.times(1 / len(spreads)) for spread in (*known, by_games)), note=BY_GAMES)
    name, reason = next((game, one) for game, one in zip(games, spreads, strict=True) if isinstance(one, str))
    return reason if len(games) == 1 else f"{reason} in {name}"


def estimate_of(
    mean: float, spread: Spread | str, blocks: int, *, bounded: bool, with_interval: bool = True
) -> Estimate:
    """The figure with its interval, where one is wanted; `bounded`: it lies between 0 and 1."""
    if isinstance(spread, str):
        return Estimate(mean=mean, reason=spread, blocks=blocks)
    if min(spread.df, spread.least_df) < LEAST_DF:
        return Estimate(mean=mean, reason=TOO_FEW, blocks=blocks)
    if _plain(spread.variance) > 0 and not spread.is_alike:
        low = high = None
        if bounded:
            scale = mean * (1 - mean)
            low, high = score_interval(mean, scale if scale > 1e-9 else _unsettled(mean, blocks), spread)
        elif with_interval:
            low, high = symmetric_interval(mean, spread)
        error = sqrt(spread.variance)
        return Estimate(mean=mean, stderr=error, df=spread.df, low=low, high=high, reason=spread.note, blocks=blocks)
    if not bounded:
        return Estimate(mean=mean, reason=ALIKE, is_alike=True, blocks=blocks)
    low, high = alike_interval(mean, blocks)
    return Estimate(mean=mean, low=low, high=high, reason=ALIKE, is_alike=True, blocks=blocks)


def _too_few(lineups: int, fraction: float) -> str:
    if fraction >= 1:
        return TOO_FEW
    return f"only {lineups} of its line-ups" + (" has been played" if lineups == 1 else " have been played")


def _plain(value: float) -> float:
    """The variance, without what rounding leaves of nothing."""
    return value if value > 1e-14 else 0.0


def _unsettled(mean: float, blocks: int, more: float = 1.0) -> float:
    """An estimate of m * (1 - m) that is never 0: as if so many blocks more had been half won and half lost."""
    shrunk = (mean * blocks + more / 2) / (blocks + more)
    return shrunk * (1 - shrunk)


def _dispersion(played: Iterable[Played]) -> float:
    """The variance of a block, divided by m * (1 - m): over all bots and line-ups of a game."""
    variances = products = 0.0
    for one in played:
        for index, mean in enumerate(one.means if one.df else ()):
            variance = one.covariances[index][index]
            variances += one.df * variance
            products += one.df * (mean * (1 - mean) + variance * one.share)
    return min(1.0, variances / products) if products > 0 else 0.0
