"""What hooks cost a run: matches a minute, slap times, disturbed windows.

    python tests/benchmarks/hooks.py [--repetitions N] [--deals N]

The same tournament of Cactus is played by turns without hooks, with a hook that is quick, with one that uses up every
core, and with one that hangs. Prints medians, and the medians of the ratios of each to the run without; the ratios are
what can be compared between machines.
"""

import argparse
import tempfile
from pathlib import Path

from live_site import CONFIG, FIGURES, Played, run
from measuring import median
from tabulate import tabulate

BURNS = "for core in 1 2 3 4; do while :; do :; done & done; wait"
HOOKS = {
    "without": "",
    "quick": 'on_match = ["true"]\n',
    "burns": f'on_match = ["sh", "-c", "{BURNS}"]\ntimeout_s = 2\n',
    "hangs": 'on_match = ["sleep", "1000"]\ntimeout_s = 2\n',
}
"""By name, what stands in [hooks]. While matches are played, one that burns or hangs does so all the time."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--deals", type=int, default=20)
    given = parser.parse_args()
    played: dict[str, list[Played]] = {name: [] for name in HOOKS}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for _ in range(given.repetitions):
            for name, hooks in HOOKS.items():
                table = f"[hooks]\n{hooks}" if hooks else ""
                (folder / "run.toml").write_text(CONFIG.format(deals=given.deals) + table)
                played[name].append(run(folder))
    lines = []
    for figure, words in FIGURES.items():
        values = {name: [getattr(one, figure) for one in some] for name, some in played.items()}
        line = [words, f"{median(values['without']):.4g}"]
        for name in [*HOOKS][1:]:
            pairs = zip(values[name], values["without"], strict=True)
            ratios = [ours / theirs for ours, theirs in pairs if theirs]
            line.append(f"{median(values[name]):.4g}" + (f" ({median(ratios):.3f})" if ratios else ""))
        lines.append(line)
    print(tabulate(lines, headers=["", *HOOKS], disable_numparse=True))


if __name__ == "__main__":
    main()
