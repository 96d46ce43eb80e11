"""Policies: the shipped bots decide in an environment as their processes do in a match with the same cards."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from wandering import reset_as_referee

from protocol.actions import Action, Pass, Slap
from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.play.match import MatchSetup
from referee.play.match import play as play_live
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import Confinement, builtin_bot
from referee.research import Env
from referee.research.policies import BASELINES, compare, play, policy
from referee.research.programs import NoProgram
from referee.rules.keyed_streams import bot_seed, seed_key
from referee.rules.record import Given, GivenSlaps, GivenTogether, Record

PATIENT = Clocks(start_s=60.0, move_s=60.0, bank_s=3000.0, slap_s=30.0)
"""A busy machine is no fault of the bots."""

GAMES: dict[str, dict[str, Any]] = {
    "six-card": {"rounds": 1},
    "nine-card": {"rounds": 1},
    "cutthroat": {"rounds": 1},
    "cambio": {"rounds": 1},
    "powers": {"rounds": 1},
    "cactus": {"rounds": 1, "slap_order": "lottery"},
    "four-turns": {},
    "two-deck": {"rounds": 1},
    "par-3": {"rounds": 1},
}
"""A game of each kind, with the options by which a match is short and slaps need no clock."""

Answers = dict[int, list[Action]]
"""By seat what it answered; windows in which it passed are left out, since some bots are not asked there."""


def live(games: Sequence[str], names: Sequence[str], env: dict[str, str], options: dict[str, Any]) -> list[Record]:
    """Matches of these bots, each in a process of its own, with the cards of the seed `alike`."""
    records: dict[str, Record] = {}
    key = seed_key("alike")

    async def work(preset: str, pump: Pump) -> None:
        setup = MatchSetup(
            variant=Env(preset, len(names), **(GAMES.get(preset, {}) | options)).variant,
            name=preset,
            bots=tuple(replace(builtin_bot(name), env=env) for name in names),
            seeds=tuple(bot_seed(key, 0, seat) for seat in range(len(names))),
            deal_key=key,
            clocks=PATIENT,
            faults=FaultPolicy(),
            confinement=Confinement(isolation="none"),
            games=(GameMessage(variant=preset, name=preset, seats=len(names)),),
        )
        records[preset] = await play_live(pump, setup)

    run_session([partial(work, preset) for preset in games])
    return [records[preset] for preset in games]


def answers_of(record: Record) -> Answers:
    found: Answers = defaultdict(list)
    for move in record.moves:
        if isinstance(move, GivenSlaps):
            for reaction in move.reactions:
                if reaction.target is not None:
                    found[reaction.seat].append(Slap(target=reaction.target))
            continue
        assert isinstance(move, Given | GivenTogether)
        for given in (move,) if isinstance(move, Given) else move.answers:
            assert given.fault is None
            found[given.seat].append(given.action)
    return found


def answers_in(env: Env) -> Answers:
    found: Answers = defaultdict(list)
    for seat, action in env.history:
        if not isinstance(action, Pass):
            found[seat].append(action)
    return found


def alike(preset: str, names: Sequence[str], record: Record, options: dict[str, Any]) -> None:
    """The policies of these bots do in an environment what their processes did."""
    env = Env(preset, len(names), **(GAMES.get(preset, {}) | options))
    reset_as_referee(env, "alike")
    result = play(env, [policy(name) for name in names])
    assert answers_in(env) == answers_of(record)
    assert result == record.result


@pytest.mark.parametrize(
    ("games", "options"),
    [
        pytest.param(["four-card"], {"rounds": 2}, id="four-card"),
        pytest.param([*GAMES], {}, id="games of every kind", marks=pytest.mark.research),
    ],
)
def test_policies_do_in_an_environment_what_bots_do_in_a_match(
    games: list[str], options: dict[str, Any], mark: dict[str, str], marked: Callable[[], dict[int, str]]
) -> None:
    records = live(games, BASELINES, mark, options)
    assert not marked()
    for preset, record in zip(games, records, strict=True):
        alike(preset, BASELINES, record, options)


def test_a_policy_follows_several_environments_and_seats_in_turn() -> None:
    envs = [Env("six-card", 2, rounds=2) for _ in range(2)]
    for number, env in enumerate(envs):
        env.reset(f"deal {number}")
    one = policy("keeper")
    while any(env.seat is not None for env in envs):
        for env in envs:
            if env.seat is not None:
                env.step(one(env))
    for number, env in enumerate(envs):
        alone = Env("six-card", 2, rounds=2)
        alone.reset(f"deal {number}")
        play(alone, [policy("keeper"), policy("keeper")])
        assert alone.history == env.history


def test_a_policy_reads_the_lines_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Env, "observe")
    env = Env("six-card", rounds=1)
    env.reset(1)
    assert env.number(policy("greedy")(env)) in env.numbers()


def test_keeper_is_better_than_random_and_greedy_is_no_better_than_itself() -> None:
    env = Env("four-card", 3, rounds=1)
    better = compare(env, policy("keeper"), policy("random"), deals=6)
    assert better.mean + better.half < 0
    assert (better.deals, str(better)[:1]) == (6, "-")
    with pytest.raises(ValueError, match="two deals and two seats are the least, not 1 deals and 3 seats"):
        compare(env, policy("greedy"), policy("greedy"), deals=1)


def test_a_folder_with_a_bot_is_a_policy(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "help.py").write_text("KIND = 'draw'\n")
    (folder / "bot.py").write_text(
        "from kit import Bot\nfrom help import KIND\n\nclass Mine(Bot):\n"
        "    def turn(self, offers):\n        return {'kind': KIND, 'from': 'stock'}\n"
    )
    kit = tmp_path / "kit"
    kit.symlink_to(Path(__file__).parents[2] / "bots" / "kit")
    env = Env("six-card", 2, rounds=1)
    env.reset("mine")
    play(env, [policy(folder), policy("random")])
    draws = [action for seat, action in env.history if seat == 0 and type(action).__name__ == "Draw"]
    assert draws
    assert {action.source for action in draws} == {"stock"}  # type: ignore[union-attr]


def test_what_is_no_policy_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        NoProgram, match="no shipped bot in Python called 'keepr'; there are greedy, keeper, random, sharp"
    ):
        policy("keepr")
    with pytest.raises(NoProgram, match="has no file bot"):
        policy(tmp_path)
    (tmp_path / "bot.py").write_text("print\n")
    with pytest.raises(NoProgram, match="neither `player_of` nor a class"):
        policy(tmp_path)
    env = Env("six-card", 2, rounds=1)
    env.reset(1)
    with pytest.raises(ValueError, match="2 seats play, so 2 policies are needed, not 1"):
        play(env, [policy("random")])
    play(env, [policy("random")] * 2)
    with pytest.raises(LookupError, match="the match is over"):
        policy("random")(env)
