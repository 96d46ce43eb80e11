"""The session of a command on a cluster: from its address to hosts that are ready, and the processes of `local:N`."""

import contextlib
import json
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from typing import IO, Self
from uuid import uuid4

from distributed import Security
from msgspec.structs import replace

import referee
from referee.cluster.archives import CannotTravel, archives_of
from referee.cluster.host_link import HostLink
from referee.cluster.local import START
from referee.cluster.messages import on_one_line
from referee.cluster.patience import Patience
from referee.cluster.player import ClusterPlayer
from referee.cluster.where import BadCluster, ClusterFailed, Where
from referee.play.process import orphans
from referee.tournament.config.config import Config
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.store.store import Store
from referee.versions.version import traces_of

END_PATIENCE_S = 20.0
"""How long a cluster that was started here may take to end."""


class ClusterSession:
    """The hosts of a cluster, for as long as a command goes on."""

    def __init__(
        self,
        where: Where,
        *,
        jobs: int | None,
        workers: int | None,
        wait_s: float | None = None,
        tell: Callable[[str], None],
    ) -> None:
        """`jobs` is how many matches each dask worker plays at a time; None for as many as it has threads.

        `workers` is in how many processes; None for as many as one machine alone would. `wait_s` is for how long it
        waits for hosts where none can play what is left; None for as long as usual.
        """
        self._where, self._jobs, self._workers, self._wait_s, self._tell = where, jobs, workers, wait_s, tell
        self._stack = contextlib.ExitStack()
        self._archives = contextlib.ExitStack()
        self._prepared_for: object = None
        """All on which the archives and demands of the last preparation depend."""
        self._link: HostLink

    def __enter__(self) -> Self:
        """Connect. Raises ClusterFailed, and BadCluster where `local:N` lacks a library."""
        with contextlib.ExitStack() as stack:
            address, security = self._where.address, None
            if self._where.local:
                security = _security()
                address = stack.enter_context(_local(self._where.local, self._jobs, security))
            self._link = HostLink(address, self._tell, security)
            stack.callback(self._link.close)
            self._link.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._stack.close()
        finally:
            self._archives.close()

    @property
    def jobs(self) -> int:
        """How many matches the hosts that are there play at a time."""
        return max(1, sum(one.jobs for one in self._link.joined.values()))

    def prepare(self, config: Config) -> None:
        """Get the hosts ready for these bots, unless they are, and wait for them. Raises ClusterFailed."""
        wanted = _depends_on(config)
        if wanted == self._prepared_for:
            return
        kept = contextlib.ExitStack()
        try:
            archives = kept.enter_context(archives_of(config, jobs=self._jobs, workers=self._workers))
        except CannotTravel as error:
            raise ClusterFailed(str(error)) from None
        except OSError as error:
            raise ClusterFailed(f"there is no room for copies of the bots: {error.strerror}") from None
        self._link.prepare(f"golfref-{uuid4().hex[:12]}", archives)
        self._archives.close()
        self._archives, self._prepared_for = kept, wanted
        patience = Patience(self._tell, wait_s=self._wait_s, can_others_come=not self._where.local)
        self._link.await_hosts(self._where.local or 1, patience)
        self._tell_hosts()

    def player(self, dispatcher: Dispatcher, store: Store) -> ClusterPlayer:
        """What plays this dispatcher's matches, which are kept in this store."""
        return ClusterPlayer(dispatcher, store, self._link, wait_s=self._wait_s, tell=self._tell)

    def _tell_hosts(self) -> None:
        names = sorted({one.host.name for one in self._link.joined.values()})
        what = f"{len(names)} host{'s' * (len(names) != 1)}: {', '.join(names)}"
        self._tell(f"{what}; they play {self.jobs} {'match' if self.jobs == 1 else 'matches'} at a time")


def _depends_on(config: Config) -> object:
    """All on which a preparation for this config depends. The files of bots count by size and time of change."""
    own = [bot for bot in config.bots if bot.builtin is None and not bot.entry]
    return (
        replace(config.session_setup, bots=tuple(replace(bot, cell=None) for bot in config.bots)),
        config.entries,
        frozenset(trace for bot in own for trace in traces_of(bot, config.folder)),
        (config.trust, config.builds),
    )


def _security() -> Security:
    """A key and a certificate for one run, which travel by pipes. Raises BadCluster."""
    try:
        return Security.temporary()
    except ImportError:
        raise BadCluster(
            "--cluster local:N needs the library `cryptography`, which is not installed: pip install 'golfref[cluster]'"
        ) from None


@contextlib.contextmanager
def _local(hosts: int, jobs: int | None, security: Security) -> Iterator[str]:
    """The address of a cluster that is started here, and is gone after the block."""
    threads = jobs or max(1, (os.cpu_count() or 1) // hosts)
    root = str(Path(referee.__file__).resolve().parent.parent)
    command = [sys.executable, "-P", "-c", START, root, str(hosts), str(threads)]
    with tempfile.TemporaryFile() as log:
        try:
            process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=log, start_new_session=True)
        except OSError as error:
            raise ClusterFailed(f"this machine cannot start a cluster: {error.strerror}") from None
        with _address_of(process, security, log) as address:
            yield address


@contextlib.contextmanager
def _address_of(process: Popen[bytes], security: Security, log: IO[bytes]) -> Iterator[str]:
    """The address that the process prints once its cluster is there. It is gone after the block."""
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("a process without its pipes")
    orphans.register(process.pid)
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(pickle.dumps(security))
            process.stdin.flush()
        if not (line := process.stdout.readline()):
            log.seek(0)
            lines = log.read().decode(errors="replace").splitlines() or ["its process has ended"]
            raise ClusterFailed(f"this machine cannot start a cluster: {on_one_line(lines[-1])}")
        yield json.loads(line)
    finally:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        with contextlib.suppress(TimeoutExpired):
            process.wait(END_PATIENCE_S)
        process.kill()
        process.wait()
        process.stdout.close()
        orphans.unregister(process.pid)
