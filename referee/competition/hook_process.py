"""The process that runs the hooks of a tournament, one after the other, while another process plays.

Its input has a line for each happening. It ends when it has dealt with the last one, the end; and where its input ends
it kills the hook that runs and itself: whoever plays is gone, or waits no longer. What became of the hooks it tells on
its output. It computes only when nothing else wants to, and so do the hooks.
"""

import contextlib
import ctypes
import math
import os
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.competition.command import RunningCommand, kill_children
from referee.competition.happenings import End, Fault, Happening, Match, Table, Void, line_of
from referee.competition.hook_cursor import Cursor, read_cursor, write_cursor
from referee.play.sandbox.low_priority import lower_priority, set_session_priority
from referee.tournament.config.hooks import Hooks

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.competition.hook_process import main; main()"
"""What the interpreter is told to run, with the folder of this installation and a HookOrder as JSON."""

MOST_WAITING = 1000
"""So many happenings wait for their hooks at most."""

REST_S = 20.0
"""After the end of a run, what runs and what waits has so long; the last standings and `on_end` come after it."""

LONGEST_LAST_S = 60.0
"""The hooks of the last standings and of the end take `timeout_s` at most, and no longer than this."""

LAST_LINES = 5
"""How many lines of it are shown."""

SHARE = 20
"""After standings were computed, it rests from that for this many times as long as it took."""

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The variables of its environment that a hook gets, where they are set."""

_NOT_STARTED = "was not started, since the run was over"
_KILLED = "was killed, because the run was over"
_CUT_OFF = {_NOT_STARTED, _KILLED}
"""How hooks end that the next command runs again."""

_PR_SET_CHILD_SUBREAPER = 36
INTERRUPTED = 130
"""The exit code of a run that was interrupted: what waits is left out then."""


class HookOrder(Struct, frozen=True, kw_only=True):
    """What the process is to do."""

    hooks: Hooks
    folder: str
    """Where hooks are run."""
    store: str
    """Absolute path of the run's store."""


class Failed(Struct, frozen=True, kw_only=True, tag=True):
    """A hook failed for the first time."""

    hook: str
    lines: tuple[str, ...]
    """How, and the last lines that it printed."""


class Tally(Struct, frozen=True, kw_only=True):
    """How often a hook was run and what became of it."""

    hook: str
    runs: int
    failed: int
    """How many of the runs failed."""
    left_out: int
    """How often it was not run, because too much waited for it."""
    waiting: int
    """How often it is still to be run, since the command ended."""
    how: str
    """How it failed the last time."""


class HooksEnded(Struct, frozen=True, kw_only=True, tag=True):
    """The process ends."""

    tallies: tuple[Tally, ...]


HookReport = Failed | HooksEnded

Told = tuple[Happening, Cursor | None]
"""A happening, and how far the hooks have come once it has been dealt with, where that is kept."""

HOOK_OF = {Match: "on_match", Void: "on_void", Fault: "on_fault", Table: "on_standings", End: "on_end"}
"""By kind of happening, the hook that is told of it."""


class Waiting:
    """What has come and waits for its hook."""

    def __init__(self, hooks: Hooks, store: Path) -> None:
        self.left_out = Counter[str]()
        """By hook, how often it was not run because too much waited."""
        self.given_up = Counter[str]()
        """By hook, for how many of those that came last there was no time."""
        self.over = threading.Event()
        """Whether the end has come."""
        self.rest_ends_at = math.inf
        """Until when what runs and what waits may be run."""
        self._end: End | None = None
        self._commands = hooks.commands
        self._store = store
        self._cursor: Cursor | None = None
        """How far the hooks have come once they have dealt with all that has come."""
        self._happenings: deque[Told] = deque()
        self._table: Table | None = None
        self._came = threading.Condition()

    def add(self, happening: Happening) -> None:
        """Take a happening in, or leave it out. Of standings only the last ones wait."""
        with self._came:
            hook = HOOK_OF.get(type(happening))
            if isinstance(happening, Match | Fault | Void):
                before = self._cursor or read_cursor(self._store)
                self._cursor = None if before is None else before.after(happening)
            if isinstance(happening, End):
                self._end = happening
                self.rest_ends_at = time.monotonic() + (0.0 if happening.code == INTERRUPTED else REST_S)
                self.over.set()
            elif hook not in self._commands:
                return
            elif isinstance(happening, Table):
                self._table = happening
            elif len(self._happenings) >= MOST_WAITING:
                self.left_out[hook] += 1
            else:
                self._happenings.append((happening, self._cursor))
            self._came.notify_all()

    def next(self) -> Told | None:
        """What comes next while the run goes on, as soon as there is something; None once the end has come."""
        with self._came:
            self._came.wait_for(lambda: self._happenings or self._table or self._end)
            return None if self._end else self._taken()

    def rest(self) -> Iterator[Told]:
        """After the end: what still waits, as long as there is time for it, then the last standings and the end."""
        while self._happenings and time.monotonic() < self.rest_ends_at:
            yield self._happenings.popleft()
        self.give_up()
        yield from ((one, None) for one in (self._table, self._end) if one is not None)

    def give_up(self) -> None:
        """Leave all that waits to the next command."""
        with self._came:
            self.given_up.update(HOOK_OF[type(happening)] for happening, _ in self._happenings)
            self._happenings.clear()

    def _taken(self) -> Told:
        table, self._table = self._table, None
        return (table, None) if table else self._happenings.popleft()


class HookRunner:
    """Runs the hooks, one at a time, and counts what became of them."""

    def __init__(self, order: HookOrder, waiting: Waiting, tell: Callable[[HookReport], None]) -> None:
        self._hooks, self._folder, self._waiting, self._tell = order.hooks, order.folder, waiting, tell
        self._store = Path(order.store)
        self._env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._env["GOLFREF_STORE"] = order.store
        self._runs, self._failed = Counter[str](), Counter[str]()
        self._how: dict[str, str] = {}
        self.gives_way = True
        """Whether hooks have the least share of the cores."""
        self._starting = threading.Lock()
        self._is_over = False

    def run(self, happening: Happening, cursor: Cursor | None) -> None:
        """Run the hook of this happening, where the config has one. The last standings and the end are not cut off.

        The `cursor` is kept unless the end of the run cut the hook off.
        """
        is_last = self._waiting.over.is_set() and isinstance(happening, Table | End)
        hook = HOOK_OF.get(type(happening), "")
        if (command := self._hooks.commands.get(hook)) is None:
            return
        how, printed = self._run(hook, command, line_of(happening), is_last=is_last)
        self._runs[hook] += 1
        if how:
            self._failed[hook] += 1
            self._how[hook] = how
            if self._failed[hook] == 1:
                lines = [printable(line.expandtabs(), 500) for line in printed.splitlines()[-LAST_LINES:]]
                self._tell(Failed(hook=hook, lines=(how, *(f"  | {line}" for line in lines))))
        if cursor is not None and how not in _CUT_OFF and not self._is_over:
            with contextlib.suppress(OSError):
                write_cursor(self._store, cursor)

    def tallies(self) -> tuple[Tally, ...]:
        """What became of each hook."""
        return tuple(
            Tally(
                hook=hook,
                runs=self._runs[hook],
                failed=self._failed[hook],
                left_out=self._waiting.left_out[hook],
                waiting=self._waiting.given_up[hook],
                how=self._how.get(hook, ""),
            )
            for hook in self._hooks.commands
        )

    def stop(self) -> None:
        """Kill what runs; nothing is started from now on. This may be called from another thread."""
        with self._starting:
            self._is_over = True
        kill_children()

    def _run(self, hook: str, command: tuple[str, ...], line: bytes, *, is_last: bool) -> tuple[str, str]:
        """How a command failed, empty where it did not; and the end of what it printed."""
        try:
            with self._starting:
                if self._is_over:
                    return _NOT_STARTED, ""
                one = RunningCommand(
                    command, folder=self._folder, env=self._env | {"GOLFREF_HOOK": hook}, gives_way=self.gives_way
                )
        except OSError as error:
            return f"cannot be started: {error.strerror}", ""
        seconds = min(self._hooks.timeout_s, LONGEST_LAST_S) if is_last else self._hooks.timeout_s
        end = time.monotonic() + seconds
        code, printed = one.attend(
            line, lambda: (end if is_last else min(end, self._waiting.rest_ends_at)) - time.monotonic()
        )
        text = printed.decode("utf-8", "replace")
        if code is None and time.monotonic() < end:
            return _KILLED, text
        if code is None:
            return f"took longer than {seconds:g} s, and was killed", text
        if code:
            return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}", text
        return "", text


def compute_standings(order: HookOrder, waiting: Waiting) -> None:
    """Compute the standings again and again while the run goes on, whenever something has come."""
    lower_priority()
    path, seen, rest_s = Path(order.store), _traces(Path(order.store)), order.hooks.standings_every_s
    while not waiting.over.wait(rest_s):
        begun_s, now = time.thread_time(), _traces(path)
        if now != seen and (table := _table(path)) is not None:
            seen = now
            waiting.add(table)
        rest_s = max(order.hooks.standings_every_s, SHARE * (time.thread_time() - begun_s))


def _table(path: Path) -> Table | None:
    """The standings of a run; None where they cannot be told now."""
    # these load much, and most runs have no such hook
    from referee.competition.places import table_of  # noqa: PLC0415
    from referee.tournament.store.disk import StoreError  # noqa: PLC0415
    from referee.tournament.store.plans import extent_of  # noqa: PLC0415
    from referee.tournament.store.store import Store  # noqa: PLC0415
    from referee.tournament.summary import standings_in  # noqa: PLC0415

    try:
        with closing(Store.open(path)) as store:
            return table_of(standings_in(store).overall, len(store.numbers()), extent_of(store).planned)
    except StoreError:
        return None


def _traces(store: Path) -> list[tuple[int, int]]:
    """What changes when anything is committed. This opens nothing."""
    found = []
    for path in (store, Path(f"{store}-wal")):
        with contextlib.suppress(OSError):
            about = path.stat()
            found.append((about.st_size, about.st_mtime_ns))
    return found


def run_meanwhile(waiting: Waiting, runner: HookRunner) -> None:
    """Run hooks while the run goes on, without ever being in its way."""
    lower_priority()
    while (told := waiting.next()) is not None:
        runner.run(*told)


def main() -> None:
    """Run hooks until the input has told the end, or ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    order = msgspec.json.decode(sys.argv[2], type=HookOrder)
    telling = threading.Lock()
    waiting = Waiting(order.hooks, Path(order.store))

    def tell(report: HookReport) -> None:
        with telling, contextlib.suppress(OSError):
            os.write(1, msgspec.json.encode(report) + b"\n")

    runner = HookRunner(order, waiting, tell)

    def leave() -> None:
        runner.stop()
        waiting.give_up()
        tell(HooksEnded(tallies=runner.tallies()))
        os._exit(0)

    threading.Thread(target=_listen, args=(waiting, leave), daemon=True).start()
    if order.hooks.on_standings:
        threading.Thread(target=compute_standings, args=(order, waiting), daemon=True).start()
    meanwhile = threading.Thread(target=run_meanwhile, args=(waiting, runner), daemon=True)
    set_session_priority(os.getpid(), is_low=True)
    meanwhile.start()
    meanwhile.join()
    set_session_priority(os.getpid(), is_low=False)
    runner.gives_way = False
    for told in waiting.rest():  # nothing is played any more, so this thread gives way to nothing
        runner.run(*told)
    tell(HooksEnded(tallies=runner.tallies()))
    os._exit(0)


def _listen(waiting: Waiting, leave: Callable[[], None]) -> None:
    """Take in what the input tells, and leave when it ends."""
    decoder = msgspec.json.Decoder(Happening)
    begun = b""
    while data := os.read(0, 1 << 16):
        *lines, begun = (begun + data).split(b"\n")
        for line in lines:
            waiting.add(decoder.decode(line))
    leave()
