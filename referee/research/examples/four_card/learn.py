"""Learns four-card golf from nothing, by playing against itself, until it beats `greedy`.

    pip install 'golfref[research,learn]'
    python -m referee.research.examples.four_card.learn -o learned

1. Many rounds are played at once. In each decision, every legal answer leads to a position, of which bot.py makes
   figures. A network weighs them, and the best one is taken; one decision in ten is left to the dice.
2. When a round is over, each position in it was worth what its seat got: by how much it was below the mean of the
   others.
3. The network learns these pairs (scikit-learn's MLPRegressor), and plays the next rounds.

It then plays fresh deals against the shipped bots, and writes a folder with the bot, which plays in any tournament.
"""

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from msgspec import structs

from referee.research import Env
from referee.research.actions import Move
from referee.research.examples import missing
from referee.research.examples.four_card import bot
from referee.research.policies import NoProgram, compare, policy

try:
    from sklearn.neural_network import MLPRegressor
    from threadpoolctl import threadpool_limits
except ModuleNotFoundError as error:
    raise missing(error, __name__) from None

SEATS = 3
AT_ONCE = 200
"""How many rounds are played at the same time, so that the network weighs the positions of all of them together."""
GENERATIONS = 25
"""How often the network learns."""
EXPLORES = 0.1
"""The share of decisions that are left to the dice."""
REMEMBERS = 5
"""From how many generations of rounds it learns."""
PASSES = 3
"""How often it goes through them each time."""

Lesson = tuple[bot.Figures, float]
"""A position and what it was worth."""


class Student:
    """A network that weighs positions, the generations of rounds from which it learns, and its dice."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)  # noqa: S311 - it must be the same every time
        self.network = MLPRegressor(hidden_layer_sizes=(64, 32), learning_rate_init=0.002, random_state=seed)
        self.lessons: list[list[Lesson]] = []

    def learn(self, lessons: list[Lesson]) -> None:
        """Learn these lessons, and once more those of the last generations before."""
        self.lessons = [*self.lessons[1 - REMEMBERS :], lessons]
        figures, worth = zip(*(lesson for generation in self.lessons for lesson in generation), strict=True)
        for _ in range(PASSES):
            self.network.partial_fit(np.array(figures), np.array(worth))

    def weigh(self, rows: Sequence[bot.Figures]) -> Sequence[float]:
        """Return what the positions are worth; before the first lesson the dice say so."""
        if not self.lessons:
            return [self.dice.random() for _ in rows]
        values: Sequence[float] = self.network.predict(np.array(rows))
        return values

    def layers(self) -> list[tuple[list[list[float]], list[float]]]:
        """Return the network as bot.py reads it."""
        pairs = zip(self.network.coefs_, self.network.intercepts_, strict=True)
        return [(weights.T.tolist(), added.tolist()) for weights, added in pairs]

    def policy(self, env: Env) -> Move:
        """Return the move to the position that weighs most: what the bot does that `write_bot` writes."""
        choice = Choice(env)
        return choice.moves[choice.best(self.weigh(choice.rows))]


class Choice:
    """The open decision of a match: the legal moves, and the positions to which each of them leads."""

    def __init__(self, env: Env) -> None:
        view = view_of(env)
        self.moves = env.legal()
        self.positions = [bot.positions(view, *kind_and_choice(move)) for move in self.moves]

    @property
    def rows(self) -> list[bot.Figures]:
        """The positions of all moves, one after another."""
        return [row for rows in self.positions for row in rows]

    def best(self, weights: Sequence[float]) -> int:
        """Return the place of the move whose best position weighs most."""
        rest = iter(weights)
        best = [round(max(islice(rest, len(rows))), bot.DIGITS) for rows in self.positions]
        return best.index(max(best))


class Round:
    """A round that the student plays against itself, with the positions to which each seat has gone."""

    def __init__(self, seed: str) -> None:
        self.env = Env("four-card", SEATS, rounds=1)
        self.env.reset(seed)
        self.choice = Choice(self.env)
        self.gone: list[list[bot.Figures]] = [[] for _ in range(SEATS)]

    def go(self, place: int) -> None:
        """Make the move at this place of the choice."""
        rows = self.choice.positions[place]
        if len(rows) == 1:  # of several, the next decision of this seat goes to one
            self.gone[self.env.seat or 0] += rows
        self.env.step(self.choice.moves[place])
        self.choice = Choice(self.env)

    def lessons(self) -> Iterator[Lesson]:
        """Return what each position was worth, once the round is over."""
        for rows, worth in zip(self.gone, self.env.rewards(), strict=True):
            yield from ((row, worth) for row in rows)


def view_of(env: Env) -> bot.View:
    """Return what the seat that decides sees, as the bot keeps it: nothing that lies face down."""
    table, seat = env.game.table, env.seat or 0
    is_before = env.ask is not None and env.ask.decision == "turn_up"
    layouts = [[slot.card if slot is not None and slot.up else bot.DOWN for slot in row] for row in table.layouts]
    top = bot.DOWN if is_before or not table.pile else table.pile[-1]
    return bot.View(layouts[seat:] + layouts[:seat], top, table.hand or "", is_last=table.ended_by is not None)


def kind_and_choice(move: Move) -> tuple[str, Any]:
    """Return a move as bot.py has it."""
    values = structs.astuple(move)
    return str(move.__struct_config__.tag), values[0] if values else None


def play_rounds(student: Student, count: int, seed: str) -> list[Lesson]:
    """Play so many rounds, some at the same time, and return what each position in them was worth."""
    coming = (Round(f"{seed} {number}") for number in range(count))
    rounds, lessons = list(islice(coming, AT_ONCE)), list[Lesson]()
    while rounds:
        weights = iter(student.weigh([row for one in rounds for row in one.choice.rows]))
        for one in rounds:
            best = one.choice.best(list(islice(weights, len(one.choice.rows))))
            explores = student.dice.random() < EXPLORES
            one.go(student.dice.randrange(len(one.choice.moves)) if explores else best)
        lessons += [lesson for one in rounds if one.env.seat is None for lesson in one.lessons()]
        rounds = [one for one in rounds if one.env.seat is not None]
        rounds += islice(coming, AT_ONCE - len(rounds))
    return lessons


def write_bot(student: Student, folder: Path) -> None:
    """Write the bot with what the student has learned, as a folder that plays by itself."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(bot.__file__, folder / "bot.py")
    (folder / "weights.json").write_text(json.dumps(student.layers()))


def generations(rounds: int, seed: int) -> Iterator[Student]:
    """Let a student play so many rounds against itself; return it after each generation."""
    student = Student(seed)
    for generation in range(GENERATIONS):
        with threadpool_limits(1):  # threads cost such a small network more than they bring
            student.learn(play_rounds(student, rounds // GENERATIONS, f"{seed} {generation}"))
        yield student


def main() -> None:
    """Learn, measure, and write the bot."""
    parser = argparse.ArgumentParser(description="Learns four-card golf by playing against itself.")
    parser.add_argument("-o", "--out", type=Path, default=Path("learned"), help="the folder for the bot")
    parser.add_argument("--rounds", type=int, default=10_000, help="how many rounds to learn from")
    parser.add_argument("--deals", type=int, default=400, help="how many fresh deals to measure it with")
    parser.add_argument("--against", default="greedy,keeper", help="shipped bots, with commas")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.rounds < 2 * GENERATIONS or asked.deals < 2:
        parser.error(f"expected {2 * GENERATIONS} rounds and 2 deals at least, got {asked.rounds} and {asked.deals}")
    try:
        rivals = [policy(name) for name in asked.against.split(",")]
        asked.out.mkdir(parents=True, exist_ok=True)
    except (NoProgram, OSError) as error:
        parser.error(str(error))
    begun = time.monotonic()
    for number, student in enumerate(generations(asked.rounds, asked.seed), 1):
        positions, took = len(student.lessons[-1]), time.monotonic() - begun
        print(f"generation {number:2} of {GENERATIONS}: {positions:6} positions, {took:4.0f} s so far", flush=True)
    write_bot(student, asked.out)
    env = Env("four-card", SEATS, rounds=1)
    for rival in rivals:
        print(f"against {rival.name}: {compare(env, policy(asked.out), rival, deals=asked.deals, seed='fresh')}")
    words = [f'golfref match --variant four-card --bot "python3 {asked.out / "bot.py"}"', *["--bot builtin:greedy"] * 2]
    print(f"It plays in any tournament: {' '.join(words)} --games 30")


if __name__ == "__main__":
    main()
