"""What watches a run that is played: the progress on the terminal, and the reporter of events."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from referee import __version__, wall_clock
from referee.commands.tournament.event_sink import EventSink
from referee.commands.tournament.forecast import Estimate, Pace
from referee.commands.tournament.prepare import PreparedRun
from referee.commands.tournament.progress import Leaders, progress
from referee.events.events import Begin, Player
from referee.events.reporter import Reporter
from referee.tournament.plan.keys import commitment
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.dispatch import Watcher
from referee.tournament.store.disk import Forecast, note_forecast
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidSuspect

NOTED_EVERY_S = 1.0
"""Seconds between two forecasts that are noted."""

LOOKED_EVERY_S = 10.0
"""Seconds between two looks at the bots' files."""


@contextmanager
def watchers(
    run: PreparedRun, store: Store, estimate: Estimate, sink: EventSink, look: Callable[[], None]
) -> Iterator[Watcher]:
    """The watcher of this run, for the duration of the block. It calls `look` now and then."""
    total, pace, config = len(run.plan), Pace(estimate), run.run_config
    leaders = Leaders(config.rank_by, ranked=config.ranked if config.order == "means" else ())
    reporters = list[Watcher]()
    if sink.is_used:
        sink.catch_up(store, total)
        played = len(store.numbers())
        sink.put(_begin(run, played, pace.left_s()))
        reporters.append(Reporter(sink.put, store, pace.left_s, planned=total, played=played))
    with progress(store.results(), total, leaders, pace) as first:
        yield _All(_Periodic(run, pace, look), first, *reporters)


def _begin(run: PreparedRun, played: int, left_s: float) -> Begin:
    bots = (Player(name=bot.name, owner=bot.owner, version=bot.version) for bot in run.run_config.bots)
    return Begin(
        name=run.run_config.name,
        golfref=__version__,
        store=str(run.path.absolute()),
        commitment=commitment(run.key),
        games=tuple(variant.name for variant in run.run_config.variants),
        bots=tuple(bots),
        played=played,
        planned=len(run.plan),
        goes_on=not run.has_ended,
        left_s=round(left_s, 1),
    )


class _Periodic:
    """Notes beside the store when the run probably ends, for other processes that look at it, and looks at the bots."""

    def __init__(self, run: PreparedRun, pace: Pace, look: Callable[[], None]) -> None:
        self._run, self._pace, self._look = run, pace, look
        self._looked_at = time.monotonic()
        self._most = run.most_matches or 0
        self._note()

    def _note(self) -> None:
        more = max(0, self._most - len(self._run.plan))
        at_s = wall_clock.now().timestamp() + self._pace.left_s(more)
        note_forecast(self._run.path, Forecast(at_s=at_s, is_most=more > 0))
        self._noted_at = time.monotonic()

    def look(self) -> None:
        """Note and look again if it is time."""
        if time.monotonic() - self._noted_at > NOTED_EVERY_S:
            self._note()
        if time.monotonic() - self._looked_at > LOOKED_EVERY_S:
            self._looked_at = time.monotonic()
            self._look()

    def drawn(self, drawn: Round | End) -> None:
        """The plan has grown, or has ended."""
        self._most = 0 if isinstance(drawn, End) else self._most
        self._note()


class _All:
    """Tells several watchers, in their order, and then does what is done now and then."""

    def __init__(self, periodic: _Periodic, *watchers: Watcher) -> None:
        self._periodic, self._watchers = periodic, watchers

    def begun(self, planned_match: PlannedMatch) -> None:
        for one in self._watchers:
            one.begun(planned_match)

    def finished(self, result: Result) -> None:
        for one in self._watchers:
            one.finished(result)
        self._periodic.look()

    def voided(self, planned_match: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        for one in self._watchers:
            one.voided(planned_match, attempt, reason, id_)

    def suspected(self, suspect: VoidSuspect) -> None:
        for one in self._watchers:
            one.suspected(suspect)

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        for one in self._watchers:
            one.drawn(drawn, added)
        self._periodic.drawn(drawn)
