"""What the digest of a run is made of: one line for every row of its store, in the order in which the rows came.

A line says what the row is and gives the SHA-256 of all that it holds:

    run facts 2c7f...       what the run is; a line for each entry but the master key, which the commitment stands for
    match #17 9d01...       a committed match; its record counts through its hash
    void #1 77aa...         an attempt that was spoiled
    event #1 e3b0...        an amendment, or whatever else happened to the run
    host #1 5f80...         where a run is played on several hosts, one that came

The hash is over the JSON of the row, an object with every column that the table has, in the order of their names. So a
column that comes later is covered without more ado; `host` is one where a host is told of a match or a void. The digest
is the SHA-256 of these lines. Rows are only added, except that an amendment writes anew what the run is and the places
of matches in its plan. So until the next amendment the digest of today is that of the first lines of tomorrow, and
nobody can change what was published without being found out. Nothing here knows what the columns mean, but for those
that tell the order of rows.
"""

import heapq
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from hashlib import sha256
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct

Row = dict[str, Any]

Rows = Callable[[str, str, str], Iterator[Row]]
"""Reads a table: its name, the column that gives the order, and the column that is left out."""

_encode = msgspec.json.Encoder(order="sorted").encode


class Covered(Struct, frozen=True, kw_only=True):
    """A row that the digest covers."""

    kind: str
    """`run`, `match`, `void`, `event` or `host`."""
    name: str
    """`run facts`, `match #17` and so on."""
    row: Row
    """All columns; of a match all but the record, which counts through its hash."""

    @property
    def data(self) -> bytes:
        """The JSON that is hashed."""
        return _encode(self.row)

    @property
    def line(self) -> str:
        """What stands for it among the lines of the digest."""
        return f"{self.name} {sha256(self.data).hexdigest()}"


def lines_of(rows: Rows, *, has_hosts: bool = False) -> Iterator[str]:
    """The lines of a store, without newlines. Raises TypeError where nothing tells when a row came."""
    return (one.line for one in covered(rows, has_hosts=has_hosts))


def covered(rows: Rows, *, has_hosts: bool = False) -> Iterator[Covered]:
    """All rows, in the order of the lines. Raises TypeError where nothing tells when a row came.

    `has_hosts` says whether there is a table of hosts.
    """
    for row in rows("meta", "key", ""):
        if row["key"] != "master_key":
            yield Covered(kind="run", name=f"run {row['key']}", row=row)
    with ExitStack() as reading:
        tables = [
            reading.enter_context(closing(table))
            for table in (
                (((_count(row["id"]), 0, 0, 0), "match", row) for row in rows("matches", "id", "record")),
                (((_count(row["after"]), _count(row["id"]), 0, 0), "event", row) for row in rows("history", "id", "")),
                (
                    ((_count(row["after"]), _count(row["events"]), _count(row["id"]), 0), "void", row)
                    for row in rows("voids", "id", "")
                ),
                (
                    (tuple(_count(row[name]) for name in ("after", "events", "voids", "id")), "host", row)
                    for row in (rows("hosts", "id", "") if has_hosts else ())
                ),
            )
        ]
        for _, kind, row in heapq.merge(*tables, key=itemgetter(0)):
            yield Covered(kind=kind, name=f"{kind} #{row['id']}", row=row)


def _count(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, got {value!r}")
    return value
