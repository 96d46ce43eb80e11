"""Exported tables as pandas, polars and duckdb read them: the same columns, types and values."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from exported import NAMES, made_up_run
from made_once import shared
from needs import need_dataframes

from referee.reports.export.all_tables import TABLES, Table
from referee.rules.variants import PRESETS

pytestmark = pytest.mark.dataframes

PAGE = Path(__file__).parents[2] / "tournaments/EXPORT.md"

Line = dict[str, Any]
Reader = Callable[[Path, list[str]], list[Line]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of all games, two matches before its end, with its tables in all formats."""
    need_dataframes()

    def make(folder: Path) -> None:
        made_up_run(folder, list(PRESETS), NAMES[2:6], without=2)
        for table in TABLES:
            for ending in ("csv", "jsonl", "parquet"):
                exact = ["--exact"] * (ending == "csv")
                golfref("export", "run.golfref", "--table", table, "-o", f"{table}.{ending}", *exact, cwd=folder)

    return shared(tmp_path_factory, "tables", make)


def told(run: Path, table: Table) -> list[Line]:
    lines = (run / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()
    return plain([json.loads(line) for line in lines])


def plain(rows: list[Line]) -> list[Line]:
    """The rows, where a text that is empty is none."""
    return [{name: None if value == "" else value for name, value in row.items()} for row in rows]


def texts(table: Table) -> list[str]:
    """The columns that hold text, of which CSV cannot tell: a bot may be called 1."""
    return [column.name for column in TABLES[table].columns if column.kind == "text"]


def by_pandas(path: Path, types: list[str]) -> list[Line]:
    import pandas

    read: dict[str, Callable[[], Any]] = {
        ".csv": lambda: pandas.read_csv(path, keep_default_na=False, na_values=[""], dtype=dict.fromkeys(types, "str")),
        ".jsonl": lambda: pandas.read_json(path, lines=True, dtype=False, precise_float=True),
        ".parquet": lambda: pandas.read_parquet(path),
    }
    rows = read[path.suffix]().to_dict("records")
    return [{str(name): None if pandas.isna(value) else value for name, value in row.items()} for row in rows]


def by_polars(path: Path, types: list[str]) -> list[Line]:
    import polars

    overrides = dict.fromkeys(types, polars.String)
    read: dict[str, Callable[[], Any]] = {
        ".csv": lambda: polars.read_csv(path, infer_schema_length=None, schema_overrides=overrides),
        ".jsonl": lambda: polars.read_ndjson(path, infer_schema_length=None),
        ".parquet": lambda: polars.read_parquet(path),
    }
    return list(read[path.suffix]().to_dicts())


def by_duckdb(path: Path, types: list[str]) -> list[Line]:
    import duckdb

    with duckdb.connect() as one:
        read: dict[str, Callable[[], Any]] = {
            ".csv": lambda: one.read_csv(path, sample_size=-1, dtype=dict.fromkeys(types, "VARCHAR")),
            ".jsonl": lambda: one.read_json(str(path), sample_size=-1),
            ".parquet": lambda: one.read_parquet(str(path)),
        }
        found = read[path.suffix]()
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("reader", [by_pandas, by_polars, by_duckdb])
def test_tables_are_read_as_they_were_written(run: Path, ending: str, reader: Reader) -> None:
    for table in TABLES:
        read = plain(reader(run / f"{table}.{ending}", texts(table)))
        assert len(read) > 10
        assert read == told(run, table), table


@pytest.mark.parametrize("table", TABLES)
def test_parquet_has_the_types_of_the_columns(run: Path, table: Table) -> None:
    from pyarrow.parquet import read_schema

    types = {"int": "int64", "float": "double", "bool": "bool", "text": "string"}
    schema = read_schema(run / f"{table}.parquet")
    assert [(field.name, str(field.type), field.nullable) for field in schema] == [
        (column.name, types[column.kind], column.can_be_empty) for column in TABLES[table].columns
    ]


def standings(run: Path) -> dict[tuple[str, str], float]:
    """The match points by game and bot, as `golfref standings --json` tells them."""
    summary = json.loads(golfref("standings", "run.golfref", "--json", cwd=run)[0])
    return {(game, row["bot"]): row["match_points"] for game, rows in summary["variants"].items() for row in rows}


def test_the_match_points_of_seats_are_those_of_standings_by_the_sql_of_the_page(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    monkeypatch.chdir(run)
    blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (of_seats,) = (block for block in blocks if "lineup" in block)
    with duckdb.connect() as connection:
        found = connection.execute(of_seats).fetchall()

    assert {(game, bot): points for game, bot, points in found} == pytest.approx(standings(run), abs=1e-9)
