"""Stages and brackets as tables: who went on, by how much, and by which rule."""

from collections.abc import Callable, Sequence

from referee.reports.tables.figures import ALL_PAIRS
from referee.reports.tables.layout import Column, fitted, wrapped
from referee.reports.tables.names import Names
from referee.tournament.formats.knockout import Level, Tie
from referee.tournament.formats.places import StagePlaces
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


def stages_report(stages: Sequence[StagePlaces], width: int) -> list[str]:
    """The stages that have begun, each with a heading, and each round of a bracket likewise."""
    names = Names(_all_names(stages), width)
    parts: list[str] = []
    for stage in stages:
        title = f"Stage {stage.number}: {stage.format}" if len(stages) > 1 or stage.number > 1 else ""
        if stage.levels:
            parts += [title] * bool(title)
            parts += [f"{level.title.capitalize()}\n\n{_level(level, width, names)}" for level in stage.levels]
        elif stage.bots:
            parts.append(f"{title or f'Stage 1: {stage.format}'}\n\n{_stage(stage, width, names)}")
    return parts


def _all_names(stages: Sequence[StagePlaces]) -> list[str]:
    return [
        *(row.bot for stage in stages for row in stage.bots),
        *(bot for stage in stages for level in stage.levels for bot in level.bots),
    ]


def _stage(stage: StagePlaces, width: int, names: Names) -> str:
    text = fitted(stage_columns(stage, names), width).text
    return text if stage.is_cut_settled is None else f"{text}\n\n{wrapped(cut(stage, names), width)}"


def stage_columns(stage: StagePlaces, names: Callable[[str], str]) -> list[Column]:
    """The columns of a stage that is no knockout, a line for each bot."""
    rows = stage.bots
    columns = [
        Column(title="place", cells=[str(row.rank) for row in rows]),
        Column(title="may be", cells=[_range(row.rank_from, row.rank_to) for row in rows], gives_way=1),
        Column(title="bot", cells=[names(row.bot) for row in rows], is_text=True),
    ]
    if FORMATS[stage.format].ranked_by == "means" and all(row.strength is None for row in rows):
        columns.append(Column(title="match points", cells=[_figure(row.match_points, ".3f") for row in rows]))
    else:
        columns.append(Column(title="strength", cells=[_figure(row.strength, "+.2f") for row in rows]))
    if stage.is_cut_settled is not None:
        columns.append(Column(title="", cells=["goes on" if row.goes_on else "" for row in rows], is_text=True))
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


def _level(level: Level, width: int, names: Names) -> str:
    text = fitted(level_columns(level, names), width).text
    if not level.byes:
        return text
    return f"{text}\n\n{wrapped(byes(level, names), width)}" if level.ties else wrapped(byes(level, names), width)


def byes(level: Level, names: Callable[[str], str]) -> str:
    """Who goes on from a round of a bracket without a tie."""
    return "bye: " + ", ".join(map(names, level.byes))


def level_columns(level: Level, names: Callable[[str], str]) -> list[Column]:
    """The columns of a round of a bracket, a line for each bot of each tie."""
    tie_cells, bot_cells, points, strokes, deals, outcome = ([""] * 0 for _ in range(6))
    for number, tie in enumerate(level.ties, 1):
        for place, one in enumerate(tie.bots):
            tie_cells.append(str(number) if place == 0 else "")
            bot_cells.append(names(one.bot))
            points.append(_figure(one.match_points, ".3f"))
            strokes.append(_figure(one.strokes, "+.2f"))
            deals.append(str(tie.deals) if place == 0 else "")
            outcome.append(_outcome(tie, place, is_final=level.title == "final"))
    return [
        Column(title="tie", cells=tie_cells),
        Column(title="bot", cells=bot_cells, is_text=True),
        Column(title="points", cells=points),
        Column(title="strokes", cells=strokes, gives_way=2),
        Column(title="deals", cells=deals, gives_way=1),
        Column(title="", cells=outcome, is_text=True),
    ]


def _outcome(tie: Tie, place: int, *, is_final: bool) -> str:
    if tie.rule == "open":
        return _RULES["open"] if place == 0 else ""
    if place >= tie.goes:
        return "withdrawn" if tie.rule == "withdrawn" else "" if is_final else "out"
    return f"{'wins' if is_final else 'goes on'}, {_RULES[tie.rule]}"


def _range(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
