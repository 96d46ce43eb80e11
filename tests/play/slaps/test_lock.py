"""The lock that referees of one host share, and what a window does that has to wait for it."""

import os
from pathlib import Path

import pytest
from ahead import Ahead
from racing import setup, slapper, windows

from referee.play.match import play
from referee.play.pump import pump as pump_module
from referee.play.pump.clock import Clock
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import quiet
from referee.play.slaps.lock import HostLock
from referee.play.slaps.neighbours import Neighbours, neighbourhood
from referee.rules.record import Record

PATIENCE_S = 600.0


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
    monkeypatch.setattr(pump_module, "Clock", lambda: Clock(clock.monotonic_ns))
    monkeypatch.setattr(pump_module, "LOCK_PATIENCE_NS", round(PATIENCE_S * 1e9))
    ours, theirs = (Neighbours(fds) for fds in neighbourhood(2))
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
