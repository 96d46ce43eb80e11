"""The crosstable: every bot against every other, on as many pages as it takes."""

from referee.reports.tables.figures import plus_minus, signed
from referee.reports.tables.layout import Column, pages
from referee.reports.tables.names import Names
from referee.tournament.standings import Encounter, RankBy, Standings


def crosstable(standings: Standings, width: int, names: Names) -> list[str]:
    """Pages that tell how the row's bot did against the column's, in the figure that ranks.

    Columns are numbered as the rows are.
    """
    bots, met = list(standings.crosstable), standings.crosstable
    fixed = [
        Column(title="#", cells=[str(number) for number in range(1, len(bots) + 1)]),
        Column(title="bot", cells=[names(bot) for bot in bots], is_text=True),
    ]
    columns = [
        Column(
            title=str(number),
            cells=[_encounter(met[bot][other], standings.rank_by) if other in met[bot] else "" for bot in bots],
        )
        for number, other in enumerate(bots, 1)
    ]
    return pages(fixed, columns, width)


def crosstable_title(rank_by: RankBy) -> str:
    """What the crosstable tells."""
    figure = "Match points" if rank_by == "match-points" else "Strokes a round"
    return f"{figure}, the row's bot against the column's"


def _encounter(encounter: Encounter, rank_by: RankBy) -> str:
    if rank_by == "strokes":
        return signed(encounter.strokes, encounter.strokes_interval)
    return plus_minus(encounter.match_points, encounter.match_points_interval)
