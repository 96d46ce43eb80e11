"""Checking a whole run again: commitment, plan, matches with their records, standings, and what was published of it.

Nothing here trusts a stored outcome. What is wrong is told in words, match by match. Whatever a store may hold instead
of what belongs there is a finding.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.entries.versions import short
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.orders import result_of
from referee.tournament.plan.fixture import Identity, PlannedMatch
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.results import Result
from referee.tournament.store.disk import StoreError
from referee.tournament.store.plans import matches_told, stretches_of
from referee.tournament.store.rows import CommittedMatch, Meta
from referee.tournament.store.store import Store
from referee.tournament.store.tables import EARLIER_FORMAT
from referee.tournament.tally import standings_of
from referee.tournament.verify.compare import differences
from referee.tournament.verify.course import Course, followed_stages
from referee.tournament.verify.hosts import HostsCheck
from referee.tournament.verify.published import NOTHING, Published, compare_published
from referee.tournament.verify.record import check_record, unchecked
from referee.tournament.verify.redeals import RedealCheck
from referee.tournament.verify.rounds import check_rounds
from referee.tournament.verify.terms import check_terms


class Checked(Struct, frozen=True, kw_only=True):
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


_EARLIER = (
    f"note: the run began in store format {EARLIER_FORMAT}, whose digest covers only the records of matches in the "
    "standings; no hash covers the run's name, folders and environments of bots, history, voids, or matches out of the "
    "standings"
)


def check_store(path: Path, published: Published = NOTHING) -> Checked:
    """Check the run in this file, and compare it with what was published of it.

    Whatever the file holds is told as a finding, and never raises an exception.
    """
    findings: list[str] = []
    check: _RunCheck | None = None
    try:
        with closing(Store.open(path)) as store:
            store.hold()
            check = _RunCheck(store, store.meta())
            findings += check.findings()
            compared = compare_published(store, published)
            counting, all_ = len(store.numbers()), len(store.ids())
            out = f" and {all_ - counting} out of the standings" if all_ > counting else ""
            replayed = f"{counting} {'match' if counting == 1 else 'matches'}{out} replayed"
            notes = [f"digest {store.digest() if counting else 'no match yet'}"]
            notes += [_EARLIER] * (store.format == EARLIER_FORMAT)
            return Checked(
                notes=tuple(notes),
                findings=tuple(dict.fromkeys((*findings, *compared.findings))),
                compared=(replayed, *compared.same),
                unchecked=(*check.unchecked(), *compared.uncovered),
                missing=check.planned - len(check.seen),
                planned=check.planned,
                goes_on=not check.has_ended,
            )
    except StoreError as error:
        findings.append(str(error))
        return Checked(
            findings=tuple(dict.fromkeys(findings)),
            missing=0 if check is None else check.planned - len(check.seen),
            planned=0 if check is None else check.planned,
        )


class _RunCheck:
    """A run while it is checked."""

    def __init__(self, store: Store, meta: Meta) -> None:
        self._store, self._meta = store, meta
        self._course: Course | None = None
        self._redeals: RedealCheck
        self._hosts: HostsCheck
        self.planned = 0
        """How many matches the plan has, 0 where no plan follows from the config."""
        self.has_ended = True
        """Whether nothing will be added to the plan."""
        self.seen: set[int] = set()
        """The numbers of the matches of the plan that are there."""
        self._replayed: list[Result] = []
        self._heads: Counter[tuple[str, str]] = Counter()
        """How many matches each version of golfref and of the protocol played."""

    def findings(self) -> Iterator[str]:
        """All that is wrong, one text for each finding."""
        try:
            yield from self._begin()
            for id_ in self._store.ids():
                yield from self._match(id_)
            yield from self._end()
        except StoreError as error:
            yield str(error)

    def unchecked(self) -> Iterator[str]:
        """What could not be checked, after all findings."""
        yield from unchecked(self._heads)
        if self._course is not None:
            yield from self._course.unchecked()

    def _begin(self) -> Iterator[str]:
        """The key, the plan, and what happened to the run."""
        meta = self._meta
        try:
            key = bytes.fromhex(meta.master_key)
            *_, stage = followed_stages(stretches_of(self._store), key)
        except ValueError as error:
            yield f"key or config is damaged, so that no plan follows from them ({error})"
            return
        except StoreError as error:
            yield str(error)
            self.planned = meta.matches
            return
        if commitment(key) != meta.commitment:
            yield "the master key does not match the commitment"
        if meta.facts.seed is not None and master_key(meta.facts.seed) != key:
            yield "the master key is not the one that the seed gives"
        if (planned := matches_told(meta.facts, stage.plan)) != meta.matches:
            yield f"the plan has {planned} matches, but the store says {meta.matches}"
        self.planned, self.has_ended = len(stage.plan), stage.has_ended
        try:
            self._hosts = HostsCheck(self._store)
            self._course = Course(self._store, meta)
            self._redeals = RedealCheck(self._store)
            yield from self._hosts.findings()
            yield from self._course.findings()
            yield from check_rounds(self._course, self._store, key)
        except StoreError as error:
            yield str(error)
        except (LookupError, TypeError, ValueError) as error:
            yield f"its history cannot be followed ({type(error).__name__}: {error})"

    def _match(self, id_: int) -> Iterator[str]:
        """A committed match: its result, its record, and that it is the one that the plan has."""
        try:
            match = self._store.match(id_)
            data = self._store.record_of(id_)
            record = read_record(data)
        except (StoreError, NoRecord) as error:
            yield f"match #{id_}: {error}"
            return
        where = f"match {match.number}" if match.number is not None else f"match #{id_}, out of the standings"
        self._heads[record.golfref, record.protocol] += 1
        if sha256(data).hexdigest() != match.hash:
            yield f"{where}: the record is not the one that was committed (hash)"
        try:
            yield from (f"{where}: {finding}" for finding in self._check(match, record))
        except Exception as error:  # a record may hold anything, and one that breaks its check must not end the others'
            yield f"{where}: it cannot be checked ({type(error).__name__}: {error})"

    def _end(self) -> Iterator[str]:
        """The standings."""
        rank_by = self._meta.facts.rank_by
        try:
            stored = msgspec.to_builtins(standings_of(self._store.results(), rank_by))
            replayed = msgspec.to_builtins(standings_of(self._replayed, rank_by))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield f"standings: they cannot be computed ({type(error).__name__}: {error})"
            return
        for finding in differences(stored, replayed, ("stored", "replayed")):
            yield f"standings: {finding}"

    def _check(self, match: CommittedMatch, record: Record) -> Iterator[str]:
        course = self._course
        if course is not None:
            if match.number in self.seen:
                yield "it is there twice"
                return
            if match.number is not None:
                self.seen.add(match.number)
            yield from self._check_place(course, match, record)
            yield from course.voids_after_commit(match.id, match.identity)
            yield from self._redeals.findings(match)
            yield from check_terms(course.at(match.id).facts, match.identity, record)
            yield from self._check_origin(course, match.id, record)
        yield from check_record(record)

    def _check_place(self, course: Course, match: CommittedMatch, record: Record) -> Iterator[str]:
        """Its place in the plan, or the last one that it had, with the cards and the result that go with it."""
        counts = match.number is not None
        number = match.result.number if match.number is None else match.number
        stage = course.now if counts else course.last_with(match.id, match.identity)
        if stage is None:
            yield f"no plan of the run since its commit has it: {_identity_in_words(match.identity)}"
            return
        if stage is course.now and not counts:
            yield "the plan has it, and so it belongs into the standings"
        fixture = stage.fixture(number)
        if fixture is None:
            yield f"the plan has matches 0 to {len(stage.plan) - 1}, not {number}"
            return
        if (planned := stage.terms.identity(fixture)) != match.identity:
            yield f"stored as {_identity_in_words(match.identity)}; the plan has {_identity_in_words(planned)}"
        fixture = stage.plan.dealt(fixture, match.result.redeals)
        yield from _check_fixture(fixture, match.identity.bots, record)
        result = result_of(fixture, record)
        if counts:
            self._replayed.append(result)
        if result != match.result:
            yield "the result that the standings use is not the record's"

    def _check_origin(self, course: Course, id_: int, record: Record) -> Iterator[str]:
        """What played it is what the run tells of its host, or of that time."""
        told = course.origin(id_) if course.tells_origin_of(record.golfref) else None
        yield from self._hosts.of_match(id_, record, told)


def _identity_in_words(identity: Identity) -> str:
    bots = ", ".join(f"{bot} ({short(version)}, {before} before)" for bot, version, before in identity.entries)
    return f"{identity.variant}, deal {identity.deal}, rotation {identity.rotation}, {bots}"


def _check_fixture(fixture: PlannedMatch, bots: tuple[str, ...], record: Record) -> Iterator[str]:
    """Every way in which the record differs from the match that was planned."""
    if record.deal_key != fixture.deal_key.hex():
        yield "the deal key is not the one that the master key gives"
    if record.stacked:
        yield "the deck was given, not dealt from the key"
    if tuple(seat.name for seat in record.seats) != bots:
        yield f"played by {', '.join(seat.name for seat in record.seats)}; the plan has {', '.join(bots)}"
    if record.name != fixture.variant:
        yield f"played as {record.name}; the plan has {fixture.variant}"
    seeds = [bot_seed(fixture.deal_key, fixture.rotation, seat) for seat in range(len(bots))]
    if [seat.seed for seat in record.seats] != seeds:
        yield "the bots' seeds are not those that the deal key gives"
