"""The rows and records of a bundle as they are read: each against its line in hashes.txt, whatever the bundle holds."""

from collections.abc import Iterator
from itertools import zip_longest

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.competition.publishing.bundle import HASHES, RECORDS, ROWS
from referee.competition.publishing.reading import Broken, BundleFolder
from referee.tournament.store.journal import MOST_RECORD_BYTES, body_hash
from referee.tournament.store.rows import DECODERS, AnyRow, Match

MOST_ROW_BYTES = 1 << 26
MOST_HASH_LINE = 1 << 10


class StoredRow(Struct, frozen=True, kw_only=True):
    """A row of a bundle."""

    id: int
    kind: str
    line: str
    """Its line in hashes.txt."""
    body: bytes | None = None
    """None where it is held back, or something is wrong with it."""
    row: AnyRow | None = None
    """What the body says. None where there is none."""
    record: bytes | None = None
    """The record of a match."""
    problem: str = ""
    """What is wrong with it; empty where nothing is."""

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.kind} #{self.id}"

    @property
    def is_held_back(self) -> bool:
        """Whether the bundle leaves it out."""
        return self.body is None and not self.problem


def stored_rows(folder: BundleFolder) -> Iterator[StoredRow]:
    """All rows of a bundle, in the order of hashes.txt, those of matches with their records.

    Raises Broken where the files cannot be read, or do not have as many lines as they should.
    """
    records = folder.lines(RECORDS, MOST_RECORD_BYTES)
    with folder.open(HASHES) as hashes:
        lines = iter(lambda: hashes.readline(MOST_HASH_LINE), b"")
        for number, (line, data) in enumerate(zip_longest(lines, folder.lines(ROWS, MOST_ROW_BYTES)), 1):
            if line is None or data is None:
                raise Broken(f"{ROWS if data is None else HASHES}: it ends before line {number}")
            text = line.decode(errors="replace").rstrip("\n")
            id_, kind, hash_ = (*text.split(" "), "", "")[:3]
            if id_ != str(number) or kind not in DECODERS or text != f"{id_} {kind} {hash_}":
                raise Broken(f"{HASHES}:{number}: expected a row's id, kind and hash, as `standings --hashes` prints")
            record = None
            if kind == "match":
                record = next(records, None)
                if record is None:
                    raise Broken(f"{RECORDS}: it ends before the record of match #{id_}")
            yield _row(number, kind, text, data, record)
    if next(records, None) is not None:
        raise Broken(f"{RECORDS}: it has more records than {HASHES} has matches")


def _row(id_: int, kind: str, line: str, data: bytes, record: bytes | None) -> StoredRow:
    if not data:
        return StoredRow(id=id_, kind=kind, line=line)
    try:
        if body_hash(data) != line.rpartition(" ")[2]:
            raise ValueError(f"its row is not the one of {HASHES}")
        row = DECODERS[kind].decode(data)
        if isinstance(row, Match) and record is not None and body_hash(record) != row.record_hash:
            raise ValueError("its record is not the one that was committed (hash)")
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        return StoredRow(id=id_, kind=kind, line=line, problem=printable(str(error), 300))
    return StoredRow(id=id_, kind=kind, line=line, body=data, row=row, record=record)
