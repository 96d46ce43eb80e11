"""Bots that want more from the timing of slaps than being quick, and what they get: nothing."""

import signal
import struct
import sys
import time
from fcntl import ioctl
from pathlib import Path
from termios import FIONREAD
from typing import Any

import pytest
from arena import HOSTILE
from live_matches import matches
from msgspec.structs import replace
from racing import WAITERS, setup, slapper, windows

from protocol.messages import Clocks
from referee.play.faults import Missing
from referee.play.process import limit_watch, usage
from referee.play.process import process as process_module
from referee.play.process.channel import Channel
from referee.play.process.process import BotProcess
from referee.play.process.thread_cache import Waits
from referee.play.process.usage import states
from referee.play.slaps import quiet, race
from referee.rules.record import Forfeit, Record

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what a process does is read from /proc")

CLOCKS = Clocks(move_s=60.0, bank_s=600.0, slap_s=10.0)

CHEATS = {
    "burns helper threads": """
import threading
def burn():
    while True: pass
for _ in range(3): threading.Thread(target=burn, daemon=True).start()
def slap(request): respond(request)
""",
    "leaves a process at work": """
import subprocess
subprocess.Popen([sys.executable, "-c", "while True: pass"], stdin=-3, stdout=-3, stderr=-3)
def slap(request): respond(request)
""",
    "spins while others are asked": """
def lines(rest=b""):
    os.set_blocking(0, False)
    while True:
        try: rest += os.read(0, 65536)
        except BlockingIOError: pass
        while b"\\n" in rest:
            line, _, rest = rest.partition(b"\\n")
            yield line.decode()
class Stdin:
    source = lines()
    def __iter__(self): return self.source
    def readline(self): return next(self.source)
sys.stdin = Stdin()
def slap(request): respond(request)
""",
}

WATCH = """
def family(pid):
    children = Path("/proc", pid, "task", pid, "children").read_text().split()
    return [pid, *(one for child in children for one in family(child))]
def look():
    tasks = [task for pid in family(Path({pid!r}).read_text()) for task in Path("/proc", pid, "task").iterdir()]
    used = {{task.name: (task / "schedstat").read_text().split()[0] for task in tasks}}
    return used, {{(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks}}
def slap(request):
    (before, states), end = look(), time.monotonic() + 0.02
    while time.monotonic() < end: pass
    after, more_states = look()
    print(before == after, *sorted(states | more_states), file=sys.stderr)
    respond(request)
play(slap, turns=2)
"""
"""In its windows: whether all tasks of the other bot used no time at all meanwhile, and the states they were in."""


@pytest.mark.parametrize("cheat", CHEATS)
def test_who_works_while_others_are_asked_is_frozen(
    cheat: str, tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "FREEZE_NS", 60_000_000_000)  # on a busy machine it may take a while
    pid = str(tmp_path / "pid")
    tells = f"Path({pid!r}).write_text(str(os.getpid()))\n"

    bots = [tells + CHEATS[cheat] + "play(slap, turns=2)", WATCH.format(pid=pid)]
    (record,) = matches(setup(bots, mark, clocks=CLOCKS))

    asked = [window for window in windows(record) if 1 in window.asked]
    assert len(asked) >= 2
    assert record.seats[1].stderr.splitlines() == ["True T"] * len(asked)
    assert [seat.faults for seat in record.seats] == [{}, {}]


EARLY = """
def lines():
    known = ""
    while line := os.read(0, 1):
        if known:
            action = {"kind": "slap", "target": [0, 0]}
            print(json.dumps({"type": "answer", "id": known, "action": action}), flush=True)
        while not line.endswith(b"\\n"):
            line += os.read(0, 1)
        known = json.loads(line).get("id", known)
        yield line.decode()
class Stdin:
    source = lines()
    def __iter__(self): return self.source
    def readline(self): return next(self.source)
sys.stdin = Stdin()
def slap(request):
    time.sleep(0.1)
    respond(request, "pass")
play(slap, turns=1)
"""


def test_who_answers_before_it_could_have_read_the_window_has_not_answered(mark: dict[str, str]) -> None:
    """It slaps at the first byte of each line by the last id it knows, and passes when it has read the window."""
    (record,) = matches(setup([EARLY, slapper(0)], mark, clocks=CLOCKS))

    played = windows(record)
    assert played
    for window in played:
        (reaction,) = (one for one in window.reactions if one.seat == 0)
        assert reaction.target is None
        assert reaction.raw_us is not None
        assert reaction.raw_us >= 20_000  # less than it sleeps, for the referee may have waited meanwhile
        assert window.order == (1,)
    assert record.seats[0].unasked_lines >= len(played)


def test_the_clock_starts_when_the_bot_may_go_on(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line lies in the pipe while it is frozen, so that nothing is gained by being awake when it is written."""
    monkeypatch.setattr(quiet, "FREEZE_NS", 60_000_000_000)
    found: list[tuple[set[str], bool]] = []
    run = race._let_run

    def looked_at(channel: Channel, process: BotProcess, *given: Any) -> Any:
        unread = struct.unpack("i", ioctl(process.stdin, FIONREAD, bytes(4)))[0]
        found.append((states(process.members()), unread > 100))
        return run(channel, process, *given)

    monkeypatch.setattr(race, "_let_run", looked_at)
    spinner = CHEATS["spins while others are asked"] + "play(slap, turns=1)"
    (record,) = matches(setup([spinner, slapper(0, turns=1)], mark, clocks=CLOCKS))

    assert found == [({"T"}, True)] * sum(len(window.asked) for window in windows(record))


ENDED = {
    "threads": """
def slap(request):
    thread = threading.Thread(target=work, args=(0.005,))
    thread.start()
    thread.join()
    respond(request, "slap")
play(slap, turns=1)
""",
    "processes that nobody waits for": """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def slap(request):
    done, tell = os.pipe()
    if not os.fork():
        work(0.005)
        os._exit(0)
    os.close(tell)
    os.read(done, 1)
    respond(request, "slap")
play(slap, turns=1)
""",
    "processes that were there before": """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def worker():
    start, go = os.pipe()
    done, tell = os.pipe()
    if not os.fork():
        os.read(start, 1)
        work(0.005)
        os._exit(0)
    os.close(tell)
    return go, done
workers = [worker() for _ in range(20)]
def slap(request):
    go, done = workers.pop()
    os.write(go, b"x")
    os.read(done, 1)
    respond(request, "slap")
play(slap, turns=1)
""",
}


@pytest.mark.parametrize(
    ("ended", "counted"),
    [("threads", False), ("processes that nobody waits for", True), ("processes that were there before", False)],
)
def test_what_was_computed_by_something_that_has_ended_counts(
    ended: str, counted: bool, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a bot could take all of it off, by idle tasks that waited for its core. Control groups may count it."""
    if not counted:
        monkeypatch.setattr(process_module, "control_groups", lambda: Missing("", ""))
    (record,) = matches(setup([WAITERS + ENDED[ended], slapper(0, turns=1)], mark, clocks=CLOCKS))

    times = [one.corrected_us or 0.0 for window in windows(record) for one in window.reactions if one.seat == 0]
    assert len(times) >= 2
    assert min(times) >= 5000


LEAVING = """
import signal, tempfile
left, heir = os.pipe()
def begin():
    middle = os.fork()
    if not middle:
        os.setsid()
        if not os.fork():
            os.write(heir, str(os.getpid()).encode())
            time.sleep(600)
        time.sleep(600)
    return middle, int(os.read(left, 20))
def slap(request):
    if begun is None or begun:
        middle, last = begin() if begun is None else begun.pop()
        os.kill(middle, signal.SIGKILL)
        os.waitpid(middle, 0)
        PLACE.write_text(str(last))
    respond(request)
"""
"""Leaves a process behind in each window."""


@pytest.mark.parametrize("when", ["before", "in the window"])
def test_a_process_that_a_bot_leaves_behind_in_its_turn_is_ended_before_the_next_bot_is_asked(
    when: str, tmp_path: Path, mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it was started then, or before, when no later number of a process tells of it."""
    monkeypatch.setattr(limit_watch, "end_orphans_now", lambda: True)
    place = f"\nPLACE = Path({str(tmp_path / 'left')!r})\n"
    begun = {
        "before": "begun = [begin() for _ in range(8)]\nplay(slap, turns=2)",
        "in the window": "begun = None\nplay(slap, turns=2)",
    }
    looking = """
def slap(request):
    if PLACE.exists():
        print(Path("/proc", PLACE.read_text()).exists(), file=sys.stderr)
    respond(request)
play(slap, turns=2)
"""
    (record,) = matches(setup([LEAVING + place + begun[when], place + looking, place + looking], mark, clocks=CLOCKS))

    said = [line for seat in record.seats[1:] for line in seat.stderr.splitlines()]
    assert said
    assert set(said) == {"False"}


def test_where_the_system_lists_no_children_all_of_a_bot_is_woken(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell between us and the bot; some kernels, and other systems, tell nothing of who stands behind it."""
    monkeypatch.setattr(usage, "lists_children", lambda: False)
    monkeypatch.setattr(usage, "_children", lambda _: iter(()))
    slappers = setup([slapper(0, turns=1)] * 2, mark, clocks=CLOCKS)
    behind_shells = tuple(replace(bot, command=("sh", "-c", '"$@"; exit', "sh", *bot.command)) for bot in slappers.bots)
    (record,) = matches(replace(slappers, bots=behind_shells))

    assert windows(record)
    assert [(seat.faults, seat.late_slaps) for seat in record.seats] == [({}, 0), ({}, 0)]


LOUD = """
def slap(request):
    sys.stderr.write("thinking " * 20_000)
    sys.stderr.flush()
    respond(request, "slap")
play(slap, turns=1)
"""
"""Writes more than a pipe holds."""


def test_who_says_much_to_standard_error_is_not_held_up(mark: dict[str, str]) -> None:
    (record,) = matches(setup([LOUD, slapper(0, turns=1)], mark, clocks=CLOCKS))

    assert windows(record)
    assert [(seat.faults, seat.late_slaps) for seat in record.seats] == [({}, 0), ({}, 0)]


# Bots that cannot be stopped


def against(program: str, turns: int, mark: dict[str, str]) -> Record:
    """The record of a match between a program of tests/hostile and a bot that passes in all windows."""
    given = setup(["", f"play(respond, turns={turns})"], mark, clocks=CLOCKS)
    command = (sys.executable, "-B", str(HOSTILE / "hostile.py"), program, str(turns))
    path = {"PYTHONPATH": str(HOSTILE.parent / "support")}
    hostile = replace(given.bots[0], command=command, env=mark | path)
    (record,) = matches(replace(given, bots=(hostile, given.bots[1])))
    return record


def test_a_bot_that_is_in_vfork_for_good_is_at_rest(mark: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs no code before its child has become another program, and the child is stopped."""
    monkeypatch.setattr(quiet, "FREEZE_NS", 1_000_000_000)  # on a busy machine it may take a while
    record = against("blocks_in_vfork", 1, mark)

    assert len(windows(record)) > 2
    assert [window for window in windows(record) if quiet.NOT_FROZEN in window.disturbed] == []
    assert [seat.faults for seat in record.seats] == [{}, {}]


def test_a_bot_that_computes_in_many_windows_although_it_is_stopped_is_ended(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race, "MOST_AWAKE", 0)  # on a busy machine it often waits for a core
    record = against("works_in_the_kernel", 40, mark)

    (forfeit,) = (move for move in record.moves if isinstance(move, Forfeit))
    assert (forfeit.seat, forfeit.fault.kind) == (0, "crashed")
    assert "computed in more than 0 slap windows although it was stopped" in forfeit.fault.detail
    assert record.seats[1].faults == {}


def test_the_clock_of_a_bot_that_cannot_be_stopped_starts_when_its_line_is_written(
    mark: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers while the referee still looks at its tasks; the time until it may go on is not free."""
    look, still = BotProcess.waits, quiet.freeze_and_check

    def slow_look(process: BotProcess, *, known: bool = False) -> dict[int, Waits]:
        time.sleep(0.02)
        return look(process, known=known)

    def never_still(channel: Channel) -> bool:
        still(channel)
        channel.is_awake = True
        assert channel.process is not None
        channel.process._signal(signal.SIGCONT)
        return False

    monkeypatch.setattr(BotProcess, "waits", slow_look)
    monkeypatch.setattr(race, "freeze_and_check", never_still)
    (record,) = matches(setup([slapper(0, turns=1), slapper(0, turns=1)], mark, clocks=CLOCKS))

    times = [one.raw_us for window in windows(record) for one in window.reactions if one.raw_us is not None]
    assert times
    assert min(times) >= 20_000
