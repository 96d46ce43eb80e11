"""A referee that is interrupted or killed in the middle of a run: what it says, what it leaves, and how it goes on.

A bot of each match says through a named pipe how far it is, and then waits for a byte from another one. So a test
strikes where it means to, and the run does not end before that.
"""

import contextlib
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
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import GOLFREF, PATIENCE_S, golfref, until_more_are_committed
from in_store import go_on
from made_once import shared
from measured import unmeasured_document
from quick import FILLER

from referee.commands.interrupt import FINISHING
from referee.tournament.store.store import Store

BOT = (
    FILLER
    + """
import random

dice, seat = random.Random(), 0
gate = open(os.environ["GATE"], "rb", buffering=0)
for message in messages():
    seat = message["seat"] if message["type"] == "match" else seat
    if seat == 0 and os.environ["NOTE"] in (message["type"], message.get("decision")):
        note(os.environ["NOTES"])
        gate.read(1)
    if message["type"] == "hello":
        say({"type": "ready"})
    elif message["type"] == "match":
        dice.seed(message["seed"])
    elif message["type"] == "request":
        say(right(message, dice=dice))
"""
)
"""Plays at random from its seed. On seat 0 it notes each message or decision that NOTE names, and waits for a byte."""

CONFIG = """
time = {{ start_s = 60, move_s = 60, bank_s = 600, slap_s = 10 }}
[tournament]
name = "run"
seed = "abc"
seats = 2
deals = 1
jobs = 2
[[variants]]
preset = "{preset}"
options = {{ rounds = 1 }}
"""
MATCHES = 6
EVERYBODY = 1000
"""More than ever wait."""


class Run:
    """A folder with a tournament of three bots in it, which are let go on so many times where they wait."""

    def __init__(
        self, folder: Path, mark: dict[str, str], *, preset: str = "six-card", note: str = "match", let: int = 0
    ) -> None:
        self.folder, self.store = folder, folder / "run.golfref"
        folder.mkdir(exist_ok=True)
        (folder / "bot.py").write_text(BOT)
        for name in ("notes", "gate"):
            os.mkfifo(folder / name)
        self._notes, self._gate = (os.open(folder / name, os.O_RDWR) for name in ("notes", "gate"))
        # `env` is part of what a run depends on, so a wrapper sets what differs between two runs of the same
        values = {"NOTES": str(folder / "notes"), "GATE": str(folder / "gate"), "NOTE": note, **mark}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in values.items())
        (folder / "start.sh").write_text(f"exec env {words} {sys.executable} bot.py\n")
        bots = "".join(f'[[bots]]\nname = "{name}"\ncommand = ["sh", "start.sh"]\n' for name in ("ann", "bea", "cid"))
        (folder / "run.toml").write_text(CONFIG.format(preset=preset) + bots)
        self.let(let)

    def close(self) -> None:
        os.close(self._notes)
        os.close(self._gate)

    def start(self, *words: str, hangup: signal.Handlers = signal.SIG_DFL) -> subprocess.Popen[str]:
        """A golfref command in this folder, which begins with this handler of SIGHUP."""
        return subprocess.Popen(
            [*GOLFREF, *(words or ("tournament", "run.toml"))],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=partial(signal.signal, signal.SIGHUP, hangup),  # noqa: PLW1509 - this process has no threads
        )

    def let(self, number: int) -> None:
        """Let so many bots go on that wait, or are going to."""
        os.write(self._gate, b"." * number)

    def await_notes(self, number: int = 1) -> None:
        """Wait until bots have noted so much."""
        for _ in range(number):
            ready, _, _ = select.select([self._notes], [], [], PATIENCE_S)
            assert ready, "the bots do not get that far"
            os.read(self._notes, 1)

    def await_two_matches(self) -> None:
        """Wait until two matches are stored, and two others have begun."""
        self.await_notes(4)
        until_more_are_committed(self.store, 1)

    def forget(self) -> None:
        """Take back what was noted, and who was let go on."""
        for pipe in (self._notes, self._gate):
            while select.select([pipe], [], [], 0)[0]:
                os.read(pipe, 65536)

    def committed(self) -> dict[int, bytes]:
        """All records, by id."""
        with closing(Store.open(self.store)) as store:
            return {id_: store.record(id_) for id_ in store.ids()}

    def results(self, *words: str) -> tuple[dict[str, Any], str]:
        """Run to the end: the document without measurements, and what is said. It can be verified."""
        out, said = ended(self.start(*(words or ("tournament", "run.toml")), "--json"), code=0)
        golfref("verify", "run.golfref", cwd=self.folder)
        document = json.loads(out)
        assert document["voided"] == 0
        # A record holds times, and a version the path of its pipe.
        return dict(unmeasured_document(document, "digest", "lateness", "bots")), said


def ended(process: subprocess.Popen[str], *, code: int) -> tuple[str, str]:
    """Wait for a command to end with this code; returns what it wrote to stdout and stderr."""
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, out + said
    assert "Traceback" not in said
    return out, said


@pytest.fixture
def make_run(tmp_path: Path, mark: dict[str, str]) -> Iterator[Callable[..., Run]]:
    """Makes the run of a test."""
    with contextlib.ExitStack() as runs:
        yield lambda **settings: runs.enter_context(closing(Run(tmp_path / "run", mark, **settings)))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of the run that nobody interrupts."""

    def make(folder: Path) -> None:
        with closing(Run(folder / "run", {}, let=EVERYBODY)) as run:
            document = run.results()[0]
        shutil.rmtree(folder / "run")
        (folder / "document.json").write_text(json.dumps(document))

    document = shared(tmp_path_factory, "uninterrupted", make) / "document.json"
    return dict(json.loads(document.read_text()))


@pytest.mark.parametrize(
    ("number", "workers"),
    [(signal.SIGINT, "2"), (signal.SIGTERM, "1"), pytest.param(signal.SIGHUP, "2", marks=pytest.mark.full)],
    ids=["Ctrl-C, workers", "SIGTERM", "SIGHUP, workers"],
)
def test_an_interrupted_run_says_how_to_go_on_and_does(
    number: signal.Signals,
    workers: str,
    make_run: Callable[..., Run],
    marked: Callable[[], dict[int, str]],
    undisturbed: dict[str, Any],
) -> None:
    """The first Ctrl-C lets the two matches end that are being played, and none begin; other signals end them."""
    run = make_run(let=2)
    process = run.start("tournament", "run.toml", "--workers", workers)
    run.await_two_matches()
    process.send_signal(number)
    if number == signal.SIGINT:
        assert process.stderr is not None
        assert any(FINISHING in line for line in process.stderr)
        run.let(EVERYBODY)
    out, said = ended(process, code=130)

    assert not marked()
    assert (out, " is void " in said) == ("", False)
    line = said.splitlines()[-1]
    stored = 4 if number == signal.SIGINT else 2
    told, _, command = line.partition("; go on with: ")
    assert told == f"interrupted: {stored} of {MATCHES} matches are stored"
    assert not list(run.folder.glob("run.golfref-*")), "one plain file is left"

    run.let(EVERYBODY)
    words = shlex.split(command)
    assert words[0] == "golfref"
    results, said = run.results(*words[1:])
    assert f"going on with run.golfref: {stored} of {MATCHES} matches are there" in said
    assert results == undisturbed


def test_a_run_whose_terminal_is_closed_is_ended_in_order(
    make_run: Callable[..., Run], marked: Callable[[], dict[int, str]]
) -> None:
    """What it writes then goes nowhere, and is no error."""
    run = make_run(let=2)
    ours, theirs = pty.openpty()
    command = ["sh", "-c", 'exec "$@" < "$0" > "$0" 2>&1', os.ttyname(theirs), *GOLFREF, "tournament", "run.toml"]
    env = os.environ | {"TERM": "xterm"}
    with subprocess.Popen(command, cwd=run.folder, env=env, start_new_session=True) as process:
        run.await_two_matches()
        os.close(theirs)
        os.close(ours)
    assert process.returncode == 130
    assert not marked()
    assert len(run.committed()) == 2
    assert not list(run.folder.glob("run.golfref-*")), "one plain file is left"


def test_a_killed_run_goes_on_from_what_was_committed(
    make_run: Callable[..., Run], until_gone: Callable[[], None], undisturbed: dict[str, Any]
) -> None:
    """Killed before its first match has ended, and after some of them."""
    run, committed = make_run(), dict[int, bytes]()
    for ended_before in (0, 2):
        run.let(ended_before)
        process = run.start()
        run.await_two_matches() if ended_before else run.await_notes()
        process.kill()
        process.communicate()
        until_gone()
        committed = run.committed()
        assert len(committed) == ended_before
        run.forget()
    run.let(EVERYBODY)
    assert run.results()[0] == undisturbed
    assert committed.items() <= run.committed().items()


def test_bots_that_are_held_still_do_not_outlive_a_killed_referee(
    make_run: Callable[..., Run], until_gone: Callable[[], None]
) -> None:
    """While a window is timed, the bots of the other match are stopped, and cannot see that their input ends."""
    run = make_run(preset="cactus", note="slap")
    process = run.start("tournament", "run.toml", "--workers", "1")
    run.await_notes()
    process.kill()
    process.communicate()
    until_gone()


def test_an_interruption_while_bots_are_greeted_leaves_the_old_store_where_it_is(
    make_run: Callable[..., Run], marked: Any
) -> None:
    run = make_run(note="hello")
    go_on(run.folder)
    before = run.store.read_bytes()
    process = run.start("tournament", "run.toml", "--fresh")
    run.await_notes()
    process.send_signal(signal.SIGINT)
    _, said = ended(process, code=130)

    assert said.splitlines()[-1] == "interrupted; nothing was played"
    assert not marked()
    assert run.store.read_bytes() == before


def test_an_interruption_before_the_first_word(tmp_path: Path) -> None:
    """While the command is still reading the config, from a pipe that nobody fills."""
    os.mkfifo(tmp_path / "run.toml")
    command = [*GOLFREF, "tournament", "run.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        pipe = os.open(tmp_path / "run.toml", os.O_WRONLY)  # waits until somebody reads
        while process.poll() is None:  # a signal just before Python begins to read waits for the next one
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.2)
        os.close(pipe)
        assert ended(process, code=130) == ("", "interrupted; nothing was played\n")


MATCH = ("match", "--variant", "six-card", "--option", "rounds=1", "--bot", "sh start.sh", "--bot", "sh start.sh")


def test_an_interrupted_match(make_run: Callable[..., Run], marked: Any) -> None:
    run = make_run()
    process = run.start(*MATCH)
    run.await_notes()
    process.send_signal(signal.SIGTERM)
    assert ended(process, code=130) == ("", "golfref: interrupted\n")
    assert not marked()


def test_a_match_under_nohup_does_not_heed_that_its_terminal_is_closed(make_run: Callable[..., Run]) -> None:
    run = make_run()
    process = run.start(*MATCH, hangup=signal.SIG_IGN)
    run.await_notes()
    process.send_signal(signal.SIGHUP)
    run.let(EVERYBODY)
    ended(process, code=0)


def test_interrupted_games_are_summed_up(make_run: Callable[..., Run], marked: Any) -> None:
    """Ctrl-C comes in the first game, which is finished."""
    run = make_run()
    process = run.start(*MATCH, "--games", "1000")
    run.await_notes()
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert next(process.stderr) == f"{FINISHING}\n"
    run.let(EVERYBODY)
    out, said = ended(process, code=130)

    assert "games won" in out
    assert said == "golfref: interrupted\n"
    assert not marked()


def test_a_store_has_one_writer(make_run: Callable[..., Run]) -> None:
    run = make_run()
    first = run.start()
    run.await_notes()

    _, refusal = golfref("tournament", "run.toml", "--fresh", cwd=run.folder, code=2)
    assert "another golfref is writing this store" in refusal
    golfref("standings", "run.golfref", cwd=run.folder)

    first.send_signal(signal.SIGTERM)
    ended(first, code=130)
