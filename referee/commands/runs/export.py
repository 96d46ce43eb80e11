"""export: a table of a run as a file for other programs."""

import gzip
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO, Literal, cast, get_args

import msgspec
import typer
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import in_lines, put, put_bytes, say, screen_width
from referee.commands.options import Force, refuse
from referee.commands.recorded.records import check_bot_of_run, open_run, replaying
from referee.errors import CHECK_FAILED, DONE, CommandError
from referee.new_file import new_file
from referee.reports.bot_match import matches_of_bot
from referee.reports.export.all_tables import TABLES, Table
from referee.reports.export.columns import ExportColumn, Kind, scope_of
from referee.reports.export.meanings import ROWS, meaning_of
from referee.reports.export.writing import Rows, in_text, no_parquet, write_parquet
from referee.rules.record import NoRecord
from referee.tournament.store.store import Store

Format = Literal["csv", "parquet", "jsonl"]

ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
"""By the end of a file's name its format."""

TYPES: dict[Kind, str] = {"int": "whole number", "float": "number", "bool": "true or false", "text": "text"}
"""The types of columns in words."""

PACKED = ".gz"
"""With this after the ending, a text is packed."""


class ExportOptions(Struct, frozen=True, kw_only=True):
    """What `golfref export` was asked for."""

    run: Annotated[Path | None, typer.Argument(metavar="RUN", help="The run's store file.", show_default=False)] = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="matches, seats, rounds, decisions, slaps, pairs or standings.", show_default=False
        ),
    ] = None
    bot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="All matches of this bot for its author, without what others were sent."),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="csv, parquet or jsonl; default: FILE's ending, or csv."),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The file to write; packed as FILE.gz; default: stdout, as -."
        ),
    ] = None
    is_exact: Annotated[
        bool, typer.Option("--exact", help="Put no apostrophe before texts that spreadsheets take for formulas.")
    ] = False
    with_retired: Annotated[bool, typer.Option("--all", help="Write also matches that are out of the standings.")] = (
        False
    )
    with_cards: Annotated[
        bool, typer.Option("--with-cards", help="Of decisions, also what each seat knew, as Parquet.")
    ] = False
    replaces: Force = False
    is_description: Annotated[
        bool,
        typer.Option("--describe", help="Print the columns of the tables, or of --table, with types and meanings."),
    ] = False

    @property
    def file(self) -> Path | None:
        """The file to write. None for standard output."""
        return None if self.out == Path("-") else self.out


def export(options: ExportOptions) -> int:
    """Write a table of a run for other programs, or all matches of a bot; with --describe, print what the columns mean.

    Example: golfref export cup.golfref --table decisions -o decisions.parquet
    """
    if options.is_description:
        return _describe(options)
    if options.run is None:
        raise CommandError("expected the run's store file")
    if (options.table is None) == (options.bot is None):
        raise CommandError("expected --table NAME or --bot NAME")
    if options.file is None:
        refuse("standard output", {"--force": options.replaces})
    return _export(options, options.run) if options.bot is None else _export_bot(options, options.run, options.bot)


def _describe(options: ExportOptions) -> int:
    """Print the columns of the tables, or of one."""
    if options != ExportOptions(table=options.table, is_description=True):
        raise CommandError("--describe goes with --table only, and without a RUN")
    width = screen_width()
    for table in TABLES if options.table is None else [_table(options.table)]:
        put(*in_lines(f"{table}: a row for each {ROWS[table]}", width), "")
        for column in TABLES[table].columns:
            put(f"{column.name} ({TYPES[column.kind]}{', or empty' * column.can_be_empty})")
            put(*in_lines(f"  {meaning_of(table, column.name)}", width))
        put("")
    return DONE


def _export_bot(options: ExportOptions, run: Path, bot: str) -> int:
    """Write the bot's matches, a line each, and print how many there are."""
    of_tables = {"--exact": options.is_exact, "--all": options.with_retired, "--with-cards": options.with_cards}
    refuse("--bot", {"--format": options.format, **of_tables})
    if (out := options.file) is None:
        raise CommandError("--bot: expected a file to write, as -o FILE.jsonl")
    if ENDINGS.get(Path(out.name.removesuffix(PACKED)).suffix.lower(), "jsonl") != "jsonl":
        raise CommandError(f"{out}: --bot writes JSON lines; name a file as FILE.jsonl or FILE.jsonl.gz")
    name = printable(bot, 100)
    with open_run(run) as store, replaying(str(run)):
        check_bot_of_run(store, bot)
        store.hold()
        found = [row.id for row in store.matches() if bot in row.identity.bots]
        if not found:
            raise CommandError(f"{name} has played no match so far; nothing was written", CHECK_FAILED)
        with new_file(out, replaces=options.replaces) as file, _packed(file, out) as lines:
            for match in matches_of_bot(store, bot, found):
                lines.write(msgspec.json.encode(match) + b"\n")
    say(f"{'1 match' if len(found) == 1 else f'{len(found)} matches'} of {name} in {out}")
    return DONE


def _export(options: ExportOptions, run: Path) -> int:
    table, format_ = _table(options.table or ""), _format(options)
    if table in ("pairs", "standings"):
        refuse(f"--table {table}", {"--all": options.with_retired})
    with open_run(run) as store:
        if not store.counts():
            raise NoRecord(f"{run}: no match of the run has been played yet, so there is nothing to export")
        if options.with_cards:
            return _export_with_cards(store, table, format_, options)
        scope = scope_of(store, with_retired=options.with_retired)
        rows, columns = TABLES[table].rows(store, scope), TABLES[table].columns
        if options.file is None:
            _put(rows, columns, format_, is_exact=options.is_exact)
        else:
            with new_file(options.file, replaces=options.replaces) as file:
                _write(rows, columns, format_, file, options)
    return DONE


def _export_with_cards(store: Store, table: Table, format_: Format, options: ExportOptions) -> int:
    """Write the decisions with what each seat knew (referee/research/decisions.py)."""
    from referee.research.decisions import write  # noqa: PLC0415 - numpy is for nobody else here

    if table != "decisions" or format_ != "parquet" or options.file is None:
        raise NoRecord("--with-cards is for --table decisions and Parquet, such as with -o decisions.parquet")
    if options.with_retired:
        raise NoRecord("--with-cards writes the matches that count: leave out --all")
    with new_file(options.file, replaces=options.replaces) as file:
        rows = write(store, file)
    say(f"{rows} decisions, with the cards that each seat knew")
    return DONE


def _table(name: str) -> Table:
    for table in TABLES:
        if table == name:
            return table
    raise NoRecord(f"--table: expected one of {', '.join(TABLES)}, got {printable(name, 40)}")


def _format(options: ExportOptions) -> Format:
    """The format that was asked for, or the one of the file's name. Raises NoRecord where there is none."""
    name = options.format
    if name is None and options.file is not None:
        ending = options.file.name.removesuffix(PACKED)
        name = ENDINGS.get(Path(ending).suffix.lower())
        if name is None:
            some = ", ".join(ENDINGS)
            raise NoRecord(f"{options.file}: the name has no format; it may end with {some}, or give --format")
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
        if options.file is None:
            raise NoRecord("Parquet is not written to standard output; name a file with -o")
        if options.file.suffix == PACKED:
            raise NoRecord(f"{options.file}: Parquet is packed already; name a file that ends with .parquet")
        if (why := no_parquet()) is not None:
            raise NoRecord(why)


def _write(
    rows: Rows, columns: Sequence[ExportColumn], format_: Format, file: BinaryIO, options: ExportOptions
) -> None:
    if format_ == "parquet":
        write_parquet(rows, columns, file)
        return
    with _packed(file, options.file) as lines:
        for text in in_text(rows, columns, format_, is_exact=options.is_exact):
            lines.write(text.encode())


def _packed(file: BinaryIO, path: Path | None) -> AbstractContextManager[BinaryIO]:
    """The file, in which what is written is packed where its name ends so."""
    is_packed = path is not None and path.suffix == PACKED
    return cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="wb", mtime=0)) if is_packed else nullcontext(file)


def _put(rows: Rows, columns: Sequence[ExportColumn], format_: Format, *, is_exact: bool) -> None:
    """Write the rows to standard output, which is UTF-8 whatever the locale is."""
    if format_ != "parquet":
        for text in in_text(rows, columns, format_, is_exact=is_exact):
            put_bytes(text.encode())
