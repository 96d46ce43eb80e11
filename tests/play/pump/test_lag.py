"""What the referee does when it is late itself: nobody is charged for the time in which it did not look."""

import contextlib
from collections.abc import Sequence

import pytest
import trio
import trio.testing
from in_memory import DRAW, HandTime, Pipes, ask, channel, converse, scripted, three_bots

from protocol.messages import Answer
from referee.play.faults import HostFault
from referee.play.process.limit_watch import MOST_FORGIVEN
from referee.play.process.usage import ResourceUsage
from referee.play.pump.pump import Pump
from referee.play.talk.exchange import Exchange, Reply

seats = pytest.fixture(three_bots)

THOUGHT_S = 0.2
LIMIT_S = 0.5


def reply_after(seats: list[Pipes], *busy_s: float) -> Reply:
    """What came of a question with LIMIT_S to answer, to which the bot thought for THOUGHT_S while the referee looked.

    Then the referee did not look for each of these times, with a look in between, before it saw the answer.
    """
    time = HandTime()

    async def bot() -> None:
        id_ = await seats[0].request()
        await time.wait(THOUGHT_S)
        for seconds in busy_s:
            await trio.testing.wait_all_tasks_blocked()
            time.be_busy(seconds)
        seats[0].answer(id_)

    ((reply,),) = converse([Exchange(deliveries=(ask(0, "a", LIMIT_S),))], seats, bot, time=time)
    return reply


def test_an_answer_that_came_while_the_referee_did_not_look_is_not_late(seats: list[Pipes]) -> None:
    reply = reply_after(seats, 0.7)
    assert reply.heard == Answer(id="a", action=DRAW)
    assert (reply.elapsed_us, reply.waived_us) == (200_000, 700_000)


def test_a_referee_that_does_not_look_for_too_long_voids_the_match(seats: list[Pipes]) -> None:
    with pytest.raises(HostFault, match=r"did not look at its pipes for 2\.10 s while a clock ran"):
        reply_after(seats, 2.1)


def test_short_times_in_which_the_referee_did_not_look_do_not_add_up_to_a_void_match(seats: list[Pipes]) -> None:
    reply = reply_after(seats, 1.9, 1.9, 1.9)
    assert reply.heard == Answer(id="a", action=DRAW)
    assert (reply.elapsed_us, reply.waived_us) == (200_000, 5_700_000)


def test_what_the_referee_was_busy_with_before_a_match_is_not_its_lag(seats: list[Pipes]) -> None:
    """Neither is it waived, nor is a match void whose bots were not kept waiting."""
    time, heard, lag_us = HandTime(), list[Sequence[Reply]](), list[int]()

    async def main() -> None:
        pump = Pump(clock=time.clock)
        with contextlib.closing(pump):
            async with trio.open_nursery() as nursery:

                async def match() -> None:
                    steps = scripted([Exchange(deliveries=(ask(0, "a"),))], heard)
                    lag_us.append(await pump.converse(steps, {0: channel(seats[0])}))
                    nursery.cancel_scope.cancel()

                nursery.start_soon(pump.run)
                async with pump.freeze_lock:
                    nursery.start_soon(match)
                    await trio.testing.wait_all_tasks_blocked()
                    time.be_busy(3.0)
                seats[0].answer(await seats[0].request())

    trio.run(main, clock=time.trio)
    assert heard[0][0].heard == Answer(id="a", action=DRAW)
    assert (heard[0][0].elapsed_us, heard[0][0].waived_us) == (0, 0)
    assert lag_us == [0]


# Bots that wait for a core


def reply_of(seats: list[Pipes], *uses: tuple[float, float, float], counts_all: bool = True) -> Reply:
    """What came of a question with LIMIT_S to answer, whose bot answers after all of these spells.

    Each is so many seconds long, and in it the bot computes and waits for a core for so many, with all its tasks.
    """
    time = HandTime()
    seats[0].counts_all = counts_all

    async def bot() -> None:
        id_ = await seats[0].request()
        for seconds, cpu_s, wait_s in uses:
            used = seats[0].used
            cpu_ns, wait_ns = used.cpu_ns + round(cpu_s * 1e9), used.wait_ns + round(wait_s * 1e9)
            seats[0].used = ResourceUsage(cpu_ns=cpu_ns, wait_ns=wait_ns)
            await time.wait(seconds)
        seats[0].answer(id_)

    ((reply,),) = converse([Exchange(deliveries=(ask(0, "a", LIMIT_S),))], seats, bot, time=time)
    return reply


def test_the_time_in_which_a_bot_waited_for_a_core_is_not_on_its_clock(seats: list[Pipes]) -> None:
    reply = reply_of(seats, (0.9, 0.3, 0.6))
    assert reply.heard == Answer(id="a", action=DRAW)
    assert (reply.elapsed_us, reply.waived_us) == (300_000, 600_000)


def test_the_time_in_which_a_bot_waited_for_a_core_is_waived_where_its_answer_comes_in_time(seats: list[Pipes]) -> None:
    reply = reply_of(seats, (0.4, 0.1, 0.3))
    assert reply.heard == Answer(id="a", action=DRAW)
    assert (reply.elapsed_us, reply.waived_us) == (100_000, 300_000)


def test_a_bot_pays_for_its_sleep(seats: list[Pipes]) -> None:
    reply = reply_of(seats, (0.4, 0.1, 0.0))
    assert (reply.elapsed_us, reply.waived_us) == (400_000, 0)


def test_two_hundred_waiting_threads_make_no_thinking_free(seats: list[Pipes]) -> None:
    """On two cores they compute for twice as long as the answer takes, and wait a hundred times as long."""
    reply = reply_of(seats, (0.4, 0.8, 40.0))
    assert (reply.elapsed_us, reply.waived_us) == (400_000, 0)


@pytest.mark.parametrize("seconds", [0.44, 0.6])
def test_a_bot_that_may_have_computed_unseen_pays_for_half_of_the_time_at_least(
    seats: list[Pipes], seconds: float
) -> None:
    """However long its tasks wait, in time or late: where not all is counted, they may wait for unseen computing."""
    reply = reply_of(seats, (seconds, 0.0, 1000.0), counts_all=False)
    assert (reply.elapsed_us, reply.waived_us) == (seconds * 5e5, seconds * 5e5)


def test_only_what_happens_after_it_was_asked_counts_for_an_answer(seats: list[Pipes]) -> None:
    """Neither waits of the time before are forgiven, nor is its computing taken for that of the answer."""
    time, bot = HandTime(), seats[0]

    async def use(seconds: float, cpu_s: float, wait_s: float) -> None:
        cpu_ns, wait_ns = bot.used.cpu_ns + round(cpu_s * 1e9), bot.used.wait_ns + round(wait_s * 1e9)
        bot.used = ResourceUsage(cpu_ns=cpu_ns, wait_ns=wait_ns)
        await time.wait(seconds)

    async def play() -> None:
        await bot.request()
        await use(0.3, 0.3, 0.0)
        bot.answer("a")
        await seats[1].request()
        await use(0.3, 0.2, 50.0)
        seats[1].answer("b")
        await bot.request()
        await use(0.3, 0.1, 0.1)
        bot.answer("c")

    exchanges = [Exchange(deliveries=(ask(seat, id_, LIMIT_S),)) for seat, id_ in ((0, "a"), (1, "b"), (0, "c"))]
    heard = converse(exchanges, seats, play, time=time)
    assert [(reply.elapsed_us, reply.waived_us) for (reply,) in heard][::2] == [(300_000, 0), (200_000, 100_000)]


def test_computing_in_tasks_that_wait_for_each_other_does_not_pass_for_waiting(seats: list[Pipes]) -> None:
    """Many idle tasks that want the same core wait for many times as long as they compute."""
    reply = reply_of(seats, (0.5, 0.4, 5.0), (0.5, 0.5, 5.0))
    assert reply.heard is None
    assert (reply.elapsed_us, reply.waived_us) == (500_000, 100_000)


@pytest.mark.parametrize(("counts_all", "most"), [(True, MOST_FORGIVEN), (False, 1)])
def test_a_host_that_keeps_a_bot_waiting_is_not_waited_for_without_end(
    seats: list[Pipes], counts_all: bool, most: int
) -> None:
    reply = reply_of(seats, (2 * most * LIMIT_S + 1.0, 0.0, 1000.0), counts_all=counts_all)
    assert reply.heard is None
    assert reply.elapsed_us == LIMIT_S * 1e6
    assert reply.waived_us == pytest.approx(most * LIMIT_S * 1e6, abs=3000)
