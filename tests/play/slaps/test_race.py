"""Slap windows: how live bots are timed, and what of a measurement counts (CAC-25)."""

import itertools
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import in_memory
import pytest
import trio
from in_memory import Pipes, three_bots
from live_matches import matches
from msgspec.structs import replace
from racing import computing_slapper, setup, slapper, windows

from protocol.messages import Clocks
from referee.ending_signals import ENDING_SIGNALS, Interrupted
from referee.play.match import play
from referee.play.process import channel, orphans
from referee.play.process.process import BotProcess
from referee.play.process.thread_cache import Waits
from referee.play.process.usage import Computed
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.play.slaps import race, timer
from referee.play.slaps.quiet import NOT_FROZEN
from referee.play.slaps.race import Timing
from referee.play.talk.exchange import Reply
from referee.reports.faults import explain

# What is measured

US = 1000


@pytest.mark.parametrize(
    ("raw_us", "wait_us", "cpu_us", "corrected_us"),
    [
        pytest.param(500, 0, 480, 500, id="nothing to correct"),
        pytest.param(500, 100, 390, 400, id="a wait for a core is taken off"),
        pytest.param(500, 400, 450, 450, id="helpers that wait take nothing off what was computed"),
        pytest.param(500, 900, 1000, 500, id="nobody gets more than the time that passed"),
        pytest.param(500, 100, None, 500, id="nothing is taken off where computing is not known"),
    ],
)
def test_what_counts_of_a_measurement(raw_us: int, wait_us: int, cpu_us: int | None, corrected_us: int) -> None:
    cpu_ns = None if cpu_us is None else cpu_us * US
    timing = Timing(raw_ns=raw_us * US, wait_ns=wait_us * US, cpu_ns=cpu_ns)
    assert timing.corrected_ns == corrected_us * US


def test_the_wait_of_the_referee_is_no_time_of_the_bot() -> None:
    """But where the bot computed meanwhile, it would have needed that time in any case."""
    late = Timing(raw_ns=500 * US, own_wait_ns=100 * US, wait_ns=50 * US, cpu_ns=300 * US)
    assert (late.answered_ns, late.corrected_ns) == (400 * US, 350 * US)
    computing = Timing(raw_ns=500 * US, own_wait_ns=100 * US, cpu_ns=490 * US)
    assert (computing.answered_ns, computing.corrected_ns) == (490 * US, 490 * US)


def test_an_answer_in_pieces_is_measured_as_one() -> None:
    first = Timing(raw_ns=200 * US, own_wait_ns=1, wait_ns=10 * US, cpu_ns=150 * US, frozen=False)
    both = first.plus(Timing(raw_ns=100 * US, own_wait_ns=2, wait_ns=20 * US, cpu_ns=50 * US))
    assert (both.raw_ns, both.own_wait_ns, both.corrected_ns) == (300 * US, 3, 270 * US - 3)
    assert not both.frozen
    assert first.plus(Timing(cpu_ns=None)).cpu_ns is None


def test_a_measurement_says_why_it_is_in_doubt() -> None:
    assert list(Timing(wait_ns=300 * US, own_wait_ns=300 * US).doubts()) == []
    doubtful = Timing(wait_ns=301 * US, own_wait_ns=301 * US, frozen=False)
    assert list(doubtful.doubts()) == [race.BOT_WAITED, race.REFEREE_WAITED, NOT_FROZEN]


# Who is frozen, and who has escaped


class PidWatermark:
    """In place of the last process of the host: there is no other one until `note` is forgotten."""

    is_noted = False

    def is_same(self) -> bool:
        return self.is_noted

    def note(self) -> None:
        self.is_noted = True

    def forget(self) -> None:
        self.is_noted = False


def test_escaped_processes_are_looked_for_until_none_is_left_and_again_after_a_turn_of_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = iter([False, True, True])
    monkeypatch.setattr(race, "PidWatermark", PidWatermark)
    monkeypatch.setattr(orphans, "end_orphans_now", lambda **_: next(ends))
    escapes = race._Escapes()
    assert [escapes.end() for _ in range(4)] == [False, True, True, True]
    escapes.note_turn(turn_of([7]))
    assert escapes.end()
    escapes.note_turn(turn_of([7, 8]))
    assert escapes.end()
    assert list(ends) == []


def turn_of(members: list[int]) -> Any:
    return SimpleNamespace(process=SimpleNamespace(members=lambda: members))


class Bot:
    """In place of a process: what it has computed and whether it waits for a core, look by look."""

    def __init__(self, cpu_ns: Sequence[int], states: Sequence[str], unread: Sequence[int] = ()) -> None:
        self._cpu_ns, self._states, self._unread = list(cpu_ns), list(states), list(unread)

    def computed(self) -> Computed:
        return Computed(self._cpu_ns.pop(0), 0)

    def states(self, **_: bool) -> set[str]:
        return {self._states.pop(0)}

    def unread_bytes(self) -> int:
        return self._unread.pop(0)


@pytest.mark.parametrize(
    ("cpu_ns", "states", "freezes", "is_frozen"),
    [
        pytest.param([5, 5, 5], "RRR", [False, False, True], True, id="it waits until it has a core"),
        pytest.param([5, 6], "R", [False], False, id="it had a core and was not stopped"),
        pytest.param([5], "S", [], False, id="it waits for nothing"),
    ],
)
def test_a_bot_that_waits_for_a_core_is_frozen_when_it_has_one(
    cpu_ns: list[int], states: str, freezes: list[bool], is_frozen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = list(freezes)
    monkeypatch.setattr(race, "freeze_fully", lambda _: left.pop(0))
    bot: Any = Bot(cpu_ns, states)
    assert race._freeze_who_waits(bot, 10**30) == is_frozen
    assert left == []


def test_a_bot_that_waits_for_a_core_is_not_waited_for_after_its_time() -> None:
    bot: Any = Bot([5], "R")
    assert not race._freeze_who_waits(bot, 0)


def test_a_bot_is_warm_when_it_has_read_and_sleeps_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(range(10))
    monkeypatch.setattr(race, "looks", lambda _: looks)
    bot: Any = Bot([], "RS", unread=[1, 0, 0])
    race._until_read(bot)
    assert next(looks) == 3


seats = pytest.fixture(three_bots)


def test_what_a_bot_wrote_before_it_was_asked_is_read_before_its_clock_starts(seats: list[Pipes]) -> None:
    os.write(seats[0].out, b"early\n")
    bot = in_memory.channel(seats[0])
    race._discard_early(bot)
    assert bot.inbox.bytes_read == len(b"early\n")


# Live windows


def test_a_window_is_in_doubt_while_others_had_our_cores(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the bot nor the kernel's account of its waiting shows that."""
    ticks = itertools.count()
    monkeypatch.setattr(race, "stolen_ticks", lambda: next(ticks) // 3)
    monkeypatch.setattr(race, "LOST_NS", 60_000_000_000)  # on a host with many guests there is more of it
    (record,) = matches(setup([slapper(0, turns=1)] * 2, mark, clocks=Clocks(move_s=60.0, slap_s=10.0)))

    doubted = [race.STOLEN in window.disturbed for window in windows(record)]
    assert doubted == [one // 3 != (one + 1) // 3 for one in range(0, 2 * len(doubted), 2)]
    assert set(doubted) == {True, False}


def test_what_accounts_for_the_time_of_a_bot_that_has_not_slept() -> None:
    """It computed, it waited for a core, or the referee did; else its core was taken away: the window is in doubt."""
    timing = Timing(raw_ns=900 * US, own_wait_ns=100 * US, wait_ns=200 * US, cpu_ns=400 * US).with_what_was_lost()
    assert timing.lost_ns == 200 * US
    assert list(timing.doubts()) == [race.STOLEN]
    assert timing.plus(timing).lost_ns == 400 * US
    assert list(replace(timing, lost_ns=race.LOST_NS).doubts()) == []
    assert Timing(raw_ns=900 * US, cpu_ns=None).with_what_was_lost().lost_ns == 0
    assert Timing(raw_ns=100 * US, cpu_ns=300 * US).with_what_was_lost().lost_ns == 0


def test_who_gets_a_core_once_has_not_slept() -> None:
    before = {7: Waits(0, 3), 8: Waits(0, 5)}
    assert not race._may_have_slept(before, before | {7: Waits(9, 4)})
    assert race._may_have_slept(before, before | {7: Waits(9, 5)})
    assert race._may_have_slept(before, {7: Waits(9, 4), 8: Waits(0, 6)})
    assert race._may_have_slept(before, before | {9: Waits(0, 0)}), "a new task"
    assert race._may_have_slept(before, {7: Waits(9, 4)}), "a task that has ended"


@pytest.mark.parametrize("is_taken_away", [True, False])
def test_a_window_is_in_doubt_where_a_core_was_taken_away_from_a_bot_and_not_where_the_bot_sleeps(
    is_taken_away: bool, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first bot looks as if it computed nothing, as it does on a machine whose cores are taken away."""
    monkeypatch.setattr(race, "stolen_ticks", lambda: 0)
    if is_taken_away:
        monkeypatch.setattr(BotProcess, "computed", lambda _: Computed(0, 1))
        monkeypatch.setattr(race, "_may_have_slept", lambda *_: False)
        monkeypatch.setattr(race, "_own_wait_ns", lambda: 0)  # else, on a busy host, that may be all of the bot's time
    bot = computing_slapper(0.005) if is_taken_away else slapper(0.005)
    (record,) = matches(
        setup([bot, "play(None, ready={'slaps': False})"], mark, clocks=Clocks(move_s=60.0, slap_s=10.0))
    )

    played = windows(record)
    assert played
    assert {race.STOLEN in window.disturbed for window in played} == {is_taken_away}


def test_what_the_referee_waits_for_after_the_answer_is_not_taken_off(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks as if the referee waited for a second whenever it has stopped a bot that has answered."""
    send, waited_ns = race._send, 0

    def waiting(members: Sequence[int], number: signal.Signals) -> None:
        nonlocal waited_ns
        send(members, number)
        waited_ns += 1_000_000_000 if number == signal.SIGSTOP else 0

    monkeypatch.setattr(race, "_send", waiting)
    monkeypatch.setattr(race, "_own_wait_ns", lambda: waited_ns)
    (record,) = matches(setup([slapper(0.02)] * 2, mark))

    times = [reaction.raw_us or 0.0 for window in windows(record) for reaction in window.reactions]
    assert times
    assert min(times) >= 20_000


def test_a_slap_that_never_comes_is_told_with_its_likely_reason(mark: dict[str, str]) -> None:
    silent = "play(lambda request: None, turns=1)"
    clocks = Clocks(move_s=60.0, slap_s=0.2)
    (record,) = matches(setup([silent, slapper(0, turns=1), slapper(0, turns=1)], mark, clocks=clocks))

    assert record.seats[0].nearest_miss_us is None
    (told,) = explain(record, 0)
    assert "no answer within 0.2 s in " in told
    assert "the first time: nothing came" in told


def test_other_tasks_go_on_in_a_window_that_takes_long(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Among them is the one that hears Ctrl-C."""
    steps, ask_alone, run_race = 0, race._ask_alone, race.run_race
    seen = list[list[int]]()

    async def begin(*given: Any, **named: Any) -> list[Reply]:
        seen.append([])
        return await run_race(*given, **named)

    def ask(*given: Any) -> Reply:
        reply = ask_alone(*given)
        seen[-1].append(steps)
        return reply

    async def work(pump: Pump) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(count)
            await play(pump, setup([slapper(0.02, turns=1)] * 3, mark))
            nursery.cancel_scope.cancel()

    async def count() -> None:
        nonlocal steps
        while True:
            steps += 1
            await trio.lowlevel.checkpoint()

    monkeypatch.setattr(race, "_ask_alone", ask)
    monkeypatch.setattr(timer, "run_race", begin)
    run_session([work])
    assert max(map(len, seen)) == 3
    for window in seen:
        assert len(window) < 3 or window[-1] > window[0], "of two tasks that go on, either may be the first"


def test_other_matches_go_on_while_it_is_open_why_the_output_of_a_bot_has_ended(
    tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot that closes its output ends when a bot of the other match has answered after that."""
    monkeypatch.setattr(channel, "EXIT_GRACE_NS", 60_000_000_000)
    closed, answered = tmp_path / "closed", tmp_path / "answered"
    until = "def until(path):\n    while not Path(path).exists(): time.sleep(0.001)\n"
    closing = f"{until}def slap(request): Path('{closed}').touch(); os.close(1); until('{answered}'); os._exit(3)\n"
    passing = "def slap(request): respond(request, 'pass')\n"
    waiting = (
        f"{until}start()\nfor request in requests(): until('{closed}'); respond(request); Path('{answered}').touch()"
    )
    window = setup(["import os\n" + closing + "play(slap)", passing + "play(slap)"], mark)
    records = matches(window, setup([waiting, waiting], mark, preset="six-card"))
    assert records[0].seats[0].faults == {"crashed": 1}
    assert "exited with code 3" in str(records[0].moves)


def test_a_race_that_we_spoil_voids_its_match_and_no_other(
    mark: dict[str, str], marked: Callable[[], dict[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def spoilt(*_: object, **__: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(timer, "run_race", spoilt)
    records = []

    async def race_on(pump: Pump) -> None:
        with pytest.raises(RuntimeError, match="a mistake of ours"):
            await play(pump, setup([slapper(0), slapper(0)], mark))

    async def play_on(pump: Pump) -> None:
        records.append(await play(pump, setup(["play(None)"] * 2, mark, preset="six-card-knock")))

    run_session([race_on, play_on])

    assert [seat.faults for seat in records[0].seats] == [{}, {}]
    assert not marked()


def test_a_bot_that_is_frozen_can_be_ended(mark: dict[str, str], marked: Callable[[], dict[int, str]]) -> None:
    """An interruption in the middle of a window: the bots of the other match are stopped at that moment."""
    interrupting = (
        f"def slap(request): os.kill({os.getpid()}, {signal.SIGINT:d}); time.sleep(0.2); sys.exit()\nplay(slap)"
    )
    thinking = "respond = lambda *_: time.sleep(60)\nplay(None)"

    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    try:
        with pytest.raises(Interrupted):
            matches(setup([interrupting, slapper(0)], mark), setup([thinking] * 2, mark))
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    assert not marked()
