"""The starters of all languages answer alike: as tests/support/as_starters_play.py does, written for these tests.

Whoever knows one of them then knows all, and what is found in one language holds in every other. All but the quickest
need compilers and interpreters, and run with `pytest -m toolchain`.
"""

import json
import os
import shlex
import subprocess
from itertools import chain

import pytest
from as_starters_play import READY, replies
from made_up_lines import made_up
from projects import Projects
from recorded_lines import games, hello, transcripts

from referee.kit.starters import starters

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
