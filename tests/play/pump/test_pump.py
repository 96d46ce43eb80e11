"""The pump without processes: pipes, conversations by a script, and bots that are tasks of the test."""

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from typing import Any, cast

import pytest
import trio
import trio.testing

from protocol.actions import Draw
from protocol.codec import encode
from protocol.messages import Answer, Limits
from referee.play.bot.channel import Channel
from referee.play.faults import HostFault, Trouble
from referee.play.pump.poller import Handler, Poller
from referee.play.pump.pump import Pump
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Exchange, Reply

PATIENCE_S = 20.0
LONG_S = 1000.0
DRAW = Draw(source="stock")


class Pipes:
    """In place of a process: its three pipes from both sides. `status` is how it has ended, in words."""

    pid = 0

    def __init__(self) -> None:
        self.in_, self.stdin = os.pipe()
        self.stdout, self.out = os.pipe()
        self.stderr, self.err = os.pipe()
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.status: str | None = None
        self.killed = False
        self._open = {self.in_, self.stdin, self.stdout, self.out, self.stderr, self.err}

    def exit_status(self) -> str | None:
        return self.status

    def usage(self) -> None:
        """Nothing is known of that here."""

    def freeze(self) -> None:
        """Nothing computes here."""

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


@pytest.fixture
def seats() -> Iterator[list[Pipes]]:
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


def converse(
    exchanges: Sequence[Exchange], seats: Sequence[Pipes], *bots: Callable[[], Awaitable[None]]
) -> list[Sequence[Reply]]:
    """What the conversation is told while these bots run; all that it asks is settled when this returns."""
    heard: list[Sequence[Reply]] = []
    faults: list[HostFault] = []
    steps = scripted(exchanges, heard)

    async def main() -> None:
        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                for bot in bots:
                    nursery.start_soon(bot)
                try:
                    await pump.converse(steps, {seat: channel(pipes) for seat, pipes in enumerate(seats)})
                except HostFault as fault:
                    faults.append(fault)
                nursery.cancel_scope.cancel()

    trio.run(main)
    if faults:
        raise faults[0]
    return heard


def test_replies_come_in_the_order_of_the_questions_whoever_answers_first(seats: list[Pipes]) -> None:
    async def bots() -> None:
        ids = [await pipes.request() for pipes in seats]
        for pipes, id_ in reversed(list(zip(seats, ids, strict=True))):
            pipes.answer(id_)

    exchange = Exchange(deliveries=(ask(2, "c"), ask(0, "a"), ask(1, "b")))
    (replies,) = converse([exchange], seats, bots)
    assert [(reply.seat, reply.heard) for reply in replies] == [
        (2, Answer(id="c", action=DRAW)),
        (0, Answer(id="a", action=DRAW)),
        (1, Answer(id="b", action=DRAW)),
    ]


def test_a_conversation_goes_on_at_once_where_nothing_is_awaited(seats: list[Pipes]) -> None:
    told = Exchange(deliveries=tuple(Delivery(seat=seat, data=b"told\n") for seat in range(3)))
    assert converse([told, told], seats) == [[], []]
    assert [os.read(pipes.in_, 100) for pipes in seats] == [b"told\ntold\n"] * 3


def test_silence_is_noticed_after_its_time_though_a_later_alarm_stood_before(seats: list[Pipes]) -> None:
    """A bot has one alarm: the short limit must not wait for that of the long one before it."""

    async def bot() -> None:
        seats[0].answer(await seats[0].request())

    exchanges = [Exchange(deliveries=(ask(0, "a"),)), Exchange(deliveries=(ask(0, "b", limit_s=0.01),))]
    first, second = converse(exchanges, seats, bot)
    assert first[0].heard == Answer(id="a", action=DRAW)
    assert second[0].heard is None
    assert second[0].elapsed_us + second[0].waived_us >= 10_000
    assert second[0].hint


def test_an_alarm_that_was_set_for_an_earlier_question_ends_no_later_one(seats: list[Pipes]) -> None:
    """The other bot's silence goes on beyond the first limit of the one that answers."""

    async def bot() -> None:
        seats[0].answer(await seats[0].request())
        id_ = await seats[0].request()
        await trio.sleep(0.1)  # beyond the alarm of the first question
        seats[0].answer(id_)

    exchanges = [Exchange(deliveries=(ask(0, "a", limit_s=0.05),)), Exchange(deliveries=(ask(0, "b"),))]
    _, second = converse(exchanges, seats, bot)
    assert second[0].heard == Answer(id="b", action=DRAW)


def test_however_often_a_bot_is_asked_it_has_one_alarm(seats: list[Pipes]) -> None:
    async def bot() -> None:
        while True:
            seats[0].answer(await seats[0].request())

    most: list[int] = []

    def steps(pump: Pump) -> Steps:
        for number in range(300):
            yield Exchange(deliveries=(ask(0, str(number)),))
            most.append(len(pump._alarms))

    async def main() -> None:
        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                nursery.start_soon(bot)
                await pump.converse(steps(pump), {0: channel(seats[0])})
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert max(most) == 1


def test_a_line_that_the_pipe_does_not_take_at_once_is_written_as_the_bot_reads(seats: list[Pipes]) -> None:
    async def bot() -> None:
        text = await seats[0].request()
        seats[0].answer(text[-3:])

    (replies,) = converse([Exchange(deliveries=(ask(0, "end", data=b"x" * 1_000_000),))], seats, bot)
    assert replies[0].heard == Answer(id="end", action=DRAW)


def test_answers_in_pieces_and_several_lines_at_once(seats: list[Pipes]) -> None:
    async def bot() -> None:
        line = encode(Answer(id=await seats[0].request(), action=DRAW))
        os.write(seats[0].out, encode(Answer(id="another", action=DRAW)) + line[:9])
        await trio.lowlevel.checkpoint()
        os.write(seats[0].out, line[9:])

    (replies,) = converse([Exchange(deliveries=(ask(0, "a"),))], seats, bot)
    assert replies[0].heard == Answer(id="a", action=DRAW)


def test_what_came_before_it_was_asked_is_judged_at_once(seats: list[Pipes]) -> None:
    """Early lines wait unread or in the buffer; one that is no message is a fault as soon as something is asked."""
    os.write(seats[0].out, b"hm\n")
    (replies,) = converse([Exchange(deliveries=(ask(0, "a"),))], seats)
    assert isinstance(replies[0].heard, Trouble)
    assert replies[0].heard.kind == "bad_message"


@pytest.mark.parametrize(("status", "kind"), [("exited with code 3", "crashed"), (None, "closed_output")])
def test_the_end_of_the_output(seats: list[Pipes], status: str | None, kind: str) -> None:
    async def bot() -> None:
        await seats[0].request()
        seats[0].status = status
        seats[0].close(seats[0].out)

    (replies,) = converse([Exchange(deliveries=(ask(0, "a"),))], seats, bot)
    assert isinstance(replies[0].heard, Trouble)
    assert replies[0].heard.kind == kind


def test_who_is_dismissed_is_not_heard_any_more(seats: list[Pipes]) -> None:
    """Also where its line lies there already when it is dismissed."""

    async def bots() -> None:
        ids = [await seats[seat].request() for seat in (0, 1)]
        for seat in (1, 0):
            seats[seat].answer(ids[seat])
        seats[0].answer(await seats[0].request())

    together = Exchange(deliveries=(ask(0, "a"), ask(1, "b")))
    alone = Exchange(deliveries=(ask(0, "c"),), dismissed=(1,))
    _, replies = converse([together, alone], seats, bots)
    assert [reply.seat for reply in replies] == [0]
    assert [pipes.killed for pipes in seats] == [False, True, False]


def test_a_conversation_that_fails_voids_its_own_match_and_no_other(seats: list[Pipes]) -> None:
    def fails() -> Steps:
        yield Exchange(deliveries=(ask(0, "a"),))
        raise ValueError("ours")

    heard: list[Sequence[Reply]] = []

    async def main() -> None:
        async def bots() -> None:
            seats[0].answer(await seats[0].request())
            seats[1].answer(await seats[1].request())

        async def failing() -> None:
            with pytest.raises(ValueError, match="ours"):
                await pump.converse(fails(), {0: channel(seats[0])})

        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                nursery.start_soon(bots)
                nursery.start_soon(failing)
                await pump.converse(scripted([Exchange(deliveries=(ask(1, "b"),))], heard), {1: channel(seats[1])})
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert heard[0][0].heard == Answer(id="b", action=DRAW)


def test_a_cell_that_was_not_built_is_no_fault_of_the_bot(seats: list[Pipes], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Pipes) -> None:
        raise HostFault("bubblewrap could not build the bot's cell")

    monkeypatch.setattr(Pipes, "exit_status", broken)
    with pytest.raises(HostFault, match="could not build"):
        converse([Exchange(deliveries=(ask(0, "a", limit_s=0.01),))], seats)


def test_no_conversation_begins_while_slaps_are_timed(seats: list[Pipes]) -> None:
    """Its bots would not have been held still."""
    heard: list[Sequence[Reply]] = []
    os.set_blocking(seats[0].in_, False)

    async def main() -> None:
        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                async with pump.stillness:
                    steps = scripted([Exchange(deliveries=(ask(0, "a"),))], heard)
                    nursery.start_soon(pump.converse, steps, {0: channel(seats[0])})
                    await trio.testing.wait_all_tasks_blocked()
                    with pytest.raises(BlockingIOError):
                        os.read(seats[0].in_, 1)
                seats[0].answer(await seats[0].request())
                while not heard:
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert heard[0][0].heard == Answer(id="a", action=DRAW)


def test_a_bot_that_cannot_be_watched_leaves_nothing_behind(
    seats: list[Pipes], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, refused = Poller.watch, seats[1].stderr

    def refusing(poller: Poller, fd: int, handler: Handler) -> None:
        if fd == refused:
            raise OSError(28, "No space left on device")
        watch(poller, fd, handler)

    monkeypatch.setattr(Poller, "watch", refusing)

    async def main() -> None:
        with closing(Pump()) as pump:
            with pytest.raises(OSError, match="No space left"):
                await pump.converse(scripted([], []), {seat: channel(pipes) for seat, pipes in enumerate(seats)})
            assert not pump.channels()
            assert not pump._poller.handlers
            assert not pump._links

    trio.run(main)


def test_what_the_referee_was_busy_with_while_it_was_parked_is_waived(seats: list[Pipes]) -> None:
    """It is parked when the bot answers, and comes back late: the clock stood still for as long, and no longer."""
    thought_s, busy_s = 0.02, 0.03

    async def bot() -> None:
        id_ = await seats[0].request()
        await trio.sleep(thought_s)
        await trio.testing.wait_all_tasks_blocked()
        seats[0].answer(id_)
        time.sleep(busy_s)  # noqa: ASYNC251 - as when a result is written to the disk

    ((reply,),) = converse([Exchange(deliveries=(ask(0, "a"),))], seats, bot)
    assert reply.heard == Answer(id="a", action=DRAW)
    assert reply.waived_us >= busy_s * 1e6
    assert reply.elapsed_us + reply.waived_us >= (thought_s + busy_s) * 1e6


def test_what_the_referee_was_busy_with_before_a_match_is_not_its_lag(seats: list[Pipes]) -> None:
    """Neither is it waived, nor is a match void whose bots were not kept waiting."""
    heard: list[Sequence[Reply]] = []

    async def bot() -> None:
        seats[0].answer(await seats[0].request())

    async def main() -> None:
        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:

            @asynccontextmanager
            async def late() -> AsyncIterator[None]:
                pump._looked_ns -= 3_000_000_000
                yield

            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                nursery.start_soon(bot)
                await trio.testing.wait_all_tasks_blocked()
                pump.stillness = cast(trio.Lock, late())
                await pump.converse(scripted([Exchange(deliveries=(ask(0, "a"),))], heard), {0: channel(seats[0])})
                nursery.cancel_scope.cancel()

    trio.run(main)
    assert heard[0][0].heard == Answer(id="a", action=DRAW)
    assert heard[0][0].waived_us < 3_000_000
