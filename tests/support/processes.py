"""Processes of a test: a mark in their environment, by which a bot and all that it starts can be found again."""

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

PATIENCE_S = 100.0
"""A process ends within this time once its referee is gone, on a host with a lot else to do too."""

Marked = Callable[[], dict[int, str]]
"""What the fixture `marked` gives: command lines by process id."""

_STARTS = frozenset({"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})
"""What Python's audit hooks call the start of a process."""

_forbidden = threading.Event()


@contextlib.contextmanager
def no_processes() -> Iterator[None]:
    """Within this, to start a process is an error."""
    _forbidden.set()
    try:
        yield
    finally:
        _forbidden.clear()


def _refuse(event: str, _: object) -> None:
    if event in _STARTS and _forbidden.is_set():
        pytest.fail("starts a process: mark the test `process`, or add its folder to MARKS in tests/conftest.py")


sys.addaudithook(_refuse)


def marked_processes(mark: dict[str, str]) -> dict[int, str]:
    """The command lines of the processes that live in this environment, by process id; none where there is no /proc."""
    (entry,) = (f"{name}={value}".encode() for name, value in mark.items())
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()[:200]
    return found


def family(pids: Iterable[int]) -> dict[int, str]:
    """The command lines of the processes and of all that they started, by process id.

    Programs that write over their environment, as Chromium's do, lose its mark.
    """
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found: dict[int, str] = {}
    rest = list(pids)
    while rest:
        pid = rest.pop()
        with contextlib.suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            rest += children.get(pid, [])
    return found


class Watch:
    """Tells which of these processes outlive what is done within it, and kills them."""

    def __init__(self, processes: dict[int, str]) -> None:
        self._commands = {}
        for pid, command in processes.items():
            with contextlib.suppress(ProcessLookupError):
                self._commands[os.pidfd_open(pid)] = command

    def end(self) -> list[str]:
        """The command lines of those that still live after PATIENCE_S; they are dead afterwards."""
        end = time.monotonic() + PATIENCE_S
        left = []
        for fd, command in self._commands.items():
            if not select.select([fd], [], [], max(0.0, end - time.monotonic()))[0]:
                left.append(command)
                signal.pidfd_send_signal(fd, signal.SIGKILL)
            os.close(fd)
        return left


def wait_until_gone(mark: dict[str, str]) -> None:
    """Return once no process lives in this environment any more, or after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while (left := marked_processes(mark)) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                fd = os.pidfd_open(pid)
                select.select([fd], [], [], max(0.0, end - time.monotonic()))
                os.close(fd)


def kill(pids: dict[int, str]) -> None:
    """Kill those of the processes that still live."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
