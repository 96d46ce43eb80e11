"""What the columns of a table are called, and what stands in them."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from referee.reports.export.rows import FaultColumns, Row

Kind = Literal["int", "float", "bool", "text"]
"""Whole numbers (64 bits), floats (64 bits), true or false, and text."""

_KINDS: dict[type, Kind] = {int: "int", float: "float", bool: "bool", str: "text"}


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table."""

    name: str
    kind: Kind
    can_be_empty: bool
    place: str
    """Where its value stands in a row: the name of a field, or of a field of such a field, as in `faults.timeout`."""


def columns_of(table: type[Row]) -> tuple[Column, ...]:
    """The columns of a table, in order."""
    return tuple(_columns(table, ""))


def values_of(rows: Iterable[Row], columns: Sequence[Column]) -> Iterator[list[Any]]:
    """By row the values in these columns."""
    values = [attrgetter(column.place) for column in columns]
    for row in rows:
        yield [value(row) for value in values]


def _columns(struct: type[Struct], within: str) -> Iterator[Column]:
    """The columns of a struct, whose place in a row is `within`."""
    for field in fields(struct):
        place, types = within + field.name, set(_types(field.type))
        if types == {FaultColumns}:
            yield from _columns(FaultColumns, f"{place}.")
        else:
            (kind,) = {_KINDS[one] for one in types if one is not NoneType}
            yield Column(name=field.name, kind=kind, can_be_empty=NoneType in types, place=place)


def _types(annotation: Any) -> Iterator[type]:
    """The types of what can stand in a field."""
    if get_origin(annotation) is Literal:
        yield from (type(value) for value in get_args(annotation))
    elif get_origin(annotation) in (Union, UnionType):
        for one in get_args(annotation):
            yield from _types(one)
    else:
        yield annotation
