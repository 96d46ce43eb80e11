"""The process that runs the hooks of a run: it reads an event a line, and runs the hook of each before it reads on.

It ends after the hook of the end, or at SIGTERM after the hook that runs. When its input ends, it kills that hook and
ends at once: the referee has been killed, or waits no longer. Its reports go to its stdout, one JSON object a line.
"""

import contextlib
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.events.events import End, Event, Fault, LeftOut, Match, Standings, Void, line_of
from referee.play.sandbox.low_priority import lower_priority, set_session_priority
from referee.tournament.config.hooks import Hooks

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.events.hook_loop import main; main()"
"""The program for the interpreter; its words are the folder of this installation and a HookOrder as JSON."""

HOOK_OF = {Match: "on_match", Void: "on_void", Fault: "on_fault", Standings: "on_standings", End: "on_end"}
"""By kind of event, its hook."""

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The variables of its environment that a hook gets, where they are set."""

LAST_BYTES = 4096
LAST_LINES = 5
"""Of the output of a hook that fails so much is kept, and so many lines are printed."""

_CURSOR_BYTES = 200
"""A cursor file has always so many bytes, so that one write puts all of a new text in place of the old one."""


class HookOrder(Struct, frozen=True, kw_only=True):
    """What the process is to do."""

    hooks: Hooks
    folder: str
    """Where hooks are run."""
    store: str
    """Absolute path of the run's store."""
    rest_s: float | None
    """After so many seconds only `on_standings` and `on_end` are run. None while matches are played."""


class Report(Struct, frozen=True, kw_only=True):
    """Lines for the organiser."""

    failed: str = ""
    """The hook that failed, if one did."""
    lines: tuple[str, ...]


class Cursor(Struct, frozen=True, kw_only=True):
    """How far the hooks of a run have come."""

    commitment: str
    """Of which run."""
    row: int
    """They have dealt with all rows of the store before the one of this id, and with `lines` events of it."""
    lines: int = 0

    def after(self, event: Match | Fault | Void) -> "Cursor":
        """The cursor once this event has been dealt with, too."""
        return replace(self, row=event.id, lines=self.lines + 1 if event.id == self.row else 1)


def cursor_file(store: Path) -> Path:
    """The file beside this store that keeps the cursor."""
    return Path(f"{store}.hooks")


def read_cursor(store: Path) -> Cursor | None:
    """The cursor in the file; None where there is none."""
    try:
        return msgspec.json.decode(cursor_file(store).read_bytes(), type=Cursor)
    except (OSError, msgspec.MsgspecError):
        return None


def write_cursor(store: Path, cursor: Cursor) -> None:
    """Put this cursor in place of that in the file. Raises OSError."""
    fd = os.open(cursor_file(store), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(fd, msgspec.json.encode(cursor).ljust(_CURSOR_BYTES), 0)
    finally:
        os.close(fd)


class HookLoop:
    """Runs the hooks of events, one after the other."""

    def __init__(self, order: HookOrder) -> None:
        self._order, self._commands, self._store = order, order.hooks.commands, Path(order.store)
        self._env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self._env["GOLFREF_STORE"] = order.store
        self._failed = set[str]()
        self._cursor: Cursor | None = None
        self._ranked = 0
        """How many matches the last standings were made of."""
        self._standings_due = time.monotonic() + order.hooks.standings_every_s
        self._rest_ends = math.inf if order.rest_s is None else time.monotonic() + order.rest_s
        self._is_running_hook = self._is_stopping = False
        self._left_out = self._later = 0

    def run(self) -> None:
        """Run the hooks of all events of the input until the end, SIGTERM, or the end of the input."""
        signal.signal(signal.SIGTERM, self._stop)
        try:
            for line in sys.stdin.buffer:
                event = msgspec.json.decode(line, type=Event)
                self._take(event)
                if self._is_stopping or isinstance(event, End):
                    break
        finally:
            for count, why in (
                (self._left_out, "events, because they take longer than matches"),
                (self._later, "events yet; the same command does that"),
            ):
                if count:
                    _write(Report(lines=(f"hooks have not been run for {count} {why}",)))

    def _stop(self, *_: object) -> None:
        self._is_stopping = True
        if not self._is_running_hook:
            sys.exit()

    def _take(self, event: Event) -> None:
        """Run the hook of an event, and `on_standings` when it is due."""
        if isinstance(event, LeftOut) and self._order.rest_s is None:
            self._left_out += event.lines
        elif isinstance(event, LeftOut):
            self._later += event.lines
        if not isinstance(event, Match | Fault | Void):
            self._run(event)
        elif time.monotonic() >= self._rest_ends:
            self._later += HOOK_OF[type(event)] in self._commands
        else:
            self._run(event)
            self._keep(event)
            if self._order.rest_s is None and time.monotonic() >= self._standings_due:
                self._run_on_standings()

    def _keep(self, event: Match | Fault | Void) -> None:
        """Keep that this event has been dealt with."""
        if (now := self._cursor or read_cursor(self._store)) is not None:
            self._cursor = now.after(event)
            with contextlib.suppress(OSError):
                write_cursor(self._store, self._cursor)

    def _run_on_standings(self) -> None:
        if "on_standings" not in self._commands:
            return
        # these load much, and most runs have no such hook
        from referee.events.reporter import standings_of  # noqa: PLC0415
        from referee.tournament.store.disk import StoreError  # noqa: PLC0415
        from referee.tournament.store.plans import extent_of  # noqa: PLC0415
        from referee.tournament.store.store import Store  # noqa: PLC0415
        from referee.tournament.summary import standings_in  # noqa: PLC0415

        with contextlib.suppress(StoreError), closing(Store.open(self._store)) as store:
            if (played := len(store.numbers())) != self._ranked:
                self._ranked = played
                self._run(standings_of(standings_in(store).overall, played, extent_of(store).planned))
        self._standings_due = time.monotonic() + self._order.hooks.standings_every_s

    def _run(self, event: Event) -> None:
        """Run the hook of an event, if it has one. The first failure of each hook is printed."""
        hook = HOOK_OF.get(type(event), "")
        if (command := self._commands.get(hook)) is None:
            return
        self._is_running_hook = True
        how, printed = self._outcome(command, self._env | {"GOLFREF_HOOK": hook}, line_of(event))
        self._is_running_hook = False
        if how and hook not in self._failed:
            self._failed.add(hook)
            lines = printed.decode("utf-8", "replace").splitlines()[-LAST_LINES:]
            shown = (f"  | {printable(line.expandtabs(), 500)}" for line in lines)
            _write(Report(failed=hook, lines=(f"hook {hook} {how}", *shown)))

    def _outcome(self, command: tuple[str, ...], env: dict[str, str], line: bytes) -> tuple[str, bytes]:
        """How a command failed, empty where it did not; and the end of its output."""
        with tempfile.TemporaryFile() as given:  # a pipe may take less than a line
            given.write(line)
            given.seek(0)
            try:
                process = subprocess.Popen(
                    command,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    cwd=self._order.folder,
                    env=env,
                    preexec_fn=lower_priority if self._order.rest_s is None else None,  # noqa: PLW1509 - one thread
                    process_group=0,  # in this session, whose share of the cores is low
                )
            except OSError as error:
                return f"cannot be started: {error.strerror}", b""
        seconds = self._order.hooks.timeout_s
        try:
            printed, has_ended = _output(process, time.monotonic() + seconds)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        if _is_alone():  # whoever killed the referee may have killed this hook, too: it has not been dealt with
            sys.exit()
        if not has_ended:
            return f"took longer than {seconds:g} s, and was killed", printed
        if code:
            return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}", printed
        return "", printed


def _is_alone() -> bool:
    """Whether nobody can write to the input any more."""
    poll = select.poll()
    poll.register(0, 0)
    return bool(poll.poll(0))


def _write(report: Report) -> None:
    with contextlib.suppress(OSError):  # the referee is gone
        os.write(1, msgspec.json.encode(report) + b"\n")


def _output(process: "subprocess.Popen[bytes]", end_s: float) -> tuple[bytes, bool]:
    """The end of what a process prints; and whether it has ended and closed its output by then."""
    if process.stdout is None:
        raise RuntimeError("a process without its pipe")
    printed = b""
    with process.stdout as output:
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(0, 0)  # reports only that nobody can write to it any more
        while (left_s := end_s - time.monotonic()) > 0:
            ready = dict(poll.poll(left_s * 1000))
            if 0 in ready:
                sys.exit()
            if output.fileno() not in ready:
                continue
            if data := os.read(output.fileno(), 1 << 16):
                printed = (printed + data)[-LAST_BYTES:]
                continue
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(left_s)
                return printed, True
    return printed, False


def main() -> None:
    """Run the hooks of all events of the input."""
    order = msgspec.json.decode(sys.argv[2], type=HookOrder)
    if order.rest_s is None:
        os.nice(19)  # hooks give way even more, but this process ends them soon on a busy host, too
        set_session_priority(os.getpid(), is_low=True)
    HookLoop(order).run()
