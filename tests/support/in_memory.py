"""Bots in memory: pipes in place of processes, tasks of the test that answer, and time that a test moves by hand."""

import math
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from typing import Any, cast

import trio
import trio.testing

from protocol.actions import Draw
from protocol.codec import encode
from protocol.messages import Answer, Limits
from referee.play.process.channel import Channel
from referee.play.process.usage import ResourceUsage
from referee.play.pump.clock import Clock
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Exchange, Reply

PATIENCE_S = 20.0
LONG_S = 1000.0
DRAW = Draw(source="stock")


class Pipes:
    """In place of a process: its three pipes from both sides.

    A test sets how it has ended (`status`, in words) and what it has used of the cores.
    """

    pid = 0

    def __init__(self) -> None:
        self.in_, self.stdin = os.pipe()
        self.stdout, self.out = os.pipe()
        self.stderr, self.err = os.pipe()
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.status: str | None = None
        self.used = ResourceUsage()
        self.counts_all = True
        self.killed = False
        self._open = {self.in_, self.stdin, self.stdout, self.out, self.stderr, self.err}

    def exit_status(self) -> str | None:
        return self.status

    def resource_usage(self) -> ResourceUsage:
        return self.used

    def unread_bytes(self) -> int:
        return 0

    def own_time_s(self) -> float:
        """The time in which it was not frozen; nobody compares it with anything."""
        return 0.0

    def is_frozen(self) -> bool:
        return True

    is_stopped = is_frozen

    def freeze(self) -> None:
        """Do nothing: there is no process to stop."""

    thaw = freeze

    def kill(self) -> None:
        self.killed = True

    def close(self, *fds: int) -> None:
        for fd in fds or tuple(self._open):
            if fd in self._open:
                self._open.remove(fd)
                os.close(fd)

    def answer(self, id_: str) -> None:
        os.write(self.out, encode(Answer(id=id_, action=DRAW)))

    async def request(self) -> str:
        """Wait for the next line; its text."""
        line = b""
        while not line.endswith(b"\n"):
            await trio.lowlevel.wait_readable(self.in_)
            line += os.read(self.in_, 65536)
        return line.decode().strip()


def three_bots() -> Iterator[list[Pipes]]:
    """A fixture: the pipes of three bots, which are closed at the end of the test."""
    with ExitStack() as stack:
        pipes = [Pipes() for _ in range(3)]
        for one in pipes:
            stack.callback(one.close)
        yield pipes


def channel(pipes: Pipes) -> Channel:
    spec = BotSpec(name="bot", command=("bot",), dir="/", env={})
    return Channel(spec, Confinement(isolation="none"), Limits(), cast(Any, pipes))


def ask(seat: int, id_: str, limit_s: float = LONG_S, data: bytes = b"") -> Delivery:
    return Delivery(seat=seat, data=data + id_.encode() + b"\n", awaits=id_, limit_s=limit_s)


def scripted(exchanges: Sequence[Exchange], heard: list[Sequence[Reply]]) -> Steps:
    for exchange in exchanges:
        heard.append((yield exchange))


class HandTime:
    """Time that passes only when a test says so, for trio and for a pump that has the `clock`.

    How busy the host is then makes no difference. To be given to `trio.run` as its clock: `trio`.
    """

    def __init__(self) -> None:
        self.trio = trio.testing.MockClock()
        self.clock = Clock(lambda: round(self.trio.current_time() * 1e9))

    async def wait(self, seconds: float) -> None:
        """Let time pass in which only deadlines expire: trio's loop waits, and a parked pump looks meanwhile."""
        end_s = self.trio.current_time() + seconds
        while (left_s := end_s - self.trio.current_time()) > 0:
            await trio.testing.wait_all_tasks_blocked()
            step_s = min(left_s, trio.lowlevel.current_statistics().seconds_to_next_deadline)
            self.clock.loop_waits.before_io_wait(step_s)
            self.trio.jump(step_s)
            self.clock.loop_waits.after_io_wait(step_s)
        await trio.testing.wait_all_tasks_blocked()

    def be_busy(self, seconds: float) -> None:
        """Let time pass in which the referee does something else, and does not look at its pipes."""
        self.trio.jump(seconds)


def converse(
    exchanges: Sequence[Exchange],
    seats: Sequence[Pipes],
    *bots: Callable[[], Awaitable[None]],
    time: HandTime | None = None,
) -> list[Sequence[Reply]]:
    """What the conversation is told while these bots run; all that it asks is settled when this returns.

    Raises what the conversation raises.
    """
    heard: list[Sequence[Reply]] = []
    steps = scripted(exchanges, heard)
    failures: list[Exception] = []

    async def main() -> None:
        patience_s = math.inf if time else PATIENCE_S
        with trio.fail_after(patience_s), closing(Pump(clock=time.clock if time else None)) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                for bot in bots:
                    nursery.start_soon(bot)
                try:
                    await pump.converse(steps, {seat: channel(pipes) for seat, pipes in enumerate(seats)})
                except Exception as failure:
                    failures.append(failure)
                nursery.cancel_scope.cancel()

    trio.run(main, clock=time.trio if time else None)
    for failure in failures:
        raise failure
    return heard
