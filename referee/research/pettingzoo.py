"""The games as environments of PettingZoo (AEC): one agent after another.

    from referee.research import pettingzoo as golf
    env = golf.env("six-card", seats=2, rounds=1)

README.md in this folder says what is observed, what acts when, and which names there are.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from referee.match_states.view import OPEN, Viewer
from referee.research.arguments import whole, wrong
from referee.research.env import Env
from referee.research.picture import Picture, Pixels
from referee.research.tensors import HIGH, LOW
from referee.rules.questions import IllegalAnswer
from referee.rules.variants import PRESETS

try:
    import pettingzoo
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"this needs PettingZoo, and {error.name} is not installed; `{sys.executable} -m pip install "
        "'pettingzoo>=1.25' 'gymnasium>=1.0'` brings it, and so does the extra `research` of golfref",
        name=error.name,
    ) from None

VERSION = 0
"""It rises when a number, an observation or a reward of a game means something else than before."""

_SEEDS = "a whole number from 0 on or None"

RENDER_MODES = ("human", "ansi", "rgb_array")

Agent = str
"""`player_0` sits on seat 0, and so on."""

Observation = dict[str, np.ndarray[Any, Any]]
"""`observation` is what `Env.codes` returns for the agent's seat, `action_mask` has 1 for each legal number."""

RenderMode = Literal["human", "ansi", "rgb_array"]


def env(preset: str, seats: int | None = None, **settings: Any) -> OrderEnforcingWrapper:
    """Return `raw_env` in PettingZoo's wrapper that tells calls in a wrong order, such as `step` before `reset`."""
    return OrderEnforcingWrapper(raw_env(preset, seats, **settings))


def raw_env(preset: str, seats: int | None = None, **settings: Any) -> "GolfAEC":
    """Return the game as an AEC environment: the seats of a match, one move of one seat after another.

    `settings` are options of the game (RULES.md section 21), `reward` as `Env` has it, and those of `GolfAEC`. Raises
    ValueError, in words that name it, for a game, a number of seats, an option or a setting that there is not.
    """
    return GolfAEC(preset, seats, **settings)


class Settings(Struct, frozen=True, kw_only=True):
    """What an environment can be told besides what `Env` takes."""

    render_mode: RenderMode | None = None
    render_view: str = "open"
    """Who looks: "open" (all cards), "public", or an agent."""
    tensor: bool = False
    """Whether observations are those of `Env.tensor` instead of `Env.codes`."""
    max_cycles: int | None = None
    """After so many steps the match is truncated, without a result."""

    def __post_init__(self) -> None:
        if self.render_mode is not None and self.render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode: expected {', '.join(RENDER_MODES)} or None, got {self.render_mode!r}")
        if self.max_cycles is not None and (not isinstance(self.max_cycles, int) or self.max_cycles < 1):
            raise ValueError(f"max_cycles: expected a number of steps from 1 on, or None, got {self.max_cycles!r}")


class GolfAEC(AECEnv):
    """A match as an AEC environment. `match` is the `Env` below it.

    `render_mode` is "human", "ansi" or "rgb_array"; `render_view` says who looks: "open" (all cards), "public", or an
    agent. With `max_cycles` the match is truncated after so many moves of all seats together, without a result.
    """

    def __init__(self, preset: str, seats: int | None = None, **settings: Any) -> None:
        super().__init__()
        own = Settings(**{name: settings[name] for name in Settings.__struct_fields__ if name in settings})
        self.match = Env(preset, seats, **{name: settings[name] for name in settings if not hasattr(own, name)})
        self.render_mode = own.render_mode
        self.max_cycles = own.max_cycles
        self.possible_agents = [f"player_{seat}" for seat in range(self.match.seats)]
        self.agents: list[Agent] = []
        self.metadata = {
            "name": name_of(preset),
            "render_modes": [*RENDER_MODES],
            "render_fps": 2,
            "is_parallelizable": False,
        }
        codec = self.match.codec
        ints = np.iinfo(np.int32)
        seen = (
            Box(LOW, HIGH, codec.shape, np.float32)
            if own.tensor
            else Box(ints.min, ints.max, (codec.code_count,), np.int32)
        )
        self._observe = self.match.tensor if own.tensor else self.match.codes
        space = Dict({"observation": seen, "action_mask": Box(0, 1, (codec.size,), np.int8)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: Discrete(codec.size) for agent in self.possible_agents}
        self._nothing_legal = np.zeros(codec.size, np.int8)
        self.cycles = 0
        """How many steps have been made in this match."""
        self._seed: int | None = None
        self._resets = 0
        variant = self.match.variant
        self._picture = Picture(
            title=variant.preset,
            names=tuple(self.possible_agents),
            rows=variant.rows,
            columns=codec.moves.places // variant.rows,
            viewer=_viewer(own.render_view, self.possible_agents),
        )
        self.rewards: dict[Agent, float] = {}
        self._cumulative_rewards: dict[Agent, float] = {}
        self.terminations: dict[Agent, bool] = {}
        self.truncations: dict[Agent, bool] = {}
        self.infos: dict[Agent, dict[str, Any]] = {}
        self.agent_selection: Agent = self.possible_agents[0]

    def __repr__(self) -> str:
        """Return the game, its seats and the round."""
        return f"<{type(self).__name__} of {self.match!r}>"

    def observation_space(self, agent: Agent) -> Dict:
        """Return the space of what this agent observes; the same object at every call."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: Agent) -> Discrete:
        """Return the numbers of all moves of the game; the same object at every call."""
        return self.action_spaces[self._known(agent)]

    def render(self) -> str | Pixels | None:
        """Return the table as text (`ansi`) or pixels (`rgb_array`), or print the text (`human`): see `render_mode`.

        All cards are open unless `render_view` says otherwise. Raises ValueError where no `render_mode` was given.
        """
        game, asked = self.match.game, self._asked()
        if self.render_mode == "rgb_array":
            return self._picture.pixels(game, asked)
        if self.render_mode is None:
            raise ValueError(f"render_mode: give one of {', '.join(RENDER_MODES)} when the environment is made")
        text = self._picture.text(game, asked)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: there are no windows, files or processes."""

    def _asked(self) -> str:
        ask = self.match.ask
        return "the match is over" if ask is None else f"{self.possible_agents[ask.seat]} decides {ask.decision}"

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Begin a match: with the cards of `Env.reset(seed)`, or without a seed with others that follow from the last.

        Where no seed was ever given, the cards are unpredictable. Raises ValueError where there are `options`."""
        if unknown := set(options or ()) - {"options"}:  # PettingZoo's own tests give this key
            raise ValueError(f"options: reset takes none, got {', '.join(unknown)}; give them to env(preset, seats)")
        if seed is not None and whole("seed", seed, _SEEDS) < 0:
            raise wrong("seed", _SEEDS, seed)
        self._seed = self._seed if seed is None else int(seed)
        self._resets = 0 if seed is not None else self._resets + 1
        if self._seed is None:
            self.match.reset()
        else:
            self.match.reset(f"{self._seed}/{self._resets}" if self._resets else self._seed)
        self.cycles = 0
        self.agents = self.possible_agents[:]

    def _known(self, agent: Agent) -> Agent:
        """The agent, if there is one of this name. Raises ValueError for another one."""
        if agent in self.possible_agents:
            return agent
        raise wrong("agent", f"one of {', '.join(self.possible_agents)}", agent)

    def _is_cut(self) -> bool:
        """Whether the match ends here without a result, by `max_cycles`."""
        return self.max_cycles is not None and self.cycles >= self.max_cycles and self.match.seat is not None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match; the same seed deals the same cards. `options` must be empty: those of the game go to `env`."""
        self._begin(seed, options)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._select()

    def observe(self, agent: Agent) -> Observation:
        """Return what this agent knows, and its legal moves: none where another one decides."""
        seat = self.possible_agents.index(self._known(agent))
        is_asked = self.match.seat == seat
        mask = self.match.legal_mask.view(np.int8) if is_asked else self._nothing_legal
        return {"observation": self._observe(seat), "action_mask": mask.copy()}

    def step(self, action: int | None) -> None:
        """Make the move with this number for the agent whose turn it is; agents whose match is over give None.

        Raises IllegalAnswer (a ValueError) for a move that is not legal, and then nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.match.step(_number(action, agent))
        self.cycles += 1
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, self.match.rewards(), strict=True))
        is_over, is_cut = self.match.seat is None, self._is_cut()
        self.terminations = dict.fromkeys(self.agents, is_over)
        self.truncations = dict.fromkeys(self.agents, is_cut)
        self._select()
        self._accumulate_rewards()
        if is_over or is_cut:
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _select(self) -> None:
        if self.match.seat is not None:
            self.agent_selection = self.possible_agents[self.match.seat]


def _number(action: object, agent: Agent) -> int:
    """The number of a move as programs give it: an int, or one of numpy's."""
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool):
        return int(action)
    raise IllegalAnswer(f"{agent} must give the number of a legal move, got {action!r}; the action mask has 1 for them")


def _viewer(name: str, agents: Sequence[Agent]) -> Viewer:
    if name in agents:
        return agents.index(name)
    if name in ("open", "public"):
        return OPEN if name == "open" else None
    raise ValueError(f"render_view: expected open, public or one of {', '.join(agents)}, got {name!r}")


# Names


def name_of(preset: str) -> str:
    """Return the name of a game in PettingZoo: `golf_six_card_v0`."""
    return f"golf_{preset.replace('-', '_')}_v{VERSION}"


class Versioned(Struct, frozen=True):
    """A game under the name that users of PettingZoo import: `from referee.research.pettingzoo import six_card_v0`."""

    preset: str

    def env(self, seats: int | None = None, **settings: Any) -> OrderEnforcingWrapper:
        """Return what `env` of this module returns for the game."""
        return env(self.preset, seats, **settings)

    def raw_env(self, seats: int | None = None, **settings: Any) -> GolfAEC:
        """Return what `raw_env` of this module returns for the game."""
        return raw_env(self.preset, seats, **settings)


_VERSIONED = {f"{preset.replace('-', '_')}_v{VERSION}": Versioned(preset) for preset in PRESETS}


def __getattr__(name: str) -> Versioned:
    if name in _VERSIONED:
        return _VERSIONED[name]
    raise AttributeError(f"there is no `{name}` here; the games are {', '.join(_VERSIONED)}")


def _register() -> None:
    """Let `pettingzoo.make("aec", "golf/six_card_v0")` find the games, where PettingZoo has a registry (from 1.27)."""
    register = getattr(pettingzoo, "register", None)
    if register is None:
        return
    for name, game in _VERSIONED.items():
        register("aec", f"golf/{name}", entry_point=env, kwargs={"preset": game.preset})


_register()
