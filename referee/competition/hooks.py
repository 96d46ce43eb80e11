"""The hooks of a run, seen from the process that plays: they are told what happens, and are never waited for.

A process of the lowest priority runs them (hook_process.py). At the end it has a bounded time for what still waits.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

import referee
from referee.competition.happenings import End, Happening
from referee.competition.hook_cursor import Cursor, cursor_file, read_cursor, write_cursor
from referee.competition.hook_process import (
    INTERRUPTED,
    LONGEST_LAST_S,
    REST_S,
    START,
    Failed,
    HookOrder,
    HookReport,
    HooksEnded,
    Tally,
)
from referee.competition.outflow import Outflow
from referee.play.faults import HostFault
from referee.play.process import orphans
from referee.play.process.process import control_groups
from referee.play.sandbox.cgroups import Cgroups, Group
from referee.play.sandbox.system_info import write
from referee.tournament.config.config import Config
from referee.tournament.store.store import Store

END_PATIENCE_S = 5.0
"""After its time is over, the process has so long to end the hook that runs and itself."""

SLACK_S = 3.0
"""The process has so long to start and to end besides."""

PATIENCE_UNTOLD_S = 1.0
"""If it takes longer than this to deal with the rest, that is told."""


class HooksRefused(Exception):
    """The process that runs hooks cannot be started. The text says why."""


class RunningHooks:
    """The hooks of a run, until it ends. `close` must be called at the end; nothing of them is left after it."""

    def __init__(self, config: Config, store: Path, say: Callable[[str], None]) -> None:
        """Start the process. `say` tells a line to the organiser. Raises HooksRefused."""
        self._hooks, self._say, self._path = config.hooks, say, store
        self._old: Cursor | None = None
        """How far the hooks had come before the run went on."""
        order = HookOrder(hooks=config.hooks, folder=config.folder, store=str(store.absolute()))
        root = str(Path(referee.__file__).resolve().parent.parent)
        command = [sys.executable, "-P", "-c", START, root, msgspec.json.encode(order).decode()]
        try:
            self._process = subprocess.Popen(
                command,
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
        self._group = None if config.isolation == "none" else _least_share(self._process.pid)
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._outflow = Outflow(self._input.fileno())
        self._read = b""
        self._ended: HooksEnded | None = None
        self._is_dead = False

    def go_on(self, store: Store) -> Cursor | None:
        """From where the hooks are to be told what the store holds already; None where they have been told all of it.

        They have where this is asked for the second time, as a ladder does. Raises HooksRefused.
        """
        if self._old is not None:
            return None
        void = max((id_ for id_, _ in store.voids()), default=0)
        now = Cursor(commitment=store.meta().commitment, commit=store.last_id() + 1, void=void)
        found = read_cursor(self._path) or now
        is_of_another = found.commitment != now.commitment or found.commit > now.commit or found.void > now.void
        self._old = found = now if is_of_another else found
        try:
            write_cursor(self._path, found)
        except OSError as error:
            raise HooksRefused(f"{cursor_file(self._path)}: cannot be written: {error.strerror}") from None
        return found

    def put(self, happening: Happening) -> None:
        """Tell the hooks what happened, and the organiser what they report. Returns at once."""
        if not isinstance(happening, End):
            self._outflow.put(happening)
            self._hear()

    def finish(self, end: End) -> None:
        """Tell them the end, and give them a bounded time for what waits. Then say what became of them."""
        begun = time.monotonic()
        rest_s = 0.0 if end.code == INTERRUPTED else REST_S
        most_s = rest_s + 2 * min(self._hooks.timeout_s, LONGEST_LAST_S) + SLACK_S
        self._outflow.put(end)
        is_told = False
        while not self._ended and not self._is_dead and (took_s := time.monotonic() - begun) < most_s:
            self._outflow.finish(0.0)
            if took_s > PATIENCE_UNTOLD_S and not is_told:
                is_told = True
                self._say(f"waiting for hooks, at most {most_s:.0f} s")
            self._hear(0.1)
        if not self._ended:
            self._input.close()
            end_s = time.monotonic() + END_PATIENCE_S
            while not self._ended and not self._is_dead and time.monotonic() < end_s:
                self._hear(0.1)
        self._tell_all()

    def close(self) -> None:
        """End the process with the hook that runs, if it has not ended by itself."""
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            self._process.wait(END_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
        orphans.unregister(self._process.pid)
        if self._group is not None:
            self._group.remove()

    def _hear(self, patience_s: float = 0.0) -> None:
        """Take in what the process reports within `patience_s`."""
        if self._is_dead:
            return
        try:
            data = os.read(self._output.fileno(), 1 << 16)
        except BlockingIOError:
            if patience_s:
                time.sleep(patience_s)
            return
        if not data:
            self._is_dead = True
            if self._ended is None:
                self._say("golfref: the process that runs hooks has died; the run goes on without them")
            return
        *lines, self._read = (self._read + data).split(b"\n")
        for line in lines:
            report: HookReport = msgspec.json.decode(line, type=HookReport)
            if isinstance(report, Failed):
                how, *printed = report.lines
                self._say(f"hook {report.hook} {how}")
                for text in printed:
                    self._say(text)
            else:
                self._ended = report

    def _tell_all(self) -> None:
        """Say what became of the hooks that failed or were left out."""
        if self._ended is None and not self._is_dead:
            self._say("golfref: the process that runs hooks did not end in time, and is killed")
        for tally in self._ended.tallies if self._ended is not None else ():
            if words := _in_words(tally):
                self._say(words)
        if lost := self._outflow.left_out:
            self._say(f"hooks were not told of {lost} happenings: the process that runs them had no time to read")


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


def _in_words(tally: Tally) -> str:
    """What became of a hook. Empty where nothing went wrong."""
    words = []
    if tally.failed:
        words.append(f"failed {tally.failed} of {tally.runs} times: it {tally.how}")
    if tally.left_out:
        many = f"{tally.left_out} time{'s' * (tally.left_out != 1)}"
        words.append(f"was left out {many}, because it takes longer than what it is told of")
    if tally.waiting:
        words.append(f"has not been run for the last {tally.waiting}: the same command does that")
    return f"hook {tally.hook} {'; it '.join(words)}" if words else ""
