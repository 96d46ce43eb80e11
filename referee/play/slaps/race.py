"""Timing slap windows: one bot at a time, alone on the machine, so that the order announced can be defended.

A window's answers are sealed, so nothing is lost by asking one bot after another, in the window's random order. All
bots stand still (SIGSTOP). The one that is asked is woken with the first bytes of its line, which tell it nothing, and
stopped again; the rest is written while it stands. Its clock starts when it may go on, and stops when poll returns,
before anything is read or decoded: whoever spins, leaves helpers at work or answers early gains nothing. What the bot's
tasks, and then the referee, spent waiting for a core is no fault of the bot:
corrected = max(raw - wait, min(raw, CPU time used)). See RULES.md CAC-25, and DESIGN.md section 4 for the measurements.
"""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.play.bot import orphans
from referee.play.bot.channel import MOST_FORGIVEN, Channel
from referee.play.bot.process import BotProcess
from referee.play.bot.procfs import states, stolen_ticks, waits_of
from referee.play.faults import Trouble
from referee.play.slaps.quiet import LOOK_S, NOT_AT_REST, bring_to_rest
from referee.play.talk.exchange import Delivery, Exchange, Reply
from referee.play.talk.inbox import Heard

DISTURBED_NS = 300_000
"""A wait for a core longer than this marks the window as disturbed."""

AT_LARGE_S = 0.02
"""So long it may take until nothing is left that has run away from its bot, and does not stand still with it."""

STDERR_S = 0.01
"""So often what a bot writes to standard error is read while it is timed."""

WARM_BYTES = 2
"""So many bytes of its line a bot gets one by one before its clock starts; they are the same in every line."""

WARM_NS = 1_000_000
"""So long it may take to read each of them."""

AT_LARGE = "what had run away from a bot was at large"
BOT_WAITED = "a bot waited for a core"
REFEREE_WAITED = "the referee waited for a core"
STOLEN = "the host of this virtual machine gave a core to others"


class Timing(Struct, frozen=True, kw_only=True):
    """A measurement, in nanoseconds."""

    raw_ns: int = 0
    """From the moment the bot could go on until poll returned."""
    own_wait_ns: int = 0
    """The referee's wait for a core meanwhile."""
    wait_ns: int = 0
    """What the bot's tasks waited for a core meanwhile."""
    cpu_ns: int | None = 0
    """What it computed, ended tasks included; None where that is not known. Then no wait is taken off."""
    at_rest: bool = True
    """Whether the bot could be stopped in time."""

    def plus(self, more: "Timing") -> "Timing":
        """Both, where the bot went on after something had come that was no answer yet."""
        return Timing(
            raw_ns=self.raw_ns + more.raw_ns,
            own_wait_ns=self.own_wait_ns + more.own_wait_ns,
            wait_ns=self.wait_ns + more.wait_ns,
            cpu_ns=None if self.cpu_ns is None or more.cpu_ns is None else self.cpu_ns + more.cpu_ns,
            at_rest=self.at_rest and more.at_rest,
        )

    def of_a_piece(self) -> "Timing":
        """Where it did not end in an answer: what the bot computed from the stamp until it stood counts too.

        Else it could compute for nothing by writing its answer in pieces.
        """
        return replace(self, raw_ns=max(self.raw_ns, self.cpu_ns or 0))

    @property
    def answered_ns(self) -> int:
        """Without the referee's own wait, as far as the bot did not compute meanwhile."""
        return self._less(self.raw_ns, self.own_wait_ns)

    @property
    def corrected_ns(self) -> int:
        """What counts: the bot's waiting is taken off too, but never so much that less than its computing is left.

        With many tasks a bot can wait as long as it likes, but only by computing as long.
        """
        return self._less(self.answered_ns, self.wait_ns)

    def _less(self, time_ns: int, wait_ns: int) -> int:
        cpu_ns = time_ns if self.cpu_ns is None else self.cpu_ns
        return max(time_ns - wait_ns, min(time_ns, cpu_ns))

    def doubts(self) -> Iterator[str]:
        """Why it may not be trusted."""
        if self.wait_ns > DISTURBED_NS:
            yield BOT_WAITED
        if self.own_wait_ns > DISTURBED_NS:
            yield REFEREE_WAITED
        if not self.at_rest:
            yield NOT_AT_REST


async def run_race(exchange: Exchange, table: dict[int, Channel], doubts: Sequence[str] = ()) -> list[Reply]:
    """Ask the seats of a timed exchange one after another; returns their replies in the same order.

    `table` holds the channels of the match by seat. Everybody is quiet by now; `doubts` says why that is in doubt.
    """
    at_rest = [bring_to_rest(channel.process) for channel in table.values() if channel.process is not None]
    doubts = [*doubts, *([] if all(at_rest) else [NOT_AT_REST])]
    replies, stolen = [], stolen_ticks()
    for delivery in exchange.deliveries:
        at_large = [] if orphans.end_orphans(patience_s=AT_LARGE_S) else [AT_LARGE]
        replies.append(_ask_alone(table[delivery.seat], delivery, [*doubts, *at_large]))
        await trio.lowlevel.checkpoint()
    if stolen_ticks() != stolen:
        return [replace(reply, disturbed=(*reply.disturbed, STOLEN)) for reply in replies]
    return replies


# One bot's turn


def _ask_alone(channel: Channel, delivery: Delivery, doubts: Sequence[str]) -> Reply:
    """Warm up, write, let go, poll, stamp; blocks for as long as the bot may think, and nothing else of ours runs."""
    channel.end_hold()
    process = channel.process
    if process is not None:
        delivery = _warm_up(channel, process, delivery)
        _clear(channel)
    channel.write(delivery, time.monotonic_ns())
    timing, heard = Timing(), channel.hear()
    if process is not None and heard is None:
        timing, heard = _time(channel, process, delivery.limit_s)
    hint = "" if heard is not None else channel.connection.hint()
    channel.give_up()
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
    """Wake the bot with the first bytes of its line; returns what is left of it, while the bot stands."""
    if channel.unwritten:
        return delivery
    members = process.members()
    _send(members, signal.SIGCONT)
    for number in range(WARM_BYTES):
        channel.write(Delivery(seat=delivery.seat, data=delivery.data[number : number + 1]), time.monotonic_ns())
        _until_read(process, members)
    bring_to_rest(process)
    return replace(delivery, data=delivery.data[WARM_BYTES:])


def _until_read(process: BotProcess, members: Sequence[int]) -> None:
    """Wait until nothing is left in its pipe and the bot is asleep again, or it has had its time."""
    end_ns = time.monotonic_ns() + WARM_NS
    while time.monotonic_ns() < end_ns and (process.unread_bytes() or "R" in states(members)):
        time.sleep(LOOK_S)


def _clear(channel: Channel) -> None:
    """Take everything that the bot wrote before it was asked: none of it can be an answer."""
    before = -1
    while channel.connection.bytes_read != before:
        before = channel.connection.bytes_read
        channel.read(time.monotonic_ns())


def _time(channel: Channel, process: BotProcess, limit_s: float) -> tuple[Timing, Heard | None]:
    """Let a standing bot go on, with its line in the pipe, until it has answered or its time is over.

    It is stopped whenever something has come; it stands when this returns. While it stands its clock does too, and so
    it does, within reason, while it waits for a core.
    """
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    if channel.unwritten:
        poll.register(process.stdin, select.POLLOUT)
    limit_ns = round(limit_s * 1e9)
    end_ns = time.monotonic_ns() + MOST_FORGIVEN * limit_ns
    timing, heard = Timing(), None
    while heard is None:
        more, has_come = _run(channel, process, poll, (limit_ns - timing.corrected_ns) / 1e9)
        whole = timing.plus(more)
        if whole.corrected_ns >= limit_ns or time.monotonic_ns() > end_ns:
            return whole, None
        if has_come:
            heard = channel.read(time.monotonic_ns())
            if channel.unwritten:
                channel.flush()
                if not channel.unwritten:
                    poll.unregister(process.stdin)
            heard = heard or _last_words(channel, process)
        timing = whole if heard is not None else timing.plus(more.of_a_piece())
    return timing, heard


def _run(channel: Channel, process: BotProcess, poll: select.poll, limit_s: float) -> tuple[Timing, bool]:
    """Let the bot run until poll returns, stop it, and say what was measured and whether anything has come."""
    members = process.members()
    computed, before, own_ns = process.computed(), waits_of(members), _own_wait_ns()
    start_ns = time.monotonic_ns()
    _send(members, signal.SIGCONT)
    ready, own_ns = _wait(channel, poll, limit_s, own_ns)
    arrived_ns = time.monotonic_ns()
    _send(members, signal.SIGSTOP)
    own_wait_ns = _own_wait_ns() - own_ns
    waits = waits_of(members)  # before it comes to rest, which may take a wait for a core of its own
    at_rest = bring_to_rest(process)
    after = process.computed()
    timing = Timing(
        raw_ns=arrived_ns - start_ns,
        own_wait_ns=own_wait_ns,
        wait_ns=sum(wait_ns - before[task] for task, wait_ns in waits.items() if task in before),
        cpu_ns=None if computed is None or after is None else after.since(computed),
        at_rest=at_rest,
    )
    return timing, ready


def _wait(channel: Channel, poll: select.poll, limit_s: float, own_ns: int) -> tuple[bool, int]:
    """Poll for so long; now and then make room in standard error, where a full pipe would hold the bot up.

    Returns whether anything has come, and what this thread had waited for a core before it began to wait for that.
    """
    end = time.monotonic() + limit_s
    while not poll.poll(max(0.0, min(end - time.monotonic(), STDERR_S)) * 1e3):
        if time.monotonic() >= end:
            return False, own_ns
        channel.read_stderr()
        own_ns = _own_wait_ns()
    return True, own_ns


def _send(members: Sequence[int], number: signal.Signals) -> None:
    for pid in members:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _own_wait_ns() -> int:
    """What this thread has waited for a core so far; 0 where the system does not tell."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/thread-self/schedstat").read_bytes().split()[1])
    return 0


def _last_words(channel: Channel, process: BotProcess) -> Trouble | None:
    """If the bot's output has ended: how; waits the short while in which a crash is told from a closed output."""
    if channel.ended_ns is None:
        return None
    process.thaw()  # all of it: who tells of the end may stand outside a cell
    while (trouble := channel.end_of_output(time.monotonic_ns())) is None:
        time.sleep(0.001)
    bring_to_rest(process)
    return trouble
