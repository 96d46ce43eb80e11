"""What Linux tells of the time that a bot computes, and that it waits for a core."""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import Queue
from threading import Event

import pytest
import trio
from racing import WAITERS

from referee.play.faults import Missing
from referee.play.process import process as process_module
from referee.play.process import usage
from referee.play.process.process import BotProcess
from referee.play.process.shutdown import stop
from referee.play.process.usage import Computed, ResourceUsage
from referee.play.spec import BotSpec, Confinement

PATIENCE_S = 50.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is known of it")

BURNS = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.nice(5)
print(flush=True)
while True: pass
"""
"""Computes on the first core for ever, with no more right to it than a bot has."""

COMPUTES = """
import os, sys, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
cpu, wall = time.process_time_ns(), time.monotonic_ns()
while time.process_time_ns() < cpu + 200_000_000: pass
print(time.monotonic_ns() - wall - (time.process_time_ns() - cpu), flush=True)
sys.stdin.read()
"""
"""Computes for 0.2 seconds, and says for how many nanoseconds it did not meanwhile."""

SPENDS = f"""
import sys
{WAITERS}
for _ in range(50):
    thread = threading.Thread(target=work, args=(0.004,))
    thread.start()
    thread.join()
print(flush=True)
sys.stdin.read()
"""
"""Computes for 0.2 seconds in threads that end, while idle processes of it wait."""


def used_by(program: str, mark: dict[str, str]) -> tuple[ResourceUsage | None, str]:
    """What the system tells that a bot has used when it says something, and what it says."""
    bot = BotSpec(name="bot", command=(sys.executable, "-c", program), dir="/", env=mark)
    process = BotProcess(bot, Confinement())
    try:
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], "the bot says nothing"
        said = os.read(process.stdout, 4096).decode()
        return process.resource_usage(), said
    finally:
        trio.run(partial(stop, process, patience_s=0, drain=lambda: None))


@pytest.fixture(params=[True, False], ids=["control groups", "no control groups"], autouse=True)
def counted(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, until_gone: Callable[[], None]
) -> Iterator[None]:
    """With what this host has, and without control groups; idle processes take their time to end."""
    if not request.param:
        monkeypatch.setattr(process_module, "control_groups", lambda: Missing("", ""))
    yield
    until_gone()


def test_what_was_computed_in_threads_that_have_ended_counts(mark: dict[str, str]) -> None:
    used, _ = used_by(SPENDS, mark)
    assert used is not None
    assert used.cpu_ns >= 200_000_000


@pytest.mark.clock
def test_what_a_bot_waits_for_a_core_is_told_apart_from_what_it_computes(mark: dict[str, str]) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            burner = stack.enter_context(
                subprocess.Popen([sys.executable, "-c", BURNS], stdout=subprocess.PIPE, start_new_session=True)
            )
            stack.callback(burner.kill)
            assert burner.stdout is not None
            assert burner.stdout.readline()
        used, said = used_by(COMPUTES, mark)
    waited_ns = int(said)
    assert waited_ns > 20_000_000  # each burner has a session of its own, as a bot has, and so as much of the core
    assert used is not None
    assert used.wait_ns > waited_ns / 2
    assert 200_000_000 <= used.cpu_ns < 200_000_000 + waited_ns


@pytest.mark.parametrize(("pid", "pids"), [(8, {1, 2}), (7, {1})], ids=["started", "ended"])
def test_what_was_computed_is_not_known_once_something_was_started_or_has_ended(pid: int, pids: set[int]) -> None:
    before, after = Computed(50, 7, frozenset({1, 2})), Computed(60, pid, frozenset(pids))
    assert before.since(before) == 0
    assert after.since(before) is None
    held = [ResourceUsage(last_pid=one.last_pid, pids=one.pids) for one in (before, after)]
    assert held[0].lacks_nothing_since(held[0])
    assert not held[1].lacks_nothing_since(held[0])
    assert not ResourceUsage().lacks_nothing_since(ResourceUsage())


@pytest.mark.parametrize("longest", [0, 2048], ids=["in parts", "at once"])
def test_all_children_are_listed_whatever_thread_started_them(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "_SHORT_LIST", longest)
    is_listed = Event()
    children: Queue[subprocess.Popen[bytes]] = Queue()

    def start() -> None:
        with subprocess.Popen(["sleep", "600"]) as child:
            children.put(child)
            is_listed.wait()
            child.kill()

    with ThreadPoolExecutor(1) as thread, subprocess.Popen(["sleep", "600"]) as mine:
        thread.submit(start)
        other = children.get()
        try:
            assert {mine.pid, other.pid} <= usage.own_children()
        finally:
            is_listed.set()
            mine.kill()
    assert not {mine.pid, other.pid} & usage.own_children()
