"""The link to the hosts, a Dask client in a thread with a loop of its own: sends jobs, and passes on what happens."""

import asyncio
import contextlib
import logging
import ssl
import threading
import warnings
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future as Promise
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
from distributed import Client, Security

from referee.cluster.archives import BotArchives
from referee.cluster.messages import (
    Came,
    Gone,
    Happening,
    Lacks,
    LeftOut,
    Line,
    Listener,
    Lost,
    News,
    Outcome,
    Piece,
    Ready,
    Returned,
    encoded,
    news,
    on_one_line,
)
from referee.cluster.patience import Absence, Patience
from referee.cluster.plugin import Hidden, RunPlugin, become_host, end_hosts, give, play
from referee.cluster.probe import check_scheduler, why_left_out
from referee.cluster.where import ClusterFailed
from referee.tournament.orders import Job
from referee.tournament.run.this_host import host_name

CONNECT_S = 15.0
"""How long a scheduler that does not answer is waited for."""

PREPARE_S = 60.0
"""How long the scheduler may take until it knows of a run."""

POLL_INTERVAL_S = 0.1
"""Seconds between two looks at whether the scheduler is still there."""

END_S = 20.0
"""How long the hosts may take at the end until all that the run has started there is gone."""

_Host = TypeVar("_Host", Ready, LeftOut)

_OUTCOME = msgspec.msgpack.Decoder(Outcome)


class HostLink:
    """A connection to a cluster, from `start` to `close`, and the dask workers that are ready to play for this run."""

    def __init__(self, address: str, tell: Callable[[str], None], security: Security | None = None) -> None:
        """`tell` prints a line for the organiser, from any thread. `security`: in place of Dask's settings of TLS."""
        self._address, self._tell_person, self._security = address, tell, security
        self.joined: Mapping[str, Ready] = {}
        """The dask workers that play, by address. The link's thread replaces it, and never changes it."""
        self.left_out: Mapping[str, LeftOut] = {}
        """Those that do not, by address. It is replaced likewise."""
        self._lost_some = False
        """Whether a dask worker that played has gone. It may come again."""
        self._awaited: set[str] = set()
        """The dask workers that have not reported yet whether they play."""
        self._changed = threading.Condition()
        """Is notified when one of these three changes, or the scheduler is gone."""
        self._listener: Listener | None = None
        self._lost: Lost | None = None
        self._run = ""
        self._archives: BotArchives | None = None
        self._demands = Hidden(b"")
        self._connected: Promise[tuple[asyncio.AbstractEventLoop, asyncio.Event, Client]] = Promise()
        self._tasks: set[asyncio.Task[None]] = set()
        self._playing: dict[int, asyncio.Task[None]] = {}
        """By id of a job that is out, what waits for it."""
        self._thread = threading.Thread(target=self._main, name="dask client", daemon=True)

    def start(self) -> None:
        """Connect. Raises ClusterFailed."""
        self._thread.start()
        self._connected.result()

    def prepare(self, run: str, archives: BotArchives) -> None:
        """Make every dask worker that is there, or comes later, a host of a run of this name. Raises ClusterFailed.

        The name is that of the hosts' resource, and of the topic of their news. What they were before ends.
        """
        self._result(self._prepare(run, archives))

    @property
    def absence(self) -> Absence:
        """Why no host plays, as long as none does."""
        if self._awaited or self.joined:
            return Absence.NOT_READY
        return Absence.LEFT_OUT if self.left_out and not self._lost_some else Absence.NOBODY

    def await_hosts(self, least: int, patience: Patience) -> None:
        """Wait until all dask workers that are there have reported whether they play, at least so many of them.

        Raises ClusterFailed where none plays and `patience` ends, or the scheduler goes.
        """
        with self._changed:
            while self._awaited or len(self.joined) + len(self.left_out) < least or not self.joined:
                if self._lost is not None:
                    raise ClusterFailed(self._lost.reason)
                if not (left_s := patience.left_s(self.absence)):
                    break
                self._changed.wait(min(left_s, 1.0))
        if not self.joined:
            raise ClusterFailed(f"{self._address}: {patience.why}")

    def listen(self, listener: Listener | None) -> None:
        """Pass what happens from now on to this listener, in the link's thread; with None to no one."""
        self._listener = listener
        if listener is not None and self._lost is not None:
            listener(self._lost)

    def play(self, job: Job) -> None:
        """Have a job played. May be called in any thread."""
        loop, _, client = self._connected.result()
        with contextlib.suppress(RuntimeError):  # the loop has ended, and the listener has got a Lost
            loop.call_soon_threadsafe(self._begin, client, job)

    def forget(self, *ids: int) -> None:
        """Have these jobs played no longer; the listener gets nothing of them. May be called in any thread."""
        loop, _, _ = self._connected.result()
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._forget, ids)

    def close(self) -> None:
        """End all that the run has on the hosts, and the connection."""
        if self._connected.done() and self._connected.exception() is None:
            loop, stop, _ = self._connected.result()
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(stop.set)
            self._thread.join(2 * END_S)

    def _result(self, work: Coroutine[Any, Any, None]) -> None:
        """Do this in the link's thread. Raises ClusterFailed where the cluster does not take part."""
        loop, _, _ = self._connected.result()
        try:
            asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, PREPARE_S), loop).result()
        except ClusterFailed:
            raise
        except Exception as error:
            raise ClusterFailed(_why(self._address, error)) from None

    # In the link's thread

    def _main(self) -> None:
        _silence()
        try:
            asyncio.run(self._connect())
        except BaseException as error:
            self._not_connected(error)

    def _not_connected(self, error: BaseException) -> None:
        if not self._connected.done():
            self._connected.set_exception(ClusterFailed(_why(self._address, error)))

    async def _connect(self) -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        client = Client(
            self._address,
            asynchronous=True,
            timeout=CONNECT_S,
            set_as_default=False,
            name="golfref",
            security=self._security,
        )
        connecting = asyncio.ensure_future(client)
        await asyncio.wait({connecting}, timeout=CONNECT_S)  # unlike wait_for this does not wait until it is cancelled
        if (error := connecting.exception() if connecting.done() else TimeoutError()) is not None:
            self._not_connected(error)
            return
        self._connected.set_result((loop, stop, client))
        try:
            await self._until_over(client, stop)
        finally:
            for task in self._tasks:
                task.cancel()
            if client.status == "running":
                await self._end_hosts(client)
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.close(), END_S)

    async def _until_over(self, client: Client, stop: asyncio.Event) -> None:
        """Wait until the run ends, or the scheduler is gone."""
        while client.status == "running":
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), POLL_INTERVAL_S)
                return
        self._lose(f"the scheduler at {self._address} is gone, or cannot be reached any more")
        client._timeout = 0  # it need not look for a scheduler any longer

    def _lose(self, reason: str) -> None:
        """Nothing more can be played."""
        with self._changed:
            self._lost = Lost(reason=reason)
            self._changed.notify_all()
        self._tell(self._lost)

    async def _prepare(self, run: str, archives: BotArchives) -> None:
        _, _, client = self._connected.result()
        await self._end_hosts(client)
        with self._changed:
            self.joined, self.left_out = {}, {}
            self._awaited.clear()
            self._lost_some = False
            self._run, self._archives, self._demands = run, archives, Hidden(encoded(archives.demands))
        client.subscribe_topic(run, self._heard)
        if lacking := await check_scheduler(client):
            raise ClusterFailed(f"the Dask scheduler at {self._address} cannot be used: {lacking}")
        await client.register_plugin(RunPlugin(client.id, run))
        for address, told in (await client.scheduler.identity(n_workers=-1))["workers"].items():
            if told["status"] != "closing":
                self._happened(Came(address=address))

    async def _end_hosts(self, client: Client) -> None:
        if self._run:
            with contextlib.suppress(Exception):  # they end with the connection at the latest
                client.unsubscribe_topic(self._run)
                await asyncio.wait_for(client.run_on_scheduler(end_hosts, self._run), END_S)

    def _heard(self, event: tuple[float, bytes]) -> None:
        try:
            happening = news(event[1])
        except msgspec.MsgspecError:
            return  # nothing that a host of ours sends
        if isinstance(happening, Lacks):
            self._go(self._send_archives(happening))
        elif isinstance(happening, Line):
            self._tell_person(f"{happening.host}: {happening.text}")
        else:
            self._happened(happening)

    def _happened(self, happening: News) -> None:
        if isinstance(happening, Came | Ready | LeftOut | Gone):
            with self._changed:
                self._note(happening)
                self._changed.notify_all()
        self._tell(happening)

    def _note(self, happening: Came | Ready | LeftOut | Gone) -> None:
        address = happening.address
        if isinstance(happening, Came):
            if address not in self._awaited:  # one that comes just when a run begins is reported twice
                self._awaited.add(address)
                self._go(self._make_host(self._run, self._demands, address))
            return
        self._awaited.discard(address)
        self._lost_some |= isinstance(happening, Gone) and address in self.joined
        self.joined = _without(self.joined, address)
        self.left_out = _without(self.left_out, address)
        if isinstance(happening, Ready):
            self.joined = {**self.joined, address: happening}
        elif isinstance(happening, LeftOut):
            self.left_out = {**self.left_out, address: happening}
            self._tell_person(happening.in_words)

    async def _make_host(self, run: str, demands: Hidden, address: str) -> None:
        """Make a dask worker a host of a run, or leave it out."""
        _, _, client = self._connected.result()
        try:
            if (left_out := await why_left_out(client, address)) is not None:
                self._happened(left_out)
            elif run == self._run:
                await client.run(become_host, run, demands, workers=[address])
        except Exception as error:
            await self._leave_out(client, run, address, error)

    async def _leave_out(self, client: Client, run: str, address: str, error: Exception) -> None:
        """Leave a dask worker out of a run, because it could not be sent something, unless it has gone."""
        with contextlib.suppress(Exception):  # the scheduler is gone, which is reported once
            there = (await client.scheduler.identity(n_workers=-1))["workers"]
            if address in there and run == self._run:
                name = host_name(str(there[address]["name"]))
                reason = on_one_line(f"the desk cannot send it what it needs: {type(error).__name__}: {error}")
                self._happened(LeftOut(address=address, host=name, reason=reason))

    def _tell(self, happening: Happening) -> None:
        if self._listener is not None:
            self._listener(happening)

    def _go(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _begin(self, client: Client, job: Job) -> None:
        self._playing[job.id] = self._go(self._played(client, job))

    def _forget(self, ids: Sequence[int]) -> None:
        for id_ in ids:
            if (task := self._playing.pop(id_, None)) is not None:
                task.cancel()

    async def _send_archives(self, lacking: Lacks) -> None:
        """Send a host what it lacks, piece by piece."""
        _, _, client = self._connected.result()
        run, archives = self._run, self._archives
        if archives is None:
            return
        for archive in lacking.archives:
            pieces, data = archives.pieces(archive), b"begin"
            while data:
                try:
                    data = await asyncio.to_thread(next, pieces, b"")
                except OSError as error:
                    if run != self._run:
                        return
                    self._lose(f"the bots' files cannot be read to send them: {error}")
                    return
                piece = Hidden(encoded(Piece(archive=archive, data=data)))
                try:
                    await client.run(give, run, piece, workers=[lacking.address])
                except Exception as error:
                    await self._leave_out(client, run, lacking.address, error)
                    return

    async def _played(self, client: Client, job: Job) -> None:
        """Have a job played, and pass on what came of it."""
        key = f"{self._run}-{uuid4().hex}"
        future = client.submit(
            play,
            self._run,
            key,
            Hidden(encoded(job)),
            key=key,
            workers=self._addresses(job.host),
            resources={self._run: 1},
            pure=False,
        )
        try:
            outcome = _OUTCOME.decode(await future)
        except Exception as error:
            if client.status == "running":  # else all of it is lost, which is reported once
                self._tell(Returned(id=job.id, reason=f"{type(error).__name__}: {error}"))
        else:
            self._tell(outcome)
        finally:
            self._playing.pop(job.id, None)
            future.release()

    def _addresses(self, host: str) -> Sequence[str] | None:
        """The dask workers of a host. None where any may play."""
        return [one.address for one in self.joined.values() if one.host.name == host] if host else None


def _without(hosts: Mapping[str, _Host], address: str) -> Mapping[str, _Host]:
    return {other: one for other, one in hosts.items() if other != address}


def _why(address: str, error: BaseException) -> str:
    """Why there is no connection, in a sentence."""
    cause = error.__cause__ or error
    is_of_tls = isinstance(cause, ssl.SSLError | ConnectionResetError | FileNotFoundError)
    if is_of_tls or any(word in str(error) for word in ("ssl_context", "encryption required")):
        return (
            f"the desk and the Dask scheduler at {address} do not agree on TLS ({cause}): use tls:// if the scheduler "
            "was started with --protocol tls, and certificates of one authority in Dask's settings on both sides; see "
            "tournaments/CLUSTER.md, TLS step by step"
        )
    if isinstance(error, TimeoutError | OSError):
        return f"no Dask scheduler answers at {address} within {CONNECT_S:g} s"
    text = str(error).splitlines()[0] if str(error) else ""
    return f"the Dask scheduler at {address} cannot be used: {type(error).__name__}: {text}"


def _silence() -> None:
    """Keep what Dask logs, and warns of, away from the terminal: golfref prints what matters of it."""
    warnings.simplefilter("ignore")
    for name in ("distributed", "asyncio", "tornado", "bokeh"):
        below = [known for known in logging.root.manager.loggerDict if known.startswith(f"{name}.")]
        for logger in map(logging.getLogger, (name, *below)):
            logger.handlers = [logging.NullHandler()]
        logging.getLogger(name).propagate = False
