"""How a run goes, on stderr: a bar with the time left and the leaders so far, or plain lines without a terminal."""

import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING

from msgspec import Struct

from protocol.text import printable
from referee.commands.console import say, screen_width
from referee.commands.tournament.forecast import Pace
from referee.reports.tables.figures import duration
from referee.reports.tables.layout import LONGEST, SHORTEST, cells, shortened
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result, beaten_shares
from referee.tournament.standings import RankBy
from referee.tournament.store.words import drawn_in_words
from referee.tournament.voids import TO_WITHDRAW, VoidSuspect

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

PLAIN_EVERY_S = 5.0
"""Seconds between plain lines."""

LONGEST_LINE = 300
"""How many characters of what was drawn are shown."""

REDRAW_S = 0.1
"""Seconds between two pictures of the bar."""

LEADERS_SHOWN = 3
"""How many bots are named as leading."""

BAR_WIDTH = 12
"""Cells of the bar."""

COUNTS_WIDTH = 34
"""Cells of a line that the number of matches and the time left take with the gaps between them."""


class _Mean(Struct, gc=False):
    total: float = 0.0
    count: int = 0


class Leaders:
    """By bot, the mean over all matches of the figure that ranks: cheap, and only for the eye."""

    def __init__(self, rank_by: RankBy, *, ranked: Collection[str] | None = None) -> None:
        """`ranked` are those that can lead: the challengers of a gauntlet; nobody where means do not rank; or all."""
        self.matches = 0
        self._rank_by, self._ranked = rank_by, ranked
        self._means: dict[str, _Mean] = defaultdict(_Mean)

    def add(self, result: Result) -> None:
        """Count a match."""
        self.matches += 1
        figures = beaten_shares(result.ranks) if self._rank_by == "match-points" else _strokes(result)
        for bot, figure in zip(result.bots, figures, strict=True):
            if self._ranked is None or bot in self._ranked:
                mean = self._means[bot]
                mean.total += figure
                mean.count += 1

    def words(self, room: int) -> str:
        """The best few with their figures, as many as fit into so many cells; empty where nobody leads."""
        means = {bot: mean.total / mean.count for bot, mean in self._means.items()}
        best = sorted(means, key=lambda bot: means[bot], reverse=self._rank_by == "match-points")
        text = ""
        for shown, limit in product(range(LEADERS_SHOWN if best else 0, 0, -1), range(LONGEST, SHORTEST - 1, -2)):
            text = "leading: " + ", ".join(f"{shortened(bot, limit)} {means[bot]:.2f}" for bot in best[:shown])
            if cells(text) <= room:
                break
        return text


def _strokes(result: Result) -> list[float]:
    """The points of the card game a round, less the table's mean, by seat."""
    mean = sum(result.totals) / len(result.totals)
    return [(total - mean) / max(1, result.rounds) for total in result.totals]


class ProgressState(Struct, frozen=True, kw_only=True):
    """What there is to show of a run."""

    done: int
    """How many matches are there."""
    total: int
    """How many matches the plan has."""
    voided: int
    """How often a match was spoiled in this session."""
    left: str
    """The time left, in words."""
    leaders: str


class LineDisplay:
    """Shows progress in plain lines."""

    every_s = PLAIN_EVERY_S

    @property
    def room(self) -> int:
        """How many cells a line has for the leaders."""
        return screen_width() - COUNTS_WIDTH

    def begin(self, state: ProgressState) -> None:
        """Show what is there before the first match of this session ends."""
        if 0 < state.done < state.total:
            self.show(state)

    def show(self, state: ProgressState) -> None:
        """Show how far the run is."""
        voided = f", {state.voided} voided" if state.voided else ""
        left = f", {state.left}" if state.done < state.total else ""
        say(f"{state.done}/{state.total} matches{voided}{left}{state.leaders and f'; {state.leaders}'}")

    def say(self, line: str) -> None:
        """Tell something that happened."""
        say(line)


class BarDisplay:
    """Shows progress as a bar."""

    every_s = REDRAW_S

    def __init__(self, bar: "Progress") -> None:
        self._bar = bar

    @property
    def room(self) -> int:
        """How many cells a line has for the leaders."""
        return self._bar.console.width - BAR_WIDTH - COUNTS_WIDTH

    def begin(self, state: ProgressState) -> None:
        """Show what is there before the first match of this session ends."""
        self._bar.add_task("", total=state.total, completed=state.done, left=state.left, leaders=state.leaders)
        self._bar.refresh()

    def show(self, state: ProgressState) -> None:
        """Show how far the run is."""
        (task,) = self._bar.task_ids
        self._bar.update(task, total=state.total, completed=state.done, left=state.left, leaders=state.leaders)
        self._bar.refresh()

    def say(self, line: str) -> None:
        """Tell something that happened, above the bar."""
        self._bar.console.print(line, markup=False, highlight=False)


class RunProgress:
    """Watches a run of `total` matches, of which the leaders have counted those that are there already."""

    def __init__(
        self,
        display: LineDisplay | BarDisplay,
        leaders: Leaders,
        pace: Pace,
        *,
        total: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._display, self._leaders, self._pace, self._total, self._clock = display, leaders, pace, total, clock
        self._had = leaders.matches
        self._voided = 0
        self._shown_at = clock()
        display.begin(self._state())

    def waiting(self) -> None:
        """Say that the run goes on, if no match has ended so far. Called once, after some seconds."""
        if self._leaders.matches == self._had < self._total:
            self._display.say(f"{self._had}/{self._total} matches so far; {self._left()}")

    def begun(self, planned_match: PlannedMatch) -> None:
        """A match is played from now on."""
        self._pace.begun(planned_match)

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        self._leaders.add(result)
        self._pace.finished(result.number)
        now = self._clock()
        if now - self._shown_at >= self._display.every_s or self._leaders.matches == self._total:
            self._shown_at = now
            self._display.show(self._state())

    def voided(self, planned_match: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        """A match was spoiled by the referee or its host."""
        del id_
        self._pace.voided(planned_match.number)
        self._voided += 1
        self._display.say(f"match {planned_match.number} is void (attempt {attempt}), no bot's fault: {reason}")

    def suspected(self, suspect: VoidSuspect) -> None:
        """The presence of a bot alone explains the voids at which it sat."""
        self._display.say(f"WARNING: {suspect.in_words()}; {TO_WITHDRAW}")

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        """The plan has grown by a round, of which `added` tells by variant how many matches it has, or has ended."""
        self._pace.grown(added)
        self._total += sum(added.values())
        known = [drawn.known] if isinstance(drawn, Round) and drawn.known else []
        for line in (*known, drawn_in_words(drawn)):
            self._display.say(printable(line, LONGEST_LINE))

    def _state(self) -> ProgressState:
        return ProgressState(
            done=self._leaders.matches,
            total=self._total,
            voided=self._voided,
            left=self._left(),
            leaders=self._leaders.words(self._display.room),
        )

    def _left(self) -> str:
        return f"about {duration(self._pace.left_s())} left"


@contextmanager
def progress(results: Iterable[Result], total: int, leaders: Leaders, pace: Pace) -> Iterator[RunProgress]:
    """A watcher for a run of `total` matches, of which `results` are there already, but `leaders` knows none."""
    for result in results:
        leaders.add(result)
    if sys.stderr.isatty():
        from rich.console import Console  # noqa: PLC0415 - slow to import, and only a terminal needs it

        with make_bar(Console(stderr=True)) as bar:
            yield RunProgress(BarDisplay(bar), leaders, pace, total=total)
        return
    shown = RunProgress(LineDisplay(), leaders, pace, total=total)
    # This is the only message from another thread: until a first match ends, nothing else calls the display.
    timer = threading.Timer(PLAIN_EVERY_S, shown.waiting)
    timer.daemon = True
    timer.start()
    try:
        yield shown
    finally:
        timer.cancel()


def make_bar(console: "Console") -> "Progress":
    """A bar on this console. It vanishes when it is left."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415 - as above

    texts = (TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("left", "leaders"))
    # We draw it ourselves: a thread of its own would stand in the way while slaps are timed.
    return Progress(
        BarColumn(BAR_WIDTH), MofNCompleteColumn(), *texts, console=console, transient=True, auto_refresh=False
    )
