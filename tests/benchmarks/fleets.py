"""What a cluster costs beside workers of our own, and what one desk, one store and one scheduler can take.

    python tests/benchmarks/fleets.py [--repetitions N] [--only crews|memory|tasks] [--quick] [--folder FOLDER]

crews: the same tournaments by 1, 2 and 4 workers of our own, and by as many hosts of `--cluster local:N` on the same
cores; they take turns, and ratios are of one turn. What starting takes does not count: the time begins when every job
has played a match. CPU is that of all processes together, so that it tells something on a busy machine too. Stores lie
in FOLDER as below.

memory: a desk hands out a plan of a million matches in bundles, a plain function stands for the bots, and a store keeps
all results. The store lies in FOLDER (default: a new one in /dev/shm, so that the disk is not what is measured).

tasks: how many tasks with the bytes of an order and of a report go through a Dask scheduler in a second.
"""

import argparse
import asyncio
import contextlib
import os
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import trio
from measuring import Skipped, compiled, decisions, median
from msgspec import Struct
from msgspec.structs import replace
from tabulate import tabulate

from referee.cluster.where import Where
from referee.commands.opening import open_store, prepare
from referee.rules.record import Record
from referee.tournament.config.config import load
from referee.tournament.orders import Bundle, Order, Played
from referee.tournament.plan.fixture import Fixture
from referee.tournament.plan.rounds import End, Round
from referee.tournament.results import Result
from referee.tournament.run.desk import Desk
from referee.tournament.store.disk import locked
from referee.tournament.store.hosts import Host

if TYPE_CHECKING:
    from referee.cluster.hall import Hall

JOBS_EACH = 2
"""How many matches each worker plays at a time."""

CREW = """
[tournament]
name = "clusters"
seed = "clusters"
seats = 3
deals = {deals}
isolation = "limits"

[time]
start_s = 60.0
move_s = 60.0
bank_s = 80000.0

[[variants]]
preset = "six-card"
options = {{ rounds = {rounds}, limit = "none" }}
"""
SHIPPED = """
[[bots]]
name = "{name}"
builtin = "{name}"
"""
INSTANT = """
[[bots]]
name = "instant{number}"
command = ["{bot}", "--no-table"]
"""

PLAN = """
[tournament]
name = "a million"
seed = "a million"
seats = 4
deals = {deals}
lineups = 1000

[[variants]]
preset = "six-card"

[[variants]]
preset = "cactus"
"""
BUILTIN = """
[[bots]]
name = "bot {number:02d}"
builtin = "random"
"""
BOTS, PER_DEAL = 60, 2 * 4 * 1000
"""How many bots there are, and how many matches a deal has."""

RECORD_BYTES = 100
"""How long a packed record is: short, so that a million fit. What it holds is never read."""

OUT = 256
"""How many bundles are out at a time: two for each of 128 jobs."""


class Silent:
    """Nobody watches."""

    def begun(self, fixture: Fixture) -> None: ...

    def finished(self, result: Result) -> None: ...

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None: ...

    def barred(self, why: str) -> None: ...

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None: ...


class Crewed(Struct, frozen=True, kw_only=True):
    """What a tournament came to once every job had played a match."""

    matches: int
    decisions: float
    seconds: float
    cpu_s: float
    """Of all processes: the desk, the workers, the bots, and what is Dask's."""

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of CPU for a match."""
        return 1000 * self.cpu_s / self.matches


# Crews


class Clocked(Silent):
    """Notes the time and the CPU when every job has played a match, and when the last one has ended."""

    def __init__(self, first: int, last: int) -> None:
        self._counts, self._ended = (first, last), 0
        self.times: list[float] = []
        self.cpu_s: list[float] = []

    def finished(self, _: Result) -> None:
        self._ended += 1
        if self._ended in self._counts:
            self.times.append(time.perf_counter())
            self.cpu_s.append(tree_cpu_s(os.getpid()))


def tree_cpu_s(pid: int) -> float:
    """The CPU that a process, all below it, and all that have ended there have used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        tasks = [Path(f"/proc/{pid}/task/{task}/children").read_text() for task in os.listdir(f"/proc/{pid}/task")]
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    own_s = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own_s + sum(tree_cpu_s(int(child)) for task in tasks for child in task.split())


def played(config: str, count: int, *, on_dask: bool, folder: Path) -> Crewed:
    """Play a tournament by so many workers. Raises Skipped without Dask."""
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder)))
        (place / "crew.toml").write_text(config)
        prepared = prepare(load(place / "crew.toml"), place / "crew.golfref", fresh=False, may_change=False)
        lock = stack.enter_context(locked(prepared.path))
        store = stack.enter_context(contextlib.closing(open_store(prepared, lock)))
        total, first = len(prepared.run(store, Silent()).plan), JOBS_EACH * count
        clocked = Clocked(first, total)
        run = replace(prepared.run(store, clocked), jobs=first, workers=count)
        if on_dask:
            run = replace(run, cluster=stack.enter_context(local_hall(count)))
        run.play(lambda: None)
        records = (msgspec.json.decode(store.record(number), type=Record) for number in store.numbers())
        made = sum(map(decisions, records)) * (total - first) / total
    return Crewed(
        matches=total - first,
        decisions=made,
        seconds=clocked.times[1] - clocked.times[0],
        cpu_s=clocked.cpu_s[1] - clocked.cpu_s[0],
    )


def local_hall(count: int) -> "Hall":
    """A cluster of so many hosts on this machine. Raises Skipped where Dask is not installed."""
    try:
        from referee.cluster.hall import Hall
    except ImportError:
        raise Skipped("`pip install golfref[cluster]` brings what this needs") from None
    return Hall(Where(local=count), jobs=JOBS_EACH, workers=1, tell=lambda _: None)


def tournaments(bot: str, *, is_quick: bool) -> dict[str, str]:
    """By what their bots are, the configs of the tournaments that are played."""
    instant = "".join(INSTANT.format(number=number, bot=bot) for number in range(3))
    shipped = "".join(SHIPPED.format(name=name) for name in ("random", "greedy", "keeper"))
    return {
        "C, 1 round": CREW.format(deals=4 if is_quick else 400, rounds=1) + instant,
        "C, 9 rounds": CREW.format(deals=4 if is_quick else 50, rounds=2 if is_quick else 9) + instant,
        "Python, 9 rounds": CREW.format(deals=2 if is_quick else 40, rounds=1 if is_quick else 9) + shipped,
    }


def crews(repetitions: int, place: Path | None, *, is_quick: bool) -> None:
    """Measure and print."""
    figures: dict[tuple[str, int], list[tuple[Crewed, Crewed]]] = {}
    with tempfile.TemporaryDirectory(dir=place or "/dev/shm") as folder:
        configs = tournaments(compiled("instant", Path(folder)), is_quick=is_quick)
        for repetition in range(repetitions):
            for count in (1,) if is_quick else (1, 2, 4):
                for name, config in configs.items():
                    ways = [played(config, count, on_dask=bool(one), folder=Path(folder)) for one in _turns(repetition)]
                    own, dask = ways if repetition % 2 == 0 else reversed(ways)
                    figures.setdefault((name, count), []).append((own, dask))
    lines = []
    for (name, count), pairs in figures.items():
        by_time = [dask.rate / own.rate for own, dask in pairs]
        by_cpu = [own.cpu_ms / dask.cpu_ms for own, dask in pairs]
        rates = [f"{median([pair[which].rate for pair in pairs]):,.0f}" for which in (0, 1)]
        cpu = [f"{median([pair[which].cpu_ms for pair in pairs]):.1f}" for which in (0, 1)]
        lines.append([name, count, *rates, _spread(by_time), *cpu, _spread(by_cpu)])
    print(f"medians of {repetitions}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    headers = [
        "bots, matches", "workers", "own, decisions/s", "dask, decisions/s", "ratio (at least 0.95)",
        "own, ms of CPU a match", "dask, ms of CPU a match", "ratio of CPU",
    ]  # fmt: skip
    print(tabulate(lines, headers=headers, disable_numparse=True))


def _turns(repetition: int) -> tuple[int, int]:
    """Which way comes first: that of our own workers, 0, or that of Dask, 1."""
    return (0, 1) if repetition % 2 == 0 else (1, 0)


def _spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


# A million matches


def outcome(bundle: Bundle, record: bytes) -> list[Played]:
    """What a plain function makes of a bundle: the cards say who wins."""
    return [_played(order, record) for order in bundle.orders]


def _played(order: Order, record: bytes) -> Played:
    fixture, bots = order.fixture, tuple(bot.name for bot in order.setup.bots)
    luck = [sha256(fixture.deal_key + bot.encode()).digest() for bot in bots]
    ranks = tuple(sorted(luck).index(one) + 1 for one in luck)
    result = Result(
        number=fixture.number,
        variant=fixture.variant,
        block=fixture.block,
        deal=fixture.deal,
        rotation=fixture.rotation,
        redeals=fixture.redeals,
        bots=bots,
        totals=ranks,
        ranks=ranks,
        rounds=1,
        forfeited=(False,) * len(bots),
        faults=({},) * len(bots),
        late_slaps=(0,) * len(bots),
    )
    return Played(result=result, hash=sha256(fixture.deal_key).hexdigest(), record=record)


def memory_mb() -> float:
    """How much memory this process has in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(place: Path | None, counts: list[int]) -> None:
    """Hand a plan out, measure at these counts of matches, and print."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place or "/dev/shm")))
        config = folder / "million.toml"
        text = PLAN.format(deals=-(-counts[-1] // PER_DEAL))
        config.write_text(text + "".join(BUILTIN.format(number=number) for number in range(BOTS)))
        lines: list[list[str]] = []
        path = folder / "million.golfref"
        record = zlib.compress(os.urandom(RECORD_BYTES))
        before = memory_mb()
        prepared = prepare(load(config), path, fresh=False, may_change=False)
        lock = stack.enter_context(locked(path))
        store = stack.enter_context(contextlib.closing(open_store(prepared, lock)))
        host = store.note_host(Host(name="here", golfref="0", protocol="1", host="here"))
        desk = prepared.run(store, Silent()).desk(by_block=True)
        desk.hosts_are(["here"])
        begun = time.perf_counter()

        def tell(done: int, last: float) -> None:
            now = time.perf_counter()
            size = sum(one.stat().st_size for one in folder.iterdir()) / 1e6
            since = lines[-1][0].replace(",", "") if lines else "0"
            rate = (done - int(since)) / (now - last)
            lines.append([f"{done:,}", f"{memory_mb():.0f}", f"{size:.0f}", f"{rate:,.0f}"])

        trio.run(_hand_out, desk, counts, record, host, tell)
        seconds = time.perf_counter() - begun
    print(f"{before:.0f} MB before; {seconds:.0f} s in all; {OUT} bundles out at a time\n")
    print(tabulate(lines, headers=["matches", "memory, MB", "store, MB", "matches/s"], disable_numparse=True))


async def _hand_out(
    desk: Desk, counts: list[int], record: bytes, host: int, tell: Callable[[int, float], None]
) -> None:
    out: list[Bundle] = []
    done, left, last = 0, list(counts), time.perf_counter()
    while left:
        while len(out) < OUT:
            bundle = None
            with trio.move_on_after(0):
                bundle = await desk.next_bundle()
            if bundle is None:
                break
            out.append(bundle)
        if not out:
            break
        bundle = out.pop(0)
        desk.report_bundle(bundle.id, outcome(bundle, record), host)
        done += len(bundle.orders)
        if done >= left[0]:
            tell(done, last)
            del left[0]
            last = time.perf_counter()
        await trio.lowlevel.checkpoint()
    if left:
        tell(done, last)


# Tasks


def echo(order: bytes, size: int) -> bytes:
    """In place of a match: bytes of an order come in, those of a report go out."""
    return order[:1] * size


def tasks(count: int, workers: int) -> None:
    """Send tasks through a scheduler with so many workers, and print how many went through in a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            asyncio.run(_tasks(count, workers))
        except ImportError:
            print("tasks: skipped: `pip install golfref[cluster]` brings what this needs")


async def _tasks(count: int, workers: int) -> None:
    from distributed import Client, LocalCluster

    order = os.urandom(6000)
    async with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, asynchronous=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        Client(cluster, asynchronous=True) as client,
    ):
        scheduler: Any = cluster.scheduler

        async def one(number: int) -> None:
            async with room:
                future = client.submit(echo, order, 6000, key=f"task-{number}", pure=False)
                await future
                future.release()

        room = asyncio.Semaphore(16 * workers)
        await asyncio.gather(*(one(number) for number in range(10 * workers)))
        begun, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(one(10**6 + number) for number in range(count)))
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
        _ = scheduler
    print(
        f"{count} tasks by {workers} workers: {count / seconds:,.0f} a second; "
        f"scheduler and client together, in one process: {1000 * cpu / count:.2f} ms of CPU a task"
    )


def parts(given: argparse.Namespace) -> Iterator[tuple[str, Callable[[], None]]]:
    """What can be measured."""
    counts = [200, 400] if given.quick else [10_000, 100_000, 1_000_000][: 3 if given.matches is None else None]
    if given.matches is not None:
        counts = [one for one in counts if one < given.matches] + [given.matches]
    yield "crews", lambda: crews(given.repetitions, given.folder, is_quick=given.quick)
    yield "memory", lambda: memory(given.folder, counts)
    yield "tasks", lambda: tasks(20 if given.quick else 3000, 1 if given.quick else 2)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only", choices=["crews", "memory", "tasks"])
    parser.add_argument("--quick", action="store_true", help="tiny counts, to see that it works")
    parser.add_argument("--matches", type=int, help="how many matches are handed out; default: a million")
    parser.add_argument("--folder", type=Path, help="where stores lie; default: /dev/shm")
    given = parser.parse_args()
    for name, measure in parts(given):
        if given.only in (None, name):
            print(f"\n{name}\n")
            measure()


if __name__ == "__main__":
    main()
