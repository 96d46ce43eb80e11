"""What place each bot has in a run with a knockout or several stages: by how far it came, not by means.

Bots meet different opponents there on purpose, so that their means cannot be compared.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.figures.blocks import table_of
from referee.tournament.figures.ratings import ratings_of
from referee.tournament.formats.knockout import Level, bracket, known_places
from referee.tournament.formats.knockout import places as places_of_bracket
from referee.tournament.formats.stages import entrants, ordered, results_of
from referee.tournament.formats.table import ranked_by
from referee.tournament.plan.rounds import DrawInput, Format, History
from referee.tournament.tally import standings_of


class StageRow(Struct, frozen=True, kw_only=True):
    """A bot in a stage."""

    rank: int
    """1 is best. Equal bots are in the order in which lots were drawn."""
    rank_from: int
    """The best rank that the bot can have by what is known in this stage."""
    rank_to: int
    """The worst one."""
    bot: str
    match_points: float | None
    """In a round-robin of all line-ups its mean match points in this stage, by which it is ranked there. None
    elsewhere, and without a match in the stage."""
    strength: float | None
    """In a Swiss or a sample of line-ups its strength among the bots of the stage, by which it is ranked there. None
    elsewhere, and without a match in the stage."""
    goes_on: bool
    """Whether it takes part in the next stage; while the stage is played, whether it would."""

    @property
    def has_match(self) -> bool:
        """Whether a match of the bot counts in this stage."""
        return self.match_points is not None or self.strength is not None


class StagePlaces(Struct, frozen=True, kw_only=True):
    """A stage that has begun, and how it stands or went."""

    number: int
    """From 1."""
    format: Format
    is_over: bool
    bots: tuple[StageRow, ...] = ()
    """The best first. Empty in a knockout."""
    is_cut_settled: bool | None = None
    """Whether all that go on are better than all others of the stage (p < 0.05, all pairs). None in the last stage."""
    levels: tuple[Level, ...] = ()
    """The rounds of the bracket. Empty but in a knockout."""


class FinalRanks(Struct, frozen=True, kw_only=True):
    """Who has which place, and what came of each stage."""

    ranks: Mapping[str, tuple[int, int, int]]
    """By bot its place by how far it came, and the best and the worst that it can have by what is known. Who was in no
    stage, or left one without a match, has none."""
    stages: tuple[StagePlaces, ...]


def places_of(field: DrawInput, past: History, *, is_playing: bool) -> FinalRanks:
    """The places in a run that is a knockout or has several stages.

    `is_playing` says that matches of the last round are still to be played, or that another round is to be drawn. Those
    who left in an earlier stage keep the order that it gave them.
    """
    last = past.rounds[-1].stage if past.rounds else 0
    stages = [_stage(field, past, number, is_over=number < last or not is_playing) for number in range(last + 1)]
    ranks: dict[str, tuple[int, int, int]] = {}
    names = [entrant.name for entrant in entrants(field, past, last)]
    final = stages[-1]
    if ranked_by(field.stages[last]) == "places":
        found = places_of_bracket(final.levels, names)
        known = known_places(final.levels, found)
        ranks |= {bot: (place, *known[bot]) for bot, (place, _) in found.items()}
    else:
        ranks |= {row.bot: (row.rank, row.rank_from, row.rank_to) for row in final.bots}
    for stage in reversed(stages[:-1]):
        ranks |= _with_those_who_left(stage, ranks)
    return FinalRanks(ranks=ranks, stages=tuple(stages))


def _with_those_who_left(
    stage: StagePlaces, ranks: Mapping[str, tuple[int, int, int]]
) -> dict[str, tuple[int, int, int]]:
    """The places of those who went on from a stage and of those who left in it, as far as they are known."""
    found: dict[str, tuple[int, int, int]] = {}
    went_on = len(ranks)
    for row in stage.bots:
        if (had := ranks.get(row.bot)) is not None:
            place, best, worst = had
            found[row.bot] = (place, best, max(worst, row.rank_to) if row.rank_to > went_on else worst)
        elif row.has_match:
            place = went_on + sum(bot not in ranks for bot in found) + 1
            found[row.bot] = (place, min(place, row.rank_from), max(place, row.rank_to))
    return found


def _stage(field: DrawInput, past: History, stage: int, *, is_over: bool) -> StagePlaces:
    rules = field.stages[stage]
    if ranked_by(rules) == "places":
        levels = bracket(field, past, stage=stage, is_playing=not is_over)
        return StagePlaces(number=stage + 1, format=rules.format, is_over=is_over, levels=tuple(levels))
    is_last = stage + 1 == len(field.stages)
    order, going = ordered(field, past, stage), []
    if not is_last and any(drawn.stage > stage for drawn in past.rounds):
        going = [entrant.name for entrant in entrants(field, past, stage + 1)]
    elif not is_last:
        going = order[: rules.advance]
    rows = _rows(field, past, stage, order, going)
    settled = None if is_last else all(row.rank_to <= len(going) for row in rows if row.goes_on)
    return StagePlaces(number=stage + 1, format=rules.format, is_over=is_over, bots=rows, is_cut_settled=settled)


def _rows(
    field: DrawInput, past: History, stage: int, order: Sequence[str], going: Sequence[str]
) -> tuple[StageRow, ...]:
    """The bots in this order. Those without a match come after all others, in an order that no result decides."""
    results = results_of(field, past, stage)
    played = {bot for result in results for bot in result.bots}.intersection(order)
    unknown = StageRow(
        rank=0, rank_from=len(played) + 1, rank_to=len(order), bot="", match_points=None, strength=None, goes_on=False
    )
    rows = {bot: replace(unknown, rank=rank, bot=bot, goes_on=bot in going) for rank, bot in enumerate(order, 1)}
    if ranked_by(field.stages[stage]) != "ratings":
        for row in standings_of(results).overall:
            best, worst = row.rank_from or 1, row.rank_to or len(played)
            rows[row.bot] = replace(rows[row.bot], rank_from=best, rank_to=worst, match_points=row.match_points)
    elif (ratings := ratings_of(table_of(results), order)) is not None:
        for one in ratings.bots:
            if one.rank_from is not None and one.rank_to is not None:
                best, worst = one.rank_from, one.rank_to
                rows[one.bot] = replace(rows[one.bot], rank_from=best, rank_to=worst, strength=one.strength)
    return tuple(rows.values())
