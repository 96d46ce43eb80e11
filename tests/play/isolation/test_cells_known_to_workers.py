"""What a run finds out about cells is known to its workers, which do not look through the same places again."""

import os
import sys
from pathlib import Path

import pytest

from referee.play.isolation import cell, levels, shown
from referee.play.isolation.cell import cell_of
from referee.play.isolation.handed_on import found, take_over
from referee.play.isolation.levels import bubblewrap
from referee.play.isolation.shown import Unfit
from referee.play.spec import BotSpec

pytestmark = [pytest.mark.full, pytest.mark.isolation]


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BotSpec:
    """A bot in Python, in a folder of its own; what is known of cells is forgotten after the test."""
    monkeypatch.setattr(cell, "_known", {})
    monkeypatch.setattr(levels, "_known", [])
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o755)
    (folder / "bot.py").write_text("")
    return BotSpec(name="bot", command=(sys.executable, "bot.py"), dir=str(folder), env={})


def test_a_worker_knows_the_cells_that_the_run_has_found(bot: BotSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    data, there, tool = found([bot]), cell_of(bot), bubblewrap()
    for kept in (cell._cell, shown.check_place, bubblewrap):
        kept.cache_clear()  # as in a new process
    monkeypatch.setattr(cell, "check_folder", None)
    monkeypatch.setattr(levels, "_try_out", None)

    take_over(data)

    assert cell_of(bot) == there
    assert bubblewrap() == tool


def test_it_looks_at_every_other_bot_itself(bot: BotSpec, tmp_path: Path) -> None:
    take_over(found([bot]))
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    os.mkfifo(other / "pipe")
    with pytest.raises(Unfit, match="is a pipe"):
        cell_of(BotSpec(name="other", command=("/bin/true",), dir=str(other), env={}))
