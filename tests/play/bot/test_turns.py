"""What bots compute outside their turns: it is found and told, it is stopped, and their rivals do not pay for it."""

import os
import sys

import pytest
from arena import Arena
from msgspec import structs

from referee.play.bot import turns
from referee.play.bot.procfs import Holdings, stolen_ticks
from referee.play.bot.turns import ALLOWANCE_NS, BURST_NS, Turns
from referee.reports.tables.names import Names
from referee.reports.tables.rows import rows_table
from referee.rules.record import Given, GivenTogether, Record
from referee.tournament.orders import result_of
from referee.tournament.plan.fixture import Fixture
from referee.tournament.standings import standings_of

MS = 1_000_000
ROOMY = {"memory_mb": 512, "processes": 128, "cpu_s": 60}
CLOCKS = {"move_s": 20.0, "bank_s": 600.0}


def used(cpu_ms: int, tasks: int = 1) -> Holdings:
    return Holdings(cpu_ns=cpu_ms * MS, tasks=tasks)


# Turns and looks


def test_all_computing_belongs_to_a_turn_while_it_lasts() -> None:
    bot = Turns()
    bot.begin(0)
    bot.note(used(90), 100 * MS)
    bot.note(used(190), 200 * MS)
    bot.end(210 * MS)
    bot.note(used(200), 300 * MS)
    assert (bot.idle_cpu_ns, bot.is_abused) == (0, False)


def test_computing_between_turns_does_not() -> None:
    bot = Turns(used=used(50))
    bot.begin(0)
    bot.end(1 * MS)
    bot.note(used(50 + 31), 100 * MS)
    assert (bot.idle_cpu_ns, bot.is_abused) == (30 * MS, True)


def test_whoever_is_asked_between_any_two_looks_is_found_too() -> None:
    """It answers at once every 10 ms, and computes for the rest of the time."""
    bot = Turns()
    for start in range(0, 100, 10):
        bot.begin(start * MS)
        bot.end(start * MS + MS // 10)
    bot.note(used(99), 100 * MS)
    assert bot.idle_cpu_ns == 98 * MS


def test_each_task_may_compute_on_a_core_of_its_own_in_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "CORES", 4)
    for tasks, idle in ((1, 70), (2, 60), (4, 40), (200, 40)):
        bot = Turns()
        bot.begin(0)
        bot.end(10 * MS)
        bot.note(used(80, tasks), 100 * MS)
        assert bot.idle_cpu_ns == idle * MS


def test_short_bursts_add_up() -> None:
    bot, looks = Turns(), ALLOWANCE_NS // BURST_NS
    for number in range(1, looks + 1):
        assert not bot.is_allowance_spent
        bot.note(used(number * (BURST_NS // MS)), number * 100 * MS)
        assert not bot.is_abused
    bot.note(used(1 + looks * (BURST_NS // MS)), looks * 101 * MS)
    assert bot.is_allowance_spent
    assert bot.is_abused


# Real bots

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")


def played(arena: Arena, *hostile: str, seconds: float, answers: int) -> Record:
    """A match against a bot that computes for so many answers."""
    rival = arena.bot("computes", str(seconds), str(answers))
    record = arena.play(arena.bot(*hostile), rival, limits=ROOMY, clocks=CLOCKS)
    assert [seat.faults for seat in record.seats] == [{}, {}]
    return record


@linux_only
def test_a_bot_does_not_pay_for_the_cores_that_its_rival_takes(arena: Arena) -> None:
    """What the host of a virtual machine takes is told for all cores together, so it counts for each answer here."""
    before = stolen_ticks()
    record = played(arena, "burns_cores", "12", seconds=0.2, answers=6)
    stolen_us = (stolen_ticks() - before) * 1_000_000 / os.sysconf("SC_CLK_TCK")

    computed_us = [int(line.removeprefix("computed: ")) for line in record.seats[1].stderr.splitlines()]
    moves = [move.answers if isinstance(move, GivenTogether) else (move,) for move in record.moves]
    answers = [one for some in moves for one in some if isinstance(one, Given) and one.seat == 1 and not one.joined]
    for answer, cpu_us in zip(answers, computed_us, strict=True):
        most_us = max(1.25 * cpu_us + stolen_us, 100_000)  # a short answer is charged as it comes
        assert answer.time_us <= most_us or answer.waived_us >= 0.9 * answer.time_us


@linux_only
def test_computing_in_bursts_between_two_looks_is_stopped(arena: Arena) -> None:
    record = played(arena, "computes_in_bursts", seconds=0.5, answers=5)

    hostile, honest = record.seats
    burned_s = sum(float(line.removeprefix("burned: ")) for line in hostile.stderr.splitlines())
    assert burned_s < 0.4
    # On a busy host a look comes late and finds two bursts at once, which is enough: it is stopped at the first ones.
    assert BURST_NS // MS < hostile.idle_cpu_ms < 400
    assert honest.idle_cpu_ms < 100


@linux_only
def test_the_standings_tell_what_was_computed_outside_turns(arena: Arena) -> None:
    record = played(arena, "burns_cores", seconds=0.5, answers=4)
    assert record.seats[0].idle_cpu_ms > 0

    fixture = Fixture(number=0, variant="six", block=0, lineup=(0, 1), rotation=0, deal=0, deal_key=bytes(32))
    (hostile, honest) = sorted(standings_of([result_of(fixture, record)]).overall, key=lambda row: row.bot)
    assert (hostile.bot, hostile.idle_cpu_ms) == ("burns_cores", record.seats[0].idle_cpu_ms)
    assert honest.idle_cpu_ms < 100
    names = Names((hostile.bot, honest.bot), 200)
    assert "idle CPU" in rows_table([structs.replace(hostile, idle_cpu_ms=50), honest], 200, names).text
    assert "idle CPU" not in rows_table([honest], 200, names).text
