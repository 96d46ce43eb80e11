"""Rows as a Parquet file, for which pyarrow is needed: it is imported when a file is written, and not before."""

import importlib.util
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from referee.reports.export.columns import Column, Kind, values_of
from referee.reports.export.rows import Row

if TYPE_CHECKING:
    import pyarrow

ROWS_IN_GROUP = 16_384
"""How many rows a row group has: they are in memory at once when it is written."""


def problem() -> str | None:
    """Why no Parquet can be written, and what to do; None where it can."""
    if importlib.util.find_spec("pyarrow") is not None:
        return None
    return (
        f"Parquet is written with pyarrow, which is not installed; `{sys.executable} -m pip install 'pyarrow>=17'` "
        "brings it, and so does the extra `export` of golfref"
    )


def write_parquet(rows: Iterable[Row], columns: Sequence[Column], file: BinaryIO) -> None:
    """Write these columns of the rows, a row group at a time. Raises OSError."""
    import pyarrow  # noqa: PLC0415 - it may not be there
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    schema = schema_of(columns)
    left = values_of(rows, columns)
    with ParquetWriter(file, schema, compression="zstd") as writer:
        while some := list(islice(left, ROWS_IN_GROUP)):
            by_column = zip(*some, strict=True)
            arrays = [pyarrow.array(values, field.type) for values, field in zip(by_column, schema, strict=True)]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def schema_of(columns: Iterable[Column]) -> "pyarrow.Schema":
    """The types of the columns."""
    import pyarrow  # noqa: PLC0415

    types: dict[Kind, pyarrow.DataType] = {
        "int": pyarrow.int64(),
        "float": pyarrow.float64(),
        "bool": pyarrow.bool_(),
        "text": pyarrow.string(),
    }
    return pyarrow.schema(
        [pyarrow.field(column.name, types[column.kind], nullable=column.can_be_empty) for column in columns]
    )
