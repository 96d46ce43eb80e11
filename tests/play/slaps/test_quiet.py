"""What is kept quiet while slaps are timed: the bots of this referee."""

import os
import select
import subprocess
import sys
from functools import partial

import pytest
import trio

from protocol.messages import Limits
from referee.play.process.channel import Channel
from referee.play.process.process import BotProcess
from referee.play.process.usage import states
from referee.play.slaps import quiet
from referee.play.slaps.quiet import before_all_others, freeze_fully, frozen
from referee.play.spec import BotSpec, Confinement

PATIENCE_S = 50.0

SAYS_BYE = "import sys; sys.stdin.read(); sys.stderr.write('bye')"


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")
def test_a_bot_that_is_to_end_while_slaps_are_timed_is_frozen_until_they_are_over(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes, it has its time to end by itself then."""
    now_ns = 0
    monkeypatch.setattr(quiet, "FREEZE_NS", 60_000_000_000)
    bot = BotSpec(name="bot", command=(sys.executable, "-c", SAYS_BYE), dir="/", env=mark)
    process = BotProcess(bot, Confinement(), now_ns=lambda: now_ns)
    channel = Channel(bot, Confinement(), Limits(), process)
    channel.paused = False
    read, looks = channel.drain_stderr, 0

    def drain() -> None:
        nonlocal looks
        looks += 1
        read()

    monkeypatch.setattr(channel, "drain_stderr", drain)

    async def main() -> None:
        nonlocal now_ns
        async with trio.open_nursery() as nursery:
            with frozen([channel]):
                assert freeze_fully(process)
                while states([process.pid]) != {"T"}:  # the end of a system call may need a core
                    await trio.lowlevel.checkpoint()
                nursery.start_soon(partial(channel.stop, patience_s=PATIENCE_S))
                while looks < 3 and not process.has_exited():
                    await trio.lowlevel.checkpoint()
                    now_ns += round(PATIENCE_S * 1e9)
                assert states([process.pid]) == {"T"}

    trio.run(main)
    assert channel.stderr.text() == "bye"


OBEYS = """
import os, sys, threading
def rest(): threading.Event().wait()
for order in sys.stdin:
    if order == "thread\\n": threading.Thread(target=rest, daemon=True).start()
    if order == "child\\n" and not os.fork(): rest()
    print(flush=True)
"""
"""Starts a thread or a child when it is told to."""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")
def test_a_bot_of_one_process_is_stopped_when_all_its_threads_are(mark: dict[str, str]) -> None:
    bot = BotSpec(name="bot", command=(sys.executable, "-c", OBEYS), dir="/", env=mark)
    process = BotProcess(bot, Confinement())

    def obey(order: str) -> None:
        os.write(process.stdin, f"{order}\n".encode())
        assert select.select([process.stdout], [], [], PATIENCE_S)[0]
        assert os.read(process.stdout, 100) == b"\n"

    try:
        for order in ("nothing", "thread"):
            obey(order)
            assert not process.is_stopped()
            process.freeze()
            while not process.is_stopped():
                pass
            assert states([process.pid]) == {"T"}
            assert process.is_stopped(), "however often that is asked"
            process.thaw()
            assert not process.is_stopped()
        obey("child")
        process.freeze()
        while states(process.members()) != {"T"}:
            pass
        assert not process.is_stopped(), "its child might not be"
    finally:
        process.kill()
        process.close_stdin()
        process.reap()
        process.give_back()
    assert not process.is_stopped(), "it is gone"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no such ranks")
def test_the_referee_goes_before_all_others_only_while_it_times() -> None:
    former = os.sched_getscheduler(0)
    with before_all_others():
        inside = os.sched_getscheduler(0)
        inherited = subprocess.run(["sh", "-c", "cat /proc/self/sched"], capture_output=True, text=True, check=False)
    assert os.sched_getscheduler(0) == former
    assert inside in {former, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK}
    policies = [line.split()[-1] for line in inherited.stdout.splitlines() if line.startswith("policy")]
    assert policies in ([], [str(os.SCHED_OTHER)])
