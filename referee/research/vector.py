"""Many matches of one game at once, in this process or over several, with all that is read of them in numpy arrays."""

import os
import weakref
from collections.abc import Sequence
from itertools import pairwise
from mmap import mmap
from typing import Any, TypeVar

import numpy as np
from msgspec.structs import asdict
from numpy.typing import NDArray

from referee.research.env import Env
from referee.research.given import seed_of, whole
from referee.research.vector_process import Part, Worker, end_all, new_memory
from referee.research.vector_rows import Array, Arrays, Rows, Shape
from referee.rules.questions import IllegalAnswer

Kind = TypeVar("Kind", bound=np.generic)


class VectorEnv:
    """`count` matches of one game at once. In each of them one seat decides, by a number, at every step.

    After `reset` and after every `step` these arrays tell how all matches stand. They are always the same arrays, which
    the next step writes over, and nobody else can write to:

    * `seats_to_move`, int16 of shape (count,): which seat decides;
    * `masks`, bool of shape (count, actions.size): which numbers it may answer;
    * `observations`, float32 of shape (count, *tensor_shape): what it may know, as `Env.encode` gives it;
    * `rewards`, float32 of shape (count, seats): what the step brought to each seat;
    * `done`, bool of shape (count,): whether the step ended a match. The row then has the first decision of its next
      match, and the rewards of the one that ended;
    * `totals` and `ranks`, int32 of shape (count, seats): those of the row's match that ended last.

    Match k (from 0) of row i is the one that `Env.reset("SEED/i/k")` begins, however many rows and processes there are.

    >>> from referee.research import VectorEnv
    >>> with VectorEnv("six-card", 64, seats=2, rounds=1) as games:
    ...     games.reset("demo")
    ...     games.step(games.masks.argmax(axis=1))
    """

    def __init__(
        self,
        preset: str,
        count: int,
        seats: int | None = None,
        *,
        encode: bool = True,
        processes: int = 0,
        **options: Any,
    ) -> None:
        """Take the game and its seats, and by name its options, `reward` and `deals`, as `Env` does.

        With `processes` = 0 all matches are played in this process, else in so many others. Without `encode` nobody
        reads what the seats may know, and `observations` has no columns. Raises ValueError for numbers that make no
        sense, MemoryError for more matches than there is memory for, and what `Env` raises.
        """
        count, processes = whole("count", count), whole("processes", processes)
        if count < 1:
            raise ValueError(f"count: expected at least one match, got {count}")
        if not 0 <= processes <= count:
            raise ValueError(f"processes: expected from 0 to one for each of {count} matches, got {processes}")
        self._set_up(Env(preset, seats, **options), count, encode=encode, processes=processes)

    seats_to_move: NDArray[np.int16]
    masks: NDArray[np.bool_]
    observations: NDArray[np.float32]
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    totals: NDArray[np.int32]
    ranks: NDArray[np.int32]

    def _set_up(self, env: Env, count: int, *, encode: bool, processes: int) -> None:
        self.variant, self.seats, self.actions = env.variant, env.seats, env.actions
        self.tensor_shape: tuple[int, ...] = env.tensor_shape if encode else (0,)
        self._shape = Shape(count=count, seats=env.seats, actions=env.actions.size, tensor=self.tensor_shape)
        self._env, self._encode, self._processes = env, encode, processes
        self._room = self._room_for_arrays()
        arrays = Arrays(self._shape, self._room)
        if not processes:
            self._rows = Rows(env, arrays, first=0, stop=count, encode=encode)
        self._every = np.arange(count)
        self._numbers = arrays.numbers
        self.seats_to_move, self.masks = _to_read(arrays.seats_to_move), _to_read(arrays.masks)
        self.observations, self.rewards = _to_read(arrays.observations), _to_read(arrays.rewards)
        self.done = _to_read(arrays.done)
        self.totals, self.ranks = _to_read(arrays.totals), _to_read(arrays.ranks)
        self._workers: list[Worker] = []
        weakref.finalize(self, end_all, self._workers)
        self._is_begun = False

    def __getstate__(self) -> dict[str, Any]:
        if self._processes:
            raise TypeError("a VectorEnv that plays in other processes cannot be copied; make it with processes=0")
        return {
            "env": self._env,
            "count": len(self),
            "encode": self._encode,
            "arrays": bytes(self._room),
            "standing": self._rows.standing,
            "is_begun": self._is_begun,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_up(state["env"], state["count"], encode=state["encode"], processes=0)
        self._room[:] = state["arrays"]
        self._rows.standing = state["standing"]
        self._is_begun = state["is_begun"]

    def _room_for_arrays(self) -> bytearray | mmap:
        """The memory of the arrays, which the processes share where there are any."""
        size_bytes = self._shape.size_bytes()
        try:
            if not self._processes:
                return bytearray(size_bytes)
            self._memory = new_memory(size_bytes)
            weakref.finalize(self, os.close, self._memory)
            return mmap(self._memory, size_bytes)
        except (MemoryError, OSError, OverflowError) as error:
            raise MemoryError(
                f"count: {self._shape.count} matches need {size_bytes / 1e9:.1f} GB for what is read of them, which "
                "cannot be had here; take fewer"
            ) from error

    def __repr__(self) -> str:
        """Return the game, its seats and the number of matches."""
        return f"<{type(self).__name__} {self.variant.preset}, {self.seats} seats, {len(self)} matches>"

    def __len__(self) -> int:
        return len(self._every)

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the processes that play now, in the order of their rows; () where this one plays."""
        return tuple(worker.pid for worker in self._workers)

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset(self, seed: str | int) -> None:
        """Begin the first match of every row; nothing is done then, and there are no rewards.

        Starts the processes, if there are to be any and there are none. Raises ValueError for a seed that is neither a
        whole number from 0 on nor a text: one must be given, since a row and its matches are named by it.
        """
        text = seed_of(seed)
        if not self._processes:
            self._rows.begin(text)
        else:
            try:
                if not self._workers:
                    self._start()
                for worker in self._workers:
                    worker.begin(text)
                for worker in self._workers:
                    worker.wait()
            except BaseException:
                self.close()
                raise
        self._is_begun = True

    def step(self, numbers: Sequence[int] | Array) -> None:
        """Make a move in every match; `numbers` has one for each row.

        Raises IllegalAnswer where one is not legal, ValueError for another count of numbers, and LookupError before the
        first reset; nothing has changed then. Raises `vector_process.Gone` where a process has died. That, and whatever
        else interrupts a step of several processes, ends them, and reset(seed) starts them anew.
        """
        if not self._is_begun:
            raise LookupError("no match has begun: call reset(seed) first")
        self._numbers[:] = self._checked(numbers)
        if not self._processes:
            self._rows.step()
            return
        try:
            for worker in self._workers:
                worker.step()
            for worker in self._workers:
                worker.wait()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the processes, if there are any. A vector that is forgotten ends them, too, and so does the last one."""
        self._is_begun = False
        end_all(self._workers)

    def _start(self) -> None:
        count, parts = len(self), self._processes
        edges = [count * number // parts for number in range(parts + 1)]
        for first, stop in pairwise(edges):
            part = Part(
                preset=self.variant.preset,
                options=asdict(self.variant.options),
                seats=self.seats,
                reward=self._env.reward,
                deals=self._env.deals,
                shape=self._shape,
                first=first,
                stop=stop,
                encode=self._encode,
            )
            self._workers.append(Worker(part, self._memory))

    def _checked(self, numbers: Sequence[int] | Array) -> Array:
        moves = np.asarray(numbers)
        if moves.shape != self._every.shape or not np.issubdtype(moves.dtype, np.integer):
            raise ValueError(f"numbers: expected {len(self)} integers, got {moves.dtype} of shape {moves.shape}")
        inside = (moves >= 0) & (moves < self.actions.size)
        legal = inside & self.masks[self._every, np.where(inside, moves, 0)]
        if not legal.all():
            row = int(legal.argmin())
            offered = ", ".join(map(str, self.masks[row].nonzero()[0]))
            seat = self.seats_to_move[row]
            raise IllegalAnswer(f"row {row}: seat {seat} may not answer number {moves[row]}; legal are {offered}")
        return moves


def _to_read(array: NDArray[Kind]) -> NDArray[Kind]:
    view = array.view()
    view.flags.writeable = False
    return view
