"""A run on disk: one SQLite file with the config, the keys, and every finished match with its full record.

A match is committed when it ends, and its record never changes or goes. An amendment of the run may put it out of the
standings, or give it another number. This module must not know how matches are played or what a standing is.
"""

import contextlib
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from protocol.text import printable
from referee.tournament.config.planned import MatchIdentities
from referee.tournament.config.run_config import RunConfig
from referee.tournament.orders import Played
from referee.tournament.plan.fixture import Identity, PlannedMatch
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result, check_seats
from referee.tournament.store import tables
from referee.tournament.store.digest import Covered, covered, lines_of
from referee.tournament.store.disk import (
    SIDE_FILES,
    Lock,
    StoreError,
    WriteFailed,
    not_readable,
    open_reading,
    open_writing,
    refusal,
    sync_folder,
)
from referee.tournament.store.events import Origin, drawn_in_words, last_origin, played_for
from referee.tournament.store.hosts import Host, StoredHost
from referee.tournament.store.rows import CommittedMatch, Former, Meta, RunEvent, Void

T = TypeVar("T")

MOST_RECORD_BYTES = 2**28
"""The longest record that is read. A few bytes of a hostile file could stand for more than fits into the memory."""


_SHOWN = 100
"""How many characters are shown of what a store tells."""

AT_ONCE = 64
"""How many records are read at once where all of them are."""


class Store:
    """An open run. `create` begins one, `open` goes on with one or only reads it. Whatever fails raises StoreError."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None, journal: str) -> None:
        self.path = path
        self.journal = journal
        """How SQLite keeps what it has not yet put in place: `wal`, except on file systems that cannot do it."""
        self.format = tables.STORE_FORMAT
        """The number of the format in which the run began."""
        self._connection = connection
        self._lock = lock
        self._is_together = False
        """Whether everything that is written is part of one transaction."""

    @classmethod
    def create(cls, path: Path, meta: Meta, lock: Lock) -> "Store":
        """Begin a run in a new file that only its owner can read. Raises StoreError, or WriteFailed on a full disk.

        The file gets its name only when it is a whole store, so that a kill leaves no half of one.
        """
        for rest in SIDE_FILES:
            if Path(f"{path}{rest}").exists():
                what = "belongs to a store that is not here any more: put it beside that, or remove it"
                raise StoreError(f"{path}{rest} {what}")
        unborn = path.with_name(path.name + ".new")
        try:
            for left_over in (unborn, Path(f"{unborn}-journal")):
                left_over.unlink(missing_ok=True)
            os.close(os.open(unborn, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            with contextlib.closing(sqlite3.connect(unborn)) as connection, connection:
                connection.executescript(tables.TABLES)
                connection.executemany("INSERT INTO meta VALUES (?, ?)", meta_rows(meta))
            unborn.rename(path)
            sync_folder(path)
        except (OSError, sqlite3.Error) as error:
            raise refusal(path, error) from None
        finally:
            with contextlib.suppress(OSError):
                unborn.unlink(missing_ok=True)
        return cls.open(path, lock=lock)

    @classmethod
    def open(cls, path: Path, *, lock: Lock | None = None) -> "Store":
        """Open a run to read it, or with its lock to write. Raises StoreError where there is no store."""
        if not path.is_file():
            raise StoreError(f"{path}: no such store; `golfref tournament CONFIG` makes one")
        connection, journal = open_writing(path) if lock else (open_reading(path), "")
        store = cls(path, connection, lock, journal)
        try:
            store._check_shape()
            store._check_format()
            store.meta()
        except StoreError:
            store.close()
            raise
        return store

    def hold(self) -> None:
        """Read the run from now on as it is now, also while another process adds matches to it.

        Without a write-ahead log this would keep that process waiting, so nothing is held there. Raises StoreError.
        """
        if self._read("PRAGMA journal_mode") == [("wal",)]:
            self._connection.execute("BEGIN")
            self.meta()

    def _check_shape(self) -> None:
        """The file may hold nothing but our tables, to the letter, before anything of them is read.

        A trigger could change what is written, a view or a computed column take as long to read as it likes.
        """
        for kind, name, how in self._read("SELECT type, name, sql FROM sqlite_master"):
            statement = tables.as_compared(f"{how}")
            is_named = statement.startswith((f"CREATE TABLE {name} (", f"CREATE TABLE {name}("))
            is_index = kind == "index" and how is None
            if not is_index and not (kind == "table" and is_named and statement in tables.STATEMENTS):
                shown = printable(f"{kind} `{name}`", _SHOWN)
                raise StoreError(f"{self.path}: it holds the {shown}, which golfref did not make, or makes otherwise")

    def meta(self) -> Meta:
        """What the run is."""
        rows = self._read("SELECT key, value FROM meta")
        with self._checking("key or config"):
            meta = msgspec.convert({key: msgspec.json.decode(value) for key, value in rows}, Meta)
            bytes.fromhex(meta.master_key)
            meta.facts.check_names()
            return meta

    def configs(self) -> list[RunConfig]:
        """The config that the run began with, and each that it was amended to, in order."""
        return [*(one.facts for one in self.former()), self.meta().facts]

    def former(self) -> list[Former]:
        """What the run was before each of its amendments, in order."""
        found = self._read("SELECT after, id, facts FROM history WHERE facts IS NOT NULL ORDER BY id")
        with self._checking("a former config in its history"):
            return [
                msgspec.convert({"after": after, "event": id_, "facts": msgspec.json.decode(text)}, Former)
                for after, id_, text in found
            ]

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Whatever is written inside is kept together once this ends, or nothing of it. Raises WriteFailed."""
        with self._transaction():
            self._is_together = True
            try:
                yield
            finally:
                self._is_together = False

    def note_host(self, host: Host) -> int:
        """Note a host that plays from now on, and return the id by which its matches name it. Raises WriteFailed."""
        if not self.has_hosts:
            with self._transaction() as connection:
                for statement in tables.HOST_TABLES.split(";"):
                    connection.execute(statement)
        with self._transaction() as connection:
            id_ = connection.execute(tables.INSERT_HOST, (_json(host),)).lastrowid
        if id_ is None:
            raise RuntimeError("a row without an id")
        return id_

    def commit(self, played: Played, identity: Identity, host: int | None = None) -> None:
        """Keep a finished match. Once this returns, no crash of referee or host loses it. Raises WriteFailed.

        Inside of `together` it is safe once that ends. `host` is the id of the host that played it, where the run is
        played on several.
        """
        who = (_json(identity.bots), _json(identity.versions))
        where = (identity.deal, identity.rotation)
        kept = (_json(played.result), played.hash, played.record)
        row = (played.number, identity.variant, identity.game, *who, *where, *kept)
        self._write(tables.INSERT_MATCH, row, by="played_on", host=host)

    def note_void(
        self, fixture: PlannedMatch, bots: Sequence[str], attempt: int, reason: str, host: int | None = None
    ) -> None:
        """Note that the referee or its host spoiled a match. Raises WriteFailed. `host` is as in `commit`."""
        row = (fixture.number, _json(bots), attempt, reason)
        self._write(tables.INSERT_VOID[self.format], row, by="voided_on", host=host)

    def note(self, *lines: str) -> None:
        """Note something that happened to the run. Raises WriteFailed."""
        self._write(tables.INSERT_EVENT, (_json(lines), None))

    def note_drawn(self, drawn: Round | End, used_s: float | None = None) -> None:
        """Note the round that is played next, or that there is none. Raises WriteFailed.

        `used_s` is how many seconds have been used where the run has a time to keep to.
        """
        self.note(*drawn_in_words(drawn), *(() if used_s is None else (played_for(used_s),)))

    def note_origin(self, origin: Origin) -> None:
        """Note what plays from now on, unless the run tells so already. Raises WriteFailed."""
        told = last_origin(self.meta().origin, (line for event in self.history() for line in event.lines))
        if told != origin.in_words:
            self.note(origin.in_words)

    def amend(self, meta: Meta, places: Mapping[int, PlannedMatch], lines: Sequence[str]) -> None:
        """Make this the run, with `places` the committed matches that count in it, by id. Raises WriteFailed.

        Either all of it is done or nothing. The matches that have no place stay, out of the standings.
        """
        old = _json(self.meta().facts)
        results = {match.id: match.result for match in self.committed() if match.id in places}
        moved = [
            (place.number, _json(replace(results[id_], number=place.number, block=place.block)), id_)
            for id_, place in places.items()
        ]
        with self._transaction() as connection:
            connection.execute(tables.INSERT_EVENT, (_json(lines), old))
            connection.execute("UPDATE matches SET number = NULL")
            connection.executemany("UPDATE matches SET number = ?, result = ? WHERE id = ?", moved)
            if self.format == tables.EARLIER_FORMAT:
                connection.execute("UPDATE voids SET number = NULL")
            connection.executemany("REPLACE INTO meta VALUES (?, ?)", meta_rows(meta))

    def numbers(self) -> set[int]:
        """The matches of the plan that are there."""
        found = self._read("SELECT number FROM matches WHERE number IS NOT NULL")
        return {number for (number,) in self._typed(found, list[tuple[int]])}

    def counts(self) -> dict[str, int]:
        """By variant, how many matches of the plan are there."""
        found = self._read("SELECT variant, count(*) FROM matches WHERE number IS NOT NULL GROUP BY variant")
        return dict(self._typed(found, list[tuple[str, int]]))

    def results(self) -> Iterator[Result]:
        """The results that count, in the order of the plan."""
        decoder, terms = msgspec.json.Decoder(Result), MatchIdentities(self.meta().facts)
        query = "SELECT id, number, deal, rotation, result FROM matches WHERE number IS NOT NULL ORDER BY number"
        for id_, number, deal, rotation, text in self._each(query):
            try:
                result = decoder.decode(text)
                terms.check(result)
                if result.number != number:
                    raise ValueError(f"its number is {result.number}")
                result = replace(result, deal=deal, rotation=rotation, commit=id_)
            except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
                raise StoreError(f"{self.path}: the result of match {number} is damaged ({error})") from None
            yield result

    def ids(self) -> list[int]:
        """The ids of all that was committed, in the order of commits."""
        return [id_ for (id_,) in self._read("SELECT id FROM matches ORDER BY id")]

    def last_id(self) -> int:
        """The id of the match that was committed last; 0 before the first."""
        ((last,),) = self._read("SELECT max(id) FROM matches")
        return int(last or 0)

    def all_ids(self) -> dict[str, list[int]]:
        """By table, the ids of all its rows, in order: 1, 2, 3 and so on, for no row is ever taken out."""
        void_ids = (id_ for id_, *_ in self._each(tables.SELECT_VOIDS[self.format]))
        return {
            "matches": self.ids(),
            "voids": [*void_ids],
            "history": [id_ for (id_,) in self._each("SELECT id FROM history ORDER BY id")],
        }

    def counting_until(self, id_: int) -> int:
        """How many matches that count had been committed when the match of this id had been."""
        ((count,),) = self._read("SELECT count(*) FROM matches WHERE number IS NOT NULL AND id <= ?", id_)
        return int(count)

    def committed(self, after: int = 0) -> Iterator[CommittedMatch]:
        """All that was committed, in the order of commits; or only what came after the match of this id."""
        return map(self._match, self._each(f"{tables.SELECT_MATCH} WHERE id > ? ORDER BY id", after))

    def tables(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The id and the bots, by seat, of all that was committed, in the order of commits."""
        for id_, bots in self._each("SELECT id, bots FROM matches ORDER BY id"):
            with self._checking(f"match #{id_}"):
                yield id_, msgspec.json.decode(bots, type=tuple[str, ...])

    def retired(self) -> Iterator[CommittedMatch]:
        """What is out of the standings, in the order of commits."""
        return map(self._match, self._each(f"{tables.SELECT_MATCH} WHERE number IS NULL ORDER BY id"))

    def match(self, id_: int) -> CommittedMatch:
        """What was committed under an id."""
        found = self._read(f"{tables.SELECT_MATCH} WHERE id = ?", id_)
        if not found:
            raise self._no_match("id", f"#{id_}")
        return self._match(found[0])

    def planned(self, number: int) -> CommittedMatch:
        """What was committed as a match of the plan."""
        found = self._read(f"{tables.SELECT_MATCH} WHERE number = ?", number)
        if not found:
            raise self._no_match("number", str(number))
        return self._match(found[0])

    def record(self, number: int) -> bytes:
        """The JSON of the record of a match of the plan."""
        return self._record("number", number, str(number))

    def record_of(self, id_: int) -> bytes:
        """The JSON of the record that was committed under an id."""
        return self._record("id", id_, f"#{id_}")

    def with_records(self, until: int | None = None) -> Iterator[tuple[CommittedMatch, bytes]]:
        """All that was committed, in the order of commits, each with the JSON of its record.

        With `until`, nothing that came after the match of this id. They are read a few at a time, so that a run that
        writes does not wait for whoever reads.
        """
        for row, packed in self.with_packed_records(until):
            yield row, self._unpacked(packed, f"#{row.id}")

    def with_packed_records(self, until: int | None = None) -> Iterator[tuple[CommittedMatch, bytes]]:
        """All that was committed as `with_records` has it, but with the records as they lie in the store."""
        last = -1
        while found := self._read(tables.SELECT_RECORDS, last, 2**63 - 1 if until is None else until, AT_ONCE):
            for *match, packed in found:
                row = self._match(tuple(match))
                yield row, packed
                last = row.id

    def hashes(self) -> Iterator[tuple[int, str]]:
        """Number and record hash (SHA-256, hex) of every match that counts, in the order of the plan."""
        for found in self._each("SELECT number, hash FROM matches WHERE number IS NOT NULL ORDER BY number"):
            yield self._typed(found, tuple[int, str])

    def lines(self) -> Iterator[str]:
        """What anybody can publish of the run, and work out its digest from: see `digest.py`.

        In a run of the earlier format this is the number and the record hash of every match that counts.
        """
        if self.format == tables.EARLIER_FORMAT:
            yield from (f"{number} {value}" for number, value in self.hashes())
            return
        with self._checking("the order of its rows"):
            yield from lines_of(self._rows, has_hosts=self.has_hosts)

    def covered(self) -> Iterator[Covered]:
        """The rows that the digest covers, in the order of the `lines`; none in a run of the earlier format."""
        if self.format != tables.EARLIER_FORMAT:
            with self._checking("the order of its rows"):
                yield from covered(self._rows, has_hosts=self.has_hosts)

    def copy_to(self, path: Path) -> None:
        """Write the run as it is now into a new file that only its owner can read. Raises WriteFailed."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            with contextlib.closing(sqlite3.connect(path)) as copy:
                self._connection.backup(copy)
        except (OSError, sqlite3.Error) as error:
            raise refusal(path, error) from None

    def digest(self) -> str:
        """SHA-256 in hexadecimal over all that the run holds: over its `lines`, each with a newline.

        In a run of the earlier format: over the hashes of the matches that count, as bytes, in the order of the plan.
        """
        digest = sha256()
        if self.format == tables.EARLIER_FORMAT:
            for number, value in self.hashes():
                with self._checking(f"the hash of match {number}"):
                    digest.update(bytes.fromhex(value))
        else:
            for line in self.lines():
                digest.update(b"%b\n" % line.encode())
        return digest.hexdigest()

    def _rows(self, table: str, order: str, without: str) -> Iterator[dict[str, Any]]:
        """The rows of a table with all columns that it has, but one."""
        columns = [name for _, name, *_ in self._read(f"PRAGMA table_info({table})") if name != without]
        names = ['"' + name.replace('"', '""') + '"' for name in columns]
        query = " ".join(("SELECT", ", ".join(names), "FROM", table, "ORDER BY", order))
        rows = (dict(zip(columns, row, strict=True)) for row in self._each(query))
        hosts = self._by_host(table) if table in tables.PLAYED_BY else {}
        return (row | {"host": hosts[row["id"]]} if row["id"] in hosts else row for row in rows) if hosts else rows

    def voids(self) -> Iterator[Void]:
        """Every attempt that was voided, in order."""
        found = self._each(tables.SELECT_VOIDS[self.format])
        for place, (id_, after, events, number, bots, attempt, reason) in enumerate(found, 1):
            with self._checking(f"void {place}"):
                told = {"id": id_, "after": after, "events": events, "number": number, "attempt": attempt}
                yield msgspec.convert({**told, "bots": msgspec.json.decode(bots), "reason": reason}, Void)

    def void_reasons(self) -> dict[str, int]:
        """How often matches were voided, by reason, whatever became of them."""
        return dict(sorted(Counter(reason for (reason,) in self._read("SELECT reason FROM voids")).items()))

    def given_up(self, attempts: int) -> list[int]:
        """The matches without a result of which at least this many attempts were voided."""
        found = self._read(tables.SELECT_GIVEN_UP[self.format], attempts)
        return [number for (number,) in found]

    @property
    def has_hosts(self) -> bool:
        """Whether the run tells which host played its matches."""
        (found,) = self._read("SELECT count(*) FROM sqlite_master WHERE name = 'hosts'")
        return bool(found[0])

    def hosts(self) -> list[StoredHost]:
        """The hosts that have played, once for each time that they came, in order. None where no cluster played."""
        found = self._read(tables.SELECT_HOSTS) if self.has_hosts else []
        told = []
        for id_, after, events, voids, text in found:
            with self._checking(f"host #{id_}"):
                row = {"id": id_, "after": after, "events": events, "voids": voids, "host": msgspec.json.decode(text)}
                told.append(msgspec.convert(row, StoredHost))
        return told

    def host_of(self, number: int) -> str:
        """The name of the host that played a match of the plan that has a result; empty where the run tells none."""
        found = self._read(tables.SELECT_HOST_OF, number) if self.has_hosts else []
        with self._checking(f"the host of match {number}"):
            return msgspec.json.decode(found[0][0], type=Host).name if found else ""

    def played_on(self) -> dict[int, int]:
        """By id of a committed match, the id of the host that played it; without those of which no host is told."""
        return self._by_host("matches")

    def voided_on(self) -> dict[int, int]:
        """By id of a void, the id of the host that it came from; without those of which no host is told."""
        return self._by_host("voids")

    def _by_host(self, table: str) -> dict[int, int]:
        if not self.has_hosts:
            return {}
        found = self._read(f"SELECT id, host FROM {tables.PLAYED_BY[table]} ORDER BY id")  # noqa: S608 - as above
        return dict(self._typed(found, list[tuple[int, int]]))

    def history(self) -> list[RunEvent]:
        """What happened to the run, in order."""
        found = self._read("SELECT after, lines FROM history ORDER BY id")
        with self._checking("what is told of its history"):
            told = [{"after": after, "lines": msgspec.json.decode(text)} for after, text in found]
            return msgspec.convert(told, list[RunEvent])

    def close(self) -> None:
        """Leave one plain file behind, where that can be done. What was committed is safe in any case."""
        if self._lock is not None:
            with contextlib.suppress(sqlite3.Error):  # on a full disk the rest stays in the file beside it
                self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()

    def _each(self, query: str, *values: object) -> Iterator[Any]:
        """Read row after row: what a long run has committed need not be in memory at once."""
        try:
            # Not `yield from` the cursor: it would be closed with the generator, perhaps after its connection.
            yield from iter(self._connection.execute(query, values).fetchone, None)
        except sqlite3.Error as error:
            raise not_readable(self.path, error) from None

    def _read(self, query: str, *values: object) -> list[Any]:
        return list(self._each(query, *values))

    @contextlib.contextmanager
    def _checking(self, what: str) -> Iterator[None]:
        """Raises StoreError where `what` cannot be decoded."""
        try:
            yield
        except (msgspec.MsgspecError, zlib.error, TypeError, ValueError, RecursionError) as error:
            raise StoreError(f"{self.path}: {what} is damaged ({error})") from None

    def _typed(self, found: object, type_: type[T]) -> T:
        with self._checking("a number or hash of a match"):
            return msgspec.convert(found, type_)

    def _match(self, found: tuple[Any, ...]) -> CommittedMatch:
        with self._checking(f"match #{found[0]}"):
            return committed_match(dict(zip(tables.MATCH_COLUMNS, found, strict=True)))

    def _no_match(self, column: Literal["id", "number"], name: str) -> StoreError:
        """The error for a match that is not there, with the numbers of those that are."""
        query = "SELECT count(id), min(id), max(id), count(number), min(number), max(number) FROM matches"
        (figures,) = self._read(query)
        count, first, last = figures[:3] if column == "id" else figures[3:]
        sign = "#" if column == "id" else ""
        some = f"it has {count} matches, from {sign}{first} to {sign}{last}" if count else "it has none yet"
        return StoreError(f"{self.path}: there is no match {name}; {some}")

    def _record(self, column: Literal["id", "number"], value: int, name: str) -> bytes:
        found = self._read(f"SELECT record FROM matches WHERE {column} = ?", value)  # noqa: S608 - one of two words
        if not found:
            raise self._no_match(column, name)
        return self._unpacked(found[0][0], name)

    def _unpacked(self, packed: bytes, name: str) -> bytes:
        with self._checking(f"the record of match {name}"):
            reading = zlib.decompressobj()
            data = reading.decompress(packed, MOST_RECORD_BYTES)
            if reading.unconsumed_tail:
                raise ValueError(f"it is longer than {MOST_RECORD_BYTES} bytes")
            if reading.unused_data or not reading.eof:
                raise ValueError("it does not end where it should")
            return data

    def _check_format(self) -> None:
        found = self._read("SELECT value FROM meta WHERE key = 'format'")
        known = {(str(number),): number for number in (tables.EARLIER_FORMAT, tables.STORE_FORMAT)}
        if len(found) != 1 or found[0] not in known:
            what = f"store format {found[0][0]}" if found else "no golfref store"
            formats = f"formats {tables.EARLIER_FORMAT} and {tables.STORE_FORMAT}"
            raise StoreError(f"{self.path}: {what}; this golfref knows {formats}, --fresh begins anew")
        self.format = known[found[0]]

    def _write(self, statement: str, row: tuple[object, ...], *, by: str = "", host: int | None = None) -> None:
        """Add a row, and to the table `by` the host that it comes from, where there is one."""
        with self._transaction() as connection:
            id_ = connection.execute(statement, row).lastrowid
            if host is not None:
                connection.execute(f"INSERT INTO {by} VALUES (?, ?)", (id_, host))  # noqa: S608 - a table of ours

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if self._is_together:
            yield self._connection
            return
        try:
            with self._connection as connection:
                yield connection
        except sqlite3.Error as error:
            raise WriteFailed(
                f"{self.path}: cannot write: {error}; what was committed is safe: make room if the disk is full, and "
                "run the same command again to go on"
            ) from None


def committed_match(row: Mapping[str, Any]) -> CommittedMatch:
    """What a row of a match tells, by the names of its columns.

    Raises msgspec.MsgspecError, LookupError, TypeError, ValueError and RecursionError where it is damaged.
    """
    where = {"deal": row["deal"], "rotation": row["rotation"]}
    who = {"bots": msgspec.json.decode(row["bots"]), "versions": msgspec.json.decode(row["versions"])}
    result = where | msgspec.json.decode(row["result"])
    before = {"versions_before": result.get("versions_before", ())}
    identity = {"variant": row["variant"], "game": row["game"], **who, **where, **before}
    told = {"id": row["id"], "number": row["number"], "identity": identity, "hash": row["hash"]}
    match = msgspec.convert({**told, "result": result}, CommittedMatch)
    check_seats(match.result)
    if match.identity.bots != match.result.bots or len(match.identity.versions) != len(match.identity.bots):
        raise ValueError("its bots and versions are not those of its result")
    return match


def meta_rows(meta: Meta) -> Iterable[tuple[str, str]]:
    """The rows of the table that tells what a run is."""
    return [(key, _json(value)) for key, value in msgspec.to_builtins(meta).items()]


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
