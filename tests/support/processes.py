"""Processes of a test: a mark in their environment, by which a bot and all that it starts can be found again."""

import contextlib
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
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
