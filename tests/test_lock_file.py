"""Locks are files that nobody but their user can open, and so nobody else can hold."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from referee.lock_file import alone_in, locked, open_lock, try_lock, unlock, users_folder


@contextmanager
def umask(bits: int) -> Iterator[None]:
    before = os.umask(bits)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("bits", [0, 0o022, 0o277])
def test_only_its_user_can_open_a_lock_whatever_the_umask(tmp_path: Path, bits: int) -> None:
    with umask(bits):
        fd = try_lock(tmp_path / "lock")
    assert fd is not None
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o600
    unlock(tmp_path / "lock", fd)


def test_a_lock_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.close(open_lock(tmp_path / "lock"))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match="lock is not a lock file that only you can open"):
        try_lock(tmp_path / "lock")


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        try_lock(tmp_path / "lock")


def test_who_holds_a_lock_that_all_could_open_is_not_taken_for_golfref(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    path.chmod(0o644)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(PermissionError, match="remove it"):
            try_lock(path)
    fd = try_lock(path)
    assert fd is not None
    assert path.stat().st_mode & 0o777 == 0o600
    unlock(path, fd)


def test_a_lock_that_another_process_holds_is_waited_for_or_told(tmp_path: Path) -> None:
    holder = ExitStack()
    holder.enter_context(locked(tmp_path / "lock"))
    with pytest.raises(BlockingIOError), locked(tmp_path / "lock"):
        pass
    with locked(tmp_path / "lock", waits=holder.close):
        pass
    assert os.listdir(tmp_path) == []


def test_who_can_open_a_folder_cannot_hold_its_lock(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    with alone_in(fd), pytest.raises(BlockingIOError), alone_in(fd):
        pass
    os.close(fd)


def test_the_folder_of_locks_is_that_of_the_login_if_only_its_user_can_enter_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, temporary = tmp_path / "given", tmp_path / "temporary"
    given.mkdir(0o700)
    temporary.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(given))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert users_folder() == given
    given.chmod(0o755)
    made = users_folder()
    assert (made.parent, made.stat().st_mode & 0o777) == (temporary, 0o700)
    assert users_folder() == made


@pytest.mark.parametrize("other", ["link", "open", "file"])
def test_nobody_can_take_the_place_of_the_folder_of_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = tmp_path / f"golfref-{os.geteuid()}"
    if other == "link":
        (tmp_path / "elsewhere").mkdir(0o700)
        place.symlink_to(tmp_path / "elsewhere")
    elif other == "open":
        place.mkdir()
        place.chmod(0o777)
    else:
        place.touch(0o600)
    made = users_folder()
    assert made.is_relative_to(tmp_path / "home")
    assert made.stat().st_mode & 0o777 == 0o700
    made.chmod(0o755)
    with pytest.raises(PermissionError, match="only you can enter"):
        users_folder()
