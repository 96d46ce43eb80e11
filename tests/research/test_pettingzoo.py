"""The games in PettingZoo: its own tests pass, and mistakes are explained."""

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from needs import need_modules

from referee.research import Env
from referee.rules.variants import PRESETS

pytestmark = pytest.mark.research

ABOUT_NAMES = (
    "Observation is not a NumPy array",  # theirs are dictionaries, too, and exempt by their names
    "Observation space for each agent probably should be",  # likewise
    "Action mask numpy array is all zeros",  # an agent whose match is over has no legal action
)

OTHERS: tuple[tuple[str, int | None, dict[str, Any]], ...] = (
    ("six-card", 8, {"rounds": 1, "reward": "rounds"}),
    ("nine-card", 1, {}),
    ("cactus", 5, {"rounds": 1, "slap_tries": 2}),
    ("cambio", 3, {"rounds": 1, "slaps": True, "initial_look": "any:2", "reward": "ranks"}),
    ("powers", 4, {"rounds": 1, "max_cycles": 70}),
    ("par-course", 4, {"par_choice": "dealer", "max_cycles": 90}),
)

OTHER_PRESETS = [
    pytest.param(preset, None, {"max_cycles": 250}, marks=pytest.mark.full)
    for preset in PRESETS
    if preset not in {name for name, _, _ in OTHERS}
]


@pytest.fixture(scope="module", autouse=True)
def golf() -> Any:
    need_modules("pettingzoo", "gymnasium", extra="research")
    from referee.research.adapters import pettingzoo

    return pettingzoo


@pytest.fixture
def strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in ABOUT_NAMES:
            warnings.filterwarnings("ignore", message=message)
        yield


def play(env: Any, seed: int) -> list[Any]:
    """Play a match by the dice of the action spaces; return what each agent was told at its steps."""
    env.reset(seed=seed)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    return rest(env)


def rest(env: Any) -> list[Any]:
    """Play a match to its end; return what each agent was told at its steps."""
    told = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        told.append((agent, reward, terminated, truncated, observation["observation"].tobytes()))
        is_over = terminated or truncated
        env.step(None if is_over else env.action_space(agent).sample(observation["action_mask"]))
    return told


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(("preset", "seats", "settings"), [*OTHERS, *OTHER_PRESETS])
def test_the_tests_of_pettingzoo_pass(golf: Any, preset: str, seats: int | None, settings: dict[str, Any]) -> None:
    from pettingzoo import test

    def make(render_mode: str | None = None) -> Any:
        return golf.env(preset, seats, render_mode=render_mode, **settings)

    test.api_test(make(), num_cycles=300)
    test.seed_test(make, num_cycles=150)
    test.render_test(make)


def test_rewards_and_observations_are_those_of_the_env(golf: Any) -> None:
    env, below = golf.env("four-card", rounds=2, reward="rounds"), Env("four-card", rounds=2, reward="rounds")
    seen = golf.env("four-card", rounds=2, tensor=True)
    seen.reset(seed=7)
    env.reset(seed=7)
    below.reset(7)
    worth = np.zeros(below.seats)
    while below.seat is not None:
        assert env.agent_selection == f"player_{below.seat}"
        observation, reward, *_ = env.last()
        assert np.array_equal(observation["observation"], below.codes())
        assert np.array_equal(seen.last()[0]["observation"], below.tensor())
        assert np.array_equal(observation["action_mask"], below.mask())
        worth[below.seat] -= reward
        number = below.numbers()[-1]
        seen.step(number)
        env.step(number)
        below.step(number)
        worth += below.rewards()
    assert all(env.terminations.values())
    for agent in env.agent_iter():
        worth[env.possible_agents.index(agent)] -= env.last()[1]
        env.step(None)
    assert np.allclose(worth, 0)
    assert env.agents == []


def test_a_match_that_is_cut_off_is_truncated_for_everybody(golf: Any) -> None:
    env = golf.env("six-card", max_cycles=9)
    told = play(env, 1)
    assert len(told) == 9 + 2
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in told[-2:]] == [(False, True)] * 2


def test_a_picture_is_as_large_at_every_moment_and_shows_the_cards(golf: Any) -> None:
    env = golf.env("cactus", 3, rounds=1, render_mode="rgb_array")
    text = golf.env("cactus", 3, rounds=1, render_mode="ansi", render_view="player_1")
    shapes = set()
    for one in (env, text):
        one.reset(seed=2)
    before, told = env.render(), text.render()
    while env.unwrapped.match.seat is not None:
        number = int(env.last()[0]["action_mask"].nonzero()[0][-1])
        for one in (env, text):
            one.step(number)
        shapes.add(env.render().shape)
    assert len(shapes) == 1
    assert (env.render() != before).any()
    assert told.splitlines()[0].startswith("cactus, round 1: player_")
    assert told.count("░░░") == 3 * 4 - 2  # player_1 has looked at two of its cards
    assert text.render().splitlines()[0] == "cactus, round 1: the match is over"
    assert "░░░" not in text.render()


@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])  # noqa: S301 - our own
def test_a_copy_stands_where_the_environment_stands(golf: Any, copied: Callable[[Any], Any]) -> None:
    env = golf.env("par-3", rounds=2)
    play(env, 3)
    env.reset(seed=4)
    for _ in range(9):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    other = copied(env)
    assert str(other.last()) == str(env.last())
    assert rest(other) == rest(env)
    assert play(other, 5) == play(env, 5)


def test_the_games_have_the_names_that_users_of_pettingzoo_expect(golf: Any) -> None:
    import pettingzoo

    for preset in PRESETS:
        name = f"{preset.replace('-', '_')}_v0"
        module = getattr(golf, name)
        assert str(module.env().unwrapped) == f"golf_{name}"
        assert pettingzoo.make("aec", f"golf/{name}").metadata["name"] == f"golf_{name}"
    with pytest.raises(AttributeError, match=r"there is no `five_card_v0` here; the games are six_card_v0"):
        _ = golf.five_card_v0


def test_mistakes_are_named(golf: Any) -> None:
    for wrong, message in (
        ({"preset": "six-cards"}, "unknown variant `six-cards`; did you mean `six-card`?"),
        ({"render_mode": "svg"}, "render_mode: expected human, ansi, rgb_array or None"),
        ({"render_view": "player_2"}, "render_view: expected open, public or one of player_0"),
        ({"max_cycles": 0}, "max_cycles: expected a number of steps from 1 on"),
    ):
        with pytest.raises(ValueError, match="^" + message.replace("?", r"\?")):
            golf.env(**({"preset": "six-card"} | wrong))
    env = golf.env("six-card")
    env.reset(seed=1)
    mask = env.last()[0]["action_mask"]
    illegal = int(mask.argmin())
    for use, message in (
        (lambda: env.step(illegal), "seat 0|player_0"),
        (lambda: env.step(None), "seat 0|player_0"),
        (env.render, "render_mode: give one of"),
        (lambda: env.reset(seed="x"), "seed: expected a whole number from 0 on or None, got 'x'"),
        (lambda: env.reset(seed=-1), "seed: expected a whole number from 0 on or None, got -1"),
        (lambda: env.reset(options={"rounds": 3}), "options: reset takes none, got rounds; give them to env"),
        (lambda: env.observe("player_7"), "agent: expected one of player_0, player_1, got 'player_7'"),
    ):
        with pytest.raises(ValueError, match=message):
            use()
    assert np.array_equal(env.last()[0]["action_mask"], mask)


def test_without_the_library_one_sentence_says_what_installs_it(golf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    del golf
    monkeypatch.delitem(sys.modules, "referee.research.adapters.pettingzoo")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"needs PettingZoo, and pettingzoo is not installed; .* -m pip install"
    ):
        import referee.research.adapters.pettingzoo  # noqa: F401
