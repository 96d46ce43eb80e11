"""A store that is made again from its rows and records, as a published bundle has them.

Whatever the rows hold, what comes of it is a store of ours or a StoreError: nothing here is trusted.
"""

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from referee.tournament.store.disk import StoreError, is_full, refusal
from referee.tournament.store.journal import Journal, new_file

_LEVEL = 1
"""How hard records are packed: the store is gone as soon as it has been checked."""


class Restored:
    """A store that is being made again. `restored` begins one."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def add(self, kind: str, body: bytes, record: bytes | None = None) -> None:
        """Add a row, of a match with its record. Raises StoreError, which says what is wrong with it."""
        try:
            id_ = self._journal.add_body(kind, body.decode())
            if record is not None:
                self._journal.add_record(id_, zlib.compress(record, _LEVEL))
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            if isinstance(error, sqlite3.Error) and is_full(error):
                raise refusal(self._journal.path, error) from None
            raise StoreError(f"no store can hold it ({error})") from None


@contextlib.contextmanager
def restored(path: Path, key: str) -> Iterator[Restored]:
    """A new store at this place, which is whole after the block but for the places of its matches.

    Raises StoreError, WriteFailed on a full disk.
    """
    with new_file(path, key) as journal:
        yield Restored(journal)
