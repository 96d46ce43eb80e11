"""Processes of a test: a mark in their environment, by which a bot and all that it starts can be found again."""

import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

PATIENCE_S = 40.0
"""A process ends within this time once its referee is gone, on a host with a lot else to do too."""

Marked = Callable[[], dict[int, str]]
"""What the fixture `marked` gives: command lines by process id."""


def marked_processes(mark: dict[str, str]) -> dict[int, str]:
    """The command lines of the processes that live in this environment, by process id."""
    (entry,) = (f"{name}={value}".encode() for name, value in mark.items())
    found = {}
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            # psutil would read the environment as text, which a bot's need not be
            if entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found[pid] = " ".join(psutil.Process(pid).cmdline())[:200]
    return found


def family(pids: Iterable[int]) -> dict[int, str]:
    """The command lines of the processes and of all that they started, by process id.

    Programs that write over their environment, as Chromium's do, lose its mark.
    """
    found: dict[int, str] = {}
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            first = psutil.Process(pid)
            for process in (first, *first.children(recursive=True)):
                found[process.pid] = " ".join(process.cmdline())
    return found


class Watch:
    """Sees which of these processes outlive what is done within it, and kills them."""

    def __init__(self, processes: dict[int, str]) -> None:
        self._commands = {}
        for pid, command in processes.items():
            with contextlib.suppress(psutil.NoSuchProcess):
                self._commands[psutil.Process(pid)] = command

    def end(self) -> list[str]:
        """The command lines of those that still live after PATIENCE_S; they are dead afterwards."""
        _, left = psutil.wait_procs(list(self._commands), PATIENCE_S)
        kill(one.pid for one in left)
        return [self._commands[one] for one in left]


def wait_until_gone(mark: dict[str, str]) -> None:
    """Return once no process lives in this environment any more, or after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while (left := marked_processes(mark)) and time.monotonic() < end:
        gone = []
        for pid in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                gone.append(psutil.Process(pid))
        psutil.wait_procs(gone, max(0.0, end - time.monotonic()))


def kill(pids: Iterable[int]) -> None:
    """Kill those of the processes that still live."""
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(pid).kill()
