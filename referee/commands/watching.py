"""Who watches a run that is played: the person at the terminal, and the machines that want to be told."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from referee import __version__
from referee.commands.forecast import Estimate, Pace
from referee.commands.machines import Machines
from referee.commands.opening import PreparedRun
from referee.commands.progress import Leaders, StageLeaders, progress
from referee.competition.happenings import Begin, Player
from referee.competition.reporting import Reporter
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.plan.keys import commitment
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.dispatch import Watcher
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidSuspect


def leaders_of(run: PreparedRun) -> Leaders:
    """What says who leads the run."""
    facts, plan = run.facts, run.plan
    if facts.order == "places" and plan.grows:
        return StageLeaders(facts.rank_by, lambda number: plan.rounds[plan.round_of(number)], facts.stages)
    return Leaders(facts.rank_by, by_strength=facts.order != "means", ranked=facts.ranked)


@contextmanager
def watching(run: PreparedRun, store: Store, leaders: Leaders, estimate: Estimate, told: Machines) -> Iterator[Watcher]:
    """Whoever watches this run, for the duration of the block."""
    total = len(run.plan)
    if not told.listen:
        with progress(store.results(), total, leaders, Pace(estimate)) as shown:
            yield shown
        return
    told.go_on(store, total)
    pace = Pace(estimate)
    reporter = Reporter(told.put, store, pace.left_s, planned=total, played=len(store.numbers()))
    told.put(_begin(run, store, reporter.played, pace.left_s()))
    if told.replaces_words:
        yield _All(_Paced(pace), reporter)
        return
    with progress(store.results(), total, leaders, Pace(estimate)) as shown:
        yield _All(_Paced(pace), shown, reporter)


def _begin(run: PreparedRun, store: Store, played: int, left_s: float) -> Begin:
    bots = (Player(name=bot.name, owner=bot.owner, version=bot.version) for bot in run.facts.bots)
    return Begin(
        name=run.facts.name,
        golfref=__version__,
        store=str(store.path.absolute()),
        commitment=commitment(run.key),
        games=tuple(variant.name for variant in run.facts.variants),
        bots=tuple(bots),
        played=played,
        planned=len(run.plan),
        goes_on=not run.has_ended,
        left_s=round(left_s, 1),
    )


class _Paced:
    """Keeps the forecast for the machines current."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    def begun(self, fixture: PlannedMatch) -> None:
        self._pace.begun(fixture)

    def finished(self, result: Result) -> None:
        self._pace.finished(result.number)

    def voided(self, fixture: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        del attempt, reason, id_
        self._pace.voided(fixture.number)

    def suspected(self, suspect: VoidSuspect) -> None:
        pass

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        del drawn
        self._pace.grown(added)


class _All:
    """Tells several watchers, in their order."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def begun(self, fixture: PlannedMatch) -> None:
        for one in self._watchers:
            one.begun(fixture)

    def finished(self, result: Result) -> None:
        for one in self._watchers:
            one.finished(result)

    def voided(self, fixture: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        for one in self._watchers:
            one.voided(fixture, attempt, reason, id_)

    def suspected(self, suspect: VoidSuspect) -> None:
        for one in self._watchers:
            one.suspected(suspect)

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        for one in self._watchers:
            one.drawn(drawn, added)
