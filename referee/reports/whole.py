"""The standings of a run as one text, for a terminal or for a file."""

from pathlib import Path

from referee.reports.provenance import provenance
from referee.reports.tables.bracket import stages_report
from referee.reports.tables.layout import wrapped
from referee.reports.tables.overview import report
from referee.reports.tables.ratings import rating_figure
from referee.reports.tables.rows import Figure
from referee.reports.tables.terms import terms_figure
from referee.reports.verdict import verdict
from referee.tournament.standings import Standings
from referee.tournament.summary import RunSummary


def standings_of_summary(summary: RunSummary) -> Standings:
    """The standings that a summary tells."""
    return Standings(
        rank_by=summary.rank_by,
        order=summary.order,
        overall=summary.standings,
        variants=summary.variants,
        crosstable=summary.crosstable,
    )


def tables_of(summary: RunSummary, width: int, *, full: bool) -> str:
    """All tables of a run, for so many cells."""
    standings = standings_of_summary(summary)
    tables = report(standings, width, more_figures(summary), full=full)
    return "\n\n".join([*stages_report(summary.stages, width), tables])


def more_figures(summary: RunSummary) -> list[Figure]:
    """The columns of the overall table that come from more than the standings."""
    return [*([rating_figure(summary.ratings)] if summary.ratings else []), terms_figure(summary)]


def standings_text(summary: RunSummary, store: Path, width: int) -> str:
    """What `golfref standings --full` prints of a run on its standard output: tables, where they come from, verdict."""
    *words, last = verdict(summary, store, width)
    lines = [wrapped(line, width) for line in (*provenance(summary), "", *words)]
    return "\n".join([tables_of(summary, width, full=True), "", *lines, last, ""])
