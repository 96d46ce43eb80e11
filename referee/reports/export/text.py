"""Rows as CSV and JSON lines, some at a time, so that a table of any length takes little memory.

Names of bots and of their owners are strangers' texts. They can hold no control characters (the config refuses them),
and those of a store that was tampered with are escaped.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

import msgspec

from protocol.text import escaped_json, harmless
from referee.reports.export.columns import Column, values_of
from referee.reports.export.rows import Row

TextFormat = Literal["csv", "jsonl"]

AT_ONCE = 1000
"""How many rows are made text of at once."""

FORMULA = re.compile("['=+\\-@\uff1d\uff0b\uff0d\uff20]")
"""How a text begins that spreadsheets take for a formula, also in full width; and what is put before such texts."""


def in_text(
    rows: Iterable[Row], columns: Sequence[Column], format_: TextFormat, *, is_exact: bool = False
) -> Iterator[str]:
    """These columns of the rows as text, their heading included, in pieces that together are the file.

    CSV is that of RFC 4180, but for lines that end with a newline alone. In it, a text that spreadsheets would take
    for a formula gets an apostrophe before it, unless it `is_exact`.
    """
    if format_ == "csv":
        yield ",".join(column.name for column in columns) + "\n"
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        if format_ == "csv":
            yield _csv(some, columns, harmless if is_exact else no_formula)
        else:
            yield _jsonl(some, columns)


def _csv(rows: Sequence[Row], columns: Sequence[Column], in_words: Callable[[str], str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_cells(rows, columns, in_words))
    return text.getvalue()


def _jsonl(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    names = [column.name for column in columns]
    encode = msgspec.json.Encoder().encode
    objects = (dict(zip(names, values, strict=True)) for values in values_of(rows, columns))
    return "".join(escaped_json(encode(one).decode()) + "\n" for one in objects)


def _cells(rows: Sequence[Row], columns: Sequence[Column], in_words: Callable[[str], str]) -> Iterator[list[object]]:
    """What stands in each row: true and false as JSON has them, and texts by `in_words`."""
    texts = [place for place, column in enumerate(columns) if column.kind == "text"]
    bools = [place for place, column in enumerate(columns) if column.kind == "bool"]
    for cells in values_of(rows, columns):
        for place in texts:
            if cells[place] is not None:
                cells[place] = in_words(cells[place])
        for place in bools:
            if cells[place] is not None:
                cells[place] = "true" if cells[place] else "false"
        yield cells


@lru_cache(4096)
def no_formula(text: str) -> str:
    """The text as a spreadsheet shows it and does not compute it: with an apostrophe before it where it begins so.

    A text that begins with an apostrophe gets another one, so that taking one away always gives the text again.
    """
    return "'" * bool(FORMULA.match(text)) + harmless(text)
