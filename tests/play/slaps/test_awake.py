"""When the kernel is asked to keep the cores awake: while slaps are timed, and while bots answer at once."""

import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from referee.play.sandbox.system_info import cores
from referee.play.slaps import awake
from referee.play.slaps.awake import CHECK_NS, MOST_STOLEN, REST_NS, SOON_NS, TICK_NS, AwakeCores

AT_ONCE, ANY = 0, 2_000_000_000
TURN_NS = 10_000_000


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """What the kernel has been asked: a file of ours stands for its own, and keeps all of it."""
    driver, promise = tmp_path / "driver", tmp_path / "promise"
    driver.write_text("haltpoll\n")
    promise.touch()
    monkeypatch.setattr(awake, "_DRIVER", driver)
    monkeypatch.setattr(awake, "PROMISE", str(promise))
    return lambda: [us for (us,) in struct.iter_unpack("=i", promise.read_bytes())]


def test_cores_sleep_before_and_after_a_window(asked: Callable[[], list[int]]) -> None:
    with closing(AwakeCores()) as kept:
        with kept.in_window():
            assert asked() == [AT_ONCE]
        with pytest.raises(ZeroDivisionError), kept.in_window():
            raise ZeroDivisionError
    assert asked() == [AT_ONCE, ANY, AT_ONCE, ANY]


@pytest.mark.parametrize(
    ("looks", "are_awake"),
    [
        pytest.param(1 + TURN_NS // SOON_NS, True, id="bots that answer at once"),
        pytest.param(TURN_NS // SOON_NS, False, id="bots that think"),
        pytest.param(0, False, id="nothing came until the turn was over"),
    ],
)
def test_cores_stay_awake_for_bots_that_answer_at_once(
    looks: int, are_awake: bool, asked: Callable[[], list[int]]
) -> None:
    """In a window too, and after it."""
    with closing(AwakeCores(stolen=lambda: 0)) as kept:
        kept.note_turn(looks, 0, TURN_NS)
        assert asked() == [AT_ONCE] * are_awake
        with kept.in_window():
            pass
        assert asked() == ([AT_ONCE] if are_awake else [AT_ONCE, ANY])
        kept.note_turn(0, TURN_NS, 2 * TURN_NS)
        assert asked() == [AT_ONCE, ANY]


def test_cores_of_which_other_guests_take_a_part_sleep_for_a_minute(asked: Callable[[], list[int]]) -> None:
    now_ns, ticks = 0, 5
    least = MOST_STOLEN * CHECK_NS / TICK_NS * cores()

    with closing(AwakeCores(stolen=lambda: ticks)) as kept:

        def play_until(until_ns: int) -> bool:
            """Returns whether the cores are awake then."""
            nonlocal now_ns
            while now_ns < until_ns:
                kept.note_turn(1000, now_ns, now_ns + TURN_NS)
                now_ns += TURN_NS
            return asked()[-1] == AT_ONCE

        assert play_until(CHECK_NS // 2), "what was taken before is not known"
        ticks += int(least)
        assert play_until(2 * CHECK_NS), "that is little"
        ticks += 2 + int(2 * least)
        assert not play_until(4 * CHECK_NS)
        assert not play_until(REST_NS)
        assert play_until(5 * CHECK_NS + REST_NS)


@pytest.mark.parametrize("driver", ["none", "haltpoll", None])
def test_cores_sleep_where_the_kernel_cannot_be_asked(
    driver: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no such file, or one that changes nothing."""
    monkeypatch.setattr(awake, "_DRIVER", tmp_path / "driver")
    promise = tmp_path / "promise"
    if driver is not None:
        (tmp_path / "driver").write_text(f"{driver}\n")
    if driver != "haltpoll":
        promise.touch()
    monkeypatch.setattr(awake, "PROMISE", str(promise))
    with closing(AwakeCores(stolen=lambda: 0)) as kept:
        kept.note_turn(1000, 0, TURN_NS)
        with kept.in_window():
            pass
    assert not promise.exists() or promise.read_bytes() == b""
