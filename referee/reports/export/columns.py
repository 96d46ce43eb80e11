"""What the columns of a table are called, and what stands in them."""

from collections.abc import Iterable, Iterator, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from referee.reports.export.rows import Row

Kind = Literal["int", "float", "bool", "text"]
"""Whole numbers (64 bits), floats (64 bits), true or false, and text."""

_KINDS: dict[type, Kind] = {int: "int", float: "float", bool: "bool", str: "text"}


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table."""

    name: str
    kind: Kind
    can_be_empty: bool


def columns_of(table: type[Row]) -> tuple[Column, ...]:
    """The columns of a table, in order."""
    return tuple(_column(field.name, set(_types(field.type))) for field in fields(table))


def values_of(rows: Iterable[Row], columns: Sequence[Column]) -> Iterator[list[Any]]:
    """By row the values in these columns."""
    names = [column.name for column in columns]
    for row in rows:
        yield [getattr(row, name) for name in names]


def _column(name: str, types: set[type]) -> Column:
    (kind,) = {_KINDS[one] for one in types if one is not NoneType}
    return Column(name=name, kind=kind, can_be_empty=NoneType in types)


def _types(annotation: Any) -> Iterator[type]:
    """The types of what can stand in a field."""
    if get_origin(annotation) is Literal:
        yield from (type(value) for value in get_args(annotation))
    elif get_origin(annotation) in (Union, UnionType):
        for one in get_args(annotation):
            yield from _types(one)
    else:
        yield annotation
