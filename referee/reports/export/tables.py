"""The rows of each table of a run."""

from collections.abc import Callable, Iterator

from referee.reports.export.of_matches import match_rows, round_rows, seat_rows
from referee.reports.export.of_play import decision_rows, slap_rows
from referee.reports.export.of_run import pair_rows, standing_rows
from referee.reports.export.rows import Row, Table
from referee.reports.export.scope import Scope
from referee.tournament.store.store import Store

_OF_MATCHES: dict[Table, Callable[[Store, Scope], Iterator[Row]]] = {
    "matches": match_rows,
    "seats": seat_rows,
    "rounds": round_rows,
    "decisions": decision_rows,
    "slaps": slap_rows,
}

OF_RUN: dict[Table, Callable[[Store], Iterator[Row]]] = {"pairs": pair_rows, "standings": standing_rows}


def rows_of(store: Store, table: Table, scope: Scope) -> Iterator[Row]:
    """The rows of a table, one after another, so that they need not be in memory at once. Raises StoreError."""
    of_matches = _OF_MATCHES.get(table)
    return OF_RUN[table](store) if of_matches is None else of_matches(store, scope)
