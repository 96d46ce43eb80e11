"""How often voids bar a bot: on bad hosts, where nobody may be barred, and beside a bot that voids its own matches.

`python tests/benchmarks/voids.py [RUNS]` simulates so many runs of each kind and prints a line for each.
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path += [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]

from void_runs import Simulated, Voids, attacker, bad_host, simulate, troubled_host

SIZES = ((4, 2, 20), (6, 2, 12), (12, 2, 4), (6, 3, 4))
"""Bots, seats, deals."""

HOSTS: dict[str, Callable[[], Voids]] = {
    "2 % of all attempts void": lambda: bad_host(0.02),
    "10 % of all attempts void": lambda: bad_host(0.1),
    "40 % of all attempts void": lambda: bad_host(0.4),
    "troubles of 5 attempts": lambda: troubled_host(0.02, 5),
    "troubles of 25 attempts": lambda: troubled_host(0.01, 25),
}
ATTACKERS: dict[str, Callable[[], Voids]] = {
    "voids all its matches": lambda: attacker("0"),
    "voids half of its attempts": lambda: attacker("0", share=0.5),
    "voids a fifth, the host 2 % more": lambda: attacker("0", share=0.2, noise=0.02),
}


def main(runs: int) -> None:
    """Print who is barred."""
    for (bots, seats, deals), (name, voids) in ((size, one) for size in SIZES for one in (HOSTS | ATTACKERS).items()):
        done: list[Simulated] = [
            simulate(seed, voids(), bots=bots, seats=seats, deals=deals, jobs=2) for seed in range(runs)
        ]
        barred = Counter(bot for run in done for bot in run.barred)
        others = sum(any(bot != "0" or name in HOSTS for bot in run.barred) for run in done)
        line = (
            f"{bots} bots at tables of {seats}, {deals} deals; {name}: innocent bots barred in {others} of {runs} runs"
        )
        if name in ATTACKERS:
            needed = [run.barred["0"] for run in done if "0" in run.barred]
            left_out = median(run.left_out for run in done)
            line += (
                f"; the culprit in {barred['0']}, after {median(needed or [0]):.0f} voids and {left_out:.0f} matches"
            )
        print(line, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
