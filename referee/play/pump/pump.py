"""The pump: one task moves the lines of all matches in flight. It owns the clocks; trio owns the life of things.

Every bot's output is registered once with a poller of our own. The pump polls, reads, lets the match's conversation
say what is next, and writes, without waking another task for it; now and then it yields to trio, and it parks there
when nothing is at hand. All deadlines stand in one heap that sets the poll's timeout.
"""

import heapq
import itertools
from functools import partial

import trio
from msgspec.structs import replace

from referee.play.bot.channel import Channel
from referee.play.faults import HostFault, Trouble
from referee.play.pump.clock import Clock
from referee.play.pump.in_flight import MatchInFlight, SeatedBot
from referee.play.pump.poller import Poller
from referee.play.pump.slap_timer import SlapTimer
from referee.play.slaps.lock import HostLock
from referee.play.slaps.neighbours import Neighbours
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Reply
from referee.play.talk.inbox import Heard

TURN_NS = 2_000_000
"""So long the pump works before it lets other tasks run."""

HOPELESS_NS = 2_000_000_000
"""If it did not look once for so long while an answer was awaited, the match is void: no time of it can be defended.

Short times do not add up to this: clocks stood still in them, and a bot that gives the warden much to look at, while it
thinks for long, could bring them about.
"""

EXIT_CHECK_NS = 5_000_000
"""How often a bot whose output has ended is looked at until it is known what happened."""


class Pump:
    """Drives conversations. `run` is the task; `converse` is called by whoever plays a match."""

    def __init__(
        self, lock: HostLock | None = None, neighbours: Neighbours | None = None, clock: Clock | None = None
    ) -> None:
        """`neighbours` are the other workers of the run; they are left when the pump is closed."""
        self._clock = clock or Clock()
        self._clock.on_lag = self._make_up_for
        self._poller = Poller()
        self._lives: list[MatchInFlight] = []
        self._admitted: list[Channel] = []
        self._links: dict[int, SeatedBot] = {}
        """Those of the matches in flight, by number."""
        self._alarms: list[tuple[int, int]] = []
        """When to look at which link; by number, so that a match does not stay in memory until its alarms are over."""
        self._count = itertools.count()
        self._slap_timer = SlapTimer(self._clock, self._everyone, lock=lock, neighbours=neighbours)
        for fd in self._slap_timer.neighbour_fds():
            self._poller.watch(fd, partial(self._hear_neighbour, fd))
        self._wakeup = trio.Event()

    @property
    def freeze_lock(self) -> trio.Lock:
        """Held while bots are frozen for slaps; whoever starts a process takes it first."""
        return self._slap_timer.freeze_lock

    def channels(self) -> list[Channel]:
        """All bots of all matches in flight."""
        return [link.channel for live in self._lives for link in live.links.values()]

    def admit(self, channel: Channel) -> None:
        """A bot has been started: from now on it stands still while slaps are timed, whether it converses or not."""
        self._admitted.append(channel)

    def let_go(self, channel: Channel) -> None:
        """It has ended, or is held still in any case."""
        self._admitted.remove(channel)

    def _everyone(self) -> list[Channel]:
        return list(dict.fromkeys([*self.channels(), *self._admitted]))

    async def converse(self, steps: Steps, channels: dict[int, Channel]) -> int:
        """Drive a conversation to its end; raises HostFault when the referee or the host spoiled it.

        Returns the longest time in which the referee did not look at its pipes meanwhile, in microseconds.
        """
        live = MatchInFlight(steps)
        live.links = {seat: SeatedBot(next(self._count), live, seat, channel) for seat, channel in channels.items()}
        try:
            async with self.freeze_lock:  # not in the middle of a window, for which these bots were not held still
                self._clock.catch_up(self._clock.now_ns())  # what the others waited for before is no lag of this match
                for link in live.links.values():
                    self._register(link)
                self._lives.append(live)
                self._advance(live)
            self._wakeup.set()
            await live.done.wait()
        finally:
            if live in self._lives:
                self._lives.remove(live)
            live.done.set()
            for link in live.links.values():
                self._unregister(link)
            live.links.clear()
        if live.failure is not None:
            raise live.failure
        return live.worst_lag_ns // 1000

    async def run(self) -> None:
        """Pump until cancelled."""
        trio.lowlevel.add_instrument(self._clock.loop_waits)
        try:
            while True:
                await self._turn()
        finally:
            trio.lowlevel.remove_instrument(self._clock.loop_waits)

    def close(self) -> None:
        """Once nothing converses any more: what is cancelled together with `run` still takes its pipes back."""
        self._poller.close()
        self._slap_timer.close()

    async def _turn(self) -> None:
        """Work for one turn, then let trio's other tasks run, or park when nothing has happened."""
        now_ns = self._clock.now_ns()
        end_ns, busy = now_ns + TURN_NS, True
        while busy and now_ns < end_ns and not self._slap_timer.is_due(now_ns):
            busy = self._poll(now_ns, min(end_ns, self._next_alarm(now_ns)))
            now_ns = self._clock.now_ns()
        if self._slap_timer.is_due(now_ns):
            live = await self._slap_timer.run()
            self._clock.mark_looked()
            if live is not None:
                self._advance(live)
        elif busy:
            await trio.lowlevel.checkpoint()
        else:
            await self._park()

    def _poll(self, start_ns: int, until_ns: int) -> bool:
        """One poll, until then at most, and everything that follows from it; whether anything was there."""
        self._clock.catch_up(start_ns)
        timeout_ns = max(0, until_ns - start_ns)
        ready = self._poller.poll(timeout_ns / 1e9)
        now_ns = self._clock.end_poll(start_ns, timeout_ns)
        handlers = self._poller.handlers
        for fd, _ in ready:
            if (handler := handlers.get(fd)) is not None:  # what came before it may have ended its match
                handler(now_ns)
        self._expire(now_ns)
        return bool(ready)

    async def _park(self) -> None:
        """Sleep in trio until a pipe is ready, a deadline is near or a match begins."""
        self._wakeup = trio.Event()
        now_ns = self._clock.now_ns()
        until_ns = self._next_alarm(now_ns)
        with trio.move_on_after(max(0.0, (until_ns - now_ns) / 1e9)):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._wake_on_pipe, until_ns, nursery.cancel_scope)
                await self._wakeup.wait()
                nursery.cancel_scope.cancel()

    async def _wake_on_pipe(self, until_ns: int, scope: trio.CancelScope) -> None:
        with self._clock.parked(until_ns):
            await trio.lowlevel.wait_readable(self._poller.fileno())
        scope.cancel()

    # Pipes

    def _register(self, link: SeatedBot) -> None:
        self._links[link.number] = link
        if (process := link.channel.process) is not None:
            self._poller.watch(process.stdout, partial(self._read, link))
            self._poller.watch(process.stderr, partial(self._read_stderr, link))

    def _unregister(self, link: SeatedBot) -> None:
        self._links.pop(link.number, None)
        if (process := link.channel.process) is not None:
            for fd in (process.stdin, process.stdout, process.stderr):
                self._poller.forget(fd)

    def _read(self, link: SeatedBot, now_ns: int) -> None:
        """The bot has written, or its output has ended."""
        channel = link.channel
        heard = channel.read(now_ns)
        if channel.pending is not None and heard is not None:
            self._settle(link, heard, now_ns)
        elif channel.process is not None and (channel.ended_ns is not None or heard is not None):
            self._poller.forget(channel.process.stdout)  # what is heard unasked is heard again when an answer is due
            self._look_at(link, now_ns)

    def _read_stderr(self, link: SeatedBot, _: int) -> None:
        if link.channel.process is not None and not link.channel.read_stderr():
            self._poller.forget(link.channel.process.stderr)

    def _flush(self, link: SeatedBot, _: int) -> None:
        link.channel.flush()
        if link.channel.process is not None and not link.channel.unwritten:
            self._poller.forget(link.channel.process.stdin)

    def _look_at(self, link: SeatedBot, now_ns: int) -> None:
        """The bot's output has ended, or its time has come: what is known of an answer that is due."""
        channel = link.channel
        pending = channel.pending
        if pending is None:
            return
        try:
            trouble = channel.end_of_output(now_ns)
            if trouble is not None:
                self._settle(link, trouble, now_ns)
            elif channel.ended_ns is not None:
                self._wake_at(link, now_ns + EXIT_CHECK_NS)
            elif now_ns >= pending.deadline_ns:
                self._settle(link, channel.silence(), now_ns)
            else:  # it has been asked anew since the alarm was set, or its clock was stopped
                self._wake_at(link, pending.deadline_ns)
        except HostFault as fault:
            link.live.fail(fault)

    # Exchanges

    def _advance(self, live: MatchInFlight) -> None:
        """Give the conversation its replies, write what it says next; repeat where nothing is awaited."""
        try:
            while True:
                exchange = next(live.steps) if live.exchange is None else live.steps.send(live.collect())
                live.exchange, live.replies = exchange, {}
                for seat in exchange.dismissed:
                    self._dismiss(live.links[seat])
                if exchange.timed and not exchange.at_once:
                    self._slap_timer.add(live)
                    return
                live.opened_ns = self._clock.now_ns()
                live.awaited = sum([delivery.awaits is not None for delivery in exchange.deliveries])
                for delivery in exchange.deliveries:
                    self._deliver(live.links[delivery.seat], delivery)
                if live.awaited:
                    return
        except StopIteration:
            live.done.set()
        except Exception as error:  # our own failure voids this match and no other
            live.fail(error)

    def _deliver(self, link: SeatedBot, delivery: Delivery) -> None:
        """Write a line; what is known at once of its answer is the reply."""
        channel, now_ns = link.channel, self._clock.now_ns()
        channel.write(delivery, now_ns)
        if channel.unwritten and channel.process is not None:
            self._poller.watch(channel.process.stdin, partial(self._flush, link), writable=True)
        if channel.pending is None:
            return
        if (heard := channel.known(now_ns)) is not None:
            channel.give_up()
            self._take(link, Reply(seat=link.seat, heard=heard, elapsed_us=0.0))
        else:
            self._wake_at(link, channel.pending.deadline_ns if channel.ended_ns is None else now_ns + EXIT_CHECK_NS)

    def _take(self, link: SeatedBot, reply: Reply) -> None:
        link.live.replies[link.seat] = reply
        link.live.awaited -= 1

    def _dismiss(self, link: SeatedBot) -> None:
        if link.channel.process is not None:
            link.channel.process.kill()
            link.channel.drain_stderr()
        self._unregister(link)

    def _settle(self, link: SeatedBot, heard: Heard | None, now_ns: int) -> None:
        """An awaited answer is here, or will not come."""
        channel = link.channel
        pending = channel.pending
        if pending is None:
            return
        arrived_ns = now_ns if heard is None else min(now_ns, self._clock.arrived_ns)
        late = heard is None or arrived_ns > pending.deadline_ns
        if late:
            if channel.forgive(now_ns) and heard is None:
                self._wake_at(link, pending.deadline_ns)
                return
            late = arrived_ns > pending.deadline_ns
        hint = "" if heard is not None and not late else channel.inbox.hint()
        if late and link.live.exchange is not None and link.live.exchange.at_once:
            channel.note_missed()
        channel.give_up()
        if late and not isinstance(heard, Trouble):
            heard = None
        elapsed_us = max(0, arrived_ns - pending.written_ns) / 1e3
        waived_us = (pending.written_ns - pending.asked_ns) / 1e3
        reply = Reply(seat=link.seat, heard=heard, elapsed_us=elapsed_us, waived_us=waived_us, hint=hint)
        self._take(link, self._timed_at_once(link.live, reply, now_ns))
        if not link.live.awaited:
            self._advance(link.live)

    def _timed_at_once(self, live: MatchInFlight, reply: Reply, now_ns: int) -> Reply:
        """Where all were asked at the same moment, what counts is when the answer was seen."""
        if live.exchange is None or not live.exchange.at_once:
            return reply
        elapsed_us = (now_ns - live.opened_ns) / 1e3
        return replace(reply, elapsed_us=elapsed_us, waived_us=0.0, corrected_us=round(elapsed_us, 1))

    def _hear_neighbour(self, fd: int, _: int) -> None:
        if not self._slap_timer.hear(fd):
            self._poller.forget(fd)

    # Clocks

    def _wake_at(self, link: SeatedBot, when_ns: int) -> None:
        """Look at the bot then, or before: a bot has one alarm, which is set anew when it was too early."""
        if not link.alarm_ns or link.alarm_ns > when_ns:
            link.alarm_ns = when_ns
            heapq.heappush(self._alarms, (when_ns, link.number))

    def _next_alarm(self, now_ns: int) -> int:
        alarm_ns = self._alarms[0][0] if self._alarms else now_ns + 3_600_000_000_000
        window_ns = self._slap_timer.next_ns()
        return alarm_ns if window_ns is None else min(alarm_ns, window_ns)

    def _expire(self, now_ns: int) -> None:
        """Look at every bot whose time has come."""
        while self._alarms and self._alarms[0][0] <= now_ns:
            when_ns, number = heapq.heappop(self._alarms)
            link = self._links.get(number)
            if link is None or when_ns != link.alarm_ns:
                continue  # the bot is not in a match any more, or an earlier alarm has taken its place
            link.alarm_ns = 0
            self._look_at(link, now_ns)

    def _make_up_for(self, gap_ns: int) -> None:
        """The pipes were not looked at for so long: the bots' clocks stood still."""
        for live in list(self._lives):
            live.worst_lag_ns = max(live.worst_lag_ns, gap_ns)
            channels = [link.channel for link in live.links.values()]
            for channel in channels:
                channel.shift_clock(gap_ns)
            if gap_ns > HOPELESS_NS and any(channel.is_busy() for channel in channels):
                text = f"the referee did not look at its pipes for {gap_ns / 1e9:.2f} s while a clock ran"
                live.fail(HostFault(text))
