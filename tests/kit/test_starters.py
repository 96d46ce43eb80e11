"""The starters of all languages answer alike: as tests/support/as_starters_play.py does, written for these tests.

Whoever knows one of them then knows all, and what is found in one language holds in every other. All but the quickest
need compilers and interpreters, and run with `pytest -m toolchain`.
"""

import json
import os
import subprocess
from itertools import chain
from pathlib import Path

import pytest
from as_starters_play import Message, replies
from made_once import made_once
from made_up_lines import made_up
from needs import lacking
from recorded_lines import games, hello, transcripts

from referee.kit.new import BOT_FOLDER, build, write_project
from referee.kit.starters import missing_tools, starters

pytestmark = pytest.mark.process

QUICK = "perl"
"""The language that is tried in every run of the tests."""

LANGUAGES = [
    pytest.param(language, marks=[] if language == QUICK else [pytest.mark.toolchain]) for language in starters()
]


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    """What one process of a bot is sent: one match after another, real ones and one that is made up."""
    return [hello(), *chain(*transcripts(), *games(), made_up(1500))]


@pytest.fixture(scope="module")
def expected(lines: list[bytes]) -> list[Message]:
    return replies(lines)


@pytest.fixture
def bot(language: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a bot in that language, ready to run."""
    starter = starters()[language]
    for tool in missing_tools(starter):
        lacking(f"{tool.name} is not installed: {tool.remedy()}")

    def make(folder: Path) -> None:
        write_project(starter, folder, "my-bot")
        build(starter, folder)

    return made_once(tmp_path_factory, f"project-{language}", make) / BOT_FOLDER


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_answers_as_all_of_them_do(
    language: str, bot: Path, lines: list[bytes], expected: list[Message], mark: dict[str, str]
) -> None:
    command = starters()[language].manifest.command
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C"} | mark
    done = subprocess.run(
        command, cwd=bot, env=env, input=b"\n".join(lines) + b"\n", capture_output=True, check=False, timeout=600
    )

    assert (done.returncode, done.stderr.decode(errors="replace")) == (0, "")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    asked = [line for line in lines if json.loads(line)["type"] in ("hello", "request")]
    for request, answer, right in zip(asked, said, expected, strict=True):
        assert answer == right, request.decode()


def test_real_games_and_made_up_ones_bring_up_every_decision_of_the_starters(expected: list[Message]) -> None:
    kinds = {said["action"]["kind"] for said in expected[1:]}

    assert kinds >= {"knock", "end", "draw", "swap", "discard", "flip", "peek", "slap", "give", "block", "stroke"}
    assert {"pass", "none", "discard_pairs", "arrange", "choose_par", "keep", "later"} <= kinds
