"""What watches a run that is played: the progress on the terminal, and the reporter of events."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from referee import __version__
from referee.commands.tournament.event_sink import EventSink
from referee.commands.tournament.forecast import Estimate, Pace
from referee.commands.tournament.prepare import PreparedRun
from referee.commands.tournament.progress import Leaders, StageLeaders, progress
from referee.events.events import Begin, Player
from referee.events.reporter import Reporter
from referee.tournament.plan.keys import commitment
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.dispatch import Watcher
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidSuspect


def _leaders_of(run: PreparedRun) -> Leaders:
    """What says who leads the run."""
    config, plan = run.run_config, run.plan
    if config.order == "places" and plan.grows:
        return StageLeaders(config.rank_by, lambda number: plan.rounds[plan.round_of(number)], config.stages)
    return Leaders(config.rank_by, by_strength=config.order != "means", ranked=config.ranked)


@contextmanager
def watchers(run: PreparedRun, store: Store, estimate: Estimate, sink: EventSink) -> Iterator[Watcher]:
    """The watcher of this run, for the duration of the block."""
    total, pace, leaders = len(run.plan), Pace(estimate), _leaders_of(run)
    reporters = list[Watcher]()
    if sink.is_used:
        sink.catch_up(store, total)
        played = len(store.numbers())
        sink.put(_begin(run, played, pace.left_s()))
        reporters.append(Reporter(sink.put, store, pace.left_s, planned=total, played=played))
    with progress(store.results(), total, leaders, pace) as first:
        yield _All(first, *reporters)


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


class _All:
    """Tells several watchers, in their order."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def begun(self, planned_match: PlannedMatch) -> None:
        for one in self._watchers:
            one.begun(planned_match)

    def finished(self, result: Result) -> None:
        for one in self._watchers:
            one.finished(result)

    def voided(self, planned_match: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        for one in self._watchers:
            one.voided(planned_match, attempt, reason, id_)

    def suspected(self, suspect: VoidSuspect) -> None:
        for one in self._watchers:
            one.suspected(suspect)

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        for one in self._watchers:
            one.drawn(drawn, added)
