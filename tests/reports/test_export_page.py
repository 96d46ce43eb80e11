"""The page about exported tables tells every column as the code does: its name, its type, and what it means."""

import ast
from functools import cache
from pathlib import Path

import pytest

from referee.reports.export import rows
from referee.reports.export.columns import Column, columns_of
from referee.reports.export.rows import TABLES, Table

PAGE = Path(__file__).parents[2] / "tournaments/EXPORT.md"

WORDS = {"int": "whole number", "float": "number", "bool": "true or false", "text": "text"}


@cache
def meanings() -> dict[str, dict[str, str]]:
    """By struct what its fields mean, those of the struct that it extends first: the text below each of them."""
    found: dict[str, dict[str, str]] = {}
    for one in ast.parse(Path(rows.__file__).read_text(encoding="utf-8")).body:
        if isinstance(one, ast.ClassDef):
            told = dict(found.get(ast.unparse(one.bases[0]), {}))
            for field, text in zip(one.body, one.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign) and (several := found.get(ast.unparse(field.annotation))):
                    told |= several
                elif isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    told[ast.unparse(field.target)] = " ".join(str(ast.literal_eval(text.value)).split())
            found[one.name] = told
    return found


def line(column: Column, meaning: str) -> str:
    return f"| `{column.name}` | {WORDS[column.kind]}{', or empty' * column.can_be_empty} | {meaning} |"


@pytest.mark.parametrize("table", TABLES)
def test_the_page_has_every_column_of_a_table(table: Table) -> None:
    struct = TABLES[table]
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {table}\n")[1].split("\n## ")[0]

    told = [text for text in section.splitlines() if text.startswith("| `")]
    assert told == [line(column, meanings()[struct.__name__][column.name]) for column in columns_of(struct)]
