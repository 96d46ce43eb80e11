"""All tables of a run one below the other, with their headings."""

from collections.abc import Sequence

from referee.reports.tables.crosstable import crosstable, crosstable_title
from referee.reports.tables.faults import faults_table
from referee.reports.tables.layout import wider, wrapped
from referee.reports.tables.names import Names
from referee.reports.tables.rows import FIGURES, Figure, rows_table
from referee.tournament.standings import Standings


def report(standings: Standings, width: int, more: Sequence[Figure] = ()) -> str:
    """All tables with headings: overall, one for each of several variants, the crosstable, and the faults if any.

    `more` columns come after the first figure of the overall table.
    """
    if not standings.overall:
        return "No match has a result yet."
    names = Names((row.bot for row in standings.overall), width)
    games = Names(standings.variants, width)
    variants = list(standings.variants.items())
    only = f" in {games(variants[0][0])}" if len(variants) == 1 else ""
    shown = [rows_table(standings.overall, width, names, [FIGURES[0], *more, *FIGURES[1:]])]
    parts = [f"Standings{only}, by {standings.rank_by.replace('-', ' ')}\n\n{shown[0].text}"]
    for name, rows in variants if len(variants) > 1 else []:
        shown.append(rows_table(rows, width, names))
        parts.append(f"{games(name)}\n\n{shown[-1].text}")
    parts += [note for note in [wider(shown, width)] if note]
    parts.append(
        "\n\n".join([wrapped(crosstable_title(standings.rank_by), width), *crosstable(standings, width, names)])
    )
    if faults := faults_table({row.bot: row.faults for row in standings.overall}, width, names):
        parts.append(f"Faults\n\n{faults}")
    return "\n\n".join(parts)
