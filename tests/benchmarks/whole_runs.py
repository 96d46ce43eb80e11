"""Whole runs through the command line, for tournament.py: what is played, and what one run cost."""

import functools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import msgspec
from measuring import SOURCES, Skipped, compiled, cpu_us
from msgspec import Struct
from sampler import KILLED, PARTS, TABLES

from protocol.codec import encode
from protocol.messages import Limits
from referee.play.spec import BUILTIN, builtin_bot
from referee.play.talk import script
from referee.tournament.store.store import Store

ROOT = Path(__file__).parents[2]

SEATS = 4

CONFIG = """
[tournament]
name = "whole"
seed = "whole"
seats = {seats}
deals = {deals}
isolation = "{isolation}"
reuse = "{reuse}"

[time]
start_s = 60.0
move_s = 60.0
bank_s = 80000.0

[[variants]]
preset = "{preset}"
options = {{ rounds = {rounds}, limit = "none" }}
"""

CREWS: dict[str, tuple[str, ...]] = {
    "keeper": ("builtin:keeper",),
    "greedy": ("builtin:greedy", "builtin:random"),
    "python": (f"{sys.executable} instant.py",),
    "C": ("./instant --no-table",),
    "slapper": ("./slapper 0",),
}
"""The bots of a table, which take turns until all seats are taken."""

INSTANT = ("greedy", "python")
"""The crews of bots in Python that answer at once."""

SHIPPED = ("keeper", "greedy")

ROUNDS = {
    ("keeper", "six-card"): 9, ("keeper", "powers"): 1, ("keeper", "cactus"): 4,
    ("greedy", "six-card"): 9, ("greedy", "powers"): 4, ("greedy", "cactus"): 12,
    ("python", "six-card"): 1, ("python", "powers"): 1, ("python", "cactus"): 3,
    ("C", "six-card"): 3, ("C", "powers"): 3, ("C", "cactus"): 9,
    ("slapper", "cactus"): 4,
}  # fmt: skip
"""By crew and game, the rounds of a match among 36, so that such a run takes some seconds."""

MANY_ROUNDS = 1
"""The rounds of a match among 1,000."""


class Case(Struct, frozen=True, kw_only=True):
    """A run."""

    crew: str
    preset: str
    isolation: str = "limits"
    reuse: str = "match"
    matches: int = 36

    @property
    def name(self) -> str:
        """What it is called in tables, and what --only looks at."""
        return f"{self.crew}, {self.preset}, {self.isolation}, {self.matches}" + ", reuse" * (self.reuse != "match")


class Run(Struct, frozen=True, kw_only=True):
    """What a run did and cost; CPU and times in seconds."""

    wall_s: float
    decisions: int
    matches: int
    starts: int
    """How many processes of bots were started."""
    bots_s: float
    referee_s: dict[str, float]
    """By part."""
    functions: dict[str, float]
    """By part and function, with a tab between."""

    @property
    def rate(self) -> float:
        """Decisions a second."""
        return self.decisions / self.wall_s

    @property
    def referee(self) -> float:
        """The CPU of all processes of the referee."""
        return sum(self.referee_s.values())

    @property
    def efficiency(self) -> float:
        """The CPU of the bots, as a part of what the cores had to give."""
        return self.bots_s / (cores() * self.wall_s)


class _Seat(Struct, frozen=True):
    wrote_lines: int
    matches_before: int = 0
    faults: dict[str, int] = {}
    stderr: str = ""


class _Record(Struct, frozen=True):
    seats: tuple[_Seat, ...]


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


def programs(folder: Path) -> None:
    """Put the bots that are not shipped into `bots` below the folder. Raises Skipped without a compiler."""
    place = folder / "bots"
    place.mkdir()
    for path in (folder, place):
        path.chmod(0o755)
    shutil.copy(SOURCES / "instant.py", place)
    for name in ("instant", "slapper"):
        compiled(name, place)


def config_of(case: Case, *, quick: bool) -> str:
    """The config of a run; with `quick` of a tiny one."""
    rounds = ROUNDS[case.crew, case.preset] if case.matches < 1000 else MANY_ROUNDS
    config = CONFIG.format(
        seats=SEATS,
        deals=1 if quick else case.matches // SEATS,
        isolation=case.isolation,
        reuse=case.reuse,
        preset=case.preset,
        rounds=1 if quick else rounds,
    )
    return config + "".join(f'\n[[bots]]\nname = "bot{seat}"\n{_bot(case, seat)}\n' for seat in range(SEATS))


def _bot(case: Case, seat: int) -> str:
    """The lines of a [[bots]] table that say what is started."""
    words = _words(case, seat)
    if words[0].startswith(BUILTIN):
        return f'builtin = "{words[0].removeprefix(BUILTIN)}"'
    return f'command = {json.dumps(words)}\ndir = "bots"'


def _words(case: Case, seat: int) -> list[str]:
    crew = CREWS[case.crew]
    return crew[seat % len(crew)].split()


def run(case: Case, folder: Path, checkout: Path = ROOT, *, quick: bool = False) -> Run:
    """Play a run with the golfref of a checkout, in a folder that has the `programs`. Raises Skipped where it fails."""
    (folder / "whole.toml").write_text(config_of(case, quick=quick))
    with tempfile.TemporaryDirectory() as place:
        sampled = Path(place)
        shutil.copy(Path(__file__).with_name("sampler.py"), sampled / "sitecustomize.py")
        env = {**os.environ, "PYTHONPATH": f"{sampled}{os.pathsep}{checkout}"} | _bytecode(folder, checkout)
        command = [sys.executable, "-m", "referee", "tournament", "whole.toml", "--fresh"]
        with tempfile.TemporaryFile("w+") as said:
            begun = time.perf_counter()
            process = subprocess.Popen(command, cwd=folder, env=env, stdout=said, stderr=said)
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            wall_s = time.perf_counter() - begun
            own_s = _cpu_s(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            told = said.read()
            if process.returncode != 0:
                raise Skipped(f"golfref ended with {process.returncode}: {told[-500:]}")
        functions = _sampled(sampled, process.pid, own_s)
        killed_s = functions.pop(KILLED, 0.0)
    parts = dict.fromkeys(PARTS, 0.0)
    for name, seconds in functions.items():
        parts[name.partition("\t")[0]] += seconds
    with closing(Store.open(folder / "whole.golfref")) as store:
        seats = [seat for id_ in store.ids() for seat in msgspec.json.decode(store.record(id_), type=_Record).seats]
    if faults := [f"{seat.faults} {seat.stderr}" for seat in seats if seat.faults]:
        raise Skipped(f"bots were at fault: {faults[0]}; {told[-500:]}")
    starts = sum(seat.matches_before == 0 for seat in seats)
    return Run(
        wall_s=wall_s,
        decisions=sum(seat.wrote_lines for seat in seats) - starts,
        matches=len(seats) // SEATS,
        starts=starts + SEATS,
        bots_s=usage.ru_utime + usage.ru_stime + killed_s - sum(functions.values()),
        referee_s=parts,
        functions=functions,
    )


@functools.cache
def _bytecode(folder: Path, checkout: Path) -> dict[str, str]:
    """The variables by which Python finds a checkout compiled, as whoever installs golfref has it."""
    env = {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    places = [str(checkout / name) for name in ("protocol", "referee")]
    subprocess.run([sys.executable, "-m", "compileall", "-q", *places], env=os.environ | env, check=True)
    # And what it imports: an import leaves it there.
    imports = "import referee.commands.tournament.command, scipy.stats, scipy.optimize"
    path = {"PYTHONPATH": str(checkout)}
    subprocess.run([sys.executable, "-P", "-c", imports], env=os.environ | env | path, check=True)
    return env


def _cpu_s(pid: int) -> float:
    """The CPU of a process itself, which may have ended but has not been reaped: see clock_getcpuclockid(3)."""
    return time.clock_gettime(~pid << 3 | 2)


def _sampled(folder: Path, main_pid: int, main_s: float) -> dict[str, float]:
    """What the samplers have written: by part and function the seconds. What the main process used later is added."""
    found: Counter[str] = Counter()
    for path in folder.glob("*.names"):
        names = path.read_text().splitlines()
        sums = memoryview(path.with_suffix(".sums").read_bytes()).cast("Q")
        own = {name: ns / 1e9 for name, ns in zip(names, sums, strict=False)}
        if path.stem == str(main_pid):
            own[f"{TABLES}\tthe end"] = (
                own.get(f"{TABLES}\tthe end", 0.0) + main_s - sum(own.values()) + own.get(KILLED, 0.0)
            )
        found.update(own)
    return dict(found)


def bot_start_s(case: Case, folder: Path, starts: int = 3) -> float:
    """The CPU that it costs a bot of this run to start, to say `ready` and to end: the mean, without any isolation."""
    hello = encode(script.hello((), Limits()))
    before = cpu_us(resource.RUSAGE_CHILDREN)
    for seat in range(SEATS):
        words = _words(case, seat)
        command = builtin_bot(words[0].removeprefix(BUILTIN)).command if words[0].startswith(BUILTIN) else words
        for _ in range(starts):
            subprocess.run(command, input=hello, cwd=folder / "bots", stdout=subprocess.DEVNULL, check=True)
    return (cpu_us(resource.RUSAGE_CHILDREN) - before) / 1e6 / (SEATS * starts)
