"""What it costs a run that its site is kept current meanwhile: matches a minute, slap times, disturbed windows.

    python tests/benchmarks/live_site.py [--repetitions N] [--deals N]

The same tournament of Cactus is played with the site and without it, by turns. Prints medians, and the medians of the
ratios of neighbours; the ratios are what can be compared between machines.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from measuring import median
from msgspec import Struct
from tabulate import tabulate

from referee.rules.record import GivenSlaps, read_record
from referee.tournament.store.store import Store

CONFIG = """
[tournament]
name = "live"
seed = "live"
deals = {deals}
isolation = "limits"

[[variants]]
preset = "cactus"
options = {{ rounds = 2 }}

[[bots]]
builtin = "sharp"
[[bots]]
builtin = "keeper"
[[bots]]
builtin = "greedy"
"""


class Played(Struct, frozen=True, kw_only=True):
    """What became of a run."""

    per_minute: float
    slap_us: float
    """The median of the times of slaps."""
    late_slap_us: float
    """95 of 100 slaps took at most this long."""
    disturbed: float
    """The share of windows whose measurement is in doubt."""
    lag_us: float
    """The median over matches of the longest time in which the referee did not look at its pipes."""
    rest_s: float
    """How long the command took after the last match: the tables, and the last build of the site."""


FIGURES = {
    "per_minute": "matches a minute",
    "slap_us": "slaps, median, us",
    "late_slap_us": "slaps, 95 of 100 within, us",
    "disturbed": "disturbed windows, share",
    "lag_us": "lateness of a match, median, us",
    "rest_s": "from the last match to the end, s",
}


def run(folder: Path, *more: str) -> Played:
    """Play the tournament of this folder anew."""
    command = [sys.executable, "-m", "referee", "tournament", "run.toml", "--fresh", *more]
    begun = last = 0.0
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr or ():
            begun = time.monotonic() if line.startswith("commitment") else begun
            last = time.monotonic() if " matches; leading" in line or " matches, about" in line else last
    ended = time.monotonic()
    slaps: list[float] = []
    windows, disturbed, lags = 0, 0, []
    with closing(Store.open(folder / "run.golfref")) as store:
        ids = store.ids()
        for id_ in ids:
            record = read_record(store.record_of(id_))
            lags.append(record.lag_us)
            for move in record.moves:
                if isinstance(move, GivenSlaps):
                    windows += 1
                    disturbed += bool(move.disturbed)
                    slaps += [one.corrected_us for one in move.reactions if one.corrected_us is not None]
    slaps.sort()
    return Played(
        per_minute=len(ids) / (last - begun) * 60,
        slap_us=median(slaps),
        late_slap_us=slaps[len(slaps) * 95 // 100],
        disturbed=disturbed / windows,
        lag_us=median(lags),
        rest_s=ended - last,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--deals", type=int, default=20)
    given = parser.parse_args()
    plain, live = [], []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "run.toml").write_text(CONFIG.format(deals=given.deals))
        for _ in range(given.repetitions):
            plain.append(run(folder))
            live.append(run(folder, "--site", "site"))
    lines = []
    for name, words in FIGURES.items():
        ours, theirs = ([getattr(one, name) for one in some] for some in (live, plain))
        ratios = [a / b for a, b in zip(ours, theirs, strict=True) if b]
        lines.append([words, f"{median(theirs):.4g}", f"{median(ours):.4g}", f"{median(ratios):.3f}" if ratios else ""])
    print(tabulate(lines, headers=["", "without", "with --site", "ratio"], disable_numparse=True))


if __name__ == "__main__":
    main()
