"""Tournaments of made-up bots whose strengths are known, as rows of results: what statistics are tried on.

A bot's total in a match is the luck of its seat less its strength, in units of the luck's standard deviation, and
rounded to steps, so that there are ties. The luck of a seat is part of the deal, which all rotations of a block share
where `shared` is above 0: then a bot that sits in each seat once has had the luck of all. Some luck is of the match
alone. Bots may suit or not suit each other, and the same in every deal (`interaction`).
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import sqrt
from random import Random

from made_up_runs import made_up_result
from msgspec import Struct

from referee.tournament.plan.plan import Plan
from referee.tournament.results import Result

STROKES = 10
"""How many strokes a standard deviation of luck is."""


class World(Struct, frozen=True, kw_only=True):
    """What is true of the bots and the games of a simulated tournament."""

    strengths: dict[str, float]
    """By bot: how many standard deviations of a match's luck it is better than a bot of strength 0."""
    interaction: float = 0.0
    """The standard deviation of what a bot is better or worse beside any one other bot, the same in all deals."""
    beside: dict[tuple[str, str], float] = {}
    """By how much the first bot of a pair is better still where the second is at the table."""
    shared: float = 0.5
    """Which share of the luck's variance comes with the seat of the deal, the same in all rotations of a block."""
    step: float = 0.1
    """Totals are multiples of this, in standard deviations of luck: the greater, the more ties."""
    luck: dict[str, float] = {}
    """By game, by what its luck is multiplied; 1 where none is given."""


def totals(world: World, random: Random, variant: str, bots: Sequence[str], seats: Sequence[float]) -> tuple[int, ...]:
    """The totals of one match, by seat, where the deal gives its seats this luck."""
    alone, luck = sqrt(1 - world.shared), world.luck.get(variant, 1.0)
    found = []
    for seat, bot in enumerate(bots):
        merit = world.strengths[bot] + sum(suits(world, bot, other) for other in bots if other != bot)
        value = luck * (seats[seat] + alone * random.gauss(0, 1)) - merit
        found.append(round(value / world.step) * max(1, round(STROKES * world.step)))
    return tuple(found)


def suits(world: World, bot: str, other: str) -> float:
    """By how much a bot is better where this other bot is at the table."""
    own = world.interaction * _drawn(bot, other) if world.interaction else 0.0
    return own + world.beside.get((bot, other), 0.0)


@lru_cache(maxsize=1 << 16)
def _drawn(bot: str, other: str) -> float:
    return chance(f"/{bot}/{other}").gauss(0, 1)


def block(
    world: World, random: Random, *, variant: str, bots: Sequence[str], number: int, deal: int, first_match: int
) -> list[Result]:
    """All rotations of a block, the bots by seat in the first of them."""
    size, shared = len(bots), sqrt(world.shared)
    seats = [shared * random.gauss(0, 1) for _ in bots]
    made = []
    for rotation in range(size):
        order = (*bots[rotation:], *bots[:rotation])
        made.append(
            made_up_result(
                order,
                totals(world, random, variant, order, seats),
                number=first_match + rotation,
                game=variant,
                block=number,
                deal=deal,
                rotation=rotation,
            )
        )
    return made


def played(plan: Plan, bots: Sequence[str], world: World, random: Random) -> Iterator[Result]:
    """The results of a plan whose bots have these names, in its order."""
    for planned_match in plan:
        if planned_match.rotation == 0:
            yield from block(
                world,
                random,
                variant=planned_match.variant,
                bots=[bots[index] for index in planned_match.lineup],
                number=planned_match.block,
                deal=planned_match.deal,
                first_match=planned_match.number,
            )


def chance(seed: str) -> Random:
    """Random numbers that are the same for the same text."""
    return Random(seed)  # noqa: S311 - no secret depends on it


def names(count: int) -> list[str]:
    """So many names, in the order of code points."""
    return [f"bot {number:02d}" for number in range(count)]
