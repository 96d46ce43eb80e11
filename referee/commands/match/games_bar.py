"""The bar that shows at a terminal how far the games of a command are."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from referee.commands.tournament.progress import BarDisplay, Leaders, ProgressState, make_bar
from referee.reports.tables.figures import duration
from referee.tournament.results import Result


class GamesBar:
    """Shows at a terminal how many games have been played."""

    def __init__(self, display: BarDisplay, *, games: int, bots: int) -> None:
        self._display, self._total, self._bots = display, games, bots
        self._leaders = Leaders("match-points")
        self._done = 0
        self._begun_s = time.monotonic()
        display.begin(self._state("", ""))

    def ended(self, result: Result) -> None:
        """A game has ended."""
        self._done += 1
        if self._bots > 1:
            self._leaders.add(result)
        left_s = (time.monotonic() - self._begun_s) / self._done * (self._total - self._done)
        self._display.show(self._state(f"about {duration(left_s)} left", self._leaders.words(self._display.room)))

    def _state(self, left: str, leaders: str) -> ProgressState:
        return ProgressState(done=self._done, total=self._total, voided=0, left=left, leaders=leaders)


@contextmanager
def games_bar(*, games: int, bots: int) -> Iterator[GamesBar]:
    """A bar for so many games of so many bots, during the block."""
    with make_bar(Console(stderr=True)) as bar:
        yield GamesBar(BarDisplay(bar), games=games, bots=bots)
