"""The starters of all languages play by one policy, which tests/support/as_starters_play.py repeats for these tests.

All but the quickest need compilers and interpreters, and run with `pytest -m toolchain`.
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
from needs import need_bubblewrap
from projects import Projects
from recorded_lines import games, hello, transcripts

from referee.bot_tools.new import BOT_FOLDER, CONFIG
from referee.bot_tools.starters import starters
from referee.rules.variants import PRESETS

QUICK = "perl"
"""The language that is tried in every run of the tests."""

TOOLCHAIN = [pytest.mark.toolchain, pytest.mark.timeout(300)]  # the first test of a language also builds its starter
LANGUAGES = [pytest.param(one, marks=[] if one == QUICK else TOOLCHAIN) for one in starters()]


OPEN_GAMES = ("six-card", "six-card-knock", "single-deck", "nine-card", "eight-card", "cutthroat", "later")
"""Games in which a bot that remembers what it has seen knows no more than the table shows."""

LATER = (
    {
        "type": "match",
        "variant": "later",
        "name": "L\u00f6cher\u2028",
        "seats": 2,
        "seat": 1,
        "rows": 2,
        "columns": 3,
        "cards": 52,
        "values": {"A": 1},
        "options": {},
        "later": [],
    },
    {
        "type": "request",
        "id": "\u00e4-1",
        "decision": "constructor",
        "later": None,
        "events": [
            {"event": "later", "seat": 1, "card": None},
            {"event": "drew", "seat": 0, "from": "stock", "card": None, "stock": 39},
        ],
        "legal": [
            {"kind": "later", "slots": {"pick": 2, "of": [1, 0]}, "to": {"one_of": [[0, 1]]}, "by": {"any_of": [1]}}
        ],
    },
    {
        "type": "request",
        "id": "2",
        "decision": "turn",
        "events": [],
        "legal": [{"kind": "flip", "slot": {"one_of": [3]}}],
    },
)
"""A match of a later version: unknown fields, events, decisions and kinds of actions, and a name that is not ASCII."""


@pytest.fixture(scope="module")
def matches() -> list[list[bytes]]:
    """What a bot is sent, match by match, as a referee sends it."""
    return [*transcripts(), *games(), [json.dumps(message, ensure_ascii=False).encode() for message in LATER]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_plays_by_the_policy(
    language: str, projects: Projects, matches: list[list[bytes]], mark: dict[str, str]
) -> None:
    """The starter in Python stands on the kit, which remembers cards: it is compared where that makes no difference."""
    project = projects(language)
    if starters()[language].manifest.shared:
        matches = [lines for lines in matches if json.loads(lines[0])["variant"] in OPEN_GAMES]
    lines = [hello(), *chain(*matches)]
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C"} | mark
    command = shlex.split(project.command)
    text = b"\n".join([*lines, b""])
    done = subprocess.run(command, cwd=project.bot, env=env, input=text, capture_output=True, check=False)

    assert (done.returncode, done.stderr.decode(errors="replace")) == (0, "")
    ready, *answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert ready.items() >= (READY | {"name": language}).items()
    asked = [line for line in lines if json.loads(line)["type"] == "request"]
    for request, answer, right in zip(asked, answers, replies(lines)[1:], strict=True):
        assert answer == right, request.decode()


def test_the_recorded_requests_bring_up_every_decision_of_the_policy(matches: list[list[bytes]]) -> None:
    kinds = {reply["action"]["kind"] for reply in replies([hello(), *chain(*matches)])[1:]}

    assert kinds >= {"knock", "end", "draw", "swap", "discard", "flip", "none", "pass", "allow", "stop", "later"}


def test_the_policy_wins_most_games_against_chance() -> None:
    ends = [json.loads(lines[-1]) for lines in games()]

    assert sum(end["ranks"][0] == 1 for end in ends) / len(ends) > 0.75


# As their authors have them a minute after `golfref new`: built with the tools of their languages, and played


@pytest.fixture
def _leaves_nothing_behind(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in mark.items():
        monkeypatch.setenv(name, value)


PLAYED = [pytest.param(one, marks=TOOLCHAIN) for one in starters()]


@pytest.mark.usefixtures("_leaves_nothing_behind")
@pytest.mark.parametrize("language", PLAYED)
def test_a_starter_keeps_the_protocol_in_every_game(projects: Projects, language: str) -> None:
    project = projects(language)
    said, _ = golfref("check", project.command, "--dir", project.bot, "--json", cwd=project.folder)

    report = json.loads(said)
    every_game = next(step for step in report["steps"] if step["title"] == "every game")
    findings = [report["findings"][number - 1] for number in every_game["findings"]]
    assert findings == []
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
