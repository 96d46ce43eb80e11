"""export: a table of a run as a file for other programs."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from msgspec import Struct

from protocol.text import printable
from referee.commands.console import DONE, HOST_FAILED, INTERRUPTED, USAGE, put_bytes, say
from referee.commands.records import place_of
from referee.ending_signals import interruptible
from referee.new_file import HostRefused, NotWritten, new_file
from referee.reports.export.columns import Column, columns_of
from referee.reports.export.parquet import problem, write_parquet
from referee.reports.export.rows import TABLES, Row, Table
from referee.reports.export.scope import scope_of
from referee.reports.export.tables import rows_of
from referee.reports.export.text import in_text
from referee.rules.record import NoRecord
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

Format = Literal["csv", "parquet", "markdown", "jsonl"]

ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".md": "markdown",
    ".markdown": "markdown",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""What the end of a file's name says of its format."""

PACKED = ".gz"
"""With this after the ending, a text is packed."""


class ExportOptions(Struct, frozen=True, kw_only=True):
    """What `golfref export` was asked for."""

    run: Path
    table: str
    format: str | None
    """None where the file's name is to tell it."""
    columns: str | None
    """The names of columns, with commas between them; None for all."""
    out: Path | None
    """None for standard output."""
    is_exact: bool
    """Whether texts in CSV stand as they are, also where a spreadsheet would take them for formulas."""
    replaces: bool
    with_retired: bool
    """Whether matches that are out of the standings are told too."""
    with_cards: bool = False
    """Whether decisions are told with what each seat knew, for programs that learn."""


def export(options: ExportOptions) -> int:
    """Write the table, and say what it lacks."""
    try:
        with interruptible():
            return _export(options)
    except (NoRecord, NotWritten, StoreError) as error:
        say(f"golfref export: {error}")
        return HOST_FAILED if isinstance(error, HostRefused) else USAGE
    except KeyboardInterrupt:
        say("golfref export: interrupted" + "; nothing was written" * (options.out is not None))
        return INTERRUPTED


def _export(options: ExportOptions) -> int:
    table, format_ = _table(options.table), _format(options)
    columns = _columns(table, options.columns)
    if not place_of(str(options.run)).is_store:
        what = "is not the store of a run, which is the file that `golfref tournament` writes"
        raise NoRecord(f"{options.run} {what}")
    with closing(Store.open(options.run)) as store:
        if not store.counts():
            raise NoRecord(f"{options.run}: no match of the run has been played yet, so there is nothing to export")
        if options.with_cards:
            return _export_with_cards(store, table, format_, options)
        scope = scope_of(store, with_retired=options.with_retired)
        rows = rows_of(store, table, scope)
        if options.out is None:
            _put(rows, columns, format_, is_exact=options.is_exact)
        else:
            with new_file(options.out, replaces=options.replaces) as file:
                _write(rows, columns, format_, file, options)
    return DONE


def _export_with_cards(store: Store, table: Table, format_: Format, options: ExportOptions) -> int:
    """Write the decisions with what each seat knew (referee/research/decisions.py)."""
    from referee.research.decisions import write  # noqa: PLC0415 - numpy is for nobody else here

    if table != "decisions" or format_ != "parquet" or options.out is None:
        raise NoRecord("--with-cards is for --table decisions and Parquet, such as with -o decisions.parquet")
    if options.columns is not None or options.with_retired:
        raise NoRecord("--with-cards writes all columns, of the matches that count: leave out --columns and --all")
    with new_file(options.out, replaces=options.replaces) as file:
        rows = write(store, file)
    say(f"golfref export: {rows} decisions, with the cards that each seat knew")
    return DONE


def _table(name: str) -> Table:
    for table in TABLES:
        if table == name:
            return table
    raise NoRecord(f"--table: expected one of {', '.join(TABLES)}, got {printable(name, 40)}")


def _columns(table: Table, names: str | None) -> list[Column]:
    """The columns of these names, in the order in which they are given; all without names. Raises NoRecord."""
    there = {column.name: column for column in columns_of(TABLES[table])}
    chosen = list(there) if names is None else [name.strip() for name in names.split(",")]
    for name in chosen:
        if name not in there:
            near = get_close_matches(name, there, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(there)}"
            raise NoRecord(f"--columns: {table} has no column {printable(name, 40) or 'without a name'}; {hint}")
    return [there[name] for name in dict.fromkeys(chosen)]


def _format(options: ExportOptions) -> Format:
    """The format that was asked for, or the one of the file's name. Raises NoRecord where there is none."""
    name = options.format
    if name is None and options.out is not None:
        ending = options.out.name.removesuffix(PACKED)
        name = ENDINGS.get(Path(ending).suffix.lower())
        if name is None:
            some = ", ".join(ENDINGS)
            raise NotWritten(f"{options.out}: the name tells no format; it may end with {some}, or give --format")
    formats: tuple[Format, ...] = get_args(Format)
    for format_ in formats:
        if format_ == (name or "csv"):
            _check_format(format_, options)
            return format_
    raise NoRecord(f"--format: expected one of {', '.join(formats)}, got {printable(name or '', 40)}")


def _check_format(format_: Format, options: ExportOptions) -> None:
    if options.is_exact and format_ != "csv":
        raise NoRecord(f"--exact is for CSV; {format_} always has texts as they are")
    if format_ == "parquet":
        if options.out is None:
            raise NoRecord("Parquet is not written to standard output; name a file with -o")
        if options.out.suffix == PACKED:
            raise NoRecord(f"{options.out}: Parquet is packed already; name a file that ends with .parquet")
        if (why := problem()) is not None:
            raise NoRecord(why)


def _write(
    rows: Iterator[Row], columns: Sequence[Column], format_: Format, file: BinaryIO, options: ExportOptions
) -> None:
    if format_ == "parquet":
        write_parquet(rows, columns, file)
        return
    is_packed = options.out is not None and options.out.suffix == PACKED
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) if is_packed else nullcontext(file) as lines:
        for text in in_text(rows, columns, format_, is_exact=options.is_exact):
            lines.write(text.encode())


def _put(rows: Iterator[Row], columns: Sequence[Column], format_: Format, *, is_exact: bool) -> None:
    """Write the rows to standard output, which is UTF-8 whatever the locale is."""
    if format_ != "parquet":
        for text in in_text(rows, columns, format_, is_exact=is_exact):
            put_bytes(text.encode())
