"""The file of a run changed by somebody who can write to it: in one place, or with all hashes and places made anew."""

import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.tournament.store.disk import StoreError
from referee.tournament.store.journal import BEFORE_FIRST, body_hash, chained
from referee.tournament.verify.history import put_places


class ForgedRow(Struct, kw_only=True):
    """A row of a journal, and the JSON of the record where it is a match."""

    kind: str
    body: Any
    record: Any = None


def change(run: Path, statement: str, *values: object) -> None:
    """Change one thing, and nothing that depends on it."""
    with closing(sqlite3.connect(run)) as database, database:
        database.execute(statement, values)


def value(run: Path, query: str, *values: object) -> Any:
    """The first value that a query finds."""
    with closing(sqlite3.connect(run)) as database:
        return database.execute(query, values).fetchone()[0]


def rows_of(run: Path) -> list[ForgedRow]:
    """All rows of the journal of a run."""
    query = "SELECT kind, body, record FROM journal LEFT JOIN records USING (id) ORDER BY journal.id"
    with closing(sqlite3.connect(run)) as database:
        return [
            ForgedRow(kind=kind, body=json.loads(body), record=None if blob is None else _record(blob))
            for kind, body, blob in database.execute(query)
        ]


def forge(run: Path, edit: Callable[[list[ForgedRow]], object]) -> None:
    """Change the rows of a run, and make everything anew that anybody can: ids, hashes, and the places of matches."""
    rows = rows_of(run)
    edit(rows)
    last = BEFORE_FIRST
    with closing(sqlite3.connect(run)) as database, database:
        for table in ("journal", "records", "places"):
            database.execute(f"DELETE FROM {table}")  # noqa: S608 - one of our tables
        for id_, row in enumerate(rows, 1):
            if row.record is not None:
                data = msgspec.json.encode(row.record)
                row.body["record_hash"] = sha256(data).hexdigest()
                database.execute("INSERT INTO records VALUES (?, ?)", (id_, zlib.compress(data)))
            body = msgspec.json.encode(row.body).decode()
            last = chained(last, row.kind, body_hash(body))
            database.execute("INSERT INTO journal VALUES (?, ?, ?, ?)", (id_, row.kind, body, last))
    with suppress(StoreError):  # where nobody can read what was made
        put_places(run)


def cut(run: Path, matches: int) -> None:
    """Take away all that came after so many matches, as if the run had been killed then."""
    last = value(run, "SELECT id FROM journal WHERE kind = 'match' ORDER BY id LIMIT 1 OFFSET ?", matches - 1)
    for table in ("journal", "records", "places"):
        change(run, f"DELETE FROM {table} WHERE id > ?", last)  # noqa: S608 - one of our tables


def _record(blob: bytes) -> Any:
    try:
        return json.loads(zlib.decompress(blob))
    except (zlib.error, ValueError):  # of a run that nobody played, it is empty
        return None
