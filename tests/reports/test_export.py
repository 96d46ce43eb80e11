"""What `golfref export` writes, from runs that nobody played: real records, outcomes by chance, names that mislead."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commands import golfref
from exported import NAMES, made_up_run
from made_once import made_once

from referee.reports.export.columns import columns_of
from referee.reports.export.rows import TABLES, Table

GAMES = ("six-card", "cactus", "par-course")

Line = dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run: 4 bots at tables of three in three games, 36 matches."""
    return made_once(tmp_path_factory, "made-up", lambda folder: made_up_run(folder, GAMES, NAMES[:4]))


def exported(run: Path, table: str, *more: str) -> list[Line]:
    """The rows of a table as JSON lines tell them."""
    out, said = golfref("export", "run.golfref", "--table", table, "--format", "jsonl", *more, cwd=run)
    assert said == ""
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("table", TABLES)
def test_json_lines_have_the_columns_that_are_told(run: Path, table: Table) -> None:
    """Every row of each table can be read as what its struct says."""
    rows = exported(run, table)

    assert rows
    for row in rows:
        assert tuple(row) == TABLES[table].__struct_fields__
        msgspec.convert(row, TABLES[table], strict=True)


@pytest.mark.parametrize("table", TABLES)
def test_csv_has_the_same_rows(run: Path, table: Table) -> None:
    out, _ = golfref("export", "run.golfref", "--table", table, "--exact", cwd=run)
    read = list(csv.DictReader(out.splitlines()))

    kinds = {column.name: column.kind for column in columns_of(TABLES[table])}
    typed: dict[str, Callable[[str], object]] = {
        "int": int,
        "float": float,
        "text": str,
        "bool": {"true": True, "false": False}.__getitem__,
    }
    expected = [{name: None if value == "" else value for name, value in row.items()} for row in exported(run, table)]
    assert [
        {name: typed[kinds[name]](cell) if cell else None for name, cell in row.items()} for row in read
    ] == expected
