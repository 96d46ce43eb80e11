"""How well ratings and their intervals hold where strengths are known: `python tests/benchmarks/ratings.py [RUNS]`.

Bots are simulated after the model of Plackett and Luce: a bot's merit in a match is its strength and luck of Gumbel's
distribution, and the greatest merit comes first. In one case the luck of rotations of a deal is in part the same, which
keeps the model and makes the matches of a block depend on each other. Ties are drawn by the probabilities of the model.
For each case it prints how often the intervals of 95 % held the true strength less the anchor's, how great the standard
errors are beside the true spread, and how much too great or small the differences of strength are on average. `refits`
are bootstraps with 50 full fits to blocks drawn anew: how great their standard errors are beside those of the ratings,
and how often their percentiles held the truth. At last it prints the time for 100,000 matches of 60 bots.
"""

import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp, sqrt
from pathlib import Path
from random import Random
from time import process_time

import numpy as np
from msgspec import Struct

sys.path.insert(0, str(Path(__file__).parents[2]))

from referee.tournament.results import Result
from referee.tournament.statistics.plackett_luce import Floats, model_of
from referee.tournament.statistics.rankings import Matches
from referee.tournament.statistics.ratings import ratings_of

REFITS = 50

Lineups = Callable[[Random], list[tuple[int, ...]]]


class Case(Struct, frozen=True, kw_only=True):
    """A kind of tournament."""

    name: str
    strengths: Sequence[float]
    lineups: Lineups
    deals: int
    shared: float = 0.0
    """How often the luck of a bot is that of the deal, and not of the match alone."""
    ties: dict[int, float] = {}
    refits: bool = False


def everybody(bots: int, seats: int) -> Lineups:
    return lambda _: list(combinations(range(bots), seats))


def sampled(bots: int, seats: int, many: int) -> Lineups:
    """All bots equally often, as far as that goes."""

    def draw(dice: Random) -> list[tuple[int, ...]]:
        lineups: list[tuple[int, ...]] = []
        while len(lineups) < many:
            order = dice.sample(range(bots), bots)
            lineups += [tuple(order[place : place + seats]) for place in range(0, bots - seats + 1, seats)]
        return lineups[:many]

    return draw


def evenly(bots: int, reach: float) -> list[float]:
    """Strengths from -reach to reach."""
    return [reach * (2 * bot / (bots - 1) - 1) for bot in range(bots)]


CASES = (
    Case(name="3 identical, 2 blocks", strengths=[0, 0, 0], lineups=everybody(3, 3), deals=2),
    Case(name="3 identical, 3 blocks", strengths=[0, 0, 0], lineups=everybody(3, 3), deals=3),
    Case(name="3 identical, 10 blocks", strengths=[0, 0, 0], lineups=everybody(3, 3), deals=10, refits=True),
    Case(name="3 identical, 10, shared luck", strengths=[0, 0, 0], lineups=everybody(3, 3), deals=10, shared=0.6),
    Case(name="3 identical, 50 blocks", strengths=[0, 0, 0], lineups=everybody(3, 3), deals=50, refits=True),
    Case(name="14 unequal, 91 pairs x 2, shared luck", strengths=evenly(14, 1.5), lineups=everybody(14, 2), deals=2,
         shared=0.6),
    Case(name="8 unequal, 70 tables of 4 x 2", strengths=evenly(8, 1.2), lineups=everybody(8, 4), deals=2),
    Case(name="14 unequal, 7 tables of 4", strengths=evenly(14, 1.5), lineups=sampled(14, 4, 7), deals=1, shared=0.4),
    Case(name="14 unequal, 28 tables of 4", strengths=evenly(14, 1.5), lineups=sampled(14, 4, 28), deals=1, shared=0.4,
         refits=True),
    Case(name="14 far apart, 91 pairs x 2", strengths=evenly(14, 5), lineups=everybody(14, 2), deals=2),
    Case(name="6 with ties, 20 tables of 3 x 2", strengths=evenly(6, 1), lineups=everybody(6, 3), deals=2,
         ties={2: 0.6, 3: 0.3}),
)  # fmt: skip


def tournament(case: Case, dice: Random) -> Matches:
    """All matches of one tournament."""
    matches = Matches()
    for number, lineup in enumerate(case.lineups(dice)):
        for deal in range(case.deals):
            luck = [_gumbel(dice) for _ in case.strengths]
            for _ in lineup:
                ranks = _tied(case, lineup, dice) if case.ties else _untied(case, lineup, luck, dice)
                matches.add(result(lineup, ranks, deal=number * case.deals + deal))
    return matches


def result(lineup: Sequence[int], ranks: Sequence[int], *, deal: int) -> Result:
    none: tuple[dict[str, int], ...] = ({},) * len(lineup)
    return Result(
        number=0, variant="v", block=deal, deal=deal, bots=tuple(f"{bot:02}" for bot in lineup), totals=tuple(ranks),
        ranks=tuple(ranks), rounds=1, forfeited=(False,) * len(lineup), faults=none, late_slaps=(0,) * len(lineup),
    )  # fmt: skip


def _gumbel(dice: Random) -> float:
    return -float(np.log(dice.expovariate(1)))


def _untied(case: Case, lineup: Sequence[int], luck: Sequence[float], dice: Random) -> list[int]:
    merits = [case.strengths[bot] + (luck[bot] if dice.random() < case.shared else _gumbel(dice)) for bot in lineup]
    return [1 + sum(other > merit for other in merits) for merit in merits]


def _tied(case: Case, lineup: Sequence[int], dice: Random) -> list[int]:
    left, ranks = list(lineup), dict.fromkeys(lineup, 0)
    while left:
        sets = [some for size in (1, *case.ties) for some in combinations(left, size)]
        weights = [
            case.ties.get(len(some), 1.0) * exp(sum(case.strengths[bot] for bot in some) / len(some)) for some in sets
        ]
        chosen = dice.choices(sets, weights)[0]
        for bot in chosen:
            ranks[bot] = 1 + len(lineup) - len(left)
        left = [bot for bot in left if bot not in chosen]
    return [ranks[bot] for bot in lineup]


class Found(Struct, kw_only=True):
    """What came of all runs of a case: one number for each bot but the anchor."""

    held: list[bool] = []
    errors: list[float] = []
    stderrs: list[float] = []
    outward: list[float] = []
    refit_held: list[bool] = []
    refit_stderrs: list[float] = []


def measure(case: Case, runs: int) -> str:
    """A line of figures."""
    found = Found()
    for run in range(runs):
        dice = Random(f"{case.name}/{run}")  # noqa: S311 - a run that can be told again
        matches = tournament(case, dice)
        names = [f"{bot:02}" for bot in range(len(case.strengths))]
        middle = len(names) // 2
        ratings = ratings_of(matches, names, names[middle])
        refits = _refits(matches, dice) if case.refits and run < 100 else None
        for rating in ratings.bots if ratings else ():
            if rating.strength_stderr is None:
                continue
            bot = int(rating.bot)
            truth = case.strengths[bot] - case.strengths[middle]
            low, high = rating.chance_interval or (0.0, 1.0)
            found.held.append(low <= 1 / (1 + exp(-truth)) <= high)
            found.errors.append(rating.strength - truth)
            found.stderrs.append(rating.strength_stderr)
            found.outward.append((rating.strength - truth) * ((truth > 0) - (truth < 0)))
            if refits is not None:
                some = refits[:, bot] - refits[:, middle]
                low, high = np.quantile(some, [0.025, 0.975])
                found.refit_held.append(bool(low <= truth <= high))
                found.refit_stderrs.append(float(some.std(ddof=1)) / rating.strength_stderr)
    spread = sqrt(float(np.mean(np.square(found.stderrs)) / np.mean(np.square(found.errors))))
    text = f"{case.name:40} {np.mean(found.held):7.1%} {spread:9.2f} {np.mean(found.outward):+9.3f}"
    if found.refit_held:
        text += f" {np.mean(found.refit_stderrs):9.2f} {np.mean(found.refit_held):7.1%}"
    return text


def _refits(matches: Matches, dice: Random) -> Floats:
    """The strengths of a bootstrap over blocks, a row for each fit."""
    model = model_of(matches)
    start = model.fit()
    fits = []
    for _ in range(REFITS):
        drawn = [dice.randrange(model.blocks) for _ in range(model.blocks)]
        fits.append(model.fit(np.bincount(drawn, minlength=model.blocks).astype(float), start=start))
    return np.array(fits)[:, : len(model.names)]


def timed(seats: int, many: int) -> str:
    """How long ratings take of 60 bots."""
    case = Case(name="", strengths=evenly(60, 2), lineups=sampled(60, seats, many // seats), deals=1)
    matches, dice = Matches(), Random(1)  # noqa: S311 - as above
    results = []
    for deal, lineup in enumerate(case.lineups(dice)):
        for _ in lineup:
            results.append(result(lineup, _untied(case, lineup, case.strengths, dice), deal=deal))
    begun = process_time()
    for one in results:
        matches.add(one)
    ratings_of(matches, [f"{bot:02}" for bot in range(60)])
    return f"{len(results):,} matches of 60 bots at tables of {seats}: {process_time() - begun:.1f} s of CPU"


def main(runs: int) -> None:
    print(f"{'':40} {'held':>7} {'se / true':>9} {'too far':>9} {'refits: se':>9} {'held':>6}")
    for case in CASES:
        print(measure(case, runs), flush=True)
    for seats in (2, 4) if runs > 1 else ():
        print(timed(seats, 100_000), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
