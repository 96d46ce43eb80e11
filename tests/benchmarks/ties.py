"""How often a tie of a knockout is settled wrongly, and how many deals it takes, for bots of known strength.

`python tests/benchmarks/ties.py [TIES]` plays so many ties of each kind with dice, looking after every four deals as a
knockout with `deals = 4` and `limit = 40` does, and prints a line for each. Of equal bots at most 5 in 100 ties may be
settled: whoever goes on is no better. An uneven tie is settled wrongly where the best bot does not go on.
"""

import sys
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean

from msgspec import Struct

sys.path += [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]

from drawn_rounds import by_strength, dice, results_of

from referee.tournament.formats.ties import stand
from referee.tournament.plan.rounds import Table
from referee.tournament.results import Result

DEALS, LIMIT = 4, 40


class Kind(Struct, frozen=True):
    """A kind of tie: how many sit at the table, in how many games, and by how much the best bot is stronger."""

    seats: int
    games: int
    lead: float
    """With 0.7, the best bot wins two matches of three against one other."""


KINDS = [Kind(seats, games, lead) for seats in (2, 4) for games in (1, 3) for lead in (0.0, 0.7, 1.4, 2.8)]


def main(ties: int) -> None:
    """Print a line for each kind."""
    print(f"{ties} ties of each kind")
    print("seats  games  lead  settled  best goes on  settled wrongly  deals")
    for kind in KINDS:
        played = [tie(kind, dice(number)) for number in range(ties)]
        settled = [first for first, deals, is_settled in played if is_settled]
        wrong = len([first for first in settled if kind.lead == 0 or first != "a"]) / ties
        best = fmean(first == "a" for first, _, _ in played)
        error = 1.96 * sqrt(wrong * (1 - wrong) / ties)
        print(
            f"{kind.seats:5}  {kind.games:5}  {kind.lead:4.1f}  {len(settled) / ties:7.1%}  {best:12.1%}  "
            f"{wrong:6.2%} ± {error:5.2%}  {fmean(deals for _, deals, _ in played):6.1f}"
        )


def tie(kind: Kind, chance: Random) -> tuple[str, int, bool]:
    """Who goes on, after how many deals, and whether it was settled."""
    bots = tuple("abcdefghij"[: kind.seats])
    seeds = chance.sample(bots, kind.seats)
    ranks = by_strength({bot: kind.lead * (bot == "a") for bot in bots}, chance)
    results: list[Result] = []
    for deals in range(DEALS, LIMIT + 1, DEALS):
        for deal in range(deals - DEALS, deals):
            for game in range(kind.games):
                results += results_of(Table(variant=f"game {game}", bots=bots, deal=deal), ranks)
        found = stand(seeds, 1, results)
        if found.is_settled or deals == LIMIT:
            break
    return found.bots[0].bot, deals, found.is_settled


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
