"""What a slap window costs, by part: the lock, freezing, warming up, the bots' own time, stopping, reading /proc.

    python tests/benchmarks/windows.py [SCENARIO...] [--windows N] [--levels LEVEL...] [--beside N...]

A scenario is BOT-SEATS-LOAD: BOT is `c` or `python`, SEATS how many bots a window asks, LOAD `idle` or `foreign`
(two loops that take the cores). `--beside` is how many more matches are played meanwhile, whose bots must be frozen
too. The bots slap in every window and compute nothing.
Printed are the windows a second, the share of all time in which a window was timed, and for one window in microseconds
of wall time: all of it, what is not the bots' own time, and each part. `own` is the time for which the referee waits
for the answers of bots that may run. A part's time is without that of the parts inside it.
The last columns cut across the parts: what went to looking into /proc, and what was slept.
"""

import argparse
import functools
import inspect
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args
from unittest.mock import patch

import trio
from races import SLAPPER, loaded

from protocol.messages import Clocks, FaultPolicy, GameMessage
from referee.play.match import MatchSetup, play
from referee.play.process import orphans
from referee.play.process.process import BotProcess
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import quiet, race
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.slaps.timer import SlapTimer
from referee.play.spec import Confinement, Isolation
from referee.rules.check_options import with_options
from referee.rules.keyed_streams import bot_seed
from referee.rules.record import GivenSlaps
from referee.trials.races import Scenario, racer

ROUNDS = 40

ALL = "all"
OWN = "own"
PARTS: dict[str, Sequence[tuple[Any, str]]] = {
    ALL: [(SlapTimer, "run")],
    "lock": [(HostLock, "try_acquire"), (HostLock, "release")],
    "awake": [(AwakeCores, "in_window")],
    "rank": [(quiet, "before_all_others")],
    "freeze": [(quiet, "frozen")],
    "still": [(race, "freeze_and_check")],
    "orphans": [(orphans, "end_orphans_now")],
    "warm": [(race, "_warm_up")],
    "line": [(race, "_ask_alone")],
    "run": [(race, "_let_run")],
    OWN: [(race, "_wait")],
    "stop": [(race, "freeze_fully")],
}
"""The functions of each part."""

LOOKS = (
    (BotProcess, "members"),
    (BotProcess, "computed"),
    (BotProcess, "states"),
    (BotProcess, "waits"),
    (race, "stolen_ticks"),
    (race, "_own_wait_ns"),
)
"""What reads /proc."""


class Stopwatch:
    """Wall time by part, each without the parts inside it."""

    def __init__(self) -> None:
        self.spent_ns: Counter[str] = Counter()
        self._parts: list[str] = []
        self._since_ns = 0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """What passes in the block belongs to this part."""
        self._turn()
        self._parts.append(name)
        try:
            yield
        finally:
            self._turn()
            self._parts.pop()

    def _turn(self) -> None:
        now_ns = time.perf_counter_ns()
        if self._parts:
            self.spent_ns[self._parts[-1]] += now_ns - self._since_ns
        self._since_ns = now_ns

    def around(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        """The function, with its time under this name. Of a context manager it is the time to enter and to leave."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*given: Any, **named: Any) -> Any:
                with self.part(name):
                    return await function(*given, **named)

            return awaited
        if inspect.isgeneratorfunction(inspect.unwrap(function)):

            @contextmanager
            def managed(*given: Any, **named: Any) -> Iterator[Any]:
                with ExitStack() as stack:
                    with self.part(name):
                        value = stack.enter_context(function(*given, **named))
                    yield value
                    with self.part(name):
                        stack.close()

            return managed

        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*given, **named)

        return called


@contextmanager
def watched(parts: Stopwatch, looks: Stopwatch) -> Iterator[None]:
    """During the block the parts of windows are timed."""
    with ExitStack() as stack:
        for name, functions in PARTS.items():
            for owner, function in functions:
                stack.enter_context(patch.object(owner, function, parts.around(getattr(owner, function), name)))
        for owner, function in LOOKS:
            stack.enter_context(patch.object(owner, function, looks.around(getattr(owner, function), "/proc")))
        for owner in (quiet,):
            sleeping = SimpleNamespace(**{**vars(time), "sleep": looks.around(time.sleep, "slept")})
            stack.enter_context(patch.object(owner, "time", sleeping))
        yield


def setup(scenario: Scenario, seats: int) -> MatchSetup:
    """A match whose bots slap in every window."""
    return MatchSetup(
        variant=with_options("cactus", {"rounds": ROUNDS, "limit": None}),
        name="cactus",
        bots=tuple(racer(scenario, name=f"bot{seat}", work_us=0) for seat in range(seats)),
        seeds=tuple(bot_seed(b"windows", 0, seat) for seat in range(seats)),
        deal_key=b"windows",
        clocks=Clocks(move_s=10.0, bank_s=1000.0, slap_s=1.0),
        faults=FaultPolicy(strikes=1_000_000),
        confinement=scenario.confinement,
        games=(GameMessage(variant="cactus", name="cactus", seats=seats),),
    )


def measure(scenario: Scenario, seats: int, windows: int) -> dict[str, float]:
    """What this many windows took, in microseconds for each, by part; besides windows a second."""
    parts, looks = Stopwatch(), Stopwatch()
    found = 0
    begun_ns = ended_ns = 0

    async def work(pump: Pump) -> None:
        nonlocal found, begun_ns, ended_ns

        async def play_on() -> None:
            nonlocal found
            while found < windows:
                record = await play(pump, setup(scenario, seats))
                found += sum(isinstance(move, GivenSlaps) for move in record.moves)

        begun_ns = time.perf_counter_ns()
        async with trio.open_nursery() as nursery:
            for _ in range(1 + scenario.beside):
                nursery.start_soon(play_on)
        ended_ns = time.perf_counter_ns()

    with watched(parts, looks):
        run_session([work])
    all_ns = sum(parts.spent_ns.values())
    spent = {"a second": found / ((ended_ns - begun_ns) / 1e9), "share": all_ns / (ended_ns - begun_ns)}
    spent |= {"window": all_ns / found / 1e3, "not own": (all_ns - parts.spent_ns[OWN]) / found / 1e3}
    spent |= {name: parts.spent_ns[name] / found / 1e3 for name in PARTS if name != ALL}
    spent |= {"rest": parts.spent_ns[ALL] / found / 1e3}
    return spent | {name: looks.spent_ns[name] / found / 1e3 for name in ("/proc", "slept")}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--windows", type=int, default=500)
    levels = [level for level in get_args(Isolation) if level != "bwrap" or shutil.which("bwrap")]
    parser.add_argument("--levels", nargs="*", default=levels, choices=levels)
    parser.add_argument("--beside", type=int, nargs="*", default=[0, 3])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    given = parser.parse_args()
    names = given.scenarios or [f"{bot}-{seats}-idle" for bot in ("c", "python") for seats in (2, 4)]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        commands: dict[str, dict[str, Any]] = {"python": {}}
        if any(name.startswith("c-") for name in names):
            subprocess.run(["cc", "-O2", "-o", f"{folder}/slapper", SLAPPER], check=True)
            commands["c"] = {"command": ("./slapper",), "dir": folder}
        has_head = False
        for name in names:
            bot, seats, load = name.split("-")
            for level in given.levels:
                for beside in given.beside:
                    scenario = Scenario(confinement=Confinement(isolation=level), beside=beside, **commands[bot])
                    with loaded(load):
                        found = measure(scenario, int(seats), given.windows)
                    if not has_head:
                        print(f"{'scenario':20}{'':8}{'beside':>6}", *(f"{part:>8}" for part in found))
                        has_head = True
                    print(f"{name:20}{level:8}{beside:6}", *map(_figure, found.values()), flush=True)


def _figure(value: float) -> str:
    return f"{value:8.2f}" if value < 1 else f"{value:8.0f}"


if __name__ == "__main__":
    main()
