"""What the columns of a table are called, what kind of value stands in them, and how it is read from a row's source."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Literal, TypeVar, cast

from msgspec import Struct

from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

S = TypeVar("S")

Kind = Literal["int", "float", "bool", "text"]
"""Whole numbers (64 bits), floats (64 bits), true or false, and text."""

Values = Mapping[str, tuple[Literal[Kind, "int?", "float?", "text?"], Callable[[Any], Any]]]
"""By name of a column, in order, its kind (`?`: or empty), and what reads its value from the source of a row."""


class ExportColumn(Struct, frozen=True, kw_only=True):
    """A column of a table."""

    name: str
    kind: Kind
    can_be_empty: bool


class Scope(Struct, frozen=True, kw_only=True):
    """What is exported of the matches that a run had at some moment."""

    until: int
    """The id of the last match that there was. What was committed later is not exported."""
    with_retired: bool = False
    """Whether matches are exported that are out of the standings."""

    def has(self, row: CommittedMatch) -> bool:
        """Whether this match is exported."""
        return self.with_retired or row.number is not None


def scope_of(store: Store, *, with_retired: bool = False) -> Scope:
    """What can be exported now. Raises StoreError."""
    return Scope(until=store.last_id(), with_retired=with_retired)


class ExportTable(Generic[S]):
    """A table: its columns, and where its rows come from."""

    def __init__(self, sources: Callable[[Store, Scope], Iterator[S]], values: Values) -> None:
        """`sources` yields a source for each row, which may change when the next one is taken."""
        self.columns = tuple(
            ExportColumn(name=name, kind=cast(Kind, kind.removesuffix("?")), can_be_empty=kind.endswith("?"))
            for name, (kind, _) in values.items()
        )
        self._sources = sources
        self._reads = [read for _, read in values.values()]

    def rows(self, store: Store, scope: Scope) -> Iterator[list[Any]]:
        """The rows, one after another, so that they need not be in memory at once. Raises StoreError."""
        for source in self._sources(store, scope):
            yield [read(source) for read in self._reads]
