"""The rows of a vector of matches: the arrays in which they are read, and how a part of them is played.

This module knows no processes: `vector_process.py` lets several of them share one memory for the arrays.
"""

from math import prod
from mmap import mmap
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.research.env import Env

ALIGNED_BYTES = 64
"""Arrays begin at multiples of it, so that no two of them share a line of a processor's cache."""

Array = np.ndarray[Any, np.dtype[Any]]


class Shape(Struct, frozen=True, kw_only=True):
    """How large the arrays are."""

    count: int
    seats: int
    actions: int
    tensor: tuple[int, ...]

    def arrays(self) -> dict[str, tuple[type[np.generic], tuple[int, ...]]]:
        """The type and the shape of each array."""
        return {
            "seats_to_move": (np.int16, (self.count,)),
            "masks": (np.bool_, (self.count, self.actions)),
            "observations": (np.float32, (self.count, *self.tensor)),
            "rewards": (np.float32, (self.count, self.seats)),
            "done": (np.bool_, (self.count,)),
            "totals": (np.int32, (self.count, self.seats)),
            "ranks": (np.int32, (self.count, self.seats)),
            "numbers": (np.int64, (self.count,)),
        }

    def size_bytes(self) -> int:
        """How much memory all arrays take."""
        return sum(_room(kind, shape) for kind, shape in self.arrays().values())


def _room(kind: type[np.generic], shape: tuple[int, ...]) -> int:
    """How many bytes an array takes, up to where the next one begins."""
    return -(-prod(shape) * np.dtype(kind).itemsize // ALIGNED_BYTES) * ALIGNED_BYTES


class Arrays:
    """What can be read of all rows, and the numbers that they are to play; `VectorEnv` says what they mean."""

    seats_to_move: NDArray[np.int16]
    masks: NDArray[np.bool_]
    observations: NDArray[np.float32]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    totals: NDArray[np.int32]
    ranks: NDArray[np.int32]
    numbers: NDArray[np.int64]

    def __init__(self, shape: Shape, memory: bytearray | mmap) -> None:
        """Lay the arrays into a memory of `shape.size_bytes()`."""
        start = 0
        for name, (kind, size) in shape.arrays().items():
            setattr(self, name, np.frombuffer(memory, kind, prod(size), start).reshape(size))
            start += _room(kind, size)


class Rows:
    """The matches of the rows from `first` up to, but not including, `stop`."""

    def __init__(self, env: Env, arrays: Arrays, *, first: int, stop: int, encode: bool) -> None:
        """Play copies of `env`, and write into these arrays, into observations only with `encode`."""
        self._first, self._encode = first, encode
        self._envs = [env.sibling() for _ in range(first, stop)]
        self._seed = ""
        self._matches = [0] * (stop - first)
        self._arrays = arrays
        self._numbers = arrays.numbers[first:stop]
        self._seats = arrays.seats_to_move[first:stop]
        self._rewards = arrays.rewards[first:stop]
        self._done = arrays.done[first:stop]
        self._totals, self._ranks = arrays.totals[first:stop], arrays.ranks[first:stop]
        self._masks = list(arrays.masks[first:stop])
        self._observations = list(arrays.observations[first:stop])

    def begin(self, seed: str) -> None:
        """Begin the first match of every row."""
        self._seed = seed
        self._rewards[:] = 0.0
        self._done[:] = False
        for row, env in enumerate(self._envs):
            self._matches[row] = 0
            self._deal(row, env)
        self._show()

    @property
    def standing(self) -> tuple[str, list[int], list[Env]]:
        """Where the matches stand: the seed, and of every row the number of its match and its environment."""
        return self._seed, self._matches, self._envs

    @standing.setter
    def standing(self, standing: tuple[str, list[int], list[Env]]) -> None:
        self._seed, self._matches, self._envs = standing

    def step(self) -> None:
        """Make the moves that stand in `numbers`; where a match ends, begin the next one."""
        rewards: list[tuple[float, ...]] = []
        ended: list[int] = []
        for row, (env, number) in enumerate(zip(self._envs, self._numbers.tolist(), strict=True)):
            env.step(number)
            rewards.append(env.rewards())
            if env.seat is None:
                ended.append(row)
                self._totals[row], self._ranks[row] = env.result.totals, env.result.ranks
                self._matches[row] += 1
                self._deal(row, env)
        self._rewards[:] = rewards
        self._done[:] = False
        self._done[ended] = True
        self._show()

    def _deal(self, row: int, env: Env) -> None:
        env.reset(f"{self._seed}/{self._first + row}/{self._matches[row]}")

    def _show(self) -> None:
        self._seats[:] = [env.seat or 0 for env in self._envs]  # a seat: matches that end are dealt anew at once
        for env, mask in zip(self._envs, self._masks, strict=True):
            env.mask_into(mask)
        if self._encode:
            for env, observation in zip(self._envs, self._observations, strict=True):
                env.encode_into(observation)
