"""Whether the memory of a long run is flat: the run and its workers, after the first thousand matches and later.

    python tests/benchmarks/memory.py [MATCHES] [WORKERS]

Real, tiny matches (one round of four turns) between bots that answer at once, whose processes are kept. Printed are
resident megabytes whenever the run says how far it is, and how often the first figure the last one is.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from referee.tournament.run.worker import NAME

FIRST = 1000
"""Matches after which memory is first looked at."""

PAGE_MB = 4096 / 1e6

CONFIG = """
[tournament]
name = "memory"
deals = {deals}
jobs = 4
workers = {workers}
isolation = "none"
reuse = "tournament"
[[variants]]
preset = "four-turns"
options = {{ rounds = 1 }}
"""

BOT = (
    (Path(__file__).parents[1] / "support" / "filler.py").read_text()
    + """
start(table=False)
for request in requests():
    say(answer(request, fill(request["legal"][-1])))
"""
)


def resident_mb(pid: int) -> float:
    """What a process has in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_MB


def workers_of(pid: int) -> list[int]:
    """The worker processes of a run."""
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return [child for child in children if Path(f"/proc/{child}/comm").read_text().rstrip() == NAME]


def looks(folder: Path, matches: int, workers: int) -> Iterator[tuple[int, list[float]]]:
    """Matches that are done, and resident megabytes of the run and of each worker then."""
    bots = "".join(
        f'[[bots]]\nname = "{name}"\ncommand = ["{sys.executable}", "bot.py"]\ndir = "{name}"\n' for name in ("a", "b")
    )
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(BOT)
    (folder / "run.toml").write_text(CONFIG.format(deals=matches // 2, workers=workers) + bots)
    command = [sys.executable, "-m", "referee.cli", "tournament", "run.toml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        for line in run.stderr or ():
            done, slash, _ = line.partition("/")
            if slash and done.isdigit() and FIRST <= int(done) < matches:
                yield int(done), [resident_mb(pid) for pid in (run.pid, *workers_of(run.pid))]


def main() -> None:
    """Run, and print a line for each look."""
    matches, workers = (int(sys.argv[1]) if len(sys.argv) > 1 else 20_000), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        seen = []
        for done, sizes in looks(Path(folder), matches, workers):
            seen.append(sizes)
            rate, run, *others = done / (time.monotonic() - began), *(f"{size:.1f}" for size in sizes)
            print(f"{done} matches: run {run} MB, workers {' '.join(others)} MB, {rate:.0f} matches/s", flush=True)
    first, last = seen[0], seen[-1]
    each = ", ".join(f"{after / before:.2f}" for before, after in zip(first, last, strict=False))
    print(f"last look / first look: {sum(last) / sum(first):.2f} in all; run and workers: {each}")


if __name__ == "__main__":
    main()
