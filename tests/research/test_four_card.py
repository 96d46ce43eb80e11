"""The example that learns four-card golf: it learns from what the bot sees, and what it writes is a bot that plays."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from needs import need_modules

from referee.research import Env
from referee.research.examples.four_card import bot
from referee.research.policies import BotPolicy, play, policy
from referee.research.programs import Program

pytestmark = pytest.mark.research


@pytest.fixture(autouse=True)
def _learn() -> None:
    need_modules("sklearn", extra="learn")


def test_it_learns_from_what_the_bot_sees() -> None:
    from referee.research.examples.four_card import learn

    seen: list[bot.View] = []

    class Looks(bot.Learned):
        def __init__(self, match: bot.Action) -> None:
            super().__init__(match, lambda rows: [0.0] * len(rows))

        def decide(self, request: bot.Action) -> bot.Action:
            action = super().decide(request)
            seen.append(self.view)
            return action

    env, dice = Env("four-card", 4), Random(1)  # noqa: S311 - it must be the same every time
    env.reset("seen")
    looks = BotPolicy(Program(name="looks", make=lambda match: Looks(match).decide))
    while env.seat is not None:
        looks(env)
        for move in env.legal():
            kind, choice = learn.kind_and_choice(move)
            assert bot.positions(seen[-1], kind, choice) == bot.positions(learn.view_of(env), kind, choice)
        env.step(dice.choice(env.numbers()))
    assert len(seen) > 100
    assert {view.is_last for view in seen} == {False, True}


def test_the_bot_that_it_writes_does_what_it_has_learned(tmp_path: Path) -> None:
    from referee.research.examples.four_card import learn

    (*_, student) = learn.generations(learn.GENERATIONS * 2, seed=1)
    learn.write_bot(student, tmp_path / "learned")
    histories = []
    for one in (student.policy, policy(tmp_path / "learned")):
        env = Env("four-card", 3, rounds=2)
        env.reset("alike")
        play(env, [one, policy("greedy"), policy("random")])
        histories.append(env.history)
    assert histories[0] == histories[1]


def test_its_command_learns_measures_and_writes_a_bot(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "referee.research.examples.four_card.learn", "-o", str(tmp_path / "learned")]
    tiny = ["--rounds", "50", "--deals", "2", "--against", "random"]
    done = subprocess.run([*command, *tiny], capture_output=True, text=True, check=True, timeout=600)
    assert "generation 25 of 25:" in done.stdout
    assert "against random: " in done.stdout
    assert " points a round over 2 deals" in done.stdout
    layers = json.loads((tmp_path / "learned/weights.json").read_text())
    assert [len(added) for _, added in layers] == [64, 32, 1]
    assert done.stderr == ""


def test_a_game_that_it_has_not_learned_is_named() -> None:
    with pytest.raises(ValueError, match="has learned four-card, and cannot play six-card"):
        bot.Learned({"variant": "six-card"}, lambda rows: [0.0] * len(rows))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rounds", "10"], "expected 50 rounds and 2 deals at least, got 10 and 400"),
        (["--against", "gredy"], "no shipped bot in Python called 'gredy'"),
        (["-o", "/proc/learned"], "/proc/learned"),
    ],
)
def test_what_it_cannot_do_is_said_before_it_learns(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from referee.research.examples.four_card import learn

    monkeypatch.setattr(sys, "argv", ["learn", *words])
    with pytest.raises(SystemExit):
        learn.main()
    assert said in capsys.readouterr().err
