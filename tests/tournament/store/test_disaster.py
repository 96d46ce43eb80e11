"""What befalls a host: kills at any moment, full disks, places where nothing can be written, faults of the referee.

Nothing that was committed is lost, the message says what to do, and the same command goes on to the same results.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import GOLFREF, PATIENCE_S, golfref
from in_store import go_on, history_findings
from needs import need_bubblewrap
from quick import QUICK

from referee.tournament.config.config import load
from referee.tournament.config.run_config import RunConfig
from referee.tournament.store.amend import amendment
from referee.tournament.store.disk import SIDE_FILES, locked
from referee.tournament.store.rows import Amended, HostLeftOut
from referee.tournament.store.store import Store
from referee.tournament.verify.run import check_store

RUN = ("tournament", "run.toml")


def config(folder: Path, mark: dict[str, str], *, deals: int = 4, bots: str = "ann bea cid") -> Path:
    """A folder with a tournament of deterministic bots, which carry the mark."""
    folder.mkdir(exist_ok=True)
    env = ", ".join(f'{name} = "{value}"' for name, value in mark.items())
    text = "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n"
    text += f'[tournament]\nname = "run"\nseed = "abc"\njobs = 2\ndeals = {deals}\nrotations = "fresh"\n'
    text += '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'
    text += "".join(f'[[bots]]\n{QUICK}\nname = "{name}"\nenv = {{ {env} }}\n' for name in bots.split())
    (folder / "run.toml").write_text(text)
    return folder


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*GOLFREF, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )


def results(folder: Path) -> Any:
    """What the run comes to, once it is complete, and all of it holds."""
    out, _ = golfref(*RUN, "--json", cwd=folder)
    assert check_store(folder / "run.golfref").findings == ()
    assert not [path.name for path in folder.iterdir() if path.name.startswith("run.golfref.")], (
        "one plain file is left"
    )
    return json.loads(out)


def strike(process: "subprocess.Popen[str]", number: signal.Signals, after_s: float) -> None:
    """Send a signal after some time, to strike anywhere; or the process has ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=after_s)
    process.send_signal(number)


@pytest.mark.full  # it interrupts a run many times
@pytest.mark.timeout(300)
def test_a_run_that_is_interrupted_at_any_moment_says_so_and_goes_on(
    tmp_path: Path, mark: dict[str, str], marked: Callable[[], dict[int, str]]
) -> None:
    """After its first words and while bots are greeted, between that and the play, during it, and at the end."""
    folder, dice = config(tmp_path, mark), Random(5)  # noqa: S311
    moments = [(word, 0.0) for word in ("run: 3", "isolation", "commitment")]
    moments += [("run: 3", dice.uniform(0.0, 1.0)) for _ in range(2)] + [("24/24 matches", 0.0)]
    for turn, (word, after_s) in enumerate(moments):
        with start(folder, *RUN) as process:
            assert process.stderr is not None
            said = [next((line for line in process.stderr if word in line), "")]
            strike(process, (signal.SIGINT, signal.SIGTERM)[turn % 2], after_s)
            said += process.stderr.readlines()
        assert not marked()
        assert "Traceback" not in "".join(said)
        if process.returncode != 0:
            assert process.returncode == 130, said
            assert said[-1].startswith("interrupted"), said
            assert "nothing was played" in said[-1] or "go on with: golfref tournament run.toml" in said[-1]
            assert not [name for name in os.listdir(folder) if name.endswith((*SIDE_FILES, ".new", ".lock"))]
    assert results(folder)["matches"] == 24


WHILE_A_THREAD_STARTS = """
import os, signal, threading

start_thread, may_begin = threading._start_new_thread, threading.Lock()
may_begin.acquire()

def interrupted(begin, given):
    def later():
        with may_begin: begin(*given)
    number = start_thread(later, ())
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        may_begin.release()
    return number

def start(thread):
    threading._start_new_thread = interrupted
    begin(thread)

begin, threading.Timer.start = threading.Timer.start, start

from referee.commands import main
main()
"""
"""Ctrl-C while the thread that tells how a run goes is started, but has not begun yet."""


@pytest.mark.full  # it happened once
def test_an_interruption_while_the_progress_begins_to_be_told(tmp_path: Path, mark: dict[str, str]) -> None:
    """Torn out of its start, the thread that tells it would end in a traceback of its own."""
    folder = config(tmp_path, mark)
    done = subprocess.run(
        [sys.executable, "-c", WHILE_A_THREAD_STARTS, *RUN], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1].startswith("interrupted: 0 of 24 matches are stored; go on with: golfref ")


def test_an_amendment_is_done_or_not_done_wherever_it_is_killed(tmp_path: Path) -> None:
    folder = config(tmp_path / "run", {}, deals=1)
    go_on(folder)
    config(folder, {}, deals=1, bots="ann bea dan")
    seen = []
    for statement in (1, 8, 9, 10, 11, 13, 14, 99):
        path = Path(shutil.copy(folder / "run.golfref", tmp_path / f"{statement}.golfref"))
        child = os.fork()
        if child == 0:
            amend_until(path, load(folder / "run.toml").run_config(), statement)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in (0, -signal.SIGKILL)
        with closing(Store.open(path)) as store:
            assert history_findings(store) == []
            seen.append((code == 0, len([*store.rows(Amended)]), len(store.numbers()), len([*store.retired()])))
    assert set(seen) == {(False, 0, 6, 0), (True, 1, 2, 4)}


def amend_until(path: Path, config: RunConfig, left: int) -> None:
    """Amend the run, and be killed at this statement."""

    def count(_: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with locked(path) as lock, closing(Store.open(path, lock=lock)) as store:
        found = amendment(store, config)
        store._connection.set_trace_callback(count)
        store.amend(found.row, found.places_by)


# Full disks, and places where nothing can be written


def bwrap(*words: str) -> list[str]:
    """A command in a mount namespace of its own; the test is left out where there can be none."""
    need_bubblewrap()
    return ["bwrap", "--dev-bind", "/", "/", *words]


def in_sh(script: str, *mounts: str) -> str:
    """Run a script in the namespace with these mounts; returns all that was said."""
    done = subprocess.run(
        bwrap(*mounts, "sh", "-ec", f'golfref() {{ {sys.executable} -m referee "$@"; }}\n{script}'),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Traceback" not in said, said
    return said


@pytest.mark.parametrize("room_kb", [pytest.param(50, marks=pytest.mark.full), 140])
def test_a_full_disk(tmp_path: Path, mark: dict[str, str], room_kb: int) -> None:
    """Whichever step it strikes: the lock, the beginning, a commit, the tidying up."""
    folder, disk = config(tmp_path / "run", mark), tmp_path / "disk"
    disk.mkdir()
    said = in_sh(
        f"""
        golfref_run() {{ golfref tournament {folder}/run.toml --workers 1 --store run.golfref > out; }}
        cd {disk}
        head -c {2_000_000 - 1024 * room_kb} /dev/zero > filler || true
        code=0; golfref_run || code=$?
        test $code = 3
        rm filler
        golfref_run
        cp run.golfref {folder}
        """,
        *("--size", "2000000", "--tmpfs", str(disk)),
    )
    assert "full" in said or "No space left" in said
    assert "run the same command again" in said or "make room, or name another place with --store FILE" in said
    assert results(folder)["matches"] == 24


def test_a_run_can_be_read_and_not_be_played_where_nothing_can_be_written(tmp_path: Path) -> None:
    folder = config(tmp_path / "run", {}, deals=1)
    go_on(folder, matches=2)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = in_sh(
        f"cd {folder}; golfref standings run.golfref; golfref tournament run.toml || test $? = 2",
        *("--ro-bind", str(folder), str(folder)),
    )
    assert "of 6 matches" in said
    assert "run.golfref: cannot write here: Read-only file system; name another place with --store FILE" in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_killed_run_can_be_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    """With all that SQLite left beside it; without its index, there is a clear word instead."""
    folder = config(tmp_path / "run", {}, deals=1)
    go_on(folder, matches=2)
    killed = tmp_path / "killed"
    with locked(folder / "run.golfref") as lock, closing(Store.open(folder / "run.golfref", lock=lock)) as store:
        store.add(HostLeftOut(host="lab", reason="the lights go out"))
        shutil.copytree(folder, killed, ignore=shutil.ignore_patterns("*.lock"))
    assert (killed / "run.golfref-wal").stat().st_size
    unindexed = Path(shutil.copytree(killed, tmp_path / "unindexed", ignore=shutil.ignore_patterns("*-shm")))
    read_only = [word for path in (killed, unindexed) for word in ("--ro-bind", str(path), str(path))]
    reads = [
        f"cd {killed}; golfref standings run.golfref",
        f"cd {unindexed}; golfref standings run.golfref || test $? = 2",
    ]
    said = in_sh("; ".join(reads), *read_only)
    assert "the lights go out" in said
    assert "a run that was killed left run.golfref-wal beside it" in said
    assert "copy both to a place where you can write" in said
    assert "the lights go out" in golfref("standings", "run.golfref", cwd=unindexed)[0]


# The referee's own faults


SPOILED = """
from referee.play.faults import HostFault
from referee.play.match import LiveMatch

play = LiveMatch.play

async def spoiled(sitting):
    if {"ann", "bea"} == {bot.name for bot in sitting._setup.bots}:
        raise HostFault("the referee slept")
    return await play(sitting)

LiveMatch.play = spoiled
"""


def test_what_the_referee_spoils_is_void_three_times_then_left_out_and_tried_again(
    tmp_path: Path, mark: dict[str, str]
) -> None:
    folder = config(tmp_path, mark, deals=1)
    out, said = golfref(*RUN, "--workers", "1", cwd=folder, before=SPOILED, code=3)
    given_up = [number for number in range(6) if f"match {number} is void (attempt 3)" in said]
    assert len(given_up) == 2
    named = ", ".join(map(str, given_up))
    assert f"spoiled them every time: matches {named}; to try them again: golfref tournament run.toml" in said
    assert "no bot's fault: the referee slept" in said
    assert "voided 6 times: the referee slept" in out
    assert f"given up after every attempt was voided: matches {named}" in out

    document = json.loads(golfref("standings", "run.golfref", "--json", cwd=folder)[0])
    assert (document["matches"], document["voided"]) == (4, 6)
    assert document["void_reasons"] == {"the referee slept": 6}
    assert document["unplayed"] == given_up
    assert document["key"] is None, "what is still to be dealt stays secret"
    assert all(row["faults"] == {} for row in document["standings"])

    document = json.loads(golfref(*RUN, "--json", cwd=folder)[0])
    assert (document["matches"], document["voided"], document["unplayed"]) == (6, 6, [])
    assert document["key"] is not None
    redeals = [result["redeals"] for result in document["results"]]
    assert redeals == [3 * (number in given_up) for number in range(6)]
    told = golfref("replay", f"run.golfref:{given_up[0]}", cwd=folder)[0]
    assert "redeal 3 (voided matches had shown the cards before)" in told
    assert "all holds" in golfref("verify", "run.golfref", cwd=folder)[0]
