"""Every starter as its author has it a minute after `golfref new`: built with the tools of its language, and played."""

import json
import shutil
from pathlib import Path

import pytest
from commands import golfref
from needs import need_bubblewrap
from projects import Projects

from referee.kit.new import BOT_FOLDER, CONFIG
from referee.kit.starters import starters
from referee.rules.book.presets import PRESETS

pytestmark = [pytest.mark.toolchain, pytest.mark.parametrize("language", starters())]

MOST_LATE = 2
"""In how many of some 250 slap windows a host may be so busy that a bot is late."""


@pytest.fixture(autouse=True)
def _leaves_nothing_behind(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in mark.items():
        monkeypatch.setenv(name, value)


def test_a_starter_keeps_the_protocol_in_every_game(projects: Projects, language: str) -> None:
    project = projects(language)
    said, _ = golfref("check", project.command, "--dir", project.bot, "--json", cwd=project.folder)

    report = json.loads(said)
    every_game = next(step for step in report["steps"] if step["title"] == "every game")
    findings = [report["findings"][number - 1] for number in every_game["findings"]]
    late = sum(finding["count"] for finding in findings if finding["kind"] == "late slap")
    assert [finding for finding in findings if finding["kind"] != "late slap"] == []
    assert late <= MOST_LATE, findings
    assert every_game["summary"].startswith(f"{len(PRESETS)} games, ")
    assert [finding["what"] for finding in report["findings"] if finding["verdict"] == "fail"] == []


def test_the_tournament_of_a_new_project_is_played_without_faults(
    projects: Projects, language: str, tmp_path: Path
) -> None:
    project = projects(language)
    shutil.copy(project.folder / CONFIG, tmp_path)
    (tmp_path / BOT_FOLDER).symlink_to(project.bot)
    said, _ = golfref("tournament", CONFIG, "--json", cwd=tmp_path)

    run = json.loads(said)
    assert run["matches"] == run["planned"] > 0
    assert [match["faults"] for match in run["results"] if any(match["faults"])] == []


def test_a_starter_plays_in_a_cell(projects: Projects, language: str) -> None:
    """What it was built with, and what runs it, stays within the bounds of memory and threads."""
    need_bubblewrap()
    project = projects(language)

    bots = ("--bot", project.command, "--bot", "builtin:greedy", "--bot", "builtin:keeper")
    golfref("match", "--variant", "cactus", *bots, "--isolation", "bwrap", "--strict", cwd=project.bot)
