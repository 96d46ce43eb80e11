"""Standings as plain text tables for a terminal. Shows what tournament/standings.py computed."""

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from msgspec import Struct
from tabulate import tabulate

from protocol.messages import FaultKind
from protocol.text import printable
from referee.tournament.standings import BotStanding, Encounter, RankBy, Standings

NAME_LIMIT = 32
"""How many characters of a name a table shows."""

CROSSTABLE_LIMIT = 12
"""How many bots, from the top of the standings, the crosstable shows; more columns fit no terminal."""


def report(standings: Standings) -> str:
    """All tables with headings: overall, one for each of several variants, the crosstable, and the faults if any."""
    if not standings.overall:
        return "No match has a result yet."
    variants = list(standings.variants.items())
    only = f" in {printable(variants[0][0], NAME_LIMIT)}" if len(variants) == 1 else ""
    parts = [f"Standings{only}, by {standings.rank_by.replace('-', ' ')}\n\n{rows_table(standings.overall)}"]
    if len(variants) > 1:
        parts += [f"{printable(name, NAME_LIMIT)}\n\n{rows_table(rows)}" for name, rows in variants]
    parts.append(f"{_crosstable_title(standings)}\n\n{crosstable(standings)}")
    if faults := faults_table({row.bot: row.faults for row in standings.overall}):
        parts.append(f"Faults\n\n{faults}")
    return "\n\n".join(parts)


def rows_table(rows: Sequence[BotStanding], columns: "Sequence[Column] | None" = None) -> str:
    """A table with a line for each bot. What is optional, such as forfeits, has a column where some bot has any.

    Without `columns` it has those of a tournament.
    """
    columns = [
        column for column in columns or COLUMNS if not column.optional or any(column.cell(row) != "0" for row in rows)
    ]
    return plain_table(
        [column.title for column in columns],
        [[column.cell(row) for column in columns] for row in rows],
        text_columns={1},
    )


def crosstable(standings: Standings) -> str:
    """How the row's bot did against the column's, in the figure that ranks. Columns are numbered as the rows are."""
    bots = list(standings.crosstable)[:CROSSTABLE_LIMIT]
    lines = []
    for number, bot in enumerate(bots, 1):
        met = standings.crosstable[bot]
        cells = [_encounter(met[other], standings.rank_by) if other in met else "" for other in bots]
        lines.append([str(number), printable(bot, NAME_LIMIT), *cells])
    return plain_table(["#", "bot", *(str(number) for number in range(1, len(bots) + 1))], lines, text_columns={1})


def faults_table(faults: Mapping[str, Mapping[str, int]]) -> str:
    """The bots that were at fault, and how often in each way. The empty string where nobody was."""
    guilty = {bot: counts for bot, counts in faults.items() if any(counts.values())}
    if not guilty:
        return ""
    kinds = [kind for kind in get_args(FaultKind) if any(counts.get(kind) for counts in guilty.values())]
    lines = [
        [printable(bot, NAME_LIMIT), *(str(counts.get(kind, 0)) for kind in kinds)] for bot, counts in guilty.items()
    ]
    return plain_table(["bot", *(kind.replace("_", " ") for kind in kinds)], lines, text_columns={0})


def match_points(row: BotStanding) -> str:
    """The mean and 1.96 standard errors, as `0.712 ± 0.034`, or the mean alone where there is no standard error."""
    error = row.match_points_stderr
    return f"{row.match_points:.3f}" + ("" if error is None else f" ± {1.96 * error:.3f}")


def strokes(row: BotStanding) -> str:
    """The mean and 1.96 standard errors, as `-1.42 ± 0.20`, or the mean alone where there is no standard error."""
    error = row.strokes_stderr
    return f"{row.strokes:+z.2f}" + ("" if error is None else f" ± {1.96 * error:.2f}")


def idle_cpu(row: BotStanding) -> str:
    """What the bot computed outside its turns, as `1.3 s`; `0` where it is less than 50 ms."""
    return f"{row.idle_cpu_ms / 1000:.1f} s" if row.idle_cpu_ms >= 50 else "0"


class Column(Struct, frozen=True):
    """A column of a table of standings; an optional one is left out where all its cells are `0`."""

    title: str
    cell: Callable[[BotStanding], str]
    optional: bool = False


COLUMNS = (
    Column("rank", lambda row: str(row.rank)),
    Column("bot", lambda row: printable(row.bot, NAME_LIMIT)),
    Column("match points", match_points),
    Column("strokes", strokes),
    Column("matches", lambda row: str(row.matches)),
    Column("rounds", lambda row: str(row.rounds)),
    Column("firsts", lambda row: str(row.firsts)),
    Column("forfeits", lambda row: str(row.forfeits), optional=True),
    Column("faults", lambda row: str(sum(row.faults.values())), optional=True),
    Column("late slaps", lambda row: str(row.late_slaps), optional=True),
    Column("idle CPU", idle_cpu, optional=True),
)


def _crosstable_title(standings: Standings) -> str:
    figure = "Match points" if standings.rank_by == "match-points" else "Strokes a round"
    bots = len(standings.crosstable)
    part = f" (the first {CROSSTABLE_LIMIT} of {bots}; --json has all)" if bots > CROSSTABLE_LIMIT else ""
    return f"{figure}, the row's bot against the column's{part}"


def _encounter(encounter: Encounter, rank_by: RankBy) -> str:
    return f"{encounter.match_points:.3f}" if rank_by == "match-points" else f"{encounter.strokes:+z.2f}"


def plain_table(titles: Sequence[str], lines: Sequence[Sequence[str]], *, text_columns: set[int]) -> str:
    """A table for a terminal, with numbers to the right; `text_columns` counts from 0."""
    align = ["left" if index in text_columns else "right" for index in range(len(titles))]
    # Without disable_numparse a bot named 1e3 would be shown as 1000.
    return tabulate(lines, headers=titles, colalign=align, disable_numparse=True)
