"""The pump: one task moves the lines of all matches in flight. It owns the clocks; trio owns the life of things.

Every bot's output is registered once with a private selector. The pump polls, reads, lets the match's conversation
say what is next, and writes, without waking another task for it; now and then it yields to trio, and it parks there
when nothing is at hand. All deadlines stand in one heap that sets the poll's timeout.
"""

import heapq
import itertools
import selectors
import time
from collections import deque
from collections.abc import Sequence

import trio
from msgspec import Struct, field

from referee.play.channel import Channel, Pending
from referee.play.connection import Heard, Trouble
from referee.play.conversation import Steps
from referee.play.exchange import Delivery, Exchange, HostFault, Reply
from referee.play.race import HostLock, run_race

TURN_NS = 2_000_000
"""So long the pump works before it lets other tasks run."""

LAG_NS = 2_000_000
"""While the referee does not look for longer than this, the bots' clocks stand still."""

HOPELESS_NS = 2_000_000_000
"""If it did not look once for so long while an answer was awaited, the match is void: no time of it can be defended.

Short times do not add up to this: clocks stood still in them, and a bot that gives the warden much to look at, while it
thinks for long, could bring them about.
"""

AT_ONCE_NS = 50_000
"""A poll that is quicker than this did not wait."""

EXIT_CHECK_NS = 5_000_000
"""How often a bot whose output has ended is looked at until it is known what happened."""


class Live(Struct, eq=False):
    """A match in flight."""

    steps: Steps
    channels: dict[int, Channel]
    done: trio.Event = field(default_factory=trio.Event)
    exchange: Exchange | None = None
    replies: dict[int, Reply] = field(default_factory=dict)
    failure: BaseException | None = None
    worst_lag_ns: int = 0


class Pump:
    """Drives conversations. `run` is the task; `converse` is called by whoever plays a match."""

    def __init__(self, lock: HostLock | None = None) -> None:
        self._selector = selectors.DefaultSelector()
        self._lives: list[Live] = []
        self._owner: dict[int, tuple[Live, int]] = {}
        self._alarms: list[tuple[int, int, Channel, Pending]] = []
        self._count = itertools.count()
        self._races: deque[Live] = deque()
        self._lock = lock or HostLock()
        self._wakeup = trio.Event()
        self._looked_ns = self._arrived_ns = time.monotonic_ns()
        self.stillness = trio.Lock()
        """Held while slaps are timed; who starts processes takes it first."""

    def channels(self) -> list[Channel]:
        """All bots of all matches in flight."""
        return [channel for live in self._lives for channel in live.channels.values()]

    async def converse(self, steps: Steps, channels: dict[int, Channel]) -> int:
        """Drive a conversation to its end; raises HostFault when the referee or the host spoiled it.

        Returns the longest time in which the referee did not look at its pipes meanwhile, in microseconds.
        """
        live = Live(steps, channels)
        for seat, channel in channels.items():
            self._register(live, seat, channel)
        self._lives.append(live)
        try:
            self._advance(live, first=True)
            self._wakeup.set()
            await live.done.wait()
        finally:
            self._lives.remove(live)
            for channel in channels.values():
                self._unregister(channel)
        if live.failure is not None:
            raise live.failure
        return live.worst_lag_ns // 1000

    async def run(self) -> None:
        """Pump until cancelled."""
        while True:
            await self._turn()

    def close(self) -> None:
        """Once nothing converses any more: what is cancelled together with `run` still takes its pipes back."""
        self._selector.close()
        self._lock.close()

    async def _turn(self) -> None:
        """Work for one turn, then let trio's other tasks run, or park when nothing has happened."""
        end_ns = time.monotonic_ns() + TURN_NS
        idle = False
        while (now_ns := time.monotonic_ns()) < end_ns and not idle and not self._races:
            idle = not self._poll(max(0, min(end_ns, self._next_deadline()) - now_ns) / 1e9)
        if self._races:
            await self._run_race(self._races.popleft())
        elif idle:
            await self._park()
        else:
            looked_ns = time.monotonic_ns()
            await trio.lowlevel.checkpoint()
            self._note_lag(time.monotonic_ns() - looked_ns)

    def _poll(self, timeout_s: float) -> bool:
        """One poll and everything that follows from it; whether anything was there."""
        start_ns = time.monotonic_ns()
        ready = self._selector.select(timeout_s)
        now_ns = time.monotonic_ns()
        self._note_lag(now_ns - start_ns - round(timeout_s * 1e9))
        # What is there at once may have come while we were at work since the last look: in doubt, for the bot.
        self._arrived_ns = self._looked_ns if now_ns - start_ns < AT_ONCE_NS else now_ns
        self._looked_ns = now_ns
        for key, _ in ready:
            channel, pipe = key.data
            self._handle(channel, pipe, now_ns)
        self._expire(now_ns)
        self._note_lag(time.monotonic_ns() - now_ns)
        return bool(ready)

    async def _park(self) -> None:
        """Sleep in trio until a pipe is ready, a deadline is near or a match begins."""
        self._wakeup = trio.Event()
        deadline_ns = self._next_deadline()
        with trio.move_on_after(max(0.0, (deadline_ns - time.monotonic_ns()) / 1e9)):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._wake_on_pipe, nursery.cancel_scope)
                await self._wakeup.wait()
                nursery.cancel_scope.cancel()
        self._looked_ns = time.monotonic_ns()
        self._note_lag(self._looked_ns - deadline_ns)

    async def _wake_on_pipe(self, scope: trio.CancelScope) -> None:
        await trio.lowlevel.wait_readable(self._selector.fileno())
        scope.cancel()

    # Pipes

    def _register(self, live: Live, seat: int, channel: Channel) -> None:
        self._owner[id(channel)] = (live, seat)
        if channel.process is not None:
            self._watch(channel.process.stdout, selectors.EVENT_READ, channel, "stdout")
            self._watch(channel.process.stderr, selectors.EVENT_READ, channel, "stderr")

    def _unregister(self, channel: Channel) -> None:
        self._owner.pop(id(channel), None)
        if channel.process is not None:
            for fd in (channel.process.stdin, channel.process.stdout, channel.process.stderr):
                self._forget(fd)

    def _watch(self, fd: int, events: int, channel: Channel, pipe: str) -> None:
        if fd not in self._selector.get_map():
            self._selector.register(fd, events, (channel, pipe))

    def _forget(self, fd: int) -> None:
        if fd in self._selector.get_map():
            self._selector.unregister(fd)

    def _handle(self, channel: Channel, pipe: str, now_ns: int) -> None:
        if channel.process is None or id(channel) not in self._owner:
            return
        if pipe == "stdout":
            channel.read(now_ns)
            if channel.ended_ns is not None:
                self._forget(channel.process.stdout)
            self._listen(channel, now_ns)
        elif pipe == "stderr":
            if not channel.read_stderr():
                self._forget(channel.process.stderr)
        else:
            channel.flush()
            if not channel.unwritten:
                self._forget(channel.process.stdin)

    def _listen(self, channel: Channel, now_ns: int) -> None:
        """Something has come or ended: is it the answer?"""
        try:
            self._judge(channel, now_ns)
        except HostFault as fault:
            self._fail(self._owner[id(channel)][0], fault)

    def _judge(self, channel: Channel, now_ns: int) -> None:
        heard = channel.hear()
        if channel.pending is None:
            if heard is not None and channel.process is not None:
                self._forget(channel.process.stdout)  # it is heard of again when an answer is due
            return
        heard = heard or channel.end_of_output(now_ns)
        if heard is not None:
            self._settle(channel, heard, now_ns)
        elif channel.ended_ns is not None:
            self._wake_at(now_ns + EXIT_CHECK_NS, channel, channel.pending)

    # Exchanges

    def _advance(self, live: Live, *, first: bool = False) -> None:
        """Give the conversation its replies, write what it says next; repeat where nothing is awaited."""
        try:
            while True:
                exchange = next(live.steps) if first else live.steps.send(self._collect(live))
                first = False
                live.exchange, live.replies = exchange, {}
                for seat in exchange.dismissed:
                    self._dismiss(live.channels[seat])
                if exchange.timed:
                    self._races.append(live)
                    return
                for delivery in exchange.deliveries:
                    self._deliver(live, delivery)
                if self._is_waiting(live):
                    return
        except StopIteration:
            live.done.set()
        except Exception as error:  # our own failure voids this match and no other
            self._fail(live, error)

    def _collect(self, live: Live) -> Sequence[Reply]:
        if live.exchange is None:
            return ()
        return [live.replies[delivery.seat] for delivery in live.exchange.deliveries if delivery.awaits is not None]

    def _is_waiting(self, live: Live) -> bool:
        return live.exchange is not None and any(
            delivery.awaits is not None and delivery.seat not in live.replies for delivery in live.exchange.deliveries
        )

    def _deliver(self, live: Live, delivery: Delivery) -> None:
        channel = live.channels[delivery.seat]
        now_ns = time.monotonic_ns()
        channel.write(delivery, now_ns)
        if channel.unwritten and channel.process is not None:
            self._watch(channel.process.stdin, selectors.EVENT_WRITE, channel, "stdin")
        if channel.pending is None:
            return
        heard = channel.hear() or channel.end_of_output(now_ns)
        if heard is not None:
            live.replies[delivery.seat] = Reply(seat=delivery.seat, heard=heard, elapsed_us=0.0)
            channel.give_up()
        else:
            ended = channel.ended_ns is not None
            self._wake_at(now_ns + EXIT_CHECK_NS if ended else channel.pending.deadline_ns, channel, channel.pending)

    def _dismiss(self, channel: Channel) -> None:
        if channel.process is not None:
            channel.process.kill()
            channel.drain_stderr()
        self._unregister(channel)

    def _settle(self, channel: Channel, heard: Heard | None, now_ns: int) -> None:
        """An awaited answer is here, or will not come."""
        pending = channel.pending
        live, seat = self._owner[id(channel)]
        if pending is None:
            return
        arrived_ns = now_ns if heard is None else min(now_ns, self._arrived_ns)
        if arrived_ns > pending.deadline_ns and channel.forgive(now_ns) and heard is None:
            self._wake_at(pending.deadline_ns, channel, pending)
            return
        late = arrived_ns > pending.deadline_ns
        hint = "" if heard is not None and not late else channel.connection.hint()
        channel.give_up()
        if late and not isinstance(heard, Trouble):
            heard = None
        elapsed_us = max(0, arrived_ns - pending.written_ns) / 1e3
        waived_us = (pending.written_ns - pending.asked_ns) / 1e3
        live.replies[seat] = Reply(seat=seat, heard=heard, elapsed_us=elapsed_us, waived_us=waived_us, hint=hint)
        if not self._is_waiting(live):
            self._advance(live)

    def _fail(self, live: Live, error: BaseException) -> None:
        live.failure = error
        for channel in live.channels.values():
            channel.give_up()
        live.done.set()

    async def _run_race(self, live: Live) -> None:
        if live not in self._lives or live.exchange is None:
            return
        try:
            async with self.stillness:
                replies = await run_race(live.exchange, live.channels, self.channels(), self._lock)
        except Exception as error:  # as in _advance
            self._fail(live, error)
            return
        live.replies = {reply.seat: reply for reply in replies}
        self._advance(live)

    # Clocks

    def _wake_at(self, when_ns: int, channel: Channel, pending: Pending) -> None:
        heapq.heappush(self._alarms, (when_ns, next(self._count), channel, pending))

    def _next_deadline(self) -> int:
        return self._alarms[0][0] if self._alarms else time.monotonic_ns() + 3_600_000_000_000

    def _expire(self, now_ns: int) -> None:
        """Look at every channel whose time has come, but for those whose answer has been settled since."""
        while self._alarms and self._alarms[0][0] <= now_ns:
            _, _, channel, pending = heapq.heappop(self._alarms)
            if channel.pending is not pending or id(channel) not in self._owner:
                continue
            if channel.ended_ns is not None:
                self._listen(channel, now_ns)
            elif now_ns >= pending.deadline_ns:
                self._settle(channel, channel.silence(), now_ns)
            else:  # its clock was stopped meanwhile
                self._wake_at(pending.deadline_ns, channel, pending)

    def _note_lag(self, gap_ns: int) -> None:
        """The pipes were not looked at for so long."""
        if gap_ns <= LAG_NS:
            return
        for live in list(self._lives):
            live.worst_lag_ns = max(live.worst_lag_ns, gap_ns)
            for channel in live.channels.values():
                channel.shift_clock(gap_ns)
            if gap_ns > HOPELESS_NS and any(channel.is_busy() for channel in live.channels.values()):
                text = f"the referee did not look at its pipes for {gap_ns / 1e9:.2f} s while a clock ran"
                self._fail(live, HostFault(text))
