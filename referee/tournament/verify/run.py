"""Checking a whole run again: commitment, plan, matches with their records, standings, and what was published of it.

Nothing here trusts a stored outcome. What is wrong is told in words, match by match. Whatever a store may hold instead
of what belongs there is a finding.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path

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
from referee.tournament.store.facts import Facts, Terms, plan_of
from referee.tournament.store.store import CommittedMatch, Meta, Store
from referee.tournament.store.versions import short
from referee.tournament.verify.compare import LONGEST_SHOWN, differences, excerpt
from referee.tournament.verify.published import NOTHING, Published, check_published
from referee.tournament.verify.record import check_record


class Checked(Struct, frozen=True, kw_only=True):
    """What came of checking a run or a record, in lines."""

    notes: tuple[str, ...] = ()
    findings: tuple[str, ...]
    """What is wrong. It is empty when all that is there holds."""
    compared: tuple[str, ...] = ()
    """What was compared, in words that are true where there are no findings."""
    missing: int = 0
    """Matches of the plan that have no result yet, which is no finding."""
    planned: int = 0
    """Matches of the plan, 0 where no plan follows from the config."""


def check_store(path: Path, published: Published = NOTHING) -> Checked:
    """Check the run in this file, and compare it with what was published of it.

    Whatever the file holds is told as a finding, and never raises an exception.
    """
    findings: list[str] = []
    missing = planned = 0
    try:
        with closing(Store.open(path)) as store:
            check = _RunCheck(store, store.meta())
            findings += check.findings(published)
            planned, missing = check.planned, check.planned - len(check.seen)
            counting, all_ = len(store.numbers()), len(store.ids())
            out = f" and {all_ - counting} out of the standings" if all_ > counting else ""
            replayed = f"{counting} {'match' if counting == 1 else 'matches'}{out} replayed"
            return Checked(
                notes=(f"digest {store.digest() if counting else 'no match yet'}",),
                findings=tuple(dict.fromkeys(findings)),
                compared=(replayed, *published.in_words()),
                missing=missing,
                planned=planned,
            )
    except StoreError as error:
        findings.append(str(error))
        return Checked(findings=tuple(dict.fromkeys(findings)), missing=missing, planned=planned)


class _RunCheck:
    """A run while it is checked."""

    def __init__(self, store: Store, meta: Meta) -> None:
        self._store, self._meta = store, meta
        self._terms = Terms(meta.facts)
        self._key = b""
        self._plan: Plan | None = None
        self.planned = 0
        """How many matches the plan has, 0 where no plan follows from the config."""
        self.seen: set[int] = set()
        """The numbers of the matches of the plan that are there."""
        self._owners: dict[str, str] = {}
        """The owners of the bots that no amendment has touched. An amendment may tell another owner."""
        self._replayed: list[Result] = []

    def findings(self, published: Published) -> Iterator[str]:
        """All that is wrong, one text for each finding."""
        try:
            yield from self._begin()
            for id_ in self._store.ids():
                yield from self._match(id_)
            yield from self._end()
            yield from check_published(self._store, published)
        except StoreError as error:
            yield str(error)

    def _begin(self) -> Iterator[str]:
        """The key and the plan."""
        meta = self._meta
        try:
            self._key = bytes.fromhex(meta.master_key)
            self._plan = plan_of(meta.facts, self._key)
            self.planned = len(self._plan)
        except ValueError as error:
            yield f"key or config is damaged, so that no plan follows from them ({error})"
            return
        try:
            self._owners = _owners(self._store, meta)
        except StoreError as error:
            yield str(error)
        if commitment(self._key) != meta.commitment:
            yield "the master key does not match the commitment"
        if self.planned != meta.matches:
            yield f"the plan has {self.planned} matches, but the store says {meta.matches}"

    def _match(self, id_: int) -> Iterator[str]:
        """A committed match: its result, its record, and that it is the one that the plan has."""
        try:
            match = self._store.match(id_)
            data = self._store.record_of(id_)
            record = msgspec.json.decode(data, type=Record)
        except (StoreError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            yield f"match #{id_}: {error}"
            return
        where = f"match {match.number}" if match.number is not None else f"match #{id_}, out of the standings"
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
        for finding in differences(stored, replayed, "stored", "replayed"):
            yield f"standings: {finding}"

    def _check(self, match: CommittedMatch, record: Record) -> Iterator[str]:
        if self._plan is None:
            yield from check_record(record)
            return
        if match.number is None:
            fixture = self._retired(match)
            if self._counts(match):
                yield "the plan has it, and so it belongs into the standings"
        else:
            if match.number in self.seen:
                yield "it is there twice"
                return
            self.seen.add(match.number)
            try:
                fixture = self._plan[match.number]
            except IndexError as error:
                yield str(error)
                return
            if (planned := self._terms.identity(fixture)) != match.identity:
                yield f"stored as {_identity_in_words(match.identity)}; the plan has {_identity_in_words(planned)}"
        yield from _check_fixture(fixture, match.identity.bots, record)
        yield from _check_terms(self._meta.facts, self._owners, record)
        yield from check_record(record)
        result = result_of(fixture, record)
        if match.number is not None:
            self._replayed.append(result)
        if result != match.result:
            yield "the result that the standings use is not the record's"

    def _retired(self, match: CommittedMatch) -> Fixture:
        """The plan's entry, as the store tells it, for a match that was played and is no longer in the plan."""
        which = match.identity
        return Fixture(
            number=match.result.number,
            variant=which.variant,
            block=match.result.block,
            lineup=(),
            rotation=which.rotation,
            deal=which.deal,
            deal_key=deal_key(self._key, which.variant, which.bots, which.deal),
        )

    def _counts(self, match: CommittedMatch) -> bool:
        """Whether the plan has a match that is out of the standings, with these versions of the bots."""
        which = match.identity
        known = which.versions == tuple(self._terms.versions.get(bot) for bot in which.bots)
        same_game = self._terms.games.get(which.variant) == which.game
        return known and same_game and self._plan is not None and self._plan.has_table(*which.place)


def _identity_in_words(identity: Identity) -> str:
    bots = ", ".join(
        f"{bot} ({short(version)})" for bot, version in zip(identity.bots, identity.versions, strict=False)
    )
    return f"{identity.variant}, deal {identity.deal}, rotation {identity.rotation}, {bots}"


def _check_fixture(fixture: Fixture, bots: tuple[str, ...], record: Record) -> Iterator[str]:
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


def _owners(store: Store, meta: Meta) -> dict[str, str]:
    touched = [line for event in store.history() for line in event.lines]
    return {
        bot.name: bot.owner
        for bot in meta.facts.bots
        if not any(line.startswith(f"bot `{bot.name}`:") for line in touched)
    }


def _check_terms(facts: Facts, owners: Mapping[str, str], record: Record) -> Iterator[str]:
    """What was played otherwise than the config has it, of what no amendment changes: isolation, limits, clocks."""
    for seat in record.seats:
        if (owner := owners.get(seat.name, seat.owner)) != seat.owner:
            yield f"{printable(seat.name, LONGEST_SHOWN)}: its owner was {excerpt(seat.owner)}; now {excerpt(owner)}"
    if record.isolation != facts.isolation:
        yield f"played under isolation {excerpt(record.isolation)}; the config has {excerpt(facts.isolation)}"
    if facts.reuse == "match" and any(seat.matches_before for seat in record.seats):
        yield "a bot's process had played before; the config has a new one for each match"
    if (timing := record.clocks.slap_timing) != facts.clocks.slap_timing:
        yield f"slaps were timed {excerpt(timing)}; the config has {excerpt(facts.clocks.slap_timing)}"
    limits = asdict(BotLimits()) | record.limits
    yield from (
        f"limits: {text}" for text in differences(limits, asdict(facts.limits), "played with", "the config has")
    )
