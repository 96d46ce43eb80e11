"""What keeps the cores awake while slaps are timed: it stands otherwise, and ends with the referee in every case."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.play.bot.orphans import nothing_left_behind
from referee.play.bot.procfs import members, states
from referee.play.slaps.wakers import MOST, Wakers

PATIENCE_S = 50.0

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are none")]

KILLED = """
import os, signal
from referee.play.bot.orphans import nothing_left_behind
from referee.play.slaps.wakers import Wakers
with nothing_left_behind():
    wakers = Wakers()
    with wakers.awake():
        print(*wakers.pids(), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_wakers_are_of_the_lowest_rank_and_stand_when_nothing_is_timed() -> None:
    with nothing_left_behind():
        wakers = Wakers()
        with wakers.awake():
            pids = wakers.pids()
            if not pids:
                pytest.skip("none here: the cores are shared out by control groups, or limited")
            assert len(members(pids[0])) <= 1 + MOST
            assert os.sched_getscheduler(pids[0]) == os.SCHED_IDLE
        end = time.monotonic() + PATIENCE_S
        while states(wakers.pids()) != {"T"}:  # a signal takes its time
            assert time.monotonic() < end
            select.select([], [], [], 0.001)
        wakers.close()
        assert wakers.pids() == []
        assert not Path(f"/proc/{pids[0]}").exists()


def test_without_a_watchman_there_are_none() -> None:
    wakers = Wakers()
    with wakers.awake():
        assert wakers.pids() == []


def test_wakers_end_with_a_referee_that_is_killed() -> None:
    referee = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE)
    said, _ = referee.communicate(timeout=PATIENCE_S)
    assert referee.returncode == -signal.SIGKILL
    for pid in map(int, said.split()):
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        assert select.select([fd], [], [], PATIENCE_S)[0]
        os.close(fd)
