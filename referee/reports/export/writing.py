"""Rows as CSV, JSON lines and Parquet, some at a time, so that a table of any length takes little memory.

Names of bots and of their owners are strangers' texts. They can hold no control characters (the config refuses them),
and those of a store that was tampered with are escaped. pyarrow is imported when Parquet is written, and not before.
"""

import csv
import importlib.util
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import msgspec

from protocol.text import escaped_json, harmless
from referee.reports.export.columns import ExportColumn, Kind

if TYPE_CHECKING:
    pass

TextFormat = Literal["csv", "jsonl"]

Rows = Iterable[list[Any]]

AT_ONCE = 1000
"""How many rows are made text of at once."""

ROWS_IN_GROUP = 16_384
"""How many rows a row group of Parquet has: they are in memory at once when it is written."""

FORMULA = re.compile("['=+\\-@\uff1d\uff0b\uff0d\uff20]")
"""How a text begins that spreadsheets take for a formula, also in full width; and what is put before such texts."""


def in_text(
    rows: Rows, columns: Sequence[ExportColumn], format_: TextFormat, *, is_exact: bool = False
) -> Iterator[str]:
    """The rows as text, their heading included, in pieces that together are the file.

    CSV is that of RFC 4180, but for lines that end with a newline alone. In it, a text that spreadsheets would take
    for a formula gets an apostrophe before it, unless it `is_exact`.
    """
    names = [column.name for column in columns]
    if format_ == "csv":
        yield ",".join(names) + "\n"
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        if format_ == "csv":
            yield _csv(some, columns, harmless if is_exact else no_formula)
        else:
            yield "".join(
                escaped_json(msgspec.json.encode(dict(zip(names, row, strict=True))).decode()) + "\n" for row in some
            )


def _csv(rows: Rows, columns: Sequence[ExportColumn], in_words: Callable[[str], str]) -> str:
    """What stands in each row: true and false as JSON has them, and texts by `in_words`."""
    shown: dict[Kind, Callable[[Any], str]] = {"text": in_words, "bool": lambda value: "true" if value else "false"}
    places = [(place, shown[column.kind]) for place, column in enumerate(columns) if column.kind in shown]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        for place, words in places:
            if row[place] is not None:
                row[place] = words(row[place])
        writer.writerow(row)
    return text.getvalue()


@lru_cache(4096)
def no_formula(text: str) -> str:
    """The text as a spreadsheet shows it and does not compute it: with an apostrophe before it where it begins so.

    A text that begins with an apostrophe gets another one, so that taking one away always gives the text again.
    """
    return "'" * bool(FORMULA.match(text)) + harmless(text)


def no_parquet() -> str | None:
    """Why no Parquet can be written, and what to do; None where it can."""
    if importlib.util.find_spec("pyarrow") is not None:
        return None
    return (
        f"Parquet is written with pyarrow, which is not installed; `{sys.executable} -m pip install 'pyarrow>=17'` "
        "brings it, and so does the extra `export` of golfref"
    )


def write_parquet(rows: Rows, columns: Sequence[ExportColumn], file: BinaryIO) -> None:
    """Write the rows, a row group at a time. Raises OSError."""
    import pyarrow  # noqa: PLC0415 - it may not be there
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    types: dict[Kind, pyarrow.DataType] = {
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "text": pyarrow.string(),
    }
    schema = pyarrow.schema([pyarrow.field(one.name, types[one.kind], nullable=one.can_be_empty) for one in columns])
    left = iter(rows)
    with ParquetWriter(file, schema, compression="zstd") as writer:
        while some := list(islice(left, ROWS_IN_GROUP)):
            by_column = zip(*some, strict=True)
            arrays = [pyarrow.array(values, field.type) for values, field in zip(by_column, schema, strict=True)]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))
