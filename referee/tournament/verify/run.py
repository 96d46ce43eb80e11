"""Checking a whole run again: commitment, plan, every record and its row, the standings, and what was published of it.

Nothing here trusts a stored outcome; what is wrong is told in words, match by match. Whatever a store may hold instead
of what belongs there is a finding.
"""

import contextlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from protocol.text import printable
from referee.play.spec import BotLimits
from referee.rules.record import Record
from referee.rules.table.streams import bot_seed
from referee.tournament.orders import result_of
from referee.tournament.plan.keys import commitment, deal_key
from referee.tournament.plan.schedule import Fixture, Identity, Plan
from referee.tournament.results import Result
from referee.tournament.standings import standings_of
from referee.tournament.store.disk import StoreError
from referee.tournament.store.facts import Facts, Terms, plan_of, terms_of
from referee.tournament.store.store import CommittedMatch, Meta, Store
from referee.tournament.store.versions import short
from referee.tournament.summary import summary_of
from referee.tournament.verify.published import NOTHING, Published
from referee.tournament.verify.record import check_record

LONGEST_SHOWN = 100
"""Characters of a figure that a finding shows."""

NOT_ALWAYS_PUBLISHED = frozenset({"deal", "rotation"})
"""Fields of a result that golfref 0.1.0 did not print."""


class Checked(Struct, frozen=True, kw_only=True):
    """What came of checking a run, in lines."""

    notes: tuple[str, ...]
    findings: tuple[str, ...]
    """Nothing when all that is there holds."""
    compared: tuple[str, ...]
    """What was compared, in words that are true where there are no findings."""
    missing: int = 0
    """Matches of the plan that have no result yet, which is no finding."""
    planned: int = 0


def check_store(path: Path, published: Published = NOTHING) -> Checked:
    """Check the run in this file, also against what was published of it; never raises for what the file holds."""
    notes: list[str] = []
    findings: list[str] = []
    compared: list[str] = []
    check = None
    try:
        with contextlib.closing(Store.open(path)) as store:
            check = _Check(store)
            findings += _findings(check, store, published)
            counting, all_ = len(store.numbers()), len(store.ids())
            notes.append(f"digest {store.digest() if counting else 'no match yet'}")
            out = f" and {all_ - counting} out of the standings" if all_ > counting else ""
            compared = [f"{counting} {'match' if counting == 1 else 'matches'}{out} replayed", *_asked_for(published)]
    except StoreError as error:
        findings.append(str(error))
    return Checked(
        notes=tuple(notes),
        findings=tuple(dict.fromkeys(findings)),
        compared=tuple(compared),
        missing=0 if check is None else check.missing,
        planned=0 if check is None else check.planned,
    )


def _findings(check: "_Check", store: Store, published: Published) -> Iterator[str]:
    try:
        yield from check.run()
        yield from _check_published(store, published)
    except StoreError as error:
        yield str(error)


def _asked_for(published: Published) -> Iterator[str]:
    if published.digest:
        yield "the digest is the published one"
    if published.hashes is not None:
        yield "the hashes are the published ones"
    if published.summary is not None:
        yield "the results are the published ones"


class _Check:
    """A run while it is checked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._facts: Facts | None = None
        self._key = b""
        self._plan: Plan | None = None
        self._terms = Terms(bots=[], versions={}, games={})
        self._ids: dict[int, int] = {}
        """By number in the plan: the row that was checked."""
        self._owners: dict[str, str] = {}
        """By bot: of those that no amendment has touched, which may tell another owner."""
        self._replayed: list[Result] = []

    @property
    def planned(self) -> int:
        """Matches in the plan, 0 where none follows from the config."""
        return 0 if self._plan is None else len(self._plan)

    @property
    def missing(self) -> int:
        """Matches of the plan that are not there."""
        return self.planned - len(self._ids) if self._plan is not None else 0

    def run(self) -> Iterator[str]:
        """Everything but what was published, one text for each finding; raises StoreError."""
        yield from self.begin()
        for id_ in self._store.ids():
            yield from self.match(id_)
        yield from self.end()

    def begin(self) -> Iterator[str]:
        """The key and the plan."""
        try:
            meta = self._store.meta()
            self._key = bytes.fromhex(meta.master_key)
            self._facts = meta.facts
            self._terms = terms_of(meta.facts)
            self._plan = plan = plan_of(meta.facts, self._key)
        except StoreError as error:
            yield str(error)
            return
        except ValueError as error:
            yield f"key or config is damaged, so that no plan follows from them ({error})"
            return
        try:
            self._owners = _owners(self._store, meta)
        except StoreError as error:
            yield str(error)
        if commitment(self._key) != meta.commitment:
            yield "the master key does not match the commitment"
        if len(plan) != meta.matches:
            yield f"the plan has {len(plan)} matches, but the store says {meta.matches}"

    def match(self, id_: int) -> Iterator[str]:
        """A committed match: its row, its record, and that it is the one that the plan has."""
        try:
            row = self._store.row(id_)
            data = self._store.record_of(id_)
            record = msgspec.json.decode(data, type=Record)
        except (StoreError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            yield f"match #{id_}: {error}"
            return
        where = f"match {row.number}" if row.number is not None else f"match #{id_}, out of the standings"
        if sha256(data).hexdigest() != row.hash:
            yield f"{where}: the record is not the one that was committed (hash)"
        try:
            yield from (f"{where}: {finding}" for finding in self._check(row, record))
        except Exception as error:  # a record may hold anything, and one that breaks its check must not end the others'
            yield f"{where}: it cannot be checked ({type(error).__name__}: {error})"

    def end(self) -> Iterator[str]:
        """The standings."""
        rank_by = "match-points" if self._facts is None else self._facts.rank_by
        try:
            stored = msgspec.to_builtins(standings_of(self._store.results(), rank_by))
            replayed = msgspec.to_builtins(standings_of(self._replayed, rank_by))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            yield f"standings: they cannot be computed ({type(error).__name__}: {error})"
            return
        for finding in _compare("", stored, replayed, "stored", "replayed"):
            yield f"standings: {finding}"

    def _check(self, row: CommittedMatch, record: Record) -> Iterator[str]:
        if self._plan is None or self._facts is None:
            yield from check_record(record)
            return
        if row.number is None:
            fixture = self._retired(row)
            if self._counts(row):
                yield "the plan has it, and so it belongs into the standings"
        else:
            if row.number in self._ids:
                yield "it is there twice"
                return
            self._ids[row.number] = row.id
            try:
                fixture = self._plan[row.number]
            except IndexError as error:
                yield str(error)
                return
            if (planned := self._terms.identity(fixture)) != row.identity:
                yield f"stored as {_told(row.identity)}; the plan has {_told(planned)}"
        yield from _check_fixture(fixture, row.identity.bots, record)
        yield from _check_terms(self._facts, self._owners, record)
        yield from check_record(record)
        result = result_of(fixture, record)
        if row.number is not None:
            self._replayed.append(result)
        if result != row.result:
            yield "the result that the standings use is not the record's"

    def _retired(self, row: CommittedMatch) -> Fixture:
        """What was planned when a match was played that is no longer in the plan, as its row tells it."""
        which = row.identity
        return Fixture(
            number=row.result.number,
            variant=which.variant,
            block=row.result.block,
            lineup=(),
            rotation=which.rotation,
            deal=which.deal,
            deal_key=deal_key(self._key, which.variant, which.bots, which.deal),
        )

    def _counts(self, row: CommittedMatch) -> bool:
        """Whether the plan has a match that is out of the standings, with these versions of the bots."""
        which = row.identity
        known = which.versions == tuple(self._terms.versions.get(bot) for bot in which.bots)
        same_game = self._terms.games.get(which.variant) == which.game
        return known and same_game and self._plan is not None and self._plan.has_table(*which.place)


def _told(identity: Identity) -> str:
    bots = ", ".join(
        f"{bot} ({short(version)})" for bot, version in zip(identity.bots, identity.versions, strict=False)
    )
    return f"{identity.variant}, deal {identity.deal}, rotation {identity.rotation}, {bots}"


def _check_fixture(fixture: Fixture, bots: tuple[str, ...], record: Record) -> Iterator[str]:
    """Does the record tell the match that was planned?"""
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


def _owners(store: Store, meta: Meta) -> dict[str, str]:
    touched = [line for event in store.history() for line in event.lines]
    return {
        bot.name: bot.owner
        for bot in meta.facts.bots
        if not any(line.startswith(f"bot `{bot.name}`:") for line in touched)
    }


def _check_terms(facts: Facts, owners: Mapping[str, str], record: Record) -> Iterator[str]:
    """Was it played as the config has it? None of this is amended: isolation, limits, the life of processes, clocks."""
    for seat in record.seats:
        if (owner := owners.get(seat.name, seat.owner)) != seat.owner:
            yield f"{printable(seat.name, LONGEST_SHOWN)}: its owner was {_excerpt(seat.owner)}; now {_excerpt(owner)}"
    if record.isolation != facts.isolation:
        yield f"played under isolation {_excerpt(record.isolation)}; the config has {_excerpt(facts.isolation)}"
    if facts.reuse == "match" and any(seat.matches_before for seat in record.seats):
        yield "a bot's process had played before; the config has a new one for each match"
    if (timing := record.clocks.slap_timing) != facts.clocks.slap_timing:
        yield f"slaps were timed {_excerpt(timing)}; the config has {_excerpt(facts.clocks.slap_timing)}"
    limits = asdict(BotLimits()) | record.limits
    yield from (
        f"limits: {text}" for text in _compare("", limits, asdict(facts.limits), "played with", "the config has")
    )


def _check_published(store: Store, published: Published) -> Iterator[str]:
    if published.digest and store.digest() != published.digest:
        yield f"the digest is not the published one: {store.digest()}"
    if published.hashes is not None:
        here = dict(store.hashes())
        for number in sorted(here.keys() | published.hashes.keys()):
            if number not in here:
                yield f"match {number}: it was published, but is not in the standings"
            elif number not in published.hashes:
                yield f"match {number}: it is in the standings, but was not published"
            elif here[number] != published.hashes[number]:
                yield f"match {number}: its record is not the published one (hash)"
    if published.summary is not None:
        own = msgspec.json.decode(msgspec.json.encode(summary_of(store)))
        yield from _compare("", published.summary, own, "published", "in the store")


def _compare(where: str, one: Any, other: Any, first: str, second: str) -> Iterator[str]:
    """Every figure in which two documents differ."""
    one, other = _by_name(one), _by_name(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*one, *other)):
            path = f"{where}.{key}" if where else str(key)
            if key in one and key in other:
                yield from _compare(path, one[key], other[key], first, second)
            elif key not in NOT_ALWAYS_PUBLISHED:
                yield f"{path}: only {first if key in one else second}"
    elif one != other:
        yield f"{where}: {first} {_excerpt(one)}, {second} {_excerpt(other)}"


def _by_name(value: Any) -> Any:
    """Rows of tables by their bot, matches by their number."""
    for key in ("bot", "number"):
        if isinstance(value, list | tuple) and value and all(isinstance(row, Mapping) and key in row for row in value):
            return {str(row[key]): row for row in value}
    return value


def _excerpt(value: Any) -> str:
    return printable(msgspec.json.encode(value).decode(), LONGEST_SHOWN)
