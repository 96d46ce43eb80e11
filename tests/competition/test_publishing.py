"""The folders of what is published: what an earlier publication left in them, and whose the parts of authors are."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from referee.competition.publishing import authors
from referee.competition.publishing.folders import MARK, new_bundle
from referee.competition.publishing.rows import HELD_BACK
from referee.tournament.store.rows import KINDS
from referee.tournament.store.store import Store

DAY = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize("share", [0, 20, None])
def test_a_folder_with_a_part_of_our_mark_goes_away(tmp_path: Path, share: int | None) -> None:
    """It was left by a publication that was killed, or found no room."""
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


def test_nobody_gets_the_part_of_another_whatever_owners_and_bots_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = {"greedy": "", "greedy (bot)": "", "one": "greedy", "two": "greedy (bot)", "three": "greedy"}
    facts = SimpleNamespace(bots=[SimpleNamespace(name=name, owner=owner) for name, owner in owners.items()])
    monkeypatch.setattr(authors, "bots_of_run", lambda _: [])

    found = authors.authors_of(cast(Store, SimpleNamespace(configs=lambda: [facts])))

    assert {tuple(one.bots): one.owner for one in found} == {
        ("greedy",): "",
        ("greedy (bot)",): "",
        ("one", "three"): "greedy",
        ("two",): "greedy (bot)",
    }
    assert len({one.folder.casefold() for one in found}) == len(found)


def test_every_row_that_holds_a_config_is_held_back_while_its_seed_would_tell_the_key() -> None:
    with_config = {kind for kind, row in KINDS.items() if "config" in str(msgspec.json.schema(row))}
    assert with_config == set(HELD_BACK)
