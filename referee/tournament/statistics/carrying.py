"""Whether a bot scores more in later rotations of a deal than in first ones, as one does that carries cards over.

Where all rotations of a block share their cards, they are played in an order that the key draws. So a bot that keeps
nothing from match to match scores the same in any place of that order: within each block, all orders of what it scored
are equally likely. The test compares what came with all that could have. Its statistic is the sum of the bot's match
points times the place at which they came, the places counted from the middle of the block. The p-value is the share of
orders in which the sum is at least as great: exact as long as there are not too many blocks, else by the normal
distribution, which the sum of many blocks then has. As every bot is tested, p-values are made greater by Holm's method:
the probability that any bot is named in a run in which none carries cards is at most LEVEL.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import permutations
from math import erfc, factorial, gcd, lcm, sqrt

from msgspec import Struct

from referee.tournament.results import Result, beaten_shares
from referee.tournament.statistics.multiple import holm

LEVEL = 0.01

MOST_EXACT = 5
"""Blocks with more matches than this are not counted out order by order."""

MOST_BITS = 1_000_000
"""How large a number an exact computation may need. Its time grows a little faster than this: 30 ms or less. Beyond it
the normal distribution makes p-values near 0.0001 up to a third too great."""

_Outcome = tuple[int, tuple[int, ...]]
"""What a bot made of a block: the seats at the table, and in rising order how many half opponents it beat in each."""


class Carrying(Struct, frozen=True, kw_only=True):
    """What the test says of a bot."""

    bot: str
    first: float | None
    """Its mean match points in the first rotations that were played of the deals; None where it played none."""
    later: float | None
    """Its mean match points in all others."""
    p: float
    """How likely a bot that carries nothing over does so much better in later rotations."""
    p_of_all: float
    """The same, made greater because all bots of the run were tested (Holm)."""
    is_suspected: bool
    """Whether the latter is below 0.01."""


class _Bot(Struct, kw_only=True):
    """The sums of one bot."""

    first: list[float]
    """How many match points it made in first rotations, and in how many of them."""
    later: list[float]
    outcomes: Counter[_Outcome]
    """How often each outcome came. Those in which all matches ended alike say nothing, and are left out."""
    sums: Counter[int]
    """By the seats at the table, the sum of half opponents beaten times the place."""


class CarryingTest:
    """Takes the results of a run block by block, the matches of a block in any order."""

    def __init__(self) -> None:
        self._bots: dict[str, _Bot] = {}
        self._block: list[Result] = []

    def add(self, result: Result) -> None:
        """Count a match. Those of a block must follow one another."""
        if self._block and self._block[-1].block != result.block:
            self._end_block()
        self._block.append(result)

    def findings(self) -> tuple[Carrying, ...]:
        """What the test says of each bot, in the order of their names."""
        self._end_block()
        found = {name: _p_value(bot.outcomes, bot.sums) for name, bot in sorted(self._bots.items())}
        of_all = holm(found)
        return tuple(
            Carrying(
                bot=name,
                first=_mean(bot.first),
                later=_mean(bot.later),
                p=found[name],
                p_of_all=of_all[name],
                is_suspected=of_all[name] < LEVEL,
            )
            for name, bot in sorted(self._bots.items())
        )

    def _end_block(self) -> None:
        matches, self._block = sorted(self._block, key=lambda result: result.commit), []
        beaten: dict[str, list[int]] = defaultdict(list)
        for place, result in enumerate(matches):
            shares = beaten_shares(result.ranks)
            for name, share, halves in zip(result.bots, shares, _halves(result.ranks), strict=True):
                beaten[name].append(halves)
                bot = self._bots.get(name)
                if bot is None:
                    bot = self._bots[name] = _Bot(
                        first=[0.0, 0.0], later=[0.0, 0.0], outcomes=Counter(), sums=Counter()
                    )
                sums = bot.later if place else bot.first
                sums[0] += share
                sums[1] += 1
        for name, some in beaten.items():
            if len(set(some)) > 1:
                seats, bot = len(matches[0].bots), self._bots[name]
                outcome, total = _outcome(tuple(some))
                bot.outcomes[seats, outcome] += 1
                bot.sums[seats] += total


@lru_cache(maxsize=1024)
def _halves(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """How many half opponents each seat beat."""
    return tuple(round(2 * (len(ranks) - 1) * share) for share in beaten_shares(ranks))


@lru_cache(maxsize=4096)
def _outcome(halves: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Figures in the order in which they came: the same in rising order, and their sum, each times its place."""
    return tuple(sorted(halves)), sum(map(_times, halves, _places(len(halves))))


def _p_value(outcomes: Mapping[_Outcome, int], sums: Mapping[int, int]) -> float:
    """The share of orders in which the sum is at least as great. 1 where nothing could have been otherwise."""
    if not outcomes:
        return 1.0
    unit = lcm(*(seats - 1 for seats, _ in outcomes))
    total = sum(unit // (seats - 1) * value for seats, value in sums.items())
    blocks = [
        (tuple(unit // (seats - 1) * one for one in halves), count) for (seats, halves), count in outcomes.items()
    ]
    orders = 1
    for halves, count in blocks:
        orders *= factorial(len(halves)) ** count
    width = 8 * (orders.bit_length() // 8 + 1)
    span = sum(count * 2 * _greatest(halves) for halves, count in blocks)
    if span * width > MOST_BITS or any(len(halves) > MOST_EXACT for halves, _ in blocks):
        return _normal(total, blocks)
    return _exact(total, blocks, orders, width)


def _exact(total: int, blocks: Iterable[tuple[tuple[int, ...], int]], orders: int, width: int) -> float:
    """Counts the orders by multiplying polynomials, whose coefficients stand in one long number, `width` bits each."""
    product, least = 1, 0
    for halves, count in blocks:
        greatest = _greatest(halves)
        product *= sum(ways << (width * (value + greatest)) for value, ways in _sums(halves)) ** count
        least -= count * greatest
    tail = product >> (width * max(0, total - least))
    digits = tail.to_bytes((tail.bit_length() + 7) // 8, "little")
    size = width // 8
    ways = sum(int.from_bytes(digits[place : place + size], "little") for place in range(0, len(digits), size))
    return ways / orders


def _normal(total: int, blocks: Iterable[tuple[tuple[int, ...], int]]) -> float:
    """The same by the normal distribution with the variance that all orders give.

    Half a step is taken off the sum. Two matches that change places change it by twice what they differ in.
    """
    variance, half_a_step = 0.0, 0
    for halves, count in blocks:
        half_a_step = gcd(half_a_step, *(one - halves[0] for one in halves))
        size, mean = len(halves), sum(halves) / len(halves)
        squares = sum((one - mean) ** 2 for one in halves) * sum(place**2 for place in _places(size))
        variance += count * squares / (size - 1)
    return erfc((total - half_a_step) / sqrt(2 * variance)) / 2


@lru_cache(maxsize=4096)
def _sums(halves: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Every sum that an order of these figures gives, with the number of orders."""
    places = _places(len(halves))
    return tuple(Counter(sum(map(_times, order, places)) for order in permutations(halves)).items())


def _greatest(halves: tuple[int, ...]) -> int:
    """The sum of the order in which the best comes last. The least sum is as far below 0."""
    return sum(map(_times, halves, _places(len(halves))))


def _places(count: int) -> range:
    """The places of so many matches, in half steps from the middle: -1 and 1; -2, 0 and 2; -3, -1, 1 and 3."""
    return range(1 - count, count, 2)


def _times(one: int, other: int) -> int:
    return one * other


def _mean(sums: list[float]) -> float | None:
    return round(sums[0] / sums[1], 9) if sums[1] else None
