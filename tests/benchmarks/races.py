"""How evenly slaps are timed: windows between bots whose own work is known, at idle, under load and with other matches.

    python tests/benchmarks/races.py [--races N] [--runs K] [--level LEVEL] [--spread] [SCENARIO...]

A scenario is BOT-LOAD: BOT is `c` or `python`, LOAD is `idle`, `foreign` (two loops that take the cores), `matches`
(two more matches). The four bots are identical, then one has
100, then 300 us less to compute; all of it again with broadcast timing. Printed in microseconds: the excess of all
slaps over the bots' own work (p50, p90, p99), p99 of how far identical bots lay behind the quickest; how often the
faster bot had the least time, and was announced first; the probability that identical bots are announced first so
unevenly, by seat and by place in the order of asking; and the share of disturbed windows. With --spread only how many
of the K runs of identical bots were even.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from protocol.messages import SlapTiming
from referee.ending_signals import Interrupted
from referee.play.process import orphans
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.spec import Confinement, Isolation
from referee.trials.races import Outcome, Scenario, Window, raced, summary

SLAPPER = Path(__file__).parent / "bots" / "slapper.c"
BOTS = ("c", "python")
LOADS = ("idle", "foreign", "matches")
FASTER_US = (0, 100, 300)
EVEN = 0.01
"""Chance does not bring about more uneven counts than this more often."""


def played(scenario: Scenario, windows: int) -> Outcome:
    """The outcome of one scenario, in a session of its own."""
    found: list[tuple[list[Window], float]] = []

    async def work(pump: Pump) -> None:
        found.append(await raced(pump, scenario, windows))

    run_session([work])
    ((raced_windows, lateness_ms),) = found
    return summary(raced_windows, scenario, lateness_ms=lateness_ms)


@contextmanager
def running(command: Sequence[str]) -> Iterator[None]:
    """A process beside us that is no bot, and that our sessions do not end."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    orphans.register(process.pid)
    try:
        yield
    finally:
        process.terminate()
        process.wait()
        orphans.unregister(process.pid)


@contextmanager
def loaded(load: str) -> Iterator[None]:
    """The load of a scenario that is no match."""
    with ExitStack() as stack:
        for _ in range(2 if load == "foreign" else 0):
            stack.enter_context(running(["sh", "-c", "while :; do :; done"]))
        yield


def measure(name: str, scenario: Scenario, windows: int) -> Iterator[str]:
    """A line for each way to time and each head start."""
    load = name.partition("-")[2]
    for timing in get_args(SlapTiming):
        for faster_us in FASTER_US:
            one = replace(scenario, faster_us=faster_us, slap_timing=timing, beside=2 if load == "matches" else 0)
            with loaded(load):
                yield f"{name:16}{timing:10}{row(played(one, windows), faster_us)}"


def spread(name: str, scenario: Scenario, windows: int, runs: int) -> str:
    """In how many runs of like bots chance explains who came first: by seat, and by place in the order of asking."""
    load = name.partition("-")[2]
    one = replace(scenario, beside=2 if load == "matches" else 0)
    even = [0, 0]
    for _ in range(runs):
        with loaded(load):
            found = played(one, windows)
        even = [
            many + (chance > EVEN) for many, chance in zip(even, (found.chance_seat, found.chance_place), strict=True)
        ]
    return f"{name}: p above {EVEN:g} by seat in {even[0]}, by place in {even[1]} of {runs} runs of {windows} windows"


HEAD = (
    f"{'':16}{'timing':10}{'faster':>7}{'p50':>7}{'p90':>6}{'p99':>6}{'behind':>8}{'least':>9}{'first':>9}"
    f"{'p seat':>8}{'p asked':>8}{'disturbed':>11}"
)


def row(found: Outcome, faster_us: int) -> str:
    """An outcome as a line of the table."""
    excess = f"{faster_us:7}{found.excess_p50_us:7.0f}{found.excess_p90_us:6.0f}{found.excess_p99_us:6.0f}"
    won = f"{'':8}{100 * found.quickest:7.1f} %{100 * found.announced:7.1f} %{'':16}"
    even = f"{found.behind_p99_us:8.0f}{'':18}{found.chance_seat:8.3f}{found.chance_place:8.3f}"
    return f"{excess}{won if faster_us else even}{100 * found.disturbed / found.windows:9.1f} %"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--races", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--spread", action="store_true", help="only how many runs of like bots were even")
    parser.add_argument("--level", default="bwrap" if shutil.which("bwrap") else "limits", choices=get_args(Isolation))
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    given = parser.parse_args()
    names = given.scenarios or [f"{bot}-{load}" for bot in BOTS for load in LOADS]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        confinement = Confinement(isolation=given.level)
        scenarios = {"python": Scenario(confinement=confinement)}
        if any(name.startswith("c-") for name in names):
            subprocess.run(["cc", "-O2", "-o", f"{folder}/slapper", SLAPPER], check=True)
            scenarios["c"] = Scenario(confinement=confinement, command=("./slapper",), dir=folder)
        if given.spread:
            for name in names:
                print(spread(name, scenarios[name.partition("-")[0]], given.races, given.runs), flush=True)
            return
        print(HEAD)
        for _ in range(given.runs):
            for name in names:
                for text in measure(name, scenarios[name.partition("-")[0]], given.races):
                    print(text, flush=True)


if __name__ == "__main__":
    try:
        main()
    except Interrupted:
        sys.exit(130)
