"""The screen that follows a run: who leads, the standings with their spread, the latest matches, any of them drawn.

On a wide terminal, such as a projector's, the matches stand beside the standings, else below them.
"""

import asyncio
from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Static

from protocol.text import printable
from referee.events.time_left import time_left
from referee.match_states.replay import Replay
from referee.reports.provenance import influences, void_suspects
from referee.reports.standings_text import tables_of
from referee.reports.tables.bot_tables import bots_table, by_game, columns_of, more_columns, standings_of
from referee.reports.tables.layout import Column, Names, wrapped
from referee.reports.verdict import winner
from referee.rules.record import BrokenRecord, NoRecord
from referee.terminal.screen.draw import Glyphs, Line, Piece
from referee.terminal.screen.pages import TextPage, key_of, styled
from referee.terminal.watch.run import RunNow, RunReader
from referee.terminal.watch.step import StepPage
from referee.tournament.standings import BotStanding
from referee.tournament.store.disk import StoreError
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.summary import RunSummary

POLL_INTERVAL_S = 0.5
"""Seconds between two looks at the store."""

WIDE = 150
"""From so many columns on the matches stand beside the standings."""

SPREADS = range(12, 61, 8)
"""How many cells the bars of the spread may take."""

HELP = """\
up, down      choose a match; End goes back to the latest one, and stays with it
Enter         draw the match that is chosen, step by step; q or Escape leads back here
Space         draw one match after another, from the chosen one on, as they are committed
s             all tables
q             leave; the run goes on
"""


class RunPage(Screen[None]):
    """Follows a run until the person leaves. The run does not notice."""

    def __init__(self, reader: RunReader, first: RunNow, signs: Glyphs) -> None:
        """`first` is the run at the beginning."""
        super().__init__()
        self.reader, self.now, self.signs = reader, first, signs
        self.was_over = first.is_over
        """Whether nothing was left to be played when it was first looked at."""
        self.chosen: int | None = None
        """The number of the match in `now.matches` that is chosen; None stays with the latest."""
        self._hint = ""

    def compose(self) -> ComposeResult:
        """The parts, from top to bottom."""
        yield Static(id="title", markup=False)
        yield Static(id="leader", markup=False)
        with Container(id="body"):
            yield Static(id="standings", markup=False)
            yield Static(id="matches", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Begin to look."""
        self.run_worker(self._follow(), exit_on_error=True)
        self.redraw()

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(POLL_INTERVAL_S)
            before = self.now
            try:
                self.now = await asyncio.to_thread(self.reader.look)
            except StoreError as error:
                self._hint = printable(str(error), 300)
                self.redraw()
            if self.now != before:
                self.redraw()

    def on_resize(self) -> None:
        """Fit everything into the new size."""
        self.redraw()

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Choose a match, draw it, or leave."""
        event.stop()
        event.prevent_default()
        key, self._hint = key_of(event), ""
        latest = len(self.now.matches) - 1
        moves = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -latest - 1}
        if key in {"q", "escape"}:
            self.app.exit()
        elif key in moves and latest >= 0:
            self.chosen = max(0, min(latest, self.selected + moves[key]))
        elif key == "end":
            self.chosen = None
        elif key in {"enter", "space"} and latest >= 0:
            self.draw(self.selected, goes_on=key == "space")
        elif key == "s":
            self.app.push_screen(TextPage(tables_of(self.now.summary, self.size.width, full=False)))
        elif key == "?":
            self.app.push_screen(TextPage(HELP))
        else:
            self._hint = f"{key} means nothing here"
        self.redraw()

    @property
    def selected(self) -> int:
        """The number of the match in `now.matches` that is chosen, or the latest one."""
        return len(self.now.matches) - 1 if self.chosen is None else self.chosen

    def draw(self, number: int, *, goes_on: bool) -> None:
        """Open the table of a match; with `goes_on` it shows itself, and then the matches after it."""
        try:
            replay = Replay(self.reader.record(self.now.matches[number]))
        except (StoreError, NoRecord, BrokenRecord, ValueError) as error:
            self._hint = printable(str(error), 300)
            return
        page = MatchPage(replay, _named(self.now.matches[number]), self.signs, lambda: self._after(number))
        self.app.push_screen(page)
        if goes_on:
            page.call_after_refresh(page.go_on)

    def _after(self, number: int) -> bool:
        """Draw the match after this one, if it has been committed; returns whether it has."""
        if number + 1 >= len(self.now.matches):
            return False
        self.app.pop_screen()
        self.draw(number + 1, goes_on=True)
        return True

    # Drawing

    def redraw(self) -> None:
        """Draw the run as it is now."""
        if not self.is_mounted:
            return
        now, width, height = self.now, self.size.width, self.size.height
        done = f"{len(now.matches):,} of {now.planned:,} matches"
        title = f" {printable(now.name, 40)}  {done}{self._state()}"
        self.query_one("#title", Static).update(title[:width].ljust(width))
        said = self._said(width)
        self.query_one("#leader", Static).update(styled([(), *((Piece(line, "strong"),) for line in said), ()]))
        left = max(5, height - len(said) - 5)
        is_wide = width >= WIDE
        self.query_one("#body").styles.layout = "horizontal" if is_wide else "vertical"
        table = self._table(width * 3 // 5) if is_wide else self._table(width)
        room = left if is_wide else max(4, left // 2 + 1)
        shown = table if len(table) <= room else [*table[: room - 1], f"... and {len(table) - room + 1} more"]
        games = self._by_game(width * 3 // 5) if is_wide else []
        if len(shown) + len(games) <= room:
            shown = [*shown, *games]
        standings = self.query_one("#standings", Static)
        standings.styles.width = max(map(len, shown)) + 4 if is_wide else "100%"
        standings.update(styled([(Piece(line),) for line in [*shown, *[""] * (not is_wide)]]))
        matches = self._matches(left if is_wide else max(1, left - len(shown) - 1))
        self.query_one("#matches", Static).update(styled(matches))
        self.query_one("#keys", Static).update(styled(self._keys()))

    def _said(self, width: int) -> list[str]:
        """Who leads or has won, with the round that is played, and whom that concerns."""
        summary = self.now.summary
        if not summary.standings:
            return ["no match has ended yet"]
        names = Names((row.bot for row in summary.standings), width)
        lines = [winner(summary, names), *void_suspects(summary, names), *influences(summary, names)]
        return [part for line in lines for part in wrapped(line, width).splitlines()]

    def _table(self, width: int) -> list[str]:
        """The table of `golfref standings` with the spreads as bars, as wide as there is room for."""
        summary = self.now.summary
        rows, names = summary.standings, Names((row.bot for row in summary.standings), width)
        if not rows:
            return [""]
        columns = columns_of(standings_of(summary), more_columns(summary))
        tables = (
            bots_table(rows, width, names, [*columns, spread_column(summary, cells, self.signs)]) for cells in SPREADS
        )
        best = next(tables)
        for table in tables:  # a wider bar must take no column's place
            if table.left_out != best.left_out:
                break
            best = table
        return best.text.splitlines()

    def _by_game(self, width: int) -> list[str]:
        """The first page of the table of games, with what stands above it; empty with one game."""
        standings = standings_of(self.now.summary)
        if len(standings.variants) < 2:
            return []
        bots, games = Names((row.bot for row in standings.overall), width), Names(standings.variants, width)
        return ["", "By game", "", *by_game(standings, width, bots, games)[0].splitlines()]

    def _state(self) -> str:
        now = self.now
        if now.is_over:
            return ": it was over when you came" if self.was_over else ": it is over"
        if now.is_played is None:
            return ""
        left = time_left(now.forecast)
        return (
            f", {left or 'being played'}"
            if now.is_played
            else ": nobody plays it now; `golfref tournament` goes on with it"
        )

    def _matches(self, room: int) -> list[Line]:
        """The latest matches, the last one at the bottom, or those around the chosen one."""
        matches, chosen = self.now.matches, self.selected
        last = min(len(matches), max(chosen + room // 2 + 1, room)) if self.chosen is not None else len(matches)
        lines: list[Line] = []
        for number in range(max(0, last - room), last):
            sign = ">" if number == chosen else " "
            text = f"{sign} {_named(matches[number])}: {_ended(matches[number])}"
            lines.append((Piece(printable(text, max(20, self.size.width)), "strong" if number == chosen else ""),))
        return lines

    def _keys(self) -> list[Line]:
        keys = "up down choose  Enter step through it  Space show all from here  s tables  ? q"
        return [(Piece(self._hint, "strong"),), (Piece(keys, "dim"),)]


class MatchPage(StepPage):
    """A match of the run. When it has shown itself to the end, the next one follows."""

    ends = "q back to the run"

    def __init__(self, replay: Replay, where: str, signs: Glyphs, show_next: Callable[[], bool]) -> None:
        """`show_next` puts the next match in place of this one, if it has been committed."""
        super().__init__(replay, where, signs)
        self._show_next = show_next

    def leave(self) -> None:
        """Go back to the run."""
        self.pause()
        self.app.pop_screen()

    def reached_end(self) -> None:
        """Go on with the next match, or wait for it."""
        if self._show_next():
            self.pause()


def spread_column(summary: RunSummary, cells: int, signs: Glyphs) -> Column[BotStanding]:
    """Bars of so many cells: the 95 % interval of the rating, or else of the match points, with the figure as a point.

    Where places rank, they are the places that the results leave open.
    """
    rated = {one.bot: (one.chance, one.chance_interval) for one in summary.ratings.bots} if summary.ratings else {}

    def bar(row: BotStanding) -> str:
        figure, interval = rated.get(row.bot, (row.match_points, row.match_points_interval))
        if summary.order == "places" and row.rank is not None:
            last = max(1, len(summary.standings) - 1)
            figure = (row.rank - 1) / last
            interval = ((row.rank_from or 1) - 1) / last, ((row.rank_to or last + 1) - 1) / last
        if figure is None:
            return "-"
        low, high = interval or (figure, figure)
        first, at, last_cell = (round(min(1, max(0, one)) * (cells - 1)) for one in (low, figure, high))
        between = signs.line * (last_cell - first + 1)
        line = " " * first + between
        return f"{line[:at]}{signs.point}{line[at + 1 :]}".ljust(cells)

    return Column("spread", bar, is_text=True, gives_way=1)


def _named(match: CommittedMatch) -> str:
    result = match.result
    return f"match {match.number} {result.variant}, deal {result.deal}, rotation {result.rotation}"


def _ended(match: CommittedMatch) -> str:
    """Who ended where, the best first."""
    result = match.result
    order = sorted(range(len(result.bots)), key=lambda seat: result.ranks[seat])
    return ", ".join(f"{result.bots[seat]} {result.totals[seat]}" for seat in order)
