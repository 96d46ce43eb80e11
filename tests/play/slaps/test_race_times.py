"""Slap windows of live bots whose times are judged: each way in which time counts once, on a host with little to do."""

import os
import subprocess
import sys
import time
from typing import Any, get_args

import pytest
from live_matches import matches
from racing import computing_slapper, setup, slapper, windows

from protocol.messages import Clocks, SlapTiming
from referee.play.process.process import BotProcess
from referee.play.slaps import quiet, race
from referee.play.slaps.quiet import before_all_others
from referee.reports.faults import explain

pytestmark = [
    pytest.mark.clock,
    pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc"),
]


def test_the_order_follows_clearly_different_delays(mark: dict[str, str]) -> None:
    delays_ms = (300, 0, 150)
    clocks = Clocks(move_s=60.0, slap_s=10.0)
    (record,) = matches(setup([computing_slapper(delay / 1000) for delay in delays_ms], mark, clocks=clocks))

    played = windows(record)
    assert len(played) == 2
    for window in played:
        assert sorted(window.asked) == [0, 1, 2]
        assert list(window.order) == sorted(range(3), key=lambda seat: delays_ms[seat])
        for reaction in window.reactions:
            assert reaction.raw_us is not None
            assert reaction.corrected_us is not None
            assert delays_ms[reaction.seat] * 900 <= reaction.corrected_us <= reaction.raw_us


def test_what_the_referee_waits_for_while_the_bot_thinks_is_not_taken_off(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Now and then it reads what the bot writes to standard error; it is to be quick only when the answer comes."""
    monkeypatch.setattr(race, "_own_wait_ns", lambda: time.monotonic_ns() // 2)
    (record,) = matches(setup([slapper(0.2, turns=1)] * 2, mark, clocks=Clocks(move_s=60.0, slap_s=10.0)))

    times = [reaction.raw_us or 0.0 for window in windows(record) for reaction in window.reactions]
    assert times
    assert min(times) > 120_000  # it would be 100_000; the last poll may take long


@pytest.mark.parametrize("timing", get_args(SlapTiming))
def test_a_late_slap_is_a_pass_and_no_fault(mark: dict[str, str], timing: SlapTiming) -> None:
    late, quick = slapper(2.0), slapper(0)
    clocks = Clocks(move_s=60.0, slap_s=1.0, slap_timing=timing)
    (record,) = matches(setup([late, quick, quick], mark, clocks=clocks))

    played = windows(record)
    bot = record.seats[0]
    assert (bot.late_slaps, bot.faults, bot.forfeited) == (len(played), {}, False)
    assert bot.unasked_lines >= 1
    for window in played:
        assert 0 in window.asked
        assert [reaction.seat for reaction in window.reactions if reaction.late] == [0]
        assert 0 not in window.order
    assert [(seat.late_slaps, seat.nearest_miss_us) for seat in record.seats[1:]] == [(0, None), (0, None)]
    (told,) = explain(record, 0)
    assert f"no answer within 1 s in {len(played)} of {len(played)} slap windows; the nearest came " in told
    assert (bot.nearest_miss_us or 0) > 0


def test_broadcast_slaps_are_taken_as_they_arrive(mark: dict[str, str]) -> None:
    """The one that is written to last is by far the quickest; nothing is corrected."""
    bots = [slapper(delay_s) for delay_s in (1.0, 0.5, 0.0)]
    clocks = Clocks(move_s=60.0, slap_s=60.0, slap_timing="broadcast")
    (record,) = matches(setup(bots, mark, clocks=clocks))

    played = windows(record)
    assert [window.order for window in played] == [(2, 1, 0)] * len(played)
    for reaction in (reaction for window in played for reaction in window.reactions):
        assert (reaction.wait_us, reaction.corrected_us) == (None, reaction.raw_us)


def test_clocks_stop_for_bots_that_are_frozen(mark: dict[str, str]) -> None:
    """While one match times its windows, the other's bot could not answer within its time."""
    timed = setup([slapper(0.6)] * 3, mark, clocks=Clocks(move_s=60.0, slap_s=60.0))
    thinker = "turn = respond\ndef respond(request, kind=''): time.sleep(0.3); turn(request, kind)\nplay(None, turns=1)"
    thinking = setup([thinker, thinker], mark, preset="six-card-knock", clocks=Clocks(move_s=1.6))

    records = matches(timed, thinking)

    assert [seat.faults for record in records for seat in record.seats] == [{}] * 5


BURNS = """
import threading
def burn():
    while True: pass
for _ in range(3): threading.Thread(target=burn, daemon=True).start()
def slap(request): respond(request)
"""


def test_a_bot_that_was_held_for_computing_unasked_plays_on_after_a_window(mark: dict[str, str]) -> None:
    """It is paused while the other one thinks; the window lets it go on, and so does what follows."""
    thinking = "ask = respond\ndef respond(request, kind=''): time.sleep(0.25); ask(request, kind)\n" + slapper(
        0, turns=1
    )
    (record,) = matches(
        setup([BURNS + "play(slap, turns=1)", thinking], mark, clocks=Clocks(move_s=60.0, bank_s=600.0, slap_s=10.0))
    )

    assert all(0 in window.asked for window in windows(record))
    assert [(seat.faults, seat.late_slaps) for seat in record.seats] == [({}, 0), ({}, 0)]


PIECES = """
def slap(request):
    begun = time.thread_time_ns()
    while time.thread_time_ns() < begun + 20_000_000:
        os.write(1, b" ")
    print(time.thread_time_ns() - begun, file=sys.stderr)
    respond(request)
play(slap, turns=1)
"""
"""Computes 20 ms, and writes a blank, which is nothing, again and again meanwhile."""


def test_who_writes_its_answer_in_pieces_computes_nothing_for_free(mark: dict[str, str]) -> None:
    """It is frozen at every piece; what it computes until then counts."""
    (record,) = matches(setup([PIECES, slapper(0, turns=1)], mark, clocks=Clocks(move_s=60.0, slap_s=10.0)))

    computed_us = [int(line) / 1000 for line in record.seats[0].stderr.splitlines()]
    times = [one.corrected_us for window in windows(record) for one in window.reactions if one.seat == 0]
    assert len(times) == len(computed_us) > 0
    for own_us, us in zip(computed_us, times, strict=True):
        assert us is not None
        assert us > 0.9 * own_us


TAKER = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
print(flush=True)
end = time.monotonic() + 0.3
while time.monotonic() < end: pass
"""
"""Takes a core away from everything else for 0.3 s, as the host of a virtual machine may do."""


class Taking:
    """Takes the core of a bot the first time something is called with the bot's process, and then calls it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self._call = getattr(race, name)
        self._taker: subprocess.Popen[bytes] | None = None
        monkeypatch.setattr(race, name, self)

    def __call__(self, *given: Any) -> Any:
        if self._taker is None:
            (bot,) = (one for one in given if isinstance(one, BotProcess))
            (core,) = os.sched_getaffinity(bot.pid)
            self._taker = subprocess.Popen([sys.executable, "-c", TAKER, str(core)], stdout=subprocess.PIPE)
            assert self._taker.stdout is not None
            assert self._taker.stdout.readline()
        return self._call(*given)

    def __enter__(self) -> None:
        with before_all_others():
            if not os.sched_getscheduler(0) & os.SCHED_FIFO:
                pytest.skip("this user may not take a core away from others")

    def __exit__(self, *_: object) -> None:
        assert self._taker is not None
        with self._taker:
            self._taker.kill()


def test_a_bot_whose_core_is_taken_away_for_longer_than_a_window_is_not_late(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Taking(monkeypatch, "_let_run"):
        (record,) = matches(setup([computing_slapper(0.02)] * 2, mark, clocks=Clocks(move_s=60.0, slap_s=0.1)))

    first, *_ = windows(record)
    assert [reaction.late for reaction in first.reactions] == [False, False]
    assert race.BOT_WAITED in first.disturbed


def test_what_a_bot_waits_for_a_core_before_its_clock_starts_is_not_taken_off(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its core is taken away while it is woken with the first bytes of its line, and the first look is a long one."""
    monkeypatch.setattr(quiet, "FREEZE_NS", 100_000_000)
    with Taking(monkeypatch, "_until_read"):
        (record,) = matches(setup([computing_slapper(0)] * 2, mark))

    first, *_ = windows(record)
    for reaction in first.reactions:
        assert reaction.raw_us is not None
        assert reaction.wait_us is not None
        assert reaction.wait_us < reaction.raw_us + 50_000
