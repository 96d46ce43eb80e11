"""Tells where the processes of a referee spend their CPU time; tournament.py starts it in them from outside.

It is copied into a folder as `sitecustomize.py`, and the folder stands on PYTHONPATH: so it runs in the Python
processes that inherit that variable, which are the referee and its workers. Bots do not inherit it. Nothing of the
referee knows of it, and it must import nothing of the referee.

At each tick of the kernel's clock (of CPU time, 4 ms or less) the CPU time since the last one is given to the part of
the referee that works now. The sums stand in a file that is mapped into memory, so that nothing is lost however the
process ends: `PID.sums` has eight bytes for each line of `PID.names`.

It also notes the CPU time of bots that are killed in a cell: what ends together with its process namespace is nobody's
child any more, and the kernel forgets what it has used.
"""

import atexit
import contextlib
import mmap
import os
import signal
import sys
import time
from collections.abc import Iterator
from types import CodeType, FrameType

FOLDER = os.path.dirname(os.path.abspath(__file__))

INTERVAL_S = 0.001

MOST_NAMES = 8192

LOOP, WATCHING, PUMP, TELLING, RULES = "loop", "watching", "pump", "telling", "rules"
RACES, STORE, ORDERS, TABLES = "races", "store", "orders", "tables"
OWN_START, WORKERS_START, BOTS_START, BOTS_END = "own start", "workers' start", "bots' start", "bots' end"

WHOLE = {
    "referee/play/slaps/": RACES,
    "referee/play/process/limit_watch.py": WATCHING,
    "referee/tournament/run/run.py:greet_all": BOTS_START,
    "referee/play/match.py:LiveMatch.seat": BOTS_START,
    "referee/play/pump/pump.py:Pump.start_bot": BOTS_START,
    "referee/play/match.py:LiveMatch._release_bots": BOTS_END,
    "referee/play/match.py:LiveMatch.dismiss": BOTS_END,
    "referee/play/process/pool.py:Pool.close": BOTS_END,
    "referee/tournament/workers/crew.py:Worker.__init__": WORKERS_START,
    "referee/tournament/workers/crew.py:Worker.end": WORKERS_START,
}
"""Functions and files whose part takes all that they call, the outermost first."""

ROOMS = {
    "referee/rules/": RULES,
    "referee/rules/record.py": STORE,
    "referee/play/talk/": TELLING,
    "referee/play/talk/inbox.py": PUMP,
    "referee/play/talk/exchange.py": PUMP,
    "protocol/": TELLING,
    "referee/play/pump/": PUMP,
    "referee/play/process/channel.py": PUMP,
    "referee/play/match.py": ORDERS,
    "referee/play/greeting.py": ORDERS,
    "referee/play/session.py": LOOP,
    "referee/tournament/run/": ORDERS,
    "referee/tournament/orders.py": STORE,
    "referee/tournament/results.py": STORE,
    "referee/tournament/store/": STORE,
}
"""Folders and files whose part takes what runs in them, or in what they call and what stands in no other part."""

KILLED = "killed"
"""The name under which stands what bots had used that were killed in a cell."""

PARTS = (
    OWN_START, WORKERS_START, BOTS_START, BOTS_END, WATCHING, LOOP, PUMP, TELLING, RULES, RACES, STORE, ORDERS, TABLES,
)  # fmt: skip


def _longest(found: dict[str, str], name: str) -> str:
    """What the table says of the longest of its places that this function lies in; empty where it lies in none."""
    return found[max(places, key=len)] if (places := [place for place in found if name.startswith(place)]) else ""


def _cpu_ns(pid: int) -> int:
    """The CPU time of a process: see clock_getcpuclockid(3)."""
    return time.clock_gettime_ns(~pid << 3 | 2)


def _within(pid: int) -> Iterator[int]:
    """The processes that a process has started, with all that these have started, and that still run."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
    except OSError:  # it has ended
        return
    for child in children:
        yield child
        yield from _within(child)


def _is_in_a_cell(pid: int) -> bool:
    """Whether the process has a process namespace of its own, but is not the first one there."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        ids = next((line.split()[1:] for line in file if line.startswith("NSpid:")), [])
    return len(ids) > 1 and ids[-1] != "1"


class _Function:
    """What is known of a function: its name, and the part that takes it."""

    __slots__ = ("is_import", "is_ours", "name", "plays", "room", "whole")

    def __init__(self, code: CodeType) -> None:
        path = code.co_filename
        for top in ("referee", "protocol"):
            before, found, rest = path.rpartition(f"/{top}/")
            if found and os.path.exists(f"{before}/protocol/__init__.py"):
                path = f"{top}/{rest}"
                break
        self.is_ours = path != code.co_filename
        self.name = f"{path if self.is_ours else '/'.join(path.split('/')[-2:])}:{code.co_qualname}"
        self.whole = _longest(WHOLE, self.name) if self.is_ours else ""
        self.room = _longest(ROOMS, self.name) if self.is_ours else ""
        self.is_import = path == "<frozen importlib._bootstrap>"
        self.plays = self.name in {
            "referee/tournament/run/run.py:Run.play",
            "referee/tournament/workers/worker.py:serve",
        }


class Sampler:
    """Notes where this process spends its CPU time."""

    def __init__(self) -> None:
        words = " ".join(sys.orig_argv)
        self._start = WORKERS_START if "referee.tournament.workers.worker" in words else OWN_START
        self._functions: dict[CodeType, _Function] = {}
        self._is_adding = False
        """Whether a sum is being changed. A signal that comes meanwhile, as on a busy host, is left to the next one."""
        signal.signal(signal.SIGPROF, self._look)
        self._begin()
        self._add(f"{self._start}\tthe interpreter")
        self._killed: set[int] = set()
        atexit.register(self._end)
        sys.addaudithook(self._hear)

    def _begin(self) -> None:
        """Begin with sums of zero."""
        self._seen_ns, self._has_played = 0, False
        self._places: dict[str, int] = {}
        names = f"{FOLDER}/{os.getpid()}.names"
        self._names = os.open(names, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        sums = os.open(names.removesuffix("names") + "sums", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(sums, 8 * MOST_NAMES)
        self._sums = memoryview(mmap.mmap(sums, 8 * MOST_NAMES)).cast("Q")
        os.close(sums)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)

    def _hear(self, event: str, given: tuple[object, ...]) -> None:
        if event == "os.killpg" and given[1] == signal.SIGKILL and isinstance(given[0], int):
            for pid in set(_within(given[0])) - self._killed:
                with contextlib.suppress(OSError):  # it has ended
                    if _is_in_a_cell(pid):
                        used_ns = _cpu_ns(pid)
                        self._is_adding = True
                        self._sums[self._place(KILLED)] += used_ns
                        self._is_adding = False
                        self._killed.add(pid)

    def _end(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)  # without a handler, which does not outlive the interpreter, it kills
        self._add(f"{TABLES if self._start == OWN_START else self._start}\tthe end")

    def _add(self, name: str) -> None:
        """Give the time since the last look to this name."""
        self._is_adding = True
        now_ns = time.process_time_ns()
        self._sums[self._place(name)] += now_ns - self._seen_ns
        self._seen_ns = now_ns
        self._is_adding = False

    def _place(self, name: str) -> int:
        """Where the sum of this name stands; the last place is for all that find no other."""
        if (place := self._places.get(name)) is None:
            place = min(len(self._places), MOST_NAMES - 1)
            if place < MOST_NAMES - 1:
                self._places[name] = place
                os.write(self._names, f"{name}\n".encode())
        return place

    def _look(self, _number: int, frame: FrameType | None) -> None:
        if frame is None or self._is_adding:
            return
        innermost = self._function(frame)
        part = self._part(frame)
        self._add(f"{part}\t{innermost.name}")

    def _part(self, frame: FrameType | None) -> str:
        whole = room = ""
        plays = imports = False
        while frame is not None:
            function = self._function(frame)
            whole = function.whole or whole
            room = room or function.room
            plays |= function.plays
            imports |= function.is_import
            frame = frame.f_back
        if imports:
            return self._start
        self._has_played |= plays
        if plays or whole:
            return whole or room or ORDERS
        return TABLES if self._has_played and self._start == OWN_START else self._start

    def _function(self, frame: FrameType) -> _Function:
        code = frame.f_code
        if (function := self._functions.get(code)) is None:
            function = self._functions[code] = _Function(code)
        return function


if __name__ == "sitecustomize":
    Sampler()
