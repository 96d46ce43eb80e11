"""How well formats find who is good: a Swiss beside a round-robin with as many matches, and a ladder with a newcomer.

`python tests/benchmarks/formats.py [RUNS]` simulates so many tournaments of each kind and prints a line for each. Bots
have random strengths with a deviation of 0.7: one that is stronger by a deviation wins two matches of three. The order
at the end is that of the strengths which the formats themselves estimate (pair_strengths), in the round-robin too. With
networkx (`pip install '.[bench]'`) the pairing of tables of two is held against an exact matching.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp
from pathlib import Path
from statistics import fmean
from time import process_time

from msgspec import Struct

sys.path += [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]

from drawn_rounds import Draw, Played, by_strength, dice, field_of

from referee.rules.table.streams import Stream
from referee.tournament.formats import ladder, swiss
from referee.tournament.formats.seating import Player, seat
from referee.tournament.plan.rounds import End, Field, Past, Round, StageRules, Table
from referee.tournament.plan.schedule import Plan
from referee.tournament.statistics.pair_strengths import pair_strengths

DEVIATION = 0.7
TOP = 6


class Size(Struct, frozen=True):
    """How large a tournament is."""

    bots: int
    seats: int
    deals: int


SWISSES = {
    Size(60, 2, 1): (6, 12, 18, 24),
    Size(60, 2, 4): (6, 12),
    Size(60, 4, 1): (3, 6, 9),
    Size(60, 4, 4): (6,),
    Size(61, 4, 1): (6,),
    Size(12, 2, 4): (4, 8, 11),
}
"""By size, how many rounds are tried."""

PAIRINGS = ((12, 9), (12, 11), (20, 12), (20, 19), (60, 12), (60, 55))
"""Bots, rounds."""


class Found(Struct, frozen=True, kw_only=True):
    """What came of a tournament."""

    tau: float
    """Kendall's rank correlation of the order with the true one."""
    best: float
    """Whether the best bot is the first."""
    best_on_top: float
    """Whether the best bot is among the first six."""
    top: float
    """How many of the best six are among the first six, as a share."""
    repeats: float
    """How many pairs met again, each time counted."""
    unequal: float
    """How much more often one bot sat out than another, at most."""


def entrants(bots: int) -> list[str]:
    return [f"bot{number:03d}" for number in range(bots)]


def found(played: Played, strengths: dict[str, float]) -> Found:
    """How good the order is that a tournament has found."""
    told = pair_strengths(played.meetings.scores, strengths)
    order, true = (
        sorted(strengths, key=lambda bot: -some[bot]) for some in ({b: told[b].strength for b in told}, strengths)
    )
    place = {bot: number for number, bot in enumerate(order)}
    pairs = [1 if place[one] < place[other] else -1 for one, other in combinations(true, 2)]
    seatings = [played.meetings.seatings.get(bot, 0) for bot in strengths]
    return Found(
        tau=fmean(pairs),
        best=order[0] == true[0],
        best_on_top=true[0] in order[:TOP],
        top=len({*order[:TOP]} & {*true[:TOP]}) / TOP,
        repeats=sum(times - 1 for times in played.meetings.met.values()),
        unequal=max(seatings) - min(seatings),
    )


def sampled_lineups(field: Field, past: Past) -> Round | End:
    """A round-robin with a balanced sample of line-ups, as many as the Swiss of these rules has tables."""
    rules, names = field.stages[0], [bot.name for bot in field.bots]
    if past.rounds:
        return End(reason="played")
    plan = Plan(
        master_key=field.master_key,
        bots=names,
        variants=field.variants,
        deals=rules.deals,
        lineups=(rules.rounds or 1) * (len(names) // field.variants[0].seats),
    )
    tables = tuple(
        Table(variant=match.variant, bots=tuple(sorted(names[bot] for bot in match.lineup)), deal=match.deal)
        for match in plan
        if match.rotation == 0
    )
    return Round(number=0, title="all", tables=tables)


def tournament(seed: int, draw: Draw, size: Size, rounds: int) -> Found:
    """A tournament of bots of random strength."""
    chance = dice(seed)
    strengths = {bot: chance.gauss(0, DEVIATION) for bot in entrants(size.bots)}
    rules = StageRules(format="swiss", deals=size.deals, rounds=rounds)
    played = Played()
    played.play(field_of(strengths, {"game": size.seats}, rules), draw, by_strength(strengths, chance))
    return found(played, strengths)


def mean_of(runs: Sequence[Found]) -> str:
    """The means, in words."""
    tau, best, on_top, top, repeats, unequal = (
        fmean(getattr(run, name) for run in runs) for name in Found.__struct_fields__
    )
    return (
        f"tau {tau:.2f}, best found {best:.0%}, best among the first {TOP} {on_top:.0%}, "
        f"{top:.0%} of the best {TOP} there, {repeats:.1f} pairs met again, sat out {unequal:.1f} times more at most"
    )


class Newcomer(Struct, frozen=True, kw_only=True):
    """A newcomer of a ladder after a round."""

    off: int
    """How many places from its true one."""
    doubt: float
    """Its standard error, as a multiple of the median of the others."""
    matches: int
    """How many it has played."""
    inside: bool
    """Whether its true strength lies within twice its standard error, on the scale of the others."""


def newcomer(seed: int, *, bots: int, seats: int, before: int, after: int) -> list[Newcomer]:
    """A ladder that has gone on for some rounds when a bot comes: what is known of it after each further round."""
    chance = dice(seed)
    strengths = {bot: chance.gauss(0, DEVIATION) for bot in entrants(bots)}
    rules = StageRules(format="ladder", deals=2)
    played = Played()
    played.play(
        field_of(strengths, {"game": seats}, rules), ladder.next_round, by_strength(strengths, chance), most=before
    )
    old, strengths = list(strengths), strengths | {"new": chance.gauss(0, DEVIATION)}
    known: list[Newcomer] = []
    for _ in range(after):
        entered = field_of(strengths, {"game": seats}, rules)
        played.play(entered, ladder.next_round, by_strength(strengths, chance), most=1)
        told = pair_strengths(played.meetings.scores, strengths)
        above = sum(told[bot].strength > told["new"].strength for bot in old)
        shift = fmean(told[bot].strength - strengths[bot] for bot in old)
        known.append(
            Newcomer(
                off=abs(above - sum(strengths[bot] > strengths["new"] for bot in old)),
                doubt=told["new"].stderr / sorted(told[bot].stderr for bot in old)[bots // 2],
                matches=sum("new" in table.bots for one in played.rounds for table in one.tables) * seats,
                inside=abs(told["new"].strength - shift - strengths["new"]) < 2 * told["new"].stderr,
            )
        )
    return known


Pairing = Callable[[Sequence[Player], dict[tuple[str, str], int], Stream], list[tuple[str, ...]]]


def ours(players: Sequence[Player], met: dict[tuple[str, str], int], stream: Stream) -> list[tuple[str, ...]]:
    return seat(players, 2, met, stream)


def exact(players: Sequence[Player], met: dict[tuple[str, str], int], _: Stream) -> list[tuple[str, ...]]:
    """The matching whose sum of squared distances is least among those with the fewest repeats."""
    import networkx as nx

    graph, repeat = nx.Graph(), len(players) ** 3
    for (place, one), (there, other) in combinations(enumerate(players), 2):
        pair = min(one.name, other.name), max(one.name, other.name)
        graph.add_edge(one.name, other.name, weight=-((there - place) ** 2) - repeat * met.get(pair, 0))
    return [(min(pair), max(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True)]


def pairing(seed: int, pair: Pairing, bots: int, rounds: int) -> tuple[float, float, float]:
    """A Swiss by points alone: how many pairs met again, how far apart they were, and the seconds for a round."""
    chance = dice(seed)
    strengths = {bot: chance.gauss(0, DEVIATION) for bot in entrants(bots)}
    met, points, far, spent = Counter[tuple[str, str]](), Counter[str](), 0, 0.0
    for number in range(rounds):
        stream = Stream(bytes([seed]), f"{number}")
        order = sorted(stream.shuffled(strengths), key=lambda bot: -points[bot])
        start = process_time()
        pairs = pair([Player(name=bot, group=bot) for bot in order], met, stream)
        spent += process_time() - start
        for one, other in pairs:
            met[one, other] += 1
            far += abs(order.index(one) - order.index(other))
            wins = chance.random() < 1 / (1 + exp(strengths[other] - strengths[one]))
            points[one if wins else other] += 1
    return sum(times - 1 for times in met.values()), far / (rounds * (bots // 2)), spent / rounds


def main(runs: int) -> None:
    """Print everything."""
    draws: dict[str, Draw] = {"Swiss": swiss.next_round, "round-robin": sampled_lineups}
    for size, rounds in ((size, rounds) for size, several in SWISSES.items() for rounds in several):
        matches = rounds * (size.bots // size.seats) * size.seats * size.deals
        what = f"{size.bots} bots at tables of {size.seats}, {rounds} rounds of {size.deals} deals ({matches} matches)"
        for name, draw in draws.items():
            print(
                f"{what}, {name}: {mean_of([tournament(seed, draw, size, rounds) for seed in range(runs)])}", flush=True
            )
    print_ladders(runs)
    print_pairings(runs)


def print_ladders(runs: int) -> None:
    """Print how soon a newcomer has found its place."""
    for seats in (2, 4):
        ladders = [newcomer(seed, bots=60, seats=seats, before=30, after=20) for seed in range(runs)]
        for after in (1, 3, 5, 8, 12, 20):
            some = [one[after - 1] for one in ladders]
            print(
                f"ladder of 60 at tables of {seats}, newcomer after {after} rounds and "
                f"{fmean(one.matches for one in some):.0f} matches: {fmean(one.off for one in some):.1f} places off, "
                f"{fmean(one.doubt for one in some):.2f} times the doubt of the others, within its interval "
                f"{fmean(one.inside for one in some):.0%}",
                flush=True,
            )


def print_pairings(runs: int) -> None:
    """Print how good the pairings are."""
    try:
        import networkx  # noqa: F401
    except ImportError:
        print("no comparison with an exact matching: networkx is not installed (pip install '.[bench]')")
        return
    for bots, rounds in PAIRINGS:
        for name, pair in (("exchanges", ours), ("exact matching", exact)):
            repeats, far, spent = (
                fmean(one) for one in zip(*(pairing(seed, pair, bots, rounds) for seed in range(runs)), strict=True)
            )
            print(
                f"{bots} bots, {rounds} rounds, {name}: {repeats:.2f} pairs met again, {far:.2f} places apart, "
                f"{1000 * spent:.0f} ms a round",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
