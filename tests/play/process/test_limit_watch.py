"""What bots compute outside their turns: it is found and told, it is stopped, and their rivals do not pay for it."""

import os
import sys
from typing import Any, cast

import pytest
from arena import Arena
from made_up_runs import made_up_result
from msgspec import structs

from referee.play.process import limit_watch
from referee.play.process.channel import Channel
from referee.play.process.limit_watch import ALLOWANCE_NS, BURST_NS, KEEPERS, Turns
from referee.play.process.usage import ResourceUsage, stolen_ticks
from referee.play.spec import BotLimits
from referee.reports.tables.bot_tables import bots_table
from referee.reports.tables.layout import Names
from referee.rules.record import Given, GivenTogether, Record
from referee.tournament.tally import standings_of

MS = 1_000_000
ROOMY = {"memory_mb": 512, "processes": 128, "cpu_s": 60}
CLOCKS = {"move_s": 20.0, "bank_s": 600.0}


def used(cpu_ms: int, tasks: int = 1) -> ResourceUsage:
    return ResourceUsage(cpu_ns=cpu_ms * MS, tasks=tasks)


# Turns and looks


def test_all_computing_belongs_to_a_turn_while_it_lasts() -> None:
    bot = Turns()
    bot.begin(0)
    bot.note(used(90), 100 * MS)
    bot.note(used(190), 200 * MS)
    bot.end(210 * MS)
    bot.note(used(200), 300 * MS)
    assert (bot.idle_cpu_ns, bot.is_abused) == (0, False)


def test_computing_between_turns_belongs_to_none() -> None:
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
    monkeypatch.setattr(limit_watch, "CORES", 4)
    for tasks, idle in ((1, 70), (2, 60), (4, 40), (200, 40)):
        bot = Turns()
        bot.begin(0)
        bot.end(10 * MS)
        bot.note(used(80, tasks), 100 * MS)
        assert bot.idle_cpu_ns == idle * MS


def test_short_bursts_of_computing_between_turns_add_up() -> None:
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
@pytest.mark.clock
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
@pytest.mark.clock
def test_computing_in_bursts_between_two_looks_is_stopped(arena: Arena) -> None:
    record = played(arena, "computes_in_bursts", seconds=0.5, answers=5)

    hostile, honest = record.seats
    burned_s = sum(float(line.removeprefix("burned: ")) for line in hostile.stderr.splitlines())
    assert burned_s < 0.4
    # On a busy host a look comes late and finds two bursts at once, which is enough: it is stopped at the first ones.
    assert BURST_NS // MS < hostile.idle_cpu_ms < 400
    assert honest.idle_cpu_ms < 100


@linux_only
@pytest.mark.clock
@pytest.mark.parametrize(("isolation", "is_held"), [("bwrap", True), ("none", False)])
def test_a_bot_that_is_held_burns_no_cores_while_its_rival_thinks(isolation: str, is_held: bool, arena: Arena) -> None:
    record = arena.play(
        arena.bot("burns_cores"), arena.bot("thinks_long", "1.5"), isolation=isolation, limits=ROOMY, clocks=CLOCKS
    )
    assert [seat.faults for seat in record.seats] == [{}, {}]
    assert (burned_s(record) < 1.0) == is_held


def burned_s(record: Record) -> float:
    """Processor time that the bot's children used between an answer and the next question, at most."""
    return max(float(line.removeprefix("burned: ")) for line in record.seats[0].stderr.splitlines())


class Bot:
    """In place of a process and its channel: what it has used, and what is done with it for that."""

    limits = BotLimits(memory_mb=64, processes=8, cpu_s=20)
    isolation = "limits"
    check_limits = cast(Any, Channel.check_limits)

    def __init__(self, uses: ResourceUsage, **more: Any) -> None:
        self.process = self
        self.uses, self.bounded = uses, frozenset(more.get("bounded", ()))
        self.turns = Turns(used=more.get("before", uses))
        self.owes_answer, self._has_run_out = more.get("owes_answer", False), more.get("has_run_out", False)
        self.ended_for, self.is_held = "", False

    def look(self, now_ns: int) -> ResourceUsage:
        self.turns.note(self.uses, now_ns)
        return self.uses

    def end_for(self, why: str) -> None:
        self.ended_for = why

    def pause(self) -> None:
        self.is_held = True

    def ran_out_of_memory(self) -> bool:
        return bool(self._has_run_out)

    def has_exited(self) -> bool:
        return False

    def go_on_killing(self) -> None:
        """Do nothing: it is not being killed."""


@pytest.mark.parametrize(
    ("bot", "ended_for"),
    [
        (Bot(ResourceUsage(memory_bytes=64 << 20, tasks=8 + KEEPERS, cpu_ns=20 * 10**9)), ""),
        (Bot(ResourceUsage(memory_bytes=(64 << 20) + 1)), "it used more memory than 64 MB, and was ended"),
        (Bot(ResourceUsage(memory_bytes=65 << 20), bounded={"memory"}), ""),
        (Bot(ResourceUsage(), bounded={"memory"}, has_run_out=True), "it used more memory than 64 MB, and was ended"),
        (Bot(ResourceUsage(tasks=9 + KEEPERS)), "it had more than 8 processes and threads, and was ended"),
        (Bot(ResourceUsage(tasks=9 + KEEPERS), bounded={"processes"}), ""),
        (Bot(ResourceUsage(cpu_ns=20 * 10**9 + 1)), "it computed for more than 20 s, and was ended"),
    ],
)
def test_a_bot_that_exceeds_what_nothing_else_bounds_is_ended(bot: Bot, ended_for: str) -> None:
    bot.check_limits(0)
    assert (bot.ended_for, bot.is_held) == (ended_for, False)


@pytest.mark.parametrize(
    ("cpu_ms", "owes_answer", "is_held"), [(31, False, True), (31, True, False), (1, False, False)]
)
def test_a_bot_that_computes_unasked_is_held(cpu_ms: int, owes_answer: bool, is_held: bool) -> None:
    bot = Bot(used(cpu_ms), before=used(0), owes_answer=owes_answer)
    bot.check_limits(0)
    assert (bot.is_held, bot.ended_for) == (is_held, "")


def test_the_standings_tell_what_was_computed_outside_turns() -> None:
    result = structs.replace(made_up_result(["hostile", "honest"], [10, 20]), idle_cpu_ms=(50, 0))
    honest, hostile = sorted(standings_of([result]).overall, key=lambda row: row.bot)
    assert (honest.idle_cpu_ms, hostile.idle_cpu_ms) == (0, 50)
    names = Names((hostile.bot, honest.bot), 200)
    assert "idle CPU" in bots_table([hostile, honest], 200, names).text
    assert "idle CPU" not in bots_table([honest], 200, names).text
