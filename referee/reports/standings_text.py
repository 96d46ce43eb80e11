"""The standings of a run as one text, for a terminal or for a file."""

from pathlib import Path

from referee.reports.provenance import provenance
from referee.reports.tables.bot_tables import more_columns, report, standings_of
from referee.reports.tables.layout import wrapped
from referee.reports.tables.stage_tables import stages_report
from referee.reports.verdict import verdict
from referee.tournament.summary import RunSummary


def tables_of(summary: RunSummary, width: int, *, full: bool) -> str:
    """All tables of a run, for so many cells."""
    tables = report(standings_of(summary), width, more_columns(summary), full=full)
    return "\n\n".join([*stages_report(summary.stages, width), tables])


def standings_text(summary: RunSummary, store: Path, width: int) -> str:
    """What `golfref standings --full` prints of a run on its standard output: tables, where they come from, verdict."""
    *words, last = verdict(summary, store, width)
    lines = [wrapped(line, width) for line in (*provenance(summary), "", *words)]
    return "\n".join([tables_of(summary, width, full=True), "", *lines, last, ""])
