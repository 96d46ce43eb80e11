"""Two worker processes beside one: whole tournaments through the command line, less what starting them takes."""

import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import msgspec
from measuring import Figure, Skipped, decisions
from msgspec.structs import replace

from referee.rules.record import Record
from referee.tournament.store.store import Store

CONFIG = """
[tournament]
name = "crews"
seats = 3
deals = {deals}
jobs = {jobs}
isolation = "limits"
{workers}

[time]
start_s = 60.0
move_s = 60.0
bank_s = 80000.0

[[variants]]
preset = "six-card"
options = {{ rounds = {rounds}, limit = "none" }}
"""

BOT = """
[[bots]]
name = "instant{number}"
command = ["{bot}", "--no-table"]
"""


def crew(bot: str, *, workers: int, deals: int, rounds: int, jobs: int = 8) -> Figure:
    """A tournament with so many workers; the time of the same with one round is taken off. Its CPU is not told apart.

    Raises Skipped where the config knows no `workers`.
    """
    whole = tournament(bot, workers=workers, deals=deals, rounds=rounds, jobs=jobs)
    least = tournament(bot, workers=workers, deals=deals, rounds=1, jobs=jobs)
    return replace(whole, decisions=whole.decisions - least.decisions, seconds=whole.seconds - least.seconds)


def tournament(bot: str, *, workers: int, deals: int, rounds: int, jobs: int) -> Figure:
    """A tournament as a whole. Its CPU is not told apart. Raises Skipped as `crew` does."""
    with tempfile.TemporaryDirectory() as folder:
        config, path = Path(folder, "crews.toml"), Path(folder, "crews.golfref")
        text = CONFIG.format(deals=deals, jobs=jobs, workers=f"workers = {workers}", rounds=rounds)
        config.write_text(text + "".join(BOT.format(number=number, bot=bot) for number in range(3)))
        command = [sys.executable, "-m", "referee", "tournament", str(config), "--store", str(path)]
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - begun
        if done.returncode == 2 and "workers: unknown key" in done.stderr:
            raise Skipped("this golfref knows no `workers`")
        if done.returncode != 0:
            raise Skipped(f"the tournament failed: {done.stderr[-500:]}")
        with closing(Store.open(path)) as store:
            records = (msgspec.json.decode(store.record(id_), type=Record) for id_ in store.ids())
            return Figure(decisions=sum(map(decisions, records)), seconds=seconds, referee_us=0, bots_us=0)
