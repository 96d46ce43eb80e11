"""Rounds that are drawn, and played without bots."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from random import Random
from types import MappingProxyType

from made_up_runs import made_up_result
from msgspec.structs import replace

from referee.tournament.plan.deals import PlannedVariant
from referee.tournament.plan.rounds import Block, DrawInput, End, Entrant, History, Round, StageRules
from referee.tournament.results import Result

Points = Callable[[Block, int, str], int]
"""The total of a bot at this table in this rotation."""

Draw = Callable[[DrawInput, History], Round | End]

ONE_GAME = MappingProxyType({"game": 2})


def field_of(
    bots: int | Iterable[str],
    *stages: StageRules,
    tables: Mapping[str, int] = ONE_GAME,
    owners: Mapping[str, str] | None = None,
) -> DrawInput:
    """A field of these bots, or of `b00`, `b01` and so on; `tables` are seats by game. `owners` are kept apart."""
    return DrawInput(
        master_key=b"key",
        bots=[
            Entrant(name=name, owner=(owners or {}).get(name, ""))
            for name in (numbered(bots) if isinstance(bots, int) else bots)
        ],
        variants=[PlannedVariant(variant=name, seats=seats) for name, seats in tables.items()],
        stages=stages,
        apart=owners is not None,
    )


def numbered(count: int) -> list[str]:
    """So many names, in the order of code points."""
    return [f"b{number:02}" for number in range(count)]


def by_name(table: Block, rotation: int, bot: str) -> int:
    """The bot whose name comes last always wins, and so on."""
    del rotation
    return -sorted(table.bots).index(bot)


def by_strength(strengths: Mapping[str, float], dice: Random) -> Points:
    """Totals by the model of Plackett and Luce, where the chance to win goes as the exponential of the strength."""

    def points(table: Block, rotation: int, bot: str) -> int:
        del table, rotation
        return round(1e9 * (log(dice.expovariate(1)) - strengths[bot]))

    return points


def results_of(tables: Iterable[Block], points: Points = by_name) -> list[Result]:
    """What comes of all rotations of these tables."""
    return [_result(table, rotation, points) for table in tables for rotation in range(len(table.bots))]


def _result(table: Block, rotation: int, points: Points) -> Result:
    bots = (*table.bots[rotation:], *table.bots[:rotation])
    totals = tuple(points(table, rotation, bot) for bot in bots)
    return made_up_result(bots, totals, game=table.variant, deal=table.deal, rotation=rotation)


def a_round(drawn: Round | End) -> Round:
    """What was drawn, which must be a round."""
    assert isinstance(drawn, Round), drawn
    return drawn


def played_out(
    field: DrawInput, draw: Draw, points: Points = by_name, past: History | None = None
) -> tuple[History, End]:
    """All rounds to the end, going on from a past."""
    past = past or History()
    while isinstance(drawn := draw(field, past), Round):
        past = with_round(past, drawn, points)
    return past, drawn


def played(field: DrawInput, draw: Draw, rounds: int, points: Points = by_name, past: History | None = None) -> History:
    """So many rounds, going on from a past."""
    past = past or History()
    for _ in range(rounds):
        past = with_round(past, a_round(draw(field, past)), points)
    return past


def with_round(past: History, drawn: Round, points: Points = by_name) -> History:
    """The past with one more round, which has been played."""
    return replace(past, rounds=[*past.rounds, drawn], played=[*past.played, results_of(drawn.tables, points)])


def without(past: History, bot: str) -> History:
    """The past of a run from which a bot was withdrawn."""
    return where(past, lambda bots: bot not in bots)


def where(past: History, stays: Callable[[Sequence[str]], bool]) -> History:
    """The past with those tables alone whose bots are such."""
    return replace(
        past,
        rounds=[replace(one, tables=tuple(table for table in one.tables if stays(table.bots))) for one in past.rounds],
        played=[[result for result in results if stays(result.bots)] for results in past.played],
    )
