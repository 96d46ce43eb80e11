"""What 100,000 matches cost: a commit, the standings, going on; and how long sixty bots take to plan.

    python tests/benchmarks/scale.py [--matches N] [--repetitions N] [--keep FOLDER]

The stores hold real records, those of a few matches that are played first, under all the matches of a plan but the
last. Commits are compared with those into a store of 100 matches; the commands are measured as a whole, Python's start
included, and all take turns. With --keep the stores are made in a folder that stays, and used again if they are there
(1 GB).
"""

import argparse
import contextlib
import itertools
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
from measuring import median
from msgspec.structs import replace
from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from simulated import World, chance, names, played

from protocol import VERSION
from referee import __version__
from referee.play.match import host_line, play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.rules.record import Record
from referee.tournament.config.config import Config, load
from referee.tournament.config.planned import MatchIdentities, whole_deals_of
from referee.tournament.orders import Played, result_of
from referee.tournament.plan.deals import PlannedVariant, WholeDeals
from referee.tournament.plan.keys import commitment, master_key
from referee.tournament.plan.plan import Plan
from referee.tournament.store.disk import locked
from referee.tournament.store.rows import Meta
from referee.tournament.store.store import Store
from referee.tournament.tally import Tally

SAMPLES = 6
"""Matches that are played for their records."""

COMMITS = 50

SMALL = 100
"""Matches in the store that a commit is compared with."""

BOTS = 10
PER_DEAL = 720
"""How many matches a deal has: 120 line-ups of three, in three seats, in two games."""

CONFIG = """
[tournament]
name = "scale"
seed = "scale"
seats = 3
deals = {deals}
isolation = "limits"

[time]
start_s = 60.0
move_s = 60.0

[[variants]]
preset = "six-card"

[[variants]]
preset = "six-card-knock"
"""

BOT = """
[[bots]]
name = "bot {number}"
command = ["sh", "-c", "date +%s.%N >>'{log}'; exec '{python}' bot.py"]
dir = "bot"
"""
"""It notes when it is started, and plays as the shipped `random` does."""

SHIPPED = Path(__file__).parents[2] / "bots" / "random" / "bot.py"


def config_in(folder: Path, matches: int) -> Path:
    """The config of a tournament of about so many matches, in a folder of its own."""
    place = folder / f"{matches}"
    (place / "bot").mkdir(parents=True, exist_ok=True)
    (place / "bot" / "bot.py").write_bytes(SHIPPED.read_bytes())
    text = CONFIG.format(deals=-(-matches // PER_DEAL))
    for number in range(BOTS):
        text += BOT.format(number=number, log=place / "log", python=sys.executable)
    config = place / "scale.toml"
    config.write_text(text)
    return config


def sample(config: Config, plan: Plan) -> list[Record]:
    """The records of the first matches."""
    records: list[Record] = []

    async def work(pump: Pump) -> None:
        for number in range(SAMPLES):
            records.append(await play(pump, config.session_setup.match_setup(plan[number])))

    run_session([work])
    return records


def fabricate(path: Path, matches: int | None = None) -> Path:
    """A store beside the config with all matches of its plan but the last, or only the first `matches`."""
    store_path = path.with_suffix(".golfref")
    if store_path.exists():
        return store_path
    config = load(path)
    run_config, key = config.run_config(), master_key(config.seed)
    plan, terms = Plan(whole_deals_of([run_config], key)), MatchIdentities(run_config)
    meta = Meta(
        golfref=__version__,
        protocol=VERSION,
        host=host_line(),
        config=run_config,
        master_key=key.hex(),
        commitment=commitment(key),
        matches=len(plan),
    )
    kept = [(record, _kept(record)) for record in sample(config, plan)]

    with (
        locked(store_path) as lock,
        contextlib.closing(Store.create(store_path, meta, lock)) as store,
        store.together(),
    ):
        for number, (record, (hash_, blob)) in zip(
            range(matches or len(plan) - 1), itertools.cycle(kept), strict=False
        ):
            planned_match = plan[number]
            who = terms.identity(planned_match)
            result = replace(result_of(planned_match, record), bots=who.bots)
            store.commit(Played(result=result, hash=hash_, record=blob), who)
    return store_path


def _kept(record: Record) -> tuple[str, bytes]:
    """Hash and content of a record as the store keeps them."""
    data = msgspec.json.encode(record)
    return sha256(data).hexdigest(), zlib.compress(data, 6)


def commit_us(path: Path) -> float:
    """Microseconds of a commit into this store; the matches are taken away again."""
    with locked(path) as lock, contextlib.closing(Store.open(path, lock=lock)) as store:
        first = store.ids()[0]
        row, record = store.match(first), zlib.compress(store.record(first), 6)
        begun = time.perf_counter()
        for number in range(10_000_000, 10_000_000 + COMMITS):
            result = replace(row.result, number=number)
            store.commit(Played(result=result, hash=row.hash, record=record), row.identity)
        seconds = time.perf_counter() - begun
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for table in ("journal", "records", "places"):
            connection.execute(f"DELETE FROM {table} WHERE id > (SELECT max(id) - {COMMITS} FROM {table})")  # noqa: S608
    return seconds / COMMITS * 1e6


def command_s(*words: str) -> float:
    """Seconds that a command of golfref takes; ends this program where it fails."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "referee", *words]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return time.perf_counter() - begun


def going_on_s(config: Path, store: Path) -> float:
    """Seconds from the command line to the start of the bots of the match that is missing; it is taken away again."""
    log = config.with_name("log")
    log.unlink(missing_ok=True)
    begun = time.time()
    command_s("tournament", str(config))
    # Every bot is started once before anything is played.
    started = sorted(map(float, log.read_text().split()))[BOTS]
    with contextlib.closing(sqlite3.connect(store)) as connection, connection:
        for table in ("journal", "records", "places"):
            connection.execute(f"DELETE FROM {table} WHERE id = (SELECT max(id) FROM {table})")  # noqa: S608
    return started - begun


def planning_s(variants: int) -> float:
    """Seconds to plan sixty bots with 2,000 line-ups in each of so many games."""
    bots = [f"bot {number}" for number in range(60)]
    entries = [PlannedVariant(variant=f"game {number}", seats=3) for number in range(variants)]
    begun = time.perf_counter()
    plan = Plan(WholeDeals(master_key=b"scale", bots=bots, variants=entries, deals=5, lineups=2000))
    _ = plan[len(plan) - 1]
    return time.perf_counter() - begun


def tables_s(seats: int, lineups: int | None, deals: int) -> float:
    """Seconds that the tables of sixty bots take, once their results have been read."""
    bots = names(60)
    plan = Plan(
        WholeDeals(
            master_key=b"scale",
            bots=bots,
            variants=[PlannedVariant(variant="g", seats=seats)],
            deals=deals,
            lineups=lineups,
        )
    )
    world = World(strengths={bot: number / 30 for number, bot in enumerate(bots)})
    results = list(played(plan, bots, world, chance("scale")))
    begun = time.perf_counter()
    tally = Tally()
    for result in results:
        tally.add(result)
    tally.standings("match-points")
    return time.perf_counter() - begun


def measure(folder: Path, matches: int, repetitions: int) -> None:
    """Make what is needed, measure by turns, print."""
    configs = {count: config_in(folder, count) for count in (SMALL, matches)}
    small, config = fabricate(configs[SMALL], SMALL), configs[matches]
    large = fabricate(config)
    of_two, of_four = max(1, matches // 3540), max(1, matches // 4000)
    ways: dict[str, tuple[Callable[[], float], str]] = {
        f"commit into {SMALL} matches, us": (lambda: commit_us(small), ""),
        f"commit into {matches}, us": (lambda: commit_us(large), "as above"),
        f"standings of {matches}, s": (lambda: command_s("standings", str(large)), "5"),
        f"standings --json of {matches}, s": (lambda: command_s("standings", "--json", str(large)), ""),
        f"going on with {matches}, s": (lambda: going_on_s(config, large), "2"),
        "planning 60 bots in 1 game, s": (lambda: planning_s(1), "1"),
        "planning 60 bots in 5 games, s": (lambda: planning_s(5), "1"),
        f"tables of 60 bots, all 1770 pairs x {of_two}, s": (lambda: tables_s(2, None, of_two), "4"),
        f"tables of 60 bots, 1000 tables of 4 x {of_four}, s": (lambda: tables_s(4, 1000, of_four), "4"),
    }
    figures: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repetitions):
        for name, (way, _aim) in ways.items():
            figures[name].append(way())
    lines = [
        [name, f"{median(some):.4g}", f"{min(some):.4g}-{max(some):.4g}", ways[name][1]]
        for name, some in figures.items()
    ]
    print(f"medians of {repetitions}; the store of {matches} has {large.stat().st_size / 1e6:.0f} MB\n")
    print(tabulate(lines, headers=["", "median", "least-greatest", "aim"], disable_numparse=True))
    few, many = (figures[name] for name in list(ways)[:2])
    ratio = median([b / a for a, b in zip(few, many, strict=True)])
    print(f"\na commit into {matches} matches costs {ratio:.2f} of one into {SMALL}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        measure(folder.resolve(), given.matches, given.repetitions)


if __name__ == "__main__":
    main()
