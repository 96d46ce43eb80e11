"""The starters of all languages as entries: each is built in a cell with the tools of the system."""

import json
import shutil
from pathlib import Path

import pytest
from needs import need_bubblewrap, need_tools_in_a_cell

from referee.entries.ready import Builder
from referee.entries.shelf import Shelf
from referee.kit.starters import MANIFEST, Starter, starters
from referee.play.spec import SHIPPED
from referee.tournament.config.config import check_ready, load

pytestmark = [pytest.mark.toolchain, pytest.mark.full]  # tests/kit builds and plays each of them, too

CONFIG = """
[tournament]
name = "Cup"
isolation = "bwrap"

[[variants]]
preset = "six-card"

[[bots]]
builtin = "random"

[[bots]]
entries = "entries/*"

[builds]
time_s = 1000
"""


@pytest.mark.parametrize("starter", starters().values(), ids=lambda starter: starter.language)
def test_a_starter_is_built_in_a_cell(starter: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_bubblewrap()
    need_tools_in_a_cell(starter, monkeypatch)
    for place in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        place.chmod(0o755)
    folder = tmp_path / "entries" / starter.language
    shutil.copytree(starter.folder, folder, ignore=shutil.ignore_patterns(MANIFEST, *starter.manifest.built))
    for shared in starter.manifest.shared:
        shutil.copytree(SHIPPED / shared, folder / shared)
    says = {"command": starter.manifest.command, "build": starter.manifest.build}
    (folder / "bot.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in says.items() if value))
    file = tmp_path / "cup.toml"
    file.write_text(CONFIG)
    config, told = load(file), list[str]()
    builder = Builder(Shelf(config.folder), isolation=config.isolation, builds=config.builds, tell=told.append)

    assert [one.told() for one in builder.ready(config.entries)] == []
    check_ready(config)
    assert [line.split()[0] for line in told] == (["building", "built"] if starter.manifest.build else [])
