"""What is kept quiet while slaps are timed: other referees of the host, and the other workers of a run."""

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
import trio
from ahead import Ahead
from racing import setup, slapper, windows

from protocol.messages import Clocks, Limits
from referee.play.bot import orphans
from referee.play.bot import process as process_module
from referee.play.bot.channel import Channel
from referee.play.bot.procfs import states
from referee.play.match import play
from referee.play.pump import naps
from referee.play.pump import pump as pump_module
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import quiet
from referee.play.slaps.quiet import HostLock, Neighbours, bring_to_rest, held_still, neighbourhood
from referee.play.spec import BotSpec, Confinement
from referee.rules.record import Record

PATIENCE_S = 600.0

# The lock that referees of one host share


def test_one_referee_of_a_host_is_timing_at_a_time(tmp_path: Path) -> None:
    first, second = HostLock(tmp_path / "lock"), HostLock(tmp_path / "lock")
    assert first.try_acquire()
    assert not second.try_acquire()
    first.release()
    assert second.try_acquire()
    first.close()
    second.close()


def test_the_lock_is_for_every_user_of_the_host(tmp_path: Path) -> None:
    umask = os.umask(0o077)
    lock = HostLock(tmp_path / "lock")
    try:
        assert lock.try_acquire()
    finally:
        os.umask(umask)
        lock.close()
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o644


def test_without_its_file_the_lock_is_never_had(tmp_path: Path) -> None:
    lock = HostLock(tmp_path / "missing" / "lock")
    assert not lock.try_acquire()
    lock.release()
    lock.close()


class Taken(HostLock):
    """Another referee has the lock until it has been asked for so many times."""

    def __init__(self, path: Path, times: int) -> None:
        super().__init__(path)
        self.times = times

    def try_acquire(self) -> bool:
        self.times -= 1
        return self.times < 0 and super().try_acquire()

    @property
    def is_there(self) -> bool:
        return True


def with_lock(lock: HostLock, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """A match with windows beside one without, by a pump that has this lock."""
    monkeypatch.setattr(pump_module, "HostLock", lambda: lock)
    records: list[Record] = []

    async def race_on(pump: Pump) -> None:
        records.append(await play(pump, setup([slapper(0)] * 2, mark)))

    async def play_on(pump: Pump) -> None:
        records.append(await play(pump, setup(["play(None)"] * 2, mark, preset="six-card-knock")))

    run_session([race_on, play_on])
    return records


def test_other_matches_go_on_while_another_referee_is_timing(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is free only once the other match is over."""
    monkeypatch.setattr(pump_module, "LOCK_PATIENCE_NS", 3_600_000_000_000)
    lock = Taken(tmp_path / "lock", 1_000_000_000)
    forget = Pump.channels
    over: list[bool] = []

    def free_at_the_end(pump: Pump) -> object:
        if len(pump._lives) < 2 and lock.times < 999_999_999:
            over.append(bool(lock.times))
            lock.times = 0
        return forget(pump)

    monkeypatch.setattr(Pump, "channels", free_at_the_end)
    knocked, slapped = with_lock(lock, mark, monkeypatch)

    assert over
    assert (knocked.name, slapped.name) == ("six-card-knock", "cactus")
    assert not any(quiet.NO_LOCK in window.disturbed for window in windows(slapped))


def test_a_window_without_the_lock_is_held_and_marked(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pump_module, "LOCK_PATIENCE_NS", 5_000_000)
    records = with_lock(Taken(tmp_path / "lock", 1_000_000_000), mark, monkeypatch)

    (slapped,) = (record for record in records if record.name == "cactus")
    assert windows(slapped)
    assert all(quiet.NO_LOCK in window.disturbed for window in windows(slapped))


def test_the_second_for_the_lock_does_not_run_while_a_neighbour_is_timing(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another neighbour has taken the lock when it goes on; it waits for that one too."""
    clock = Ahead()
    monkeypatch.setattr(pump_module, "time", clock)
    monkeypatch.setattr(naps, "time", clock)
    monkeypatch.setattr(pump_module, "LOCK_PATIENCE_NS", round(PATIENCE_S * 1e9))
    ours, theirs = workers(2)
    asked_at = {3, 5}  # of the tries to take the lock

    def stand_still(**_: bool) -> None:
        clock.by_ns += round(PATIENCE_S * 1e9)
        theirs.end()
        ours.read(ours.fds[0])

    class Changing(Taken):
        def try_acquire(self) -> bool:
            if self.times in asked_at:
                theirs.begin()
            return super().try_acquire()

    monkeypatch.setattr(ours, "stand_still", stand_still)
    monkeypatch.setattr(pump_module, "HostLock", lambda: Changing(tmp_path / "lock", 6))
    records: list[Record] = []

    async def work(pump: Pump) -> None:
        records.append(await play(pump, setup([slapper(0)] * 2, mark)))

    run_session([work], ours)
    theirs.close()
    assert clock.by_ns
    assert not any(quiet.NO_LOCK in window.disturbed for window in windows(records[0]))


# Bots that are to end meanwhile

SAYS_BYE = "import sys; sys.stdin.read(); sys.stderr.write('bye')"


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")
def test_a_bot_that_is_to_end_while_slaps_are_timed_stands_still_until_they_are_over(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes, it has its time to end by itself then."""
    clock = Ahead()
    monkeypatch.setattr(process_module, "time", clock)
    monkeypatch.setattr(quiet, "REST_NS", 60_000_000_000)
    bot = BotSpec(name="bot", command=(sys.executable, "-c", SAYS_BYE), dir="/", env=mark)
    channel = Channel(bot, Confinement(), Limits())
    process, read, looks = channel.process, channel.drain_stderr, 0
    assert process is not None

    def drain() -> None:
        nonlocal looks
        looks += 1
        read()

    monkeypatch.setattr(channel, "drain_stderr", drain)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            with held_still([channel]):
                assert bring_to_rest(process)
                nursery.start_soon(partial(channel.stop, patience_s=PATIENCE_S))
                while looks < 3 and not process.has_exited():
                    await trio.lowlevel.checkpoint()
                    clock.by_ns += round(PATIENCE_S * 1e9)
                assert states([process.pid]) == {"T"}

    trio.run(main)
    assert channel.stderr.text() == "bye"


# The other workers of a run


def workers(count: int) -> list[Neighbours]:
    return [Neighbours(fds) for fds in neighbourhood(count)]


def stands_still(neighbour: Neighbours) -> threading.Thread:
    """A thread that does what the pump of a worker does when it is asked; it ends when that goes on."""
    for fd in list(neighbour.fds):
        neighbour.read(fd)
    thread = threading.Thread(target=neighbour.stand_still)
    thread.start()
    return thread


def test_all_others_are_still_until_the_one_that_is_timing_lets_them_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "ANSWER_S", 60.0)
    monkeypatch.setattr(quiet, "LONGEST_STILL_S", 60.0)
    timing, *others = workers(3)
    for _ in range(130):  # more than a byte counts
        timing.begin()
        threads = [stands_still(other) for other in others]
        assert timing.are_still()
        assert all(other.wants_stillness() for other in others)
        timing.end()
        for thread in threads:
            thread.join()
    for one in (timing, *others):
        one.close()


def test_who_is_not_still_in_time_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "ANSWER_S", 0.0)
    timing, other = workers(2)
    timing.begin()
    assert not timing.are_still()
    timing.end()
    other.close()
    timing.close()


def test_what_was_said_too_late_is_not_taken_for_the_next_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "ANSWER_S", 0.0)
    timing, other = workers(2)
    timing.begin()
    thread = stands_still(other)
    timing.end()
    thread.join()
    timing.begin()
    assert not timing.are_still()
    timing.close()
    other.close()


def test_who_has_gone_on_meanwhile_is_not_asked_any_more() -> None:
    timing, other = workers(2)
    timing.begin()
    timing.end()
    stands_still(other).join()
    assert not other.wants_stillness()
    timing.close()
    other.close()


def test_who_does_not_work_yet_or_any_more_is_not_waited_for() -> None:
    ours, theirs = neighbourhood(2)
    timing = Neighbours(ours)
    timing.begin()
    assert timing.are_still()
    for fd in theirs:
        os.close(fd)
    timing.begin()
    assert timing.are_still()
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
        timing.begin()
        thread = stands_still(other)
        assert timing.are_still()
        timing.end()
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


def test_nobody_stands_still_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the one that asked has gone, or forgets."""
    monkeypatch.setattr(quiet, "LONGEST_STILL_S", 0.001)
    timing, other = workers(2)
    timing.begin()
    stands_still(other).join()
    assert not other.wants_stillness()
    timing.begin()
    timing.close()
    stands_still(other).join()
    assert other.fds == []
    other.close()


NEIGHBOUR = """
import sys
from racing import setup
from protocol.messages import Clocks
from referee.play.match import play
from referee.play.session import Interrupted, run_session
from referee.play.slaps import quiet
from referee.play.slaps.quiet import Neighbours
quiet.REST_NS, quiet.LONGEST_STILL_S = 60_000_000_000, 60.0
mark, fd, bot = eval(sys.argv[1])
async def work(pump):
    bots = [bot, "say = lambda *_: time.sleep(3600)\\nplay(None)"]
    await play(pump, setup(bots, mark, preset="six-card", clocks=Clocks(move_s=3600.0, bank_s=36000.0)))
try:
    run_session([work], Neighbours([fd]))
except Interrupted:
    pass
"""
"""Another worker, with a match that never ends."""

COMPUTES = """
def say(request, kind=""):
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
    say(request)
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
def test_the_bots_of_another_worker_stand_still_while_slaps_are_timed(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANSWER_S", "LONGEST_STILL_S"):
        monkeypatch.setattr(quiet, name, 60.0)
    monkeypatch.setattr(pump_module, "HostLock", lambda: HostLock(tmp_path / "lock"))
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    ours, theirs = neighbourhood(2)
    given = repr((mark, theirs[0], COMPUTES.format(fifo=str(fifo))))
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen([sys.executable, "-c", NEIGHBOUR, given], pass_fds=theirs, env=os.environ | path)
    orphans.begun(worker.pid)  # it is none of the orphans that a session ends
    os.close(theirs[0])
    records: list[Record] = []
    try:
        watching = WATCHES.format(pid=first_words(fifo))

        async def work(pump: Pump) -> None:
            clocks = Clocks(move_s=60.0, bank_s=600.0, slap_s=10.0)
            records.append(await play(pump, setup([watching, slapper(0, turns=2)], mark, clocks=clocks)))

        run_session([work], Neighbours(ours))
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(timeout=PATIENCE_S)
        orphans.ended(worker.pid)

    (record,) = records
    played = [window for window in windows(record) if 0 in window.asked]
    assert played
    assert record.seats[0].stderr.splitlines() == ["True T"] * len(played)
    assert not any(quiet.NOT_ALONE in window.disturbed for window in played)
