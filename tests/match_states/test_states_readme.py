"""The page for those who write a viewer: its program runs, and it and the schema have what the types have."""

import re
import runpy
import sys
from pathlib import Path

import msgspec
import pytest
from recorded_matches import BY_PRESET

from referee.match_states.documents import document
from referee.match_states.schema import schema
from referee.match_states.states import Document
from referee.match_states.view import OPEN

FOLDER = Path(__file__).parent.parent.parent / "referee" / "match_states"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_a_document_does_not_fit_its_types() -> None:
    made = document(BY_PRESET["cactus"], OPEN)

    assert msgspec.json.decode(msgspec.json.encode(made), type=Document, strict=True) == made


def test_a_field_is_not_named_on_the_page() -> None:
    """Fields of the results at the head of a document and of the wire are said in words or stand in the schema."""
    definitions = schema()["$defs"]
    for name in ("State", "SeatState", "Step", "Answered", "FaultOfStep", "SlapWindow", "Reacted", "Swing", "Wire"):
        missing = [field for field in definitions[name]["properties"] if not re.search(rf"`[^`]*\b{field}\b", README)]
        assert set(missing) <= WORDS, name


WORDS = {
    *("seat", "target", "round", "number", "at", "fault", "step", "detail", "slap_order"),
    *("entries", "wrote_lines", "wrote_bytes", "stderr_bytes"),
}
"""Fields whose names are words of the page, or that the schema alone tells."""


def test_the_program_of_the_page_prints_other_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    record = BY_PRESET["six-card"]
    (tmp_path / "states.json").write_bytes(msgspec.json.encode(document(record, None)))

    (tmp_path / "table.py").write_text(program, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["table.py", str(tmp_path / "states.json")])
    runpy.run_path(str(tmp_path / "table.py"))

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(record.result.rounds) * (1 + len(record.seats))
    last = [line.split() for line in lines[-len(record.seats) :]]
    assert [int(words[-1]) for words in last] == list(record.result.totals)
    assert all("None" not in words for words in last)
