"""A run on disk: one SQLite file with the config, the keys, and every finished match with its full record.

A match is committed when it ends, and what is committed never changes. This module must not know how matches are
played or what a standing is.
"""

import contextlib
import fcntl
import os
import sqlite3
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.rules.record import Record
from referee.tournament.standings import Result

FORMAT = 1
"""The number of this layout of tables."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE matches (
    number INTEGER PRIMARY KEY, variant TEXT NOT NULL, block INTEGER NOT NULL,
    result TEXT NOT NULL, hash TEXT NOT NULL, record BLOB NOT NULL
);
CREATE TABLE voids (number INTEGER NOT NULL, attempt INTEGER NOT NULL, reason TEXT NOT NULL);
"""


class StoreError(Exception):
    """The store cannot be used; the text says why and what to do."""


class WriteFailed(StoreError):
    """The host did not let us keep a result."""


class Meta(Struct, frozen=True, kw_only=True):
    """What a run began with."""

    format: int = FORMAT
    golfref: str
    protocol: str
    host: str
    facts: dict[str, Any]
    """The config, as facts.config_facts tells it."""
    master_key: str
    """Hex; secret until the run is complete."""
    commitment: str
    matches: int
    """Matches in the plan."""


class Store:
    """An open run. `create` begins one, `open` goes on with one or only reads it."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock

    @classmethod
    def create(cls, path: Path, meta: Meta) -> "Store":
        """Begin a run in a new file, readable by its owner alone; raises StoreError.

        The file appears under its name only when it is a whole store, so that a kill leaves no half of one.
        """
        unborn = path.with_name(path.name + ".new")
        try:
            unborn.unlink(missing_ok=True)
            os.close(os.open(unborn, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
            with contextlib.closing(sqlite3.connect(unborn)) as connection, connection:
                connection.executescript(_TABLES)
                rows = [(key, msgspec.json.encode(value).decode()) for key, value in msgspec.to_builtins(meta).items()]
                connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
            unborn.rename(path)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{path}: cannot create the store: {error}") from None
        return cls.open(path, writing=True)

    @classmethod
    def open(cls, path: Path, *, writing: bool = False) -> "Store":
        """Open a run; raises StoreError where there is none, it is no store, or somebody else is writing it."""
        if not path.is_file():
            raise StoreError(f"{path}: no such store; `golfref tournament CONFIG` makes one")
        store = cls._connect(path, writing=writing)
        try:
            store.meta()
        except (sqlite3.DatabaseError, msgspec.MsgspecError) as error:
            store.close()
            raise StoreError(f"{path}: not a golfref store ({error})") from None
        return store

    @classmethod
    def _connect(cls, path: Path, *, writing: bool) -> "Store":
        lock = _lock(path) if writing else None
        try:
            mode = "rw" if writing else "ro"
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=10)
            if writing:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{path}: cannot open the store: {error}") from None
        return cls(path, connection, lock)

    def meta(self) -> Meta:
        """What the run began with."""
        rows = self._connection.execute("SELECT key, value FROM meta")
        return msgspec.convert({key: msgspec.json.decode(value) for key, value in rows}, Meta)

    def commit(self, result: Result, record: Record) -> None:
        """Keep a finished match; once this returns, no crash of the referee loses it. Raises WriteFailed."""
        data = msgspec.json.encode(record)
        row = (
            result.number,
            result.variant,
            result.block,
            msgspec.json.encode(result).decode(),
            sha256(data).hexdigest(),
            zlib.compress(data, 6),
        )
        self._write("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?)", row)

    def note_void(self, number: int, attempt: int, reason: str) -> None:
        """Keep that a match was spoiled by the referee or its host. Raises WriteFailed."""
        self._write("INSERT INTO voids VALUES (?, ?, ?)", (number, attempt, reason))

    def numbers(self) -> set[int]:
        """The matches that are there."""
        return {number for (number,) in self._connection.execute("SELECT number FROM matches")}

    def results(self) -> Iterator[Result]:
        """All results, in the order of the plan."""
        decoder = msgspec.json.Decoder(Result)
        for (text,) in self._connection.execute("SELECT result FROM matches ORDER BY number"):
            yield decoder.decode(text)

    def voids(self) -> int:
        """How many matches were voided, whatever became of them."""
        (count,) = self._connection.execute("SELECT count(*) FROM voids").fetchone()
        return int(count)

    def record(self, number: int) -> bytes:
        """The JSON of a match's record; raises StoreError where there is none."""
        row = self._connection.execute("SELECT record FROM matches WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: there is no match {number}")
        try:
            return zlib.decompress(row[0])
        except zlib.error as error:
            raise StoreError(f"{self.path}: the record of match {number} is damaged ({error})") from None

    def hashes(self) -> list[tuple[int, str]]:
        """Number and record hash (SHA-256, hex) of every match, in the order of the plan."""
        return list(self._connection.execute("SELECT number, hash FROM matches ORDER BY number"))

    def digest(self) -> str:
        """SHA-256 over the record hashes, as bytes, in the order of the plan."""
        digest = sha256()
        for _, value in self.hashes():
            digest.update(bytes.fromhex(value))
        return digest.hexdigest()

    def close(self) -> None:
        """Leave one plain file behind."""
        if self._lock is not None:
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)

    def _write(self, statement: str, row: tuple[object, ...]) -> None:
        try:
            with self._connection as connection:
                connection.execute(statement, row)
        except sqlite3.Error as error:
            raise WriteFailed(
                f"{self.path}: cannot write: {error}; what was committed is safe, run the same command again to go on"
            ) from None


def _lock(path: Path) -> int:
    """One writer a store. The descriptor stays open as long as SQLite's own: closing it would drop SQLite's locks."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise StoreError(f"{path}: cannot open the store: {error.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise StoreError(f"{path}: another golfref is writing this store") from None
    return fd
