"""What a publication that was killed, or found no room, leaves in a folder, and what the next one removes of it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from referee.competition.publishing.folders import MARK, new_bundle

DAY = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize("share", [0, 20, None])
def test_a_folder_with_a_part_of_our_mark_goes_away(tmp_path: Path, share: int | None) -> None:
    with new_bundle(tmp_path, "cup", DAY, lambda: None) as bundle:
        whole = (bundle.begin(bundle.public, 0o755) / MARK).read_bytes()
        assert bundle.name == "cup-2026-11-23"
    left, other = (tmp_path / f"cup-2026-11-{day}.new" for day in ("22", "21"))
    for folder, text in ((left, whole[:share]), (other, b"mine")):
        folder.mkdir()
        (folder / MARK).write_bytes(text)

    with new_bundle(tmp_path, "cup", DAY, lambda: None):
        assert not left.exists()
        assert other.exists()
