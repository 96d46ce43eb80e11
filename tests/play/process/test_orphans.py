"""What a bot leaves behind is ended while the referee's loop goes on."""

import ctypes
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import trio
import trio.testing
from needs import need_bubblewrap

from referee.play.process import orphans
from referee.play.process.shutdown import end_orphans
from referee.play.process.usage import command_of, lives, own_children

PATIENCE_S = 20.0
SHORT_S = 0.2
TICK_S = 0.002
PTRACE_SEIZE = 0x4206
WALL = 0x40000000
"""Of waitpid: children of every kind, also those that are traced."""

FIRST_OF_A_CELL = ("unshare", "--user", "--pid", "--fork", "sh", "-c", "sleep 600 & echo; read line")
"""A process that is to the others of its cell what process 1 is to a system: it is gone when they all are reaped."""


@pytest.fixture
def orphan(monkeypatch: pytest.MonkeyPatch) -> Iterator["subprocess.Popen[bytes]"]:
    """A child of this process that is no bot, as if it were inherited."""
    monkeypatch.setattr(orphans, "_inherits", True)
    monkeypatch.setattr(orphans, "_children", own_children())
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True) as process:
        yield process
        process.kill()


async def ticks_meanwhile(patience_s: float) -> tuple[bool, int]:
    """Whether the orphans are gone within the patience, and how often another task got its turn meanwhile."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await trio.sleep(TICK_S)
            ticks += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        are_gone = await end_orphans(patience_s=patience_s)
        nursery.cancel_scope.cancel()
    return are_gone, ticks


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the referee inherit processes")
def test_the_loop_goes_on_while_an_orphan_cannot_die_yet(
    orphan: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, "kill", lambda *_: None)  # as with one that is in a system call which cannot be broken off
        are_gone, ticks = trio.run(ticks_meanwhile, SHORT_S, clock=trio.testing.MockClock(autojump_threshold=0))
    assert not are_gone
    assert ticks >= SHORT_S / TICK_S - 1
    assert orphan.poll() is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the referee inherit processes")
def test_an_orphan_is_gone_and_reaped(orphan: "subprocess.Popen[bytes]") -> None:
    assert trio.run(ticks_meanwhile, PATIENCE_S)[0]
    with pytest.raises(ChildProcessError):
        os.waitpid(orphan.pid, os.WNOHANG)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the referee inherit processes")
def test_what_the_kernel_is_ending_does_not_live_any_more() -> None:
    """As on a busy host, where the first process of a cell takes long to end. Here another one has not been reaped."""
    need_bubblewrap()
    with subprocess.Popen(FIRST_OF_A_CELL, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as outer:
        assert outer.stdin is not None
        assert outer.stdout is not None
        outer.stdout.readline()
        [first] = children(outer.pid)
        [other] = children(first)
        assert lives(first)
        assert ctypes.CDLL(None).ptrace(PTRACE_SEIZE, other, 0, 0) == 0
        outer.stdin.close()
        end = time.monotonic() + PATIENCE_S
        while command_of(first) and time.monotonic() < end:
            select.select([], [], [], TICK_S)

        assert (lives(first), outer.poll()) == (False, None)
        os.waitpid(other, WALL)


def children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]
