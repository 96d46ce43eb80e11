"""The table of standings: a line for each bot."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from referee.reports.tables.layout import Column, Fitted, fitted
from referee.reports.tables.names import Names
from referee.tournament.standings import BotStanding, Interval


class Figure(Struct, frozen=True, kw_only=True):
    """What a column of a table of standings tells of each bot."""

    title: str
    cell: Callable[[BotStanding], str]
    optional: bool = False
    """Whether it is left out where all its cells are `0`."""
    gives_way: int = 0
    """As a column's."""


def rows_table(
    rows: Sequence[BotStanding], width: int, names: Names, figures: "Sequence[Figure] | None" = None
) -> Fitted:
    """A table with a line for each bot: its rank, its name, and these figures, or those of a tournament."""
    columns = [
        Column(title="rank", cells=["-" if row.rank is None else str(row.rank) for row in rows]),
        Column(title="bot", cells=[names(row.bot) for row in rows], is_text=True),
    ]
    for figure in figures or FIGURES:
        shown = [figure.cell(row) for row in rows]
        if not figure.optional or any(cell != "0" for cell in shown):
            columns.append(Column(title=figure.title, cells=shown, gives_way=figure.gives_way))
    return fitted(columns, width)


def match_points(row: BotStanding) -> str:
    """The mean and its interval, as `0.712 [0.651, 0.766]`, or with `-` where there is no interval."""
    return f"{row.match_points:.3f} {_ends(row.match_points_interval, '.3f')}"


def strokes(row: BotStanding) -> str:
    """The mean and its interval, as `-1.42 [-1.62, -1.22]`, or with `-` where there is no interval."""
    return "-" if row.strokes is None else f"{row.strokes:+z.2f} {_ends(row.strokes_interval, '+z.2f')}"


def _ends(interval: Interval | None, digits: str) -> str:
    return "-" if interval is None else f"[{', '.join(f'{end:{digits}}' for end in interval)}]"


def idle_cpu(row: BotStanding) -> str:
    """What the bot computed outside its turns, as `1.3 s`; `0` where it is less than 50 ms."""
    return f"{row.idle_cpu_ms / 1000:.1f} s" if row.idle_cpu_ms >= 50 else "0"


FIGURES = (
    Figure(title="match points", cell=match_points),
    Figure(title="strokes", cell=strokes, gives_way=2),
    Figure(title="matches", cell=lambda row: str(row.matches), gives_way=4),
    Figure(title="rounds", cell=lambda row: str(row.rounds), gives_way=7),
    Figure(title="firsts", cell=lambda row: str(row.firsts), gives_way=6),
    Figure(title="forfeits", cell=lambda row: str(row.forfeits), optional=True, gives_way=3),
    Figure(title="faults", cell=lambda row: str(sum(row.faults.values())), optional=True, gives_way=1),
    Figure(title="late slaps", cell=lambda row: str(row.late_slaps), optional=True, gives_way=5),
    Figure(title="idle CPU", cell=idle_cpu, optional=True, gives_way=8),
)
"""Of these, `idle CPU` gives way first, then rounds, firsts, late slaps, matches, forfeits, strokes, and faults."""
