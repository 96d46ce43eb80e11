"""What stands in the files of a bundle, made from a store: when a run is published, and again when a bundle is checked.

The same store gives the same bytes, however long ago it was published, as long as it is the same version of golfref.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from referee.competition.publishing.bundle import (
    HASHES,
    INFO,
    README,
    RESULTS,
    STANDINGS,
    TABLE_FILES,
    BundleInfo,
)
from referee.competition.publishing.words import readme
from referee.reports.export.columns import columns_of
from referee.reports.export.rows import TABLES, Table
from referee.reports.export.scope import scope_of
from referee.reports.export.tables import rows_of
from referee.reports.export.text import in_text
from referee.reports.whole import standings_text
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of

WIDTH = 120
"""How many cells wide the tables of standings.txt are."""

AT_ONCE = 1000
"""How many results are made text of at once."""

Content = Callable[[], Iterator[bytes]]
"""Makes what stands in a file, in pieces, so that it need not be in memory at once."""


def contents(store: Store, info: BundleInfo) -> dict[str, Content]:
    """By path what makes each text of a bundle. Making it raises StoreError where the store is damaged."""
    tables: dict[str, Content] = {path: _table(store, table) for path, table in TABLE_FILES.items()}
    return {
        INFO: lambda: iter([msgspec.json.format(msgspec.json.encode(info), indent=2), b"\n"]),
        README: lambda: iter([readme(info).encode()]),
        STANDINGS: lambda: _standings(store, info),
        RESULTS: lambda: _results(store),
        HASHES: lambda: (b"%b\n" % line.encode() for line in store.lines()),
        **tables,
    }


def _standings(store: Store, info: BundleInfo) -> Iterator[bytes]:
    yield standings_text(summary_of(store, with_results=False), Path(info.made.store), WIDTH).encode()


def _results(store: Store) -> Iterator[bytes]:
    """What `standings --json` prints. The results of a long run are put in a few at a time."""
    head, mark, rest = msgspec.json.encode(summary_of(store, with_results=False)).partition(b'"results":[]')
    yield head + mark.removesuffix(b"]")
    some: list[bytes] = []
    comma = b""
    for result in store.results():
        some.append(comma + msgspec.json.encode(result))
        comma = b","
        if len(some) == AT_ONCE:
            yield b"".join(some)
            some.clear()
    yield b"".join(some) + mark[-1:] + rest + b"\n"


def _table(store: Store, table: Table) -> Content:
    def rows() -> Iterator[bytes]:
        scope = scope_of(store)
        for text in in_text(rows_of(store, table, scope), columns_of(TABLES[table]), "csv"):
            yield text.encode()

    return rows
