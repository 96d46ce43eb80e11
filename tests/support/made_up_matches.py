"""Rounds that are played without bots: the bot with the higher number beats the one with the lower."""

from collections.abc import Callable, Iterable, Sequence

from made_up_runs import made_up_result

from referee.tournament.plan.rounds import End, Entrant, Field, Past, Round, StageRules, Table
from referee.tournament.plan.schedule import PlannedVariant
from referee.tournament.results import Result

Points = Callable[[Table, int, str], int]
"""The total of a bot at this table in this rotation."""


def field_of(bots: int, *stages: StageRules, seats: int = 2, variants: Sequence[str] = ("game",)) -> Field:
    """Bots `b00`, `b01` and so on."""
    return Field(
        master_key=b"key",
        bots=[Entrant(name=f"b{number:02}", owner="") for number in range(bots)],
        variants=[PlannedVariant(variant=name, seats=seats) for name in variants],
        stages=stages,
    )


def by_name(table: Table, rotation: int, bot: str) -> int:
    """The higher number has fewer strokes, always."""
    del table, rotation
    return -int(bot[1:])


def results_of(tables: Iterable[Table], points: Points = by_name) -> list[Result]:
    """What comes of all rotations of these tables."""
    return [_result(table, rotation, points) for table in tables for rotation in range(len(table.bots))]


def _result(table: Table, rotation: int, points: Points) -> Result:
    bots = (*table.bots[rotation:], *table.bots[:rotation])
    totals = tuple(points(table, rotation, bot) for bot in bots)
    return made_up_result(bots, totals, game=table.variant, deal=table.deal, rotation=rotation)


def played_out(
    field: Field, draw: Callable[[Field, Past], Round | End], points: Points = by_name, past: Past | None = None
) -> tuple[Past, End]:
    """All rounds to the end, going on from a past."""
    past = past or Past()
    while isinstance(drawn := draw(field, past), Round):
        past = Past(rounds=[*past.rounds, drawn], played=[*past.played, results_of(drawn.tables, points)])
    return past, drawn


def without(past: Past, bot: str) -> Past:
    """The past of a run from which a bot was withdrawn."""
    rounds = [
        Round(
            number=one.number,
            title=one.title,
            stage=one.stage,
            entered=one.entered,
            tables=tuple(table for table in one.tables if bot not in table.bots),
        )
        for one in past.rounds
    ]
    played = [[result for result in results if bot not in result.bots] for results in past.played]
    return Past(rounds=rounds, played=played)
