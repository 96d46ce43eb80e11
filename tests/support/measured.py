"""What is measured while matches are played, or befalls a run: the same seed gives the same results but for these."""

from typing import Any

from msgspec.structs import replace

from referee.tournament.results import Result

FIGURES = ("lag_us", "disturbed", "id", "idle_cpu_ms")
"""Fields of results and of rows of standings."""


def unmeasured(result: Result) -> Result:
    """The result without what is measured."""
    return replace(result, lag_us=0, disturbed=0, id=0, idle_cpu_ms=())


def unmeasured_document(document: Any, *more: str) -> Any:
    """The document that `--json` prints, without what is measured, and without these entries."""
    kept = {name: value for name, value in document.items() if name not in (*FIGURES, *more)}
    tables = {name: list(map(_unmeasured_row, rows)) for name, rows in document["variants"].items()}
    rows = {name: list(map(_unmeasured_row, document[name])) for name in ("results", "standings")}
    return {**kept, **rows, "variants": tables}


def _unmeasured_row(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in FIGURES}
