"""The lock that the referees of a user share on one host."""

import fcntl
from contextlib import closing
from pathlib import Path

import pytest

from referee.play.slaps.lock import HostLock


def test_one_referee_of_a_host_is_timing_at_a_time(tmp_path: Path) -> None:
    first, second = HostLock(tmp_path / "lock"), HostLock(tmp_path / "lock")
    assert first.try_acquire()
    assert not second.try_acquire()
    first.release()
    assert second.try_acquire()
    first.close()
    second.close()


def test_another_user_cannot_hold_up_a_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "golfref-timing.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for user in ("one", "another"):
            (tmp_path / user).mkdir(0o700)
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "one"))
        with closing(HostLock()) as ours, closing(HostLock()) as theirs:
            assert ours.try_acquire()
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "another"))
            assert theirs.try_acquire()


def test_without_its_file_the_lock_is_never_had(tmp_path: Path) -> None:
    lock = HostLock(tmp_path / "missing" / "lock")
    assert not lock.try_acquire()
    lock.release()
    lock.close()
