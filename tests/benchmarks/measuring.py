"""What the benchmarks share: the C programs, a figure with its CPU, and the table that is printed at the end."""

import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from referee.rules.record import Record

SOURCES = Path(__file__).parent / "bots"

COMPILER = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)


class Figure(Struct, frozen=True, kw_only=True):
    """What one way of playing did in one repetition."""

    decisions: int
    seconds: float
    referee_us: float
    """CPU of the referee for all of them, in microseconds."""
    bots_us: float

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds

    @property
    def r(self) -> float:
        """Microseconds of CPU that a decision costs the referee."""
        return self.referee_us / self.decisions

    @property
    def b(self) -> float:
        """Microseconds of CPU that a decision costs the bot."""
        return self.bots_us / self.decisions


class Skipped(Exception):
    """A way that cannot be measured here; the text says why."""


Way = Callable[[], Figure]


def compiled(name: str, folder: Path) -> str:
    """The path of a program of `bots/`, compiled into the folder; raises Skipped without a compiler."""
    if COMPILER is None:
        raise Skipped("there is no C compiler")
    program = folder / name
    if not program.exists():
        subprocess.run([COMPILER, "-O2", "-o", str(program), str(SOURCES / f"{name}.c")], check=True)
    return str(program)


def measured(work: Callable[[], int]) -> Figure:
    """The figure of a piece of work that returns its decisions and has reaped its bots when it does."""
    begun, referee_us, bots_us = time.perf_counter(), cpu_us(resource.RUSAGE_SELF), cpu_us(resource.RUSAGE_CHILDREN)
    decisions = work()
    return Figure(
        decisions=decisions,
        seconds=time.perf_counter() - begun,
        referee_us=cpu_us(resource.RUSAGE_SELF) - referee_us,
        bots_us=cpu_us(resource.RUSAGE_CHILDREN) - bots_us,
    )


def cpu_us(who: int) -> float:
    """Microseconds of CPU so far."""
    usage = resource.getrusage(who)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def decisions(record: Record) -> int:
    """How many requests the bots of a match answered: the lines that they wrote, less a `ready` each."""
    assert not any(seat.faults for seat in record.seats), "an instant bot was at fault"
    return sum(seat.wrote_lines - 1 for seat in record.seats)


def interleaved(
    ways: Mapping[str, Way], repetitions: int, *, uncounted: int = 1
) -> tuple[dict[str, list[Figure]], dict[str, str]]:
    """The figures of every way, which take turns; and why some were skipped; the first rounds do not count."""
    figures: dict[str, list[Figure]] = {}
    skipped: dict[str, str] = {}
    for repetition in range(uncounted + repetitions):
        for name, way in ways.items():
            if name in skipped:
                continue
            try:
                figure = way()
            except Skipped as reason:
                skipped[name] = str(reason)
                continue
            if repetition >= uncounted:
                figures.setdefault(name, []).append(figure)
    return figures, skipped


def median(values: Sequence[float]) -> float:
    """The median; the values of a ratio are paired, each from one repetition."""
    return statistics.median(values)
