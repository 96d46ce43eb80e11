"""Runs in several workers, through the command line: the same results, whoever dies, and nothing left behind."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
import trio
from commands import PATIENCE_S, golfref
from measured import unmeasured_document
from quick import FILLER, QUICK
from trio.testing import MockClock

from protocol.messages import Clocks
from referee.commands.interrupt import FINISHING
from referee.play.process.limit_watch import MOST_FORGIVEN
from referee.play.pump.pump import Pump
from referee.tournament.orders import SessionSetup
from referee.tournament.store.store import Store
from referee.tournament.workers.crew import Crew, CrewSource
from referee.tournament.workers.worker import NAME, Pipes

SETTINGS = """
[tournament]
name = "run"
seed = "abc"
deals = {deals}
[time]
start_s = 60.0
move_s = 600.0
bank_s = 600.0
slap_s = {slap_s}
[[variants]]
preset = "six-card"
options = {{ rounds = 1 }}
"""
LOTTERY = """
[[variants]]
preset = "cactus"
seats = 3
options = { rounds = 1, slap_order = "lottery" }
"""
CACTUS = """
[[variants]]
preset = "cactus"
seats = 3
options = { rounds = 1 }
"""
BOT = '[[bots]]\nname = "{name}"\n{how}\nenv = {{ {env} }}\n'

WAITS = (
    FILLER
    + """
gate = open("gate", "rb", buffering=0)
start()
for request in requests():
    note("notes")
    gate.read(1)
    say(right(request))
"""
)
"""Notes, by a byte in a named pipe, that it is asked, and answers once there is a byte for it in another one."""

TELLS = (
    FILLER
    + """
print(os.getppid(), file=sys.stderr, flush=True)
start()
for request in requests():
    say(right(request, "pass"))
"""
)
"""Writes which process has started it, and never slaps."""


class Folder:
    """A folder with a tournament in it, of bots that carry the mark."""

    def __init__(self, path: Path, mark: dict[str, str]) -> None:
        self.path, self._mark = path, mark
        path.mkdir(exist_ok=True)
        for name in ("notes", "gate"):
            os.mkfifo(path / name)
        self._notes, self._gate = (os.open(path / name, os.O_RDWR) for name in ("notes", "gate"))

    def close(self) -> None:
        os.close(self._notes)
        os.close(self._gate)

    def write(self, *, deals: int = 1, slap_s: float = 60.0, more: str = "", script: str = "") -> None:
        env = ", ".join(f'{name} = "{value}"' for name, value in self._mark.items())
        (self.path / "bot.py").write_text(script)
        own = 'builtin = "random"' if more else QUICK
        how = f'command = ["{sys.executable}", "bot.py"]' if script else own
        bots = "".join(BOT.format(name=name, how=how, env=env) for name in ("ann", "bea", "cid"))
        settings = SETTINGS.format(deals=deals, slap_s=slap_s)
        (self.path / "run.toml").write_text(settings + more + bots)

    def start(self, *words: str, before: str = "") -> "subprocess.Popen[str]":
        """A golfref command, after some code of ours."""
        code = f"{before}\nfrom referee.commands import main\nmain()"
        return subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=self.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def await_matches(self, number: int) -> None:
        """Wait until so many more are in the middle: the first question asks both bots at once."""
        for _ in range(2 * number):
            ready, _, _ = select.select([self._notes], [], [], PATIENCE_S)
            assert ready, "the bots do not get that far"
            os.read(self._notes, 1)

    def let_all_go_on(self) -> None:
        """Bots wait no longer, now or later: there are more bytes than they are asked questions."""
        os.write(self._gate, b"." * 10_000)

    def results(self, *words: str) -> Any:
        """Play to the end, verify, and return the document without what is measured, or may befall a run."""
        document = json.loads(golfref("tournament", "run.toml", "--json", *words, cwd=self.path)[0])
        assert "all holds" in golfref("verify", "run.golfref", cwd=self.path)[0]
        return unmeasured_document(document, "digest", "lateness", "voided", "void_reasons")


def ended(process: "subprocess.Popen[str]", *, code: int) -> tuple[str, str]:
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, out + said
    assert "Traceback" not in said
    return out, said


@pytest.fixture
def make_folder(tmp_path: Path, mark: dict[str, str]) -> Iterator[Callable[[str], Folder]]:
    made: list[Folder] = []

    def make(name: str) -> Folder:
        made.append(Folder(tmp_path / name, mark))
        return made[-1]

    yield make
    for folder in made:
        folder.close()


@pytest.fixture
def folder(make_folder: Callable[[str], Folder]) -> Folder:
    return make_folder("run")


def workers_of(run: "subprocess.Popen[str]") -> list[int]:
    """The worker processes of a run, in the order in which they were started."""
    found = []
    for pid in map(int, Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()):
        try:
            if Path(f"/proc/{pid}/comm").read_text().rstrip() == NAME:
                found.append(pid)
        except OSError:  # it is gone by now
            continue
    return found


def strike(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def wait_for_end_of(pids: list[int]) -> None:
    for pid in pids:
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        assert select.select([fd], [], [], PATIENCE_S)[0], f"process {pid} is still there"
        os.close(fd)


def test_results_do_not_depend_on_workers_and_jobs_or_on_what_lies_in_the_current_folder(
    make_folder: Callable[[str], Folder],
) -> None:
    """Deterministic bots, no timed slaps: the same seed gives the same schedule, deals, bots' seeds and results."""
    alone, crowd = make_folder("alone"), make_folder("crowd")
    for folder in (alone, crowd):
        folder.write(more=LOTTERY)
    (crowd.path / "referee").mkdir()
    for name in ("referee/__init__.py", "protocol.py", "trio.py", "struct.py"):
        (crowd.path / name).write_text("raise SystemExit('not this one')")
    words = ("tournament", "run.toml", "--workers", "3", "--jobs", "4", "--seed", "abc")
    _, said = ended(crowd.start(*words, before="import sys; sys.path.pop(0)"), code=0)
    assert "4 matches at a time in 3 workers" in said
    assert "its worker" not in said
    results = crowd.results()
    assert results == alone.results("--workers", "1", "--jobs", "1")
    assert results["matches"] == 9


def test_games_with_timed_slaps_are_played_last_and_by_one_worker(make_folder: Callable[[str], Folder]) -> None:
    """And come to the same as with one match at a time. All others have ended by then, so that no bot disturbs it."""
    alone, crowd = make_folder("alone"), make_folder("crowd")
    for folder in (alone, crowd):
        folder.write(deals=2, more=CACTUS, script=TELLS)
    _, said = ended(crowd.start("tournament", "run.toml", "--workers", "2", "--jobs", "2"), code=0)
    assert "2 matches at a time in 2 workers, then in 1 for games with timed slaps" in said
    starters: dict[str, set[str]] = {"six-card": set(), "cactus": set()}
    with closing(Store.open(crowd.path / "run.golfref")) as store:
        played = [msgspec.json.decode(store.record(row.id)) for row in store.matches() if row.number is not None]
    for record in played:
        starters[record["name"]].update(seat["stderr"] for seat in record["seats"])
    assert [record["name"] for record in played] == sorted((record["name"] for record in played), reverse=True)
    assert [len(starters[name]) for name in ("six-card", "cactus")] == [2, 1]
    assert not starters["six-card"] & starters["cactus"]
    assert crowd.results() == alone.results("--workers", "1", "--jobs", "1")


def test_a_killed_worker_voids_what_it_was_playing_and_nothing_else(
    make_folder: Callable[[str], Folder], marked: Callable[[], dict[int, str]]
) -> None:
    """Not what it was to play next. The match is played again with the same cards, and all come to the same."""
    words = ("--workers", "2", "--jobs", "2")
    struck, calm = make_folder("struck"), make_folder("calm")
    for folder in (struck, calm):
        folder.write(script=WAITS)
    run = struck.start("tournament", "run.toml", *words)
    struck.await_matches(2)
    strike(workers_of(run)[0], signal.SIGKILL)
    struck.await_matches(1)
    assert len(workers_of(run)) == 2
    struck.let_all_go_on()
    _, said = ended(run, code=0)
    assert [line.partition(" is void ")[2] for line in said.splitlines() if " is void " in line] == [
        "(attempt 1), no bot's fault: its worker was killed by signal 9"
    ]
    assert not marked()

    calm.let_all_go_on()
    results, undisturbed = (folder.results(*words)["results"] for folder in (struck, calm))
    assert results == undisturbed


def test_signals_are_for_the_run_alone(folder: Folder) -> None:
    folder.write(script=WAITS)
    run = folder.start("tournament", "run.toml", "--workers", "2", "--jobs", "2")
    folder.await_matches(2)
    workers = workers_of(run)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for pid in workers:
            strike(pid, number)
    assert workers_of(run) == workers
    run.send_signal(signal.SIGINT)
    assert run.stderr is not None
    assert any(FINISHING in line for line in run.stderr), "matches do not end: a second one ends all at once"
    run.send_signal(signal.SIGINT)
    _, said = ended(run, code=130)
    assert said.splitlines()[-1].startswith("interrupted: 0 of 6 matches are stored; go on with: golfref tournament")
    assert "its worker" not in said


def test_a_killed_run_takes_workers_and_bots_with_it(
    folder: Folder, marked: Callable[[], dict[int, str]], until_gone: Callable[[], None]
) -> None:
    """This includes the bots of the next matches, which are frozen and cannot see that their input ends."""
    folder.write(deals=2, script=WAITS)
    run = folder.start("tournament", "run.toml", "--workers", "2", "--jobs", "2")
    folder.await_matches(2)
    workers = workers_of(run)
    assert len(workers) == 2
    end = time.monotonic() + PATIENCE_S
    while len(marked()) < 8:  # a match that is played and one that is started, of two bots each, in both workers
        assert time.monotonic() < end
        select.select([], [], [], 0.01)
    run.kill()
    run.communicate(timeout=PATIENCE_S)
    wait_for_end_of(workers)
    until_gone()


@pytest.mark.full  # it waits until a worker counts as hung
def test_a_worker_that_hangs_is_replaced(folder: Folder, marked: Callable[[], dict[int, str]]) -> None:
    folder.write(slap_s=0.025, script=WAITS)
    quick = "from referee.tournament.workers import crew; crew.LONGEST_SILENCE_S = 5.0"
    run = folder.start("tournament", "run.toml", "--workers", "2", "--jobs", "2", before=quick)
    folder.await_matches(2)
    strike(workers_of(run)[0], signal.SIGSTOP)
    folder.await_matches(1)
    run.send_signal(signal.SIGTERM)
    _, said = ended(run, code=130)
    assert "its worker hangs: nothing was heard of it for 6.1 s" in said
    assert not marked()


def test_a_worker_that_times_slaps_does_not_hang_however_long_each_of_them_takes() -> None:
    """Each bot takes as long as one that waits for a core and then says nothing; then the other tasks get a step."""
    slap_s, silence_s = 60.0, 0.0
    clock = MockClock()
    (orders, ordering), (told, reports) = os.pipe(), os.pipe()
    os.set_blocking(told, False)

    async def main() -> None:
        nonlocal silence_s
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Pipes(orders, reports).send_heartbeats, cast(Pump, None))
            heard = trio.current_time()
            for _ in range(200):
                clock.jump((MOST_FORGIVEN + 1) * slap_s)
                await trio.lowlevel.checkpoint()
                with contextlib.suppress(BlockingIOError):
                    os.read(told, 4096)
                    silence_s, heard = max(silence_s, trio.current_time() - heard), trio.current_time()
            nursery.cancel_scope.cancel()

    trio.run(main, clock=clock)
    os.close(ordering)
    os.close(told)
    setup = cast(SessionSetup, SimpleNamespace(clocks=Clocks(slap_s=slap_s)))
    assert 0 < silence_s < Crew(setup, cast(CrewSource, None), jobs=1, workers=1)._patience_s


LOST_AFTER_A_MATCH = '''
import trio
from referee.tournament.workers import crew

crew.START = """
import os, sys
sys.path.insert(0, sys.argv[1])
from referee.tournament.orders import Played
from referee.tournament.workers.worker import Pipes, main

tell = Pipes.report

async def report(pipes, what):
    await tell(pipes, what)
    if isinstance(what, Played):
        os._exit(5)

Pipes.report = report
main(sys.argv[2:])
"""
crew.END_PATIENCE_S = 0.5
send, ordered = crew.Worker.send, set()

async def send_later(worker, message, patience_s):
    if isinstance(message, crew.Job):
        if worker in ordered:
            await worker._wait(None)
        ordered.add(worker)
    await send(worker, message, patience_s)

crew.Worker.send = send_later
'''


def test_what_a_lost_worker_had_played_counts(folder: Folder) -> None:
    """Each is lost after its first match, and the next order comes only then, before anything of it was read."""
    folder.write()
    run = folder.start("tournament", "run.toml", "--workers", "2", "--jobs", "2", before=LOST_AFTER_A_MATCH)
    _, said = ended(run, code=0)
    assert "6/6 matches" in said
    assert "its worker" not in said


NO_DESCRIPTORS = """
from types import SimpleNamespace
from referee.tournament.workers import crew

def full(*_):
    raise OSError(24, "Too many open files")

"""


def test_where_there_are_no_descriptors_left_for_another_worker_the_run_gives_up(folder: Folder) -> None:
    folder.write()
    before = f"{NO_DESCRIPTORS}crew.os = SimpleNamespace(pipe=lambda: full(0), close=crew.os.close)"
    _, said = ended(folder.start("tournament", "run.toml", "--workers", "2", "--jobs", "2", before=before), code=3)
    assert "golfref: the host cannot start another worker: Too many open files; 0 of 6 matches are stored" in said


DIES = "from referee.tournament.workers import crew; crew.START = 'raise SystemExit(7)'"


def test_where_no_worker_lives_the_run_gives_up(folder: Folder) -> None:
    folder.write()
    run = folder.start("tournament", "run.toml", "--workers", "2", "--jobs", "2", before=DIES)
    _, said = ended(run, code=3)
    assert said.splitlines()[-1] == (
        "golfref: more than 10 workers died one after another; the last one ended with code 7; "
        "0 of 6 matches are stored; go on with: golfref tournament run.toml --jobs 2 --workers 2"
    )
