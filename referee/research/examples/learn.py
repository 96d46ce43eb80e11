"""Learns a game from nothing, by playing against itself with numpy alone, and writes the policy as a file.

    python -m referee.research.examples.learn six-card --minutes 5 -o model.npz
    golfref new mine --language python --policy model.npz

A network of two layers sees the tensor with its derived fields. It plays many matches at once; after each batch of
steps, what a seat got is held against what was expected (generalised advantage estimation), and the network changes
towards the moves that brought more (proximal policy optimisation: Schulman and others, 2017).
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.research import Env, VectorEnv
from referee.research.network import Network
from referee.research.policies import compare, policy

Floats = NDArray[np.float32]

ROWS, STEPS = 128, 64
"""How many matches are played at once, and how many steps of each make a batch."""
WIDTH = 128
"""The units of each hidden layer."""
PASSES, MINIBATCH = 3, 1024
LEARNING_RATE = 1e-3
CLIP, ENTROPY, VALUE = 0.2, 0.003, 0.5
"""How far a batch may change a probability, and the weights of entropy and of the error of the value in the loss."""
TRACE = 0.95
"""Lambda of the advantage estimation."""


class Learner:
    """Two hidden layers with a policy and a value on top, and the moments of Adam."""

    def __init__(self, inputs: int, outputs: int, dice: np.random.Generator) -> None:
        shapes = {"1": (inputs, WIDTH, 2**0.5), "2": (WIDTH, WIDTH, 2**0.5), "p": (WIDTH, outputs, 0.01)}
        self.weights: dict[str, Floats] = {}
        for name, (rows, columns, gain) in (shapes | {"v": (WIDTH, 1, 1.0)}).items():
            basis = np.linalg.qr(dice.normal(size=(max(rows, columns), min(rows, columns))))[0]
            self.weights[f"w{name}"] = (gain * (basis if rows >= columns else basis.T)).astype(np.float32)
            self.weights[f"b{name}"] = np.zeros(columns, np.float32)
        self._mean = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._square = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self._updates = 0

    def forward(self, tensors: Floats, masks: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return both hidden layers, the logarithms of the moves' probabilities, and the values."""
        own = self.weights
        first = np.tanh(tensors @ own["w1"] + own["b1"])
        second = np.tanh(first @ own["w2"] + own["b2"])
        logits = np.where(masks, second @ own["wp"] + own["bp"], np.float32(-1e9))
        logits -= logits.max(1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        return first, second, logs, (second @ own["wv"] + own["bv"])[:, 0]

    def learn(self, batch: dict[str, Any], rate: float) -> None:
        """Change the weights a little, by one minibatch."""
        own, rows, count = self.weights, np.arange(len(batch["moves"])), len(batch["moves"])
        first, second, logs, values = self.forward(batch["tensors"], batch["masks"])
        gains = (batch["gains"] - batch["gains"].mean()) / (batch["gains"].std() + 1e-8)
        chances, moves = np.exp(logs), batch["moves"]
        ratio = np.exp(logs[rows, moves] - batch["logs"])
        used = ~(((gains > 0) & (ratio > 1 + CLIP)) | ((gains < 0) & (ratio < 1 - CLIP)))
        slope = (-(gains * ratio * used) / count).astype(np.float32)
        of_logits = -chances * slope[:, None]
        of_logits[rows, moves] += slope
        known = np.where(batch["masks"], logs, 0)
        of_logits += ENTROPY / count * chances * (known - (chances * known).sum(1, keepdims=True))
        of_logits = np.where(batch["masks"], of_logits, 0).astype(np.float32)
        of_value = (VALUE * (values - batch["returns"]) / count).astype(np.float32)[:, None]
        of_second = (of_logits @ own["wp"].T + of_value @ own["wv"].T) * (1 - second**2)
        of_first = (of_second @ own["w2"].T) * (1 - first**2)
        pairs = {"p": (second, of_logits), "v": (second, of_value), "2": (first, of_second)}
        slopes: dict[str, Floats] = {}
        for name, (inputs, outputs) in (pairs | {"1": (batch["tensors"], of_first)}).items():
            slopes |= {f"w{name}": inputs.T @ outputs, f"b{name}": outputs.sum(0)}
        self._adam(slopes, rate)

    def _adam(self, slopes: dict[str, Floats], rate: float) -> None:
        """Kingma and Ba, 2015; slopes longer than 0.5 are shortened."""
        self._updates += 1
        scale = min(1.0, 0.5 / float(np.sqrt(sum((one * one).sum() for one in slopes.values()))))
        for name, raw in slopes.items():
            slope = raw * scale
            self._mean[name] = 0.9 * self._mean[name] + 0.1 * slope
            self._square[name] = 0.999 * self._square[name] + 0.001 * slope * slope
            mean = self._mean[name] / (1 - 0.9**self._updates)
            square = self._square[name] / (1 - 0.999**self._updates)
            self.weights[name] -= (rate * mean / (np.sqrt(square) + 1e-5)).astype(np.float32)

    def network(self, games: VectorEnv) -> Network:
        """Return the policy without the value."""
        return Network(games.codec, [(self.weights[f"w{name}"].copy(), self.weights[f"b{name}"]) for name in "12p"])


def batch_of(games: VectorEnv, learner: Learner, dice: np.random.Generator) -> dict[str, Any]:
    """Play STEPS steps of all matches; return the decisions whose outcome is known, with what each was worth."""
    rows, count = np.arange(len(games)), (STEPS, len(games))
    tensors, masks = np.empty((*count, *games.codec.shape), np.float32), np.empty((*count, games.codec.size), np.bool_)
    moves, seats = np.empty(count, np.int64), np.empty(count, np.int64)
    logs, values = np.empty(count, np.float32), np.empty(count, np.float32)
    rewards, done = np.empty((*count, games.seats), np.float32), np.empty(count, np.bool_)
    for step in range(STEPS):
        tensors[step], masks[step] = games.codec.one_hot(games.observations), games.masks
        seats[step] = games.seats_to_move
        *_, chances, values[step] = learner.forward(tensors[step], masks[step])
        moves[step] = (chances + dice.gumbel(size=chances.shape)).argmax(1)
        logs[step] = chances[rows, moves[step]]
        games.step(moves[step])
        rewards[step], done[step] = games.rewards, games.done

    gains, known = np.zeros(count, np.float32), np.zeros(count, np.bool_)
    later, trace, reward = (np.zeros((len(games), games.seats), np.float32) for _ in range(3))
    is_known = np.zeros((len(games), games.seats), np.bool_)
    for step in reversed(range(STEPS)):
        ended, seat = done[step], seats[step]
        later[ended], trace[ended], reward[ended], is_known[ended] = 0, 0, 0, True
        reward += rewards[step]
        gain = reward[rows, seat] + later[rows, seat] - values[step] + TRACE * trace[rows, seat]
        known[step], gains[step] = is_known[rows, seat], gain
        trace[rows, seat] = np.where(known[step], gain, 0)
        later[rows, seat], reward[rows, seat], is_known[rows, seat] = values[step], 0, True
    kept = {"tensors": tensors, "masks": masks, "moves": moves, "logs": logs, "gains": gains, "returns": gains + values}
    return {name: array[known] for name, array in kept.items()}


def train(games: VectorEnv, seconds: float, seed: int, *, looks: int = 1) -> Iterator[Network]:
    """Learn for so many seconds of CPU time; yield the policy so many times on the way, at last at the end."""
    dice = np.random.default_rng(seed)
    learner = Learner(games.codec.shape[0], games.codec.size, dice)
    games.reset(seed)
    begun, seen = time.process_time(), 0
    while (share := (time.process_time() - begun) / seconds) < 1:
        if share * looks >= seen + 1:
            seen += 1
            yield learner.network(games)
        batch = batch_of(games, learner, dice)
        for _ in range(PASSES):
            order = dice.permutation(len(batch["moves"]))
            for some in np.array_split(order, max(1, len(order) // MINIBATCH)):
                learner.learn({name: array[some] for name, array in batch.items()}, LEARNING_RATE * (1 - share) + 1e-5)
    yield learner.network(games)


def main() -> None:
    """Learn, measure, and write the policy."""
    parser = argparse.ArgumentParser(description="Learns a game by playing against itself.")
    parser.add_argument("preset", nargs="?", default="six-card", help="the game")
    parser.add_argument("--seats", type=int, help="how many play; default: as few as its rules advise")
    parser.add_argument("--minutes", type=float, default=5.0, help="minutes of CPU time")
    parser.add_argument("--deals", type=int, default=300, help="how many fresh deals to measure it with")
    parser.add_argument("--against", default="greedy,keeper", help="shipped bots, with commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--out", type=Path, default=Path("model.npz"), help="the file for the policy")
    asked = parser.parse_args()
    try:
        rivals = [policy(name) for name in asked.against.split(",")]
        games = VectorEnv(asked.preset, ROWS, asked.seats, derived=True, rounds=1, reward="rounds")
    except ValueError as error:
        parser.error(str(error))
    *_, network = train(games, 60 * asked.minutes, asked.seed)
    network.save(asked.out)
    env = Env(asked.preset, games.seats, rounds=1)
    for rival in rivals:
        print(f"against {rival.name}: {compare(env, network, rival, deals=asked.deals, seed='fresh')}", flush=True)
    print(f"golfref new mine --language python --policy {asked.out}")


if __name__ == "__main__":
    main()
