"""How the games of `golfref match` are printed: each by itself, or what they come to together, with a bar meanwhile."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from protocol.messages import Clocks
from protocol.text import printable
from referee.commands.console import put, put_json, say, screen_width
from referee.reports.faults import FaultLog, explain, page_for_authors, read_on, stderr_start
from referee.reports.game_report import game_lines, game_report
from referee.rules.record import Record
from referee.tournament.series import Seating, Series

if TYPE_CHECKING:
    from referee.commands.match.games_bar import GamesBar

STDERR_LINES = 40
"""How many lines of standard error are shown of each bot and game, where several games are played."""


class Shown(Struct, frozen=True, kw_only=True):
    """What is played, and what is shown of it."""

    games: int
    """How many games are to be played."""
    bots: int
    rotates: bool
    verbose: bool
    as_json: bool
    show_stderr: bool
    record: Path | None
    """The file that keeps the records."""
    clocks: Clocks

    @property
    def shows_games(self) -> bool:
        """Whether each game is shown by itself."""
        return self.games == 1 or self.verbose


class GamePrinter:
    """Prints each game when it ends, as far as it is asked for, and in the end what several games come to."""

    def __init__(self, shown: Shown, bar: "GamesBar | None") -> None:
        self.was_at_fault = False
        """Whether a bot was at fault in any game."""
        self._shown, self._bar = shown, bar
        self._series = Series(seats=shown.bots, rotates=shown.rotates)
        self._log = FaultLog("game", "games")
        self._explained: dict[str, list[str]] = {}
        """By bot, why it was at fault or late in the first game in which it was."""
        self._writers: dict[int, _Writer] = {}
        """What was written to standard error without a fault and is not shown, by bot."""
        self._last_words: list[str] = []

    def print_game(self, seat: Seating, record: Record) -> None:
        """Print a game that has ended, and why a bot was at fault in it."""
        shown = self._shown
        result = self._series.add(seat, record)
        self.was_at_fault = self.was_at_fault or any(result.faults)
        self._log.note(seat.game, result.bots, result.faults)
        if shown.as_json:
            kept_in = None if shown.record is None else str(shown.record)
            put_json(msgspec.json.encode(game_report(seat, record, kept_in=kept_in, best=self._series.best)))
        elif shown.shows_games:
            which = [f"game {seat.game}: deal {seat.deal}, rotation {seat.rotation}"] if shown.games > 1 else []
            put(*which, *game_lines(seat, record, self._series.best, screen_width()))
        for number, bot in enumerate(record.seats):
            self._print_faults(seat, record, number)
            if bot.stderr and not bot.faults:
                self._print_stderr(seat, record, number)
        if self._bar is not None:
            self._bar.ended(result)

    def ends_with(self, *lines: str) -> None:
        """Say at the very end why not all games were played."""
        self._last_words += lines

    def print_summary(self) -> None:
        """Print what the games come to, where several were to be played, and the last words."""
        if self._shown.games > 1 and len(self._series):
            self._print_series()
            for bot, lines in self._explained.items():
                say(*lines)
                if bot in self._log.first:
                    say(f"bot {bot}: {self._log.in_words(bot)}")
        for writer in self._writers.values():
            say(*writer.lines(games=self._shown.games))
        say(*[page_for_authors()] * bool(self._log.first), *self._last_words)

    def _print_series(self) -> None:
        from referee.reports.series_report import SeriesLine, series_report  # noqa: PLC0415 - a single game has no standings
        from referee.tournament.series_summary import summary_of  # noqa: PLC0415

        summary = summary_of(self._series)
        if self._shown.as_json:
            put_json(msgspec.json.encode(SeriesLine(summary=summary)))
        else:
            put(series_report(summary, self._shown.clocks, screen_width()))

    def _print_faults(self, seat: Seating, record: Record, number: int) -> None:
        bot = record.seats[number].name
        if not self._shown.shows_games and bot in self._explained:
            return
        lines = list(explain(record, number, "" if self._shown.games == 1 else f"game {seat.game}"))
        if not lines:
            return
        lines.append(self._whole_conversation(seat, record, number))
        if self._shown.shows_games:
            say(*lines)
        else:
            self._explained[bot] = lines

    def _print_stderr(self, seat: Seating, record: Record, number: int) -> None:
        """Show what a bot without a fault wrote to standard error, or note that it wrote some."""
        bot, shown = record.seats[number], self._shown
        if not shown.show_stderr:
            writer = self._writers.setdefault(seat.order[number], _Writer(bot.name, seat.game, bot.stderr))
            writer.size += bot.stderr_bytes
            writer.games += 1
            return
        which = f"game {seat.game}, " if shown.games > 1 else ""
        most = STDERR_LINES if shown.games > 1 else sys.maxsize
        lines, left = stderr_start(bot.stderr, bot.stderr_bytes, most)
        say(printable(f"{which}seat {number} {bot.name}", 100), *lines)
        if left:
            say(f"  {left} lines more of it", self._whole_conversation(seat, record, number))

    def _whole_conversation(self, seat: Seating, record: Record, number: int) -> str:
        """How to see all that was said to a bot and by it, in words."""
        path = self._shown.record
        if path is None:
            seed = shlex.quote(record.seed)
            return f"  `--record FILE` keeps the whole conversation; `--seed {seed}` deals the same cards"
        return read_on(f"{path}:{seat.game}", number, record.seats[number].name)


class _Writer:
    """A bot that wrote to standard error, which is not shown."""

    def __init__(self, name: str, game: int, text: str) -> None:
        """`text` is what it wrote in the first game in which it did."""
        self.size = self.games = 0
        self._name, self._game, self._text = name, game, text

    def lines(self, games: int) -> list[str]:
        """That it wrote, and the first line of it; `games` were to be played."""
        lines, _ = stderr_start(self._text, self.size, 1)
        which = f"; the first line, in game {self._game}:" if games > 1 else "; the first line:"
        said = f"bot {self._name} wrote {self.size} bytes to standard error"
        return [printable(said, 200) + f" (--show-stderr shows it){which}", *lines[1:]]


@contextmanager
def game_printer(shown: Shown) -> Iterator[GamePrinter]:
    """What prints the games; at a terminal with a bar, where several are played and they are not shown themselves."""
    lines_show_it = shown.verbose or (shown.as_json and sys.stdout.isatty())
    if shown.games == 1 or lines_show_it or not sys.stderr.isatty():
        yield GamePrinter(shown, None)
        return
    from referee.commands.match.games_bar import games_bar  # noqa: PLC0415 - slow to import, and only a terminal needs it

    with games_bar(games=shown.games, bots=shown.bots) as bar:
        yield GamePrinter(shown, bar)
