"""Workers that are forked: whose they are, what they have open, how they end, and that nothing is left."""

import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from referee.play.process import orphans
from referee.play.process.usage import own_children
from referee.tournament.run.hatchery import Hatched, hatch, hatchery

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(sys.platform != "linux", reason="there is a hatchery on Linux only"),
]

PATIENCE_S = 60.0


def tell(words: Sequence[str]) -> None:
    """A worker that tells of itself, and ends as it is ordered."""
    are_open = [fd for fd in range(1024) if is_open(fd)]
    told = [os.getsid(0) == os.getpid(), *words, "open:", *are_open]
    os.write(1, " ".join(map(str, told)).encode())
    if order := os.read(0, 16):
        raise SystemExit(int(order))


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


class Pipes:
    """Both ends of a worker's two pipes."""

    def __init__(self) -> None:
        self.orders, self.give = os.pipe()
        self.take, self.reports = os.pipe()

    def hatch(self, *words: str) -> Hatched:
        worker = hatch(words, self.orders, self.reports)
        assert worker is not None
        orphans.register(worker.pid)
        return worker

    def said(self) -> list[str]:
        assert select.select([self.take], [], [], PATIENCE_S)[0]
        return os.read(self.take, 4096).decode().split()

    def close(self) -> None:
        for fd in (self.orders, self.give, self.take, self.reports):
            os.close(fd)


@pytest.fixture
def before() -> set[str]:
    """What the tests have open."""
    return {str(fd) for fd in range(1024) if is_open(fd)}


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    """They are opened after the hatchery has begun, as in a run."""
    with hatchery(tell), orphans.nothing_left_behind():
        some = Pipes()
        yield some
        some.close()


def end_of(worker: Hatched) -> int:
    fd = os.pidfd_open(worker.pid)
    assert select.select([fd], [], [], PATIENCE_S)[0]
    os.close(fd)
    code = worker.poll()
    assert code is not None
    orphans.unregister(worker.pid)
    assert not Path(f"/proc/{worker.pid}").exists()
    return code


def test_a_forked_worker_is_our_child_in_a_session_of_its_own_and_has_nothing_open_that_we_opened(
    before: set[str], pipes: Pipes
) -> None:
    worker = pipes.hatch("2", "match")
    is_leader, jobs, reuse, _, *are_open = pipes.said()
    assert (is_leader, jobs, reuse) == ("True", "2", "match")
    assert worker.pid in own_children()
    assert not set(are_open) - before
    assert worker.poll() is None
    os.write(pipes.give, b"0")
    assert end_of(worker) == 0


def test_how_a_forked_worker_ended_is_known(pipes: Pipes) -> None:
    one, other = pipes.hatch("one"), pipes.hatch("other")
    other.kill()
    assert end_of(other) == -signal.SIGKILL
    other.kill()
    os.write(pipes.give, b"7")
    assert end_of(one) == 7


def test_where_the_hatchery_is_gone_none_is_forked() -> None:
    before = own_children()
    with hatchery(tell):
        (pid,) = own_children() - before
        pipes = Pipes()
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert hatch(["1"], pipes.orders, pipes.reports) is None
        assert hatch(["1"], pipes.orders, pipes.reports) is None
        pipes.close()
    assert not Path(f"/proc/{pid}").exists()


def test_without_a_hatchery_none_is_forked() -> None:
    assert hatch(["1"], 0, 1) is None
