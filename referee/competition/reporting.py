"""Watches a run that is played, and tells what happens in it to whoever wants to know: hooks, and a progress file."""

import time
from collections.abc import Callable, Mapping
from operator import itemgetter

from referee.competition.happenings import (
    Drawn,
    Fault,
    Happening,
    Match,
    Progress,
    RoundsOver,
    Suspect,
    Void,
    safe,
)
from referee.competition.hook_cursor import Cursor
from referee.reports.blame import mishap_of, published_detail
from referee.rules.record import Mishap, NoRecord, Record, read_record
from referee.tournament.config.planned import MatchIdentities
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.plan.rounds import End as RoundsEnd
from referee.tournament.plan.rounds import Round
from referee.tournament.results import NOT_PLANNED, Result, beaten_shares
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import finder, plan_now
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidSuspect

PROGRESS_EVERY_S = 5.0
"""Seconds between two lines that tell how far the run is."""


class Reporter:
    """Watches a run, and puts its happenings."""

    def __init__(
        self,
        put: Callable[[Happening], None],
        store: Store,
        left_s: Callable[[], float],
        *,
        planned: int,
        played: int,
    ) -> None:
        """`left_s` forecasts how many seconds are left; `played` is how many results there are already."""
        self.played, self.planned = played, planned
        self._put, self._store, self._left_s = put, store, left_s
        self._voided = 0
        self._told_at = time.monotonic()

    def begun(self, fixture: PlannedMatch) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        self.played += 1
        self.tell(result, _record(self._store, result.commit) if any(result.faults) else None)
        if time.monotonic() - self._told_at >= PROGRESS_EVERY_S or self.played == self.planned:
            self._tell_progress()

    def tell(self, result: Result, record: Record | None) -> None:
        """Tell of a match and its faults; without the record, not what was wrong."""
        self._put(
            Match(
                match=number_in_plan(result),
                game=result.variant,
                bots=result.bots,
                match_points=beaten_shares(result.ranks),
                totals=result.totals,
                ranks=result.ranks,
                forfeited=result.forfeited,
                faults=result.faults,
                commit=result.commit,
                played=self.played,
                planned=self.planned,
            )
        )
        for seat, kinds in enumerate(result.faults):
            first = {} if record is None else _first_mishaps(record, seat)
            for kind, times in kinds.items():
                mishap = first.get(kind)
                self._put(
                    Fault(
                        match=number_in_plan(result),
                        game=result.variant,
                        bot=result.bots[seat],
                        kind=kind,
                        times=times,
                        detail=None if mishap is None else safe(published_detail(mishap)),
                        commit=result.commit,
                    )
                )

    def voided(self, fixture: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        """A match was spoiled by the referee or its host."""
        self._voided += 1
        self._put(void_of(fixture.number, fixture.variant, attempt, reason, id_))

    def suspected(self, suspect: VoidSuspect) -> None:
        """The presence of a bot alone explains the voids at which it sat."""
        self._put(Suspect(bot=suspect.bot, voided=suspect.voided, of=suspect.of))

    def drawn(self, drawn: Round | RoundsEnd, added: Mapping[str, int]) -> None:
        """The plan has grown by a round, of which `added` tells by variant how many matches it has, or has ended."""
        matches = sum(added.values())
        self.planned += matches
        if isinstance(drawn, Round):
            self._put(Drawn(title=safe(drawn.title), matches=matches))
        else:
            self._put(RoundsOver(reason=safe(drawn.reason)))

    def _tell_progress(self) -> None:
        self._told_at = time.monotonic()
        left_s = round(self._left_s(), 1)
        self._put(Progress(played=self.played, planned=self.planned, voided=self._voided, left_s=left_s))


def tell_again(put: Callable[[Happening], None], store: Store, planned: int, cursor: Cursor) -> None:
    """Put what has come into the store since this cursor, in the order of then. Raises StoreError."""
    lines = 0

    def put_rest(happening: Happening) -> None:
        nonlocal lines
        if isinstance(happening, Match | Fault) and happening.commit == cursor.commit:
            lines += 1
            if lines <= cursor.lines:
                return
        put(happening)

    results = list(store.results())
    before = sum(result.commit < cursor.commit for result in results)
    reporter = Reporter(put_rest, store, lambda: 0.0, planned=planned, played=before)
    retired = [row.result for row in store.retired()]
    missing: list[tuple[int, Result | Void]] = [
        (result.commit, result) for result in (*results, *retired) if result.commit >= cursor.commit
    ]
    voids = [(id_, row) for id_, row in store.voids() if id_ > cursor.void]
    if voids:
        number_of = finder(plan_now(store), MatchIdentities(store.meta().facts))
        missing += (
            (id_, void_of(number_of(row.identity), row.variant, row.attempt, row.reason, id_)) for id_, row in voids
        )
    for _, what in sorted(missing, key=itemgetter(0)):
        if isinstance(what, Void):
            put(what)
        elif what.number == NOT_PLANNED:
            reporter.tell(what, None)
        else:
            reporter.finished(what)


def number_in_plan(result: Result) -> int | None:
    """The number of a match in the plan; None where it is out of the standings."""
    return None if result.number == NOT_PLANNED else result.number


def void_of(number: int | None, game: str, attempt: int, reason: str, id_: int) -> Void:
    """What is told of a void."""
    return Void(match=number, game=game, attempt=attempt, reason=safe(reason), void=id_)


def _record(store: Store, id_: int) -> Record | None:
    """The record of a match; None where it cannot be read, which `golfref verify` tells."""
    try:
        return read_record(store.record(id_))
    except (StoreError, NoRecord):
        return None


def _first_mishaps(record: Record, seat: int) -> dict[str, Mishap]:
    """By kind, the first fault of a seat."""
    found: dict[str, Mishap] = {}
    for move in record.moves:
        if (mishap := mishap_of(move, seat)) is not None:
            found.setdefault(mishap.kind, mishap)
    return found
