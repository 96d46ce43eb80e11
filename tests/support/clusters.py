"""A Dask cluster on this machine, of processes as its users start them: a scheduler, and hosts with their folders."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from processes import PATIENCE_S, family, wait_until_gone

THREADS = 2
"""How many matches each host plays at a time."""

SOON = {
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s",
    "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "60s",
}
"""Dask's settings for those who do not want to wait for long until a network counts as cut."""


class Cluster:
    """A scheduler and its hosts. All processes live in the environment `mark`, and are gone after `close`."""

    def __init__(self, folder: Path, mark: dict[str, str]) -> None:
        self.folder, self._mark, self._env = folder, mark, os.environ | SOON | mark
        self.address = ""
        self.scheduler: subprocess.Popen[bytes]
        self.hosts: dict[str, subprocess.Popen[bytes]] = {}
        self._all: list[subprocess.Popen[bytes]] = []

    def start_scheduler(self, port: int = 0) -> None:
        """Start the scheduler, and wait until it says where it is."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--scheduler-file", str(file)
        )
        end = time.monotonic() + PATIENCE_S
        while not self.address or not file.exists():
            assert self.scheduler.poll() is None
            assert time.monotonic() < end
            with contextlib.suppress(OSError, ValueError):
                self.address = json.loads(file.read_text())["address"]
            select.select([], [], [], 0.02)

    def start_host(self, name: str, *words: str, **more: str) -> None:
        """Start a host with a nanny, as `dask worker` does. `more` is for its environment."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        env = {"GOLFREF_HOST": name, "GOLFREF_HOST_FOLDER": str(folder)} | more
        self.hosts[name] = self._start(
            "worker",
            self.address,
            *("--host", "127.0.0.1", "--no-dashboard", "--nthreads", str(THREADS), "--memory-limit", "0"),
            *("--local-directory", str(folder / "dask"), *words),
            **env,
        )

    def kill_host(self, name: str) -> None:
        """Kill all processes of dask and of ours on a host, as when it loses power."""
        for pid in family([self.hosts.pop(name).pid]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self, name: str, part: str) -> list[int]:
        """The processes of a host with this part in their command lines."""
        return [pid for pid, command in family([self.hosts[name].pid]).items() if part in command]

    def close(self) -> None:
        for process in self._all:
            process.terminate()
        for process in self._all:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
            process.kill()
            process.wait()
        wait_until_gone(self._mark)  # what a worker has started ends a moment after it

    def _start(self, what: str, *words: str, **env: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words]
        with (self.folder / "dask.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=self._env | env, cwd=self.folder)
        self._all.append(process)
        return process
