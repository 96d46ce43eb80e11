"""How often the intervals of standings contain the true figure, and how often ranks are told apart that are not.

    python tests/benchmarks/coverage.py [--runs N] [--only TEXT] [--seed S]

Tournaments of bots whose true means are known (tests/support/simulated.py) are counted as a run is. For each case the
table tells how many intervals of match points and of strokes contain the true mean, how many bots got none, how great
the standard error is beside the true one, how many tournaments told any two bots apart the wrong way or that are equal,
and how many intervals had no width or left [0, 1]. Where line-ups are a sample, ratings take the place of means.
Rows that do not reach their aim are marked with *.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from random import Random
from statistics import pstdev

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from simulated import World, chance, names, played, suits

from referee.tournament.figures.blocks import table_of
from referee.tournament.figures.ranks import settled
from referee.tournament.figures.ratings import RatedBots
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.plan import Plan
from referee.tournament.results import Result
from referee.tournament.standings import BotStanding
from referee.tournament.tally import standings_of

LEAST, MOST = 0.93, 0.97
"""The aim for the share of intervals that contain the true mean."""

MOST_WRONG = 0.05
"""The aim for the share of tournaments in which ranks are told apart that are not."""

TRUTH_MATCHES = 40_000
"""How many matches of each line-up, at least, make its true mean."""

MATCHES_OF_STRENGTHS = 60_000
"""How many deals in all make the true strengths."""


class Case(Struct, frozen=True, kw_only=True):
    """A kind of tournament."""

    title: str
    world: World
    seats: int = 2
    deals: int
    lineups: int | None = None
    games: int = 1
    only: str | None = None
    """The bot whose intervals are counted; None: those of all."""

    @property
    def bots(self) -> list[str]:
        """The names."""
        return sorted(self.world.strengths)

    @property
    def variants(self) -> list[str]:
        """The games."""
        return [f"game {number:02d}" for number in range(self.games)]


class Found(Struct, kw_only=True):
    """What the tournaments of a case came to."""

    runs: int = 0
    rows: int = 0
    """Bots times tournaments."""
    told: int = 0
    """How many of them got an interval of match points."""
    covered: int = 0
    strokes_told: int = 0
    strokes_covered: int = 0
    widths: float = 0.0
    squares: float = 0.0
    """Of standard errors, where there is one, and how many."""
    errors: int = 0
    wrong: int = 0
    """Tournaments that told apart what is not."""
    separated: int = 0
    """Pairs that were told apart."""
    odd: int = 0
    """Intervals of no width or beyond [0, 1]."""


def spread(count: int, widest: float) -> dict[str, float]:
    """So many bots with strengths at equal distances, from 0 to the widest."""
    return {name: widest * number / max(1, count - 1) for number, name in enumerate(names(count))}


def equal(count: int) -> dict[str, float]:
    """So many bots of the same strength."""
    return dict.fromkeys(names(count), 0.0)


def cases() -> Iterator[Case]:
    """All kinds."""
    yield from _one_table()
    yield from _hopeless()
    yield from _all_lineups()
    yield from _samples()
    yield from _many_games()


def _one_table() -> Iterator[Case]:
    """One line-up, which plays so many deals."""
    for deals in (2, 3, 5, 10, 20, 50):
        yield Case(title=f"3 identical bots, {deals} blocks", world=World(strengths=equal(3)), seats=3, deals=deals)
    for deals in (3, 5, 10, 20, 50):
        yield Case(title=f"2 identical bots, {deals} blocks", world=World(strengths=equal(2)), deals=deals)
    for deals in (3, 5, 10, 20, 50):
        yield Case(title=f"2 unequal bots, {deals} blocks", world=World(strengths=spread(2, 1.0)), deals=deals)
    for deals in (5, 20, 50):
        yield Case(title=f"1 far better of 2, {deals} blocks", world=World(strengths=spread(2, 2.0)), deals=deals)
    for deals in (3, 5, 20):
        world = World(strengths=spread(4, 1.0))
        yield Case(title=f"4 unequal bots at one table, {deals} blocks", world=world, seats=4, deals=deals)


def _hopeless() -> Iterator[Case]:
    """One bot that nearly always loses, or wins, so that its blocks often all come out alike."""
    for mean, worse in ((0.003, 2.75), (0.01, 2.33), (0.03, 1.88)):
        for deals in (5, 20, 50):
            for title, sign in ((f"1 of 3 wins {mean:.1%}", -1), (f"1 of 3 wins {1 - mean:.1%}", 1)):
                world = World(strengths={**equal(3), names(1)[0]: sign * worse * sqrt(2)}, step=0.01)
                yield Case(title=f"{title}, {deals} blocks", world=world, seats=3, deals=deals, only=names(1)[0])
            world = World(strengths={**equal(6), names(1)[0]: -worse * sqrt(2)}, step=0.01)
            yield Case(
                title=f"1 of 6 wins {mean:.1%}, all 15 pairs x {deals}", world=world, deals=deals, only=names(1)[0]
            )
    world = World(strengths={**equal(3), names(1)[0]: -2.33 * sqrt(2)}, step=0.01)
    for deals in (1, 2, 5):
        title = f"1 of 3 wins 1.0%, 17 games x {deals}"
        yield Case(title=title, world=world, seats=3, deals=deals, games=17, only=names(1)[0])


def _all_lineups() -> Iterator[Case]:
    """All line-ups that there are."""
    for deals in (1, 2, 5):
        yield Case(title=f"14 unequal bots, all 91 pairs x {deals}", world=World(strengths=spread(14, 2)), deals=deals)
    yield Case(title="14 identical bots, all 91 pairs x 2", world=World(strengths=equal(14)), deals=2)
    for deals in (1, 2):
        world = World(strengths=spread(8, 1.5), interaction=0.2)
        yield Case(title=f"8 unequal bots, all 70 tables of 4 x {deals}", world=world, seats=4, deals=deals)


def _samples() -> Iterator[Case]:
    """Samples of line-ups."""
    world = World(strengths=spread(14, 2.0), interaction=0.2)
    for lineups in (28, 50):
        yield Case(title=f"14 bots, {lineups} of 91 pairs x 2", world=world, deals=2, lineups=lineups)
    for lineups in (7, 28, 100, 500):
        for deals in (1, 2):
            title = f"14 bots, {lineups} of 1001 tables of 4 x {deals}"
            yield Case(title=title, world=world, seats=4, deals=deals, lineups=lineups)


def _many_games() -> Iterator[Case]:
    """Seventeen games, with much luck and with little."""
    world = World(strengths=spread(4, 1.0), luck={f"game {number:02d}": 0.5 + number / 8 for number in range(17)})
    for deals in (1, 2, 3, 5):
        yield Case(title=f"17 games, 4 bots, 6 pairs x {deals}", world=world, deals=deals, games=17)
    for deals in (1, 2, 3, 5):
        yield Case(title=f"17 games, 4 bots at one table x {deals}", world=world, seats=4, deals=deals, games=17)

    many = World(strengths=spread(14, 2.0), interaction=0.2, luck=world.luck)
    yield Case(title="17 games, 14 bots, 7 of 1001 tables of 4 x 1", world=many, seats=4, deals=1, lineups=7, games=17)
    equals = World(strengths=equal(3), luck=world.luck)
    yield Case(title="17 games, 3 identical bots x 1", world=equals, seats=3, deals=1, games=17)
    yield Case(title="5 games, 3 identical bots x 1", world=equals, seats=3, deals=1, games=5)


def truth(case: Case) -> dict[str, tuple[float, float]]:
    """By bot its true match points and strokes, over all line-ups and games: by very many matches of each line-up."""
    generator = np.random.default_rng(1)
    tables = list(combinations(case.bots, case.seats))
    count = max(TRUTH_MATCHES, 4_000_000 // len(tables)) // case.seats // len(case.variants)
    sums: dict[str, list[float]] = {bot: [0.0, 0.0] for bot in case.bots}
    for variant in case.variants:
        for bots in tables:
            for bot, points, strokes in _expected(case.world, variant, bots, count, generator):
                sums[bot][0] += points
                sums[bot][1] += strokes
    each = comb(len(case.bots) - 1, case.seats - 1) * len(case.variants)
    return {bot: (points / each, strokes / each) for bot, (points, strokes) in sums.items()}


def _expected(
    world: World, variant: str, bots: Sequence[str], count: int, generator: np.random.Generator
) -> Iterator[tuple[str, float, float]]:
    merits = np.array(
        [world.strengths[bot] + sum(suits(world, bot, other) for other in bots if other != bot) for bot in bots]
    )
    luck = generator.standard_normal((count, len(bots))) * world.luck.get(variant, 1.0)
    totals = np.rint((luck - merits) / world.step)
    less = totals[:, :, None] < totals[:, None, :]
    same = totals[:, :, None] == totals[:, None, :]
    points = (less.sum(axis=2) + (same.sum(axis=2) - 1) / 2).mean(axis=0) / (len(bots) - 1)
    strokes = (totals - totals.mean(axis=1, keepdims=True)).mean(axis=0) * max(1, round(10 * world.step))
    return zip(bots, points.tolist(), strokes.tolist(), strict=True)


def results(case: Case, random: Random) -> Iterator[Result]:
    """Those of one tournament."""
    plan = Plan(
        WholeDeals(
            master_key=random.randbytes(32),
            bots=case.bots,
            variants=[PlannedVariant(variant=variant, seats=case.seats) for variant in case.variants],
            deals=case.deals,
            lineups=case.lineups,
        )
    )
    yield from played(plan, case.bots, case.world, random)


def simulate(case: Case, runs: int, seed: str) -> tuple[Found, float]:
    """What so many tournaments come to, and the standard error beside the true one."""
    tournaments = (results(case, chance(f"{seed}/{case.title}/{run}")) for run in range(runs))
    return _rated(case, tournaments) if case.lineups else _by_means(case, tournaments)


def _by_means(case: Case, tournaments: Iterable[Iterable[Result]]) -> tuple[Found, float]:
    true, found = truth(case), Found()
    means: dict[str, list[float]] = defaultdict(list)
    for tournament in tournaments:
        rows = standings_of(tournament).overall
        found.runs += 1
        for row in rows:
            if case.only not in (None, row.bot):
                continue
            means[row.bot].append(row.match_points or 0.0)
            _count(found, row, *true[row.bot])
        _count_ranks(found, rows, {bot: points for bot, (points, _) in true.items()})
    deviation = sqrt(sum(pstdev(some) ** 2 for some in means.values()) / len(means))
    error = sqrt(found.squares / found.errors) if found.errors else 0.0
    return found, error / deviation if deviation else 0.0


def _rated(case: Case, tournaments: Iterable[Iterable[Result]]) -> tuple[Found, float]:
    """Where line-ups are a sample, ratings order the bots: differences of strengths from that of the middle bot.

    The true ones are those of many deals of all line-ups.
    """
    deals = max(1, MATCHES_OF_STRENGTHS // comb(len(case.bots), case.seats) // case.games)
    true = RatedBots(table_of(results(replace(case, deals=deals, lineups=None), chance("truth"))), case.bots).strength
    found, middle = Found(), case.bots[len(case.bots) // 2]
    apart: dict[str, list[float]] = defaultdict(list)
    for tournament in tournaments:
        field = RatedBots(table_of(tournament), case.bots)
        found.runs += 1
        for bot in case.bots:
            if bot == middle:
                continue
            difference = field.difference(bot, middle)
            found.rows += 1
            apart[bot].append(difference.mean)
            if difference.stderr is not None and difference.low is not None and difference.high is not None:
                found.told += 1
                found.covered += difference.low <= true[bot] - true[middle] <= difference.high
                found.widths += difference.high - difference.low
                found.squares += difference.stderr**2
                found.errors += 1
        known = settled(field.contrasts(sorted(case.bots, key=lambda bot: -field.strength[bot])))
        found.wrong += any(true[one.better] < true[one.worse] - 0.02 for one in known)
        found.separated += len(known)
    deviation = sqrt(sum(pstdev(some) ** 2 for some in apart.values()) / len(apart))
    return found, sqrt(found.squares / found.errors) / deviation if found.errors else 0.0


def _count(found: Found, row: BotStanding, points: float, strokes: float) -> None:
    found.rows += 1
    if row.match_points_interval is not None:
        low, high = row.match_points_interval
        found.told += 1
        found.covered += low <= points <= high
        found.widths += high - low
        found.odd += high - low <= 0 or low < 0 or high > 1
    if row.match_points_stderr is not None:
        found.squares += row.match_points_stderr**2
        found.errors += 1
    if row.strokes_interval is not None:
        low, high = row.strokes_interval
        found.strokes_told += 1
        found.strokes_covered += low <= strokes <= high
        found.odd += high <= low


def _count_ranks(found: Found, rows: Sequence[BotStanding], true: dict[str, float]) -> None:
    """Where all bots are equal, their true means differ by chance only. A range must have room for the true rank."""
    ranked = [row for row in rows if row.rank is not None]
    wrong = False
    for row in ranked:
        better = sum(true[other.bot] > true[row.bot] + 0.01 for other in ranked)
        worse = sum(true[other.bot] < true[row.bot] - 0.01 for other in ranked)
        wrong = wrong or (row.rank_from or 1) > 1 + better + sum(
            abs(true[other.bot] - true[row.bot]) <= 0.01 for other in ranked if other is not row
        )
        wrong = wrong or better < (row.rank_from or 1) - 1 or worse < len(ranked) - (row.rank_to or 0)
        found.separated += (row.rank_from or 1) - 1
    found.wrong += wrong


def line(case: Case, found: Found, ratio: float) -> list[str]:
    """What the table tells of a case."""
    share = found.covered / found.told if found.told else 0.0
    strokes = found.strokes_covered / found.strokes_told if found.strokes_told else 0.0
    wrong = found.wrong / found.runs
    pairs = found.runs * comb(len(case.bots), 2)
    return [
        case.title,
        _marked(share, is_good=LEAST <= share <= MOST) if found.told else "-",
        _marked(strokes, is_good=LEAST <= strokes <= MOST) if found.strokes_told else "-",
        f"{found.widths / found.told / 2:.3f}" if found.told else "-",
        f"{ratio:.2f}" if found.errors else "-",
        f"{1 - found.told / found.rows:.1%}",
        _marked(wrong, is_good=wrong <= MOST_WRONG),
        f"{found.separated / pairs:.0%}",
        str(found.odd),
    ]


def _marked(share: float, *, is_good: bool) -> str:
    return f"{share:.1%}" + "*" * (not is_good)


TITLES = ["case", "points", "strokes", "half width", "SE / true", "no interval", "wrong", "separated", "odd"]


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", default="coverage")
    given = parser.parse_args()
    lines = [line(case, *simulate(case, given.runs, given.seed)) for case in cases() if given.only in case.title]
    print(f"{given.runs} tournaments of each kind; aims: {LEAST:.0%} to {MOST:.0%}, wrong at most {MOST_WRONG:.0%}\n")
    print(tabulate(lines, headers=TITLES, disable_numparse=True, tablefmt="github"))


if __name__ == "__main__":
    main()
