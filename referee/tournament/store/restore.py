"""A store that is made again from its rows and records, as a published bundle has them.

Whatever the rows hold, what comes of it is a store of ours or a StoreError: nothing here is trusted.
"""

import contextlib
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from referee.tournament.store.digest import Row
from referee.tournament.store.disk import StoreError, is_full, refusal
from referee.tournament.store.tables import HOST_TABLES, PLAYED_BY, TABLES

COLUMNS = {
    "run": ("meta", ("key", "value")),
    "match": (
        "matches",
        ("id", "number", "variant", "game", "bots", "versions", "deal", "rotation", "result", "hash", "record"),
    ),
    "void": ("voids", ("id", "after", "events", "number", "bots", "attempt", "reason")),
    "event": ("history", ("id", "after", "lines", "facts")),
    "host": ("hosts", ("id", "after", "events", "voids", "told")),
}
"""By kind of row the table into which it goes, and its columns."""

_LEVEL = 1
"""How hard records are packed: the store is gone as soon as it has been checked."""


class Restored:
    """A store that is being made again. `restored` begins one."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection

    def add(self, kind: str, row: Row, record: bytes | None = None) -> None:
        """Add a row, of a match with its record. Raises StoreError, which says what is wrong with it."""
        table, columns = COLUMNS[kind]
        values: dict[str, Any] = dict(row)
        host = values.pop("host", None) if table in PLAYED_BY else None
        if record is not None:
            values["record"] = zlib.compress(record, _LEVEL)
        if set(values) != set(columns):
            odd = sorted(set(values) ^ set(columns))[0]
            raise StoreError(f"it does not have the columns of such a row ({odd})")
        if wrong := [name for name in row if not isinstance(row[name], str | int | None)]:
            raise StoreError(f"its column `{wrong[0]}` is neither a text nor a whole number")
        try:
            if kind == "host":
                self._make_host_tables()
            self._insert(table, columns, [values[name] for name in columns])
            if host is not None:
                self._insert(PLAYED_BY[table], ("id", "host"), [values["id"], host])
        except (sqlite3.Error, OverflowError, UnicodeEncodeError) as error:
            if isinstance(error, sqlite3.Error) and is_full(error):
                raise refusal(self._path, error) from None
            raise StoreError(f"no store can hold it ({error})") from None

    def _insert(self, table: str, columns: Sequence[str], values: Sequence[object]) -> None:
        # The names of tables and columns are ours.
        statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' for _ in columns)})"  # noqa: S608
        self._connection.execute(statement, values)

    def _make_host_tables(self) -> None:
        for statement in HOST_TABLES.split(";"):
            self._connection.execute(statement)


@contextlib.contextmanager
def restored(path: Path) -> Iterator[Restored]:
    """A new store at this place, which is whole after the block. Raises StoreError, WriteFailed on a full disk."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            with connection:
                connection.executescript(TABLES)
                connection.execute("BEGIN")
                yield Restored(path, connection)
    except (OSError, sqlite3.Error) as error:
        raise refusal(path, error) from None
