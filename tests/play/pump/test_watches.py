"""Where the referee's user has no watch of epoll left, as bots of the same user may bring about, a match is void."""

import contextlib
import errno
import os
import select
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from live_matches import match_setup, matches
from quick import FILLER

from referee.play.faults import HostFault
from referee.play.spec import BotSpec, Confinement
from referee.rules.record import Record

ENOUGH = 2 + 1 + 2 * 3
"""The watches of trio's loop, of the pump in it, and of the pipes of two bots; to end a bot takes none for granted."""


class Epoll:
    """An epoll that takes a watch from those that are left to its user."""

    def __init__(self, epoll: Callable[[], Any], left: Iterator[int]) -> None:
        self._epoll, self._left = epoll(), left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._epoll, name)

    def register(self, fd: int, mask: int) -> None:
        if next(self._left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._epoll.register(fd, mask)


@pytest.mark.skipif(sys.platform != "linux", reason="epoll is Linux's")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # trio, where it cannot begin
def test_a_match_without_enough_watches_is_void_in_words_and_leaves_no_bot(
    mark: dict[str, str], marked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (sys.executable, "-c", f"{FILLER}\nstart(); play()")
    bots = [BotSpec(name=name, command=command, dir="/", env=mark) for name in ("one", "other")]
    setup = match_setup(bots, confinement=Confinement(isolation="none"))
    epoll, played = select.epoll, list[Record]()

    for watches in range(ENOUGH + 1):
        monkeypatch.setattr(select, "epoll", partial(Epoll, epoll, iter(range(watches))))
        is_void = pytest.raises(HostFault, match="max_user_watches")
        with contextlib.nullcontext() if watches == ENOUGH else is_void:
            played += matches(setup)
        assert not marked()
    assert [seat.faults for record in played for seat in record.seats] == [{}, {}]
