"""The starters of all languages answer alike: as tests/support/as_starters_play.py does, written for these tests.

Whoever knows one of them then knows all, and what is found in one language holds in every other. All but the quickest
need compilers and interpreters, and run with `pytest -m toolchain`.
"""

import json
import os
import shlex
import shutil
import subprocess
from itertools import chain
from pathlib import Path

import pytest
from as_starters_play import READY, replies
from commands import golfref
from made_up_lines import made_up
from needs import need_bubblewrap
from projects import Projects
from recorded_lines import games, hello, transcripts

from referee.kit.new import BOT_FOLDER, CONFIG
from referee.kit.starters import starters
from referee.rules.variants import PRESETS

QUICK = "perl"
"""The language that is tried in every run of the tests."""

LANGUAGES = [pytest.param(one, marks=[] if one == QUICK else [pytest.mark.toolchain]) for one in starters()]


@pytest.fixture(scope="module")
def real() -> list[bytes]:
    """What a process of a bot is sent: one match after another, as referees send them."""
    return [hello(), *chain(*transcripts(), *games())]


@pytest.fixture(scope="module")
def all_lines(real: list[bytes]) -> list[bytes]:
    """The same, and a match that is made up."""
    return [*real, *made_up(1500)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_answers_as_all_of_them_do(
    language: str, projects: Projects, real: list[bytes], all_lines: list[bytes], mark: dict[str, str]
) -> None:
    """One that stands on the kit relies on the order in which a referee tells things."""
    project = projects(language)
    lines = real if starters()[language].manifest.shared else all_lines
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C"} | mark
    command = shlex.split(project.command)
    text = b"\n".join([*lines, b""])
    done = subprocess.run(command, cwd=project.bot, env=env, input=text, capture_output=True, check=False)

    assert (done.returncode, done.stderr.decode(errors="replace")) == (0, "")
    ready, *said = [json.loads(line) for line in done.stdout.splitlines()]
    assert ready == READY | {"name": language}
    expected = replies(lines)
    asked = [line for line in lines if json.loads(line)["type"] == "request"]
    for request, answer, right in zip(asked, said, expected[1:], strict=True):
        assert answer == right, request.decode()


def test_real_games_and_made_up_ones_bring_up_every_decision_of_the_starters(all_lines: list[bytes]) -> None:
    kinds = {said["action"]["kind"] for said in replies(all_lines)[1:]}

    assert kinds >= {"knock", "end", "draw", "swap", "discard", "flip", "peek", "slap", "give", "block", "stroke"}
    assert {"pass", "none", "discard_pairs", "arrange", "choose_par", "keep", "later"} <= kinds


# As their authors have them a minute after `golfref new`: built with the tools of their languages, and played


MOST_LATE = 2
"""In how many of some 250 slap windows a host may be so busy that a bot is late."""


@pytest.fixture
def _leaves_nothing_behind(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in mark.items():
        monkeypatch.setenv(name, value)


PLAYED = [pytest.param(one, marks=pytest.mark.toolchain) for one in starters()]


@pytest.mark.usefixtures("_leaves_nothing_behind")
@pytest.mark.parametrize("language", PLAYED)
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


@pytest.mark.usefixtures("_leaves_nothing_behind")
@pytest.mark.parametrize("language", PLAYED)
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


@pytest.mark.usefixtures("_leaves_nothing_behind")
@pytest.mark.parametrize("language", PLAYED)
def test_a_starter_plays_in_a_cell(projects: Projects, language: str) -> None:
    """What it was built with, and what runs it, stays within the bounds of memory and threads."""
    need_bubblewrap()
    project = projects(language)

    bots = ("--bot", project.command, "--bot", "builtin:greedy", "--bot", "builtin:keeper")
    golfref("match", "--variant", "cactus", *bots, "--isolation", "bwrap", "--strict", cwd=project.bot)
