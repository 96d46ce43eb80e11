"""A referee that is interrupted or killed in the middle of a run: what it says, what it leaves, and how it goes on.

The bots say through a named pipe how far they are, so that a test strikes where it means to.
"""

import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import golfref
from measured import unmeasured_document
from quick import FILLER

from referee.commands.interrupt import FINISHING

PATIENCE_S = 50.0

BOT = (
    FILLER
    + """
import random, time

dice = random.Random()
for message in messages():
    is_noted = os.environ["NOTE"] in (message["type"], message.get("decision")) and "NOTES" in os.environ
    if is_noted:
        note(os.environ["NOTES"])
    if message["type"] == "hello":
        time.sleep(60 * is_noted)
        say({"type": "ready"})
    elif message["type"] == "match":
        dice.seed(message["seed"])
    elif message["type"] == "request":
        time.sleep(0.1 * is_noted + float(os.environ["THINKS"]))
        say(right(message, dice=dice))
"""
)
"""Plays at random from its seed; notes (one byte in the pipe) every `hello`, `end` or decision, as NOTE says."""

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }}
[tournament]
name = "run"
seed = "abc"
seats = 2
deals = 2
jobs = 2
[[variants]]
preset = "{preset}"
options = {{ rounds = 1 }}
"""

GOLFREF = (sys.executable, "-m", "referee.cli")


class Run:
    """A folder with a tournament of three bots in it."""

    def __init__(
        self, folder: Path, mark: dict[str, str], *, preset: str = "six-card", note: str = "end", thinks: float = 0.002
    ) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "bot.py").write_text(BOT)
        os.mkfifo(folder / "notes")
        self._notes = os.open(folder / "notes", os.O_RDWR)
        # `env` is part of what a run depends on, so a wrapper sets what differs between two runs of the same
        values = {"NOTES": str(folder / "notes"), "NOTE": note, "THINKS": str(thinks), **mark}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
        (folder / "start.sh").write_text(f"exec env {words} {sys.executable} bot.py\n")
        bots = "".join(f'[[bots]]\nname = "{name}"\ncommand = ["sh", "start.sh"]\n' for name in ("ann", "bea", "cid"))
        (folder / "run.toml").write_text(CONFIG.format(preset=preset) + bots)

    def close(self) -> None:
        os.close(self._notes)

    def start(self, *words: str, hangup: signal.Handlers = signal.SIG_DFL) -> subprocess.Popen[str]:
        """A golfref command in this folder, which begins with this handler of SIGHUP."""
        words = words or ("tournament", "run.toml")
        return subprocess.Popen(
            [*GOLFREF, *words],
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=partial(signal.signal, signal.SIGHUP, hangup),  # noqa: PLW1509 - this process has no threads
        )

    def await_notes(self, number: int) -> None:
        """Wait until bots have noted so much."""
        for _ in range(number):
            ready, _, _ = select.select([self._notes], [], [], PATIENCE_S)
            assert ready, "the bots do not get that far"
            os.read(self._notes, 1)

    def forget_notes(self) -> None:
        while select.select([self._notes], [], [], 0)[0]:
            os.read(self._notes, 65536)

    def results(self) -> dict[str, Any]:
        """Run to the end; everything in the document that is no measurement, and that it can be verified."""
        out, _ = ended(self.start("tournament", "run.toml", "--json"), code=0)
        golfref("verify", "run.golfref", cwd=self._folder)
        document = json.loads(out)
        assert document["voided"] == 0
        # A record holds times, and a version the path of its pipe.
        return dict(unmeasured_document(document, "digest", "lateness", "bots"))


def ended(process: subprocess.Popen[str], *, code: int) -> tuple[str, str]:
    """Wait for a command to end with this code; returns what it wrote to stdout and stderr."""
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, out + said
    assert "Traceback" not in said
    return out, said


@pytest.fixture
def make_run(tmp_path: Path, mark: dict[str, str]) -> Iterator[Callable[..., Run]]:
    """Makes the run of a test."""
    runs = []

    def make(name: str = "run", **settings: Any) -> Run:
        runs.append(Run(tmp_path / name, mark, **settings))
        return runs[-1]

    yield make
    for run in runs:
        run.close()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of the run that nobody interrupts."""
    run = Run(tmp_path_factory.mktemp("undisturbed"), {}, thinks=0)
    try:
        return run.results()
    finally:
        run.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_says_how_to_go_on_and_does(
    number: signal.Signals,
    make_run: Callable[..., Run],
    marked: Callable[[], dict[int, str]],
    undisturbed: dict[str, Any],
    tmp_path: Path,
) -> None:
    run = make_run()
    process = run.start()
    run.await_notes(6)  # two bots a match, two matches at a time: one at least has been committed
    process.send_signal(number)
    out, said = ended(process, code=130)

    assert not marked()
    assert out == ""
    *earlier, line = (line for line in said.splitlines() if "interrupted" in line)
    assert earlier == [FINISHING] * (number == signal.SIGINT)
    assert line == said.splitlines()[-1]
    stored, command = int(line.split()[1]), line.partition("go on with: ")[2]
    assert 1 <= stored < 12
    assert not list((tmp_path / "run").glob("run.golfref-*")), "one plain file is left"

    words = shlex.split(command)
    assert words[0] == "golfref"
    _, said = ended(run.start(*words[1:]), code=0)
    assert f"going on with run.golfref: {stored} of 12 matches are there" in said
    assert run.results() == undisturbed


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_ctrl_c_lets_matches_end_and_none_begin(
    workers: str, make_run: Callable[..., Run], marked: Callable[[], dict[int, str]]
) -> None:
    run = make_run(note="turn", thinks=0)
    process = run.start("tournament", "run.toml", "--workers", workers)
    run.await_notes(1)
    process.send_signal(signal.SIGINT)
    _, said = ended(process, code=130)

    assert FINISHING in said.splitlines()
    assert said.splitlines()[-1].startswith(("interrupted: 1 of 12 matches", "interrupted: 2 of 12 matches"))
    assert " is void " not in said
    assert not marked()


def test_a_run_whose_terminal_is_closed_is_ended_in_order(
    make_run: Callable[..., Run], marked: Callable[[], dict[int, str]], tmp_path: Path
) -> None:
    """What it writes then goes nowhere, and is no error."""
    run = make_run()
    ours, theirs = pty.openpty()
    command = ["sh", "-c", 'exec "$@" < "$0" > "$0" 2>&1', os.ttyname(theirs), *GOLFREF, "tournament", "run.toml"]
    folder, env = tmp_path / "run", os.environ | {"TERM": "xterm"}
    with subprocess.Popen(command, cwd=folder, env=env, start_new_session=True) as process:
        run.await_notes(6)
        os.close(theirs)
        os.close(ours)
    assert process.returncode == 130
    assert not marked()
    assert not list((tmp_path / "run").glob("run.golfref-*")), "one plain file is left"
    _, said = ended(run.start(), code=0)
    assert "going on with run.golfref" in said


def test_a_run_under_nohup_does_not_heed_that_its_terminal_is_closed(make_run: Callable[..., Run]) -> None:
    run = make_run()
    process = run.start(hangup=signal.SIG_IGN)
    run.await_notes(1)
    process.send_signal(signal.SIGHUP)
    ended(process, code=0)


def test_a_killed_run_goes_on_from_what_was_committed(
    make_run: Callable[..., Run], until_gone: Callable[[], None], undisturbed: dict[str, Any]
) -> None:
    run = make_run()
    for notes in (1, 3, 7):
        process = run.start()
        run.await_notes(notes)
        process.kill()
        process.communicate()
        until_gone()
        run.forget_notes()
    assert run.results() == undisturbed


def test_bots_that_are_held_still_do_not_outlive_a_killed_referee(
    make_run: Callable[..., Run], until_gone: Callable[[], None]
) -> None:
    """While a window is timed, the bots of the other match are stopped, and cannot see that their input ends."""
    run = make_run(preset="cactus", note="slap", thinks=0.05)
    process = run.start()
    run.await_notes(4)
    process.kill()
    process.communicate()
    until_gone()


def test_an_interruption_while_bots_are_greeted(make_run: Callable[..., Run], marked: Any, tmp_path: Path) -> None:
    run = make_run(note="hello")
    process = run.start()
    run.await_notes(1)
    process.send_signal(signal.SIGINT)
    _, said = ended(process, code=130)

    assert said.splitlines()[-1] == "interrupted; nothing was played"
    assert not marked()
    assert not (tmp_path / "run" / "run.golfref").exists()


@pytest.mark.parametrize("old", ["garbage", "a run"])
def test_an_interruption_before_the_old_store_is_moved_away(
    old: str, make_run: Callable[..., Run], marked: Any, tmp_path: Path
) -> None:
    """Whatever lies there: none of it is of the run that was to begin."""
    run, store = make_run(note="hello"), tmp_path / "run" / "run.golfref"
    if old == "a run":
        done = make_run("done", thinks=0)
        ended(done.start(), code=0)
        shutil.copy(tmp_path / "done" / "run.golfref", store)
    else:
        store.write_text(old)
    before = store.read_bytes()
    process = run.start("tournament", "run.toml", "--fresh")
    run.await_notes(1)
    process.send_signal(signal.SIGINT)
    _, said = ended(process, code=130)

    assert said.splitlines()[-1] == "interrupted; nothing was played"
    assert not marked()
    assert store.read_bytes() == before


def test_an_interruption_while_nobody_can_read_what_is_there(
    make_run: Callable[..., Run], marked: Any, tmp_path: Path
) -> None:
    run, store = make_run(note="hello"), tmp_path / "run" / "run.golfref"
    process = run.start()
    run.await_notes(1)
    store.write_text("garbage")
    process.send_signal(signal.SIGINT)
    _, said = ended(process, code=130)

    assert said.splitlines()[-1].startswith("interrupted: run.golfref: ")
    assert not marked()


MATCH = ("match", "--variant", "six-card", "--option", "rounds=1", "--bot", "sh start.sh", "--bot", "sh start.sh")


def test_an_interrupted_match(make_run: Callable[..., Run], marked: Any) -> None:
    run = make_run(note="turn")
    process = run.start(*MATCH)
    run.await_notes(1)
    process.send_signal(signal.SIGTERM)
    out, said = ended(process, code=130)

    assert (out, said) == ("", "golfref match: interrupted\n")
    assert not marked()


@pytest.mark.parametrize(
    ("number", "note", "notes"), [(signal.SIGINT, "turn", 1), (signal.SIGTERM, "end", 4), (signal.SIGHUP, "end", 4)]
)
def test_interrupted_games_are_summed_up(
    number: signal.Signals, note: str, notes: int, make_run: Callable[..., Run], marked: Any
) -> None:
    """Ctrl-C comes in the first game, which is finished; the others when that has been told."""
    run = make_run(note=note)
    process = run.start(*MATCH, "--games", "1000")
    run.await_notes(notes)
    process.send_signal(number)
    out, said = ended(process, code=130)

    assert "games won" in out
    assert said.splitlines() == [FINISHING] * (number == signal.SIGINT) + ["golfref match: interrupted"]
    assert not marked()


def test_a_store_has_one_writer(make_run: Callable[..., Run]) -> None:
    run = make_run(note="turn", thinks=0.1)
    first = run.start()
    run.await_notes(1)

    for words in ((), ("--fresh",)):
        _, refusal = ended(run.start("tournament", "run.toml", *words), code=2)
        assert "another golfref is writing this store" in refusal
    ended(run.start("standings", "run.golfref"), code=0)

    first.send_signal(signal.SIGTERM)
    ended(first, code=130)
