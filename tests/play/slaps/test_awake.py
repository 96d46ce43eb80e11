"""What keeps the cores awake while slaps are timed: the kernel where it may be asked, else the wakers."""

import os
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.play.slaps import awake
from referee.play.slaps.awake import Cores
from referee.play.slaps.wakers import Wakers


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Grows when the wakers run and when they stand again."""
    told: list[bool] = []

    @contextmanager
    def run(_: Wakers) -> Iterator[None]:
        told.append(True)
        yield
        told.append(False)

    monkeypatch.setattr(Wakers, "awake", run)
    return told


def longest_us() -> int:
    """The time that a core may take to begin, as all programs of the host together have asked the kernel."""
    fd = os.open(awake.PROMISE, os.O_RDONLY)
    try:
        (told,) = struct.unpack("=i", os.read(fd, 4))
        return int(told)
    finally:
        os.close(fd)


def test_the_kernel_keeps_the_cores_awake_only_while_slaps_are_timed(woken: list[bool]) -> None:
    if (fd := awake._open()) is None:
        pytest.skip(f"{awake.PROMISE} is for root, and for machines on which Linux puts the cores to sleep itself")
    os.close(fd)
    before = longest_us()
    with closing(Cores()) as cores:
        for _ in range(2):
            with cores.awake():
                assert longest_us() == 0
            assert longest_us() == before
        with pytest.raises(ZeroDivisionError), cores.awake():
            raise ZeroDivisionError
        assert longest_us() == before
    assert woken == []


def test_cores_that_stay_awake_do_so_beside_and_between_windows(woken: list[bool]) -> None:
    """Wakers, which use cores, keep nothing awake but windows."""
    with closing(Cores()) as cores:
        cores.stay_awake(wanted=True)
        if cores._promise is not None:
            assert longest_us() == 0
            with cores.awake():
                assert longest_us() == 0
            assert longest_us() == 0
            cores.stay_awake(wanted=False)
    assert woken == []


@pytest.mark.parametrize("driver", ["none", "haltpoll", None])
def test_where_the_kernel_cannot_be_asked_there_are_wakers(
    driver: str | None, woken: list[bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no such file, or one that changes nothing."""
    monkeypatch.setattr(awake, "_DRIVER", tmp_path / "driver")
    promise = tmp_path / "promise"
    if driver is not None:
        (tmp_path / "driver").write_text(f"{driver}\n")
    if driver != "haltpoll":
        promise.touch()
    monkeypatch.setattr(awake, "PROMISE", str(promise))
    with closing(Cores()) as cores:
        with cores.awake():
            assert woken == [True]
        assert woken == [True, False]
    assert not promise.exists() or promise.read_bytes() == b""
