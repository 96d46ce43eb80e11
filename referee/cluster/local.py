"""A cluster on this machine, for trying out: a scheduler and its workers, in processes that end with whoever asked.

It runs in a process of its own. It reads the certificates from its input, writes the scheduler's address to its output,
and ends all when its input ends. Nothing is served without TLS: Dask's HTTP servers, which have none, are stopped.
"""

import asyncio
import json
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import dask
from distributed import Nanny, Scheduler, Security, SpecCluster

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.cluster.local import main; main()"
"""The program for the interpreter; its words are the folder of this installation, and those of `main`."""

SETTINGS = {
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.scheduler.preload": [__name__],
    "distributed.worker.preload": [__name__],
}
"""Dask's settings here. By default every dask process looks at itself up to a hundred times a second, on the cores that
matches are played on, and serves pages that anybody may read. It also imports from a folder below the one for temporary
files, which another user may have made, so that it has one of ours."""


def main() -> None:
    """Start a cluster of so many hosts with so many jobs each, and keep it until the input ends."""
    hosts, jobs = int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="golfref-cluster-") as folder:
        security = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
        asyncio.run(_keep(hosts, jobs, Path(folder), security))


def dask_setup(server: Any) -> None:
    """Dask calls this in each scheduler and worker that it starts here: stop its HTTP server."""
    server.http_server.stop()


async def _keep(hosts: int, jobs: int, folder: Path, security: Security) -> None:
    names = [f"local-{number}" for number in range(1, hosts + 1)]
    with dask.config.set({**SETTINGS, "temporary-directory": str(folder)}):
        spec = {
            name: {
                "cls": Nanny,
                "options": {
                    "nthreads": jobs,
                    "host": "127.0.0.1",
                    "protocol": "tls",
                    "security": security,
                    "dashboard": False,
                    "memory_limit": 0,
                    "env": {"GOLFREF_HOST": name},
                },
            }
            for name in names
        }
        options = {"host": "127.0.0.1", "port": 0, "protocol": "tls", "security": security, "dashboard": False}
        scheduler = {"cls": Scheduler, "options": options}
        async with SpecCluster(
            workers=spec, scheduler=scheduler, security=security, asynchronous=True, silence_logs=50
        ) as cluster:
            print(json.dumps(cluster.scheduler_address), flush=True)
            await asyncio.to_thread(sys.stdin.buffer.read)
