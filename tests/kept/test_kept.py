"""Files of golfref 1.0.0, which every later 1.x reads: a config, a store, records, a bundle; a match of each game.

If a test here fails, a user's files cannot be read any more: mend the code, not the files (CHANGELOG.md).
"""

import shutil
import tarfile
from pathlib import Path

import pytest
from commands import golfref

from referee.rules.variants import PRESETS
from referee.tournament.config.config import load

KEPT = Path(__file__).parent / "files"
SHIPPED = Path(__file__).parents[2] / "bots"
DIGEST = "56d6cf2b0b678adebb1e0fe028e69c23e3fc5988dca22230cf5c8a3b3515cb8b"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, which holds the store."""
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(KEPT / "bundle.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "kept"


def test_a_config_of_1_0_is_read(tmp_path: Path) -> None:
    for bot in ("greedy", "random"):
        shutil.copytree(SHIPPED / bot, tmp_path / bot)
    config = load(shutil.copy(KEPT / "kept.toml", tmp_path))
    assert [variant.variant.preset for variant in config.variants] == list(PRESETS)


def test_a_store_of_1_0_is_verified_and_has_the_same_standings(bundle: Path, tmp_path: Path) -> None:
    shutil.copy(bundle / "run.golfref", tmp_path / "kept.golfref")
    golfref("verify", "kept.golfref", "--digest", DIGEST, "--results", str(bundle / "standings.json"), cwd=tmp_path)


def test_records_of_1_0_replay_in_every_game(tmp_path: Path) -> None:
    golfref("verify", str(KEPT / "records.jsonl"), cwd=tmp_path)
    said, _ = golfref("replay", f"{KEPT / 'records.jsonl'}:{len(PRESETS) - 1}", cwd=tmp_path)
    assert said.startswith(f"{list(PRESETS)[-1]} ")


def test_a_bundle_of_1_0_is_verified(bundle: Path, tmp_path: Path) -> None:
    golfref("verify", str(bundle), cwd=tmp_path)
