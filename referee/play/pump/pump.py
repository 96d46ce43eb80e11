"""The pump: one task moves the lines of all matches in flight, and starts and ends no task for it.

Every bot's pipes are added once to a poller, before its match. The pump polls, reads, lets the match's conversation say
what is next, and writes. Now and then it lets trio's other tasks run, and while nothing is at hand it parks in trio's
loop.
`clock.py` knows when it looked at its pipes, `slaps/timer.py` when a slap window is timed, `slaps/awake.py` whether the
cores stay awake until the next answer.
"""

import heapq
import itertools
from functools import partial

import trio
from msgspec.structs import replace

from protocol.messages import Limits
from referee.play.faults import HostFault, NoRoom, Trouble, hosts_fault
from referee.play.process.channel import Channel
from referee.play.pump.clock import NEVER_NS, Clock
from referee.play.pump.in_flight import MatchInFlight, SeatedBot
from referee.play.pump.poller import Poller
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.slaps.timer import SlapTimer
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Reply
from referee.play.talk.inbox import Heard

TURN_NS = 2_000_000
"""How long the pump works before it lets other tasks run, if others ran after the turn before."""

LONG_TURN_NS = 10_000_000
"""How long it works if none did."""

QUIET_ROUNDS = 2
"""After so many rounds of trio's loop in which no other task has gone on, all of them wait."""

OTHERS_NS = 1_000_000
"""For how long they may go on before the pump looks at its pipes again. The start of a bot takes about so long."""

HOPELESS_NS = 2_000_000_000
"""A lag that is longer than this, while an answer is due, voids the match: no time of it can be defended.

Short lags do not add up to this: the bots' clocks stop in them, and a bot could bring them about that thinks for long
and has many processes to look at.
"""

EXIT_CHECK_NS = 5_000_000
"""Time between two looks at a bot whose output has ended, until it is known what happened."""

ROOM_S = 5.0
"""How long a bot may wait until the host has room for its process."""

POLL_INTERVAL_S = 0.1
"""Time between two tries to start it."""


class TaskSteps(trio.abc.Instrument):
    """Counts the steps of trio's tasks, so that a task whose steps are long knows whether others wait for it."""

    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:  # noqa: ARG002 - trio gives it
        """Count a step."""
        self.count += 1


class Pump:
    """Drives conversations, and knows all bots that live. `run` is the task; who plays a match calls `converse`."""

    def __init__(self, lock: HostLock | None = None, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        self._clock.on_lag = self._make_up_for
        self._poller = Poller()
        self._bots: list[Channel] = []
        """The bots that have been admitted and not let go."""
        self._matches: list[MatchInFlight] = []
        self._alarms: list[tuple[int, int, SeatedBot]] = []
        """A heap of the times at which to look at a bot, each with a number that decides between equal times."""
        self._count = itertools.count()
        self._cores = AwakeCores()
        self._slap_timer = SlapTimer[MatchInFlight](self._bots, self._cores, lock)
        self.freeze_lock = trio.Lock()
        """Held while bots are frozen for slaps; whoever lets a bot run takes it first."""
        self._steps = TaskSteps()
        self._parking = trio.CancelScope()
        """Around the wait of a pump that is parked; who has something for it to do cancels that."""
        self._is_match_over = False
        """Whether a match has ended in this turn. Then the turn ends, because who plays the match waits for that."""

    async def start_bot(self, spec: BotSpec, confinement: Confinement, limits: Limits) -> Channel:
        """Start a bot, but not in the middle of a window, and admit it. Raises HostFault where the host cannot.

        A host that has no room for another process is asked again for a while: a bot that ends makes room."""
        end = trio.current_time() + ROOM_S
        while True:
            try:
                async with self.freeze_lock:
                    return self.admit(Channel(spec, confinement, limits))
            except NoRoom:
                if trio.current_time() >= end:
                    raise
            await trio.sleep(POLL_INTERVAL_S)

    def admit(self, channel: Channel) -> Channel:
        """Freeze this bot in slap windows from now on, whether it converses or not; returns it."""
        self._bots.append(channel)
        return channel

    async def release(self, channel: Channel) -> None:
        """Let a bot that is held frozen go on, but not in the middle of a window."""
        async with self.freeze_lock:
            channel.release()

    def let_go(self, channel: Channel) -> None:
        """Forget a bot that has ended, or that stays frozen in any case."""
        self._bots.remove(channel)
        self._poller.drop(channel)
        if channel.process is not None:
            channel.process.close_files()

    def channels(self) -> list[Channel]:
        """Returns the bots of all matches in flight."""
        return [bot.channel for match in self._matches for bot in match.bots.values()]

    async def converse(self, steps: Steps, channels: dict[int, Channel]) -> int:
        """Drive a conversation to its end; raises HostFault when the referee or the host spoiled it.

        Returns the longest time in which the referee did not look at its pipes meanwhile, in microseconds.
        """
        match = MatchInFlight(steps)
        match.seat(channels)
        try:
            async with self.freeze_lock:  # not in the middle of a window
                self._clock.catch_up(self._clock.now_ns())  # what the others waited for before is no lag of this match
                for bot in match.bots.values():
                    self._register(bot)
                self._matches.append(match)
                self._advance(match)
            self._parking.cancel()
            await match.over.wait()
        finally:
            match.over.set()
            if match in self._matches:
                self._matches.remove(match)
            for bot in match.bots.values():
                self._unregister(bot)
                if bot.channel not in self._bots:
                    self._poller.drop(bot.channel)
        if match.failure is not None:
            raise match.failure
        return match.worst_lag_ns // 1000

    async def run(self) -> None:
        """Pump until cancelled."""
        trio.lowlevel.add_instrument(self._clock.loop_waits)
        trio.lowlevel.add_instrument(self._steps)
        try:
            with hosts_fault(), trio.move_on_after(0):  # from now on trio has a watch for it
                await trio.lowlevel.wait_readable(self._poller.fileno())
            while True:
                await self._turn()
        finally:
            trio.lowlevel.remove_instrument(self._clock.loop_waits)
            trio.lowlevel.remove_instrument(self._steps)

    def close(self) -> None:
        """Close what the pump has opened, once nothing converses any more.

        Conversations that are cancelled together with `run` still take their pipes back.
        """
        self._poller.close()
        self._slap_timer.close()
        self._cores.close()

    async def _turn(self) -> None:
        """Work for one turn, then let trio's other tasks run, or park when nothing has happened."""
        clock, window_due_ns, poll = self._clock, self._slap_timer.due_ns, self._poll
        began_ns = now_ns = clock.now_ns()
        end_ns, busy, looks = now_ns + self._turn_ns(), True, 0
        self._is_match_over = False
        while busy and now_ns <= end_ns and now_ns < (due_ns := window_due_ns(NEVER_NS)) and not self._is_match_over:
            busy = poll(now_ns, end_ns if end_ns < due_ns else due_ns)
            now_ns = clock.now_ns()
            looks += 1
        self._cores.note_turn(looks if busy else 0, began_ns, now_ns)
        if now_ns >= window_due_ns(NEVER_NS):
            await self._time_window()
            await trio.lowlevel.checkpoint()
        elif busy:
            await self._let_others_run()
        else:
            await self._park()

    async def _time_window(self) -> None:
        """Time the first slap window that waits, if its time has come."""
        async with self.freeze_lock:
            now_ns = self._clock.now_ns()
            self._clock.catch_up(now_ns)  # whoever had the lock started a process
            match = await self._slap_timer.run(now_ns)
        self._clock.mark_looked()
        if match is not None:
            for bot in match.bots.values():
                self._await_end(bot)
            self._advance(match)

    async def _let_others_run(self) -> None:
        """Let trio's other tasks go on until all wait for something, or for a while.

        trio shuffles those that are ready. So one of them may be about to go on where none has in one round.
        """
        quiet, until_ns = 0, self._clock.now_ns() + OTHERS_NS
        for rounds in itertools.count(1):
            before = self._steps.count
            await trio.lowlevel.checkpoint()
            quiet = 0 if self._steps.count > before + 1 else quiet + 1
            if quiet >= QUIET_ROUNDS or (rounds >= QUIET_ROUNDS and self._clock.now_ns() > until_ns):
                return

    def _turn_ns(self) -> int:
        """How long the turn that begins now may be. Where no match is in flight, nothing is waited for in it."""
        have_others_run, self._steps.count = self._steps.count > QUIET_ROUNDS, 0
        if not self._matches:
            return 0
        return TURN_NS if have_others_run else LONG_TURN_NS

    def _poll(self, start_ns: int, until_ns: int) -> bool:
        """Poll once, until then or the next alarm, and do all that follows; returns whether anything was there."""
        poller, alarms = self._poller, self._alarms
        if alarms and alarms[0][0] < until_ns:
            until_ns = alarms[0][0]
        timeout_ns = until_ns - start_ns if until_ns > start_ns else 0
        ready = poller.poll(timeout_ns / 1e9)
        now_ns = self._clock.end_poll(start_ns, timeout_ns)
        handlers = poller.handlers
        for fd, _ in ready:
            if (handler := handlers.get(fd)) is not None:  # the handler before it may have ended its match
                handler(now_ns)
        if until_ns <= now_ns:
            self._expire(now_ns)
        return bool(ready)

    async def _park(self) -> None:
        """Sleep in trio until a pipe is ready, a deadline is near or a match begins."""
        until_ns = min(self._next_alarm_ns(), self._slap_timer.due_ns(NEVER_NS))
        self._parking = trio.move_on_after(max(0.0, (until_ns - self._clock.now_ns()) / 1e9))
        with self._parking, self._clock.parked(until_ns):
            await trio.lowlevel.wait_readable(self._poller.fileno())

    # Pipes

    def _register(self, bot: SeatedBot) -> None:
        """Add the bot's pipes to what is polled, unless they are there, so that nothing is added while it plays."""
        if (process := bot.channel.process) is not None:
            for fd in (process.stdin, process.stdout, process.stderr):
                self._poller.add(fd, bot.channel)
            self._poller.watch(process.stdout, partial(self._read, bot))
            self._poller.watch(process.stderr, partial(self._read_stderr, bot))

    def _unregister(self, bot: SeatedBot) -> None:
        if (process := bot.channel.process) is not None:
            for fd in (process.stdin, process.stdout, process.stderr):
                self._poller.forget(fd)
        self._alarms = [alarm for alarm in self._alarms if alarm[2] is not bot]
        heapq.heapify(self._alarms)

    def _read(self, bot: SeatedBot, now_ns: int) -> None:
        """Read what the bot has written, or that its output has ended."""
        channel = bot.channel
        is_owed = channel.inbox.awaits is not None
        try:
            heard = channel.read(now_ns)
            if heard is not None and is_owed:
                self._settle(bot, heard, now_ns)
                return
        except Exception as error:  # our own failure voids this match and no other
            bot.match.fail(error)
            return
        if channel.process is not None and (channel.ended_ns is not None or heard is not None):
            self._poller.forget(channel.process.stdout)  # what is heard unasked is heard again when an answer is due
            self._look_at(bot, now_ns)

    def _read_stderr(self, bot: SeatedBot, _: int) -> None:
        if bot.channel.process is not None and not bot.channel.read_stderr():
            self._poller.forget(bot.channel.process.stderr)

    def _flush(self, bot: SeatedBot, _: int) -> None:
        bot.channel.flush()
        if bot.channel.process is not None and not bot.channel.unwritten:
            self._poller.forget(bot.channel.process.stdin)

    def _look_at(self, bot: SeatedBot, now_ns: int) -> None:
        """Settle what is known of an answer that is due, because the bot's output has ended or its time has come."""
        channel = bot.channel
        if not channel.owes_answer:
            return
        try:
            if (trouble := channel.end_of_output(now_ns)) is not None:
                self._settle(bot, trouble, now_ns)
            elif channel.ended_ns is not None:
                self._wake_at(bot, now_ns + EXIT_CHECK_NS)
            elif now_ns >= channel.clock.deadline_ns:
                self._settle(bot, channel.silence(), now_ns)
            else:  # it has been asked anew since the alarm was set, or its clock was stopped
                self._wake_at(bot, channel.clock.deadline_ns)
        except Exception as error:  # our own failure voids this match and no other
            bot.match.fail(error)

    # Exchanges

    def _advance(self, match: MatchInFlight) -> None:
        """Give the conversation its replies and write what it says next; repeat while nothing is awaited."""
        try:
            while not match.owed:
                exchange = match.go_on()
                if type(exchange) is Delivery:
                    self._deliver(match.bots[exchange.seat], exchange)
                    continue
                for seat in exchange.dismissed:
                    self._dismiss(match.bots[seat])
                if exchange.timed and not exchange.at_once:
                    self._slap_timer.add(match)
                    return
                if exchange.at_once:
                    match.asked_ns = self._clock.now_ns()
                for delivery in exchange.deliveries:
                    self._deliver(match.bots[delivery.seat], delivery)
        except StopIteration:
            match.over.set()
            self._is_match_over = True
        except Exception as error:  # our own failure voids this match and no other
            match.fail(error)

    def _deliver(self, bot: SeatedBot, delivery: Delivery) -> None:
        """Write a line; its answer is owed from now on. What is known of it at once is the reply."""
        channel = bot.channel
        if channel.thinks_long and delivery.awaits is not None:
            channel.look(self._clock.now_ns())  # what it did before it is asked is not what it does for its answer
        now_ns = self._clock.now_ns()
        channel.write(delivery, now_ns)
        if channel.unwritten and channel.process is not None:
            self._poller.watch(channel.process.stdin, partial(self._flush, bot), writable=True)
        if delivery.awaits is None:
            return
        look_ns = channel.clock.deadline_ns
        if channel.ended_ns is not None or channel.inbox.unjudged:
            if (heard := channel.known_at_once(now_ns)) is not None:
                channel.end_turn(now_ns)
                bot.match.replies.append(Reply(bot.seat, heard, 0.0))
                return
            if channel.ended_ns is not None:
                look_ns = now_ns + EXIT_CHECK_NS
        bot.match.owed += 1
        if look_ns < bot.alarm_ns:
            self._wake_at(bot, look_ns)

    def _dismiss(self, bot: SeatedBot) -> None:
        if bot.channel.process is not None:
            bot.channel.process.kill()
            bot.channel.drain_stderr()
        self._unregister(bot)

    def _settle(self, bot: SeatedBot, heard: Heard | None, now_ns: int) -> None:
        """Take the reply for an answer that was due and is here, or will not come."""
        channel, match = bot.channel, bot.match
        if match.exchange is not None and match.exchange.timed and not match.exchange.at_once:
            self._settle_window(bot, heard, now_ns)
            match.owed -= 1
            self._advance(match)
            return
        arrived_ns = now_ns if heard is None else self._clock.arrived_ns
        if heard is None or arrived_ns > channel.clock.deadline_ns:
            if channel.forgive(now_ns) and heard is None:
                self._wake_at(bot, channel.clock.deadline_ns)
                return
            if arrived_ns > channel.clock.deadline_ns and not isinstance(heard, Trouble):
                heard = None
        if match.exchange is not None and match.exchange.at_once:
            reply = self._reply_at_once(bot, heard, now_ns)
        else:
            reply = channel.reply(bot.seat, heard, arrived_ns, now_ns)
        match.replies.append(reply if heard is not None else replace(reply, hint=channel.inbox.hint()))
        match.owed -= 1
        self._advance(match)

    def _await_end(self, bot: SeatedBot) -> None:
        """Let a match wait for a bot whose output has ended in its window, until it is known why."""
        if bot.channel.owes_answer:
            bot.match.owed += 1
            self._wake_at(bot, self._clock.now_ns())

    def _settle_window(self, bot: SeatedBot, heard: Heard | None, now_ns: int) -> None:
        """Take note why the output of this bot has ended in the window, which has been timed."""
        bot.channel.end_turn(now_ns)
        replies = bot.match.replies
        bot.match.replies = [replace(one, heard=heard) if one.seat == bot.seat else one for one in replies]

    def _reply_at_once(self, bot: SeatedBot, heard: Heard | None, now_ns: int) -> Reply:
        """End the turn of a bot that was asked together with others: the time counts at which its answer is seen."""
        if heard is None:
            bot.channel.note_missed()
        bot.channel.end_turn(now_ns)
        elapsed_us = (now_ns - bot.match.asked_ns) / 1e3
        return Reply(bot.seat, heard, elapsed_us, corrected_us=round(elapsed_us, 1))

    # Clocks

    def _wake_at(self, bot: SeatedBot, when_ns: int) -> None:
        """Look at the bot at that time, or earlier: a bot has one alarm, which is set anew when it was too early."""
        if bot.alarm_ns > when_ns:
            bot.alarm_ns = when_ns
            heapq.heappush(self._alarms, (when_ns, next(self._count), bot))

    def _next_alarm_ns(self) -> int:
        return self._alarms[0][0] if self._alarms else NEVER_NS

    def _expire(self, now_ns: int) -> None:
        """Look at every bot whose time has come."""
        while self._alarms and self._alarms[0][0] <= now_ns:
            when_ns, _, bot = heapq.heappop(self._alarms)
            if when_ns == bot.alarm_ns:  # otherwise an earlier alarm has taken its place
                bot.alarm_ns = NEVER_NS
                self._look_at(bot, now_ns)

    def _make_up_for(self, lag_ns: int) -> None:
        """Stop the bots' clocks for a time in which nobody looked at the pipes; void a match if it was too long."""
        for match in self._matches:
            match.worst_lag_ns = max(match.worst_lag_ns, lag_ns)
            for bot in match.bots.values():
                bot.channel.shift_clock(lag_ns)
            if lag_ns > HOPELESS_NS and match.owed:
                text = f"the referee did not look at its pipes for {lag_ns / 1e9:.2f} s while a clock ran"
                match.fail(HostFault(text))
