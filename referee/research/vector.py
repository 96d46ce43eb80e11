"""Many matches of one game, a step of all of them at a time, with all that is read of them in numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.research.arguments import seed_of, whole
from referee.research.codec import Codec
from referee.research.env import Env
from referee.rules.questions import IllegalAnswer


class VectorEnv:
    """`count` matches of one game at once. In each of them one seat decides, by a number, at every step.

    After `reset` and after every `step` these arrays say how all matches stand. The next step writes over them:

    * `seats_to_move`, int16 of shape (count,): which seat decides;
    * `masks`, bool of shape (count, codec.size): which numbers it may answer;
    * `observations`, int32 of shape (count, codec.code_count): what it may know, as `Env.codes` gives it;
    * `rewards`, float32 of shape (count, seats): what the step brought to each seat;
    * `done`, bool of shape (count,): whether the step ended a match. The row then has the first decision of its next
      match, and the rewards of the one that ended;
    * `infos`, a dictionary with one entry for each row whose match ended in this step: its `totals` and `ranks` by seat
      and `final_obs`, the codes of each seat at its end, of shape (seats, codec.code_count).

    `codec.one_hot(games.observations)` gives tensors. Match k (from 0) of row i is the one that `Env.reset("SEED/i/k")`
    begins, however many rows there are. `copy.deepcopy` and `pickle` copy the matches.

    >>> games = VectorEnv("six-card", 64, seats=2, rounds=1)
    >>> games.reset("demo")
    >>> games.step(games.masks.argmax(axis=1))
    >>> games.observations.shape, games.codec.one_hot(games.observations).shape
    ((64, 41), (64, 279))
    """

    seats_to_move: NDArray[np.int16]
    masks: NDArray[np.bool_]
    observations: NDArray[np.int32]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    infos: dict[int, dict[str, Any]]

    def __init__(
        self, preset: str, count: int, seats: int | None = None, *, encode: bool = True, **options: Any
    ) -> None:
        """Take the game and its seats, and by name its options, `reward` and `derived`, as `Env` does.

        Without `encode` nobody reads what the seats may know, and `observations` stays empty. Raises ValueError for
        numbers that make no sense, and what `Env` raises.
        """
        if (count := whole("count", count)) < 1:
            raise ValueError(f"count: expected at least one match, got {count}")
        env = Env(preset, seats, **options)
        self.codec: Codec = env.codec
        self.variant, self.seats, self.encode = env.variant, env.seats, encode
        self._envs = [env.sibling() for _ in range(count)]
        self._matches = [0] * count
        self._seed: str | None = None
        self.seats_to_move = np.zeros(count, np.int16)
        self.masks = np.zeros((count, self.codec.size), np.bool_)
        self.observations = np.zeros((count, self.codec.code_count), np.int32)
        self.rewards = np.zeros((count, env.seats), np.float32)
        self.done = np.zeros(count, np.bool_)
        self.infos = {}
        self._every = np.arange(count)

    def __repr__(self) -> str:
        """Return the game, its seats and the number of matches."""
        return f"<{type(self).__name__} {self.variant.preset}, {self.seats} seats, {len(self)} matches>"

    def __len__(self) -> int:
        return len(self._envs)

    def reset(self, seed: str | int) -> None:
        """Begin the first match of every row.

        Raises ValueError for a seed that is neither a whole number from 0 on nor a text: one must be given, since a row
        and its matches are named by it.
        """
        self._seed = seed_of(seed)
        self._matches = [0] * len(self)
        self.rewards[:], self.done[:], self.infos = 0.0, False, {}
        for row, env in enumerate(self._envs):
            env.reset(f"{self._seed}/{row}/0")
        self._show()

    def step(self, numbers: Sequence[int] | NDArray[Any]) -> None:
        """Make a move in every match; `numbers` has one for each row.

        Raises IllegalAnswer where one is not legal, ValueError for another count of numbers, and LookupError before the
        first reset; nothing has changed then.
        """
        if self._seed is None:
            raise LookupError("no match has begun: call reset(seed) first")
        moves = self._checked(numbers).tolist()
        if self.infos:
            self.infos, self.done[:] = {}, False
        self.rewards[:] = 0.0
        for row, env in enumerate(self._envs):
            env.step(moves[row])
            rewards = env.rewards()
            if rewards is not env.no_rewards:
                self.rewards[row] = rewards
            if env.seat is None:
                self._end(row, env)
        self._show()

    def _end(self, row: int, env: Env) -> None:
        """Note how a match ended, and begin the next one of the row."""
        self.done[row] = True
        self.infos[row] = {"totals": env.result.totals, "ranks": env.result.ranks}
        if self.encode:
            self.infos[row]["final_obs"] = env.codes_of_all()
        self._matches[row] += 1
        env.reset(f"{self._seed}/{row}/{self._matches[row]}")

    def _show(self) -> None:
        masks, codes = self.masks.view(np.uint8).data.cast("B"), self.observations.data.cast("B").cast("i")
        into = codes if self.encode else None
        self.seats_to_move[:] = [env.write(row, masks, into) for row, env in enumerate(self._envs)]

    def _checked(self, numbers: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
        moves = np.asarray(numbers)
        if moves.shape != self._every.shape or not np.issubdtype(moves.dtype, np.integer):
            raise ValueError(f"numbers: expected {len(self)} integers, got {moves.dtype} of shape {moves.shape}")
        inside = (moves >= 0) & (moves < self.codec.size)
        legal = inside & self.masks[self._every, np.where(inside, moves, 0)]
        if not legal.all():
            row = int(legal.argmin())
            offered = ", ".join(map(str, self.masks[row].nonzero()[0]))
            seat = self.seats_to_move[row]
            raise IllegalAnswer(f"row {row}: seat {seat} may not answer number {moves[row]}; legal are {offered}")
        return moves
