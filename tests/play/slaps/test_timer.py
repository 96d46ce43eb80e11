"""Which slap window is timed when: by a time that the test sets, with another referee that is timing too."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
from in_memory import HandTime, Pipes, ask, channel, scripted, three_bots

from protocol.messages import Limits
from referee.play.process.channel import Channel
from referee.play.pump.clock import NEVER_NS
from referee.play.pump.in_flight import MatchInFlight
from referee.play.pump.pump import Pump
from referee.play.slaps import race
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.slaps.quiet import NO_LOCK
from referee.play.slaps.timer import LOCK_PATIENCE_NS, LOCK_RETRY_NS, SlapTimer
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
    timer = SlapTimer[MatchInFlight]([], cores, lock)
    match = open_window()

    async def main() -> None:
        timer.add(match)
        assert timer.due_ns(NEVER_NS) <= time.clock.now_ns()
        assert await timer.run(time.clock.now_ns()) is None
        assert timer.due_ns(NEVER_NS) > time.clock.now_ns()
        time.be_busy(RETRY_S)
        assert timer.due_ns(NEVER_NS) == time.clock.now_ns()
        lock.is_taken = False
        assert await timer.run(time.clock.now_ns()) is match

    trio.run(main, clock=time.trio)
    assert match.replies[0].disturbed == ()
    assert timer.due_ns(NEVER_NS) == NEVER_NS
    assert HostLock(lock._path).try_acquire(), "the lock was not given back"


def test_a_window_that_has_waited_for_long_is_held_and_marked(lock: SharedLock, cores: AwakeCores) -> None:
    time = HandTime()
    timer = SlapTimer[MatchInFlight]([], cores, lock)
    first, second = open_window(), open_window()

    async def main() -> None:
        timer.add(first)
        timer.add(second)
        assert await timer.run(time.clock.now_ns()) is None
        time.be_busy(PATIENCE_S)
        assert await timer.run(time.clock.now_ns()) is first
        assert await timer.run(time.clock.now_ns()) is None, "the second has waited for its turn, not for the lock"
        time.be_busy(PATIENCE_S)
        assert await timer.run(time.clock.now_ns()) is second

    trio.run(main, clock=time.trio)
    assert [match.replies[0].disturbed for match in (first, second)] == [(NO_LOCK,)] * 2


def test_a_host_on_which_no_lock_can_be_had_is_not_waited_for(tmp_path: Path, cores: AwakeCores) -> None:
    timer = SlapTimer[MatchInFlight]([], cores, HostLock(tmp_path / "missing" / "lock"))
    match = open_window()
    timer.add(match)

    assert trio.run(timer.run, 0) is match
    assert match.replies[0].disturbed == (NO_LOCK,)


def test_the_window_of_a_match_that_is_over_is_not_timed(lock: SharedLock, cores: AwakeCores) -> None:
    timer = SlapTimer[MatchInFlight]([], cores, lock)
    match = open_window()
    lock.is_taken = False
    timer.add(match)
    match.over.set()

    assert trio.run(timer.run, 0) is None
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
