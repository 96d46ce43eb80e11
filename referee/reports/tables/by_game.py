"""The table of bots by games: the figure that ranks of each bot in each game, on as many pages as it takes."""

from referee.reports.tables.figures import plus_minus, signed
from referee.reports.tables.layout import Column, broken, pages
from referee.reports.tables.names import Names
from referee.tournament.standings import BotStanding, RankBy, Standings

TITLE_WIDTH = 10
"""How many cells wide the name of a game is at most before it is broken."""


def by_game(standings: Standings, width: int, bots: Names, games: Names) -> list[str]:
    """Pages with a line for each bot, in the order of the overall table, and a column for each game."""
    fixed = [Column(title="bot", cells=[bots(row.bot) for row in standings.overall], is_text=True)]
    columns = [
        Column(title=broken(games(game), TITLE_WIDTH), cells=cells) for game, cells in cells_by_game(standings).items()
    ]
    return pages(fixed, columns, width)


def cells_by_game(standings: Standings) -> dict[str, list[str]]:
    """By game the cells of its column, one for each bot in the order of the overall table; empty where it has none."""
    order = [row.bot for row in standings.overall]
    columns = {}
    for game, rows in standings.variants.items():
        cells = {row.bot: _figure(row, standings.rank_by) for row in rows}
        columns[game] = [cells.get(bot, "") for bot in order]
    return columns


def _figure(row: BotStanding, rank_by: RankBy) -> str:
    if rank_by == "strokes":
        return signed(row.strokes, row.strokes_interval)
    return plus_minus(row.match_points, row.match_points_interval)
