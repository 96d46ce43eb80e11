"""A cluster on this machine, for trying out: a scheduler and its workers, in processes that end with whoever asked.

It runs in a process of its own. It says the scheduler's address on standard output, and ends all when its input ends.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import dask
from distributed import Nanny, Scheduler, SpecCluster

START = "import sys; sys.path.insert(0, sys.argv[1]); from referee.cluster.local import main; main()"
"""What the interpreter is told to run."""

FRUGAL = {
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Dask's settings here. Otherwise every dask process looks at itself up to a hundred times a second, on the cores that
matches are played on."""


def main() -> None:
    """Start a cluster of so many hosts with so many jobs each, and keep it until the input ends."""
    hosts, jobs = int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="golfref-cluster-") as folder:
        asyncio.run(_keep(hosts, jobs, Path(folder)))


async def _keep(hosts: int, jobs: int, folder: Path) -> None:
    names = [f"local-{number}" for number in range(1, hosts + 1)]
    with dask.config.set(FRUGAL):
        spec = {
            name: {
                "cls": Nanny,
                "options": {
                    "nthreads": jobs,
                    "host": "127.0.0.1",
                    "dashboard": False,
                    "local_directory": str(folder),
                    "memory_limit": 0,
                    "env": {"GOLFREF_HOST": name},
                },
            }
            for name in names
        }
        scheduler = {"cls": Scheduler, "options": {"host": "127.0.0.1", "port": 0, "dashboard": False}}
        async with SpecCluster(workers=spec, scheduler=scheduler, asynchronous=True, silence_logs=50) as cluster:
            print(json.dumps(cluster.scheduler_address), flush=True)
            await asyncio.to_thread(sys.stdin.buffer.read)
