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
from pathlib import Path
from random import Random
from typing import Any

import pytest
from commands import golfref, until_more_are_committed
from made_once import made_once
from measured import unmeasured_document
from needs import need_bubblewrap
from quick import QUICK

from referee.tournament.store.disk import SIDE_FILES
from referee.tournament.verify.run import check_store

GOLFREF = (sys.executable, "-m", "referee.cli")
RUN = ("tournament", "run.toml")
PATIENCE_S = 50.0


def config(folder: Path, mark: dict[str, str], *, deals: int = 4, bots: str = "ann bea cid") -> Path:
    """A folder with a tournament of deterministic bots, which carry the mark."""
    folder.mkdir(exist_ok=True)
    env = ", ".join(f'{name} = "{value}"' for name, value in mark.items())
    text = "time = { start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }\n"
    text += f'[tournament]\nname = "run"\nseed = "abc"\njobs = 2\ndeals = {deals}\n'
    text += '[[variants]]\npreset = "six-card"\noptions = { rounds = 1 }\n'
    text += "".join(f'[[bots]]\n{QUICK}\nname = "{name}"\nenv = {{ {env} }}\n' for name in bots.split())
    (folder / "run.toml").write_text(text)
    return folder


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*GOLFREF, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )


def results(folder: Path) -> Any:
    """What the run comes to, without what is measured or may befall it; it is complete, and all of it holds."""
    out, _ = golfref(*RUN, "--json", cwd=folder)
    assert check_store(folder / "run.golfref").findings == ()
    assert not [path.name for path in folder.iterdir() if path.name.startswith("run.golfref.")], (
        "one plain file is left"
    )
    document = json.loads(out)
    return unmeasured_document(document, "digest", "lateness", "history", "voided", "void_reasons")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of the same tournament when nothing befalls it; the mark of its bots is part of their version."""

    def make(folder: Path) -> None:
        document = without_versions(results(config(folder, {})))
        (folder / "document.json").write_text(json.dumps(document))

    return json.loads((made_once(tmp_path_factory, "calm", make) / "document.json").read_text())


def without_versions(document: Any) -> Any:
    return {**document, "bots": [bot["name"] for bot in document["bots"]], "retired": len(document["retired"])}


def strike(process: "subprocess.Popen[str]", number: signal.Signals, after_s: float) -> None:
    """Send a signal after some time, to strike anywhere; or the process has ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=after_s)
    process.send_signal(number)


def test_a_run_that_is_killed_again_and_again_comes_to_the_same_results(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None], undisturbed: Any
) -> None:
    """Soon after its start, after some of its words, and after so many matches."""
    folder, dice = config(tmp_path, mark), Random(4)  # noqa: S311 - a test that can be told again
    committed: dict[str, str] = {}
    for moment in ("", "commitment", 0, 12):
        with start(folder, *RUN) as process:
            assert process.stderr is not None
            if isinstance(moment, int):
                until_more_are_committed(folder / "run.golfref", moment)
            elif moment:
                assert any(moment in line for line in process.stderr)
            strike(process, signal.SIGKILL, dice.uniform(0.0, 0.1))
        until_gone()
        if (folder / "run.golfref").exists():
            hashes = dict(
                line.rsplit(" ", 1)
                for line in golfref("standings", "run.golfref", "--hashes", cwd=folder)[0].splitlines()
            )
            assert committed.items() <= hashes.items(), "what was committed stays as it was"
            committed = hashes
    assert without_versions(results(folder)) == undisturbed


@pytest.mark.full  # it interrupts a run many times
def test_a_run_that_is_interrupted_at_any_moment_says_so_and_goes_on(
    tmp_path: Path, mark: dict[str, str], marked: Callable[[], dict[int, str]], undisturbed: Any
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
    assert without_versions(results(folder)) == undisturbed


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

from referee.cli import main
main()
"""
"""Ctrl-C while the thread that tells how a run goes is started, but has not begun yet."""


def test_an_interruption_while_the_progress_begins_to_be_told(tmp_path: Path, mark: dict[str, str]) -> None:
    """Torn out of its start, the thread that tells it would end in a traceback of its own."""
    folder = config(tmp_path, mark)
    done = subprocess.run(
        [sys.executable, "-c", WHILE_A_THREAD_STARTS, *RUN], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1].startswith("interrupted: 0 of 24 matches are stored; go on with: golfref ")


def test_an_interruption_before_the_first_word(tmp_path: Path) -> None:
    """While the command is still reading the config, from a pipe that nobody fills."""
    os.mkfifo(tmp_path / "run.toml")
    for number in (signal.SIGTERM, signal.SIGINT):
        process = start(tmp_path, *RUN)
        pipe = os.open(tmp_path / "run.toml", os.O_WRONLY)  # waits until somebody reads
        while process.poll() is None:  # a signal just before Python begins to read waits for the next one
            process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)
        out, said = process.communicate(timeout=PATIENCE_S)
        os.close(pipe)
        assert (out, said, process.returncode) == ("", "interrupted; nothing was played\n", 130)


KILLED = """
import os, signal, sys
from contextlib import closing
from pathlib import Path
from referee.tournament.store.amend import amendment
from referee.tournament.config.config import load
from referee.tournament.store.disk import locked
from referee.tournament.store.facts import config_facts
from referee.tournament.store.store import Store

left = 0

def count(statement):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def amend(path):
    with locked(path) as lock, closing(Store.open(path, lock=lock)) as store:
        found = amendment(store, config_facts(load("run.toml")))
        store._connection.set_trace_callback(count)
        store.amend(found.meta, found.places, found.lines())

for left in map(int, sys.argv[1:]):
    pid = os.fork()
    if pid == 0:
        os.chdir(f"killed at {left}")
        amend(Path("run.golfref"))
        os._exit(0)
    print(left, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
"""Amends the runs of the folders `killed at N`, each in a process that is killed at statement N; prints their ends."""


def test_an_amendment_is_done_or_not_done_wherever_it_is_killed(tmp_path: Path, mark: dict[str, str]) -> None:
    folder = config(tmp_path / "run", mark, deals=1)
    golfref(*RUN, cwd=folder)
    before = json.loads(golfref("standings", "run.golfref", "--json", cwd=folder)[0])
    config(folder, mark, deals=1, bots="ann bea dan")
    seen = set()
    copies = {
        str(statement): Path(shutil.copytree(folder, tmp_path / f"killed at {statement}"))
        for statement in (1, 8, 9, 10, 11, 13, 14, 99)
    }
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *copies], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    ends = dict(line.split() for line in done.stdout.splitlines())
    assert ends.keys() == copies.keys(), done.stderr
    for statement, copy in copies.items():
        amended = ends[statement] == "0"
        assert amended or ends[statement] == str(-signal.SIGKILL), done.stderr
        document = json.loads(golfref("standings", "run.golfref", "--json", cwd=copy)[0])
        assert (document["history"] != []) == amended
        if amended:
            assert [document["matches"], len(document["retired"])] == [2, 4]
        else:
            assert document == before
        assert not [text for text in check_store(copy / "run.golfref").findings if "no result yet" not in text]
        seen.add(amended)
    assert seen == {True, False}


# Full disks, and places where nothing can be written


def bwrap(*words: str) -> list[str]:
    """A command in a mount namespace of its own; the test is left out where there can be none."""
    need_bubblewrap()
    return ["bwrap", "--dev-bind", "/", "/", *words]


def in_sh(script: str, *mounts: str) -> str:
    """Run a script in the namespace with these mounts; returns all that was said."""
    done = subprocess.run(
        bwrap(*mounts, "sh", "-ec", f'golfref() {{ {sys.executable} -m referee.cli "$@"; }}\n{script}'),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Traceback" not in said, said
    return said


@pytest.mark.parametrize("room_kb", [50, 140])
def test_a_full_disk(tmp_path: Path, mark: dict[str, str], undisturbed: Any, room_kb: int) -> None:
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
    assert without_versions(results(folder)) == undisturbed


def test_a_store_where_nothing_can_be_written(tmp_path: Path, mark: dict[str, str]) -> None:
    folder = config(tmp_path / "run", mark, deals=1)
    script = f"cd {folder}; code=0; golfref tournament run.toml || code=$?; test $code = 2"
    said = in_sh(script, "--ro-bind", str(folder), str(folder))
    assert "run.golfref: cannot write here: Read-only file system; name another place with --store FILE" in said
    assert not (folder / "run.golfref").exists()


def test_a_run_can_be_read_where_nothing_can_be_written(tmp_path: Path, mark: dict[str, str]) -> None:
    folder = config(tmp_path / "run", mark, deals=1)
    golfref(*RUN, cwd=folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    reading = f"cd {folder}; golfref standings run.golfref; golfref verify run.golfref; golfref replay run.golfref:1"
    read_only = ("--ro-bind", str(folder), str(folder))
    assert "all holds" in in_sh(reading, *read_only)
    refused = in_sh(f"cd {folder}; golfref tournament run.toml || test $? = 2", *read_only)
    assert "Read-only file system" in refused
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_killed_run_can_be_read_where_nothing_can_be_written(
    tmp_path: Path, mark: dict[str, str], until_gone: Callable[[], None]
) -> None:
    """With all that SQLite left beside it; without its index, there is a clear word instead."""
    folder = config(tmp_path / "run", mark, deals=40)
    with start(folder, *RUN) as process:
        until_more_are_committed(folder / "run.golfref", 0)
        process.kill()
    until_gone()
    assert (folder / "run.golfref-wal").stat().st_size
    read_only = ("--ro-bind", str(folder), str(folder))
    said = in_sh(f"cd {folder}; golfref standings run.golfref", *read_only)
    assert "of 240 matches" in said
    (folder / "run.golfref-shm").unlink()
    said = in_sh(f"cd {folder}; golfref standings run.golfref || test $? = 2", *read_only)
    assert "a run that was killed left run.golfref-wal beside it" in said
    assert "copy both to a place where you can write" in said
    left = golfref("standings", "run.golfref", cwd=folder)[0]
    assert "of 240 matches" in left

    config(folder, mark, deals=1)
    golfref(*RUN, "--fresh", cwd=folder)
    assert golfref("standings", "run.golfref.old1", cwd=folder)[0].replace(".old1", "") == left


# The referee's own faults


SPOILED = """
import sys
from referee.play.faults import HostFault
from referee.play.match import LiveMatch

play = LiveMatch.play

async def spoiled(sitting):
    if {"ann", "bea"} == {bot.name for bot in sitting._setup.bots}:
        raise HostFault("the referee slept")
    return await play(sitting)

LiveMatch.play = spoiled
from referee.cli import main
main()
"""


def test_what_the_referee_spoils_is_void_three_times_then_left_out_and_tried_again(
    tmp_path: Path, mark: dict[str, str]
) -> None:
    folder = config(tmp_path, mark, deals=1)
    done = subprocess.run(
        [sys.executable, "-c", SPOILED, *RUN, "--workers", "1"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    given_up = [number for number in range(6) if f"match {number} is void (attempt 3)" in done.stderr]
    assert len(given_up) == 2
    named = ", ".join(map(str, given_up))
    assert f"spoiled them every time: matches {named}; to try them again: golfref tournament run.toml" in done.stderr
    assert "no bot's fault: the referee slept" in done.stderr
    assert "voided 6 times: the referee slept" in done.stdout
    assert f"given up after every attempt was voided: matches {named}" in done.stdout

    document = json.loads(golfref("standings", "run.golfref", "--json", cwd=folder)[0])
    assert (document["matches"], document["voided"]) == (4, 6)
    assert document["void_reasons"] == {"the referee slept": 6}
    assert document["unplayed"] == given_up
    assert document["key"] is None, "what is still to be dealt stays secret"
    assert all(row["faults"] == {} for row in document["standings"])

    document = json.loads(golfref(*RUN, "--json", cwd=folder)[0])
    assert (document["matches"], document["voided"], document["unplayed"]) == (6, 6, [])
    assert document["key"] is not None
    # Six times somebody may have seen the cards that both rotations share.
    redeals = [result["redeals"] for result in document["results"]]
    assert redeals == [6 * (number in given_up) for number in range(6)]
    told = golfref("replay", f"run.golfref:{given_up[0]}", cwd=folder)[0]
    assert "redeal 6 (voided matches had shown the cards before)" in told
    assert "all holds" in golfref("verify", "run.golfref", cwd=folder)[0]
