"""The lock that referees of one host share."""

import os
from pathlib import Path

from referee.play.slaps.lock import HostLock


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
