"""The block table of a run: one row for each block, with what each bot of its line-up made of it.

A block is all rotations of one line-up on one deal of a game. Its matches are not independent, so a block is one
observation: for each bot its mean over the rotations. Only whole blocks count, since seats are not alike.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from referee.tournament.results import Result

Figure = Literal["points", "strokes"]
"""Match points: the share of its opponents that a bot is ahead of. Or strokes a round, less the mean of the table."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Part:
    """The blocks of one game with equally many bots. Bots are numbers, as in `BlockTable.bots`."""

    def __init__(self, lineups: Sequence[Sequence[int]], rows: "_Rows") -> None:
        self.lineups: Ints = np.array(lineups, dtype=np.int64)
        """By line-up, the numbers of its bots in rising order."""
        self.lineup: Ints = np.array(rows.lineup, dtype=np.int64)
        """By block, the number of its line-up."""
        self.matches: Ints = np.array(rows.matches, dtype=np.int64)
        """By block, how many matches it has."""
        seats = self.lineups.shape[1]
        self.strokes: Floats = np.array(rows.strokes).reshape(-1, seats)
        """By block and bot of its line-up."""
        self.ahead: Floats = np.array(rows.ahead).reshape(-1, seats * (seats - 1) // 2)
        """By block and pair, the share of matches in which the first bot finished before the second; a tie is half."""

    @cached_property
    def pairs(self) -> Ints:
        """The places of the bots of each pair in a line-up."""
        return np.array(list(combinations(range(self.lineups.shape[1]), 2)), dtype=np.int64).reshape(-1, 2)

    @property
    def points(self) -> Floats:
        """By block and bot of its line-up."""
        seats = self.lineups.shape[1]
        found = np.zeros((len(self.ahead), seats))
        for pair, (one, other) in enumerate(self.pairs.tolist()):
            found[:, one] += self.ahead[:, pair]
            found[:, other] += 1 - self.ahead[:, pair]
        found /= max(1, seats - 1)
        return found

    def values(self, figure: Figure) -> Floats:
        """What each bot made of each block."""
        return self.points if figure == "points" else self.strokes


class _Rows(Struct):
    """The rows of a part as they come."""

    lineups: dict[tuple[str, ...], int] = field(default_factory=dict)
    lineup: "array[int]" = field(default_factory=lambda: array("q"))
    matches: "array[int]" = field(default_factory=lambda: array("q"))
    strokes: "array[float]" = field(default_factory=lambda: array("d"))
    ahead: "array[float]" = field(default_factory=lambda: array("d"))


class _Open(Struct, gc=False):
    """The block that is being counted: sums over its matches."""

    game: str
    block: int
    lineup: tuple[str, ...]
    rotations: int
    """How many matches make it whole."""
    strokes: list[float]
    ahead: list[float]
    matches: int = 0


class BlockTable:
    """Takes the results of a run, the matches of a block one after another."""

    def __init__(self, *, rotates: bool = True) -> None:
        """Without `rotates` each match has a deal of its own, and so is a block."""
        self._rotates = rotates
        self._open: _Open | None = None
        self._rows: dict[tuple[str, int], _Rows] = {}
        self._parts: dict[str, list[Part]] | None = None

    def add(self, result: Result, *, seats: int | None = None) -> None:
        """Count a match. `seats` is how many bots sat at the table, where the result does not have all of them."""
        lineup, size = tuple(sorted(result.bots)), len(result.bots)
        block = self._open
        if block is None or (block.block, block.lineup, block.game) != (result.block, lineup, result.variant):
            rotations = (seats or size) if self._rotates else 1
            zeros, pairs = [0.0] * size, [0.0] * (size * (size - 1) // 2)
            block = self._open = _Open(result.variant, result.block, lineup, rotations, zeros, pairs)
        _count(block, result)
        if block.matches == block.rotations:
            self._close(block)

    @property
    def bots(self) -> list[str]:
        """The bots with a whole block, in the order of their names."""
        return sorted({bot for rows in self._rows.values() for lineup in rows.lineups for bot in lineup})

    @property
    def games(self) -> list[str]:
        """The games with a whole block, in the order in which they came."""
        return list(dict.fromkeys(game for game, _ in self._rows))

    def parts(self, game: str) -> list[Part]:
        """The blocks of a game, by the number of bots."""
        if self._parts is None:
            number = {bot: place for place, bot in enumerate(self.bots)}
            self._parts = {}
            for (name, _), rows in self._rows.items():
                lineups = [[number[bot] for bot in lineup] for lineup in rows.lineups]
                self._parts.setdefault(name, []).append(Part(lineups, rows))
        return self._parts.get(game, [])

    def matches_of(self, game: str) -> dict[str, int]:
        """By bot, how many of its matches in the game are in whole blocks."""
        bots, found = self.bots, Counter[str]()
        for part in self.parts(game):
            counts = np.bincount(part.lineup, part.matches, len(part.lineups))
            for lineup, matches in zip(part.lineups.tolist(), counts.tolist(), strict=True):
                found.update({bots[number]: round(matches) for number in lineup})
        return found

    def all_parts(self) -> Iterator[tuple[str, Part]]:
        """All parts, each with its game."""
        for game in self.games:
            for part in self.parts(game):
                yield game, part

    def _close(self, block: _Open) -> None:
        rows = self._rows.setdefault((block.game, len(block.lineup)), _Rows())
        matches = block.matches
        rows.lineup.append(rows.lineups.setdefault(block.lineup, len(rows.lineups)))
        rows.matches.append(matches)
        rows.strokes.extend([one / matches for one in block.strokes])
        rows.ahead.extend([one / matches for one in block.ahead])
        self._open = self._parts = None


def table_of(results: Iterable[Result]) -> BlockTable:
    """The block table of results in any order."""
    table = BlockTable()
    for result in sorted(results, key=lambda one: (one.block, one.variant, sorted(one.bots), one.deal, one.number)):
        table.add(result)
    return table


def _count(block: _Open, result: Result) -> None:
    """Add a match to its block."""
    block.matches += 1
    size, rounds, totals, ranks = len(result.bots), result.rounds or 1, result.totals, result.ranks
    mean = sum(totals) / size
    order = sorted(range(size), key=result.bots.__getitem__)
    strokes, ahead = block.strokes, block.ahead
    for place, seat in enumerate(order):
        strokes[place] += (totals[seat] - mean) / rounds
    for pair, (one, other) in enumerate(combinations([ranks[seat] for seat in order], 2)):
        ahead[pair] += 0.5 if one == other else one < other
