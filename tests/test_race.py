"""Slap windows: the order that follows from times and lots (CAC-25), and how live bots are timed."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from protocol.actions import Action, Pass, Slap
from protocol.messages import Clocks, FaultPolicy, Game
from referee.play import pump as pump_module
from referee.play import race
from referee.play.bots import BotSpec, Confinement
from referee.play.match import MatchSetup, play
from referee.play.pump import Pump
from referee.play.session import Interrupted, run_session
from referee.rules.asks import Ask, Window
from referee.rules.record import GivenSlaps, Record
from referee.rules.slaps import order_slaps
from referee.rules.variants import customised
from referee.tournament.recheck import check_record

# The order of slaps


def ordered(
    times_us: dict[int, float],
    *,
    discarder: int = 0,
    lots: Sequence[int] = (0, 1, 2, 3),
    slap_order: str = "reaction",
    passing: Sequence[int] = (),
) -> list[int]:
    """The seats in the order in which their slaps are resolved, photo_finish_us being 50."""
    options = customised("cactus", {"slap_order": slap_order}).options
    asks = tuple(Ask(seat=seat, decision="slap", offers=(), fallback=Pass()) for seat in range(len(lots)))
    answers: dict[int, Action] = {seat: Slap(target=(seat, 0)) for seat in times_us}
    answers |= dict.fromkeys(passing, Pass())
    window = Window(number=1, discarder=discarder, asks=asks)
    return [slap.seat for slap in order_slaps(options, window, answers, times_us, tuple(lots)).slaps]


def test_the_fastest_is_first() -> None:
    assert ordered({0: 300.0, 1: 200.0, 2: 100.0, 3: 400.0}) == [2, 1, 0, 3]


def test_a_photo_finish_is_drawn_by_lot() -> None:
    """49.9 behind the fastest is in its group, 50 behind is not."""
    assert ordered({1: 100.0, 2: 149.9, 3: 150.0}, lots=(0, 3, 2, 1)) == [2, 1, 3]


def test_a_group_is_measured_from_its_opener() -> None:
    """Three that follow each other closely are no group: the third is too far behind the first."""
    assert ordered({1: 100.0, 2: 130.0, 3: 160.0}, lots=(3, 2, 1, 0)) == [2, 1, 3]
    assert ordered({1: 100.0, 2: 150.0, 3: 190.0}, lots=(3, 2, 1, 0)) == [1, 3, 2]


def test_the_discarder_is_last_in_its_photo_finish_only() -> None:
    assert ordered({1: 110.0, 2: 100.0, 3: 500.0}, discarder=1, lots=(1, 2, 3, 0)) == [2, 1, 3]
    assert ordered({1: 100.0, 2: 200.0}, discarder=1, lots=(2, 1, 0)) == [1, 2]


def test_without_times_the_lot_or_the_seat_decides() -> None:
    times = {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}
    assert ordered(times, discarder=3, lots=(3, 1, 0, 2), slap_order="lottery") == [1, 0, 2, 3]
    assert ordered(times, discarder=1, lots=(3, 1, 0, 2), slap_order="clockwise") == [2, 3, 0, 1]


def test_who_passes_is_not_in_the_order() -> None:
    assert ordered({2: 5.0}, passing=(0, 1, 3)) == [2]
    assert ordered({}, passing=(0, 1, 2, 3)) == []


@given(
    times=st.dictionaries(st.integers(0, 5), st.floats(0, 1000), max_size=6),
    lots=st.permutations(range(6)),
    discarder=st.integers(0, 5),
)
def test_a_clear_difference_is_never_drawn(times: dict[int, float], lots: list[int], discarder: int) -> None:
    order = ordered(times, lots=lots, discarder=discarder)

    assert sorted(order) == sorted(times)
    for place, seat in enumerate(order):
        assert all(times[later] - times[seat] > -50 for later in order[place + 1 :])
    if times and max(times.values()) - min(times.values()) < 50:
        assert order == sorted(times, key=lambda seat: (seat == discarder, lots.index(seat)))


# Live windows

PRELUDE = """
import json, os, sys, time
from pathlib import Path

def first(offer):
    choose = lambda choice: choice["of"][:choice["pick"]] if "pick" in choice else choice["one_of"][0]
    return {name: choice if name == "kind" else choose(choice) for name, choice in offer.items()}

def say(request, kind=""):
    offers = {offer["kind"]: offer for offer in request["legal"]}
    action = first(offers.get(kind) or request["legal"][0])
    print(json.dumps({"type": "answer", "id": request["id"], "action": action}), flush=True)

def play(slap, turns=0, ready={}):
    sys.stdin.readline()
    print(json.dumps({"type": "ready", **ready}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("decision") == "slap":
            slap(request)
        elif request.get("decision") == "turn":
            say(request, "draw" if turns else "knock")
            turns -= bool(turns)
        elif request["type"] == "request":
            say(request)
"""
"""A bot that draws for so many turns and then knocks; what it does in slap windows is given."""


def slapper(delay_s: float, turns: int = 0) -> str:
    return f"def slap(request): time.sleep({delay_s}); say(request, 'slap')\nplay(slap, turns={turns})"


def setup(
    programs: Sequence[str], mark: dict[str, str], *, preset: str = "cactus", clocks: Clocks | None = None
) -> MatchSetup:
    """One round between these programs."""
    return MatchSetup(
        variant=customised(preset, {"rounds": 1}),
        name=preset,
        bots=tuple(
            BotSpec(name=f"bot{seat}", command=(sys.executable, "-c", PRELUDE + program), dir="/", env=mark)
            for seat, program in enumerate(programs)
        ),
        seeds=tuple(range(len(programs))),
        deal_key=bytes(32),
        clocks=clocks or Clocks(move_s=5.0, slap_s=0.5),
        faults=FaultPolicy(policy="forfeit"),
        confinement=Confinement(),
        games=(Game(variant=preset, name=preset, seats=len(programs)),),
    )


def matches(*setups: MatchSetup) -> list[Record]:
    """The records of matches that are played side by side."""
    records: dict[int, Record] = {}

    async def work(number: int, pump: Pump) -> None:
        records[number] = await play(pump, setups[number])

    run_session([partial(work, number) for number in range(len(setups))])
    return [records[number] for number in range(len(setups))]


def windows(record: Record) -> list[GivenSlaps]:
    assert list(check_record(record)) == []
    return [move for move in record.moves if isinstance(move, GivenSlaps)]


@pytest.mark.parametrize("delays_ms", [(0, 40, 80), (80, 0, 40)])
def test_the_order_follows_clearly_different_delays(delays_ms: tuple[int, ...], mark: dict[str, str]) -> None:
    (record,) = matches(setup([slapper(delay / 1000) for delay in delays_ms], mark))

    played = windows(record)
    assert len(played) == 2
    for window in played:
        assert sorted(window.asked) == [0, 1, 2]
        assert list(window.order) == sorted(range(3), key=lambda seat: delays_ms[seat])
        for reaction in window.reactions:
            assert reaction.raw_us is not None
            assert reaction.corrected_us is not None
            assert delays_ms[reaction.seat] * 900 <= reaction.corrected_us <= reaction.raw_us


def test_a_late_slap_is_a_pass_and_no_fault(mark: dict[str, str]) -> None:
    late, quick = slapper(0.3, turns=1), slapper(0, turns=1)
    (record,) = matches(setup([late, quick, quick], mark, clocks=Clocks(move_s=5.0, slap_s=0.1)))

    played = windows(record)
    bot = record.seats[0]
    assert (bot.late_slaps, bot.faults, bot.forfeited) == (len(played), {}, False)
    assert bot.unasked_lines >= 1
    for window in played:
        assert 0 in window.asked
        assert [reaction.seat for reaction in window.reactions if reaction.late] == [0]
        assert 0 not in window.order
    assert [seat.late_slaps for seat in record.seats[1:]] == [0, 0]


def test_who_has_renounced_slaps_is_not_asked(mark: dict[str, str]) -> None:
    renouncer = "def slap(request): sys.exit('asked')\nplay(slap, ready={'slaps': False})"
    (record,) = matches(setup([renouncer, slapper(0), slapper(0)], mark))

    assert not record.seats[0].wants_slaps
    assert (record.seats[0].faults, record.seats[0].late_slaps) == ({}, 0)
    assert [sorted(window.asked) for window in windows(record)] == [[1, 2], [1, 2]]


@pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")
def test_who_goes_on_computing_is_held_still_while_another_is_timed(tmp_path: Path, mark: dict[str, str]) -> None:
    pid_file = tmp_path / "pid"
    computing = f"""
Path({str(pid_file)!r}).write_text(str(os.getpid()))
def slap(request):
    say(request)
    end = time.monotonic() + 0.1
    while time.monotonic() < end: pass
play(slap, turns=2)
"""
    watching = f"""
def used_ms():
    return int(Path("/proc", Path({str(pid_file)!r}).read_text(), "schedstat").read_text().split()[0]) / 1e6
def slap(request):
    before = used_ms()
    time.sleep(0.03)
    print(used_ms() - before, file=sys.stderr)
    say(request)
play(slap, turns=2)
"""
    (record,) = matches(setup([computing, watching], mark))

    used_ms = [float(line) for line in record.seats[1].stderr.split()]
    assert any(window.asked == (0, 1) for window in windows(record))
    assert max(used_ms) < 10


def test_clocks_stand_still_for_bots_that_are_held_still(mark: dict[str, str]) -> None:
    """While one match times its windows, the other's bot could not answer within its time."""
    timed = setup([slapper(0.25)] * 3, mark)
    thinker = "turn = say\ndef say(request, kind=''): time.sleep(0.3); turn(request, kind)\nplay(None, turns=1)"
    thinking = setup([thinker, thinker], mark, preset="six-card-knock", clocks=Clocks(move_s=0.6))

    records = matches(timed, thinking)

    assert [seat.faults for record in records for seat in record.seats] == [{}] * 5


def test_a_race_that_we_spoil_voids_its_match_and_no_other(
    mark: dict[str, str], marked: Callable[[], dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def spoilt(*_: object) -> None:
        raise OSError("no more file descriptors")

    monkeypatch.setattr(pump_module, "run_race", spoilt)
    records = []

    async def race_on(pump: Pump) -> None:
        with pytest.raises(OSError, match="no more file descriptors"):
            await play(pump, setup([slapper(0), slapper(0)], mark))

    async def play_on(pump: Pump) -> None:
        records.append(await play(pump, setup(["play(None)"] * 2, mark, preset="six-card-knock")))

    run_session([race_on, play_on])

    assert [seat.faults for seat in records[0].seats] == [{}, {}]
    assert not marked()


def test_a_bot_that_is_held_still_can_be_ended(mark: dict[str, str], marked: Callable[[], dict[int, str]]) -> None:
    """An interruption in the middle of a window: the bots of the other match are stopped at that moment."""
    interrupting = (
        f"def slap(request): os.kill({os.getpid()}, {signal.SIGINT:d}); time.sleep(0.2); sys.exit()\nplay(slap)"
    )
    thinking = "say = lambda *_: time.sleep(60)\nplay(None)"

    with pytest.raises(Interrupted):
        matches(setup([interrupting, slapper(0)], mark), setup([thinking] * 2, mark))

    assert not marked()


# The lock that referees of one host share


def test_one_referee_of_a_host_is_timing_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "LOCK_PATIENCE_S", 0.0)
    first, second = race.HostLock(tmp_path / "lock"), race.HostLock(tmp_path / "lock")

    assert trio.run(first.acquire)
    assert not trio.run(second.acquire)
    first.release()
    assert trio.run(second.acquire)
    first.close()
    second.close()


def test_the_lock_is_for_every_user_of_the_host(tmp_path: Path) -> None:
    umask = os.umask(0o077)
    lock = race.HostLock(tmp_path / "lock")
    try:
        assert trio.run(lock.acquire)
    finally:
        os.umask(umask)
        lock.close()
    assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o644


def test_without_its_file_the_lock_is_never_had(tmp_path: Path) -> None:
    lock = race.HostLock(tmp_path / "missing" / "lock")
    assert not trio.run(lock.acquire)
    lock.release()
    lock.close()
