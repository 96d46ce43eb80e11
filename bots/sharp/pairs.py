"""Rows of two cards in par golf: what a row scores, and what it will score when its owner goes on drawing for it.

The *prospect* of a row comes from dynamic programming: with t draws to come it is the least of what the row scores and
what it may become by each next card, averaged over the cards that are not seen, with t - 1 draws to come. The rows
compete for the draws; how many of them each row has is for the caller to say. Nothing here knows of seats or turns.
"""

from collections.abc import Sequence
from itertools import repeat
from math import exp
from operator import mul
from typing import Any

from kit import CHOSEN, UNKNOWN, Unseen, is_known, points_of, rank
from kit.cards import RANKS, SUITS
from kit.groups import Face, score_by_table

KEPT = 5.0
"""A card that its owner has kept unseen is e times less likely for so many points more."""

MOST_DRAWS = 10
"""For how many draws prospects are worked out."""

Grid = list[list[float]]
"""A number for each pair of ranks; behind the ranks stand an unknown card and a chosen one."""


class Pairs:
    """Scores and prospects of rows, with the scoring table of this match."""

    def __init__(self, match: dict[str, Any], unseen: Unseen) -> None:
        self.values: dict[str, int] = match["values"]
        table = match["options"]["par_table"]
        self.score, self.plain = score_by_table(table), table["name"] == "ours-1"
        self.places = {name: place for place, name in enumerate((*RANKS, UNKNOWN, CHOSEN))}
        self.chances: list[float] = []
        suits = [("S", "H")] if self.plain else [(one, other) for one in SUITS for other in SUITS]
        self.by_rank = [
            [sum(self.score_cards(one + s, other + t) for s, t in suits) / len(suits) for other in RANKS]
            for one in RANKS
        ]
        self.reckon(unseen)

    def score_cards(self, one: str, other: str) -> float:
        """What two known cards score: the first rule of the table that fits them."""
        return self.score([Face(rank(card), points_of(card, self.values), card[-1]) for card in (one, other)])

    def reckon(self, unseen: Unseen) -> None:
        """Take over what is unseen now; prospects are then worked out when they are asked for."""
        chances = [unseen.chance(name) if unseen.total else 1 / len(RANKS) for name in RANKS]
        if chances != self.chances:
            kept = [chance * exp(-self.values[name] / KEPT) for chance, name in zip(chances, RANKS, strict=True)]
            self.chances, self.kept = chances, [share / sum(kept) for share in kept]
            self.grids: list[Grid] = [self.widened([row[:] for row in self.by_rank])]

    def widened(self, grid: Grid) -> Grid:
        """The grid with lines and columns for unknown and chosen cards: the means over what they may be."""
        for shares in (self.chances, self.kept):
            for line in grid[: len(RANKS)]:
                line.append(sum(map(mul, shares, line)))
        for shares in (self.chances, self.kept):
            grid.append([sum(map(mul, shares, column)) for column in zip(*grid[: len(RANKS)], strict=True)])
        return grid

    def grid(self, draws: int) -> Grid:
        """The prospects of all rows with so many draws to come."""
        while len(self.grids) <= draws:
            self.grids.append(self.widened(self.next_grid(self.grids[-1])))
        return self.grids[draws]

    def next_grid(self, grid: Grid) -> Grid:
        """The prospects with one draw more: the card takes the place of either card, or is not used."""
        number, chances = len(RANKS), self.chances
        lines = [line[:number] for line in grid[:number]]
        better: Grid = [[0.0] * number for _ in RANKS]
        for one, line in enumerate(lines):
            for other in range(one + 1):
                best = map(min, line, lines[other], repeat(line[other]))
                better[one][other] = better[other][one] = sum(map(mul, chances, best))
        return better

    def prospects(self, rows: Sequence[Sequence[Any]], draws: float) -> list[float]:
        """What each of these rows is expected to score when it has so many draws to come."""
        draws = min(draws, MOST_DRAWS)
        whole = int(draws)
        part = draws - whole
        grid = self.grid(whole)
        beyond = self.grid(whole + 1) if part else grid
        places, found = self.places, []
        for one, other in rows:
            i = places[one if one in places else rank(one)]
            j = places[other if other in places else rank(other)]
            cost = (1 - part) * grid[i][j] + part * beyond[i][j]
            if not self.plain and is_known(one) and is_known(other):
                cost += self.score_cards(one, other) - self.by_rank[i][j]
            found.append(cost)
        return found
