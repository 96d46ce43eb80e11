"""Which slap window is timed when: one at a time on this host, while all bots of this referee are frozen.

This module must not know pipes, nor what is asked outside windows.
"""

from collections import deque
from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

import trio

from referee.play.process.channel import Channel
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.slaps.one_core import OneCore, keeping_off
from referee.play.slaps.quiet import quiet
from referee.play.slaps.race import run_race
from referee.play.talk.exchange import Exchange, Reply, Saying

LOCK_PATIENCE_NS = 1_000_000_000
"""How long a window waits for another referee of this host that is timing; then it is timed, and marked disturbed."""

LOCK_RETRY_NS = 1_000_000
"""Time between two tries to take the lock; other matches go on meanwhile."""


class WindowMatch(Protocol):
    """A match whose open exchange is a slap window."""

    exchange: Saying | None
    over: trio.Event
    """Is set once nothing of the match is driven any more."""
    replies: list[Reply]

    def channels(self) -> dict[int, Channel]:
        """Its bots, by seat."""

    def fail(self, error: BaseException) -> None:
        """End it, because the referee or its host has failed."""


Match = TypeVar("Match", bound=WindowMatch)


class SlapTimer(Generic[Match]):
    """The windows that wait to be timed, and all that it takes to time one."""

    def __init__(self, bots: Iterable[Channel], cores: AwakeCores, lock: HostLock | None = None) -> None:
        """`bots` are those that live, whenever a window is timed. `cores` are closed by whoever gives them."""
        self._bots, self._cores, self._lock = bots, cores, lock or HostLock()
        self._one_core = OneCore()
        self._waiting: deque[Match] = deque()
        self._retry_ns = self._patience_ends_ns = 0

    def add(self, match: Match) -> None:
        """Let the open exchange of this match, which is a window, wait to be timed."""
        self._waiting.append(match)

    def due_ns(self, otherwise_ns: int) -> int:
        """From when on a window is to be timed; `otherwise_ns` where none waits."""
        return self._retry_ns if self._waiting else otherwise_ns

    async def run(self, now_ns: int) -> Match | None:
        """Time the first window that waits, if the host's lock is free or has been waited for long enough.

        trio's other tasks wait until this has returned, unless the window is long. No other bot may be started or
        thawed meanwhile. Returns the match if its window has been timed: it has its replies, and goes on.
        """
        self._patience_ends_ns = self._patience_ends_ns or now_ns + LOCK_PATIENCE_NS
        has_lock = self._lock.try_acquire()
        if not has_lock and self._lock.is_there and now_ns < self._patience_ends_ns:
            self._retry_ns = now_ns + LOCK_RETRY_NS
            return None
        self._patience_ends_ns = 0
        try:
            return await self._time_window(self._waiting.popleft(), has_lock=has_lock)
        finally:
            if has_lock:
                self._lock.release()

    def close(self) -> None:
        """Leave nothing open."""
        self._lock.close()

    async def _time_window(self, match: Match, *, has_lock: bool) -> Match | None:
        """Time the open window of a match. Returns None where the match is over, perhaps because we spoiled it."""
        if match.over.is_set() or not isinstance(match.exchange, Exchange):
            return None
        try:
            with (
                quiet(self._bots, self._cores, has_lock=has_lock) as doubts,
                keeping_off(core := self._one_core.choose()),
            ):
                match.replies = await run_race(match.exchange, match.channels(), doubts, core=core)
        except Exception as error:  # our own failure voids this match and no other
            match.fail(error)
            return None
        if any(reply.disturbed for reply in match.replies):
            self._one_core.leave()
        return match
