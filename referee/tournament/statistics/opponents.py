"""How far means depend on which opponents came with the sample of line-ups, and how far line-ups differ beyond that.

Weak opponents make good figures. A sample of line-ups is balanced: every bot meets every other about equally often, so
that the strength of opponents hardly moves its mean, although it makes line-ups differ much. So the figure of a bot in
a line-up is taken apart: a straight line in the strength of its opponents there, and a rest. The rest counts as the
difference between line-ups. The line counts as far as the bot met some opponents more often than others: as bots have
their places in a sample by lot, the strengths could have come in any order (a permutation of a finite population).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from operator import mul

from msgspec import Struct

from referee.tournament.statistics.spreads import Spread, spread_of


class Seen(Struct, frozen=True):
    """A line-up with the mean of each bot in it."""

    lineup: Sequence[str]
    means: Sequence[float]


class _Line(Struct):
    """Sums over the line-ups of a bot: of its figure y, and of the mean strength x of its opponents."""

    lineups: int = 0
    y: float = 0.0
    x: float = 0.0
    yy: float = 0.0
    xy: float = 0.0
    xx: float = 0.0

    def add(self, x: float, y: float) -> None:
        self.lineups += 1
        self.x += x
        self.y += y
        self.xx += x * x
        self.xy += x * y
        self.yy += y * y

    @property
    def slope(self) -> float:
        square = self.xx - self.x * self.x / self.lineups
        return (self.xy - self.x * self.y / self.lineups) / square if square > 1e-9 else 0.0

    @property
    def rest(self) -> float:
        """The squares of what is left of y."""
        squares = self.yy - self.y * self.y / self.lineups
        return max(0.0, squares - self.slope * (self.xy - self.x * self.y / self.lineups))


class Opponents:
    """What opponents make of the figures in one game."""

    def __init__(self, seen: Iterable[Seen]) -> None:
        self._seen = list(seen)
        self._strengths = _Strengths(self._seen)
        self._lines: dict[str, _Line] = defaultdict(_Line)
        for one in self._seen:
            for bot, x, y in zip(one.lineup, self._strengths.faced(one.lineup), one.means, strict=True):
                self._lines[bot].add(x, y)
        self._common = self._products()
        self._loads = {bot: self._load(bot) for bot in self._lines}

    def spreads(self, bot: str) -> tuple[Spread, Spread]:
        """Of the bot's mean: the spread by what line-ups differ beyond their strength, and that by their strength."""
        line = self._lines[bot]
        df = line.lineups - 2
        load = self._loads[bot]
        return spread_of(line.rest / df / line.lineups, df), self._by_strength(sum(map(mul, load, load)))

    def differences(self, one: str, other: str) -> tuple[Spread, Spread]:
        """The same of the difference of two bots' means."""
        first, second = self._lines[one], self._lines[other]
        df = min(first.lineups, second.lineups) - 2
        shared = self._common.get((min(one, other), max(one, other)), 0.0)
        factor = first.lineups / (first.lineups - 2), second.lineups / (second.lineups - 2)
        rest = factor[0] * first.rest / first.lineups**2 + factor[1] * second.rest / second.lineups**2
        rest = max(0.0, rest - 2 * shared * (factor[0] * factor[1]) ** 0.5)
        apart = [a - b for a, b in zip(self._loads[one], self._loads[other], strict=True)]
        return spread_of(rest, df), self._by_strength(sum(map(mul, apart, apart)))

    def _by_strength(self, squares: float) -> Spread:
        return spread_of(squares * self._strengths.variance, max(1, len(self._lines) - 2))

    def _products(self) -> Mapping[tuple[str, str], float]:
        """By pair, the products of the rests of both in the line-ups with both, scaled to their means."""
        found: dict[tuple[str, str], float] = defaultdict(float)
        slopes = {bot: line.slope for bot, line in self._lines.items()}
        for one in self._seen:
            rests = []
            for bot, x, y in zip(one.lineup, self._strengths.faced(one.lineup), one.means, strict=True):
                line = self._lines[bot]
                rest = y - line.y / line.lineups - slopes[bot] * (x - line.x / line.lineups)
                rests.append(rest / line.lineups)
            for (a, rest), (b, other) in combinations(zip(one.lineup, rests, strict=True), 2):
                found[a, b] += rest * other
        return found

    def _load(self, bot: str) -> list[float]:
        """By bot, how much its strength weighs more in the mean than if all opponents had been met alike."""
        met = self._strengths.met[bot]
        others = len(self._lines) - 1
        if not others:
            return [0.0] * len(self._lines)
        every = sum(met.values())
        slope = self._lines[bot].slope
        return [0.0 if other == bot else slope * (met.get(other, 0) / every - 1 / others) for other in self._lines]


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
        return [
            sum([self._strength(other, bot) for other in lineup if other != bot]) / (len(lineup) - 1) for bot in lineup
        ]

    def _strength(self, bot: str, without: str) -> float:
        count = self._counts[bot] - self.met[bot][without]
        return (self._sums[bot] - self._beside[bot][without]) / count if count else self._middle
