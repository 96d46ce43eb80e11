"""Whether the means of an adaptive tournament are unbiased and its claims hold, and how many matches it saves.

    python tests/benchmarks/adaptive.py [--runs N] [--only WORD]

Tournaments are simulated with the referee's own drawing (`formats/adaptive.py`): each round is drawn from the results
before it and played by bots whose strokes are rounded normal numbers, with a part that belongs to the cards of a seat.

`bias` is the mean error of the bots' match points, towards the side on which a bot truly stands (above 0: the good
seem better and the bad worse than they are), in thousandths with its standard error over runs. `pooled` is by how much
more the plain mean over the blocks of each line-up errs, which knows nothing of rounds. `covered` is how often the
intervals of 95 % contain the true mean, `wrong` the share of runs with any wrong claim at any look, with Wilson's
interval. `matches` is the mean share of the matches that are played at most. A round-robin with the same `[stop]` and
as many matches at most stands beside it.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev

import numpy as np
from msgspec import Struct
from stopping import wilson
from tabulate import tabulate

from referee.tournament.formats import adaptive
from referee.tournament.plan.rounds import End, Entrant, Field, Past, Round, StageRules, StopRules, Table
from referee.tournament.plan.schedule import PlannedVariant
from referee.tournament.results import Result
from referee.tournament.statistics.blocks import Blocks
from referee.tournament.statistics.means import Figures
from referee.tournament.statistics.stopping import Look, best_first, every_lineup, look_at, top_of

CARDS = 4.0
"""How much the cards of a seat scatter its strokes, and how much all else does."""
PLAY = 4.0

GAME = "game"


class Scenario(Struct, frozen=True, kw_only=True):
    """Tournaments of one kind."""

    title: str
    strengths: tuple[float, ...]
    seats: int = 2
    rounds: int = 10
    stop: StopRules | None = None
    uniform: bool = False
    """Whether it is a round-robin of as many deals as the adaptive one has blocks for each line-up."""

    @property
    def blocks(self) -> int:
        """How many blocks a line-up has at most, on average."""
        return 2 + adaptive.BLOCKS_A_LINEUP * (self.rounds - 1)

    def field(self, run: int) -> Field:
        """The field of a run."""
        rules = StageRules(format="adaptive", deals=2, rounds=self.rounds)
        return Field(
            master_key=run.to_bytes(32, "big"),
            bots=[Entrant(name=f"{bot:02}", owner="") for bot in range(len(self.strengths))],
            variants=[PlannedVariant(variant=GAME, seats=self.seats)],
            stages=[StageRules(deals=self.blocks) if self.uniform else rules],
            stop=self.stop,
        )


class Ended(Struct, frozen=True, kw_only=True):
    """What came of a run."""

    bias: float
    pooled: float
    covered: float
    wrong: bool
    settled: bool
    matches: int


class Dice:
    """Plays tables."""

    def __init__(self, scenario: Scenario, run: int) -> None:
        self._strengths = scenario.strengths
        self._rng = np.random.default_rng((3, run))
        self._block = 0

    def play(self, tables: Sequence[Table]) -> list[Result]:
        """The results of tables, one after another."""
        results = []
        for table in tables:
            size = len(table.bots)
            skill = np.array([self._strengths[int(bot)] for bot in table.bots])
            cards = self._rng.standard_normal(size) * CARDS
            for rotation in range(size):
                strokes = np.rint(np.roll(cards, rotation) - skill + self._rng.standard_normal(size) * PLAY).tolist()
                results.append(
                    Result(
                        number=self._block * size + rotation,
                        variant=GAME,
                        block=self._block,
                        deal=table.deal,
                        rotation=rotation,
                        bots=table.bots,
                        totals=(0,) * size,
                        ranks=tuple(1 + sum(other < one for other in strokes) for one in strokes),
                        rounds=1,
                        forfeited=(False,) * size,
                        faults=({},) * size,
                        late_slaps=(0,) * size,
                    )
                )
            self._block += 1
        return results


def play(scenario: Scenario, run: int, true: Mapping[str, float]) -> Ended:
    """A tournament, to its end."""
    field, dice = scenario.field(run), Dice(scenario, run)
    past = Past()
    wrong, look = False, None
    while (drawn := next_round(scenario, field, past, look)) is not None:
        past = Past(rounds=[*past.rounds, drawn], played=[*past.played, dice.play(tables_of(field, drawn))])
        look = look_at(field, past) if scenario.uniform else adaptive.look_at(field, past)
        wrong = wrong or is_wrong(look, true)
    assert look is not None
    if look.is_settled and scenario.stop is not None and scenario.stop.when not in (None, "all"):
        count = top_of(str(scenario.stop.when))
        worst = min(true[bot] for bot in best_first(figures_of(scenario, field, past), sorted(true), [GAME])[:count])
        wrong = wrong or worst < sorted(true.values())[-count]
    weighted, pooled = figures_of(scenario, field, past), Figures(blocks_of(past), "points")
    intervals = [(weighted.estimate(bot, [GAME]), mean) for bot, mean in true.items()]
    covered = [one.low is not None and one.high is not None and one.low <= mean <= one.high for one, mean in intervals]
    return Ended(
        bias=bias(weighted, true),
        pooled=bias(pooled, true),
        covered=fmean(covered),
        wrong=wrong,
        settled=look.is_settled,
        matches=sum(map(len, past.played)),
    )


def next_round(scenario: Scenario, field: Field, past: Past, look: Look | None) -> Round | None:
    """What is played next; None at the end."""
    if scenario.uniform:
        deal, stops = len(past.rounds), scenario.stop is not None and look is not None and look.is_settled
        return None if stops or deal == field.stages[0].deals else Round(number=deal, title="", whole_deal=deal)
    drawn = adaptive.next_round(field, past)
    return None if isinstance(drawn, End) else drawn


def tables_of(field: Field, drawn: Round) -> Sequence[Table]:
    """The tables of a round."""
    if drawn.whole_deal is None:
        return drawn.tables
    names = [bot.name for bot in field.bots]
    lineups = every_lineup(field, field.variants[0])
    return [Table(variant=GAME, bots=tuple(names[bot] for bot in some), deal=drawn.whole_deal) for some in lineups]


def blocks_of(past: Past) -> Blocks:
    """All blocks by round."""
    blocks = Blocks()
    for one, results in zip(past.rounds, past.played, strict=True):
        for result in results:
            blocks.add(result, round_number=one.number)
    return blocks


def figures_of(scenario: Scenario, field: Field, past: Past) -> Figures:
    """The figures at the end, as standings have them."""
    weights = None if scenario.uniform else adaptive.round_weights(past.rounds, field.stages[0])
    return Figures(blocks_of(past), "points", weights=weights)


def bias(figures: Figures, true: Mapping[str, float]) -> float:
    """The mean error of all bots towards the side on which they stand; of equal bots the half that comes first."""
    error = 0.0
    for place, (bot, mean) in enumerate(true.items()):
        side = mean - 0.5 or (-1 if 2 * place >= len(true) else 1)
        error += (figures.estimate(bot, [GAME]).mean - mean) * (1 if side > 0 else -1)
    return error / len(true)


def is_wrong(look: Look, true: Mapping[str, float]) -> bool:
    """Whether a pair is said to be apart that is equal or the other way round."""
    return look.compared is not None and any(true[a] <= true[b] for a, b in look.compared.apart)


def true_means(scenario: Scenario) -> dict[str, float]:
    """The bots' true means, from many blocks; those of equal bots are the same."""
    field = scenario.field(0)
    names, skill = [bot.name for bot in field.bots], np.array(scenario.strengths)
    rng, points = np.random.default_rng(7), np.zeros(len(names))
    lineups, deals = list(every_lineup(field, field.variants[0])), 400_000
    for some in lineups:
        strokes = rng.standard_normal((deals, scenario.seats)) * sqrt(CARDS**2 + PLAY**2) - skill[list(some)]
        strokes = np.rint(strokes)
        for place, bot in enumerate(some):
            own, others = strokes[:, [place]], np.delete(strokes, place, axis=1)
            points[bot] += ((own < others) + 0.5 * (own == others)).mean()
    points /= len(lineups) * scenario.seats / len(names)
    for strength in set(scenario.strengths):
        points[skill == strength] = points[skill == strength].mean()
    return dict(zip(names, np.round(points, 6).tolist(), strict=True))


def row(scenario: Scenario, runs: int) -> list[str]:
    """A line of the table."""
    true = true_means(scenario)
    ended = [play(scenario, run, true) for run in range(runs)]
    low, high = wilson(sum(one.wrong for one in ended), runs)
    lineups = len(every_lineup(scenario.field(0), scenario.field(0).variants[0]))
    most = scenario.blocks * lineups * scenario.seats
    return [
        scenario.title,
        in_thousandths([one.bias for one in ended]),
        in_thousandths([one.pooled - one.bias for one in ended]),
        f"{fmean(one.covered for one in ended):.1%}",
        f"{fmean(one.wrong for one in ended):.1%} ({low:.1%} to {high:.1%})",
        f"{fmean(one.settled for one in ended):.0%}",
        f"{fmean(one.matches for one in ended) / most:.0%}",
    ]


def in_thousandths(errors: Sequence[float]) -> str:
    """The mean with its standard error."""
    return f"{1000 * fmean(errors):+.2f} ±{1000 * stdev(errors) / sqrt(len(errors)):.2f}"


def scenarios() -> Iterator[Scenario]:
    """Equal bots and groups, without and with [stop]."""
    groups = {
        "6 equal": (0.0,) * 6,
        "3 of 8 better": (3.0,) * 3 + (0.0,) * 5,
        "8 in steps": tuple(2.0 * step for step in range(8)),
    }
    for name, strengths in groups.items():
        yield Scenario(title=f"{name}, no stop", strengths=strengths, rounds=5)
    yield Scenario(title="8 in steps, tables of four, no stop", strengths=groups["8 in steps"], seats=4, rounds=3)
    for name, strengths, when in (
        ("6 equal", groups["6 equal"], "all"),
        ("2 close ones far ahead of 10", (7.0, 5.0) + (0.0,) * 10, "top 1"),
        ("3 of 12 ahead and one close", (8.0, 8.0, 6.0, 4.0) + (0.0,) * 8, "top 3"),
        ("one of 12 better", (3.0,) + (0.0,) * 11, "top 1"),
        ("3 of 8 better", groups["3 of 8 better"], "top 3"),
    ):
        for uniform in (False, True):
            title = f"{name}, {when}, {'round-robin' if uniform else 'adaptive'}"
            yield Scenario(title=title, strengths=strengths, stop=StopRules(when=when), uniform=uniform, rounds=14)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", help="scenarios with this in their title")
    options = parser.parse_args()
    headers = ("tournaments", "bias", "pooled", "covered", "wrong", "settled", "matches")
    rows = []
    for scenario in scenarios():
        if options.only in scenario.title:
            rows.append(row(scenario, options.runs))
            print(*rows[-1], sep="; ", file=sys.stderr)
    print(tabulate(rows, headers=headers))


if __name__ == "__main__":
    main()
