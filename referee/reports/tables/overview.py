"""The tables of a run one below the other, with their headings: an overview of all games, or all that there are."""

from collections.abc import Iterator, Sequence

from referee.reports.tables.by_game import by_game
from referee.reports.tables.crosstable import crosstable, crosstable_title
from referee.reports.tables.faults import faults_table
from referee.reports.tables.layout import Fitted, wider, wrapped
from referee.reports.tables.names import Names
from referee.reports.tables.rows import APART, FIGURES, PLACE, Figure, reasons, rows_table, without_matches
from referee.tournament.standings import Standings

MOST_PAGES = 4
"""How many pages of the crosstable an overview shows at most."""

ONLY_CHALLENGERS = (
    "only challengers are ranked: each table has one of them, so figures of other bots depend on them and are not "
    "compared"
)
"""What a gauntlet does not tell."""


def report(standings: Standings, width: int, more: Sequence[Figure] = (), *, full: bool = False) -> str:
    """Tables with headings, for a screen of `width` cells.

    The overview: the overall table, the bots by games where there are several and their means can be compared, the
    crosstable unless it takes many pages, and the faults if any. `full`: the whole crosstable, and a table for each of
    these games. `more` columns come after the first figure of the overall table.
    """
    if not standings.overall:
        return "No match has a result yet."
    return "\n\n".join(part for part in _parts(standings, width, more, full=full) if part)


def _parts(standings: Standings, width: int, more: Sequence[Figure], *, full: bool) -> Iterator[str]:
    names = Names((row.bot for row in standings.overall), width)
    games = Names(standings.variants, width)
    several = len(standings.variants) > 1
    has_means = standings.order != "ratings"
    only = "" if several else f" in {games(next(iter(standings.variants)))}"
    figures = figures_of(standings, more)
    shown = [rows_table(standings.overall, width, names, figures)]
    yield wrapped(heading(standings, only), width)
    yield shown[0].text
    yield _notes(standings, shown, width, names)
    if several and has_means:
        yield f"{figure_of(standings)} by game"
        yield from by_game(standings, width, names, games)
    for game, rows in standings.variants.items() if full and several and has_means else ():
        shown = [rows_table(rows, width, names)]
        yield f"{games(game)}\n\n{shown[0].text}"
        yield wider(shown, width)
    yield wrapped(crosstable_title(standings.rank_by), width)
    pages = crosstable(standings, width, names)
    if full or len(pages) <= MOST_PAGES:
        yield from pages
    else:
        yield wrapped(f"left out, since it takes {len(pages)} pages here: --full prints it, --json has it", width)
    if faults := faults_table({row.bot: row.faults for row in standings.overall}, width, names):
        yield f"Faults\n\n{faults}"


def figures_of(standings: Standings, more: Sequence[Figure] = ()) -> list[Figure]:
    """The figures of the overall table. `more` stand after the first one, or first where means cannot be compared."""
    if standings.order == "means":
        return [FIGURES[0], *more, *FIGURES[1:]]
    return [*[PLACE] * (standings.order == "places"), *more, *APART]


def _notes(standings: Standings, shown: list[Fitted], width: int, names: Names) -> str:
    """What stands below the overall table: why something is lacking, and what found no room."""
    lacking = reasons(standings.overall, width, names) if standings.order == "means" else ()
    notes = [wrapped(without_matches(standings.overall, names), width), wider(shown, width)]
    return "\n".join([*lacking, *filter(None, notes)])


def figure_of(standings: Standings) -> str:
    """What the tables by games tell."""
    return "Match points" if standings.rank_by == "match-points" else "Strokes a round"


def heading(standings: Standings, only: str = "") -> str:
    """What the overall table is ordered by. `only` names the game where there is but one."""
    figures = "; other figures are over different opponents, and do not rank"
    if standings.order != "means" and all(row.rank is None for row in standings.overall):
        return f"Figures{only}; bots met different opponents, and are not ranked by them"
    if standings.order == "places":
        return f"Places{only}, by how far each bot came{figures}"
    if standings.order == "ratings":
        return f"Standings{only}, by rating{figures}"
    return f"Standings{only}, by {standings.rank_by.replace('-', ' ')}"
