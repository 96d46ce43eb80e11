"""Timing slap windows: one bot at a time, alone on the machine, so that the order announced can be defended.

A window's answers are sealed, so nothing is lost by asking one bot after another, in the window's random order. The
clock starts just before the write and stops when poll returns, before anything is read or decoded. Meanwhile every
other bot that could compute is held still. What the bot's tasks spent waiting for a core is no fault of the bot:
corrected = max(raw - wait, min(raw, CPU time used)). Sources: RULES.md CAC-25 and the measurements in the design.
"""

import contextlib
import errno
import fcntl
import os
import select
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import trio
from msgspec.structs import replace

from referee.play.channel import Channel
from referee.play.connection import Trouble
from referee.play.exchange import Delivery, Exchange, Reply
from referee.play.procfs import Usage, usage

LOCK_PATIENCE_S = 1.0
"""How long a window waits for another referee of this host that is timing; then it is held, and marked disturbed."""

DISTURBED_US = 300.0
"""A wait for a core longer than this marks the window as disturbed."""


class HostLock:
    """One timed window at a time on this host, whatever number of referees run."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or _shared_folder() / "golfref-timing.lock"
        self._fd: int | None = None

    async def acquire(self) -> bool:
        """Take the lock; False when another referee did not give it up in time, or its file cannot be opened."""
        if self._fd is None:
            self._fd = _open_shared(self._path)
        if self._fd is None:
            return False
        end = trio.current_time() + LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in {errno.EAGAIN, errno.EACCES}:
                    raise
            else:
                return True
            if trio.current_time() > end:
                return False
            await trio.sleep(0.001)

    def release(self) -> None:
        """Give the lock up."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock's file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _shared_folder() -> Path:
    """Where whoever uses this host may have files; somewhere that does not exist if nothing can be written at all."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return Path("/nowhere")


def _open_shared(path: Path) -> int | None:
    """A file that whoever uses this host can open and lock, reading being enough for that; None where it cannot be."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        return os.open(path, flags)
    with contextlib.suppress(OSError):
        fd = os.open(path, flags | os.O_CREAT, 0o644)
        os.fchmod(fd, 0o644)  # whatever the umask says
        return fd
    return None


async def run_race(
    exchange: Exchange, table: dict[int, Channel], everyone: Iterable[Channel], lock: HostLock
) -> list[Reply]:
    """Ask the seats of a timed exchange one after another; returns their replies in the same order.

    `table` holds the channels of the match by seat, `everyone` all channels of this referee; at the table itself
    nobody owes an answer now.
    """
    bystanders = [channel for channel in everyone if channel.is_busy()]
    with held_still(bystanders):
        has_lock = await lock.acquire()
        try:
            replies = []
            for delivery in exchange.deliveries:
                others = [channel for seat, channel in table.items() if seat != delivery.seat]
                with held_still(channel for channel in others if channel.computes()):
                    replies.append(_ask_alone(table[delivery.seat], delivery, has_lock=has_lock))
                await trio.lowlevel.checkpoint()
            return replies
        finally:
            if has_lock:
                lock.release()


@contextlib.contextmanager
def held_still(channels: Iterable[Channel]) -> Iterator[None]:
    """Freeze these bots, and stop their clocks, for the duration of the block."""
    frozen = [channel for channel in channels if channel.process is not None]
    start_ns = time.monotonic_ns()
    for channel in frozen:
        if channel.process is not None:
            channel.process.freeze()
    try:
        yield
    finally:
        held_ns = time.monotonic_ns() - start_ns
        for channel in frozen:
            if channel.process is not None:
                channel.process.thaw()
            channel.shift_clock(held_ns)


def _ask_alone(channel: Channel, delivery: Delivery, *, has_lock: bool) -> Reply:
    """Write, poll, stamp; blocks for as long as the bot may think, and nothing else of ours runs meanwhile."""
    pid = 0 if channel.process is None else channel.process.pid
    poll = select.poll()
    if channel.process is not None:
        poll.register(channel.process.stdout, select.POLLIN)
    before = usage(pid)
    written_ns = arrived_ns = time.monotonic_ns()
    channel.write(delivery, written_ns)
    deadline_ns = written_ns + round(delivery.limit_s * 1e9)
    heard = channel.hear() or _last_words(channel)
    while heard is None:
        ready = poll.poll(max(0.0, (deadline_ns - time.monotonic_ns()) / 1e6))
        arrived_ns = time.monotonic_ns()
        if not ready or arrived_ns > deadline_ns:
            break
        channel.read(arrived_ns)
        heard = channel.hear() or _last_words(channel)
        channel.flush()
    raw_us = (arrived_ns - written_ns) / 1e3
    hint = "" if heard is not None else channel.connection.hint()
    spent = _difference(before, usage(pid))
    channel.give_up()
    return replace(_reply(delivery.seat, raw_us, spent, has_lock=has_lock), heard=heard, hint=hint)


def _reply(seat: int, raw_us: float, spent: Usage | None, *, has_lock: bool) -> Reply:
    """The times of a reply, and why the measurement is in doubt if it is."""
    wait_us = 0.0 if spent is None else spent.wait_ns / 1e3
    cpu_us = raw_us if spent is None else spent.cpu_ns / 1e3
    doubts = [] if has_lock else ["another referee may have been timing on this host"]
    if wait_us > DISTURBED_US:
        doubts.append("a bot waited for a core")
    return Reply(
        seat=seat,
        heard=None,
        elapsed_us=raw_us,
        wait_us=round(wait_us, 1),
        corrected_us=round(max(raw_us - wait_us, min(raw_us, cpu_us)), 1),
        disturbed="; ".join(doubts),
    )


def _last_words(channel: Channel) -> Trouble | None:
    """If the bot's output has ended: how; waits the short while in which a crash is told from a closed output."""
    while channel.ended_ns is not None:
        trouble = channel.end_of_output(time.monotonic_ns())
        if trouble is not None:
            return trouble
        time.sleep(0.001)
    return None


def _difference(before: Usage | None, after: Usage | None) -> Usage | None:
    if before is None or after is None:
        return None
    return Usage(max(0, after.cpu_ns - before.cpu_ns), max(0, after.wait_ns - before.wait_ns))
