"""The crosstable: every bot against every other, on as many pages as it takes."""

from referee.reports.tables.figures import plus_minus, signed
from referee.reports.tables.layout import Column, pages
from referee.reports.tables.names import Names
from referee.tournament.standings import RankBy, Standings


def crosstable(standings: Standings, width: int, names: Names) -> list[str]:
    """Pages that tell how the row's bot did against the column's, in the figure that ranks.

    Columns are numbered as the rows are.
    """
    bots = list(standings.crosstable)
    fixed = [
        Column(title="#", cells=[str(number) for number in range(1, len(bots) + 1)]),
        Column(title="bot", cells=[names(bot) for bot in bots], is_text=True),
    ]
    columns = [
        Column(title=str(number), cells=[encounter(standings, bot, other) for bot in bots])
        for number, other in enumerate(bots, 1)
    ]
    return pages(fixed, columns, width)


def encounter(standings: Standings, bot: str, other: str) -> str:
    """How the bot did against the other, in the figure that ranks; the empty string where they have not met."""
    met = standings.crosstable[bot].get(other)
    if met is None:
        return ""
    if standings.rank_by == "strokes":
        return signed(met.strokes, met.strokes_interval)
    return plus_minus(met.match_points, met.match_points_interval)


def crosstable_title(rank_by: RankBy) -> str:
    """What the crosstable tells."""
    figure = "Match points" if rank_by == "match-points" else "Strokes a round"
    return f"{figure}, the row's bot against the column's"
