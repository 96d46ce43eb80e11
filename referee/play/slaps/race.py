"""Timing slap windows: one bot at a time, alone on the machine, so that the order announced can be defended.

A window's answers are sealed, so nothing is lost by asking one bot after another, in the window's random order. All
bots are frozen (SIGSTOP). The bot that is asked is woken with the first bytes of its line, which tell it nothing, and
frozen again; the rest of the line is written while it is. Its clock starts when it may go on, and stops when poll
returns, before anything is read or decoded: a bot that spins, leaves helpers at work or answers early gains nothing.
What the bot's tasks, and then the referee, spend waiting for a core is no fault of the bot:
corrected = max(raw - wait, min(raw, CPU time used)). See RULES.md CAC-25, and DESIGN.md section 4 for the measurements.
"""

import contextlib
import functools
import os
import select
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence

import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.play.process import orphans
from referee.play.process.channel import Channel
from referee.play.process.limit_watch import MOST_FORGIVEN, less_waiting
from referee.play.process.process import BotProcess
from referee.play.process.thread_cache import PidWatermark, Waits
from referee.play.process.usage import Computed, stolen_ticks
from referee.play.sandbox.system_info import OpenFile
from referee.play.slaps.one_core import pinned_to
from referee.play.slaps.quiet import MOST_AWAKE, NOT_FROZEN, freeze_and_check, freeze_fully, looks
from referee.play.talk.exchange import Delivery, Exchange, Reply
from referee.play.talk.inbox import Heard

DISTURBED_NS = 300_000
"""A wait for a core longer than this marks the window as disturbed."""

LOST_NS = 75_000
"""More than this of a bot's time that is accounted for by nothing marks the window: its core, or ours, was taken away.

The kernel tells such time only in steps of 10 ms. A virtual machine that knows of it does not count it as computing.
Measured where nothing is taken away: at most 16 us in 99 of 100 slaps (47 us where cores sleep), and more than 75 us in
one or two of 1,000.
"""

ESCAPED_S = 0.02
"""How long it may take to end the processes that have escaped their bots, and so are not frozen with them."""

OTHERS_WAIT_NS = 10_000_000
"""For how long trio's other tasks wait in a window; then they go on for a moment between two bots."""

STDERR_S = 0.01
"""Time between two looks at what a bot that is timed writes to standard error."""

AWAKE_S = 0.002 if (os.cpu_count() or 1) > 1 else 0.0
"""For how long the referee's core stays awake for an answer; most bots slap sooner.

Measured with C bots as an ordinary user, who cannot ask the kernel to keep cores awake, on a virtual machine with two
cores: a slap takes 37 instead of 76 us beyond the bot's own work, 60 to 70 instead of 110 to 160 us at p99.
"""

WARM_BYTES = 2
"""How many bytes of its line a bot gets, one by one, before its clock starts; they are the same in every line."""

WARM_NS = 1_000_000
"""How long a bot may take to read each of them."""

ESCAPED = "a process that had escaped its bot was still running"
BOT_WAITED = "a bot waited for a core"
REFEREE_WAITED = "the referee waited for a core"
STOLEN = "the host of this virtual machine gave a core to others"


_IS_GONE = contextlib.suppress(ProcessLookupError, PermissionError)


class Timing(Struct, frozen=True, kw_only=True):
    """A measurement of one bot."""

    raw_ns: int = 0
    """The time from the moment the bot could go on until poll returned."""
    own_wait_ns: int = 0
    """How long the referee waited for a core meanwhile."""
    wait_ns: int = 0
    """How long the bot's tasks waited for a core meanwhile, added up."""
    lost_ns: int = 0
    """The rest of `raw_ns` where the bot did nothing but compute and wait for a core: then it had a core that stood."""
    cpu_ns: int | None = 0
    """What the bot computed, ended tasks included; None where that is not known. Then no wait is taken off."""
    frozen: bool = True
    """Whether the bot could be frozen in time."""

    def plus(self, more: "Timing") -> "Timing":
        """Returns both together, where the bot went on after something had come that was no answer yet."""
        return Timing(
            raw_ns=self.raw_ns + more.raw_ns,
            own_wait_ns=self.own_wait_ns + more.own_wait_ns,
            wait_ns=self.wait_ns + more.wait_ns,
            lost_ns=self.lost_ns + more.lost_ns,
            cpu_ns=None if self.cpu_ns is None or more.cpu_ns is None else self.cpu_ns + more.cpu_ns,
            frozen=self.frozen and more.frozen,
        )

    def as_partial(self) -> "Timing":
        """Returns the measurement of a part that was no answer yet: what the bot computed until it was frozen counts.

        Otherwise it could compute for nothing by writing its answer in pieces.
        """
        return replace(self, raw_ns=max(self.raw_ns, self.cpu_ns or 0))

    def with_what_was_lost(self) -> "Timing":
        """Returns the measurement of a bot that has not slept, with what nothing accounts for."""
        if self.cpu_ns is None:
            return self
        return replace(self, lost_ns=max(0, self.raw_ns - self.own_wait_ns - self.wait_ns - self.cpu_ns))

    @property
    def answered_ns(self) -> int:
        """The time without the referee's own wait, as far as the bot did not compute meanwhile."""
        return self._less(self.raw_ns, self.own_wait_ns)

    @property
    def corrected_ns(self) -> int:
        """The time that counts: the bot's waiting is taken off too, but its computing always counts."""
        return self._less(self.answered_ns, self.wait_ns)

    def _less(self, time_ns: int, wait_ns: int) -> int:
        return less_waiting(time_ns, wait_ns, time_ns if self.cpu_ns is None else self.cpu_ns)

    def doubts(self) -> Iterator[str]:
        """Yields why the measurement may not be trusted."""
        if self.wait_ns > DISTURBED_NS:
            yield BOT_WAITED
        if self.own_wait_ns > DISTURBED_NS:
            yield REFEREE_WAITED
        if self.lost_ns > LOST_NS:
            yield STOLEN
        if not self.frozen:
            yield NOT_FROZEN


async def run_race(
    exchange: Exchange, table: dict[int, Channel], doubts: Sequence[str] = (), *, core: int | None = None
) -> list[Reply]:
    """Ask the seats of a timed exchange one after another; returns their replies in the same order.

    `table` holds the channels of the match by seat. The host is quiet by now; `doubts` says why that is in doubt.
    The bots compute on this `core`, if one is named. A bot whose output has ended still owes its answer: whether it has
    crashed shows after the window, as it takes a while and other matches go on meanwhile.
    """
    frozen = [freeze_and_check(channel) for channel in table.values()]
    for channel in table.values():
        _count_awake(channel)
    doubts = [*doubts, *([] if all(frozen) else [NOT_FROZEN])]
    replies, stolen, since_ns, escapes = [], stolen_ticks(), time.monotonic_ns(), _Escapes()
    for delivery in exchange.deliveries:
        channel = table[delivery.seat]
        escaped = [] if escapes.end() else [ESCAPED]
        escapes.note_turn(channel)
        with pinned_to(core, channel.process):
            replies.append(_ask_alone(channel, delivery, [*doubts, *escaped]))
        if time.monotonic_ns() - since_ns > OTHERS_WAIT_NS:
            await trio.lowlevel.checkpoint()
            since_ns = time.monotonic_ns()
    if stolen_ticks() != stolen:
        return [replace(reply, disturbed=(*reply.disturbed, STOLEN)) for reply in replies]
    return replies


class _Escapes:
    """Ends the processes that have escaped their bots. It looks for them where there may be new ones.

    What is left behind by a bot that was one process, and begins its turn, has been started in it: then the last
    process of the host is another one.
    """

    def __init__(self) -> None:
        self._newest = PidWatermark()

    def end(self) -> bool:
        """Returns False if some are left."""
        if self._newest.is_same():
            return True
        self._newest.note()
        if orphans.end_orphans_now(patience_s=ESCAPED_S):
            return True
        self._newest.forget()
        return False

    def note_turn(self, channel: Channel) -> None:
        """Note that this bot has its turn now."""
        if channel.process is not None and len(channel.process.members()) > 1:
            self._newest.forget()


def _count_awake(channel: Channel) -> None:
    """End a bot that computed in too many windows although it was stopped: it disturbs them on purpose."""
    channel.windows_awake += channel.is_awake
    if channel.windows_awake > MOST_AWAKE:
        channel.end_for(f"it computed in more than {MOST_AWAKE} slap windows although it was stopped, and was ended")


# One bot's turn


def _ask_alone(channel: Channel, delivery: Delivery, doubts: Sequence[str]) -> Reply:
    """Wake the bot, write, let it go on, poll, stamp. Nothing else of ours runs for as long as the bot may think."""
    channel.paused = False
    process = channel.process
    if process is not None:
        delivery = _warm_up(channel, process, delivery)
        _discard_early(channel)
    written_ns = time.monotonic_ns()
    channel.write(delivery, written_ns)
    timing, heard = Timing(), channel.hear()
    if process is not None and heard is None:
        # A bot that computes although it is stopped may have begun when its line was written.
        timing, heard = _time(channel, process, delivery.limit_s, written_ns if channel.is_awake else None)
    hint, is_open = "", heard is None and channel.ended_ns is not None
    if heard is None and not is_open:
        hint = channel.inbox.hint()
        channel.note_missed()
    if not is_open:
        channel.end_turn(time.monotonic_ns())
    return Reply(
        seat=delivery.seat,
        heard=heard,
        elapsed_us=timing.answered_ns / 1e3,
        wait_us=round(timing.wait_ns / 1e3, 1),
        corrected_us=round(timing.corrected_ns / 1e3, 1),
        hint=hint,
        disturbed=(*doubts, *timing.doubts()),
    )


def _warm_up(channel: Channel, process: BotProcess, delivery: Delivery) -> Delivery:
    """Wake the bot with the first bytes of its line, and freeze it again; returns what is left of the line.

    A bot that waits for a core is frozen when it has had one: a wait that began before its clock would be taken off.
    """
    if channel.unwritten:
        return delivery
    _send(process.members(known=True), signal.SIGCONT)
    for number in range(WARM_BYTES):
        channel.write(Delivery(seat=delivery.seat, data=delivery.data[number : number + 1]), time.monotonic_ns())
        _until_read(process)
    if not freeze_and_check(channel):
        _freeze_who_waits(process, time.monotonic_ns() + round(delivery.limit_s * 1e9))
    return replace(delivery, data=delivery.data[WARM_BYTES:])


def _until_read(process: BotProcess) -> None:
    """Wait until nothing is left in its pipe and the bot is asleep again, or it has had its time."""
    for _ in looks(WARM_NS):
        if not process.unread_bytes() and "R" not in process.states(known=True):
            return


def _discard_early(channel: Channel) -> None:
    """Take everything that the bot wrote before it was asked: none of it can be an answer."""
    before = -1
    while channel.inbox.bytes_read != before:
        before = channel.inbox.bytes_read
        channel.read(time.monotonic_ns())


def _time(channel: Channel, process: BotProcess, limit_s: float, since_ns: int | None) -> tuple[Timing, Heard | None]:
    """Let a frozen bot go on, with its line in the pipe, until it has answered or its time is over.

    The bot is frozen whenever something has come, and when this returns. Its clock stops while it is frozen and, within
    reason, while it waits for a core. It starts at `since_ns`, by default when the bot may go on.
    """
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if channel.unwritten:
        poll.register(process.stdin, select.POLLOUT)
    limit_ns = round(limit_s * 1e9)
    end_ns = time.monotonic_ns() + MOST_FORGIVEN * limit_ns
    timing, heard, computed = Timing(), None, process.computed()
    while heard is None:
        more, has_come, after = _let_run(
            channel, process, poll, limit_ns - timing.corrected_ns, end_ns, since_ns, computed
        )
        since_ns, computed = None, after
        whole = timing.plus(more)
        if whole.corrected_ns >= limit_ns or time.monotonic_ns() > end_ns:
            return whole, None
        if has_come:
            heard = channel.read(time.monotonic_ns())
            if channel.unwritten:
                channel.flush()
                if not channel.unwritten:
                    poll.unregister(process.stdin)
            heard = heard or channel.end_of_output(time.monotonic_ns())
            if heard is None and channel.ended_ns is not None:
                return whole, None
        timing = whole if heard is not None else timing.plus(more.as_partial())
    return timing, heard


def _let_run(  # noqa: PLR0913, PLR0917 - who may run, and for how long
    channel: Channel,
    process: BotProcess,
    poll: select.poll,
    limit_ns: int,
    end_ns: int,
    since_ns: int | None,
    computed: Computed | None,
) -> tuple[Timing, bool, Computed | None]:
    """Let the bot run until poll returns, and freeze it; returns what was measured and whether anything has come.

    `computed` is what the bot had computed before, and the last value returned is what it has computed then. The
    kernel counts that when the bot leaves its core, which may be a little after it is seen to stand. What one part
    misses so is in the next one: hence each begins with the figure at which the last one ended.

    The measurement begins at `since_ns`, by default when the bot may go on. Where nothing comes within `limit_ns`, it
    ends when the bot is frozen, or at `end_ns`: for how long a bot waits for a core is told when it has got one.
    """
    members = process.members(known=True)  # it has been frozen since it was looked at
    before, own_ns = process.waits(known=True), _own_wait_ns()
    start_ns = time.monotonic_ns() if since_ns is None else since_ns
    _send(members, signal.SIGCONT)
    ready, own_ns = _wait(channel, poll, limit_ns / 1e9, own_ns)
    arrived_ns, own_end_ns = time.monotonic_ns(), _own_wait_ns()
    waits = process.waits()  # before it is stopped, for which it needs a core once more
    _send(members, signal.SIGSTOP)
    process.note_ran(arrived_ns - start_ns)
    frozen = freeze_fully(process) or _freeze_who_waits(process, end_ns)
    if not ready:
        arrived_ns, own_end_ns, waits = time.monotonic_ns(), _own_wait_ns(), process.waits()
    after = process.computed()
    timing = Timing(
        raw_ns=arrived_ns - start_ns,
        own_wait_ns=own_end_ns - own_ns,
        wait_ns=sum(one.wait_ns - before[task].wait_ns for task, one in waits.items() if task in before),
        cpu_ns=None if computed is None or after is None else after.since(computed),
        frozen=frozen,
    )
    if ready and since_ns is None and not _may_have_slept(before, waits):
        timing = timing.with_what_was_lost()
    return timing, ready, after


def _freeze_who_waits(process: BotProcess, end_ns: int) -> bool:
    """Freeze a bot that waits for a core, as it needs one for that; returns whether it is frozen by `end_ns`."""
    before = process.computed()
    while before is not None and "R" in process.states() and time.monotonic_ns() < end_ns:
        if freeze_fully(process):
            return True
        after = process.computed()
        if after is None or after.cpu_ns > before.cpu_ns:  # it had a core, and was not stopped
            break
    return False


def _may_have_slept(before: Mapping[int, Waits], after: Mapping[int, Waits]) -> bool:
    """Whether a bot that has answered may have slept before: it got a core more than once, or has other tasks now."""
    return before.keys() != after.keys() or sum(one.times - before[task].times for task, one in after.items()) > 1


def _wait(channel: Channel, poll: select.poll, limit_s: float, own_ns: int) -> tuple[bool, int]:
    """Poll for `limit_s`; now and then make room in standard error, where a full pipe would hold the bot up.

    At first it polls without sleeping: a core that has fallen asleep takes tens of microseconds to begin. Returns
    whether anything has come, and how long this thread had waited for a core when the last poll began.
    """
    began = time.monotonic()
    end, awake_until = began + limit_s, began + AWAKE_S
    while time.monotonic() < awake_until:
        if poll.poll(0):
            return True, own_ns
    while not poll.poll(max(0.0, min(end - time.monotonic(), STDERR_S)) * 1e3):
        if time.monotonic() >= end:
            return False, own_ns
        channel.read_stderr()
        own_ns = _own_wait_ns()
    return True, own_ns


def _send(members: Sequence[int], number: signal.Signals) -> None:
    for pid in members:
        with _IS_GONE:
            os.kill(pid, number)


def _own_wait_ns() -> int:
    """Returns how long this thread has waited for a core so far; 0 where the system does not tell."""
    try:
        return int(_own_schedstat(threading.get_native_id()).read().split()[1])
    except OSError:
        return 0


@functools.lru_cache(1)
def _own_schedstat(thread: int) -> OpenFile:
    """The file that tells of this thread, which is the one that opens it. A process that was forked has another."""
    return OpenFile(f"/proc/self/task/{thread}/schedstat")
