"""What bots made of each block, added up by game and line-up: the sums from which means and their errors are computed.

A block is all rotations of one line-up on one deal. The matches of a block are not independent, so a block counts as
one observation: for each bot its mean over the rotations. Only whole blocks count, since seats are not alike. Memory
grows with the number of line-ups, not with that of blocks.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Literal

from msgspec import Struct, field

from referee.tournament.results import Result, beaten_shares

Figure = Literal["points", "strokes"]
"""Match points, or strokes a round less the mean of the table."""

Lineup = tuple[str, ...]
"""Bots that meet at a table, by name, in the order of code points."""


class Sums(Struct, gc=False):
    """Sums over blocks of what each bot of a line-up made of a block, and of the products of any two such figures.

    Products stand in the order (0, 0), (0, 1), ..., (1, 1), ... of the bots' places in the line-up.
    """

    totals: "array[float]"
    products: "array[float]"

    def add(self, values: "list[float]") -> None:
        """Count a block."""
        totals, products, place = self.totals, self.products, 0
        for index, value in enumerate(values):
            totals[index] += value
            for other in values[index:]:
                products[place] += value * other
                place += 1

    def difference(self, one: int, other: int) -> tuple[float, float]:
        """The sum and the sum of squares of what the bot at the first place has more than the one at the second."""
        size, products = len(self.totals), self.products
        squares = products[_place(size, one, one)] - 2 * products[_place(size, one, other)]
        squares += products[_place(size, other, other)]
        return self.totals[one] - self.totals[other], squares


class Cell(Struct, kw_only=True, gc=False):
    """The blocks of one line-up in one game."""

    blocks: int = 0
    matches: int = 0
    points: Sums
    strokes: Sums
    duels: "array[float]"
    """By pair of places in the line-up: the sum over blocks of the first one's share of wins over the second, ties
    counting half, and the sum of its squares. Empty for two bots, whose match points say the same."""

    def sums(self, figure: Figure) -> Sums:
        """Those of match points or of strokes."""
        return self.points if figure == "points" else self.strokes


class _Open(Struct, gc=False):
    """The block that is being counted."""

    variant: str
    block: int
    lineup: Lineup
    rotations: int
    """How many matches make it whole."""
    matches: int = 0
    points: list[float] = field(default_factory=list)
    strokes: list[float] = field(default_factory=list)
    duels: list[float] = field(default_factory=list)


class Blocks:
    """Takes the results of a run, the matches of a block one after another, and keeps sums by game and line-up."""

    def __init__(self, *, rotates: bool = True) -> None:
        """Without `rotates` each match has a deal of its own, and so is a block."""
        self.cells: dict[str, dict[Lineup, Cell]] = {}
        """By game and line-up."""
        self._rotates = rotates
        self._open: _Open | None = None

    def add(self, result: Result, *, seats: int | None = None) -> None:
        """Count a match. `seats` is how many bots sat at the table, where the result does not have all of them."""
        lineup = tuple(sorted(result.bots))
        block = self._open
        if block is None or (block.block, block.lineup, block.variant) != (result.block, lineup, result.variant):
            size = len(lineup)
            pairs = size * (size - 1) // 2 if size > 2 else 0
            block = self._open = _Open(
                variant=result.variant,
                block=result.block,
                lineup=lineup,
                rotations=(seats or size) if self._rotates else 1,
                points=[0.0] * size,
                strokes=[0.0] * size,
                duels=[0.0] * pairs,
            )
        _count(block, result)
        if block.matches == block.rotations:
            self._close(block)

    def matches_of(self, variant: str) -> dict[str, int]:
        """By bot, how many of its matches in the game are in whole blocks."""
        found: dict[str, int] = defaultdict(int)
        for lineup, cell in self.cells.get(variant, {}).items():
            for bot in lineup:
                found[bot] += cell.matches
        return found

    def _close(self, block: _Open) -> None:
        size = len(block.lineup)
        lineups = self.cells.setdefault(block.variant, {})
        if (cell := lineups.get(block.lineup)) is None:
            cell = lineups[block.lineup] = Cell(
                points=_no_sums(size), strokes=_no_sums(size), duels=array("d", bytes(16 * len(block.duels)))
            )
        matches = block.matches
        cell.blocks += 1
        cell.matches += matches
        cell.points.add([one / matches for one in block.points])
        cell.strokes.add([one / matches for one in block.strokes])
        for place, total in enumerate(block.duels):
            share = total / matches
            cell.duels[2 * place] += share
            cell.duels[2 * place + 1] += share * share
        self._open = None


def blocks_of(results: Iterable[Result]) -> Blocks:
    """The blocks of results in the order of their plan."""
    blocks = Blocks()
    for result in results:
        blocks.add(result)
    return blocks


def pairs(size: int) -> Iterator[tuple[int, int]]:
    """The pairs of places in a line-up, in the order of `Cell.duels`."""
    return combinations(range(size), 2)


def _place(size: int, one: int, other: int) -> int:
    """Where the product of two places stands, the lesser place first."""
    return one * size - one * (one - 1) // 2 + other - one


def _no_sums(size: int) -> Sums:
    return Sums(array("d", bytes(8 * size)), array("d", bytes(4 * size * (size + 1))))


def _count(block: _Open, result: Result) -> None:
    """Add a match to its block."""
    block.matches += 1
    size, rounds = len(result.bots), result.rounds or 1
    mean = sum(result.totals) / size
    order = sorted(range(size), key=result.bots.__getitem__)
    shares, ranks, totals = beaten_shares(result.ranks), result.ranks, result.totals
    for place, seat in enumerate(order):
        block.points[place] += shares[seat]
        block.strokes[place] += (totals[seat] - mean) / rounds
    if block.duels:
        for place, (one, other) in enumerate(combinations([ranks[seat] for seat in order], 2)):
            block.duels[place] += 0.5 if one == other else one < other
