"""How often a tournament that stops when it is settled says something wrong, and how many matches it saves.

    python tests/benchmarks/stopping.py [--runs N] [--only WORD]

Tournaments are simulated: each bot of a table makes strokes in each rotation, rounded normal numbers with a part that
belongs to the cards of its seat, the same in all rotations of a block. Their match points are judged after each deal by
the referee's own rules (`statistics/stopping.py`). A call is wrong when a pair is said to be apart whose means are
equal or the other way round, when a pair is said to be near that is not, or when the best that are named are not the
best. The share of runs with any wrong call at any look must be at most 5 %. Its interval of 95 % is Wilson's.

`matches` is the mean share of all planned matches that was played. `at the end` is what a single test would need that
looks once, with all pairs counted (Bonferroni): the least share of the deals at which it settles as many runs.
"""

import argparse
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import sqrt
from typing import Any

import numpy as np
from msgspec import Struct
from tabulate import tabulate

from referee.tournament.plan.rounds import StopRules
from referee.tournament.statistics.blocks import Blocks, Cell, Sums
from referee.tournament.statistics.means import Figures, p_of
from referee.tournament.statistics.ranks import LEVEL
from referee.tournament.statistics.stopping import Compared, Parts, best_first, judge, top_of

Floats = Any
"""An array of floats."""

CARDS = 4.0
"""How much the cards of a seat scatter its strokes, and how much all else does."""
PLAY = 4.0

STEPS = tuple(4.0 * step for step in range(8))

SAME = 1e-9
"""Means that differ by no more are equal."""


class Scenario(Struct, frozen=True, kw_only=True):
    """Tournaments of one kind."""

    title: str
    strengths: tuple[float, ...]
    """By bot, how many strokes it makes less than the weakest on average."""
    seats: int = 2
    games: int = 1
    deals: int = 20
    when: str | None = "all"
    difference: float = 0.0
    precision: float | None = None


class Field:
    """The line-ups of a scenario, and which bot's mean each seat counts for."""

    def __init__(self, scenario: Scenario) -> None:
        bots = len(scenario.strengths)
        self.names = [f"{bot:02}" for bot in range(bots)]
        self.lineups = np.array(list(combinations(range(bots), scenario.seats)) * scenario.games)
        self.strengths = np.array(scenario.strengths)
        self.unequal = len(set(scenario.strengths)) > 1
        self.games = [f"game {game}" for game in range(scenario.games)]
        tables = combinations(self.names, scenario.seats)
        self.tables = list(product(self.games, tables))

    def blocks(self, rng: np.random.Generator, deals: int) -> Floats:
        """Match points by line-up, deal and bot of the line-up, each the mean of a block."""
        lineups, seats = self.lineups.shape
        cards = rng.standard_normal((lineups, deals, seats)) * CARDS
        points = np.zeros((lineups, deals, seats))
        for rotation in range(seats):
            strokes = np.roll(cards, rotation, axis=2) + rng.standard_normal(cards.shape) * PLAY
            strokes = np.rint(strokes - self.strengths[self.lineups][:, None, :])
            less = strokes[..., :, None] < strokes[..., None, :]
            same = strokes[..., :, None] == strokes[..., None, :]
            points += (less.sum(axis=3) + (same.sum(axis=3) - 1) / 2) / (seats - 1)
        return points / seats

    def figures(self, blocks: Floats) -> Iterator[Figures]:
        """The figures after each deal, from the second."""
        totals = blocks.cumsum(axis=1)
        places = np.triu_indices(blocks.shape[2])
        products = (blocks[..., places[0]] * blocks[..., places[1]]).cumsum(axis=1)
        for deal in range(1, blocks.shape[1]):
            found = Blocks()
            for (game, lineup), total, square in zip(self.tables, totals[:, deal], products[:, deal], strict=True):
                sums = Sums(array("d", total), array("d", square))
                cell = Cell(blocks=deal + 1, points=sums, strokes=sums, duels=array("d"))
                found.cells.setdefault(game, {})[lineup] = {0: cell}
            yield Figures(found, "points")


class Ended(Struct, frozen=True, kw_only=True):
    """What came of a run."""

    wrong: bool
    settled: bool
    deals: int
    at_once: tuple[bool, ...]
    """By deal, from the second: whether a single test there, with all pairs counted, settles it."""
    covered: float
    """The share of bots whose interval at the end has the true mean."""


def play(scenario: Scenario, field: Field, true: Sequence[float], rng: np.random.Generator) -> Ended:
    """A tournament with a look after each deal."""
    wrong, at_once, bots, games = False, [], field.names, field.games
    stop = StopRules(when=scenario.when, difference=scenario.difference, precision=scenario.precision)
    means = dict(zip(bots, true, strict=True))
    ended, final = None, None
    for deals, figures in enumerate(field.figures(field.blocks(rng, scenario.deals)), start=2):
        parts = Parts(played=deals, planned=scenario.deals)
        if ended is None and parts.is_look:
            look = judge(figures, stop, bots=bots, games=games, parts=parts)
            assert look.compared is not None
            wrong = wrong or is_wrong(scenario, look.compared, means)
            final = figures
            if look.is_settled:
                ended = deals
                wrong = wrong or names_wrong(scenario, figures, field, means)
        if field.unequal and scenario.when is not None:
            at_once.append(not is_open(scenario, figures, field))
        if ended is not None and not field.unequal:
            break
    assert final is not None
    intervals = [(final.estimate(bot, games), means[bot]) for bot in bots]
    covered = [one.low is not None and one.high is not None and one.low <= mean <= one.high for one, mean in intervals]
    return Ended(
        wrong=wrong,
        settled=ended is not None,
        deals=ended or scenario.deals,
        at_once=tuple(at_once),
        covered=sum(covered) / len(covered),
    )


def is_open(scenario: Scenario, figures: Figures, field: Field) -> bool:
    """Whether a single test of each pair, with Bonferroni's correction, leaves one undecided."""
    pairs = list(combinations(field.names, 2))
    some = [(pair, p_of(figures.difference(*pair, field.games)) * len(pairs)) for pair in pairs]
    found = Compared(apart=(), near=(), open=tuple(pair for pair, p in some if p >= LEVEL))
    return bool(found.undecided(scenario.when, best_first(figures, field.names, field.games)))


def names_wrong(scenario: Scenario, figures: Figures, field: Field, true: Mapping[str, float]) -> bool:
    """Whether the best that are named are not the best."""
    if scenario.when in (None, "all"):
        return False
    count = top_of(str(scenario.when))
    worst = min(true[bot] for bot in best_first(figures, field.names, field.games)[:count])
    return worst < sorted(true.values())[-count] - SAME


def is_wrong(scenario: Scenario, found: Compared, true: Mapping[str, float]) -> bool:
    """Whether anything is said of a pair that is not so."""
    return any(true[a] <= true[b] + SAME for a, b in found.apart) or any(
        abs(true[a] - true[b]) >= scenario.difference for a, b in found.near
    )


def true_means(field: Field) -> list[float]:
    """The bots' true means, from many blocks; those of equal bots are the same."""
    rng = np.random.default_rng(7)
    means = np.zeros(len(field.names))
    each = 200_000 // len(field.lineups)
    blocks = field.blocks(rng, each).mean(axis=1)
    for bot in range(len(means)):
        means[bot] = blocks[field.lineups == bot].mean()
    for strength in set(field.strengths):
        means[field.strengths == strength] = means[field.strengths == strength].mean()
    return [float(mean) for mean in means]


def wilson(count: int, runs: int) -> tuple[float, float]:
    """The interval of 95 % of a share."""
    share, z = count / runs, 1.96
    middle = (share + z * z / (2 * runs)) / (1 + z * z / runs)
    half = z * sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs)) / (1 + z * z / runs)
    return max(0.0, middle - half), middle + half


def row(scenario: Scenario, runs: int) -> list[str]:
    """A line of the table."""
    field = Field(scenario)
    true = true_means(field)
    ended = [play(scenario, field, true, np.random.default_rng((1, run))) for run in range(runs)]
    wrong, settled = sum(one.wrong for one in ended), sum(one.settled for one in ended)
    low, high = wilson(wrong, runs)
    once = [sum(counts) for counts in zip(*(one.at_once for one in ended), strict=False)]
    enough = [index + 2 for index, count in enumerate(once) if count >= settled]
    return [
        scenario.title,
        f"{wrong / runs:.1%} ({low:.1%} to {high:.1%})",
        f"{sum(one.covered for one in ended) / runs:.1%}",
        f"{settled / runs:.0%}",
        f"{sum(one.deals for one in ended) / runs / scenario.deals:.0%}",
        f"{enough[0] / scenario.deals:.0%}" if enough and settled else "-",
    ]


def scenarios() -> Iterator[Scenario]:
    """Equal bots, where whatever is said is wrong, and unequal ones."""
    for bots, deals in ((2, 20), (3, 20), (8, 20), (14, 10)):
        yield Scenario(title=f"{bots} equal bots", strengths=(0.0,) * bots, deals=deals)
    yield Scenario(title="2 equal bots, 60 deals", strengths=(0.0, 0.0), deals=60)
    yield Scenario(title="2 equal bots, 6 games", strengths=(0.0, 0.0), games=6, deals=10)
    yield Scenario(title="3 equal bots, 6 games", strengths=(0.0,) * 3, games=6, deals=10)
    yield Scenario(title="8 equal bots, tables of four", strengths=(0.0,) * 8, seats=4, deals=8)
    yield Scenario(title="3 of 8 better, top 3", strengths=(4.0,) * 3 + (0.0,) * 5, when="top 3")
    yield Scenario(title="3 of 14 better, top 3", strengths=(4.0,) * 3 + (0.0,) * 11, deals=10, when="top 3")
    yield Scenario(title="2 of 8 better, top 3", strengths=(4.0,) * 2 + (0.0,) * 6, when="top 3")
    yield Scenario(
        title="3 of 8 better, tables of four, top 3",
        strengths=(1.5,) * 3 + (0.0,) * 5,
        seats=4,
        deals=8,
        when="top 3",
    )
    yield Scenario(title="8 in steps, all", strengths=STEPS)
    yield Scenario(title="2 unequal bots", strengths=(3.0, 0.0), deals=40)
    yield Scenario(title="8 equal bots, difference 0.15, 40 deals", strengths=(0.0,) * 8, deals=40, difference=0.15)
    yield Scenario(title="2 groups of 4, difference just too small", strengths=(2.0,) * 4 + (0.0,) * 4, difference=0.12)
    for precision, deals in ((0.1, 60), (0.07, 100)):
        title = f"2 bots, precision {precision}"
        yield Scenario(title=title, strengths=(1.0, 0.0), deals=deals, when=None, precision=precision)
    yield Scenario(title="8 in steps, precision 0.03", strengths=STEPS, deals=40, when=None, precision=0.03)
    yield Scenario(
        title="8 in steps, tables of four, precision 0.02",
        strengths=STEPS,
        seats=4,
        deals=8,
        when=None,
        precision=0.02,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", help="scenarios with this in their title")
    options = parser.parse_args()
    headers = ("tournaments", "wrong", "covered", "settled", "matches", "at the end")
    rows = []
    for scenario in scenarios():
        if options.only in scenario.title:
            rows.append(row(scenario, options.runs))
            print(*rows[-1], sep="; ", file=sys.stderr)
    print(tabulate(rows, headers=headers))


if __name__ == "__main__":
    main()
