"""Checking a whole run again: commitment, plan, matches with their records, and what was published of it.

Nothing here trusts a stored outcome. What is wrong is told in words, row by row and match by match. Whatever a store
may hold instead of what belongs there is a finding; a fault of golfref itself is told as one.
"""

from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.orders import result_of
from referee.tournament.plan.planned_match import PlannedMatch
from referee.tournament.store.disk import StoreError
from referee.tournament.store.origins import Origin
from referee.tournament.store.store import Store
from referee.tournament.verify.compare import LONGEST_SHOWN
from referee.tournament.verify.history import Committed, NotFollowed, RunHistory
from referee.tournament.verify.match import check_terms
from referee.tournament.verify.published import NOTHING, Published, compare_published
from referee.tournament.verify.replay import check_record


class VerifyReport(Struct, frozen=True, kw_only=True):
    """What came of checking a run or a record, in lines."""

    notes: tuple[str, ...] = ()
    findings: tuple[str, ...]
    """What is wrong. It is empty when all that could be checked holds."""
    compared: tuple[str, ...] = ()
    """What was compared, in words that are true where there are no findings."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked. Where there is any of it, nobody may say that all holds."""
    missing: int = 0
    """Matches of the plan that have no result yet, which is no finding."""
    planned: int = 0
    """Matches of the plan, 0 where no plan follows from the config."""
    goes_on: bool = False
    """Whether more will be added to the plan."""


def check_store(path: Path, published: Published = NOTHING) -> VerifyReport:
    """Check the run in this file, and compare it with what was published of it.

    Whatever the file holds is told as a finding, and never raises an exception.
    """
    check = _RunCheck()
    findings: list[str] = []
    try:
        with closing(Store.open(path)) as store:
            store.hold()
            findings += check.findings(store)
            compared = compare_published(store, published)
            digest = f"digest {store.digest() if check.replayed else 'no match yet'}"
    except StoreError as error:
        return check.checked((*findings, str(error)))
    done = check.checked((*findings, *compared.findings))
    return replace(
        done,
        notes=(digest,),
        compared=(*done.compared, *compared.same),
        unchecked=(*done.unchecked, *compared.uncovered),
    )


class _RunCheck:
    """A run while it is checked."""

    def __init__(self) -> None:
        self._history: RunHistory | None = None
        self.replayed = 0
        """How many records were played again."""

    def findings(self, store: Store) -> Iterator[str]:
        """All that is wrong, one text for each finding. Raises StoreError."""
        try:
            history = self._history = RunHistory(store)
            for entry in store.entries():
                yield from history.take(entry)
                if history.match is not None:
                    yield from (f"match #{entry.id}: {text}" for text in self._match(store, history.match))
            yield from history.end()
        except NotFollowed as error:
            yield f"key or config is damaged, so that no plan follows from them ({error})"

    def checked(self, findings: tuple[str, ...]) -> VerifyReport:
        """What came of it."""
        history = self._history
        planned, counting = (0, 0) if history is None else (history.planned, history.counting)
        out = f" and {self.replayed - counting} out of the standings" if self.replayed > counting else ""
        return VerifyReport(
            findings=tuple(dict.fromkeys(findings)),
            compared=(f"{counting} {'match' if counting == 1 else 'matches'}{out} replayed",),
            missing=planned - counting,
            planned=planned,
            goes_on=history is not None and not history.has_ended,
        )

    def _match(self, store: Store, match: Committed) -> Iterator[str]:
        """What is wrong with the record of a match."""
        try:
            data = store.record(match.id)
            record = read_record(data)
        except (StoreError, NoRecord) as error:
            yield str(error)
            return
        self.replayed += 1
        if sha256(data).hexdigest() != match.row.record_hash:
            yield "the record is not the one that was committed (hash)"
        try:
            yield from _check(match, record)
        except Exception as error:  # a fault of ours must not end the check of the other matches, nor pass as theirs
            yield f"golfref failed to check it, which is a fault of golfref ({type(error).__name__}: {error})"


def _check(match: Committed, record: Record) -> Iterator[str]:
    """Every way in which the record of a match differs from its row, from the plan, or from what follows from it."""
    if match.planned_match is not None:
        yield from _check_fixture(match.planned_match, match.row.bots, record)
        place = {"number": match.planned_match.number, "block": match.planned_match.block, "id": 0}
        stored = replace(match.result, **place)
        if result_of(match.planned_match, record) != stored:
            yield "the result that the standings use is not the record's"
    yield from check_terms(match.config, match.row.identity, record)
    yield from _check_origin(match.origin, record)
    yield from check_record(record)


def _check_origin(expected: Origin | None, record: Record) -> Iterator[str]:
    """Whether what played a match is its host, or what played here at that time."""
    played = Origin(golfref=record.golfref, protocol=record.protocol, host=record.host)
    if played != expected:
        told = "nothing" if expected is None else printable(expected.in_words, LONGEST_SHOWN)
        yield f"played by {printable(played.in_words, LONGEST_SHOWN)}; the run says {told}"


def _check_fixture(planned_match: PlannedMatch, bots: tuple[str, ...], record: Record) -> Iterator[str]:
    """Every way in which the record differs from the match that was planned."""
    if record.deal_key != planned_match.deal_key.hex():
        yield "the deal key is not the one that the master key gives"
    if record.stacked:
        yield "the deck was given, not dealt from the key"
    if tuple(seat.name for seat in record.seats) != bots:
        yield f"played by {', '.join(seat.name for seat in record.seats)}; the plan has {', '.join(bots)}"
    if record.name != planned_match.variant:
        yield f"played as {record.name}; the plan has {planned_match.variant}"
    seeds = [bot_seed(planned_match.deal_key, planned_match.rotation, seat) for seat in range(len(bots))]
    if [seat.seed for seat in record.seats] != seeds:
        yield "the bots' seeds are not those that the deal key gives"
