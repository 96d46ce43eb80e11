"""The hooks of a run, as the process that plays has them: it sends them events, and never waits for them meanwhile.

While matches are played, a process of low priority runs them (hook_loop.py). After the last match another one of usual
priority takes over: it has a bounded time for what the first one did not come to, and runs `on_standings` and `on_end`.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec.structs import replace

import referee
from referee.errors import HOST_FAILED, GolfrefError
from referee.events.events import End, Event, Fault, Match, Standings, Void
from referee.events.hook_loop import HOOK_OF, START, Cursor, HookOrder, Report, cursor_file, read_cursor, write_cursor
from referee.events.reporter import missed_events
from referee.events.writer import NonBlockingWriter
from referee.play.faults import HostFault
from referee.play.process import orphans
from referee.play.process.process import control_groups
from referee.play.sandbox.cgroups import Cgroups, Group
from referee.play.sandbox.system_info import write
from referee.tournament.config.config import Config
from referee.tournament.config.hooks import Hooks as HooksTable
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store

REST_S = 20.0
"""After the last match, hooks of matches, faults and voids are begun for so long."""

INTERRUPTED = 130
"""The exit code of a run that is interrupted. Then hooks of matches, faults and voids are left to the next command."""

LONGEST_LAST_S = 60.0
"""After the last match a hook takes `timeout_s` at most, and no longer than this."""

SLACK_S = 5.0
"""A process has so long to start, and so long to end once it should."""

QUIET_S = 1.0
"""If hooks take longer than this after the last match, that is printed."""


DIED = "golfref: the process that runs hooks has died; the run goes on without them"


class HooksRefused(GolfrefError):
    """The process that runs hooks cannot be started. The text says why."""

    exit_code = HOST_FAILED


class Hooks:
    """The hooks of a run, until it ends. Call `close` at the end; nothing of them is left after it."""

    def __init__(self, config: Config, store: Path, say: Callable[..., None]) -> None:
        """Start the process. `say` prints lines for the organiser. Raises HooksRefused."""
        self._say, self._path, self._config = say, store, config
        self._failed = set[str]()
        """The hooks of which a failure has been printed."""
        self._standings: Standings | None = None
        self._has_caught_up = False
        self._process = _HookProcess(
            self._order(config.hooks, None), self._report, in_least_share=config.isolation != "none"
        )

    def catch_up(self, store: Store, planned: int) -> None:
        """Send what the store holds that hooks have missed, because an earlier command did not come to it.

        Raises HooksRefused and StoreError.
        """
        if self._has_caught_up:  # a ladder that takes up changes
            return
        self._has_caught_up = True
        now = Cursor(commitment=store.meta().commitment, row=store.last_row() + 1)
        old = read_cursor(self._path) or now
        if old.commitment != now.commitment or old.row > now.row:  # of another run
            old = now
        try:
            write_cursor(self._path, old)
        except OSError as error:
            raise HooksRefused(f"{cursor_file(self._path)}: cannot be written: {error.strerror}") from None
        for event in self._missed(store, planned):
            self.put(event)

    def put(self, event: Event) -> None:
        """Send an event, and print what the process reports. Returns at once. The last standings wait for the end."""
        if isinstance(event, Standings):
            self._standings = event
        else:
            self._process.put(event)

    def finish(self, end: End) -> None:
        """Give hooks a bounded time for the last standings, for what is left in the store, and for the end."""
        config, is_interrupted = self._config.hooks, end.code == INTERRUPTED
        hooks = replace(config, timeout_s=min(config.timeout_s, LONGEST_LAST_S))
        self._process.stop(0.0 if is_interrupted else hooks.timeout_s)
        events: list[Standings | Match | Fault | Void] = [] if self._standings is None else [self._standings]
        if self._has_caught_up:
            with contextlib.suppress(StoreError), contextlib.closing(Store.open(self._path)) as store:
                events += self._missed(store, end.planned or 0)
        if not any(HOOK_OF[type(one)] in hooks.commands for one in (*events, end)):
            return
        rest_s = 0.0 if is_interrupted else REST_S
        try:
            last = _HookProcess(self._order(hooks, rest_s), self._report)
        except HooksRefused as refused:
            self._say(f"golfref: {refused}")
            return
        for event in (*events, end):
            last.put(event)
        last.finish(rest_s + 3 * hooks.timeout_s + SLACK_S)

    def close(self) -> None:
        """End the process with the hook that runs, if it has not ended."""
        self._process.stop(0.0)

    def _report(self, report: Report) -> None:
        """Print a report, unless that hook has failed before."""
        if report.failed not in self._failed:
            self._failed.update({report.failed} - {""})
            self._say(*report.lines)

    def _missed(self, store: Store, planned: int) -> list[Match | Fault | Void]:
        """The events in the store to which hooks have not come. Raises StoreError."""
        if (now := read_cursor(self._path)) is None:
            return []
        return [*missed_events(store, planned, row=now.row, lines=now.lines)]

    def _order(self, hooks: HooksTable, rest_s: float | None) -> HookOrder:
        return HookOrder(hooks=hooks, folder=self._config.folder, store=str(self._path.absolute()), rest_s=rest_s)


class _HookProcess:
    """A process that runs hooks."""

    def __init__(self, order: HookOrder, on_report: Callable[[Report], None], *, in_least_share: bool = False) -> None:
        """Start it, with the least share of the cores where bots have shares. Raises HooksRefused."""
        self._on_report = on_report
        root = str(Path(referee.__file__).resolve().parent.parent)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", START, root, msgspec.json.encode(order).decode()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise HooksRefused(f"the host cannot start a process that runs hooks: {error.strerror}") from None
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a process without its pipes")
        orphans.register(self._process.pid)
        self._group = _least_share(self._process.pid) if in_least_share else None
        self._input, self._output = self._process.stdin, self._process.stdout
        for pipe in (self._input, self._output):
            os.set_blocking(pipe.fileno(), False)
        self._writer = NonBlockingWriter(self._input.fileno())
        self._reported = b""
        self._is_over = False
        """True if it should end."""
        self._has_ended = False

    def put(self, event: Event) -> None:
        """Send an event, and print what has been reported. Returns at once."""
        self._writer.put(event)
        self._print_reports(0.0)

    def finish(self, patience_s: float) -> None:
        """Let it deal with what it was sent, up to the end, for at most so long. Nothing of it is left."""
        self._is_over, is_told, begun = True, False, time.monotonic()
        while not self._has_ended and (took_s := time.monotonic() - begun) < patience_s:
            if took_s > QUIET_S and not is_told:
                is_told = True
                self._on_report(Report(lines=(f"waiting for hooks, at most {patience_s:.0f} s",)))
            self._writer.finish(0.0)
            self._print_reports(0.1)
        self.stop(0.0)

    def stop(self, patience_s: float) -> None:
        """End it after the hook that runs, or after so long with that hook, unless it has been ended."""
        if self._output.closed:
            return
        self._is_over = True
        self._process.terminate()
        ends_at = time.monotonic() + patience_s
        while not self._has_ended and time.monotonic() < ends_at:
            self._print_reports(0.05)
        self._input.close()
        ends_at = time.monotonic() + SLACK_S
        while not self._has_ended and time.monotonic() < ends_at:
            self._print_reports(0.05)
        self._process.kill()
        self._process.wait()
        self._output.close()
        orphans.unregister(self._process.pid)
        if self._group is not None:
            self._group.remove()

    def _print_reports(self, patience_s: float) -> None:
        """Print the lines that the process reports within `patience_s`."""
        if self._has_ended:
            return
        try:
            data = os.read(self._output.fileno(), 1 << 16)
        except BlockingIOError:
            time.sleep(patience_s)
            return
        *lines, self._reported = (self._reported + data).split(b"\n")
        for line in lines:
            self._on_report(msgspec.json.decode(line, type=Report))
        if not data:
            self._has_ended = True
            if not self._is_over:
                self._on_report(Report(lines=(DIED,)))


def _least_share(pid: int) -> Group | None:
    """The control group that a process is put into, where the bots are in groups that compete for the cores."""
    groups = control_groups()
    if not isinstance(groups, Cgroups) or "share" not in groups.folders:
        return None
    group = None
    with contextlib.suppress(HostFault, OSError):
        group = groups.group(low_priority=True)
        for file in group.join_files():
            write(file, str(pid))
    return group
