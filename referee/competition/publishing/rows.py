"""The rows and the records of a run as two packed texts, so that its store can be made from them again.

Line for line `rows.jsonl` has the bodies of the rows of which the lines of `hashes.txt` have the SHA-256, and
`records.jsonl` the records of the matches among them, of which their bodies have the SHA-256. An empty line stands for
a body that is held back. So everything in them can be checked without golfref.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

HELD_BACK = ("begin", "amendment", "shard")
"""The kinds of rows that hold a config, whose seed would tell the key."""


@contextmanager
def packed(file: BinaryIO) -> Iterator[BinaryIO]:
    """What is written is packed into the file, always into the same bytes."""
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, compresslevel=6) as lines:
        yield cast(BinaryIO, lines)


def row_lines(store: Store, *, tells_config: bool) -> Iterator[bytes]:
    """A line for each row; configs are held back, unless it tells them. Raises StoreError."""
    for entry in store.entries():
        is_held = not tells_config and entry.kind in HELD_BACK
        yield b"\n" if is_held else entry.body.encode() + b"\n"


def record_lines(store: Store) -> Iterator[bytes]:
    """A line for each match, in the order of commits. Raises StoreError."""
    for row, data in store.with_records():
        if b"\n" in data:
            raise StoreError(
                f"{store.path}: the record of match #{row.id} holds a line break, which golfref never writes"
            )
        yield data + b"\n"
