"""Bots that are started before their referee is ready: whoever takes one ends it, and no other one is left over."""

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import trio

from protocol.messages import Limits
from referee.play.bot.ahead import begun_ahead
from referee.play.bot.channel import Channel
from referee.play.bot.ending import stop
from referee.play.bot.procfs import lives
from referee.play.spec import BotSpec, Confinement

pytestmark = pytest.mark.full

STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0 and len(sys.argv) == 1:
    os.setsid()
with open(f"{os.getpid()}.pid", "w") as file:
    file.write("here")
os.write(1, b"1")
time.sleep(600)
"""
"""Ignores the end of its input, and has a child, which has a session of its own unless the bot is told another word."""

BUSY = """
import os, time
while time.process_time() < 0.3:
    pass
os.write(1, b"1")
time.sleep(600)
"""

MATCH = """
import os, signal, sys, time
from pathlib import Path

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "referee.commands.games":
            while len(list(Path("mine").glob("*.pid"))) < 2:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.{signal})
            while True:
                time.sleep(0.001)

sys.meta_path.insert(0, Interrupting())
sys.argv = ["golfref", "match", "--variant", "six-card", "--bot", "{python} stubborn.py{word}", "--isolation", "none"]
sys.argv += ["--dir", "mine", "--bot", "builtin:greedy"]
from referee.cli import main
main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a bot that does not end by itself."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "stubborn.py").write_text(STUBBORN)
    return tmp_path / "mine"


def bot(folder: Path, mark: dict[str, str], *words: str) -> BotSpec:
    return BotSpec(name="mine", command=words or (sys.executable, "stubborn.py"), dir=str(folder), env=mark)


async def until_written(fd: int, text: bytes) -> None:
    """Wait until a bot has written this."""
    seen = b""
    with trio.fail_after(60):
        while text not in seen:
            await trio.lowlevel.wait_readable(fd)
            seen += os.read(fd, 100)


async def are_gone(pids: list[int]) -> bool:
    """Whether these processes end soon: after a kill it is the watchman who ends them."""
    with trio.move_on_after(60):
        while any(map(lives, pids)):
            await trio.sleep(0.001)
        return True
    return False


@pytest.mark.parametrize("confinement", [Confinement(isolation="none"), Confinement(isolation="limits")])
def test_what_nobody_takes_ends_with_all_that_it_has_started(
    confinement: Confinement, folder: Path, mark: dict[str, str]
) -> None:
    with begun_ahead([bot(folder, mark), bot(folder, mark)], confinement) as begun:
        assert sorted(begun) == [0, 1]
        for process in begun.values():
            trio.run(until_written, process.stdout, b"11")
        pids = [process.pid for process in begun.values()]
    assert not any(map(lives, pids))  # `mark` sees to what they have started


def test_what_somebody_takes_lives_on(folder: Path, mark: dict[str, str], until_gone: Callable[[], None]) -> None:
    with begun_ahead([bot(folder, mark)], Confinement(isolation="none")) as begun:
        process = begun.pop(0)
        trio.run(until_written, process.stdout, b"11")
        trio.run(partial(stop, process, patience_s=0, drain=lambda: None))
    assert not lives(process.pid)
    until_gone()  # what it has started is killed too, but may still need a core to die


def test_a_bot_that_cannot_be_started_is_left_to_who_tells_why(folder: Path, mark: dict[str, str]) -> None:
    bots = [bot(folder, mark), bot(folder, mark, "./nowhere"), bot(folder, mark)]
    with begun_ahead(bots, Confinement(isolation="none")) as begun:
        assert list(begun) == [0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells what a bot computes")
def test_what_a_bot_computes_as_it_begins_is_not_outside_its_turns(folder: Path, mark: dict[str, str]) -> None:
    """Else a bot that imports much would be frozen after each of its answers."""
    spec = bot(folder, mark, sys.executable, "-c", BUSY)
    with begun_ahead([spec], Confinement(isolation="none")) as begun:
        process = begun.pop(0)
        trio.run(until_written, process.stdout, b"1")
        channel = Channel(spec, Confinement(isolation="none"), Limits(), begun=process)
        channel.look(time.monotonic_ns())
        trio.run(partial(channel.stop, patience_s=0))
    assert not channel.turns.idle_cpu_ns


@pytest.mark.parametrize(("signal", "code"), [("SIGINT", 130), ("SIGHUP", 130), ("SIGKILL", -9)])
def test_a_match_that_ends_before_its_loop_begins_leaves_no_bot(signal: str, code: int, folder: Path) -> None:
    word = " stays" if signal == "SIGKILL" else ""  # nobody finds who has left the session of a bot then
    program = textwrap.dedent(MATCH).format(signal=signal, python=sys.executable, word=word)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder.parent, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == code, done.stderr
    assert done.stderr == ("" if code < 0 else "golfref match: interrupted\n")
    pids = [int(file.stem) for file in folder.glob("*.pid")]
    assert len(pids) == 2
    assert trio.run(are_gone, pids)
