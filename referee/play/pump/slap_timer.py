"""Which slap window is timed when: one at a time on this host, while all bots of this referee are frozen.

How a window is timed is the business of `slaps`. This module must not know pipes, nor what is asked outside windows.
"""

from collections import deque
from collections.abc import Iterable

import trio
from msgspec.structs import replace

from referee.play.bot.channel import Channel
from referee.play.pump.clock import NEVER_NS, Clock
from referee.play.pump.in_flight import MatchInFlight
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.slaps.neighbours import LONGEST_FREEZE_S, Neighbours
from referee.play.slaps.one_core import OneCore, left_to_bots
from referee.play.slaps.quiet import NEIGHBOUR_NOT_FROZEN, frozen, quiet
from referee.play.slaps.race import run_race
from referee.play.talk.exchange import Exchange, Reply

LOCK_PATIENCE_NS = 1_000_000_000
"""How long a window waits for another referee of this host that is timing; then it is held, and marked disturbed."""

LOCK_RETRY_NS = 1_000_000
"""Time between two tries to take the lock; other matches go on meanwhile."""


class SlapTimer:
    """The windows that wait to be timed, and what it takes to time one. `freeze_lock` is held while bots are frozen.

    Whoever starts a process or begins a conversation takes that lock first: in the middle of a window its bots would
    run.
    """

    def __init__(
        self,
        clock: Clock,
        bots: Iterable[Channel],
        cores: AwakeCores,
        *,
        lock: HostLock | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        """`bots` are those that live, whenever a window is timed; `neighbours` are the other workers of the run.

        `cores` are kept awake meanwhile, and closed by whoever gives them.
        """
        self.freeze_lock = trio.Lock()
        self._clock, self._bots = clock, bots
        self._lock = lock or HostLock()
        self._cores, self._one_core = cores, OneCore()
        self._neighbours = neighbours
        self._waiting: deque[MatchInFlight] = deque()
        self._retry_ns = self._patience_ends_ns = 0

    def add(self, match: MatchInFlight) -> None:
        """Let the open exchange of this match, which is a window, wait to be timed."""
        self._waiting.append(match)

    def due_ns(self) -> int:
        """From when on everything else must wait for `run`: a window is to be timed, or another worker times one."""
        if self._neighbours is not None and self._neighbours.want_freeze():
            return 0
        return self._retry_ns if self._waiting else NEVER_NS

    async def run(self) -> MatchInFlight | None:
        """Freeze the bots while another worker times a window, and time the first window that waits.

        trio's other tasks wait until this has returned, unless one of them holds `freeze_lock` or the window is long.
        Returns the match that goes on: its window has been timed, and it has its replies.
        """
        try:
            self.freeze_lock.acquire_nowait()  # to acquire it would let trio's other tasks go on first
        except trio.WouldBlock:
            await self.freeze_lock.acquire()
        try:
            self._clock.catch_up(self._clock.now_ns())  # whoever had the lock started a process
            if self._neighbours is not None and self._neighbours.want_freeze():
                return await self._freeze_for(self._neighbours)
            return await self._try_window(self._clock.now_ns())
        finally:
            self.freeze_lock.release()

    def close(self) -> None:
        """Leave the run, and leave nothing open."""
        self._lock.close()
        if self._neighbours is not None:
            self._neighbours.close()

    async def _freeze_for(self, neighbours: Neighbours) -> MatchInFlight | None:
        """Freeze the bots while another worker times a window. A window that waits comes right after it."""
        began_ns = self._clock.now_ns()
        with frozen(self._bots) as all_frozen:
            is_next = all_frozen and bool(self._waiting)
            neighbours.stay_frozen(all_frozen=all_frozen, is_next=is_next)
            if self._patience_ends_ns:  # meanwhile it was a neighbour that had the lock
                self._patience_ends_ns += self._clock.now_ns() - began_ns
            return await self._try_window(self._clock.now_ns(), are_frozen=True) if is_next else None

    async def _try_window(self, now_ns: int, *, are_frozen: bool = False) -> MatchInFlight | None:
        """Time the first window, if the host's lock is free or has been waited for long enough."""
        self._patience_ends_ns = self._patience_ends_ns or now_ns + LOCK_PATIENCE_NS
        has_lock = self._lock.try_acquire()
        if not has_lock and self._lock.is_there and now_ns < self._patience_ends_ns:
            self._retry_ns = now_ns + LOCK_RETRY_NS
            return None
        self._patience_ends_ns = 0
        try:
            return await self._time_window(self._waiting.popleft(), has_lock=has_lock, are_frozen=are_frozen)
        finally:
            if has_lock:
                self._lock.release()

    async def _time_window(self, match: MatchInFlight, *, has_lock: bool, are_frozen: bool) -> MatchInFlight | None:
        """Time the open window of a match. Returns None where the match is over, perhaps because we spoiled it."""
        if match.over.is_set() or not isinstance(match.exchange, Exchange):
            return None
        neighbours, began_ns = self._neighbours, self._clock.now_ns()
        try:
            with quiet(self._bots, self._cores, neighbours, has_lock=has_lock, are_frozen=are_frozen) as doubts:
                with left_to_bots(core := self._one_core.choose()):
                    replies = await run_race(match.exchange, match.channels(), doubts, core=core)
                if neighbours is not None and self._clock.now_ns() - began_ns > LONGEST_FREEZE_S * 1e9:
                    replies = [_in_doubt(reply, NEIGHBOUR_NOT_FROZEN) for reply in replies]
                is_disturbed = any(reply.disturbed for reply in replies)
                if is_disturbed:
                    self._one_core.leave()
                if neighbours is not None and has_lock and not is_disturbed:
                    self._lock.release()
                    neighbours.hand_over()
        except Exception as error:  # our own failure voids this match and no other
            match.fail(error)
            return None
        match.replies = replies
        return match


def _in_doubt(reply: Reply, doubt: str) -> Reply:
    return replace(reply, disturbed=(*reply.disturbed, doubt))
