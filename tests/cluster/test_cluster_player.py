"""A run on hosts that go and come, whose reports come twice or late. The test stands in for Dask."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from in_store import Silent, result_of
from msgspec.structs import asdict, replace
from needs import need_modules

from referee.commands.tournament.prepare import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import Job
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.store.disk import locked
from referee.tournament.store.origins import Host
from referee.tournament.store.store import Store
from referee.tournament.store.words import history_of

pytestmark = pytest.mark.cluster

NAMES = ("ann", "bob", "cid")
CONFIG = """
[tournament]
name = "hosts that come and go"
seed = "hosts"
deals = 2

[[variants]]
preset = "cactus"

[[variants]]
preset = "six-card"
""" + "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in NAMES)

LAB = Host(name="lab", golfref="0", protocol="1", host="here", jobs=50)


@contextmanager
def begun_run(folder: Path) -> Iterator[tuple[Dispatcher, Store]]:
    """The dispatcher and the store of a run of CONFIG."""
    (folder / "run.toml").write_text(CONFIG)
    prepared = prepare(load(folder / "run.toml"), folder / "run.golfref", fresh=False, may_change=False)
    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        yield prepared.run(store, Silent()).dispatcher(), store


class Cluster:
    """What stands in for a connection to Dask: a test says which hosts come and go, and plays what is given out.

    As Dask does, it keeps what is given to it while no host is there for ever.
    """

    def __init__(self) -> None:
        self.joined: dict[str, Any] = {}
        self.left_out: dict[str, Any] = {}
        self.out: list[Job] = []
        self.given = 0
        self.tell: Callable[[Any], None] = lambda _: None

    @property
    def absence(self) -> Any:
        from referee.cluster.patience import Absence

        return Absence.NOBODY

    def listen(self, listener: Callable[[Any], None] | None) -> None:
        self.tell = listener or (lambda _: None)

    def play(self, job: Job) -> None:
        self.given += 1
        if self.joined:
            self.out.append(job)

    def forget(self, *ids: int) -> None:
        self.out = [job for job in self.out if job.id not in ids]

    def come(self, address: str) -> None:
        from referee.cluster.messages import Ready

        self.joined[address] = Ready(address=address, host=LAB)
        self.tell(self.joined[address])

    def go(self, address: str) -> list[Job]:
        """Lose a host, with all that it played."""
        from referee.cluster.messages import Gone

        del self.joined[address]
        lost, self.out = self.out, []
        self.tell(Gone(address=address))
        return lost

    def report(self, job: Job, address: str) -> None:
        from referee.cluster.messages import Outcome

        self.tell(Outcome(id=job.id, address=address, reports=tuple(result_of(one, NAMES) for one in job.matches)))


def test_a_run_that_stops_takes_back_what_no_host_has_begun(tmp_path: Path) -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.messages import Began
    from referee.cluster.player import ClusterPlayer

    cluster = Cluster()
    cluster.come("first")

    async def play(player: ClusterPlayer) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(player._run, lambda: None)
            await trio.testing.wait_all_tasks_blocked()
            begun, *others = cluster.out
            assert others
            cluster.tell(Began(number=begun.matches[0].number))
            await trio.testing.wait_all_tasks_blocked()
            dispatcher.stop()
            await trio.testing.wait_all_tasks_blocked()
            assert cluster.out == [begun]
            cluster.report(begun, "first")
        assert store.numbers() == {one.number for one in begun.matches}

    link: Any = cluster
    with begun_run(tmp_path) as (dispatcher, store):
        trio.run(play, ClusterPlayer(dispatcher, store, link, wait_s=None, tell=lambda _: None))


def test_a_run_that_stops_while_no_host_is_there_waits_for_none(tmp_path: Path) -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.player import ClusterPlayer

    cluster = Cluster()
    cluster.come("first")

    async def play(player: ClusterPlayer) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(player._run, lambda: None)
            await trio.testing.wait_all_tasks_blocked()
            cluster.go("first")
            await trio.testing.wait_all_tasks_blocked()
            dispatcher.stop()

    link: Any = cluster
    with begun_run(tmp_path) as (dispatcher, store):
        clock = trio.testing.MockClock(autojump_threshold=0.05)
        trio.run(play, ClusterPlayer(dispatcher, store, link, wait_s=None, tell=lambda _: None), clock=clock)


def test_what_the_last_host_had_is_played_by_the_next_and_every_report_counts_once(tmp_path: Path) -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.player import ClusterPlayer

    cluster = Cluster()
    cluster.come("first")

    async def come_and_go() -> None:
        await trio.testing.wait_all_tasks_blocked()
        lost = cluster.go("first")
        assert lost
        await trio.testing.wait_all_tasks_blocked()
        given = cluster.given
        cluster.report(lost[0], "first")  # it played on, and is heard after all
        await trio.testing.wait_all_tasks_blocked()
        assert cluster.given == given
        cluster.come("second")
        await trio.testing.wait_all_tasks_blocked()
        cluster.report(cluster.out.pop(), "stranger")
        while True:
            await trio.testing.wait_all_tasks_blocked()
            if not cluster.out:
                return
            job = cluster.out.pop()
            cluster.report(job, "second")
            cluster.report(job, "second")

    async def play(player: ClusterPlayer) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(come_and_go)
            with trio.fail_after(60):
                await player._run(lambda: None)

    link: Any = cluster
    with begun_run(tmp_path) as (dispatcher, store):
        told: list[str] = []
        trio.run(
            play,
            ClusterPlayer(dispatcher, store, link, wait_s=None, tell=told.append),
            clock=trio.testing.MockClock(autojump_threshold=0.05),
        )
        assert sorted(row.result.number for row in store.matches()) == list(range(24))
        lost = "host `lab` has left the cluster, or was lost"
        assert told[0] == lost
        assert told.count(lost) == 1
        assert [event.lines for event in history_of(store)] == [(lost,)]


class Connection:
    """Stands in for a Dask client to which one worker is connected that nothing can be sent to."""

    status = "running"

    def __init__(self) -> None:
        self.scheduler = self

    async def identity(self, n_workers: int) -> dict[str, Any]:
        del n_workers
        return {"workers": {"tls://lab:1": {"name": "lab 1"}}}

    async def run(self, function: Callable[..., Any], *_words: Any, **_more: Any) -> Any:
        raise OSError(113, f"No route to {function.__name__}")


def link_of(client: object) -> tuple[Any, list[Any]]:
    """A link with this client of Dask, and what happens to it."""
    from referee.cluster.host_link import HostLink

    happened: list[Any] = []
    link = HostLink("tls://nowhere:8786", lambda _: None)
    connected: Any = (None, None, client)
    link._connected.set_result(connected)
    link.listen(happened.append)
    return link, happened


def test_a_host_that_nothing_can_be_sent_to_is_left_out_at_once() -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.messages import Came, LeftOut
    from referee.cluster.patience import Absence

    async def come() -> None:
        link._happened(Came(address="tls://lab:1"))
        await asyncio.gather(*link._tasks)

    link, happened = link_of(Connection())
    asyncio.run(come())

    reason = "the desk cannot send it what it needs: OSError: [Errno 113] No route to resolve_name"
    assert happened[-1] == LeftOut(address="tls://lab:1", host="lab-1", reason=reason)
    assert link.absence is Absence.LEFT_OUT


def test_a_host_that_comes_does_not_disturb_who_looks_at_the_hosts() -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.messages import Ready

    link, _ = link_of(None)
    for address in ("first", "second"):
        link._happened(Ready(address=address, host=LAB))
    for one in link.joined.values():
        link._happened(Ready(address=f"beside {one.address}", host=LAB))

    assert len(link.joined) == 4


def test_texts_of_a_host_are_shown_and_stored_on_one_short_line() -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.messages import LeftOut, Line, Ready, encoded, news

    text = "next round: \x1b[2J\n\u202e" + "x" * 10_000
    left_out = news(encoded(LeftOut(address="lab", host=text, reason=text)))
    said = news(encoded(Line(host=text, text=text)))
    texts = {name: text for name, value in asdict(LAB).items() if isinstance(value, str)}
    joined = news(encoded(Ready(address="lab", host=replace(LAB, **texts, built=(text,)))))

    assert isinstance(left_out, LeftOut)
    assert isinstance(said, Line)
    assert isinstance(joined, Ready)
    for name in (left_out.host, said.host, joined.host.name):
        assert len(name) == 100
        assert " " not in name
    for line in (left_out.reason, said.text, *(getattr(joined.host, name) for name in texts), *joined.host.built):
        assert len(line) <= 1000
        assert line.isprintable()


def test_a_desk_that_cannot_read_its_bots_ends_the_run_in_words() -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.messages import Lacks, Lost

    class Taking:
        async def run(self, *_words: Any, **_more: Any) -> None:
            """Take what is sent."""

    class Unreadable:
        def pieces(self, archive: str) -> Iterator[bytes]:
            yield b"piece"
            raise OSError(5, "Input/output error", archive)

    link, happened = link_of(Taking())
    link._archives = Unreadable()
    asyncio.run(link._send_archives(Lacks(address="lab", archives=("mine",))))

    assert happened == [
        Lost(reason="the bots' files cannot be read to send them: [Errno 5] Input/output error: 'mine'")
    ]
