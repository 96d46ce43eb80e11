"""Watches a run that is played, and tells what happens in it to whoever wants to know: hooks, and a progress file."""

import time
from collections.abc import Callable, Mapping
from operator import itemgetter

from msgspec.structs import replace

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
from referee.tournament.plan.fixture import PlannedMatch
from referee.tournament.plan.rounds import End as RoundsEnd
from referee.tournament.plan.rounds import Round
from referee.tournament.results import Result, beaten_shares
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store
from referee.tournament.store.voided import voids_by_place
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
        self._voided, self._last_void = 0, len(store.all_ids()["voids"])
        self._last_commit = store.last_id()
        self._told_at = time.monotonic()

    def begun(self, fixture: PlannedMatch) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""
        if not result.commit:
            self._last_commit += 1  # the referee commits one after the other, and tells each at once
            result = replace(result, commit=self._last_commit)
        self.played += 1
        self.tell(result, _record(self._store, result.number) if any(result.faults) else None)
        if time.monotonic() - self._told_at >= PROGRESS_EVERY_S or self.played == self.planned:
            self._tell_progress()

    def tell(self, result: Result, record: Record | None) -> None:
        """Tell of a match and its faults; without the record, not what was wrong."""
        self._put(
            Match(
                match=result.number,
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
                        match=result.number,
                        game=result.variant,
                        bot=result.bots[seat],
                        kind=kind,
                        times=times,
                        detail=None if mishap is None else safe(published_detail(mishap)),
                        commit=result.commit,
                    )
                )

    def voided(self, fixture: PlannedMatch, attempt: int, reason: str) -> None:
        """A match was spoiled by the referee or its host."""
        self._voided += 1
        self._last_void += 1
        self._put(void_of(fixture.number, fixture.variant, attempt, reason, self._last_void))

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
    retired = {row.id: replace(row.result, commit=row.id) for row in store.retired()}
    missing: list[tuple[int, int, Result | Void]] = [
        (result.commit, 0, result) for result in (*results, *retired.values()) if result.commit >= cursor.commit
    ]
    for (game, *_), voids in voids_by_place(store).items():
        missing += (
            (one.after or 0, one.id, void_of(one.number or 0, game, one.attempt, one.reason, one.id))
            for one in voids
            if one.id > cursor.void
        )
    for _, _, what in sorted(missing, key=itemgetter(0, 1)):
        if isinstance(what, Void):
            put(what)
        elif what.commit in retired:
            reporter.tell(what, None)  # its record has no number any more
        else:
            reporter.finished(what)


def void_of(number: int, game: str, attempt: int, reason: str, id_: int) -> Void:
    """What is told of a void."""
    return Void(match=number, game=game, attempt=attempt, reason=safe(reason), void=id_)


def _record(store: Store, number: int) -> Record | None:
    """The record of a match; None where it cannot be read, which `golfref verify` tells."""
    try:
        return read_record(store.record(number))
    except (StoreError, NoRecord):
        return None


def _first_mishaps(record: Record, seat: int) -> dict[str, Mishap]:
    """By kind, the first fault of a seat."""
    found: dict[str, Mishap] = {}
    for move in record.moves:
        if (mishap := mishap_of(move, seat)) is not None:
            found.setdefault(mishap.kind, mishap)
    return found
