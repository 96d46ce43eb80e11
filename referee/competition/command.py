"""One command of the organiser's: it is given a line, may take so long, and is ended with all that it started.

This module must not know what the command is for.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import IO

from referee.play.process.usage import own_children
from referee.play.sandbox.low_priority import set_session_priority

KEPT_BYTES = 4096
"""Of what a command prints the end is kept, so much of it."""

LONGEST_DEATH_S = 2.0
"""Killed processes need a core to die. It is not waited for longer than this."""

_POLL_INTERVAL_S = 0.05


class RunningCommand:
    """A command that runs. Whoever starts it may have no other children."""

    def __init__(self, command: Sequence[str], *, folder: str, env: Mapping[str, str], gives_way: bool) -> None:
        """Start it in this folder, with the least share of the cores if it `gives_way`. Raises OSError."""
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=env,
            start_new_session=True,
            bufsize=0,
        )
        self._input, self._output = _end_of(self._process.stdin), _end_of(self._process.stdout)
        self._printed = b""
        if gives_way:
            set_session_priority(self._process.pid, is_low=True)

    def attend(self, line: bytes, left_s: Callable[[], float]) -> tuple[int | None, bytes]:
        """Give it this line, and read what it prints, until it ends or its time is over. Nothing of it lives on.

        `left_s` is asked again and again how many seconds it has left. Returns its exit code, None where it had to be
        killed; and the end of what it printed.
        """
        with self._input, self._output, DefaultSelector() as selector:
            try:
                has_ended = self._talk(selector, memoryview(line), left_s)
            finally:
                self._kill()
        return self._process.returncode if has_ended else None, self._printed

    def _talk(self, selector: DefaultSelector, rest: memoryview, left_s: Callable[[], float]) -> bool:
        """Write the line and read what is printed until the command ends. Returns whether it has, in time."""
        for pipe, events in ((self._input, EVENT_WRITE), (self._output, EVENT_READ)):
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, events)
        while True:
            has_ended = self._process.poll() is not None  # before the last look, so that nothing of it is missed
            look_s = 0.0 if has_ended else max(0.0, min(_POLL_INTERVAL_S, left_s()))
            if not selector.get_map():
                self._wait(look_s)
            ready = {key.fileobj for key, _ in selector.select(look_s)} if selector.get_map() else set()
            if self._input in ready:
                rest = _written(self._input, rest)
                if not rest:
                    selector.unregister(self._input)
                    self._input.close()
            has_printed = self._output in ready and self._read()
            if self._output in ready and not has_printed:
                selector.unregister(self._output)
            if (has_ended and not has_printed) or left_s() <= 0:
                return has_ended

    def _read(self) -> bool:
        """Read some of what it prints, and keep the end. Returns whether there was any."""
        data = os.read(self._output.fileno(), 1 << 16)
        self._printed = (self._printed + data)[-KEPT_BYTES:]
        return bool(data)

    def _wait(self, seconds: float) -> None:
        """Wait until it has ended, for so long."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def _kill(self) -> None:
        """End it with all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        kill_children()


def _written(pipe: IO[bytes], rest: memoryview) -> memoryview:
    """What is left of a line after some more of it was written: nothing where nobody reads it."""
    with contextlib.suppress(OSError):
        return rest[os.write(pipe.fileno(), rest) :]
    return memoryview(b"")


def kill_children() -> None:
    """Kill all children of this process, also those that are inherited from one that has ended."""
    end = time.monotonic() + LONGEST_DEATH_S
    while (children := own_children()) and time.monotonic() < end:
        for pid in children:
            for kill in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.002)


def _end_of(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("a process without its pipes")
    return pipe
