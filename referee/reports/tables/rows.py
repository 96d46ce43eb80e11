"""The table of standings: a line for each bot."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from referee.reports.tables.figures import signed, with_interval
from referee.reports.tables.layout import Column, Fitted, fitted, wrapped
from referee.reports.tables.names import Names
from referee.tournament.standings import BotStanding

MOST_REASONS = 3
"""If there are more reasons than this, they are told without the games to which they apply."""


class Figure(Struct, frozen=True, kw_only=True):
    """What a column of a table of standings tells of each bot."""

    title: str
    cell: Callable[[BotStanding], str]
    optional: bool = False
    """Whether it is left out where all its cells are `0` or `-`."""
    gives_way: int = 0
    """As a column's."""


def rows_table(
    rows: Sequence[BotStanding], width: int, names: Names, figures: "Sequence[Figure] | None" = None
) -> Fitted:
    """A table with a line for each bot: its rank, its name, and these figures, or those of a tournament."""
    columns = [
        Column(title="rank", cells=[rank(row) for row in rows]),
        Column(title="bot", cells=[names(row.bot) for row in rows], is_text=True),
    ]
    return fitted([*columns, *figure_columns(rows, figures)], width)


def figure_columns(rows: Sequence[BotStanding], figures: "Sequence[Figure] | None" = None) -> Iterator[Column]:
    """The columns of these figures, or of those of a tournament, without the optional ones that tell nothing."""
    for figure in figures or FIGURES:
        cells = [figure.cell(row) for row in rows]
        if not figure.optional or any(cell not in {"0", "-"} for cell in cells):
            yield Column(title=figure.title, cells=cells, gives_way=figure.gives_way)


def rank(row: BotStanding) -> str:
    """The rank, as `2`; `2-4` where these ranks are a tie as far as is known; `-` where the bot is not ranked."""
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank_from == row.rank_to else f"{row.rank_from}-{row.rank_to}"


def reasons(rows: Sequence[BotStanding], width: int, names: Names) -> Iterator[str]:
    """Why some bots have no rank or no interval, or a wide one: a line for each reason; not those without a match."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if not row.matches:
            continue
        if row.rank is None:
            by_reason.setdefault(("no rank", row.reason), []).append(names(row.bot))
        elif row.match_points_interval is None:
            by_reason.setdefault(("no interval", row.reason), []).append(names(row.bot))
    if len(by_reason) > MOST_REASONS:
        by_reason = _shorter(by_reason)
    for (lack, reason), bots in by_reason.items():
        some = "every bot" if len(bots) == len(rows) > 1 else ", ".join(bots)
        yield wrapped(f"{lack}: {some} ({reason})", width)


def without_matches(rows: Sequence[BotStanding], names: Callable[[str], str]) -> str:
    """Which bots have no match, in words; empty where all have one."""
    bots = [names(row.bot) for row in rows if not row.matches]
    return f"no matches: {', '.join(bots)}" if bots else ""


def _shorter(by_reason: Mapping[tuple[str, str], Sequence[str]]) -> dict[tuple[str, str], list[str]]:
    """The same reasons without the games that they name, so that bots share them."""
    found: dict[tuple[str, str], list[str]] = {}
    for (lack, reason), bots in by_reason.items():
        what, names_games, _ = reason.partition(" in ")
        told = f"{what} in some game; --json says in which" if names_games else what
        found.setdefault((lack, told), []).extend(bots)
    return found


def match_points(row: BotStanding) -> str:
    """The mean with its interval."""
    return with_interval(row.match_points, row.match_points_interval)


def strokes(row: BotStanding) -> str:
    """The mean with its interval; `-` where strokes of different games cannot be added."""
    return signed(row.strokes, row.strokes_interval)


def opponents(row: BotStanding) -> str:
    """The rating that a bot as strong as its opponents would have, in percent."""
    return "-" if row.opponents is None else f"{100 * row.opponents:.1f}"


def idle_cpu(row: BotStanding) -> str:
    """What the bot computed outside its turns, as `1.3 s`; `0` where it is less than 50 ms."""
    return f"{row.idle_cpu_ms / 1000:.1f} s" if row.idle_cpu_ms >= 50 else "0"


FIGURES = (
    Figure(title="match points", cell=match_points),
    Figure(title="strokes", cell=strokes, optional=True, gives_way=2),
    Figure(title="matches", cell=lambda row: str(row.matches), gives_way=4),
    Figure(title="rounds", cell=lambda row: str(row.rounds), gives_way=7),
    Figure(title="firsts", cell=lambda row: str(row.firsts), gives_way=6),
    Figure(title="forfeits", cell=lambda row: str(row.forfeits), optional=True, gives_way=3),
    Figure(title="faults", cell=lambda row: str(sum(row.faults.values())), optional=True, gives_way=1),
    Figure(title="late slaps", cell=lambda row: str(row.late_slaps), optional=True, gives_way=5),
    Figure(title="idle CPU", cell=idle_cpu, optional=True, gives_way=8),
)
"""Of these, `idle CPU` gives way first, then rounds, firsts, late slaps, matches, forfeits, strokes, and faults."""

PLACE = Figure(title="place", cell=lambda row: "-" if row.rank is None else str(row.rank))
"""How far a bot came, where that is the order."""

APART = (
    Figure(title="points", cell=lambda row: "-" if row.match_points is None else f"{row.match_points:.3f}"),
    Figure(
        title="opponents",
        cell=lambda row: "-" if row.opponents is None else f"{100 * row.opponents:.1f}",
        optional=True,
    ),
    *FIGURES[2:],
)
"""The figures where bots met different opponents on purpose: no means with intervals, which nobody could compare."""
