"""The bot sharp, in this process: the same lines get the same answers, and it tries less where it has less time."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from in_process import Make, play

from referee.play.spec import SHIPPED
from referee.research.programs import Decide, load
from referee.rules.book.presets import PRESETS
from referee.rules.book.variants import customised
from referee.tournament.config.config import load as load_config

SHORT: dict[str, dict[str, Any]] = {
    "six-card": {"rounds": 1},
    "powers": {"rounds": 1, "turn_cap": 10},
    "cactus": {"rounds": 1, "turn_cap": 10},
    "par-3": {"rounds": 1, "turn_cap": 10},
}
"""Preset -> the options with which a match is over soon: a game of each family of players."""

Lines = list[tuple[dict[str, Any], list[tuple[dict[str, Any], Any]]]]
"""By match and seat the `match` message, and each request with the action that answered it."""


@pytest.mark.parametrize(("name", "seats"), [("sharp", {2}), ("sharp-four", {3, 4})])
def test_its_tournaments_have_every_preset_as_it_is(name: str, seats: set[int]) -> None:
    config = load_config(Path(__file__).parents[2] / "tournaments" / f"{name}.toml")
    played = {entry.variant.preset: entry.variant for entry in config.variants}
    assert played == {preset: variant for preset, variant in PRESETS.items() if variant.seats[0] <= max(seats)}
    assert {entry.seats for entry in config.variants} == seats


@pytest.fixture(scope="module")
def sharp() -> Make:
    return load(SHIPPED / "sharp").make


def recorded(bot: Make, lines: Lines) -> Make:
    """The bot, which notes what it is asked and answers."""

    def make(match: dict[str, Any]) -> Decide:
        decide, asked = bot(match), list[tuple[dict[str, Any], Any]]()
        lines.append((match, asked))

        def answer(request: dict[str, Any]) -> Any:
            told = copy.deepcopy(request)
            asked.append((told, decide(request)))
            return asked[-1][1]

        return answer

    return make


@pytest.mark.parametrize("preset", SHORT)
def test_the_same_lines_get_the_same_answers(sharp: Make, preset: str) -> None:
    lines: Lines = []
    bot = recorded(sharp, lines)
    play(customised(preset, SHORT[preset]), [bot, bot], "alike")
    assert len(lines) == 2
    for match, asked in lines:
        assert asked
        decide = sharp(match)
        assert [decide(copy.deepcopy(request)) for request, _ in asked] == [action for _, action in asked]


def test_with_less_time_it_tries_fewer_worlds(sharp: Make) -> None:
    lines: Lines = []
    bot = recorded(sharp, lines)
    play(customised("four-turns", {}), [bot, bot], "in a hurry")
    match, asked = lines[0]
    tried = []
    for time_s in (1.0, 0.05):
        decide = sharp(match)
        decide({**copy.deepcopy(asked[0][0]), "time_s": time_s})
        (player,) = getattr(decide, "args")  # noqa: B009 - a partial function has them
        tried.append(len(player.finals[0]))
    assert tried[0] > 2 * tried[1] > 0


def test_a_decision_that_fails_is_answered_all_the_same(sharp: Make) -> None:
    lines: Lines = []
    bot = recorded(sharp, lines)
    play(customised("six-card", SHORT["six-card"]), [bot, bot], "broken")
    match, asked = lines[0]
    request = {**asked[0][0], "events": [{"event": "drew"}]}
    told = [{"type": "hello"}, {**match, "type": "match"}, {**request, "type": "request"}]
    run = subprocess.run(
        [sys.executable, "bot.py"],
        cwd=SHIPPED / "sharp",
        input="".join(json.dumps(line) + "\n" for line in told),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [answer["type"] for answer in answers] == ["ready", "answer"]
    assert answers[1]["action"]["kind"] in {offer["kind"] for offer in request["legal"]}
    assert "KeyError" in run.stderr
