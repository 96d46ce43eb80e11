"""Random playouts in process: decisions and games a second of six presets, beside RLCard's and OpenSpiel's gin rummy.

    pip install '.[bench]' && python tests/benchmarks/playouts.py [SECONDS [REPETITIONS]]

All in one run, the ways taking turns; medians, and ratios to both. Ours includes the events, the legal actions and
the check of every answer; OpenSpiel's is its Python-driven loop (legal_actions, apply_action), RLCard's its step loop.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable

from protocol.actions import Action
from referee.rules.book.variants import customised
from referee.rules.game import Game
from referee.rules.games.slaps import order_slaps
from referee.rules.table.asks import Ask, Response, Sealed
from referee.rules.table.chance import Keyed
from referee.rules.table.dice import any_action

PRESETS = ("six-card", "nine-card", "cactus", "cambio", "powers", "par-4")
SEATS = 2
"""How many seats play: as many as in gin rummy, where the game allows it."""

Playout = Callable[[random.Random], int]
"""Plays one game; returns its decisions."""


def ours(preset: str) -> Playout:
    """A match of one round."""
    variant = customised(preset, {"rounds": 1, "limit": "none"})

    def play(dice: random.Random) -> int:
        chance = Keyed(dice.randbytes(32), variant, SEATS)
        game = Game(variant, SEATS, chance)
        count = 0
        while (question := game.question) is not None:
            response: Response
            if isinstance(question, Ask):
                response = any_action(question.offers, dice)
                count += 1
            else:
                actions: dict[int, Action] = {ask.seat: any_action(ask.offers, dice) for ask in question.asks}
                count += len(actions)
                if isinstance(question, Sealed):
                    response = tuple(actions.values())
                else:
                    lots = chance.lots(game.table.round, question.number)
                    times = dict.fromkeys(actions, 0.0)
                    response = order_slaps(variant.options, question, actions, times, lots)
            game.answer(response)
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
            state, _ = env.step(dice.choice(list(state["legal_actions"])))
            count += 1
        return count

    return play


def openspiel() -> Playout:
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
                state.apply_action(dice.choice(state.legal_actions()))
                count += 1
        return count

    return play


def measure(play: Playout, seconds: float, seed: int) -> tuple[float, float]:
    """Decisions and games a second."""
    dice = random.Random(seed)  # noqa: S311
    decisions = games = 0
    begun = time.perf_counter()
    while (now := time.perf_counter()) - begun < seconds:
        decisions += play(dice)
        games += 1
    return decisions / (now - begun), games / (now - begun)


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ways: dict[str, Playout] = {"RLCard gin-rummy": rlcard(), "OpenSpiel gin_rummy": openspiel()}
    ways |= {preset: ours(preset) for preset in PRESETS}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for repetition in range(repetitions):
        for name, way in ways.items():
            found[name].append(measure(way, seconds, repetition))
    medians = {
        name: tuple(statistics.median(column) for column in zip(*figures, strict=True))
        for name, figures in found.items()
    }
    rl, spiel = medians["RLCard gin-rummy"][0], medians["OpenSpiel gin_rummy"][0]
    print(f"{'':20}{'decisions/s':>12}{'games/s':>9}{'x RLCard':>10}{'x OpenSpiel':>13}")
    for name, (decisions, games) in medians.items():
        print(f"{name:20}{decisions:12.0f}{games:9.0f}{decisions / rl:10.2f}{decisions / spiel:13.2f}")


if __name__ == "__main__":
    main()
