"""Decisions a second with C bots that answer at once, beside other ways to do it, as ratios from one run.

    pip install '.[bench]' && python tests/benchmarks/throughput.py [--repetitions N] [--only WORD] [--quick]
        [--old FOLDER] [--fastchess PATH] [--c-chess-cli PATH] [--cutechess PATH]

The ways take turns; a first turn is not counted. A ratio is the median over the repetitions of the ratios within each,
with the least and the greatest. r and b are the CPU microseconds that a decision costs the referee and the bot; for
two workers on two cores 2r/(r+b) is what they can bring. With --old the referee plays in a process of its own, and so
does that of another checkout. Needs a C compiler.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from crews import crew
from drivers import FLIPS, Programs, bare_c, bare_python, referee, referee_of, setup, trio_streams
from measuring import Figure, Skipped, Way, interleaved, median
from msgspec import Struct
from rivals import MANAGERS, manager, python_chess
from tabulate import tabulate

ROOT = Path(__file__).parents[2]


class Scale(Struct, frozen=True):
    """How much is played in one repetition."""

    rounds: int = 30
    """The rounds of a match; bots that end their rounds soon play ten times as many."""
    exchanges: int = 20_000
    """The exchanges of a bare loop, for each table."""
    moves: int = 2000
    """The moves in python-chess."""
    games: int = 40
    """The games of a tournament manager, for each that it plays at a time."""
    deals: int = 8
    """The deals of a tournament by one or two workers."""


QUICK = Scale(rounds=1, exchanges=200, moves=16, games=2, deals=1)


class Aim(Struct, frozen=True, kw_only=True):
    """A ratio of two ways."""

    title: str
    way: str
    base: str
    goal: float | None
    """What the ratio should reach; None where it is printed for information only."""
    of: Callable[[Figure, Figure], float] = lambda way, base: way.rate / base.rate
    at_most: bool = False


def ways_of(programs: Programs, scale: Scale, managers: Mapping[str, str], old: Path | None) -> dict[str, Way]:
    """Everything that is measured, by name."""
    match = setup(programs.bot, rounds=scale.rounds)
    short = setup(programs.bot, FLIPS, rounds=10 * scale.rounds)
    ways: dict[str, Way] = {}
    for many in (1, 4):
        bare = {"tables": many, "count": many * scale.exchanges}
        ways[f"bare C loop, {many}"] = partial(bare_c, programs.bare, programs.bot, programs.request, **bare)
        ways[f"bare Python loop, {many}"] = partial(bare_python, programs.bot, programs.request, **bare)
        if old is None:
            ways[f"referee, {many}"] = partial(referee, match, many)
        else:
            for name, checkout in ((f"referee, {many}", ROOT), (f"referee, {many}, old", old)):
                ways[name] = partial(referee_of, checkout, programs.bot, rounds=scale.rounds, matches=many)
        ways[f"python-chess, {many}"] = partial(python_chess, programs.engine, games=many, count=scale.moves)
        for name, path in managers.items():
            ways[f"{name}, {many}"] = partial(
                manager, name, path, programs.engine, games=many * scale.games, at_once=many
            )
    ways["referee, 4, short rounds"] = partial(referee, short, 4)
    ways["trio streams, 4"] = partial(trio_streams, match, 4)
    for workers in (1, 2):
        ways[f"tournament, workers = {workers}"] = partial(
            crew, programs.bot, workers=workers, deals=scale.deals, rounds=max(2, scale.rounds // 2)
        )
    return ways


def r_ratio(way: Figure, base: Figure) -> float:
    """What a decision costs the one referee, to what it costs the other."""
    return way.r / base.r


def aims_of(managers: Mapping[str, str]) -> list[Aim]:
    """The ratios that are printed, with the aims of the project."""
    aims = [
        Aim(title="of the bare C loop, 1 match", way="referee, 1", base="bare C loop, 1", goal=0.5),
        Aim(title="of the bare C loop, 4 matches", way="referee, 4", base="bare C loop, 4", goal=0.7),
        Aim(title="... of its single match", way="referee, 4", base="bare C loop, 1", goal=None),
        Aim(title="... with short rounds", way="referee, 4, short rounds", base="bare C loop, 4", goal=None),
    ]
    for many in (1, 4):
        title = f"r to the bare Python loop's, {many}"
        ways = {"way": f"referee, {many}", "base": f"bare Python loop, {many}"}
        aims.append(Aim(title=title, **ways, goal=2.5, of=r_ratio, at_most=True))
        ways = {"way": f"referee, {many}", "base": f"referee, {many}, old"}
        aims.append(Aim(title=f"r to the old referee's, {many}", **ways, goal=0.5, of=r_ratio, at_most=True))
    aims.append(Aim(title="to stock trio streams, 4 matches", way="referee, 4", base="trio streams, 4", goal=1.8))
    for name, goal in {"python-chess": 8.0, "fastchess": 3.0, "c-chess-cli": 1.0, "cutechess": None}.items():
        if name == "python-chess" or name in managers:
            aims += [
                Aim(title=f"to {name}, {many} at a time", way=f"referee, {many}", base=f"{name}, {many}", goal=goal)
                for many in (1, 4)
            ]
    return aims


def crew_ratios(figures: Mapping[str, Sequence[Figure]]) -> list[float]:
    """What two workers bring, as a part of what they can bring, 2r / (r + b)."""
    one, two = figures.get("tournament, workers = 1", ()), figures.get("tournament, workers = 2", ())
    return [
        (double.rate / single.rate) / (2 * alone.r / (alone.r + alone.b))
        for single, double, alone in zip(one, two, figures.get("referee, 4", ()), strict=False)
    ]


def figures_table(figures: Mapping[str, Sequence[Figure]]) -> str:
    """What was measured: medians."""
    lines = [
        [
            name,
            f"{median([one.rate for one in some]):.0f}",
            *(f"{cost:.1f}" if (cost := median(costs)) else "" for costs in ([o.r for o in some], [o.b for o in some])),
        ]
        for name, some in figures.items()
    ]
    align = ("left", "right", "right", "right")
    return tabulate(lines, headers=["", "decisions/s", "r us", "b us"], colalign=align, disable_numparse=True)


def ratios_table(figures: Mapping[str, Sequence[Figure]], aims: Sequence[Aim]) -> str:
    """The ratios beside the aims."""
    lines = [
        _ratio(aim.title, [aim.of(*pair) for pair in zip(figures[aim.way], figures[aim.base], strict=True)], aim)
        for aim in aims
        if aim.way in figures and aim.base in figures
    ]
    if two := crew_ratios(figures):
        lines.append(_ratio("two workers, of 2r/(r+b)", two, Aim(title="", way="", base="", goal=0.85)))
    align = ("left", "right", "right", "right", "left")
    headers = ["", "ratio", "least-greatest", "aim", ""]
    return tabulate(lines, headers=headers, colalign=align, disable_numparse=True)


def _ratio(title: str, ratios: Sequence[float], aim: Aim) -> list[str]:
    middle = median(ratios)
    spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
    if aim.goal is None:
        return [title, f"{middle:.2f}", spread, "", ""]
    reached = middle <= aim.goal if aim.at_most else middle >= aim.goal
    wanted = f"{'at most' if aim.at_most else 'at least'} {aim.goal:g}"
    return [title, f"{middle:.2f}", spread, wanted, "yes" if reached else "no"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", default="", help="measure only ways whose name holds this word, and `referee`")
    parser.add_argument("--quick", action="store_true", help="tiny counts: that everything runs, not how fast")
    parser.add_argument("--old", metavar="FOLDER", type=Path, help="another checkout, whose referee is measured too")
    for name in MANAGERS:
        parser.add_argument(f"--{name}", metavar="PATH", help=f"measure this {name} too")
    given = vars(parser.parse_args())
    managers = {name: path for name in MANAGERS if (path := given[name.replace("-", "_")])}
    repetitions, uncounted = (1, 0) if given["quick"] else (given["repetitions"], 1)
    with tempfile.TemporaryDirectory() as folder:
        try:
            programs = Programs(Path(folder))
        except Skipped as reason:
            sys.exit(f"nothing was measured: {reason}")
        ways = ways_of(programs, QUICK if given["quick"] else Scale(), managers, given["old"])
        chosen = {name: way for name, way in ways.items() if given["only"] in name or name.startswith("referee")}
        figures, skipped = interleaved(chosen, repetitions, uncounted=uncounted)
    print(f"medians of {repetitions}; six-card, 3 seats, requests of about {len(programs.request)} bytes\n")
    print(figures_table(figures), ratios_table(figures, aims_of(managers)), sep="\n\n")
    for name, why in skipped.items():
        print(f"\nnot measured: {name}: {why}")


if __name__ == "__main__":
    main()
