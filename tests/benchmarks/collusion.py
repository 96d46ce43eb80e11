"""How often bots that help each other are found, and honest ones named: `python tests/benchmarks/collusion.py [RUNS]`.

Bots are made up: a total is the luck of the seat, in part that of the deal for all rotations, less the bot's strength;
strengths lie evenly from -REACH to REACH, in units of the deviation of luck. In *styles* each ordered pair of bots has
an effect of its own on the second, drawn once for the whole tournament, as of bots that suit each other: nobody is to
be named there. A planted pair is in the middle of the field by strength: the second bot is better by so much where the
first sits (*helps*), or the first worse where the second sits (*throws*). For each kind of tournament it prints in how
many of RUNS anybody honest was named, and in how many the planted pair was.

`--real RUN.golfref` tells what the test says of a run. tests/hostile/stablemates.py are two bots that work
together in six-card golf, to be played in one.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import combinations
from math import sqrt
from pathlib import Path
from random import Random

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).parents[2]))

from referee.tournament.results import Result
from referee.tournament.statistics.collusion import LEVEL, Influence, influences
from referee.tournament.statistics.rankings import Matches
from referee.tournament.store.store import Store

REACH = 1.5
SHARED = 0.5
"""The part of the variance of luck that comes with the seat of a deal."""
PLANTED = frozenset({"0", "1"})


class Case(Struct, frozen=True, kw_only=True):
    """A kind of tournament."""

    name: str
    bots: int
    seats: int
    deals: int
    lineups: int | None = None
    """None means all."""
    reach: float = REACH
    styles: float = 0.0
    helps: float = 0.0
    throws: float = 0.0


HONEST = (
    Case(name="8 bots at tables of 4", bots=8, seats=4, deals=2),
    Case(name="8 bots, very unequal", bots=8, seats=4, deals=2, reach=4),
    Case(name="6 bots at tables of 3", bots=6, seats=3, deals=8),
    Case(name="14 bots, 100 line-ups of 4", bots=14, seats=4, deals=2, lineups=100),
    *(Case(name=f"8 bots with styles of {some}", bots=8, seats=4, deals=8, styles=some) for some in (0.1, 0.2, 0.3)),
    Case(name="5 bots with styles of 0.2", bots=5, seats=3, deals=20, styles=0.2),
)
COLLUDING = (
    *(
        Case(name=f"helps by {some}", bots=8, seats=4, deals=deals, helps=some)
        for some in (0.3, 0.6)
        for deals in (1, 2, 4, 8)
    ),
    *(
        Case(name=f"throws by {some}", bots=8, seats=4, deals=deals, throws=some)
        for some in (0.5, 1.0)
        for deals in (1, 2, 4)
    ),
    Case(name="helps by 0.6 among styles of 0.1", bots=8, seats=4, deals=8, helps=0.6, styles=0.1),
)


def tournament(case: Case, dice: Random) -> tuple[Matches, int]:
    """All matches of one tournament, and how many blocks they are."""
    bots = range(case.bots)
    styles = [[dice.gauss(0, case.styles) for _ in bots] for _ in bots]

    def merit(bot: int, lineup: Sequence[int]) -> float:
        place = (bot + case.bots // 2 - 1) % case.bots
        own = case.reach * (2 * place / (case.bots - 1) - 1)
        own += sum(styles[other][bot] for other in lineup if other != bot)
        return own + (case.helps * (bot == 1) - case.throws * (bot == 0)) * ({0, 1} <= set(lineup))

    lineups = list(combinations(bots, case.seats))
    if case.lineups is not None:
        lineups = dice.sample(lineups, case.lineups)
    matches = Matches()
    for lineup in lineups:
        merits = [merit(bot, lineup) for bot in lineup]
        for deal in range(case.deals):
            block(matches, dice, lineup, merits, deal)
    return matches, len(lineups) * case.deals


def block(matches: Matches, dice: Random, lineup: Sequence[int], merits: Sequence[float], deal: int) -> None:
    """Play all rotations."""
    seats = [sqrt(SHARED) * dice.gauss(0, 1) for _ in lineup]
    for rotation in range(len(lineup)):
        own = [
            seats[(place + rotation) % len(lineup)] + sqrt(1 - SHARED) * dice.gauss(0, 1)
            for place in range(len(lineup))
        ]
        totals = tuple(round(10 * (luck - some)) for luck, some in zip(own, merits, strict=True))
        matches.add(result(lineup, totals, deal))


def result(lineup: Sequence[int], totals: tuple[int, ...], deal: int) -> Result:
    none: tuple[dict[str, int], ...] = ({},) * len(lineup)
    return Result(
        number=0, variant="v", block=deal, deal=deal, bots=tuple(map(str, lineup)), totals=totals,
        ranks=tuple(1 + sum(other < total for other in totals) for total in totals), rounds=1,
        forfeited=(False,) * len(lineup), faults=none, late_slaps=(0,) * len(lineup),
    )  # fmt: skip


def measure(case: Case, runs: int) -> str:
    """A line of rates."""
    honest = planted = blocks = 0
    for run in range(runs):
        dice = Random(f"{case.name}/{case.deals}/{run}")  # noqa: S311 - a run that can be told again
        matches, blocks = tournament(case, dice)
        owners = {str(bot): "both" if (case.helps or case.throws) and bot < 2 else str(bot) for bot in range(case.bots)}
        suspected = [row for row in influences(matches, owners) if row.is_suspected]
        honest += any({row.bot, row.on} != PLANTED for row in suspected)
        planted += any({row.bot, row.on} == PLANTED for row in suspected)
    found = f"{planted / runs:8.1%}" if case.helps or case.throws else f"{'-':>8}"
    return f"{case.name:34} {blocks:6} {honest / runs:8.1%} {found}"


def told(row: Influence) -> str:
    """A pair in a line."""
    family = "one owner" if row.one_owner else ""
    return f"{row.bot:12} on {row.on:12} {row.effect:+.3f} {row.stderr:.3f} {row.p:9.2g} {row.p_of_all:9.2g} {family}"


def real(path: Path) -> None:
    """What the test says of a run: the ten pairs that it finds most suspicious."""
    matches = Matches()
    with closing(Store.open(path)) as store:
        owners = {bot.name: bot.owner for bot in store.meta().facts.bots}
        for one in store.results():
            matches.add(one)
    print(*map(told, influences(matches, owners)[:10]), sep="\n")


def main(words: Sequence[str]) -> None:
    if words and words[0] == "--real":
        real(Path(words[1]))
        return
    runs = int(words[0]) if words else 200
    print(f"level {LEVEL:g}\n{'':34} {'blocks':>6} {'honest':>8} {'planted':>8}")
    for case in (*HONEST, *COLLUDING):
        print(measure(case, runs), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
