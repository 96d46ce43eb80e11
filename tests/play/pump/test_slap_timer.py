"""Which slap window is timed when: by a time that the test sets, with another referee or worker that is timing too."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing
from in_memory import PATIENCE_S as PIPES_S
from in_memory import HandTime, Pipes, ask, channel, scripted, three_bots

from protocol.messages import Limits
from referee.play.bot.channel import Channel
from referee.play.pump import slap_timer
from referee.play.pump.clock import NEVER_NS
from referee.play.pump.in_flight import MatchInFlight
from referee.play.pump.pump import Pump
from referee.play.pump.slap_timer import LOCK_PATIENCE_NS, LOCK_RETRY_NS, SlapTimer
from referee.play.slaps import race
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.slaps.neighbours import Neighbours, neighbourhood
from referee.play.slaps.quiet import NO_LOCK
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.exchange import Exchange, Reply

RETRY_S = LOCK_RETRY_NS / 1e9
PATIENCE_S = LOCK_PATIENCE_NS / 1e9

seats = pytest.fixture(three_bots)


class SharedLock(HostLock):
    """A lock that another referee of the host has until a test says otherwise."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
        self.is_taken = True
        self.tries = 0

    def try_acquire(self) -> bool:
        self.tries += 1
        return super().try_acquire() and not self.is_taken


@pytest.fixture(autouse=True)
def _alone_on_the_hardware(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other guest of a virtual machine's host takes a core; windows in which one does are told in test_race.py."""
    monkeypatch.setattr(race, "stolen_ticks", lambda: 0)


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[SharedLock]:
    with closing(SharedLock(tmp_path / "lock")) as lock:
        yield lock


@pytest.fixture
def cores() -> Iterator[AwakeCores]:
    with closing(AwakeCores()) as cores:
        yield cores


def nobody() -> Channel:
    """A bot that could not be started, and so answers in any window at once."""
    bot = BotSpec(name="nobody", command=("/does/not/exist",), dir="/", env={})
    return Channel(bot, Confinement(isolation="none"), Limits())


WINDOW = Exchange(deliveries=(ask(0, "a"),), timed=True)


def open_window() -> MatchInFlight:
    """A match with a window that is to be timed."""
    match = MatchInFlight(scripted([WINDOW], []), exchange=WINDOW)
    match.seat({0: nobody()})
    return match


def test_a_window_waits_for_another_referee_that_is_timing(lock: SharedLock, cores: AwakeCores) -> None:
    time = HandTime()
    timer = SlapTimer(time.clock, [], cores, lock=lock)
    match = open_window()

    async def main() -> None:
        timer.add(match)
        assert timer.due_ns() <= time.clock.now_ns()
        assert await timer.run() is None
        assert timer.due_ns() > time.clock.now_ns()
        time.be_busy(RETRY_S)
        assert timer.due_ns() == time.clock.now_ns()
        lock.is_taken = False
        assert await timer.run() is match

    trio.run(main, clock=time.trio)
    assert match.replies[0].disturbed == ()
    assert timer.due_ns() == NEVER_NS
    assert HostLock(lock._path).try_acquire(), "the lock was not given back"


def test_a_window_that_has_waited_for_long_is_held_and_marked(lock: SharedLock, cores: AwakeCores) -> None:
    time = HandTime()
    timer = SlapTimer(time.clock, [], cores, lock=lock)
    first, second = open_window(), open_window()

    async def main() -> None:
        timer.add(first)
        timer.add(second)
        assert await timer.run() is None
        time.be_busy(PATIENCE_S)
        assert await timer.run() is first
        assert await timer.run() is None, "the second window has waited for its turn, not for the lock"
        time.be_busy(PATIENCE_S)
        assert await timer.run() is second

    trio.run(main, clock=time.trio)
    assert [match.replies[0].disturbed for match in (first, second)] == [(NO_LOCK,)] * 2


def test_a_host_on_which_no_lock_can_be_had_is_not_waited_for(tmp_path: Path, cores: AwakeCores) -> None:
    time = HandTime()
    timer = SlapTimer(time.clock, [], cores, lock=HostLock(tmp_path / "missing" / "lock"))
    match = open_window()
    timer.add(match)

    assert trio.run(timer.run, clock=time.trio) is match
    assert match.replies[0].disturbed == (NO_LOCK,)


def test_the_second_for_the_lock_does_not_run_while_a_neighbour_is_timing(lock: SharedLock, cores: AwakeCores) -> None:
    """Each neighbour that has the lock is waited for."""
    time = HandTime()
    ours, theirs = neighbourhood(2)

    class Slow(Neighbours):
        """Whoever asks lets us go on only after a long time."""

        def stay_frozen(self, *, all_frozen: bool = True, is_next: bool = False) -> None:
            time.be_busy(PATIENCE_S)
            other.let_go_on()
            super().stay_frozen(all_frozen=all_frozen, is_next=is_next)

    neighbours, other = Slow(ours), Neighbours(theirs)
    timer = SlapTimer(time.clock, [], cores, lock=lock, neighbours=neighbours)
    match = open_window()

    async def main() -> None:
        timer.add(match)
        for _ in range(3):
            assert await timer.run() is None
            other.ask_to_freeze()
            neighbours.read(ours[0])
            assert timer.due_ns() <= time.clock.now_ns()
            assert await timer.run() is None
        lock.is_taken = False
        assert await timer.run() is match

    trio.run(main, clock=time.trio)
    assert NO_LOCK not in match.replies[0].disturbed
    other.close()
    timer.close()


def test_bots_are_frozen_for_a_neighbour_before_any_other_task_goes_on(cores: AwakeCores) -> None:
    time = HandTime()
    ours, theirs = neighbourhood(2)
    told = list[str]()

    class Telling(Neighbours):
        def stay_frozen(self, *, all_frozen: bool = True, is_next: bool = False) -> None:
            told.append("frozen")
            other.let_go_on()
            super().stay_frozen(all_frozen=all_frozen, is_next=is_next)

    async def go_on() -> None:
        told.append("another task")

    neighbours, other = Telling(ours), Neighbours(theirs)
    timer = SlapTimer(time.clock, [], cores, neighbours=neighbours)

    async def main() -> None:
        other.ask_to_freeze()
        neighbours.read(ours[0])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(go_on)
            assert await timer.run() is None

    trio.run(main, clock=time.trio)
    assert told == ["frozen", "another task"]
    other.close()
    timer.close()


@pytest.mark.parametrize("has_ended", [False, True])
def test_a_window_that_waits_is_timed_right_after_that_of_a_neighbour(
    has_ended: bool, lock: SharedLock, cores: AwakeCores
) -> None:
    """Nothing is thawed in between; a match that has ended meanwhile is passed over."""
    time = HandTime()
    ours, theirs = neighbourhood(2)
    other = Neighbours(theirs)
    told: list[bool] = []

    class Waiting(Neighbours):
        """Whoever asks has finished as soon as it has heard from us."""

        def stay_frozen(self, *, all_frozen: bool = True, is_next: bool = False) -> None:
            told.append(is_next)
            other.let_go_on()
            super().stay_frozen(all_frozen=all_frozen, is_next=is_next)

    neighbours = Waiting(ours)
    timer = SlapTimer(time.clock, [], cores, lock=lock, neighbours=neighbours)
    match = open_window()

    async def main() -> None:
        for waits in (False, True):
            if waits:
                timer.add(match)
                lock.is_taken = False
                if has_ended:
                    match.over.set()
            other.ask_to_freeze()
            neighbours.read(ours[0])
            assert await timer.run() is (match if waits and not has_ended else None)

    lock.is_taken = False
    trio.run(main, clock=time.trio)
    assert told == [False, True]
    other.close()
    timer.close()


@pytest.mark.parametrize("is_quiet", [True, False])
def test_the_lock_is_free_before_another_worker_comes_next(
    is_quiet: bool, lock: SharedLock, cores: AwakeCores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a window without doubt is followed by another at once: bots that were not frozen then would disturb it."""
    time = HandTime()
    ours, theirs = neighbourhood(2)
    elsewhere = HostLock(lock.path)
    is_free: list[bool] = []

    class Handing(Neighbours):
        def hand_over(self) -> None:
            is_free.append(elsewhere.try_acquire())
            elsewhere.release()

    if not is_quiet:
        monkeypatch.setattr(slap_timer, "LONGEST_FREEZE_S", -1.0)
    timer = SlapTimer(time.clock, [], cores, lock=lock, neighbours=Handing(ours))
    match = open_window()

    async def main() -> None:
        timer.add(match)
        assert await timer.run() is match

    lock.is_taken = False
    trio.run(main, clock=time.trio)
    assert is_free == ([True] if is_quiet else [])
    elsewhere.close()
    for fd in theirs:
        os.close(fd)
    timer.close()


def test_a_neighbour_that_has_gone_is_not_watched_any_more() -> None:
    ours, (theirs,) = neighbourhood(2)

    async def main() -> None:
        with trio.fail_after(PIPES_S), closing(Pump(neighbours=Neighbours(ours))) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                await trio.testing.wait_all_tasks_blocked()
                assert list(pump._poller.handlers) == ours
                os.close(theirs)
                while pump._poller.handlers:
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()

    trio.run(main)


def test_the_window_of_a_match_that_is_over_is_not_timed(lock: SharedLock, cores: AwakeCores) -> None:
    timer = SlapTimer(HandTime().clock, [], cores, lock=lock)
    match = open_window()
    lock.is_taken = False
    timer.add(match)
    match.over.set()

    assert trio.run(timer.run) is None
    assert match.replies == []


def test_other_matches_go_on_while_another_referee_is_timing(lock: SharedLock, seats: list[Pipes]) -> None:
    time, slapped, played = HandTime(), list[Sequence[Reply]](), list[Sequence[Reply]]()

    async def bot() -> None:
        while True:
            seats[0].answer(await seats[0].request())

    async def main() -> None:
        with closing(Pump(lock=lock, clock=time.clock)) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                nursery.start_soon(bot)
                nursery.start_soon(pump.converse, scripted([WINDOW], slapped), {0: nobody()})
                await time.wait(RETRY_S)
                asked = [Exchange(deliveries=(ask(0, str(number)),)) for number in range(20)]
                await pump.converse(scripted(asked, played), {0: channel(seats[0])})
                assert lock.tries >= 2
                assert slapped == []
                lock.is_taken = False
                await time.wait(RETRY_S)
                nursery.cancel_scope.cancel()

    trio.run(main, clock=time.trio)
    assert len(played) == 20
    assert slapped[0][0].disturbed == ()
