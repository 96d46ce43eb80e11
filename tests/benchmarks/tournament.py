"""What users feel: whole runs through the command line, with the bots' CPU and the referee's by part.

    pip install '.[bench]' && python tests/benchmarks/tournament.py [--full] [--only WORD] [--quick] [--repetitions N]
        [--old FOLDER] [--lines N] [--fastchess PATH] [--c-chess-cli PATH] [--cutechess PATH]

A run is `golfref tournament CONFIG` with four bots at a table: shipped ones (keeper; greedy and random), one in Python
and others in C that answer at once. Its name tells the bots, the game, the isolation and the number of matches, and
`reuse` where processes play more than one match. By default a few runs are played; with --full those of all games, all
levels, with `reuse` and without, of 36 and 1,000 matches, which takes hours.

The efficiency of a run is the CPU of its bots as a part of what all cores had to give while it went on. Nothing else
may run on the machine meanwhile. With --old the same runs are also played by the golfref of another checkout, in turns,
and ratios are the medians of new to old. A tournament manager that is given plays games of C programs beside a whole
tournament of golfref, with as many games at a time.

The CPU of the referee is what its processes used, to the microsecond; sampler.py tells its parts apart, by samples of
4 ms or less, and costs about one part in a hundred itself. The CPU of the bots is all that the kernel had counted for
the processes of the run when they had been reaped, less the referee's: nothing that ends early is lost. It holds some
other things too: the shell that watches over each process of the referee (some ms in all), the programs that put a bot
into its cell, and the last milliseconds of a worker, when its interpreter has ended.

The parts: `own start`, until the first match is handed out; `workers' start` until they play, with their end; `bots'
start` and `end`; `watching` over their limits, ten times a second; `loop`, what trio needs to choose who goes on;
`pump`, with its system calls; `telling`, what bots are told and what they mean; `rules`; `races`, the slap windows;
`store`, with the making of records; `orders`, what a run and its workers say; `tables`, and progress bars.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from beside import TINY, Scale, beside
from measuring import Skipped
from msgspec import Struct
from rivals import MANAGERS
from sampler import BOTS_END, BOTS_START, PARTS
from tabulate import tabulate
from whole_runs import CREWS, INSTANT, ROOT, ROUNDS, SHIPPED, Case, Run, bot_start_s, cores, programs, run

USUAL = (
    Case(crew="keeper", preset="six-card"),
    Case(crew="keeper", preset="powers"),
    Case(crew="keeper", preset="cactus"),
    Case(crew="greedy", preset="six-card"),
    Case(crew="greedy", preset="cactus"),
    Case(crew="python", preset="six-card"),
    Case(crew="python", preset="six-card", isolation="none"),
    Case(crew="python", preset="six-card", isolation="bwrap"),
    Case(crew="python", preset="six-card", reuse="tournament"),
    Case(crew="C", preset="six-card"),
    Case(crew="C", preset="six-card", matches=1000),
    Case(crew="slapper", preset="cactus"),
)
"""The runs that are played by default."""

FULL = tuple(
    Case(crew=crew, preset=preset, isolation=isolation, reuse=reuse, matches=matches)
    for crew in CREWS
    for preset in ("six-card", "powers", "cactus")
    if (crew, preset) in ROUNDS
    for isolation in ("none", "limits", "bwrap")
    for reuse in ("match", "tournament")
    for matches in (36, 1000)
)

HALF = 0.5
"""What Cactus is to make of the decisions a second of six-card."""

REFEREE = "referee's CPU"

COMPARED: dict[str, Callable[[Run], float]] = {
    "wall": lambda run: run.wall_s,
    REFEREE: lambda run: run.referee,
    "efficiency": lambda run: run.efficiency,
    "decisions/s": lambda run: run.rate,
}
"""What is compared with another checkout."""


class Played(Struct, frozen=True, kw_only=True):
    """The repetitions of a run."""

    case: Case
    runs: list[Run]
    old: list[Run]
    """Those of the other checkout, in the same order; empty where there is none."""
    start_s: float
    """The CPU that a bot needs to start."""

    def middle(self, of: Callable[[Run], float]) -> float:
        """The median of a figure."""
        return median(map(of, self.runs))


def aim_of(case: Case) -> float | None:
    """The efficiency that a run is to reach, where its games leave the cores to the bots."""
    if case.crew == "keeper" and case.preset != "cactus":
        return 0.85
    return 0.6 if case.crew in INSTANT and case.preset != "cactus" else None


def runs_table(played: Sequence[Played]) -> str:
    """What each run did and cost."""
    lines = []
    for one in played:
        aim, efficiency = aim_of(one.case), one.middle(COMPARED["efficiency"])
        lines.append(
            [
                one.case.name,
                f"{one.middle(COMPARED['wall']):.2f}",
                f"{one.runs[0].decisions}",
                f"{one.middle(COMPARED['decisions/s']):.0f}",
                f"{one.middle(lambda run: run.bots_s):.2f}",
                f"{one.middle(COMPARED[REFEREE]):.2f}",
                f"{one.middle(lambda run: 1e6 * run.referee / run.decisions):.0f}",
                f"{efficiency:.2f}",
                "" if aim is None else f"at least {aim:g}",
                "" if aim is None else _yes(efficiency >= aim),
            ]
        )
    headers = ["", "wall s", "decisions", "/s", "bots s", "referee s", "us each", "efficiency", "aim", ""]
    return _table(headers, lines)


def parts_table(played: Sequence[Played]) -> str:
    """The seconds of the referee's CPU by part."""
    lines = [
        [one.case.name, *(f"{median([run.referee_s[part] for run in one.runs]):.2f}" for part in PARTS)]
        for one in played
    ]
    return _table(["referee's CPU, s", *PARTS], lines)


def starts_table(played: Sequence[Played]) -> str:
    """What it costs to start bots and to end them."""
    lines = []
    for one in played:
        starts = one.runs[0].starts
        costs_ms = 1e3 * one.middle(lambda run: run.referee_s[BOTS_START] + run.referee_s[BOTS_END]) / starts
        share = one.start_s * starts / one.middle(lambda run: run.bots_s)
        lines.append([one.case.name, f"{starts}", f"{costs_ms:.2f}", f"{1e3 * one.start_s:.1f}", f"{share:.0%}"])
    return _table(["", "starts", "referee, ms each", "bot, ms each", "of the bots' CPU"], lines)


def compared_table(played: Sequence[Played]) -> str:
    """New to old."""
    lines = []
    for one in played:
        if one.old:
            pairs = list(zip(one.runs, one.old, strict=True))
            ratios = ([of(new) / of(old) for new, old in pairs] for of in COMPARED.values())
            lines.append([one.case.name, *(f"{median(some):.2f} ({min(some):.2f}-{max(some):.2f})" for some in ratios)])
    return _table(["new to old", *COMPARED], lines)


def halves(played: Sequence[Played]) -> str:
    """Whether Cactus with shipped bots makes half of the decisions a second that six-card makes."""
    rates = {(one.case.crew, one.case.preset): one.middle(lambda run: run.rate) for one in reversed(played)}
    lines = [
        [f"{crew}: Cactus to six-card", f"{ratio:.2f}", f"at least {HALF:g}", _yes(ratio >= HALF)]
        for crew in SHIPPED
        if (crew, "cactus") in rates and (crew, "six-card") in rates
        for ratio in [rates[crew, "cactus"] / rates[crew, "six-card"]]
    ]
    return _table(["decisions/s", "ratio", "aim", ""], lines)


def functions_table(played: Played, lines: int) -> str:
    """Where most of the referee's CPU went in the first of the runs."""
    run = played.runs[0]
    most = sorted(run.functions.items(), key=lambda item: -item[1])[:lines]
    rows = [[f"{seconds / run.referee:.1%}", f"{seconds:.3f}", *name.split("\t")] for name, seconds in most]
    return tabulate(rows, headers=["share", "s", played.case.name, ""], disable_numparse=True)


def _yes(reached: bool) -> str:
    return "yes" if reached else "no"


def _table(headers: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    align = ("left", *("right" for _ in headers[1:]))
    return tabulate(lines, headers=headers, colalign=align if lines else None, disable_numparse=True)


def repeated(case: Case, folder: Path, given: argparse.Namespace) -> Played:
    """Play a run as often as is asked, in turns with the other checkout. Raises Skipped."""
    one = Played(case=case, runs=[], old=[], start_s=bot_start_s(case, folder))
    ways = [(one.runs, ROOT)] + ([] if given.old is None else [(one.old, given.old.resolve())])
    for repetition in range(given.repetitions):
        for runs, checkout in ways if repetition % 2 == 0 else ways[::-1]:
            runs.append(run(case, folder, checkout, quick=given.quick))
    print(f"{case.name}: {one.runs[-1].wall_s:.1f} s", file=sys.stderr, flush=True)
    return one


def measured(given: argparse.Namespace, managers: Mapping[str, str], folder: Path) -> tuple[list[str], dict[str, str]]:
    """The tables of all that was asked for, and why some was not measured. Raises Skipped without a compiler."""
    programs(folder)
    played: list[Played] = []
    skipped: dict[str, str] = {}
    for case in FULL if given.full else USUAL:
        if given.only in case.name:
            try:
                played.append(repeated(case, folder, given))
            except Skipped as reason:
                skipped[case.name] = str(reason)
    tables = [runs_table(played), parts_table(played), starts_table(played), halves(played)] if played else []
    if played and given.old is not None:
        tables.append(compared_table(played))
    if given.lines:
        tables += [functions_table(one, given.lines) for one in played]
    if managers:
        scale = TINY if given.quick else Scale()
        table, why = beside(folder, managers, cores=cores(), repetitions=given.repetitions, scale=scale)
        tables.append(table)
        skipped |= why
    return tables, skipped


def main() -> None:
    """Play, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="all runs: hours")
    parser.add_argument("--only", default="", help="only runs whose name holds this word")
    parser.add_argument("--quick", action="store_true", help="tiny runs: that everything runs, not how fast")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--old", metavar="FOLDER", type=Path, help="another checkout to compare with")
    parser.add_argument("--lines", type=int, default=0, help="how many functions to tell of each run")
    for name in MANAGERS:
        parser.add_argument(f"--{name}", metavar="PATH", help="a tournament manager to compare with")
    given = parser.parse_args()
    managers = {name: path for name in MANAGERS if (path := vars(given)[name.replace("-", "_")])}
    with tempfile.TemporaryDirectory() as folder:
        try:
            tables, skipped = measured(given, managers, Path(folder))
        except Skipped as reason:
            sys.exit(f"nothing was measured: {reason}")
    print("\n\n".join([f"{cores()} cores; medians of {given.repetitions}", *tables]))
    for name, why in skipped.items():
        print(f"\nnot measured: {name}: {why}")


if __name__ == "__main__":
    main()
