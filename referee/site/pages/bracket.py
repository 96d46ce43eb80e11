"""A knockout as it is drawn: a column for each round, each tie beside the one into which its winners go."""

from collections.abc import Sequence

from msgspec import Struct

from referee.reports.tables.stage_tables import TieRow, level_columns
from referee.site.pages.frame import Site
from referee.tournament.formats.knockout import Level, Tie
from referee.tournament.formats.places import StagePlaces


class Side(Struct, frozen=True, kw_only=True):
    """A bot of a tie."""

    bot: str
    """Its marked name."""
    points: str
    is_ahead: bool
    """Whether it went on, or won the final."""


class Box(Struct, frozen=True, kw_only=True):
    """A tie, or a bot that went on without one."""

    sides: tuple[Side, ...]
    note: str
    """How many deals were played, and what decided it."""


class Round(Struct, frozen=True, kw_only=True):
    """A column of the bracket."""

    title: str
    boxes: tuple[Box, ...]


def bracket(site: Site, stage: StagePlaces) -> list[Round]:
    """The rounds that have been drawn, the first one first."""
    orders: list[list[str]] = []
    for level in reversed(stage.levels):
        orders.insert(0, _order(level, orders[0] if orders else []))
    return [_round(site, level, order) for level, order in zip(stage.levels, orders, strict=True)]


def _order(level: Level, following: Sequence[str]) -> list[str]:
    """The bots of a level from the top to the bottom, so that who goes on stands beside its next tie."""
    places = {bot: place for place, bot in enumerate(following)}
    groups = [list(tie.names) for tie in level.ties] + [[bot] for bot in level.byes]
    groups.sort(key=lambda names: min(places.get(name, len(places)) for name in names))
    return [name for names in groups for name in names]


def _round(site: Site, level: Level, order: Sequence[str]) -> Round:
    ties = {name: tie for tie in level.ties for name in tie.names}
    boxes: list[Box] = []
    for name in order:
        if name not in ties:
            side = Side(bot=site.bots(name), points="", is_ahead=True)
            boxes.append(Box(sides=(side,), note="goes on without a match"))
        elif name == ties[name].names[0]:
            boxes.append(_box(site, level, ties[name]))
    return Round(title=level.title.capitalize(), boxes=tuple(boxes))


def _box(site: Site, level: Level, tie: Tie) -> Box:
    columns = {column.title: column.cell for column in level_columns(level, site.bots)}
    rows = [TieRow(number=1, tie=tie, place=place) for place in range(len(tie.bots))]
    deals = f"{tie.deals} deal{'s' * (tie.deals != 1)} a game"
    outcome = columns[""](rows[0]).removeprefix("goes on, ").removeprefix("wins, ")
    first, last = tie.bots[tie.goes - 1], tie.bots[-1]
    if tie.rule == "strokes" and first.strokes is not None and last.strokes is not None:
        fewer = last.strokes - first.strokes
        outcome = f"level on match points; {site.bots(first.bot)} had {fewer:.2f} strokes a round fewer"
    return Box(
        sides=tuple(
            Side(
                bot=columns["bot"](row),
                points=columns["points"](row),
                is_ahead=tie.rule != "open" and row.place < tie.goes,
            )
            for row in rows
        ),
        note=f"{deals}, {outcome}",
    )
