"""A fault of golfref while it checks a match is reported as its own, and the other matches are checked."""

from pathlib import Path

import pytest
from exported import made_up_run

from referee.rules.record import Record
from referee.tournament.verify import run
from referee.tournament.verify.run import check_store


def failing(record: Record) -> list[str]:
    raise KeyError(record.preset)


def test_a_fault_of_golfref_passes_as_a_damaged_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_up_run(tmp_path, ["six-card"], names=("ann", "bea", "cid"))
    monkeypatch.setattr(run, "check_record", failing)

    found = [text for text in check_store(tmp_path / "run.golfref").findings if "KeyError" in text]

    assert len(found) > 1
    assert all("golfref failed to check it, which is a fault of golfref (KeyError: 'six-card')" in one for one in found)
