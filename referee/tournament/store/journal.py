"""The file of a run: an append-only journal of typed rows, whose hashes chain, and beside it records, key and places.

    journal   what happened, a row each (rows.py), in this order
    records   the record of each match, by the id of its row
    secret    the master key, for which the commitment in the first row stands
    places    which matches count, and which amendment dropped the others: it follows from the journal and the plan

The hash of a row is the SHA-256 of its kind, the SHA-256 of its body, and the hash of the row before it. So the hash of
the last row, the run's digest, stands for all rows in their order, and for the records, whose SHA-256 the rows of
matches hold. A body can be held back, and the chain still be checked. This module must not know what rows mean.
"""

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from protocol.text import printable
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
from referee.tournament.store.rows import KIND_OF, STORE_FORMAT, AnyRow, Place, body_of

T = TypeVar("T")

TABLES = """
CREATE TABLE journal (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE INDEX journal_kinds ON journal (kind) WHERE kind <> 'match';
CREATE TABLE records (id INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE secret (master_key TEXT NOT NULL);
CREATE TABLE places (id INTEGER PRIMARY KEY, number INTEGER UNIQUE, block INTEGER, dropped_by INTEGER);
"""
_BY_SQLITE = "CREATE TABLE sqlite_stat1(tbl,idx,stat); CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"
"""What SQLite makes itself besides the indexes of our tables, which nobody has declared."""

STATEMENTS = frozenset(" ".join(statement.split()) for statement in f"{TABLES};{_BY_SQLITE}".split(";")) - {""}
"""How everything is made that a store may hold."""

LAST_TO_READ_EARLIER = "0.8.0"
"""The last release of golfref that reads the formats before this one."""

BEFORE_FIRST = "0" * 64
"""What stands for the hash of the row before the first one."""

MOST_RECORD_BYTES = 2**28
"""The longest record that is read. A few bytes of a hostile file could stand for more than fits into the memory."""

_SHOWN = 100
"""How many characters are shown of what a store holds."""

_INSERT_PLACE = "INSERT INTO places VALUES (?, ?, ?, ?)"


class Entry(Struct, frozen=True, kw_only=True):
    """A row of the journal as it lies in the file."""

    id: int
    kind: str
    body: str
    hash: str

    @property
    def line(self) -> str:
        """What can be published of it, also where its body is held back: id, kind, and the SHA-256 of its body."""
        return f"{self.id} {self.kind} {body_hash(self.body)}"


def body_hash(body: str | bytes) -> str:
    """The SHA-256 of a body, in hexadecimal."""
    return sha256(body if isinstance(body, bytes) else body.encode()).hexdigest()


def chained(before: str, kind: str, hash_of_body: str) -> str:
    """The hash of a row, given the hash of the row before it."""
    return sha256(f"{before} {kind} {hash_of_body}".encode()).hexdigest()


class Journal:
    """An open file of a run. Whatever fails raises StoreError."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: Lock | None = None, mode: str = "") -> None:
        self.path = path
        self.mode = mode
        """How SQLite keeps what it has not yet put in place: `wal`, except on file systems that cannot do it."""
        self._connection = connection
        self._lock = lock
        self._is_together = False
        """Whether everything that is written is part of one transaction."""

    def check_shape(self) -> None:
        """Raise StoreError where the file holds anything but our tables, to the letter, or is of another format.

        A trigger could change what is written, a view or a computed column take as long to read as it likes.
        """
        found = self._read("SELECT type, name, sql FROM sqlite_master")
        if ("table", "meta") in ((kind, name) for kind, name, _ in found):
            raise StoreError(f"{self.path}: {self._earlier()}")
        for kind, name, how in found:
            is_own_index = kind == "index" and how is None
            if not is_own_index and " ".join(f"{how}".split()) not in STATEMENTS:
                shown = printable(f"{kind} `{name}`", _SHOWN)
                raise StoreError(f"{self.path}: it holds the {shown}, which golfref did not make, or makes otherwise")
        if not {"journal", "records", "secret", "places"} <= {name for _, name, _ in found}:
            raise StoreError(f"{self.path}: no golfref store; `golfref tournament CONFIG` makes one")

    def _earlier(self) -> str:
        with contextlib.suppress(StoreError, IndexError, ValueError):
            number = int(self._read("SELECT value FROM meta WHERE key = 'format'")[0][0])
            if number < STORE_FORMAT:
                reads = f"golfref {LAST_TO_READ_EARLIER} reads it, this one reads format {STORE_FORMAT}"
                return f"store format {number}: {reads}; --fresh begins anew"
        return "no golfref store; `golfref tournament CONFIG` makes one"

    def hold(self) -> None:
        """Read the run from now on as it is now, also while another process adds matches to it.

        Without a write-ahead log this would keep that process waiting, so nothing is held there. Raises StoreError.
        """
        if self._read("PRAGMA journal_mode") == [("wal",)]:
            self._connection.execute("BEGIN")
            self._read("SELECT count(*) FROM secret")

    # Reading

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """The rows as they lie in the file, in order; or only those after the one of this id."""
        for id_, kind, body, hash_ in self._each(
            "SELECT id, kind, body, hash FROM journal WHERE id > ? ORDER BY id", after
        ):
            if not (isinstance(kind, str) and isinstance(body, str) and isinstance(hash_, str)):
                raise StoreError(f"{self.path}: row #{id_} of its journal is damaged (expected texts)")
            yield Entry(id=id_, kind=kind, body=body, hash=hash_)

    def lines(self) -> Iterator[str]:
        """What anybody can publish of the run, and work out its digest from: a line for each row."""
        return (one.line for one in self.entries())

    def last_row(self) -> int:
        """The id of the last row."""
        ((last,),) = self._read("SELECT max(id) FROM journal")
        return int(last or 0)

    def digest(self) -> str:
        """The hash of the last row."""
        found = self._read("SELECT hash FROM journal ORDER BY id DESC LIMIT 1")
        return str(found[0][0]) if found else BEFORE_FIRST

    def places(self) -> list[Place]:
        """What the file says of which matches count, by id."""
        found = self._read("SELECT id, number, block, dropped_by FROM places ORDER BY id")
        rows = self._typed(found, list[tuple[int, int | None, int | None, int | None]])
        return [Place(id=id_, number=number, block=block, dropped_by=by) for id_, number, block, by in rows]

    def record_ids(self) -> Iterator[int]:
        """The ids of all records."""
        return (int(id_) for (id_,) in self._each("SELECT id FROM records ORDER BY id"))

    def packed_record(self, id_: int) -> bytes | None:
        """The record of the match of this id as it lies in the file. None where there is none."""
        found = self._read("SELECT record FROM records WHERE id = ?", id_)
        return self._typed(found[0][0], bytes) if found else None

    def unpacked(self, packed: bytes, id_: int) -> bytes:
        """The JSON of the record of a match."""
        try:
            reading = zlib.decompressobj()
            data = reading.decompress(packed, MOST_RECORD_BYTES)
            if reading.unconsumed_tail:
                raise ValueError(f"it is longer than {MOST_RECORD_BYTES} bytes")
            if reading.unused_data or not reading.eof:
                raise ValueError("it does not end where it should")
        except (zlib.error, TypeError, ValueError) as error:
            raise StoreError(f"{self.path}: the record of match #{id_} is damaged ({error})") from None
        return data

    def copy_to(self, path: Path) -> None:
        """Write the run as it is now into a new file that only its owner can read. Raises WriteFailed."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            with contextlib.closing(sqlite3.connect(path)) as copy:
                self._connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # so that whoever reads it writes nothing beside it
        except (OSError, sqlite3.Error) as error:
            raise refusal(path, error) from None

    # Writing

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Whatever is written inside is kept together once this ends, or nothing of it. Raises WriteFailed."""
        with self._transaction():
            self._is_together = True
            try:
                yield
            finally:
                self._is_together = False

    def add(self, row: AnyRow, *, record: bytes | None = None, place: tuple[int, int] | None = None) -> int:
        """Add a row, of a match with its packed record, and its number and block in the plan. Returns the row's id.

        Once this returns, no crash of referee or host loses it; inside of `together` once that ends. Raises
        WriteFailed.
        """
        with self._transaction():
            id_ = self.add_body(KIND_OF[type(row)], body_of(row))
            if record is not None:
                self.add_record(id_, record)
            if place is not None:
                self._connection.execute(_INSERT_PLACE, (id_, *place, None))
        return id_

    def add_body(self, kind: str, body: str, hash_of_body: str | None = None) -> int:
        """Add a row as it lies in another file; the hash of its body may be known already. Returns its id."""
        found = self._connection.execute("SELECT hash FROM journal ORDER BY id DESC LIMIT 1").fetchone()
        hash_ = chained(found[0] if found else BEFORE_FIRST, kind, hash_of_body or body_hash(body))
        id_ = self._connection.execute(
            "INSERT INTO journal (kind, body, hash) VALUES (?, ?, ?)", (kind, body, hash_)
        ).lastrowid
        if id_ is None:
            raise RuntimeError("a row without an id")
        return id_

    def add_record(self, id_: int, record: bytes) -> None:
        """Add the packed record of a match whose row is there."""
        self._connection.execute("INSERT INTO records VALUES (?, ?)", (id_, record))

    def put_places(self, places: Iterator[Place]) -> None:
        """Say anew which matches count. Raises WriteFailed."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM places")
            connection.executemany(_INSERT_PLACE, ((one.id, one.number, one.block, one.dropped_by) for one in places))

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

    def _typed(self, found: object, type_: type[T]) -> T:
        if isinstance(found, bytes) and type_ is bytes:
            return cast(T, found)
        try:
            return msgspec.convert(found, type_)
        except msgspec.ValidationError as error:
            raise StoreError(f"{self.path}: a number or a record in it is damaged ({error})") from None

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


@contextlib.contextmanager
def new_file(path: Path, key: str) -> Iterator[Journal]:
    """A new file with this master key, which only its owner can read. It gets its name when the block ends well.

    So a kill leaves no half of one. Nothing in it is safe before. Raises StoreError, WriteFailed on a full disk.
    """
    for rest in SIDE_FILES:
        if Path(f"{path}{rest}").exists():
            what = "belongs to a store that is not here any more: put it beside that, or remove it"
            raise StoreError(f"{path}{rest} {what}")
    unfinished = path.with_name(path.name + ".new")
    try:
        for left_over in (unfinished, Path(f"{unfinished}-journal")):
            left_over.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        with contextlib.closing(sqlite3.connect(unfinished)) as connection:
            # Nobody sees the file before it is whole, so that nothing need be undone.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.executescript(TABLES)
            with connection:
                connection.execute("INSERT INTO secret VALUES (?)", (key,))
                yield Journal(path, connection)
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.rename(path)
        sync_folder(path)
    except (OSError, sqlite3.Error) as error:
        raise refusal(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def opened(path: Path, lock: Lock | None) -> tuple[sqlite3.Connection, str]:
    """A connection to read a file, or with its lock to write it, and its journal mode. Raises StoreError."""
    if not path.is_file():
        raise StoreError(f"{path}: no such store; `golfref tournament CONFIG` makes one")
    return open_writing(path) if lock else (open_reading(path), "")
