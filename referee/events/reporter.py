"""Makes the events of a run: of what is played now, and of what the store holds already."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter

from referee.events.events import (
    Drawn,
    Event,
    Fault,
    Match,
    Place,
    Progress,
    RoundsOver,
    Standings,
    Suspect,
    Void,
    safe,
)
from referee.reports.faults import mishap_of, published_detail
from referee.rules.record import Mishap, NoRecord, Record, read_record
from referee.tournament.config.planned import MatchIdentities
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.plan.rounds import End as RoundsEnd
from referee.tournament.plan.rounds import Round
from referee.tournament.results import NOT_PLANNED, Result, beaten_shares
from referee.tournament.standings import BotStanding
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import finder, plan_now
from referee.tournament.store.store import Store
from referee.tournament.voids import VoidSuspect

PROGRESS_EVERY_S = 5.0
"""Seconds between two events with the progress of the run."""


class Reporter:
    """Watches a run, and sends its events."""

    def __init__(
        self,
        put: Callable[[Event], None],
        store: Store,
        left_s: Callable[[], float],
        *,
        planned: int,
        played: int,
    ) -> None:
        """`left_s` forecasts how many seconds are left; `played` is how many results there are already."""
        self._played, self._planned = played, planned
        self._put, self._store, self._left_s = put, store, left_s
        self._voided = 0
        self._sent_at = time.monotonic()

    def begun(self, planned_match: PlannedMatch) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        self._played += 1
        for event in events_of(self._store, result, played=self._played, planned=self._planned):
            self._put(event)
        if time.monotonic() - self._sent_at >= PROGRESS_EVERY_S or self._played == self._planned:
            self._put_progress()

    def voided(self, planned_match: PlannedMatch, attempt: int, reason: str, id_: int) -> None:
        """A match was spoiled by the referee or its host."""
        self._voided += 1
        self._put(void_of(planned_match.number, planned_match.variant, attempt, reason, id_))

    def suspected(self, suspect: VoidSuspect) -> None:
        """The presence of a bot alone explains the voids at which it sat."""
        self._put(Suspect(bot=suspect.bot, voided=suspect.voided, of=suspect.of))

    def drawn(self, drawn: Round | RoundsEnd, added: Mapping[str, int]) -> None:
        """The plan has grown by a round, `added` being its matches by variant; or it has ended."""
        matches = sum(added.values())
        self._planned += matches
        if isinstance(drawn, Round):
            self._put(Drawn(title=safe(drawn.title), matches=matches))
        else:
            self._put(RoundsOver(reason=safe(drawn.reason)))

    def _put_progress(self) -> None:
        self._sent_at = time.monotonic()
        left_s = round(self._left_s(), 1)
        self._put(Progress(played=self._played, planned=self._planned, voided=self._voided, left_s=left_s))


def missed_events(store: Store, planned: int, *, row: int, lines: int) -> Iterator[Match | Fault | Void]:
    """The events of all rows from this one on, without the first `lines`, in order. Raises StoreError."""
    matches = [*store.matches(row - 1)]
    played = len(store.numbers()) - sum(one.number is not None for one in matches)
    voids = [(id_, void) for id_, void in store.voids() if id_ >= row]
    number_of = finder(plan_now(store), MatchIdentities(store.meta().config))
    missing: list[tuple[int, Result | Void]] = [
        *((one.id, one.result) for one in matches),
        *(
            (id_, void_of(number_of(void.identity), void.variant, void.attempt, void.reason, id_))
            for id_, void in voids
        ),
    ]
    for id_, what in sorted(missing, key=itemgetter(0)):
        if isinstance(what, Void):
            events: Iterator[Match | Fault | Void] = iter([what])
        else:
            played += what.number != NOT_PLANNED
            events = events_of(store, what, played=played, planned=planned)
        yield from islice(events, lines if id_ == row else 0, None)


def events_of(store: Store, result: Result, *, played: int, planned: int) -> Iterator[Match | Fault]:
    """The events of a committed match: how it ended, then its faults."""
    yield Match(
        match=_number_in_plan(result),
        game=result.variant,
        bots=result.bots,
        match_points=beaten_shares(result.ranks),
        totals=result.totals,
        ranks=result.ranks,
        forfeited=result.forfeited,
        faults=result.faults,
        id=result.id,
        played=played,
        planned=planned,
    )
    if not any(result.faults):
        return
    record = _record(store, result.id)
    for seat, kinds in enumerate(result.faults):
        first = {} if record is None else _first_mishaps(record, seat)
        for kind, times in kinds.items():
            mishap = first.get(kind)
            yield Fault(
                match=_number_in_plan(result),
                game=result.variant,
                bot=result.bots[seat],
                kind=kind,
                times=times,
                detail=None if mishap is None else safe(published_detail(mishap)),
                id=result.id,
            )


def void_of(number: int | None, game: str, attempt: int, reason: str, id_: int) -> Void:
    """The event of a void."""
    return Void(match=number, game=game, attempt=attempt, reason=safe(reason), id=id_)


def standings_of(rows: Sequence[BotStanding], played: int, planned: int) -> Standings:
    """The standings with these rows, in their order."""
    return Standings(played=played, planned=planned, standings=tuple(map(_place, rows)))


def _number_in_plan(result: Result) -> int | None:
    """None where the match is out of the standings."""
    return None if result.number == NOT_PLANNED else result.number


def _place(row: BotStanding) -> Place:
    return Place(
        bot=row.bot,
        rank=row.rank,
        rank_from=row.rank_from,
        rank_to=row.rank_to,
        match_points=row.match_points,
        match_points_interval=row.match_points_interval,
        strokes=row.strokes,
        matches=row.matches,
        faults=sum(row.faults.values()),
    )


def _record(store: Store, id_: int) -> Record | None:
    """The record of a match; None where it cannot be read, which `golfref verify` prints."""
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
