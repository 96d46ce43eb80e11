"""All bots of a slap window compute on one core, and have all of theirs again when it is over."""

import os
import sys

import pytest
from racing import matches, setup, windows

from referee.play.slaps.one_core import OneCore, held_to

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="there is no choice of cores here"
)

CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []

NOTING = """
import threading
def cores(task=0): return "+".join(map(str, sorted(os.sched_getaffinity(task))))
def note(*words): print(*words, file=sys.stderr, flush=True)
asked = requests
def requests():
    for request in asked():
        note(request["decision"], cores())
        yield request
def begin_thread(): threading.Thread(target=threading.Event().wait, daemon=True).start()
def slap(request): respond(request)
"""
"""A bot says on which cores it may run whenever it is asked; the rest of it is to be added."""


def test_bots_are_held_to_one_core_in_a_window_and_to_none_outside(mark: dict[str, str]) -> None:
    (record,) = matches(setup([NOTING + "play(slap, turns=3)"] * 3, mark))

    told = [[line.split() for line in seat.stderr.splitlines()] for seat in record.seats]
    in_windows = [[cores for decision, cores in seat if decision == "slap"] for seat in told]
    assert [len(seat) for seat in in_windows] == [len(windows(record))] * 3
    assert all(len(set(window)) == 1 and window[0].isdigit() for window in zip(*in_windows, strict=True))
    assert {cores for seat in told for decision, cores in seat if decision != "slap"} == {"+".join(map(str, CORES))}


def test_a_bot_of_several_tasks_and_one_that_has_chosen_keep_their_cores(mark: dict[str, str]) -> None:
    chosen = f"os.sched_setaffinity(0, {{{CORES[0]}}})\n"
    (record,) = matches(
        setup([NOTING + "begin_thread()\nplay(slap, turns=2)", NOTING + chosen + "play(slap, turns=2)"], mark)
    )

    several, choosing = ({line.split()[1] for line in seat.stderr.splitlines()} for seat in record.seats)
    assert several == {"+".join(map(str, CORES))}
    assert choosing == {str(CORES[0])}
    assert len(windows(record)) > 1


def test_a_thread_begun_in_a_window_has_all_cores_when_it_is_over(mark: dict[str, str]) -> None:
    beginning = """
def slap(request):
    if threading.active_count() == 1:
        begin_thread()
        note("begins", cores(), cores(threading.enumerate()[-1].native_id))
    respond(request)
def right(request, kind="", answer=right):
    note("tasks", *map(cores, (thread.native_id for thread in threading.enumerate())))
    return answer(request, kind)
play(slap, turns=2)
"""
    (record,) = matches(setup([NOTING + beginning, NOTING + "play(slap, turns=2)"], mark))

    told = [line.split() for line in record.seats[0].stderr.splitlines()]
    begun = next(place for place, line in enumerate(told) if line[0] == "begins")
    assert len(told[begun]) == 3
    assert told[begun][1] == told[begun][2]
    later = [line for line in told[begun + 2 :] if line[0] == "tasks"]
    assert later
    assert {tuple(line[1:]) for line in later} == {("+".join(map(str, CORES)),) * 2}


def test_the_core_is_not_ours_and_stays_the_same_until_it_is_left() -> None:
    former = os.sched_getaffinity(0)
    one_core = OneCore()
    try:
        os.sched_setaffinity(0, {CORES[0]})
        assert one_core.choose() is None, "there is no other one for us"
        os.sched_setaffinity(0, former)
        first = one_core.choose()
        assert first in former
        if len(former) > 2:
            one_core.leave()
            assert one_core.choose() != first
    finally:
        os.sched_setaffinity(0, former)


def test_a_bot_that_has_none_is_left_alone() -> None:
    with held_to(CORES[0], None), held_to(None, None):
        assert os.sched_getaffinity(0) == set(CORES)
