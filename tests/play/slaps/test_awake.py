"""What keeps the cores awake while slaps are timed: the kernel where it may be asked, else the wakers."""

import struct
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.play.slaps import awake
from referee.play.slaps.awake import Cores
from referee.play.slaps.wakers import Wakers

AT_ONCE, ANY = 0, 2_000_000_000


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


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """What the kernel has been asked: a file of ours stands for its own, and keeps all of it."""
    driver, promise = tmp_path / "driver", tmp_path / "promise"
    driver.write_text("haltpoll\n")
    promise.touch()
    monkeypatch.setattr(awake, "_DRIVER", driver)
    monkeypatch.setattr(awake, "PROMISE", str(promise))
    return lambda: [us for (us,) in struct.iter_unpack("=i", promise.read_bytes())]


def test_the_kernel_keeps_the_cores_awake_only_while_slaps_are_timed(
    woken: list[bool], asked: Callable[[], list[int]]
) -> None:
    with closing(Cores()) as cores:
        with cores.awake():
            assert asked() == [AT_ONCE]
        with pytest.raises(ZeroDivisionError), cores.awake():
            raise ZeroDivisionError
    assert asked() == [AT_ONCE, ANY, AT_ONCE, ANY]
    assert woken == []


def test_cores_that_stay_awake_do_so_in_and_between_windows(woken: list[bool], asked: Callable[[], list[int]]) -> None:
    with closing(Cores()) as cores:
        cores.stay_awake(wanted=True)
        with cores.awake():
            pass
        assert asked() == [AT_ONCE]
        cores.stay_awake(wanted=False)
    assert asked() == [AT_ONCE, ANY]
    assert woken == []


@pytest.mark.parametrize("driver", ["none", "haltpoll", None])
def test_where_the_kernel_cannot_be_asked_there_are_wakers_in_windows_only(
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
        cores.stay_awake(wanted=True)
        assert woken == []
        with cores.awake():
            assert woken == [True]
        assert woken == [True, False]
    assert not promise.exists() or promise.read_bytes() == b""
