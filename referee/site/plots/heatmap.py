"""The heat map of bots by games: how well each bot did in each game, as colours with the figures in them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from referee.reports.tables.layout import Names
from referee.site.plots.common import MARGIN, NOTE_SIZE, Frame, NothingToDraw, count_of, is_phone, names_for, widest
from referee.site.plots.drawing import BLACK, INK, PAPER, WIDE, Drawing, ink_on, shade
from referee.tournament.standings import BotStanding
from referee.tournament.summary import RunSummary

ROW = 22.0
CELL, LEAST_CELL = 48.0, 30.0
"""How many pixels wide a cell is at most and at least."""

SHADES = 32
"""How many colours there are."""

LONGEST_GAME = 130.0
"""How many pixels the name of a game gets above its column."""


class _Table(Struct, frozen=True, kw_only=True):
    """What is drawn."""

    bots: tuple[str, ...]
    games: tuple[str, ...]
    figures: Mapping[tuple[str, str], float]
    """By bot and game. A bot that has not played a game has none."""
    shares: Mapping[tuple[str, str], float]
    """The same from 0, the worst, to 1, the best."""
    best: frozenset[tuple[str, str]]
    """The best of each game."""
    form: str

    def ground(self, bot: str, game: str) -> str:
        """The colour of a cell."""
        return shade(round(self.shares[bot, game] * (SHADES - 1)) / (SHADES - 1))


def heatmap(summary: RunSummary, width: int = WIDE) -> bytes:
    """The figure that ranks of every bot in every game, as an SVG picture. Raises NothingToDraw."""
    table = _table(summary)
    if not table.figures:
        raise NothingToDraw("no match counts yet, so there is no heat map to draw")
    frame = Frame(
        name="heatmap",
        title=f"{summary.name}: every bot in every game",
        note=f"{_figure_in_words(summary)} Brighter is better. A frame is around the best of each game.",
        description=_description(summary, table),
        width=width,
    )
    return _drawn(frame, table)


def _table(summary: RunSummary) -> _Table:
    bots = tuple(row.bot for row in summary.standings)
    figures = {
        (row.bot, game): figure
        for game, rows in summary.variants.items()
        for row in rows
        if (figure := _figure(summary, row)) is not None
    }
    by_strokes = summary.rank_by == "strokes"
    most = max(map(abs, figures.values()), default=0.0) or 1.0
    shares = {place: 0.5 - figure / most / 2 if by_strokes else figure for place, figure in figures.items()}
    best = {
        (bot, game)
        for game in summary.variants
        if (top := max((share for (_, other), share in shares.items() if other == game), default=None)) is not None
        for bot in bots
        if shares.get((bot, game)) == top
    }
    return _Table(
        bots=bots,
        games=tuple(summary.variants),
        figures=figures,
        shares=shares,
        best=frozenset(best),
        form="+.1f" if by_strokes else ".2f",
    )


def _figure(summary: RunSummary, row: BotStanding) -> float | None:
    return row.strokes if summary.rank_by == "strokes" else row.match_points


def _figure_in_words(summary: RunSummary) -> str:
    if summary.rank_by == "strokes":
        return "Strokes a round, less the mean of the table; fewer are better."
    return "Match points: the share of the opponents at its table that a bot beat, from 0 to 1."


def _description(summary: RunSummary, table: _Table) -> str:
    size = f"{count_of(len(table.bots), 'bot')} in {count_of(len(table.games), 'game')}"
    best = "; ".join(
        f"{game}: {', '.join(bot for bot in table.bots if (bot, game) in table.best)}" for game in table.games
    )
    return f"A table of {size}. {_figure_in_words(summary)} The best of each game: {best}."


class _Grid(Struct, frozen=True, kw_only=True):
    """Where some of the columns stand."""

    games: tuple[str, ...]
    left: float
    """The left edge of the first cell in pixels, as `top` is its upper edge."""
    top: float
    cell: float
    """How wide a cell is."""

    def corner(self, x: int, y: int, inside: float = 0.0) -> str:
        """The way to the upper left corner of a cell, or to a point so far inside of it."""
        return f"M{self.left + x * self.cell + inside:.1f} {self.top + y * ROW + inside:.1f}"


def _drawn(frame: Frame, table: _Table) -> bytes:
    """The columns in as many bands below each other as it takes."""
    name_most = 90.0 if is_phone(frame.width) else 200.0
    names, games = names_for(table.bots, name_most), names_for(table.games, LONGEST_GAME, NOTE_SIZE)
    left = MARGIN + min(widest([names(bot) for bot in table.bots]), name_most) + 8
    head = min(widest([games(game) for game in table.games], NOTE_SIZE), LONGEST_GAME) + 8
    room = frame.width - MARGIN - left
    bands = -(-len(table.games) // int(room / LEAST_CELL))
    columns = -(-len(table.games) // bands)
    height = head + len(table.bots) * ROW + 14
    drawn = frame.drawing(bands * height)
    for band in range(bands):
        grid = _Grid(
            games=table.games[band * columns : (band + 1) * columns],
            left=left,
            top=frame.top + band * height + head,
            cell=min(CELL, room / columns),
        )
        _headings(drawn, grid, games, head - 8)
        _names(drawn, grid, table.bots, names)
        _cells(drawn, grid, table)
        _figures(drawn, grid, table)
        _frames(drawn, grid, table)
    return drawn.svg()


def _headings(drawn: Drawing, grid: _Grid, games: Names, room: float) -> None:
    drawn.group(font_size=NOTE_SIZE)
    for place, game in enumerate(grid.games):
        x, y = grid.left + (place + 0.5) * grid.cell + 4, grid.top - 6
        drawn.text(x, y, games(game), room=room, transform=f"rotate(-90 {x:.1f} {y:.1f})")


def _names(drawn: Drawing, grid: _Grid, bots: Sequence[str], names: Names) -> None:
    drawn.group(text_anchor="end")
    for place, bot in enumerate(bots):
        drawn.text(grid.left - 8, grid.top + place * ROW + 15, names(bot), room=grid.left - MARGIN - 8)


def _cells(drawn: Drawing, grid: _Grid, table: _Table) -> None:
    """All cells of a colour are one path, which keeps the file small."""
    cells: dict[str, list[str]] = defaultdict(list)
    for y, bot in enumerate(table.bots):
        for x, game in enumerate(grid.games):
            if (bot, game) in table.shares:
                cell = f"{grid.corner(x, y)}h{grid.cell:.1f}v{ROW:.0f}h-{grid.cell:.1f}z"
                cells[table.ground(bot, game)].append(cell)
    drawn.group()
    for ground, some in sorted(cells.items()):
        drawn.path("".join(some), fill=ground)


def _figures(drawn: Drawing, grid: _Grid, table: _Table) -> None:
    """The figures, row by row."""
    for y, bot in enumerate(table.bots):
        corner = f"translate({grid.left + grid.cell / 2:.1f} {grid.top + y * ROW:.1f})"
        drawn.group(font_size=NOTE_SIZE, text_anchor="middle", transform=corner)
        for x, game in enumerate(grid.games):
            if (figure := table.figures.get((bot, game))) is None:
                drawn.text(x * grid.cell, 15, "-")
            elif (ink := ink_on(table.ground(bot, game))) == BLACK:
                drawn.text(x * grid.cell, 15, format(figure, table.form))
            else:
                drawn.text(x * grid.cell, 15, format(figure, table.form), fill=ink)


def _frames(drawn: Drawing, grid: _Grid, table: _Table) -> None:
    """A frame around the best of each game, which shows on every ground."""
    way = "".join(
        f"{grid.corner(x, y, 2)}h{grid.cell - 4:.1f}v{ROW - 4:.0f}h-{grid.cell - 4:.1f}z"
        for y, bot in enumerate(table.bots)
        for x, game in enumerate(grid.games)
        if (bot, game) in table.best
    )
    drawn.group(fill="none")
    drawn.path(way, stroke=PAPER, stroke_width=3)
    drawn.path(way, stroke=INK, stroke_width=1.2)
