"""Checking what happened to a run, row by row: its journal is followed from the first row to the last, once.

The hashes must chain, every row must follow from the rows before it, and what can be drawn again is drawn again: so
nobody can have chosen who meets whom, or when the run ended. Nothing here looks into the record of a match.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from math import comb
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.tournament.config.differences import config_differences
from referee.tournament.config.planned import MatchIdentities, draw_input, whole_deals_of_all
from referee.tournament.config.run_config import RunConfig
from referee.tournament.formats.draw import hours_are_over, needs_results, next_round
from referee.tournament.formats.table import FORMATS
from referee.tournament.orders import ATTEMPTS
from referee.tournament.plan.deals import WholeDeals
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import BlockKey, Identity, PlannedMatch
from referee.tournament.plan.rounds import End, Round, StageRules
from referee.tournament.results import Result
from referee.tournament.store.disk import locked
from referee.tournament.store.journal import BEFORE_FIRST, Entry, body_hash, chained
from referee.tournament.store.merge import with_host_moved
from referee.tournament.store.origins import Host, Origin
from referee.tournament.store.plans import ConfigPeriod, check_entered, finder, grown, matches_told, periods_of, placed
from referee.tournament.store.played import PlayedSoFar
from referee.tournament.store.rows import (
    DECODERS,
    KIND_OF,
    STORE_FORMAT,
    Amended,
    AnyRow,
    Begin,
    BotChanged,
    Drawn,
    Ended,
    HostLost,
    Hours,
    KeptOut,
    Match,
    Merged,
    Place,
    ShardBegins,
    Void,
    encode,
)
from referee.tournament.store.store import Store, committed_match
from referee.tournament.store.words import drawn_in_words
from referee.tournament.verify.compare import LONGEST_SHOWN, differences
from referee.versions.version import short

MOST_MATCHES = 10_000_000
"""Of how many matches a plan is followed: weeks of play. Nobody waits for what a hostile store could ask for."""

MOST_BOTS = 2000
"""Of how many bots rounds are drawn again: a round of a thousand takes ten seconds, one of two thousand a minute."""

_WHOSE = ("the run has", "golfref draws")


class NotFollowed(Exception):
    """No plan follows from what a run holds, so that nothing after it can be checked. The text says why."""


class Committed(Struct, frozen=True, kw_only=True):
    """A match that the history of a run has come to, with what its record must agree with."""

    id: int
    row: Match
    result: Result
    """What came of it, wherever the plan has it."""
    config: RunConfig
    """The config under which it was played."""
    origin: Origin | None
    """What played it by the journal. None where that says nothing."""
    planned_match: PlannedMatch | None
    """The match of the plan, with its cards. None where the plan has none."""


class RunHistory:
    """The journal of a run while it is followed."""

    def __init__(self, store: Store, *, draws_again: bool = True) -> None:
        """Raises StoreError where the config is damaged, and NotFollowed. Rounds need not be drawn again."""
        self._store, self._draws_again = store, draws_again
        meta = store.meta()
        self._key = bytes.fromhex(meta.master_key)
        self._periods = periods_of(store)
        self._configs = [one.config for one in self._periods]
        try:
            _check_bounds(self._periods)
            self._wholes = whole_deals_of_all(self._configs, self._key)
            self._now = self._begun(0)
        except ValueError as error:
            raise NotFollowed(str(error)) from None
        self.match: Committed | None = None
        """The match that the last row was. None where it was something else."""
        self._last_id, self._hash = 0, BEFORE_FIRST
        self._places: dict[int, Place] = {}
        self._hosts: dict[int, Host] = {}
        self._voids: Counter[BlockKey] = Counter()
        """By place in the tournament, how often voided matches have shown its cards."""
        self._origin: Origin | None = None
        self._shard: _ShardChain | None = None
        self._last_shard = 0
        self._in_shards: set[int] = set()
        """The matches that shards have played."""
        self._commitment = meta.commitment

    @property
    def planned(self) -> int:
        """How many matches the plan has."""
        return len(self._now.plan)

    @property
    def has_ended(self) -> bool:
        """Whether nothing will be added to the plan."""
        return self._now.config.is_fixed or self._now.has_ended

    @property
    def counting(self) -> int:
        """How many matches count."""
        return sum(place.number is not None for place in self._places.values())

    def places(self) -> list[Place]:
        """Which matches count, by all that has been followed."""
        return list(self._places.values())

    def take(self, entry: Entry) -> Iterator[str]:
        """Follow the next row; what is wrong with it, one text for each finding. Raises NotFollowed."""
        self.match = None
        where = f"row #{entry.id}"
        if entry.id != self._last_id + 1:
            yield f"{where}: the ids are not 1, 2, 3 and so on: a row was put in or taken out before it"
        if entry.hash != chained(self._hash, entry.kind, body_hash(entry.body)):
            yield f"{where}: its hash does not follow from it and the row before: a row was changed, moved or taken out"
        self._last_id, self._hash = entry.id, entry.hash
        try:
            row = DECODERS[entry.kind].decode(entry.body) if entry.kind in DECODERS else None
        except (msgspec.MsgspecError, RecursionError) as error:
            yield f"{where} ({entry.kind}): it is damaged ({error})"
            return
        if row is None:
            yield f"{where}: golfref writes no row of the kind {_shown(entry.kind)}"
            return
        if encode(row).decode() != entry.body:
            yield f"{where} ({entry.kind}): golfref writes it otherwise"
        yield from (f"{where} ({entry.kind}): {text}" for text in self._take(entry, row))

    def end(self) -> Iterator[str]:
        """What is wrong after the last row: with the places of the matches, and with records of none."""
        if self._shard is not None:
            yield "the last row: a shard does not end"
        told = {place.id: place for place in self._store.places()}
        for id_ in sorted(told.keys() | self._places.keys()):
            if told.get(id_) != self._places.get(id_):
                both = (_place_in_words(of.get(id_)) for of in (told, self._places))
                yield "places: match #{}: the store has {}; from the journal follows {}".format(id_, *both)
        for id_ in self._store.record_ids():
            if id_ not in self._places:
                yield f"records: record #{id_} is that of no match"

    def _take(self, entry: Entry, row: AnyRow) -> Iterator[str]:  # noqa: C901, PLR0912 - a case for each kind
        shard, id_ = self._shard, entry.id
        if shard is not None and not isinstance(row, ShardBegins | Merged):
            shard.take(row)
            if isinstance(row, Begin | Amended | Drawn | Ended):
                yield "a shard has no such row"
                return
        match row:
            case Begin():
                yield from self._begin(id_, row)
            case Match():
                yield from self._match(entry, row)
            case Void():
                yield from self._void(row)
            case Drawn() | Ended():
                yield from self._drawn(row)
            case Amended():
                yield from self._amended(id_, row)
            case Host():
                self._hosts[id_] = row
            case Origin():
                if row == self._origin:
                    yield "it says again what plays already"
                self._origin = row
            case ShardBegins():
                yield from self._shard_ends()
                yield from self._shard_begins(id_, row)
            case Merged():
                if shard is None:
                    yield "no shard is before it"
                yield from self._shard_ends()
                self._shard, self._origin = None, None
            case _:
                yield from self._noted(row)

    def _begin(self, id_: int, row: Begin) -> Iterator[str]:
        if id_ != 1:
            yield "a run begins once"
            return
        if row.format != STORE_FORMAT:
            yield f"it has store format {row.format}"
        if commitment(self._key) != row.commitment:
            yield "the master key does not match the commitment"
        if row.config.seed is not None and master_key(row.config.seed) != self._key:
            yield "the master key is not the one that the seed gives"
        self._origin = row.origin
        yield from self._check_config(())

    def _amended(self, id_: int, row: Amended) -> Iterator[str]:
        before = self._now.config
        try:
            self._now = self._begun(self._now.number + 1)
        except (ValueError, IndexError) as error:
            raise NotFollowed(f"row #{id_}: no plan follows from its config ({error})") from None
        found = config_differences(before, row.config)
        yield from (f"no amendment does this: {_shown(one.in_words)}" for one in found.refused)
        if before.shard is not None:
            yield "a shard is never amended"
        if not found.changes:
            yield "an amendment that changes nothing"
        yield from self._check_config(self._configs[: self._now.number])
        for entry in self._store.entries():
            if entry.id >= id_:
                return
            if (place := self._places.get(entry.id)) is not None:
                self._place_again(place, entry, id_)

    def _place_again(self, place: Place, entry: Entry, amendment: int) -> None:
        with suppress(msgspec.MsgspecError, ValueError):  # it was a finding when the row was followed
            match = committed_match(entry.id, None, None, entry.body)
            number = self._now.number_of(match.identity)
            self._now.played.add(match, number)
            if number is not None:
                self._now.lacking.discard(number)
                self._places[entry.id] = placed(self._now.plan, entry.id, number)
            else:
                self._places[entry.id] = Place(id=entry.id, dropped_by=place.dropped_by or amendment)

    def _check_config(self, had: "list[RunConfig] | tuple[()]") -> Iterator[str]:
        """What of the config that begins now does not follow from those that the run `had`."""
        config, period = self._now.config, self._periods[self._now.number]
        try:
            config.check_names()
        except ValueError as error:
            yield str(error)
        for bot, expected in zip(config.bots, config.counted(had).bots, strict=True):
            if bot != expected:
                what = f"expected {expected.versions_before} for bot {_shown(bot.name)}, got {bot.versions_before}"
                yield f"versions_before: {what}"
        if (planned := matches_told(config, self._now.plan)) != period.matches:
            yield f"the plan has {planned} matches, but the row says {period.matches}"

    def _begun(self, number: int) -> "_Period":
        return _Period(number, next(self._wholes), self._periods, self._key)

    # Matches and voids

    def _match(self, entry: Entry, row: Match) -> Iterator[str]:
        now, id_ = self._now, entry.id
        try:
            match = committed_match(id_, None, None, entry.body)
        except ValueError as error:
            yield f"it is damaged ({error})"
            return
        identity = match.identity
        number = now.number_of(identity)
        planned_match = None
        if number is None:
            yield f"the plan of then does not have it: {_identity_in_words(identity)}"
        else:
            planned_match = now.plan[number]
            if (planned := now.terms.identity(planned_match)) != identity:
                yield f"stored as {_identity_in_words(identity)}; the plan has {_identity_in_words(planned)}"
            if number not in now.lacking:
                yield "it is there twice"
            planned_match = now.plan.dealt(planned_match, row.redeals)
        shown = self._voids[identity.place] if now.config.rotations == "fresh" else 0
        if row.redeals != shown:
            yield f"its cards were dealt anew {row.redeals} times, but voided matches had shown them {shown} times"
        yield from self._check_host(row)
        if number is not None and number in now.lacking:
            now.lacking.discard(number)
            now.played.add(match, number)
            self._places[id_] = placed(now.plan, id_, number)
        else:
            self._places[id_] = Place(id=id_)
        origin = self._origin if row.host is None else None
        if row.host in self._hosts:
            origin = self._hosts[row.host].origin
        self.match = Committed(
            id=id_, row=row, result=match.result, config=now.config, origin=origin, planned_match=planned_match
        )

    def _void(self, row: Void) -> Iterator[str]:
        now, identity = self._now, row.identity
        self._voids[identity.place] += 1
        yield from self._check_host(row)
        number = now.number_of(identity)
        if number is None or now.terms.identity(now.plan[number]) != identity:
            yield f"the plan of then does not have its match: {_identity_in_words(identity)}"
            return
        if number not in now.lacking:
            yield "its match had been committed already"
        if not 1 <= row.attempt <= ATTEMPTS or row.attempt not in (1, now.attempts[number] + 1):
            yield f"attempt {row.attempt} follows no other"
        now.attempts[number] = row.attempt
        if row.attempt >= ATTEMPTS:
            now.given_up.add(number)

    def _check_host(self, row: Match | Void) -> Iterator[str]:
        if row.host is not None and row.host not in self._hosts:
            yield f"it names row #{row.host} as its host, and no host came there before"

    # Rounds

    def _drawn(self, row: Drawn | Ended) -> Iterator[str]:
        now, drawn = self._now, row.what
        if now.config.is_fixed:
            yield "something is drawn, but the plan does not grow"
            return
        if now.has_ended:
            yield "something is drawn after the end"
        if row.used_s is not None and now.config.hours is None:
            yield "it says how long was played, but the run has no time to keep to"
        early = now.lacking - now.given_up
        if early:
            yield f"it was drawn before match {min(early)} had ended"
        elif self._draws_again and now.is_as_drawn:
            for text in self._check_drawn(drawn):
                now.is_as_drawn = False
                yield text
        if isinstance(drawn, Round):
            try:
                check_entered(drawn, now.known)
                now.add(drawn)
            except ValueError as error:
                raise NotFollowed(f"row #{self._last_id}: the round cannot be played ({error})") from None
        else:
            now.has_ended = True

    def _check_drawn(self, drawn: Round | End) -> Iterator[str]:
        now, hours = self._now, self._now.config.hours
        expected = next_round(draw_input(now.config, self._key), now.played.past())
        is_endless = now.config.traits.is_endless
        is_over = hours is not None and not is_endless and drawn == hours_are_over(hours)
        if expected != drawn and not (is_over and isinstance(expected, Round)):
            yield f"golfref draws otherwise: {_difference(drawn, expected)}"

    # Shards

    def _shard_begins(self, id_: int, row: ShardBegins) -> Iterator[str]:
        self._shard = _ShardChain(id_, row)
        self._origin = row.begin.origin
        config, shard, before = self._now.config, row.shard, self._now
        if config.shard is not None or self._places.keys() - self._in_shards or before.number:
            yield "shards are put together before anything else is played"
        if shard is None or not shard.exists or shard.number <= self._last_shard:
            yield "the shards do not follow one another"
            return
        self._last_shard = shard.number
        found = config_differences(config, replace(row.begin.config, shard=None))
        if found.changes or found.refused or row.begin.commitment != self._commitment:
            yield "it is a shard of another run"

    def _shard_ends(self) -> Iterator[str]:
        if self._shard is not None:
            if self._shard.hash != self._shard.expected:
                yield "the rows before it are not those that the shard had when it was put together (hash)"
            self._in_shards.update(self._places)

    # What else is noted

    def _noted(self, row: AnyRow) -> Iterator[str]:
        config = self._now.config
        versions = {bot.name: bot.version for bot in config.bots}
        match row:
            case Hours() if config.hours is None:
                yield "it says how long was played, but the run has no time to keep to"
            case BotChanged() if versions.get(row.bot) != row.before or row.before == row.after:
                yield "the bot did not have this version"
            case KeptOut() if short(versions.get(row.bot, "")) == row.version:
                yield f"the bot {_shown(row.bot)} is kept out, but this version of it plays"
            case HostLost() if row.host not in {host.name for host in self._hosts.values()}:
                yield "no host of this name came"
            case _:
                pass


class _ShardChain:
    """The chain of hashes that a shard had, made anew from its rows in a run that was put together."""

    def __init__(self, id_: int, row: ShardBegins) -> None:
        self._offset, self.expected = id_ - 1, row.hash
        self.hash = BEFORE_FIRST
        self.take(row.begin)

    def take(self, row: AnyRow) -> None:
        """The next row."""
        self.hash = chained(self.hash, KIND_OF[type(row)], body_hash(encode(with_host_moved(row, -self._offset))))


class _Period:
    """A period of a run in which its config stays the same, while it is followed."""

    def __init__(self, number: int, whole: WholeDeals, periods: list[ConfigPeriod], key: bytes) -> None:
        """Raises ValueError where no plan follows."""
        self.number, self.config = number, periods[number].config
        self.terms = MatchIdentities(self.config)
        self.plan: Plan = grown(whole, self.config, periods[:number])
        if (matches := sum(self.plan.matches.values())) > MOST_MATCHES:
            raise ValueError(f"{matches} matches in the plan; expected {MOST_MATCHES} at most")
        self.number_of = finder(self.plan, self.terms)
        self.played = PlayedSoFar(self.plan, self.terms, keeps_results=needs_results(draw_input(self.config, key)))
        self.lacking = set(range(len(self.plan)))
        """The matches of the plan that have no result yet."""
        self.attempts: Counter[int] = Counter()
        """By match the last attempt that was voided."""
        self.given_up: set[int] = set()
        self.known = {bot.name for one in periods[: number + 1] for bot in one.config.bots}
        """The names of all bots that the run has had."""
        self.has_ended = False
        self.is_as_drawn = True
        """Whether all that was drawn in this period is as golfref draws it."""

    def add(self, drawn: Round) -> None:
        """The plan grows by a round. Raises ValueError where it cannot be played."""
        had = len(self.plan)
        self.plan.add(drawn)
        self.lacking.update(range(had, len(self.plan)))


def put_places(path: Path) -> None:
    """Write into a store that was made again which of its matches count. Nothing is written where nothing follows."""
    with locked(path) as lock, closing(Store.open(path, lock=lock)) as store, suppress(NotFollowed):
        history = RunHistory(store, draws_again=False)
        for entry in store.entries():
            for _ in history.take(entry):
                pass
        store.put_places(iter(history.places()))


def _check_bounds(periods: list[ConfigPeriod]) -> None:
    """Raises ValueError where more is to be drawn than anybody follows."""
    for config in (one.config for one in periods):
        for rules in config.stages:
            figures = {"line-ups": rules.lineups}
            if not config.is_fixed:
                figures |= {"deals": rules.deals, "rounds": rules.rounds, "deals of a tie": rules.limit}
            for what, count in figures.items():
                if count is not None and count > MOST_MATCHES:
                    raise ValueError(f"{count} {what}; expected {MOST_MATCHES} at most")
            if not config.is_fixed and not config.traits.has_whole_deals:
                tables = rules.deals * sum(_tables(rules, len(config.bots), one.seats) for one in config.variants)
                if len(config.bots) > MOST_BOTS:
                    raise ValueError(f"rounds of {len(config.bots)} bots; expected {MOST_BOTS} at most")
                if tables > MOST_MATCHES:
                    raise ValueError(f"rounds of up to {tables} tables; expected {MOST_MATCHES} at most")
    tables = sum(len(one.what.tables) for period in periods for one in period.drawn if isinstance(one.what, Round))
    if tables * len(periods) > MOST_MATCHES:  # the plan of each period has all of them
        raise ValueError(f"{tables} tables and {len(periods) - 1} amendments, more than anybody follows")


def _tables(rules: StageRules, bots: int, seats: int) -> int:
    """How many line-ups a round that has its tables has of a variant, at most."""
    return rules.lineups or (comb(bots, seats) if FORMATS[rules.format].has_whole_deals else bots)


def _difference(told: Round | End, expected: Round | End) -> str:
    """The first way in which two drawings differ, in words."""
    if isinstance(told, End) or isinstance(expected, End):
        both = (printable(drawn_in_words(one), LONGEST_SHOWN) for one in (told, expected))
        return "; ".join(f"{whose} `{words}`" for whose, words in zip(_WHOSE, both, strict=True))
    one, other = (msgspec.to_builtins(drawn) for drawn in (told, expected))
    return next(differences(one, other, _WHOSE), "")


def _identity_in_words(identity: Identity) -> str:
    bots = ", ".join(f"{bot} ({short(version)}, {before} before)" for bot, version, before in identity.entries)
    return printable(f"{identity.variant}, deal {identity.deal}, rotation {identity.rotation}, {bots}", 500)


def _place_in_words(place: Place | None) -> str:
    if place is None:
        return "no match"
    if place.number is None:
        return f"that amendment #{place.dropped_by} dropped it"
    return f"number {place.number} in block {place.block}"


def _shown(text: str) -> str:
    return printable(text, LONGEST_SHOWN)
