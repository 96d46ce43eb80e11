"""Putting the shards of a run together into one store, after checking that they fit.

The rows of each shard stay in their order, and the shards follow one another in the order of their numbers. This module
must not know how matches are played.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
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
from referee.tournament.store.disk import SIDE_FILES, StoreError, locked
from referee.tournament.store.journal import Journal, new_file
from referee.tournament.store.origins import Host, Origin
from referee.tournament.store.plans import finder, placed
from referee.tournament.store.rows import (
    DECODERS,
    KIND_OF,
    Amended,
    AnyRow,
    Begin,
    Match,
    Merged,
    Place,
    ShardBegins,
    Void,
    body_of,
)
from referee.tournament.store.store import Store

_SHOWN = 300
"""How many characters are shown of a text from a store."""


class MergedPart(Struct, frozen=True, kw_only=True):
    """What came of one shard."""

    path: Path
    shard: Shard
    hosts: tuple[str, ...]
    """Where it was played."""
    matches: int
    planned: int


class MergedRun(Struct, frozen=True, kw_only=True):
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
    begin: Begin
    key: str
    shard: Shard
    hosts: list[Host]

    @property
    def path(self) -> Path:
        return self.store.path

    @property
    def config(self) -> RunConfig:
        """What the whole run depends on."""
        return replace(self.begin.config, shard=None)

    @property
    def origins(self) -> list[Origin]:
        """All that played it."""
        return [self.begin.origin, *(one.origin for one in self.hosts)]


def merge(paths: Sequence[Path], out: Path) -> MergedRun:
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
        plan = Plan(whole_deals_of([parts[0].config], bytes.fromhex(parts[0].key)))
        _write(out, parts, plan)
        return MergedRun(
            parts=tuple(map(_merged, parts)), copies=tuple(copies), missing=_missing(parts), planned=len(plan)
        )


def _merged(part: _Part) -> MergedPart:
    return MergedPart(
        path=part.path,
        shard=part.shard,
        hosts=tuple(dict.fromkeys(one.name for one in part.hosts)) or (f"shard {part.shard}",),
        matches=len(part.store.numbers()),
        planned=part.begin.matches,
    )


def _missing(parts: Sequence[_Part]) -> tuple[Shard, ...]:
    there, of = {part.shard.number for part in parts}, parts[0].shard.of
    return tuple(Shard(number=number, of=of) for number in range(1, of + 1) if number not in there)


# What fits


def _opened(stack: contextlib.ExitStack, path: Path) -> _Part:
    """A shard's store, as it is now. Raises StoreError where it is none, or not as a shard is."""
    store = stack.enter_context(contextlib.closing(Store.open(path)))
    store.hold()
    meta, begin = store.meta(), store.begin()
    shard = begin.config.shard
    if shard is None:
        raise StoreError(f"{path} is no shard of a run, but all of one; `golfref tournament --shard K/N` plays shards")
    if not shard.exists:
        raise StoreError(f"{path} says that it is shard {shard}, which there cannot be")
    if any(store.rows(Amended)):
        raise StoreError(f"{path} was amended, and an amended shard fits to no other")
    if commitment(bytes.fromhex(meta.master_key)) != meta.commitment:
        raise StoreError(f"{path}: the master key does not match the commitment; `golfref verify {path}` says more")
    return _Part(store=store, begin=begin, key=meta.master_key, shard=shard, hosts=[*store.hosts().values()])


def _check_fits(one: _Part, other: _Part) -> None:
    """Raises StoreError where two stores are not shards of the same run."""
    where = f"{other.path} does not fit to {one.path}:"
    if one.shard.of != other.shard.of:
        raise StoreError(f"{where} it is shard {other.shard}, and that is shard {one.shard}")
    if one.begin.commitment != other.begin.commitment:
        raise StoreError(
            f"{where} it has another master key (commitment {other.begin.commitment}, not {one.begin.commitment}); "
            "all shards are played with the same --key FILE, or the same seed"
        )
    found = config_differences(one.config, other.config)
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
    for part in sorted(parts, key=lambda part: (part.shard.number, -part.store.last_row())):
        if (fuller := kept.setdefault(part.shard.number, part)) is part:
            continue
        _check_copy(fuller, part)
        copies.append((part.path, fuller.path))
    return list(kept.values()), copies


def _check_copy(fuller: _Part, part: _Part) -> None:
    """Raises StoreError where not all that a store of a shard holds is in another store of it."""
    both = f"{fuller.path} and {part.path} are both shard {part.shard}"
    ours = {match.number: match.hash for match in fuller.store.matches()}
    for match in part.store.matches():
        if ours.get(match.number, match.hash) != match.hash:
            who = ", ".join(match.identity.bots)
            raise StoreError(
                f"{both}, and match {match.number} ({who}) has another result in each; leave one of them out"
            )
    entries = fuller.store.entries()
    if not all(entry == next(entries, None) for entry in part.store.entries()):
        raise StoreError(f"{both}, but they were played apart: neither holds all of the other; leave one of them out")


# What is written


def _write(out: Path, parts: Sequence[_Part], plan: Plan) -> None:
    """Write the store, which gets its name when it is whole."""
    places: list[Place] = []
    with new_file(out, parts[0].key) as journal:
        first = replace(parts[0].begin, config=parts[0].config, matches=len(plan))
        _add(journal, first)
        for part in parts:
            places += _write_part(journal, part, plan, MatchIdentities(parts[0].config))
        _add(journal, Merged())
        journal.put_places(iter(places))


def _write_part(journal: Journal, part: _Part, plan: Plan, terms: MatchIdentities) -> Iterator[Place]:
    """Write all rows of a shard; the places that its matches have in the whole run."""
    number_of, number_here = finder(plan, terms), finder(Plan(plan.whole, shard=part.shard), terms)
    begin = _add(journal, ShardBegins(begin=part.begin, hash=part.store.digest()))
    for entry in part.store.entries(after=1):
        row = _row(part, entry.kind, entry.id, entry.body)
        id_ = _add(journal, with_host_moved(row, begin - 1))
        if id_ != begin - 1 + entry.id:
            raise StoreError(f"{part.path}: rows of its journal are missing; `golfref verify {part.path}` says more")
        if not isinstance(row, Match):
            continue
        number, packed = number_of(row.identity), part.store.packed_record(entry.id)
        if number is None or packed is None or number_here(row.identity) is None:
            what = "is not one that the plan of the shard has, or has no record"
            raise StoreError(f"{part.path}: match #{entry.id} {what}; `golfref verify {part.path}` says more")
        journal.add_record(id_, packed)
        yield placed(plan, id_, number)


def _row(part: _Part, kind: str, id_: int, body: str) -> AnyRow:
    try:
        return DECODERS[kind].decode(body)
    except (msgspec.MsgspecError, KeyError, RecursionError) as error:
        raise StoreError(f"{part.path}: row #{id_} of its journal is damaged ({error})") from None


def with_host_moved(row: AnyRow, by: int) -> AnyRow:
    """The row as it is where the ids of hosts are higher by so many."""
    if not isinstance(row, Match | Void) or row.host is None:
        return row
    return replace(row, host=row.host + by)


def _add(journal: Journal, row: AnyRow) -> int:
    return journal.add_body(KIND_OF[type(row)], body_of(row))
