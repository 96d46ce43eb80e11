"""How far means depend on which opponents came with the sample of line-ups, and how far line-ups differ beyond that.

Weak opponents make good figures. A sample of line-ups is balanced: every bot meets every other about equally often, so
that the strength of opponents hardly moves its mean, although it makes line-ups differ much. So the figure of a bot in
a line-up is taken apart: what its opponents there make of it, and a rest. The rest counts as the difference between
line-ups. What opponents make of it counts as far as the bot met some more often than others: as bots have their places
in a sample by lot, these could have been any others (a permutation of a finite population).

Where a bot has been in line-ups enough, each opponent has an effect of its own; else there is a straight line in the
mean strength of the opponents.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import sqrt
from operator import mul

from msgspec import Struct

from referee.tournament.statistics.spreads import Spread, spread_of

LINEUPS_PER_OPPONENT = 2
"""From so many line-ups for each possible opponent on, each of these has an effect of its own."""

LEAST_FOR_LINE = 4
"""With fewer line-ups than this, nothing is learnt of the strength of opponents."""

ROUNDS = 4
"""How often the effects of opponents are fitted, one after another. Samples are balanced, so two would nearly do."""


class Seen(Struct, frozen=True, gc=False):
    """A line-up with the mean of each bot in it."""

    lineup: Sequence[str]
    means: Sequence[float]


class _Fit(Struct):
    """What the opponents of a bot make of its figures."""

    lineups: int
    rests: list[float]
    """By line-up, in the order in which they were seen."""
    df: int
    effect: float
    """The standard deviation of what an opponent makes of the figure in a line-up."""
    variance: float = 0.0
    """Of the rest."""

    def __post_init__(self) -> None:
        if self.df > 0:
            self.variance = sum([rest * rest for rest in self.rests]) / self.df


class Opponents:
    """What opponents make of the figures in one game."""

    def __init__(self, seen: Iterable[Seen]) -> None:
        self._seen = list(seen)
        self._strengths = _Strengths(self._seen)
        self._fits = self._fitted()
        self._common = self._products()
        self._loads = {bot: self._load(bot) for bot in self._fits}

    def spreads(self, bot: str) -> tuple[Spread, Spread]:
        """Of the bot's mean: the spread by what line-ups differ beyond their opponents, and that by the opponents."""
        fit, load = self._fits[bot], self._loads[bot]
        return spread_of(fit.variance / fit.lineups, fit.df), self._by_opponents(sum(map(mul, load, load)))

    def differences(self, one: str, other: str) -> tuple[Spread, Spread]:
        """The same of the difference of two bots' means."""
        first, second = self._fits[one], self._fits[other]
        shared = self._common.get((min(one, other), max(one, other)), 0.0)
        factor = sqrt(first.lineups / max(1, first.df) * second.lineups / max(1, second.df))
        rest = first.variance / first.lineups + second.variance / second.lineups - 2 * shared * factor
        apart = [a - b for a, b in zip(self._loads[one], self._loads[other], strict=True)]
        return spread_of(max(0.0, rest), min(first.df, second.df)), self._by_opponents(sum(map(mul, apart, apart)))

    def _by_opponents(self, variance: float) -> Spread:
        return spread_of(variance, max(1, len(self._fits) - 2))

    def _fitted(self) -> dict[str, _Fit]:
        figures: dict[str, list[float]] = defaultdict(list)
        faced: dict[str, list[float]] = defaultdict(list)
        others: dict[str, list[list[str]]] = defaultdict(list)
        for one in self._seen:
            for bot, x, y in zip(one.lineup, self._strengths.faced(one.lineup), one.means, strict=True):
                figures[bot].append(y)
                faced[bot].append(x)
                others[bot].append([other for other in one.lineup if other != bot])
        found = {}
        for bot, some in figures.items():
            met = self._strengths.met[bot]
            if len(some) >= LINEUPS_PER_OPPONENT * (len(figures) - 1) and len(met) > len(others[bot][0]):
                found[bot] = _by_each(some, others[bot], met)
            else:
                found[bot] = _by_line(some, faced[bot], sqrt(self._strengths.variance), len(others[bot][0]))
        return found

    def _products(self) -> Mapping[tuple[str, str], float]:
        """By pair, the products of the rests of both in the line-ups with both, scaled to their means."""
        found: dict[tuple[str, str], float] = defaultdict(float)
        rests = {bot: iter(fit.rests) for bot, fit in self._fits.items()}
        for one in self._seen:
            some = [(bot, next(rests[bot]) / self._fits[bot].lineups) for bot in one.lineup]
            for (a, rest), (b, other) in combinations(some, 2):
                found[a, b] += rest * other
        return found

    def _load(self, bot: str) -> list[float]:
        """By bot, how much its effect weighs more in the mean than if all opponents had been met alike."""
        met, fit = self._strengths.met[bot], self._fits[bot]
        others = max(1, len(self._fits) - 1)
        alike = sum(met.values()) / others
        return [0.0 if other == bot else fit.effect * (met.get(other, 0) - alike) / fit.lineups for other in self._fits]


def _by_line(figures: Sequence[float], faced: Sequence[float], deviation: float, opponents: int) -> _Fit:
    """Fits a straight line in the mean strength of the opponents, whose strengths have this standard deviation."""
    count = len(figures)
    y_mean, x_mean = sum(figures) / count, sum(faced) / count
    x_apart = [x - x_mean for x in faced]
    squares = sum([x * x for x in x_apart])
    if count < LEAST_FOR_LINE or squares < 1e-9:
        return _Fit(lineups=count, rests=[y - y_mean for y in figures], df=count - 1, effect=0.0)
    slope = sum([x * (y - y_mean) for x, y in zip(x_apart, figures, strict=True)]) / squares
    rests = [y - y_mean - slope * x for x, y in zip(x_apart, figures, strict=True)]
    return _Fit(lineups=count, rests=rests, df=count - 2, effect=abs(slope) * deviation / opponents)


def _by_each(figures: Sequence[float], others: Sequence[Sequence[str]], met: Mapping[str, int]) -> _Fit:
    """Fits an effect for each opponent, by going round (Gauss and Seidel)."""
    count, mean = len(figures), sum(figures) / len(figures)
    rests = [figure - mean for figure in figures]
    effects = dict.fromkeys(met, 0.0)
    places: dict[str, list[int]] = {opponent: [] for opponent in met}
    for place, some in enumerate(others):
        for opponent in some:
            places[opponent].append(place)
    for _ in range(ROUNDS):
        for opponent, where in places.items():
            change = sum([rests[place] for place in where]) / len(where)
            effects[opponent] += change
            for place in where:
                rests[place] -= change
    middle = sum(effects.values()) / len(effects)
    rest = sum(rests) / count
    variance = sum([(effect - middle) ** 2 for effect in effects.values()]) / max(1, len(effects) - 1)
    return _Fit(lineups=count, rests=[one - rest for one in rests], df=count - len(effects), effect=sqrt(variance))


class _Strengths:
    """How strong bots are as opponents, by their own means in the line-ups without the bot in question."""

    def __init__(self, seen: Iterable[Seen]) -> None:
        self.met: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        """By bot and other, in how many line-ups they met."""
        self._sums: dict[str, float] = defaultdict(float)
        self._counts: dict[str, int] = defaultdict(int)
        self._beside: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        """By bot and other, the sum of the first one's figures in line-ups with both."""
        for one in seen:
            for bot, mean in zip(one.lineup, one.means, strict=True):
                self._sums[bot] += mean
                self._counts[bot] += 1
                met, beside = self.met[bot], self._beside[bot]
                for other in one.lineup:
                    if other != bot:
                        met[other] += 1
                        beside[other] += mean
        means = [self._sums[bot] / self._counts[bot] for bot in self._sums]
        self._middle = sum(means) / len(means)
        self.variance = sum((mean - self._middle) ** 2 for mean in means) / max(1, len(means) - 1)
        """Of the bots' means."""

    def faced(self, lineup: Sequence[str]) -> list[float]:
        """By bot of a line-up, the mean strength of the others in it."""
        beside = self._strengths
        return [sum([beside[bot][other] for other in lineup if other != bot]) / (len(lineup) - 1) for bot in lineup]

    @cached_property
    def _strengths(self) -> Mapping[str, Mapping[str, float]]:
        """By bot and other that it met, how strong the other is."""
        return {bot: {other: self._strength(other, bot) for other in met} for bot, met in self.met.items()}

    def _strength(self, bot: str, without: str) -> float:
        count = self._counts[bot] - self.met[bot][without]
        return (self._sums[bot] - self._beside[bot][without]) / count if count else self._middle
