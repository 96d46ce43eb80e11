"""A run on disk: what its journal says, as readers ask for it, and how whoever plays it adds to it.

A match is committed when it ends, and its row and its record never change or go. An amendment of the run may put it out
of the standings, or give it another number. This module must not know how matches are played or what a standing is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.config.planned import MatchIdentities
from referee.tournament.config.run_config import RunConfig
from referee.tournament.orders import Played
from referee.tournament.plan.planned_match import Identity
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import NOT_PLANNED, Result, check_seats
from referee.tournament.store.disk import Lock, StoreError
from referee.tournament.store.journal import Journal, new_file, opened
from referee.tournament.store.origins import Host, Origin
from referee.tournament.store.rows import (
    DECODERS,
    KIND_OF,
    STORE_FORMAT,
    Amended,
    AnyRow,
    Begin,
    CommittedMatch,
    Drawn,
    Ended,
    Hours,
    Merged,
    Meta,
    Place,
    ShardBegins,
    Void,
    match_row,
    void_row,
)

R = TypeVar("R", bound=Struct)

AT_ONCE = 64
"""How many records are read at once where all of them are."""

_AMENDMENTS = "FROM journal WHERE kind <> 'match' AND kind = 'amendment'"
"""Without the first condition SQLite would not use the index, but read all matches."""

_MATCHES = "SELECT p.id, p.number, p.block, j.body FROM places p JOIN journal j ON j.id = p.id"
_BLOCKS = "SELECT min(id) AS id, count(*) AS matches FROM places WHERE number IS NOT NULL GROUP BY block"
_RECORDS = (
    "SELECT p.id, p.number, p.block, j.body, r.record FROM places p JOIN journal j ON j.id = p.id"
    " JOIN records r ON r.id = p.id WHERE p.id > ? AND p.id <= ? ORDER BY p.id LIMIT ?"
)


class _Hash(Struct, frozen=True, kw_only=True):
    """The part of a match's row that says neither which match it is nor what came of it."""

    record_hash: str
    host: int | None = None


class _Table(Struct, frozen=True, kw_only=True):
    """The part of a match's row that says who sat at the table."""

    variant: str
    bots: tuple[str, ...]


_DAMAGED = (msgspec.MsgspecError, TypeError, ValueError, RecursionError)
"""What is raised where what a file holds cannot be decoded."""

_decode_result = msgspec.json.Decoder(Result).decode
_decode_identity = msgspec.json.Decoder(Identity).decode
_decode_hash = msgspec.json.Decoder(_Hash).decode
_decode_table = msgspec.json.Decoder(_Table).decode


class Store(Journal):
    """An open run. `create` begins one, `open` goes on with one or only reads it. Whatever fails raises StoreError."""

    @classmethod
    def create(cls, path: Path, meta: Meta, lock: Lock) -> "Store":
        """Begin a run in a new file that only its owner can read. Raises StoreError, or WriteFailed on a full disk.

        The file gets its name only when it is a whole store, so that a kill leaves no half of one.
        """
        with new_file(path, meta.master_key) as journal:
            journal.add(
                Begin(
                    golfref=meta.golfref,
                    protocol=meta.protocol,
                    host=meta.host,
                    config=meta.config,
                    matches=meta.matches,
                    commitment=meta.commitment,
                )
            )
        return cls.open(path, lock=lock)

    @classmethod
    def open(cls, path: Path, *, lock: Lock | None = None) -> "Store":
        """Open a run to read it, or with its lock to write. Raises StoreError where there is no store."""
        connection, mode = opened(path, lock)
        store = cls(path, connection, lock, mode)
        try:
            store.check_shape()
            store.meta()
        except StoreError:
            store.close()
            raise
        return store

    # What the run is, and what happened to it

    def begin(self) -> Begin:
        """How the run began."""
        found = self._read("SELECT kind, body FROM journal WHERE id = 1")
        if not found or found[0][0] != "begin":
            raise StoreError(f"{self.path}: row #1 of its journal is damaged (expected the beginning of a run)")
        begin = self._row(1, *found[0])
        if not isinstance(begin, Begin) or begin.format != STORE_FORMAT:
            raise StoreError(f"{self.path}: not store format {STORE_FORMAT}, which this golfref reads")
        return begin

    def meta(self) -> Meta:
        """What the run is."""
        begin = self.begin()
        last = self._read(f"SELECT id, kind, body {_AMENDMENTS} ORDER BY id DESC LIMIT 1")
        now = cast(Amended, self._row(*last[0])) if last else begin
        keys = self._read("SELECT master_key FROM secret")
        try:
            ((key,),) = keys
            bytes.fromhex(key)
            now.config.check_names()
        except _DAMAGED as error:
            raise self._damaged("key or config", error) from None
        return Meta(
            golfref=begin.golfref,
            protocol=begin.protocol,
            host=begin.host,
            config=now.config,
            master_key=key,
            commitment=begin.commitment,
            matches=now.matches,
        )

    def configs(self) -> list[RunConfig]:
        """The config that the run began with, and each that it was amended to, in order."""
        return [self.begin().config, *(row.config for _, row in self.rows(Amended))]

    def last_amendment(self) -> int:
        """The id of the last amendment; 0 where there is none."""
        ((last,),) = self._read(f"SELECT max(id) {_AMENDMENTS}")
        return int(last or 0)

    def rows(self, *types: type[R]) -> Iterator[tuple[int, R]]:
        """The rows of these kinds with their ids, in order. For matches there is `matches`."""
        kinds = [KIND_OF[type_] for type_ in types]
        marks = ", ".join("?" for _ in kinds)
        query = f"SELECT id, kind, body FROM journal WHERE kind <> 'match' AND kind IN ({marks}) ORDER BY id"  # noqa: S608
        for id_, kind, body in self._each(query, *kinds):
            yield id_, cast(R, self._row(id_, kind, body))

    def voids(self) -> Iterator[tuple[int, Void]]:
        """Every attempt that was voided, with the id of its row, in order."""
        return self.rows(Void)

    def void_reasons(self) -> dict[str, int]:
        """How often matches were voided, by reason, whatever became of them."""
        return dict(sorted(Counter(row.reason for _, row in self.voids()).items()))

    def hosts(self) -> dict[int, Host]:
        """By id of the row the hosts that have played, once for each time that they came. None where none is named."""
        return dict(self.rows(Host))

    def origin(self) -> Origin | None:
        """What plays here, by the last row that says so. None where the last one said what played elsewhere."""
        origin: Origin | None = self.begin().origin
        for _, row in self.rows(Origin, ShardBegins, Merged):
            origin = row if isinstance(row, Origin) else None
        return origin

    def used_s(self) -> int | None:
        """How many seconds of its hours the run had used when that was noted last. None where it never was."""
        return max((row.used_s for _, row in self.rows(Hours, Drawn, Ended) if row.used_s is not None), default=None)

    # Its matches

    def numbers(self) -> set[int]:
        """The matches of the plan that are there."""
        found = self._read("SELECT number FROM places WHERE number IS NOT NULL")
        return {number for (number,) in self._typed(found, list[tuple[int]])}

    def counts(self) -> dict[str, int]:
        """By variant, how many matches of the plan are there."""
        counts = Counter[str]()
        query = f"SELECT j.id, j.body, first.matches FROM ({_BLOCKS}) first JOIN journal j ON j.id = first.id"  # noqa: S608
        for id_, body, matches in self._each(query):
            counts[self._table(id_, body).variant] += matches
        return dict(counts)

    def results(self, bot: str | None = None) -> Iterator[Result]:
        """The results that count, in the order of the plan; with `bot` those of its matches alone are decoded."""
        terms = MatchIdentities(self.meta().config)
        name = [] if bot is None else [msgspec.json.encode(bot).decode()]
        which = "p.number IS NOT NULL" + " AND instr(j.body, ?)" * len(name)
        for id_, number, block, body in self._each(f"{_MATCHES} WHERE {which} ORDER BY p.number", *name):
            try:
                result = replace(_decode_result(body), number=number, block=block, id=id_)
                terms.check(result)
            except _DAMAGED as error:
                raise self._damaged(f"the result of match {number}", error) from None
            yield result

    def ids(self) -> list[int]:
        """The ids of all matches, in the order of commits."""
        return [id_ for (id_,) in self._typed(self._read("SELECT id FROM places ORDER BY id"), list[tuple[int]])]

    def last_id(self) -> int:
        """The id of the match that was committed last; 0 before the first."""
        ((last,),) = self._read("SELECT max(id) FROM places")
        return int(last or 0)

    def matches(self, after: int = 0) -> Iterator[CommittedMatch]:
        """All that was committed, in the order of commits; or only what came after the row of this id."""
        return map(self._match, self._each(f"{_MATCHES} WHERE p.id > ? ORDER BY p.id", after))

    def tables(self, after: int = 0) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The id and the bots, by seat, of all that was committed after the row of this id, in the order of commits."""
        query = "SELECT p.id, j.body FROM places p JOIN journal j ON j.id = p.id WHERE p.id > ? ORDER BY p.id"
        for id_, body in self._each(query, after):
            yield id_, self._table(id_, body).bots

    def retired(self) -> Iterator[CommittedMatch]:
        """What is out of the standings, in the order of commits."""
        return map(self._match, self._each(f"{_MATCHES} WHERE p.number IS NULL ORDER BY p.id"))

    def match(self, id_: int) -> CommittedMatch:
        """What was committed under an id."""
        return self._one("id", id_, f"#{id_}")

    def planned(self, number: int) -> CommittedMatch:
        """What was committed as a match of the plan."""
        return self._one("number", number, str(number))

    def record(self, id_: int) -> bytes:
        """The JSON of the record that was committed under an id."""
        packed = self.packed_record(id_)
        if packed is None:
            self.match(id_)
            raise StoreError(f"{self.path}: the record of match #{id_} is missing")
        return self.unpacked(packed, id_)

    def with_records(self, until: int | None = None) -> Iterator[tuple[CommittedMatch, bytes]]:
        """All that was committed, in the order of commits, each with the JSON of its record.

        With `until`, nothing that came after the match of this id. They are read a few at a time, so that a run that
        writes does not wait for whoever reads.
        """
        last = 0
        while found := self._read(_RECORDS, last, 2**63 - 1 if until is None else until, AT_ONCE):
            for *match, packed in found:
                row = self._match(tuple(match))
                yield row, self.unpacked(packed, row.id)
                last = row.id

    # What is added

    def commit(self, played: Played, identity: Identity, host: int | None = None) -> int:
        """Keep a finished match, and return its id. Once this returns, nothing loses it. Raises WriteFailed.

        Inside of `together` it is safe once that ends. `host` is the id of the row of the host that played it, where
        the run is played on several.
        """
        result = played.result
        row = match_row(result, identity, played.hash, host)
        return self.add(row, record=played.record, place=(result.number, result.block))

    def note_void(self, identity: Identity, attempt: int, reason: str, host: int | None = None) -> int:
        """Note that the referee or its host spoiled a match; returns the void's id. Raises WriteFailed."""
        return self.add(void_row(identity, attempt, reason, host))

    def note_drawn(self, drawn: Round | End, used_s: float | None = None) -> None:
        """Note the round that is played next, or that there is none. Raises WriteFailed.

        `used_s` is how many seconds have been used where the run has a time to keep to.
        """
        seconds = None if used_s is None else round(used_s)
        self.add(Ended(end=drawn, used_s=seconds) if isinstance(drawn, End) else Drawn(round=drawn, used_s=seconds))

    def note_origin(self, origin: Origin) -> None:
        """Note what plays here from now on, unless the run says so already. Raises WriteFailed."""
        if self.origin() != origin:
            self.add(origin)

    def amend(self, row: Amended, places: Callable[[int], Iterable[Place]]) -> None:
        """Let the run go on with another config. `places` gives all places by the id of the amendment.

        Either all of it is done or nothing. Raises WriteFailed.
        """
        with self.together():
            self.put_places(iter(places(self.add(row))))

    def _row(self, id_: int, kind: str, body: str) -> AnyRow:
        try:
            return DECODERS[kind].decode(body)
        except _DAMAGED as error:
            raise self._damaged(f"row #{id_} of its journal", error) from None

    def _table(self, id_: int, body: str) -> "_Table":
        try:
            return _decode_table(body)
        except _DAMAGED as error:
            raise self._damaged(f"match #{id_}", error) from None

    def _one(self, column: str, value: int, name: str) -> CommittedMatch:
        found = self._read(f"{_MATCHES} WHERE p.{column} = ?", value)
        if not found:
            query = f"SELECT count({column}), min({column}), max({column}) FROM places"  # noqa: S608 - one of two words
            ((count, first, last),) = self._read(query)
            sign = "#" if column == "id" else ""
            some = f"it has {count} matches, from {sign}{first} to {sign}{last}" if count else "it has none yet"
            raise StoreError(f"{self.path}: there is no match {name}; {some}")
        return self._match(found[0])

    def _match(self, found: tuple[Any, ...]) -> CommittedMatch:
        try:
            return committed_match(*found)
        except _DAMAGED as error:
            raise self._damaged(f"match #{found[0]}", error) from None

    def _damaged(self, what: str, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: {what} is damaged ({error})")


def committed_match(id_: int, number: int | None, block: int | None, body: str | bytes) -> CommittedMatch:
    """A match, from its row and its place.

    Raises msgspec.MsgspecError, TypeError, ValueError and RecursionError where it is damaged.
    """
    result, identity, rest = _decode_result(body), _decode_identity(body), _decode_hash(body)
    check_seats(result)
    if len(identity.versions) != len(identity.bots):
        raise ValueError("expected a version for each of its bots")
    place = (NOT_PLANNED if number is None else number, NOT_PLANNED if block is None else block)
    result = replace(result, number=place[0], block=place[1], id=id_)
    return CommittedMatch(
        id=id_, number=number, identity=identity, result=result, hash=rest.record_hash, host=rest.host
    )
