"""Who belongs to a bot, and what its tasks do: listed anew where something was started, from files kept open."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from referee.play.process import thread_cache
from referee.play.process.thread_cache import KEPT_OPEN, ThreadCache, Waits
from referee.play.sandbox.system_info import OpenFile

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is known of it")

OBEYS = """
import os, sys, threading
def rest(): threading.Event().wait()
for order in sys.stdin:
    if order == "thread\\n": threading.Thread(target=rest, daemon=True).start()
    elif order == "child\\n":
        children, pid = globals().get("children", []), os.fork()
        if not pid: rest()
        children.append(pid)
        print(pid, flush=True)
        continue
    else:
        os.kill(children[-1], 9)
        os.waitpid(children.pop(), 0)
    print(flush=True)
"""
"""Starts a thread, starts a child, or ends the child that it has started last, whichever it is told."""


class Obedient:
    """A process that does what it is told."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def do(self, order: str) -> str:
        """Returns what it says when it has done it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()


@contextmanager
def obedient() -> Iterator[Obedient]:
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", OBEYS], stdin=pipe, stdout=pipe, text=True, start_new_session=True
    )
    try:
        yield Obedient(process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture(autouse=True)
def _lists_hold_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is: what is found out in these tests, is found out by what was started."""
    monkeypatch.setattr(thread_cache, "SOON_NS", 600_000_000_000)


def test_what_a_bot_starts_belongs_to_it_at_once() -> None:
    with obedient() as bot, closing(ThreadCache(bot.pid)) as found:
        bot.do("thread")
        assert found.members() == [bot.pid]
        assert len(found.waits()) == 2
        child = int(bot.do("child"))
        assert found.members() == [bot.pid, child]
        bot.do("thread")
        assert len(found.waits()) == 4
        assert found.groups() == {bot.pid}


def test_what_has_ended_is_told_no_more() -> None:
    with obedient() as bot, closing(ThreadCache(bot.pid)) as found:
        child = int(bot.do("child"))
        assert child in found.waits()
        bot.do("end")
        assert child not in found.waits()
        assert found.states() <= {"R", "S"}


def test_a_bot_that_is_stopped_is_stopped_in_all_its_tasks() -> None:
    with obedient() as bot, closing(ThreadCache(bot.pid)) as found:
        for _ in range(KEPT_OPEN + 3):
            bot.do("thread")
        bot.do("child")
        assert "T" not in found.states()
        os.killpg(bot.pid, signal.SIGSTOP)
        while found.states() != {"T"}:
            os.sched_yield()
        assert len(found.waits()) == KEPT_OPEN + 5


def test_a_task_that_gets_a_core_again_is_known_by_it() -> None:
    with obedient() as bot, closing(ThreadCache(bot.pid)) as found:
        before = found.waits()[bot.pid]
        bot.do("thread")
        after = found.waits()[bot.pid]
        assert isinstance(after, Waits)
        assert after.times > before.times
        assert after.wait_ns >= before.wait_ns


def test_few_files_are_kept_open_and_none_in_the_end() -> None:
    with obedient() as bot:
        for _ in range(2 * KEPT_OPEN):
            bot.do("thread")
        before = len(os.listdir("/proc/self/fd"))
        with closing(ThreadCache(bot.pid)) as found:
            for _ in range(3):
                found.states()
                found.waits()
            assert len(os.listdir("/proc/self/fd")) - before <= 2 * KEPT_OPEN + 1, "but for that of the whole host"
        assert len(os.listdir("/proc/self/fd")) - before <= 1


def test_many_bots_keep_few_files_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_cache, "MOST_OPEN", OpenFile.number + 2)
    with obedient() as bot, closing(ThreadCache(bot.pid)) as one, closing(ThreadCache(bot.pid)) as other:
        assert other.states() == one.states()
        one.waits()
        before = OpenFile.number
        for _ in range(3):
            bot.do("thread")
        assert len(one.waits()) == len(other.waits()) == 4
        assert OpenFile.number <= before + 2


def test_of_a_process_that_is_gone_nothing_is_told() -> None:
    with obedient() as bot:
        gone = bot.pid
    with closing(ThreadCache(gone)) as found:
        assert (found.states(), found.waits()) == (set(), {})
