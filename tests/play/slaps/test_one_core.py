"""All bots of a slap window compute on one core, and have all of theirs again when it is over."""

import os
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from live_matches import matches
from racing import setup, windows

from referee.play.slaps import one_core
from referee.play.slaps.one_core import OneCore, keeping_off, pinned_to

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


def test_a_bot_of_several_tasks_keeps_its_cores_and_one_that_has_chosen_gets_them_back(mark: dict[str, str]) -> None:
    chosen = f"os.sched_setaffinity(0, {{{CORES[0]}}})\n"
    (record,) = matches(
        setup([NOTING + "begin_thread()\nplay(slap, turns=2)", NOTING + chosen + "play(slap, turns=2)"], mark)
    )

    several, choosing = ({line.split()[1] for line in seat.stderr.splitlines()} for seat in record.seats)
    assert several == {"+".join(map(str, CORES))}
    assert choosing <= set(map(str, CORES)), "in a window it is held like others, and outside it has what it chose"
    told = [line.split() for line in record.seats[1].stderr.splitlines()]
    assert {cores for decision, cores in told if decision != "slap"} == {str(CORES[0])}
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


def test_the_core_is_not_ours_and_stays_the_same_until_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_core, "_our_core", lambda: CORES[0])
    cores = OneCore()
    first = cores.choose()
    assert first in CORES[1:]
    assert cores.choose() == first
    cores.leave()
    assert (cores.choose() == first) == (len(CORES) == 2)
    monkeypatch.setattr(one_core, "_our_core", lambda: first)
    assert cores.choose() in set(CORES) - {first}
    monkeypatch.setattr(one_core, "_our_core", lambda: None)
    assert cores.choose() is None


def test_a_core_that_shares_no_hardware_with_ours_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(one_core, "_our_core", lambda: 0)
    monkeypatch.setattr(one_core, "_siblings", lambda _: frozenset({0, 3}))
    cores = OneCore()
    chosen = []
    for _ in range(3):
        chosen.append(cores.choose())
        cores.leave()
    assert chosen == [2, 1, 2]
    monkeypatch.setattr(one_core, "_siblings", lambda _: frozenset({0, 1, 2, 3}))
    assert OneCore().choose() == 3


@pytest.mark.parametrize(("listed", "siblings"), [("0,4", {0, 4}), ("2-3", {2, 3}), ("5", {5}), (None, set())])
def test_who_shares_hardware_is_read_as_the_system_tells_it(
    listed: str | None, siblings: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_core, "text", lambda _: listed)
    assert one_core._siblings.__wrapped__(0) == siblings


def test_the_referee_keeps_off_the_core_of_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    for core in (CORES[0], CORES[-1]):
        with suppress(ZeroDivisionError), keeping_off(core):
            assert os.sched_getaffinity(0) == set(CORES) - {core}
            raise ZeroDivisionError
        assert os.sched_getaffinity(0) == set(CORES)
    monkeypatch.delattr(os, "sched_setaffinity")  # as on macOS
    with keeping_off(None), pinned_to(None, None):
        assert os.sched_getaffinity(0) == set(CORES)


def test_a_bot_has_its_cores_again_whatever_happens_in_the_block() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        bot: Any = SimpleNamespace(tasks=lambda **_: [child.pid])
        with suppress(ZeroDivisionError), pinned_to(CORES[0], bot):
            assert os.sched_getaffinity(child.pid) == {CORES[0]}
            raise ZeroDivisionError
        assert os.sched_getaffinity(child.pid) == set(CORES)
        with pinned_to(CORES[0], bot):
            child.kill()
            child.wait()
    with pinned_to(CORES[0], None), pinned_to(None, bot):
        assert os.sched_getaffinity(0) == set(CORES)
