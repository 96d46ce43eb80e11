"""The standings of a run as machines are told them."""

from collections.abc import Sequence

from referee.competition.happenings import Place, Table
from referee.tournament.standings import BotStanding


def table_of(rows: Sequence[BotStanding], played: int, planned: int) -> Table:
    """The standings with these rows, in their order."""
    return Table(played=played, planned=planned, standings=tuple(map(_place, rows)))


def _place(row: BotStanding) -> Place:
    return Place(
        bot=row.bot,
        rank=row.rank,
        rank_from=row.rank_from,
        rank_to=row.rank_to,
        match_points=row.match_points,
        match_points_interval=row.match_points_interval,
        strokes=row.strokes,
        matches=row.matches,
        faults=sum(row.faults.values()),
    )
