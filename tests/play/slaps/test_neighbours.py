"""The other workers of a run, which freeze their bots while one of them times slaps."""

import fcntl
import itertools
import os
import resource
import select
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from racing import setup, slapper, windows

from protocol.messages import Clocks
from referee.play.bot import orphans
from referee.play.match import play
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import neighbours, quiet
from referee.play.slaps.lock import HostLock
from referee.play.slaps.neighbours import Neighbours, neighbourhood
from referee.rules.record import Record

pytestmark = pytest.mark.full

PATIENCE_S = 50.0


def workers(count: int) -> list[Neighbours]:
    return [Neighbours(fds) for fds in neighbourhood(count)]


def stays_frozen(neighbour: Neighbours, *, is_next: bool = False) -> threading.Thread:
    """A thread that does what the pump of a worker does when it is asked; it ends when that goes on."""
    for fd in list(neighbour.fds):
        neighbour.read(fd)
    thread = threading.Thread(target=partial(neighbour.stay_frozen, is_next=is_next))
    thread.start()
    return thread


def test_all_others_freeze_until_the_worker_that_is_timing_lets_them_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(neighbours, "ANSWER_S", 60.0)
    monkeypatch.setattr(neighbours, "LONGEST_FREEZE_S", 60.0)
    timing, *others = workers(3)
    for _ in range(130):  # more than a byte counts
        timing.ask_to_freeze()
        threads = [stays_frozen(other) for other in others]
        assert timing.have_frozen()
        assert all(other.want_freeze() for other in others)
        timing.let_go_on()
        for thread in threads:
            thread.join()
    for one in (timing, *others):
        one.close()


def test_a_worker_that_does_not_freeze_its_bots_in_time_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "ANSWER_S", 0.0)
    timing, other = workers(2)
    timing.ask_to_freeze()
    assert not timing.have_frozen()
    timing.let_go_on()
    other.close()
    timing.close()


def test_what_was_said_too_late_is_not_taken_for_the_next_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "ANSWER_S", 0.0)
    timing, other = workers(2)
    timing.ask_to_freeze()
    thread = stays_frozen(other)
    timing.let_go_on()
    thread.join()
    timing.ask_to_freeze()
    assert not timing.have_frozen()
    timing.close()
    other.close()


def test_who_has_gone_on_meanwhile_is_not_asked_any_more() -> None:
    timing, other = workers(2)
    timing.ask_to_freeze()
    timing.let_go_on()
    stays_frozen(other).join()
    assert not other.want_freeze()
    timing.close()
    other.close()


def test_who_waits_for_a_window_of_its_own_comes_next_and_nobody_thaws_in_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ANSWER_S", "LONGEST_FREEZE_S", "HAND_OVER_S"):
        monkeypatch.setattr(neighbours, name, 60.0)
    timing, second, third = workers(3)
    timing.ask_to_freeze()
    threads = [stays_frozen(second, is_next=True), stays_frozen(third)]
    assert timing.have_frozen()
    handing = threading.Thread(target=timing.hand_over)
    handing.start()
    for thread in threads:
        thread.join()
    second.ask_to_freeze()
    threads = [handing, stays_frozen(third)]
    assert second.have_frozen()
    assert all(thread.is_alive() for thread in threads)
    second.let_go_on()
    for thread in threads:
        thread.join()
    assert not timing.want_freeze()
    for one in (timing, second, third):
        one.close()


@pytest.mark.parametrize("is_gone", [True, False])
def test_who_does_not_come_although_it_is_next_is_not_waited_for(
    is_gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "ANSWER_S", 60.0)
    monkeypatch.setattr(neighbours, "HAND_OVER_S", 60.0 if is_gone else 0.0)
    timing, second = workers(2)
    timing.ask_to_freeze()
    thread = stays_frozen(second, is_next=True)
    assert timing.have_frozen()
    if is_gone:
        timing.let_go_on()
        thread.join()
        second.close()
    timing.hand_over()
    thread.join()
    assert timing.fds == ([] if is_gone else list(timing._all))
    timing.close()
    if not is_gone:
        second.close()


def test_who_waited_when_it_was_asked_before_does_not_come_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the others would stay frozen for nothing."""
    monkeypatch.setattr(neighbours, "ANSWER_S", 60.0)
    timing, second = workers(2)
    timing.ask_to_freeze()
    thread = stays_frozen(second, is_next=True)
    assert timing.have_frozen()
    timing.let_go_on()
    thread.join()
    timing.ask_to_freeze()
    thread = stays_frozen(second)
    assert timing.have_frozen()
    timing.hand_over()
    assert thread.is_alive(), "there was nothing to hand over"
    timing.let_go_on()
    thread.join()
    timing.close()
    second.close()


def test_who_does_not_work_yet_or_any_more_is_not_waited_for() -> None:
    ours, theirs = neighbourhood(2)
    timing = Neighbours(ours)
    timing.ask_to_freeze()
    assert timing.have_frozen()
    for fd in theirs:
        os.close(fd)
    timing.ask_to_freeze()
    assert timing.have_frozen()
    assert timing.fds == []
    timing.close()


def test_descriptors_may_have_any_number() -> None:
    """select.select takes none above 1023."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] != resource.RLIM_INFINITY and limits[1] < 2048:
        pytest.skip("this host allows no such descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, limits[1]))
    joined = neighbourhood(2)
    try:
        timing, other = (Neighbours([fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 1500) for fd in fds]) for fds in joined)
        timing.ask_to_freeze()
        thread = stays_frozen(other)
        assert timing.have_frozen()
        timing.let_go_on()
        thread.join()
        timing.close()
        other.close()
    finally:
        for fd in itertools.chain(*joined):
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_no_descriptor_is_left_where_there_may_not_be_so_many() -> None:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = os.listdir("/dev/fd")
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            neighbourhood(16)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert os.listdir("/dev/fd") == before


def test_no_bot_is_frozen_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the one that asked has gone, or forgets."""
    monkeypatch.setattr(neighbours, "LONGEST_FREEZE_S", 0.001)
    timing, other = workers(2)
    timing.ask_to_freeze()
    stays_frozen(other).join()
    assert not other.want_freeze()
    timing.ask_to_freeze()
    timing.close()
    stays_frozen(other).join()
    assert other.fds == []
    other.close()


NEIGHBOUR = """
import sys
from racing import setup
from protocol.messages import Clocks
from referee.play.match import play
from referee.play.pump.pump import Pump
from referee.play.session import Interrupted, run_session
from referee.play.slaps import neighbours, quiet
from referee.play.slaps.neighbours import Neighbours
quiet.FREEZE_NS, neighbours.LONGEST_FREEZE_S = 60_000_000_000, 60.0
mark, fd, bot = eval(sys.argv[1])
async def work(pump):
    bots = [bot, "respond = lambda *_: time.sleep(3600)\\nplay(None)"]
    await play(pump, setup(bots, mark, preset="six-card", clocks=Clocks(move_s=3600.0, bank_s=36000.0)))
try:
    run_session([work], Pump(neighbours=Neighbours([fd])))
except Interrupted:
    pass
"""
"""Another worker, with a match that never ends."""

COMPUTES = """
def respond(request, kind=""):
    Path({fifo!r}).write_text(str(os.getpid()))
    while True: pass
play(None)
"""

WATCHES = """
used = lambda: Path("/proc/{pid}/schedstat").read_text().split()[0]
def slap(request):
    before, end = used(), time.monotonic() + 0.02
    while time.monotonic() < end: pass
    state = Path("/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    print(before == used(), state, file=sys.stderr)
    respond(request)
play(slap, turns=2)
"""


def first_words(fifo: Path) -> str:
    """What is written to it by the first one that does."""
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert select.select([fd], [], [], PATIENCE_S)[0], "nobody wrote"
        return os.read(fd, 4096).decode()
    finally:
        os.close(fd)


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")
def test_the_bots_of_another_worker_are_frozen_while_slaps_are_timed(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANSWER_S", "LONGEST_FREEZE_S"):
        monkeypatch.setattr(neighbours, name, 60.0)
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    ours, theirs = neighbourhood(2)
    given = repr((mark, theirs[0], COMPUTES.format(fifo=str(fifo))))
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen([sys.executable, "-c", NEIGHBOUR, given], pass_fds=theirs, env=os.environ | path)
    orphans.register(worker.pid)  # it is none of the orphans that a session ends
    os.close(theirs[0])
    records: list[Record] = []
    try:
        watching = WATCHES.format(pid=first_words(fifo))

        async def work(pump: Pump) -> None:
            clocks = Clocks(move_s=60.0, bank_s=600.0, slap_s=10.0)
            records.append(await play(pump, setup([watching, slapper(0, turns=2)], mark, clocks=clocks)))

        run_session([work], Pump(lock=HostLock(tmp_path / "lock"), neighbours=Neighbours(ours)))
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(timeout=PATIENCE_S)
        orphans.unregister(worker.pid)

    (record,) = records
    played = [window for window in windows(record) if 0 in window.asked]
    assert played
    assert record.seats[0].stderr.splitlines() == ["True T"] * len(played)
    assert not any(quiet.NEIGHBOUR_NOT_FROZEN in window.disturbed for window in played)
