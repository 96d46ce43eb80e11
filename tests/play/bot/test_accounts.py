"""What the kernel counts for each user or for the host may be full: the match goes on, and nobody else is blamed."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trio
from arena import Arena
from needs import Organiser, need_lent_ids, need_no_ids

from protocol.messages import Limits
from referee.play.faults import HostFault
from referee.play.pump import pump as pumps
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement

ROOMY = {"memory_mb": 512, "files": 256, "processes": 64}


@pytest.mark.skipif(sys.platform != "linux", reason="cells are Linux's")
@pytest.mark.parametrize("what", ["pipes", "signals", "in_flight", "files", "sockets", "timers", "locked", "terminals"])
def test_a_match_goes_on_beside_a_full_account(arena: Arena, what: str) -> None:
    hostile, honest = arena.play(arena.bot("fills_an_account", what), arena.bot("honest"), limits=ROOMY).seats
    assert f"{what}: " in hostile.stderr
    assert (honest.faults, honest.forfeited) == ({}, False)
    assert hostile.faults == {}


@pytest.mark.skipif(sys.platform != "linux", reason="cells are Linux's")
@pytest.mark.parametrize("needed", [need_lent_ids, need_no_ids])
def test_memory_of_the_kernel_is_the_memory_of_the_bot_that_has_it(
    mark: dict[str, str], needed: Callable[[], Organiser]
) -> None:
    with TemporaryDirectory(prefix="golfref-test-") as folder:  # pytest's are closed to other users
        arena = Arena(Path(folder), mark, needed())
        bots = [arena.bot("hides_in_the_kernel", what) for what in ("tables", "tmp", "shm")]
        record = arena.play(*bots, arena.bot("honest"))
        arena.close()
    *hostile, honest = record.seats
    assert (honest.faults, honest.forfeited) == ({}, False)
    assert [seat.faults for seat in hostile] == [{"crashed": 1}] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="cells are Linux's")
def test_lists_of_mappings_are_the_memory_of_the_bot_that_has_them(mark: dict[str, str]) -> None:
    with TemporaryDirectory(prefix="golfref-test-") as folder:
        arena = Arena(Path(folder), mark, need_lent_ids())
        limits = {"memory_mb": 200}  # what is resident is less
        record = arena.play(arena.bot("splits_its_mappings", "18"), arena.bot("honest"), limits=limits)
        arena.close()
    hostile, honest = record.seats
    assert (honest.faults, honest.forfeited) == ({}, False)
    assert hostile.faults == {"crashed": 1}


@pytest.mark.parametrize("isolation", ["limits", "bwrap"])
def test_nothing_that_a_bot_does_to_its_pipes_keeps_the_referee_from_its_work(arena: Arena, isolation: str) -> None:
    record = arena.play(arena.bot("abuses_its_pipes"), arena.bot("honest"), isolation=isolation)
    assert "steal_its_output: " in record.seats[0].stderr
    assert [seat.faults for seat in record.seats] == [{}, {}]


class Refusing:
    """A host that starts no process for the first few times."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self._popen = subprocess.Popen

    def __call__(self, *args: Any, **kwargs: Any) -> "subprocess.Popen[bytes]":
        self.refusals -= 1
        if self.refusals >= 0:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return self._popen(*args, **kwargs)


def started(mark: dict[str, str]) -> bool:
    """Whether a bot could be started."""
    spec = BotSpec(name="bot", command=(sys.executable, "-c", "input()"), dir="/", env=mark)

    async def main() -> bool:
        pump = Pump()
        channel = await pump.start_bot(spec, Confinement(isolation="none"), Limits())
        await channel.stop(patience_s=0.0)
        pump.let_go(channel)
        pump.close()
        return channel.process is not None

    return trio.run(main)


def test_a_bot_is_started_once_the_host_has_room(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pumps, "LOOK_S", 0.001)
    monkeypatch.setattr(subprocess, "Popen", Refusing(3))
    assert started(mark)


def test_a_host_that_has_no_room_for_long_is_at_fault(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pumps, "ROOM_S", 0.01)
    monkeypatch.setattr(subprocess, "Popen", Refusing(1000))
    with pytest.raises(HostFault, match="cannot start another process"):
        started(mark)
