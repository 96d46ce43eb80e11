"""Random playouts in process: decisions a second of every preset, beside the gin rummy of RLCard and OpenSpiel.

    pip install '.[bench,research]' && python tests/benchmarks/playouts.py [--seconds S] [--repetitions N] [PRESET ...]

All presets take five and a half minutes of CPU, and on a busy machine longer; each is told as soon as it is done.

Each repetition measures RLCard and OpenSpiel, and then the ways of a preset, for so many seconds each. A ratio is the
median of those to the RLCard and OpenSpiel of the same repetition. Seconds are of this process's CPU, so that what else
runs on the machine disturbs little. Rounds are played to their end by dice that choose among the legal actions. The
ways:

* `rules`: a `Game`: the legal actions of each question, the check of every answer, all events;
* `Env`: an environment's legal numbers and its step;
* `codes`: the same with the codes of what the seat that decides may know, before every step;
* `tensor`: the same with the tensor instead of the codes;
* `vector`: a `VectorEnv` of 64 rows with its masks and codes; a step of an action that takes several counts;
* `raw_env`: PettingZoo's environment, with `last` and `step` (needs pettingzoo);
* RLCard: its environment's own step, which encodes the state and lists the legal actions;
* OpenSpiel: its Python-driven loop (observation_tensor, legal_actions, apply_action); `bare` is without the tensor.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from protocol.actions import Action, Slap
from referee.research import Env, VectorEnv
from referee.research.chance import Seeded, pack_of
from referee.rules.check_options import with_options
from referee.rules.dice import any_action
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.questions import Ask, Response, Sealed
from referee.rules.variants import PRESETS

if TYPE_CHECKING:
    from _typeshed import SupportsLenAndGetItem

ROWS = 64
"""How many rows a vector has."""

VECTOR_STEPS = 16
"""How many steps a vector makes between two looks at the clock."""

NOT_LISTED = {"arrange", "power", "slap"}
"""Decisions for which the dice fill in an offer: their answers are millions, or seldom the same."""

Playout = Callable[[random.Random], int]
"""Plays one game; returns its decisions."""


T = TypeVar("T")


def round_of(preset: str) -> dict[str, Any]:
    """The options that make the preset a match of one round, where it is not a course of holes."""
    return {} if preset == "par-course" else {"rounds": 1, "limit": "none"}


def seats_of(preset: str) -> int:
    """As many seats as gin rummy has, where the game allows it."""
    return max(2, PRESETS[preset].seats[0])


def one_of(values: "SupportsLenAndGetItem[T]", dice: random.Random) -> T:
    """One of these values, for all ways alike; `random.choice` takes more time than some steps."""
    return values[int(dice.random() * len(values))]


class Dice(random.Random):
    """Dice that choose as `one_of` does."""

    def choice(self, seq: "SupportsLenAndGetItem[T]") -> T:
        """Return one of them."""
        return one_of(seq, self)


def rules(preset: str) -> Playout:
    """A `Game`. Slaps count in the order of the lots, as in an `Env`: here nobody's reaction is measured."""
    lottery = {"slap_order": "lottery"} if PRESETS[preset].options.slaps else {}
    variant, seats = with_options(preset, round_of(preset) | lottery), seats_of(preset)
    pack = pack_of(variant, seats)

    def choose(ask: Ask, dice: random.Random) -> Action:
        return any_action(ask.offers, dice) if ask.decision in NOT_LISTED else one_of(ask.actions, dice)

    def play(dice: random.Random) -> int:
        chance = Seeded(dice.randbytes(16), pack, seats)
        game = Game(variant, seats, chance)
        count = 0
        while (question := game.question) is not None:
            response: Response
            if isinstance(question, Ask):
                response = choose(question, dice)
                count += 1
            else:
                actions = {ask.seat: choose(ask, dice) for ask in question.asks}
                count += len(actions)
                if isinstance(question, Sealed):
                    response = tuple(actions.values())
                else:
                    is_contested = len([True for action in actions.values() if isinstance(action, Slap)]) > 1
                    lots = chance.lots(game.table.round, question.number) if is_contested else ()
                    response = order_slaps(variant.options, question, actions, {}, lots)
            game.answer(response)
        return count

    return play


def env(preset: str, *, seen: str = "") -> Playout:
    """An `Env`, by numbers."""
    games = Env(preset, seats_of(preset), **round_of(preset))
    look = getattr(games, seen) if seen else None

    def play(dice: random.Random) -> int:
        games.reset(dice.getrandbits(60))
        count = 0
        while games.seat is not None:
            if look is not None:
                look()
            games.step(one_of(games.numbers(), dice))
            count += 1
        return count

    return play


def vector(preset: str) -> Playout:
    """A `VectorEnv`, some steps of it, with numbers that numpy draws for all rows together."""
    games = VectorEnv(preset, ROWS, seats_of(preset), **round_of(preset))
    games.reset(1)

    def play(dice: random.Random) -> int:
        generator = np.random.default_rng(dice.getrandbits(60))
        for _ in range(VECTOR_STEPS):
            games.step((games.masks * generator.random(games.masks.shape, np.float32)).argmax(axis=1))
        return ROWS * VECTOR_STEPS

    return play


def raw_env(preset: str) -> Playout:
    """PettingZoo's environment, by `last` and `step`."""
    from referee.research.adapters import pettingzoo

    games = pettingzoo.raw_env(preset, seats_of(preset), **round_of(preset))

    def play(dice: random.Random) -> int:
        games.reset(dice.getrandbits(60))
        count = 0
        while games.match.seat is not None:
            observation = games.last()[0]
            games.step(one_of(observation["action_mask"].nonzero()[0], dice))
            count += 1
        return count

    return play


def rlcard() -> Playout:
    """RLCard's gin-rummy by its environment's own step."""
    import rlcard as library

    env = library.make("gin-rummy")

    def play(dice: random.Random) -> int:
        state, _ = env.reset()
        count = 0
        while not env.is_over():
            state, _ = env.step(one_of(list(state["legal_actions"]), dice))
            count += 1
        return count

    return play


def openspiel(*, encode: bool = True) -> Playout:
    """OpenSpiel's gin_rummy, driven from Python; chance nodes are sampled and not counted."""
    import pyspiel

    spiel = pyspiel.load_game("gin_rummy")

    def play(dice: random.Random) -> int:
        state = spiel.new_initial_state()
        count = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(dice.choices(outcomes, weights)[0])
            else:
                if encode:
                    state.observation_tensor()
                state.apply_action(one_of(state.legal_actions(), dice))
                count += 1
        return count

    return play


WAYS: dict[str, Callable[[str], Playout]] = {
    "rules": rules,
    "Env": env,
    "codes": partial(env, seen="codes"),
    "tensor": partial(env, seen="tensor"),
    "vector": vector,
    "raw_env": raw_env,
}


def measure(play: Playout, seconds: float, seed: int) -> float:
    """Decisions a second of this process's CPU time."""
    dice = Dice(seed)
    decisions = 0
    begun = time.process_time()
    while (now := time.process_time()) - begun < seconds:
        decisions += play(dice)
    return decisions / (now - begun)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("presets", nargs="*", default=list(PRESETS))
    options = parser.parse_args()
    others = {"RLCard": rlcard(), "OpenSpiel": openspiel(), "bare": openspiel(encode=False)}
    seconds = options.seconds * options.repetitions * (len(others) + len(WAYS)) * len(options.presets)
    print(
        f"{len(options.presets)} games take {seconds / 60:.1f} minutes of CPU, and longer on a busy machine; "
        "each is told when it is done"
    )
    print(f"{'preset':16}{'way':10}{'decisions/s':>12}{'x RLCard':>11}{'OpenSpiel':>11}{'bare':>11}", flush=True)
    found: dict[str, list[float]] = {}
    for preset in options.presets:
        ways = others | {name: way(preset) for name, way in WAYS.items()}
        figures: dict[str, list[float]] = {name: [] for name in ways}
        for repetition in range(options.repetitions):
            for name, way in ways.items():
                figures[name].append(measure(way, options.seconds, repetition))
        tell(preset, figures)
        for name in others:
            found.setdefault(name, []).extend(figures[name])
    for name, rates in found.items():
        print(f"{name}: {statistics.median(rates):.0f} decisions/s")


def tell(preset: str, figures: dict[str, list[float]]) -> None:
    """Print the medians of a preset's ways, and the medians of their ratios."""
    for way in WAYS:
        ratios = [
            statistics.median(mine / other for mine, other in zip(figures[way], figures[name], strict=True))
            for name in ("RLCard", "OpenSpiel", "bare")
        ]
        print(
            f"{preset:16}{way:10}{statistics.median(figures[way]):12.0f}{ratios[0]:10.2f}{ratios[1]:13.2f}{ratios[2]:8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
