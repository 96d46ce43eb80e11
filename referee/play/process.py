"""One bot's process: how it is started, bounded, stopped and reaped. POSIX; knows nothing of the protocol.

Started from the main thread, in a session of its own, so that one signal reaches everything it started. On Linux
the referee is the subreaper of its descendants: what left the bot's group is inherited, found and ended too.
"""

import contextlib
import ctypes
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import trio
from msgspec import Struct

from referee.play import watchman
from referee.play.bots import BotSpec, Confinement
from referee.play.exchange import HostFault

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
"""The referee's environment variables that a bot gets; its own `env` is added."""

FAREWELL_S = 0.5
"""How long a bot may take to end by itself once its input has ended."""

_LIMITS = "ulimit -c 0; ulimit -f 200000; ulimit -n 256; ulimit -d 4000000"
"""The level `limits`: no core files, files of 100 MB, 256 open files, 4 GB of data."""


_HOST_TROUBLE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN})
"""Reasons for which a process cannot be started that are no bot's fault."""


class StartFailed(Exception):
    """The process could not be started; the text says why."""


class Stderr(Struct):
    """The kept start of a bot's standard error, and how much there was in all."""

    limit_bytes: int
    kept: bytearray
    total: int = 0

    def add(self, data: bytes) -> None:
        """Keep what still fits, count all."""
        self.kept += data[: max(0, self.limit_bytes - len(self.kept))]
        self.total += len(data)

    def text(self) -> str:
        """What was kept, as text."""
        return self.kept.decode("utf-8", "replace")


class BotProcess:
    """A running bot. Its three pipes are non-blocking file descriptors: `stdin`, `stdout`, `stderr`."""

    def __init__(self, spec: BotSpec, confinement: Confinement) -> None:
        """Starts the process; raises StartFailed, and HostFault where it is the host that cannot."""
        command = list(spec.command)
        if confinement.isolation == "limits":
            command = ["/bin/sh", "-c", f'{_LIMITS}; exec "$@"', "sh", *command]
        try:
            self._popen = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=spec.dir,
                env=environment(spec),
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in _HOST_TROUBLE:
                raise HostFault(f"the host cannot start another process: {error.strerror}") from None
            raise StartFailed(f"cannot start {spec.command[0]}: {error}") from None
        self.pid = self._popen.pid
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in pipes if pipe is not None)
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)

    def exit_status(self) -> str | None:
        """How the process ended, in words, or None while it runs."""
        code = self._popen.poll()
        if code is None:
            return None
        if code >= 0:
            return f"exited with code {code}"
        with contextlib.suppress(ValueError):
            return f"killed by {signal.Signals(-code).name}"
        return f"killed by signal {-code}"

    def freeze(self) -> None:
        """Stop everything in the bot's process group until `thaw`."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the process group go on."""
        self._signal(signal.SIGCONT)

    def close_stdin(self) -> None:
        """Tell the bot that nothing more will come."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def kill(self) -> None:
        """End the whole process group at once."""
        self._signal(signal.SIGKILL)

    async def stop(self, *, patience_s: float, drain: Callable[[], None]) -> None:
        """End of input, then after `patience_s` SIGKILL for the group; the process is reaped when this returns.

        `drain` is called to read what the bot still writes to standard error.
        """
        self.close_stdin()
        end = trio.current_time() + patience_s
        while self._popen.poll() is None and trio.current_time() < end:
            drain()
            await trio.sleep(0.002)
        self.kill()
        while self._popen.poll() is None:
            await trio.sleep(0.001)
        drain()
        for pipe in (self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()
        _OURS.discard(self.pid)
        watchman.ended(self.pid)

    def _signal(self, number: signal.Signals) -> None:
        # The group outlives its leader while a grandchild is in it; its number is not reused before that is gone.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


_PR_SET_CHILD_SUBREAPER = 36
_inherits = False

_OURS: set[int] = set()
"""The processes that we started and have not reaped."""


def environment(spec: BotSpec) -> dict[str, str]:
    """A bot's whole environment: a few variables of the referee's, and its own."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ} | spec.env


def start(spec: BotSpec, confinement: Confinement) -> BotProcess:
    """Start a bot from the main thread; raises StartFailed and HostFault."""
    process = BotProcess(spec, confinement)
    _OURS.add(process.pid)
    watchman.begun(process.pid)
    return process


@contextlib.contextmanager
def nothing_left_behind() -> Iterator[None]:
    """For a process whose only children are bots: while this holds, they and what they start end with it at the latest.

    On Linux it inherits the orphans of its bots (elsewhere they go to init), and `end_orphans` kills every other child.
    """
    with watchman.watchman() as pid:
        _OURS.add(pid)
        _become_subreaper()
        try:
            yield
        finally:
            _OURS.discard(pid)


def _become_subreaper() -> None:
    global _inherits  # noqa: PLW0603 - it is a property of the process
    if sys.platform == "linux":
        _inherits = ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def end_orphans() -> None:
    """Kill and reap inherited descendants of bots that have been stopped; nothing outside `nothing_left_behind`.

    What is in the session of a bot that still plays is that bot's; it is ended with it.
    """
    end = time.monotonic() + 1.0
    while _inherits and (orphans := _orphans()) and time.monotonic() < end:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _orphans() -> set[int]:
    return {pid for pid in _children() - _OURS if _session(pid) not in _OURS}


def _session(pid: int) -> int | None:
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(pid)
    return None


def _children() -> set[int]:
    children: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            children |= {int(pid) for pid in task.read_text().split()}
    return children
