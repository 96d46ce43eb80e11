"""Clones and resampled states by game and depth of play: what they cost, and how many draws a state takes.

    PYTHONPATH=tests/support python tests/benchmarks/resampling.py [MATCHES [PRESET ...]]

Seats play by chance and seldom bring a round to its end; some rounds are over before so many moves. `first` and `again`
are clones, in steps of the same game by number: the first one of a match, in an environment that was cloned in earlier
matches, and another one of the same state. `resample` is in milliseconds: the median over all seats, and the slowest
of a hundred. `deals` says how many deals were played for a state, on average: 1.00 where every deal that was drawn gave
one. `drafts` says how many drafts of what was mixed were begun for it: 1.0 where all are alike, and at least 65 where
they are weighed against each other (redeal.py). `not found` counts the states for which none was found in bounded time.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from msgspec import Struct
from tabulate import tabulate
from wandering import move, wander

from referee.research import Env
from referee.research.resample import TooRare, other_state
from referee.rules.book.presets import PRESETS

DEPTHS = (10, 40, 120, 400)
"""How many moves have been made."""

SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((preset, {}) for preset in PRESETS),
    ("powers", {"black_king_cancels": "drawn"}),
    ("powers", {"decks": 2}),
    ("cactus", {"slap_tries": 3}),
    ("cambio", {"slaps": True}),
)

HASTE = 0.03


class Cost(Struct, kw_only=True):
    """What was measured in one game at one depth."""

    move_us: list[float]
    first_us: list[float]
    clone_us: list[float]
    resample_ms: list[float]
    deals: int = 0
    drafts: int = 0
    too_rare: int = 0

    def row(self) -> list[Any]:
        """The figures as they are printed."""
        a_move = statistics.median(self.move_us)
        slowest = sorted(self.resample_ms)[-1 - len(self.resample_ms) // 100]
        return [
            f"{statistics.median(self.first_us) / a_move:.1f}",
            f"{statistics.median(self.clone_us) / a_move:.1f}",
            f"{statistics.median(self.resample_ms):.2f}",
            f"{slowest:.1f}",
            f"{self.deals / len(self.resample_ms):.2f}",
            f"{self.drafts / len(self.resample_ms):.1f}",
            f"{self.too_rare} of {self.too_rare + len(self.resample_ms)}",
        ]


def measured(preset: str, options: dict[str, Any], depth: int, matches: int) -> Cost:
    """Clones and resampled states of so many matches at this depth, each for every seat."""
    cost = Cost(move_us=[], first_us=[], clone_us=[], resample_ms=[])
    env = Env(preset, rounds=1, **({"limit": "none"} | options)) if "course" not in preset else Env(preset, course=[4])
    for number in range(matches):
        dice = Random(number)  # noqa: S311 - no secret
        env.reset(number)
        wander(env, dice, depth, HASTE)
        if env.seat is None:
            continue
        cost.first_us.append(1e6 * timed(env.clone))
        cost.clone_us.append(1e6 * timed(env.clone))
        for seat in range(env.seats):
            begun = time.process_time()
            try:
                other = other_state(env.game, seat, env.seat, dice)
            except TooRare:
                cost.too_rare += 1
                continue
            cost.resample_ms.append(1e3 * (time.process_time() - begun))
            cost.deals += other.deals
            cost.drafts += other.drafts
        cost.move_us += [1e6 * seconds for seconds in steps(env.clone(), dice)]
    return cost


def steps(env: Env, dice: Random) -> Iterator[float]:
    """The seconds of each of up to twenty steps."""
    for _ in range(20):
        if env.seat is not None:
            number = move(env, dice, HASTE)
            yield timed(lambda: env.step(number))  # noqa: B023 - called at once


def timed(do: Callable[[], object]) -> float:
    """The seconds that it takes, of computing."""
    start = time.process_time()
    do()
    return time.process_time() - start


def table(matches: int, only: list[str]) -> str:
    """The table of all games and depths."""
    rows = []
    for preset, options in SETTINGS:
        if only and preset not in only:
            continue
        for depth in DEPTHS:
            name = " ".join([preset, *(f"{option}={value}" for option, value in options.items())])
            cost = measured(preset, options, depth, matches)
            if cost.resample_ms:
                rows.append([name, depth, *cost.row()])
    heads = ["game", "moves", "first", "again", "resample", "slowest", "deals", "drafts", "not found"]
    return tabulate(rows, heads, disable_numparse=True, tablefmt="github")


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else 40, sys.argv[2:]))
