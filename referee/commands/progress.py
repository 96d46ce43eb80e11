"""How a run goes, on stderr: a bar with the time left and the leaders so far, or plain lines without a terminal."""

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from referee.commands.console import say
from referee.tournament.plan.schedule import Fixture
from referee.tournament.results import Result
from referee.tournament.standings import RankBy, beaten_shares

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_EVERY_S = 5.0
"""Seconds between plain lines."""

REDRAW_S = 0.1
"""Seconds between two pictures of the bar."""

LEADERS = 3
"""Bots named as leading."""


class _Mean(Struct, gc=False):
    total: float = 0.0
    count: int = 0


class Board:
    """The running means of the figure that ranks, by bot, over all matches alike; cheap, and only for the eye."""

    def __init__(self, rank_by: RankBy) -> None:
        self._rank_by = rank_by
        self._means: dict[str, _Mean] = defaultdict(_Mean)

    def add(self, result: Result) -> None:
        """Count a match."""
        figures = beaten_shares(result.ranks) if self._rank_by == "match-points" else _strokes(result)
        for bot, figure in zip(result.bots, figures, strict=True):
            mean = self._means[bot]
            mean.total += figure
            mean.count += 1

    def leaders(self) -> str:
        """The best few with their figures."""
        means = {bot: mean.total / mean.count for bot, mean in self._means.items()}
        best = sorted(means, key=lambda bot: means[bot], reverse=self._rank_by == "match-points")
        return ", ".join(f"{bot} {means[bot]:.2f}" for bot in best[:LEADERS])


def _strokes(result: Result) -> list[float]:
    """By seat, the points of the card game a round, less the table's mean."""
    mean = sum(result.totals) / len(result.totals)
    return [(total - mean) / max(1, result.rounds) for total in result.totals]


class PlainProgress:
    """Progress in plain lines."""

    def __init__(self, board: Board, done: int, total: int) -> None:
        self._board, self._done, self._total = board, done, total
        self._begun_at, self._begun = time.monotonic(), done
        self._said_at = self._begun_at
        self._voided = 0

    def waiting(self) -> None:
        """Some seconds have gone by: say that it goes on, if no match has told it."""
        if self._done == self._begun and self._done < self._total:
            say(f"{self._done}/{self._total} matches")

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        self._board.add(result)
        self._done += 1
        now = time.monotonic()
        if now - self._said_at >= PLAIN_EVERY_S or self._done == self._total:
            self._said_at = now
            left_s = (now - self._begun_at) / (self._done - self._begun) * (self._total - self._done)
            voided = f", {self._voided} voided" if self._voided else ""
            leaders = self._board.leaders()
            say(f"{self._done}/{self._total} matches{voided}, {left_s:.0f} s left; leading: {leaders}")

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None:
        """A match was spoiled by the referee or its host."""
        self._voided += 1
        say(f"match {fixture.number} is void (attempt {attempt}), no bot's fault: {reason}")

    def stop(self) -> None:
        """Nothing more will come."""


class BarProgress(PlainProgress):
    """Progress as a bar."""

    def __init__(self, board: Board, done: int, total: int, bar: "Progress") -> None:
        super().__init__(board, done, total)
        self._bar = bar
        self._task: TaskID = bar.add_task("", total=total, completed=done, leaders="")

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        self._board.add(result)
        self._bar.update(self._task, advance=1, leaders=self._board.leaders())
        now = time.monotonic()
        if now - self._said_at >= REDRAW_S:
            self._said_at = now
            self._bar.refresh()

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None:
        """A match was spoiled by the referee or its host."""
        self._bar.console.print(
            f"match {fixture.number} is void (attempt {attempt}), no bot's fault: {reason}", markup=False
        )

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()


@contextmanager
def progress(results: Iterable[Result], total: int, rank_by: RankBy) -> Iterator[PlainProgress]:
    """A watcher for a run of `total` matches, of which `results` are there already."""
    board = Board(rank_by)
    done = 0
    for result in results:
        board.add(result)
        done += 1
    if not sys.stderr.isatty():
        lines = PlainProgress(board, done, total)
        # The one time that a thread of its own speaks: while the first matches last, nothing else comes by here.
        timer = threading.Timer(PLAIN_EVERY_S, lines.waiting)
        timer.daemon = True
        timer.start()
        try:
            yield lines
        finally:
            timer.cancel()
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, and only a terminal needs it
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    leaders = TextColumn("leading: {task.fields[leaders]}", markup=False)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), leaders)
    # Drawn by us, not by a thread of its own, which would stand in the way while slaps are timed.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        yield BarProgress(board, done, total, bar)
