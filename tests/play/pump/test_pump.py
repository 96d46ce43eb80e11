"""The pump without processes: pipes, conversations by a script, and bots that are tasks of the test."""

import itertools
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
import trio.testing
from in_memory import DRAW, PATIENCE_S, HandTime, Pipes, ask, channel, converse, scripted, three_bots

from protocol.codec import encode
from protocol.messages import Answer, Limits
from referee.play.faults import HostFault, NoRoom, Trouble
from referee.play.process.channel import Channel
from referee.play.pump import pump as pumps
from referee.play.pump.clock import Clock
from referee.play.pump.pump import Pump
from referee.play.slaps import timer
from referee.play.slaps.awake import AwakeCores
from referee.play.slaps.lock import HostLock
from referee.play.spec import BotSpec, Confinement
from referee.play.talk.conversation import Steps
from referee.play.talk.exchange import Delivery, Exchange, Reply

seats = pytest.fixture(three_bots)


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
    time = HandTime()

    async def bot() -> None:
        seats[0].answer(await seats[0].request())
        await seats[0].request()
        await time.wait(0.5)

    exchanges = [Exchange(deliveries=(ask(0, "a"),)), Exchange(deliveries=(ask(0, "b", limit_s=0.5),))]
    first, second = converse(exchanges, seats, bot, time=time)
    assert first[0].heard == Answer(id="a", action=DRAW)
    assert (second[0].heard, second[0].elapsed_us, second[0].waived_us) == (None, 500_000, 0)
    assert second[0].hint


def test_an_alarm_that_was_set_for_an_earlier_question_ends_no_later_one(seats: list[Pipes]) -> None:
    time = HandTime()

    async def bot() -> None:
        seats[0].answer(await seats[0].request())
        id_ = await seats[0].request()
        await time.wait(100)  # beyond the alarm of the first question
        seats[0].answer(id_)

    exchanges = [Exchange(deliveries=(ask(0, "a", limit_s=5),)), Exchange(deliveries=(ask(0, "b"),))]
    _, second = converse(exchanges, seats, bot, time=time)
    assert second[0].heard == Answer(id="b", action=DRAW)
    assert second[0].elapsed_us == 100_000_000


def test_the_looks_of_a_turn_in_which_something_came_are_counted(
    seats: list[Pipes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They tell whether bots answer at once."""
    counts = list[int]()
    monkeypatch.setattr(AwakeCores, "note_turn", lambda _, looks, *__: counts.append(looks))

    async def bot() -> None:
        seats[0].answer(await seats[0].request())

    converse([Exchange(deliveries=(ask(0, "a"),))], seats, bot)
    assert max(counts) > 0


def test_a_line_that_the_pipe_does_not_take_at_once_is_written_as_the_bot_reads(seats: list[Pipes]) -> None:
    async def bot() -> None:
        text = await seats[0].request()
        seats[0].answer(text[-3:])

    (replies,) = converse([Exchange(deliveries=(ask(0, "end", data=b"x" * 1_000_000),))], seats, bot)
    assert replies[0].heard == Answer(id="end", action=DRAW)


def test_a_bot_that_never_reads_a_line_that_its_pipe_does_not_take_is_silent(seats: list[Pipes]) -> None:
    time = HandTime()
    long = ask(0, "a", limit_s=0.5, data=b"x" * 1_000_000)
    (replies,) = converse([Exchange(deliveries=(long,))], seats, lambda: time.wait(0.5), time=time)
    assert (replies[0].heard, replies[0].elapsed_us) == (None, 500_000)


def test_slaps_that_are_asked_for_together_take_the_times_at_which_they_are_seen(seats: list[Pipes]) -> None:
    time = HandTime()

    async def bots() -> None:
        id_ = await seats[0].request()
        await time.wait(3.0)
        seats[0].answer(id_)
        ids = [await pipes.request() for pipes in seats]
        for seat in (2, 0):
            await time.wait(0.25)
            seats[seat].answer(ids[seat])
        await time.wait(0.5)

    asked = tuple(ask(seat, id_, limit_s=1.0) for seat, id_ in enumerate("abc"))
    before = Exchange(deliveries=(ask(0, "before"),))
    _, replies = converse([before, Exchange(deliveries=asked, timed=True, at_once=True)], seats, bots, time=time)
    assert [(reply.elapsed_us, reply.corrected_us) for reply in replies] == [
        (500_000, 500_000),
        (1_000_000, 1_000_000),
        (250_000, 250_000),
    ]
    assert [reply.heard is None for reply in replies] == [False, True, False]
    assert replies[1].hint


def test_what_a_bot_says_to_standard_error_is_read_while_it_thinks(seats: list[Pipes]) -> None:
    async def bot() -> None:
        id_ = await seats[0].request()
        os.set_blocking(seats[0].err, False)
        left = 300_000  # more than the pipe holds
        while left > 0:
            await trio.lowlevel.wait_writable(seats[0].err)
            left -= os.write(seats[0].err, b"x" * 4096)
        seats[0].answer(id_)

    (replies,) = converse([Exchange(deliveries=(ask(0, "a"),))], seats, bot)
    assert replies[0].heard == Answer(id="a", action=DRAW)


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
    heard, bot = list[Sequence[Reply]](), channel(seats[0])
    bot.inbox.feed(b"hm\n")

    async def main() -> None:
        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                await pump.converse(scripted([Exchange(deliveries=(ask(0, "a"),))], heard), {0: bot})
                nursery.cancel_scope.cancel()

    trio.run(main)
    (reply,) = heard[0]
    assert isinstance(reply.heard, Trouble)
    assert reply.heard.kind == "bad_message"
    assert bot.turns.since_ns is None, "its turn is over: what it computes now is computed unasked"


@pytest.mark.parametrize(("status", "kind"), [("exited with code 3", "crashed"), (None, "closed_output")])
def test_a_match_waits_until_it_is_known_why_an_output_has_ended_in_a_window(
    status: str | None, kind: str, seats: list[Pipes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    time, heard = HandTime(), list[Sequence[Reply]]()

    async def raced(exchange: Exchange, table: dict[int, Channel], *_: object, **__: object) -> list[Reply]:
        """A race in which the first bot closes its output and the second one passes."""
        seats[0].close(seats[0].out)
        for delivery in exchange.deliveries:
            table[delivery.seat].write(delivery, time.clock.now_ns())
        table[0].read(time.clock.now_ns())
        table[1].end_turn(time.clock.now_ns())
        return [Reply(0, None, 0.0), Reply(1, Answer(id="b", action=DRAW), 0.0)]

    monkeypatch.setattr(timer, "run_race", raced)
    window = Exchange(deliveries=(ask(0, "a"), ask(1, "b")), timed=True)

    async def main() -> None:
        with closing(Pump(lock=HostLock(tmp_path / "lock"), clock=time.clock)) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                nursery.start_soon(pump.converse, scripted([window], heard), {n: channel(seats[n]) for n in (0, 1)})
                await time.wait(0.5)
                assert heard == []
                seats[0].status = status
                await time.wait(1.0)
                nursery.cancel_scope.cancel()

    trio.run(main, clock=time.trio)
    ((first, second),) = heard
    assert isinstance(first.heard, Trouble)
    assert first.heard.kind == kind
    assert second.heard == Answer(id="b", action=DRAW)


@pytest.mark.parametrize(("status", "kind"), [("exited with code 3", "crashed"), (None, "closed_output")])
def test_the_end_of_the_output(seats: list[Pipes], status: str | None, kind: str) -> None:
    time = HandTime()

    async def bot() -> None:
        await seats[0].request()
        seats[0].status = status
        seats[0].close(seats[0].out)
        await time.wait(1.1)  # a crash is told from a closed output by then

    (replies,) = converse([Exchange(deliveries=(ask(0, "a"),))], seats, bot, time=time)
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
    """Its bots would not have been frozen."""
    heard: list[Sequence[Reply]] = []
    os.set_blocking(seats[0].in_, False)

    async def main() -> None:
        with trio.fail_after(PATIENCE_S), closing(Pump()) as pump:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump.run)
                async with pump.freeze_lock:
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


def test_pipes_are_watched_without_epoll_too(seats: list[Pipes], monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS: a long line is written when there is room, and answers come from several bots."""
    monkeypatch.setattr(sys, "platform", "darwin")
    long = b"x" * 300_000

    async def bots() -> None:
        for number in range(2):
            for pipes in seats:
                assert (await pipes.request()).startswith("x" * 1000)
                pipes.answer(str(number))

    exchanges = [
        Exchange(deliveries=tuple(ask(seat, str(number), data=long) for seat in range(3))) for number in range(2)
    ]
    replies = converse(exchanges, seats, bots)
    assert [[reply.heard for reply in one] for one in replies] == [
        [Answer(id=str(number), action=DRAW)] * 3 for number in range(2)
    ]


@pytest.mark.parametrize("tick_ns", [0, 10**9], ids=["time enough", "a slow host"])
def test_who_waits_for_the_end_of_a_match_goes_on_before_the_pump_does(tick_ns: int) -> None:
    """trio goes on with tasks that are ready in a random order, so this is tried often."""
    ticks = itertools.count(step=tick_ns)

    async def try_often() -> None:
        with closing(Pump(clock=Clock(lambda: next(ticks)))) as pump:
            trio.lowlevel.add_instrument(pump._steps)
            for _ in range(50):
                over, went_on = trio.Event(), trio.Event()

                async def wait(over: trio.Event = over, went_on: trio.Event = went_on) -> None:
                    await over.wait()
                    went_on.set()

                async with trio.open_nursery() as nursery:
                    nursery.start_soon(wait)
                    await trio.testing.wait_all_tasks_blocked()
                    over.set()
                    await pump._let_others_run()
                    assert went_on.is_set()
            trio.lowlevel.remove_instrument(pump._steps)

    trio.run(try_often)


def start_bot(bot: Pipes, refusals: int, monkeypatch: pytest.MonkeyPatch) -> float:
    """How long a bot waits for its process on a host that refuses one so often, in seconds."""
    left = itertools.count(refusals, -1)

    def started(*_: object, **__: object) -> Channel:
        if next(left) > 0:
            raise NoRoom("cannot start another process")
        return channel(bot)

    monkeypatch.setattr(pumps, "Channel", started)

    async def main() -> float:
        with closing(Pump()) as pump:
            spec = BotSpec(name="bot", command=("bot",), dir="/", env={})
            await pump.start_bot(spec, Confinement(isolation="none"), Limits())
            return trio.current_time()

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_bot_is_started_once_the_host_has_room(seats: list[Pipes], monkeypatch: pytest.MonkeyPatch) -> None:
    assert start_bot(seats[0], 3, monkeypatch) == pytest.approx(3 * pumps.POLL_INTERVAL_S)


def test_a_host_that_has_no_room_for_long_is_at_fault(seats: list[Pipes], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(HostFault, match="cannot start another process"):
        start_bot(seats[0], 1000, monkeypatch)
