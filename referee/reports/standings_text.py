"""The standings of a run as one text, for a terminal or for a file."""

from pathlib import Path

from protocol.text import printable
from referee.reports.provenance import provenance
from referee.reports.tables.bot_tables import bots_table, columns_of, more_columns, owners_table, report, standings_of
from referee.reports.tables.layout import Names, fitted, wrapped
from referee.reports.tables.stage_tables import level_columns, stages_report, tie_rows
from referee.reports.verdict import commands_to_read_on, how_far, verdict
from referee.tournament.summary import RunSummary

MOST_BRIEF = 8
"""How many bots a brief table has at most."""


def tables_of(summary: RunSummary, width: int, *, full: bool) -> str:
    """All tables of a run, for so many cells."""
    tables = report(standings_of(summary), width, more_columns(summary), full=full)
    return "\n\n".join([*stages_report(summary.stages, width), tables, *owners_table(summary, width)])


def one_screen(summary: RunSummary, store: Path, width: int, left: str) -> list[str]:
    """The first bots, or the last round of a bracket, and the verdict: lines for a screen of 24."""
    rows, level = summary.standings[:MOST_BRIEF], summary.stages[-1].levels[-1:] if summary.stages else ()
    names = Names([*(row.bot for row in summary.standings), *(bot for one in level for bot in one.bots)], width)
    lines = [f"{printable(summary.name, width)}: {how_far(summary)}", ""]
    if level and len(ties := tie_rows(level[0])) <= MOST_BRIEF:
        lines += [
            level[0].title.capitalize(),
            *fitted(level_columns(level[0], names), ties, width).text.splitlines(),
            "",
        ]
    elif rows:
        columns = columns_of(standings_of(summary), more_columns(summary))
        lines += bots_table(rows, width, names, columns).text.splitlines()
        lines += [f"and {len(summary.standings) - len(rows)} more"] * (len(summary.standings) > len(rows)) + [""]
    lines += [part for line in verdict(summary, width, left) for part in wrapped(line, width).splitlines()]
    return [*lines, *(f"  {command}" for command in commands_to_read_on(summary, store))]


def standings_text(summary: RunSummary, store: Path, width: int) -> str:
    """What `golfref standings --full` prints of a run on its standard output: tables, where they come from, verdict."""
    lines = [wrapped(line, width) for line in (*provenance(summary), "", *verdict(summary, width))]
    commands = [f"  {command}" for command in commands_to_read_on(summary, store)]
    return "\n".join([tables_of(summary, width, full=True), "", *lines, *commands, ""])
