"""Records that are kept verify in every later version that reads their format, and others are refused in a sentence."""

from pathlib import Path

import msgspec
import pytest
from commands import golfref
from msgspec.structs import replace
from recorded_matches import BY_PRESET

from referee.rules.book.presets import PRESETS
from referee.tournament.verify.replay import check_record


@pytest.mark.parametrize("preset", PRESETS)
def test_a_kept_record_no_longer_verifies(preset: str) -> None:
    """`hello` tells the version of golfref, so that a record which claims another one is found too."""
    record = BY_PRESET[preset]
    assert list(check_record(record)) == []
    claimed = list(check_record(replace(record, golfref="0.1.0")))
    assert {finding.rpartition(": ")[2] for finding in claimed} == {"it was sent other bytes than the record tells"}


@pytest.mark.parametrize(
    ("format_", "what"),
    [
        (3, "format 3; golfref 0.8.0 reads it; this version reads format 4"),
        (5, "format 5; this version reads format 4"),
    ],
)
def test_a_record_of_another_format_is_not_refused_in_a_sentence(format_: int, what: str, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(msgspec.json.encode(replace(BY_PRESET["six-card"], format=format_)))
    assert golfref("verify", "one.json", cwd=tmp_path, code=2)[1] == f"golfref: one.json: a record of {what}\n"
