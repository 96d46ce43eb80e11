"""Putting the shards of a run together into one store, after checking that they fit.

The rows of each shard stay in their order, and the shards follow one another in the order of their numbers. This module
must not know how matches are played.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.tournament.config.differences import config_differences
from referee.tournament.config.planned import MatchIdentities, whole_deals_of
from referee.tournament.config.run_config import RunConfig
from referee.tournament.plan.keys import commitment
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.shards import Shard
from referee.tournament.store import tables
from referee.tournament.store.disk import SIDE_FILES, StoreError, locked, refusal, sync_folder
from referee.tournament.store.events import Origin, part_begins, parts_end, tells_origin
from referee.tournament.store.hosts import Host, StoredHost
from referee.tournament.store.rows import CommittedMatch, Meta
from referee.tournament.store.store import Store, meta_rows

_SHOWN = 300
"""How many characters are shown of what a store tells."""


_INSERT_MATCH = "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class MergedPart(Struct, frozen=True, kw_only=True):
    """What came of one shard."""

    path: Path
    shard: Shard
    hosts: tuple[str, ...]
    """Where it was played."""
    matches: int
    planned: int


class Merged(Struct, frozen=True, kw_only=True):
    """What came of a merge."""

    parts: tuple[MergedPart, ...]
    copies: tuple[tuple[Path, Path], ...]
    """Stores that hold nothing but what another one holds too, each with that one."""
    missing: tuple[Shard, ...]
    planned: int
    """How many matches the run has."""

    @property
    def matches(self) -> int:
        """How many of them were played."""
        return sum(part.matches for part in self.parts)


class _Part(Struct, frozen=True, kw_only=True):
    """A shard's store."""

    store: Store
    meta: Meta
    shard: Shard
    hosts: list[StoredHost]

    @property
    def path(self) -> Path:
        return self.store.path

    @property
    def facts(self) -> RunConfig:
        """What the whole run depends on."""
        return replace(self.meta.facts, shard=None)

    @property
    def origins(self) -> list[Origin]:
        """All that played it."""
        return [self.meta.origin, *(one.host.origin for one in self.hosts)]


def merge(paths: Sequence[Path], out: Path) -> Merged:
    """Put the shards in these files together in a new store. Either it is whole, or it is not there.

    Raises StoreError, which names the file, match or field that does not fit, and WriteFailed.
    """
    with contextlib.ExitStack() as stack:
        parts = [_opened(stack, path) for path in paths]
        for part in parts[1:]:
            _check_fits(parts[0], part)
        parts, copies = _without_copies(parts)
        stack.enter_context(locked(out))
        for rest in ("", *SIDE_FILES):
            if os.path.lexists(f"{out}{rest}"):
                raise StoreError(f"{out}{rest} exists already; name another file with -o, or move it away")
        whole = whole_deals_of([parts[0].facts], _key(parts[0]))
        plans = {part.shard.number: Plan(whole, shard=part.shard) for part in parts}
        _write(out, parts, plans, len(whole))
        return Merged(
            parts=tuple(_told(part, plans[part.shard.number]) for part in parts),
            copies=tuple(copies),
            missing=_missing(parts),
            planned=len(whole),
        )


def _told(part: _Part, plan: Plan) -> MergedPart:
    return MergedPart(
        path=part.path,
        shard=part.shard,
        hosts=tuple(dict.fromkeys(one.host.name for one in part.hosts)),
        matches=len(part.store.numbers()),
        planned=len(plan),
    )


def _missing(parts: Sequence[_Part]) -> tuple[Shard, ...]:
    there, of = {part.shard.number for part in parts}, parts[0].shard.of
    return tuple(Shard(number=number, of=of) for number in range(1, of + 1) if number not in there)


# What fits


def _opened(stack: contextlib.ExitStack, path: Path) -> _Part:
    """A shard's store, as it is now. Raises StoreError where it is none, or not as a shard is."""
    store = stack.enter_context(contextlib.closing(Store.open(path)))
    store.hold()
    meta = store.meta()
    shard = meta.facts.shard
    if shard is None:
        raise StoreError(f"{path} is no shard of a run, but all of one; `golfref tournament --shard K/N` plays shards")
    if not shard.exists:
        raise StoreError(f"{path} says that it is shard {shard}, which there cannot be")
    if store.former():
        raise StoreError(f"{path} was amended, and an amended shard fits to no other")
    try:
        key = bytes.fromhex(meta.master_key)
    except ValueError:
        key = b""
    if commitment(key) != meta.commitment:
        raise StoreError(f"{path}: the master key does not match the commitment; `golfref verify {path}` says more")
    hosts = store.hosts() or [_unnamed(meta, shard)]
    return _Part(store=store, meta=meta, shard=shard, hosts=hosts)


def _unnamed(meta: Meta, shard: Shard) -> StoredHost:
    """What played a shard that tells of no host."""
    host = Host(name=f"shard {shard}", golfref=meta.golfref, protocol=meta.protocol, host=meta.host)
    return StoredHost(id=1, after=0, events=0, voids=0, host=host)


def _key(part: _Part) -> bytes:
    return bytes.fromhex(part.meta.master_key)


def _check_fits(one: _Part, other: _Part) -> None:
    """Raises StoreError where two stores are not shards of the same run."""
    where = f"{other.path} does not fit to {one.path}:"
    if one.shard.of != other.shard.of:
        raise StoreError(f"{where} it is shard {other.shard}, and that is shard {one.shard}")
    if one.meta.commitment != other.meta.commitment:
        raise StoreError(
            f"{where} it has another master key (commitment {other.meta.commitment}, not {one.meta.commitment}); "
            "all shards are played with the same --key FILE, or the same seed"
        )
    found = config_differences(one.facts, other.facts)
    if lines := [*(one.in_words for one in found.refused), *found.changes]:
        told = "\n".join(f"  {printable(line, _SHOWN)}" for line in lines)
        raise StoreError(f"{where} it was played with another config:\n{told}")
    for ours in one.origins:
        for theirs in other.origins:
            _check_alike(where, ours, theirs)


def _check_alike(where: str, ours: Origin, theirs: Origin) -> None:
    """Other releases of golfref may deal and play otherwise; those that only mend something do not."""
    for what, one, other in (
        ("protocol", ours.protocol, theirs.protocol),
        ("golfref", _release(ours.golfref), _release(theirs.golfref)),
    ):
        if one != other:
            shown = [printable(text, _SHOWN) for text in (other, one)]
            raise StoreError(f"{where} it was played with {what} {shown[0]}, and that with {what} {shown[1]}")


def _release(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _without_copies(parts: Sequence[_Part]) -> tuple[list[_Part], list[tuple[Path, Path]]]:
    """The shards by number, each once; and the copies that were left out, each with the store that has all of it.

    Raises StoreError where two stores of the same shard do not fit.
    """
    kept: dict[int, _Part] = {}
    copies = []
    for part in sorted(parts, key=lambda part: (part.shard.number, -part.store.last_id(), len(part.store.history()))):
        if (fuller := kept.setdefault(part.shard.number, part)) is part:
            continue
        _check_copy(fuller, part)
        copies.append((part.path, fuller.path))
    return list(kept.values()), copies


def _check_copy(fuller: _Part, part: _Part) -> None:
    """Raises StoreError where not all that a store of a shard holds is in another store of it."""
    both = f"{fuller.path} and {part.path} are both shard {part.shard}"
    theirs = dict(part.store.hashes())
    ours = dict(fuller.store.hashes())
    for number, value in theirs.items():
        if ours.get(number, value) != value:
            who = ", ".join(part.store.planned(number).identity.bots)
            raise StoreError(f"{both}, and match {number} ({who}) has another result in each; leave one of them out")
    lines = fuller.store.lines()
    if not all(line == next(lines, None) for line in part.store.lines()):
        raise StoreError(f"{both}, but they were played apart: neither holds all of the other; leave one of them out")


# What is written


class _Offsets(Struct):
    """How many rows the shards before have."""

    matches: int = 0
    voids: int = 0
    events: int = 0
    hosts: int = 0


def _write(out: Path, parts: Sequence[_Part], plans: Mapping[int, Plan], matches: int) -> None:
    """Write the store, which gets its name when it is whole."""
    unborn = out.with_name(out.name + ".new")
    first = parts[0]
    meta = replace(first.meta, facts=first.facts, matches=matches)
    try:
        unborn.unlink(missing_ok=True)
        os.close(os.open(unborn, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        with contextlib.closing(sqlite3.connect(unborn)) as connection:
            # Nobody sees the file before it is whole, so that nothing need be undone.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            with connection:
                connection.executescript(tables.TABLES + tables.HOST_TABLES)
                connection.executemany("INSERT INTO meta VALUES (?, ?)", meta_rows(meta))
                _write_rows(connection, parts, plans)
        with unborn.open("rb") as file:
            os.fsync(file.fileno())
        unborn.rename(out)
        sync_folder(out)
    except (OSError, sqlite3.Error) as error:
        raise refusal(out, error) from None
    finally:
        with contextlib.suppress(OSError):
            unborn.unlink(missing_ok=True)


def _write_rows(connection: sqlite3.Connection, parts: Sequence[_Part], plans: Mapping[int, Plan]) -> None:
    before = _Offsets()
    told = parts[0].meta.origin.in_words
    for part in parts:
        origin = part.meta.origin.in_words
        lines = [part_begins(part.shard), *([] if origin == told else [origin])]
        _note(connection, before, 0, lines)
        told = next((line for line in reversed(_lines(part)) if tells_origin(line)), origin)
        _write_part(connection, part, plans[part.shard.number], before)
    _note(connection, before, 0, [parts_end()])


def _lines(part: _Part) -> list[str]:
    return [line for event in part.store.history() for line in event.lines]


def _note(connection: sqlite3.Connection, before: _Offsets, after: int, lines: Sequence[str]) -> None:
    before.events += 1
    row = (before.events, before.matches + after, _json(lines), None)
    connection.execute("INSERT INTO history VALUES (?, ?, ?, ?)", row)


def _write_part(connection: sqlite3.Connection, part: _Part, plan: Plan, before: _Offsets) -> None:
    """Write all rows of a shard, with the numbers that its matches have in the whole run."""
    store, events = part.store, before.events
    for event in store.history():
        _note(connection, before, event.after, event.lines)
    for void in store.voids():
        if void.number is None or not 0 <= void.number < len(plan):
            raise StoreError(f"{part.path}: void #{void.id} is of no match of the shard")
        where = (before.matches + (void.after or 0), events + (void.events or 0), plan.number_in_whole(void.number))
        row = (before.voids + void.id, *where, _json(void.bots), void.attempt, void.reason)
        connection.execute("INSERT INTO voids VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    for one in part.hosts:
        moment = (before.matches + one.after, events + one.events, before.voids + one.voids)
        told = (before.hosts + one.id, *moment, _json(one.host))
        connection.execute("INSERT INTO hosts VALUES (?, ?, ?, ?, ?)", told)
    ids, void_ids = store.ids(), store.all_ids()["voids"]
    for id_, host in _by_host(part, store.played_on(), ids):
        connection.execute("INSERT INTO played_on VALUES (?, ?)", (before.matches + id_, before.hosts + host))
    for id_, host in _by_host(part, store.voided_on(), void_ids):
        connection.execute("INSERT INTO voided_on VALUES (?, ?)", (before.voids + id_, before.hosts + host))
    connection.executemany(_INSERT_MATCH, _match_rows(part, plan, before.matches))
    before.matches += len(ids)
    before.voids += len(void_ids)
    before.hosts += len(part.hosts)


def _by_host(part: _Part, told: Mapping[int, int], ids: Sequence[int]) -> list[tuple[int, int]]:
    """By id of a match or a void its host, which is the only one where the shard tells of none."""
    return list(told.items()) if part.store.has_hosts else [(id_, 1) for id_ in ids]


def _match_rows(part: _Part, plan: Plan, offset: int) -> Iterator[tuple[object, ...]]:
    terms = MatchIdentities(part.meta.facts)
    for match, packed in part.store.with_packed_records():
        number = _number(part, match, plan, terms)
        block = plan.whole.block_of(number)
        who = match.identity
        what = (who.variant, who.game, _json(who.bots), _json(who.versions), who.deal, who.rotation)
        result = _json(replace(match.result, number=number, block=block))
        yield (offset + match.id, number, *what, result, match.hash, packed)


def _number(part: _Part, match: CommittedMatch, plan: Plan, terms: MatchIdentities) -> int:
    """The number of a match in the whole plan. Raises StoreError where the shard has no such match."""
    number = match.number
    if number is None or not 0 <= number < len(plan) or terms.identity(plan[number]) != match.identity:
        what = "is not the one that the plan of the shard has there"
        raise StoreError(f"{part.path}: match #{match.id} {what}; `golfref verify {part.path}` says more")
    return plan.number_in_whole(number)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
