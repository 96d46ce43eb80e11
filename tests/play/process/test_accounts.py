"""What the kernel counts for each user or for the host may be full: the match goes on, and nobody else is blamed."""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from arena import Arena
from needs import Organiser, need_lent_ids, need_no_ids

pytestmark = pytest.mark.full


@pytest.mark.skipif(sys.platform != "linux", reason="cells are Linux's")
@pytest.mark.parametrize("needed", [need_lent_ids, need_no_ids])
def test_memory_of_the_kernel_is_the_memory_of_the_bot_that_has_it(
    mark: dict[str, str], needed: Callable[[], Organiser]
) -> None:
    with TemporaryDirectory(prefix="golfref-test-") as folder:  # pytest's are closed to other users
        arena = Arena(Path(folder), mark, needed())
        bots = [arena.bot("hides_in_the_kernel", what) for what in ("tables", "tmp", "shm")]
        record = arena.play(*bots, arena.bot("honest"))
        arena.close()
    *hostile, honest = record.seats
    assert (honest.faults, honest.forfeited) == ({}, False)
    assert [seat.faults for seat in hostile] == [{"crashed": 1}] * 3


@pytest.mark.parametrize("isolation", ["limits", "bwrap"])
def test_nothing_that_a_bot_does_to_its_pipes_keeps_the_referee_from_its_work(arena: Arena, isolation: str) -> None:
    record = arena.play(arena.bot("abuses_its_pipes"), arena.bot("honest"), isolation=isolation)
    assert "steal_its_output: " in record.seats[0].stderr
    assert [seat.faults for seat in record.seats] == [{}, {}]
