"""Stages and brackets as tables: who went on, by how much, and by which rule."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from referee.reports.tables.figures import ALL_PAIRS
from referee.reports.tables.layout import Column, Names, fitted, wrapped
from referee.tournament.formats.knockout import Level, Tie
from referee.tournament.formats.places import StagePlaces, StageRow
from referee.tournament.formats.table import FORMATS

_RULES = {
    "settled": "settled",
    "match points": "by match points",
    "strokes": "by strokes",
    "seed": "by its seed",
    "withdrawn": "others withdrawn",
    "dropped": "by matches that no longer count",
    "open": "is played",
}
"""By rule, in words, what decided a tie."""


class TieRow(Struct, frozen=True, kw_only=True):
    """A line of a round of a bracket: a bot of a tie."""

    number: int
    """The tie's, from 1."""
    tie: Tie
    place: int
    """The bot's among those of the tie, from 0."""


def stages_report(stages: Sequence[StagePlaces], width: int) -> list[str]:
    """The stages that have begun, each with a heading, and each round of a bracket likewise."""
    bots = [row.bot for stage in stages for row in stage.bots]
    names = Names([*bots, *(bot for stage in stages for level in stage.levels for bot in level.bots)], width)
    parts: list[str] = []
    for stage in stages:
        title = f"Stage {stage.number}: {stage.format}" if len(stages) > 1 or stage.number > 1 else ""
        if stage.levels:
            parts += [title] * bool(title)
            for level in stage.levels:
                table = fitted(level_columns(level, names), tie_rows(level), width).text
                below = [wrapped(byes(level, names), width)] * bool(level.byes)
                shown = [table, *below] if level.ties else below or [table]
                parts.append("\n\n".join([level.title.capitalize(), *shown]))
        elif stage.bots:
            below = [] if stage.is_cut_settled is None else [wrapped(cut(stage, names), width)]
            table = fitted(stage_columns(stage, names), stage.bots, width).text
            parts.append("\n\n".join([title or f"Stage 1: {stage.format}", table, *below]))
    return parts


def stage_columns(stage: StagePlaces, names: Callable[[str], str]) -> list[Column[StageRow]]:
    """The columns of a stage that is no knockout, a line for each bot."""
    has_means = FORMATS[stage.format].ranked_by == "means" and all(row.strength is None for row in stage.bots)
    columns: list[Column[StageRow]] = [
        Column("place", lambda row: str(row.rank)),
        Column("may be", lambda row: _range(row.rank_from, row.rank_to), gives_way=1),
        Column("bot", lambda row: names(row.bot), is_text=True),
        Column("match points", lambda row: _figure(row.match_points, ".3f"))
        if has_means
        else Column("strength", lambda row: _figure(row.strength, "+.2f")),
    ]
    if stage.is_cut_settled is not None:
        columns.append(Column("", lambda row: "goes on" if row.goes_on else "", is_text=True))
    return columns


def cut(stage: StagePlaces, names: Callable[[str], str]) -> str:
    """Whether the best are known who belong into the next stage."""
    going = [row for row in stage.bots if row.goes_on]
    if len(going) == len(stage.bots):
        return f"All {len(going)} of this stage go on."
    if stage.is_cut_settled:
        has_unplayed = not all(row.has_match for row in stage.bots)
        with_match = " that have a match in this stage" * has_unplayed
        return f"The {len(going)} that go on are better than the others{with_match} ({ALL_PAIRS})."
    others = [row for row in stage.bots if not row.goes_on and row.rank_from <= len(going)]
    some = ", ".join(names(row.bot) for row in others[:5]) + ", ..." * (len(others) > 5)
    tense = "goes on" if stage.is_over else "would go on now"
    return f"Who {tense} is not settled: {some} may belong to the best {len(going)}, too."


def byes(level: Level, names: Callable[[str], str]) -> str:
    """Who goes on from a round of a bracket without a tie."""
    return "bye: " + ", ".join(map(names, level.byes))


def tie_rows(level: Level) -> list[TieRow]:
    """A line for each bot of each tie of a round of a bracket."""
    return [
        TieRow(number=number, tie=tie, place=place)
        for number, tie in enumerate(level.ties, 1)
        for place in range(len(tie.bots))
    ]


def level_columns(level: Level, names: Callable[[str], str]) -> list[Column[TieRow]]:
    """The columns of a round of a bracket."""
    return [
        Column("tie", lambda row: "" if row.place else str(row.number)),
        Column("bot", lambda row: names(row.tie.bots[row.place].bot), is_text=True),
        Column("points", lambda row: _figure(row.tie.bots[row.place].match_points, ".3f")),
        Column("strokes", lambda row: _figure(row.tie.bots[row.place].strokes, "+.2f"), gives_way=2),
        Column("deals", lambda row: "" if row.place else str(row.tie.deals), gives_way=1),
        Column("", lambda row: _outcome(row.tie, row.place, is_final=level.title == "final"), is_text=True),
    ]


def _outcome(tie: Tie, place: int, *, is_final: bool) -> str:
    if tie.rule == "open":
        return "" if place else _RULES["open"]
    if place >= tie.goes:
        return "withdrawn" if tie.rule == "withdrawn" else "" if is_final else "out"
    return f"{'wins' if is_final else 'goes on'}, {_RULES[tie.rule]}"


def _range(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
