"""Makes the events of a run: of what is played now, and of what the store holds already."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter

from msgspec.structs import replace

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
from referee.reports.blame import mishap_of, published_detail
from referee.rules.record import Mishap, NoRecord, Record, read_record
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.plan.rounds import End as RoundsEnd
from referee.tournament.plan.rounds import Round
from referee.tournament.results import Result, beaten_shares
from referee.tournament.standings import BotStanding
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store
from referee.tournament.store.voided import voids_by_place
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
        self._last_commit, self._last_void = last_ids(store)
        self._sent_at = time.monotonic()

    def begun(self, fixture: PlannedMatch) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        self._last_commit += 1  # the referee commits one after the other, and reports each at once
        self._played += 1
        result = replace(result, commit=self._last_commit)
        for event in events_of(self._store, result, played=self._played, planned=self._planned):
            self._put(event)
        if time.monotonic() - self._sent_at >= PROGRESS_EVERY_S or self._played == self._planned:
            self._put_progress()

    def voided(self, fixture: PlannedMatch, attempt: int, reason: str) -> None:
        """A match was spoiled by the referee or its host."""
        self._voided += 1
        self._last_void += 1
        self._put(void_of(fixture.number, fixture.variant, attempt, reason, self._last_void))

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


def last_ids(store: Store) -> tuple[int, int]:
    """The id of the match that was committed last, and of the last void; 0 before the first. Raises StoreError."""
    return store.last_id(), len(store.all_ids()["voids"])


def missed_events(store: Store, planned: int, *, commit: int, lines: int, void: int) -> Iterator[Match | Fault | Void]:
    """The events from this match on without the first `lines`, and of all voids after this one, by their ids.

    They come in the order in which they happened. Raises StoreError.
    """
    missing: list[tuple[int, int, Result | Void]] = [
        (row.id, 0, replace(row.result, commit=row.id)) for row in store.committed(commit - 1)
    ]
    for (game, *_), voids in voids_by_place(store).items():
        missing += (
            (one.after or 0, one.id, void_of(one.number or 0, game, one.attempt, one.reason, one.id))
            for one in voids
            if one.id > void
        )
    for id_, _, what in sorted(missing, key=itemgetter(0, 1)):
        if isinstance(what, Void):
            yield what
        else:
            events = events_of(store, what, played=store.counting_until(id_), planned=planned)
            yield from islice(events, lines if id_ == commit else 0, None)


def events_of(store: Store, result: Result, *, played: int, planned: int) -> Iterator[Match | Fault]:
    """The events of a committed match: how it ended, then its faults."""
    yield Match(
        match=result.number,
        game=result.variant,
        bots=result.bots,
        match_points=beaten_shares(result.ranks),
        totals=result.totals,
        ranks=result.ranks,
        forfeited=result.forfeited,
        faults=result.faults,
        commit=result.commit,
        played=played,
        planned=planned,
    )
    if not any(result.faults):
        return
    record = _record(store, result.commit)
    for seat, kinds in enumerate(result.faults):
        first = {} if record is None else _first_mishaps(record, seat)
        for kind, times in kinds.items():
            mishap = first.get(kind)
            yield Fault(
                match=result.number,
                game=result.variant,
                bot=result.bots[seat],
                kind=kind,
                times=times,
                detail=None if mishap is None else safe(published_detail(mishap)),
                commit=result.commit,
            )


def void_of(number: int, game: str, attempt: int, reason: str, id_: int) -> Void:
    """The event of a void."""
    return Void(match=number, game=game, attempt=attempt, reason=safe(reason), void=id_)


def standings_of(rows: Sequence[BotStanding], played: int, planned: int) -> Standings:
    """The standings with these rows, in their order."""
    return Standings(played=played, planned=planned, standings=tuple(map(_place, rows)))


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


def _record(store: Store, commit: int) -> Record | None:
    """The record of a match; None where it cannot be read, which `golfref verify` prints."""
    try:
        return read_record(store.record_of(commit))
    except (StoreError, NoRecord):
        return None


def _first_mishaps(record: Record, seat: int) -> dict[str, Mishap]:
    """By kind, the first fault of a seat."""
    found: dict[str, Mishap] = {}
    for move in record.moves:
        if (mishap := mishap_of(move, seat)) is not None:
            found.setdefault(mishap.kind, mishap)
    return found
