"""The rows and records of a bundle as they are read: each against its line in hashes.txt, whatever the bundle holds."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.competition.publishing.bundle import HASHES, RECORDS, ROWS
from referee.competition.publishing.reading import Broken, BundleFolder
from referee.tournament.store.store import MOST_RECORD_BYTES

MOST_ROW_BYTES = 1 << 26
MOST_HASH_LINE = 1 << 10
_KINDS = ("run", "match", "void", "event", "host")


class StoredRow(Struct, frozen=True, kw_only=True):
    """A row of a bundle."""

    kind: str
    """`run`, `match`, `void`, `event` or `host`; empty where the line of hashes.txt is none."""
    name: str
    """What hashes.txt calls it, safe to show."""
    row: dict[str, Any] | None = None
    """None where it is held back, or something is wrong with it."""
    record: bytes | None = None
    """The record of a match. None where it is held back."""
    problem: str = ""
    """What is wrong with it; empty where nothing is."""

    @property
    def is_held_back(self) -> bool:
        """Whether the bundle leaves it out."""
        return self.row is None and not self.problem


def stored_rows(folder: BundleFolder, *, with_records: bool = True) -> Iterator[StoredRow]:
    """All rows of a bundle, in the order of hashes.txt, those of matches with their records.

    Raises Broken where the files cannot be read, or do not have as many lines as they should.
    """
    records = folder.lines(RECORDS, MOST_RECORD_BYTES) if with_records else None
    with folder.open(HASHES) as hashes:
        lines = iter(lambda: hashes.readline(MOST_HASH_LINE), b"")
        for number, (line, data) in enumerate(zip_longest(lines, folder.lines(ROWS, MOST_ROW_BYTES)), 1):
            if line is None or data is None:
                raise Broken(f"{ROWS if data is None else HASHES}: it ends before line {number}")
            name, _, hash_ = line.decode(errors="replace").rstrip("\n").rpartition(" ")
            kind, _, rest = name.partition(" ")
            if kind not in _KINDS or not rest:
                raise Broken(f"{HASHES}:{number}: expected a hash and what it is of, as `standings --hashes` prints")
            record = None
            if kind == "match" and records is not None:
                record = next(records, None)
                if record is None:
                    raise Broken(f"{RECORDS}: it ends before the record of {printable(name, 100)}")
            yield _row(kind, name, hash_, data, record)
    if records is not None and next(records, None) is not None:
        raise Broken(f"{RECORDS}: it has more records than {HASHES} has matches")


def _row(kind: str, name: str, hash_: str, data: bytes, record: bytes | None) -> StoredRow:
    shown = printable(name, 100)
    if not data:
        return StoredRow(kind=kind, name=shown)
    try:
        if sha256(data).hexdigest() != hash_:
            raise ValueError(f"its row is not the one of {HASHES}")
        row = msgspec.json.decode(data, type=dict[str, Any])
        told = f"run {row.get('key')}" if kind == "run" else f"{kind} #{row.get('id')}"
        if told != name or told == "run master_key":
            raise ValueError(f"it is the row of {printable(told, 100)}")
        if record is not None and sha256(record).hexdigest() != row.get("hash"):
            raise ValueError("its record is not the one that was committed (hash)")
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        return StoredRow(kind=kind, name=shown, problem=str(error))
    return StoredRow(kind=kind, name=shown, row=row, record=record)
