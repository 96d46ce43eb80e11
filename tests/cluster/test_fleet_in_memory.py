"""What a fleet makes of hosts that go and come, and of reports that come twice or late. The test stands in for Dask."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from in_store import Silent, result_of
from needs import need_modules

from referee.commands.opening import open_store, prepare
from referee.tournament.config.config import load
from referee.tournament.orders import Bundle
from referee.tournament.run.turns import Turns
from referee.tournament.store.disk import locked
from referee.tournament.store.hosts import Host
from referee.tournament.store.words import history_of

pytestmark = pytest.mark.cluster

CONFIG = """
[tournament]
name = "hosts that come and go"
seed = "hosts"
deals = 2

[[variants]]
preset = "cactus"

[[variants]]
preset = "six-card"
""" + "".join(f'[[bots]]\nname = "{name}"\nbuiltin = "random"\n' for name in ("ann", "bob", "cid"))

LAB = Host(name="lab", golfref="0", protocol="1", host="here")


class Cluster:
    """What stands in for a connection to Dask: a test says which hosts come and go, and plays what is given out.

    As Dask does, it keeps what is given to it while no host is there for ever.
    """

    def __init__(self) -> None:
        self.joined: dict[str, Any] = {}
        self.left_out: dict[str, Any] = {}
        self.out: list[Bundle] = []
        self.given = 0
        self.tell: Callable[[Any], None] = lambda _: None

    @property
    def absence(self) -> Any:
        from referee.cluster.patience import Absence

        return Absence.NOBODY

    def listen(self, listener: Callable[[Any], None] | None) -> None:
        self.tell = listener or (lambda _: None)

    def play(self, bundle: Bundle) -> None:
        self.given += 1
        if self.joined:
            self.out.append(bundle)

    def forget(self, *ids: int) -> None:
        self.out = [bundle for bundle in self.out if bundle.id not in ids]

    def come(self, address: str) -> None:
        from referee.cluster.news import Joined

        self.joined[address] = Joined(address=address, host=LAB, jobs=50)
        self.tell(self.joined[address])

    def go(self, address: str) -> list[Bundle]:
        """Lose a host, with all that it played."""
        from referee.cluster.news import Gone

        del self.joined[address]
        lost, self.out = self.out, []
        self.tell(Gone(address=address))
        return lost

    def report(self, bundle: Bundle, address: str) -> None:
        from referee.cluster.news import Back, Outcome

        turns = Turns(bundle)
        while (order := turns.order) is not None:
            turns.take(result_of(order))
        self.tell(Back(id=bundle.id, outcome=Outcome(address=address, host=LAB, reports=tuple(turns.reports))))


def test_a_run_that_stops_takes_back_what_no_host_has_begun(tmp_path: Path) -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.fleet import Fleet
    from referee.cluster.news import Began

    (tmp_path / "run.toml").write_text(CONFIG)
    prepared = prepare(load(tmp_path / "run.toml"), tmp_path / "run.golfref", fresh=False, may_change=False)
    cluster = Cluster()
    cluster.come("first")

    async def play(fleet: Fleet) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fleet._run, lambda: None)
            await trio.testing.wait_all_tasks_blocked()
            begun, *others = cluster.out
            assert others
            cluster.tell(Began(number=begun.orders[0].fixture.number))
            await trio.testing.wait_all_tasks_blocked()
            desk.stop()
            await trio.testing.wait_all_tasks_blocked()
            assert cluster.out == [begun]
            cluster.report(begun, "first")
        assert store.numbers() == {order.fixture.number for order in begun.orders}

    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        desk = prepared.run(store, Silent()).desk(by_block=True)
        engine: Any = cluster
        trio.run(play, Fleet(desk, store, engine, wait_s=None, tell=lambda _: None))


def test_what_the_last_host_had_is_played_by_the_next_and_every_report_counts_once(tmp_path: Path) -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.fleet import Fleet

    (tmp_path / "run.toml").write_text(CONFIG)
    prepared = prepare(load(tmp_path / "run.toml"), tmp_path / "run.golfref", fresh=False, may_change=False)
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
        while True:
            await trio.testing.wait_all_tasks_blocked()
            if not cluster.out:
                return
            bundle = cluster.out.pop()
            cluster.report(bundle, "second")
            cluster.report(bundle, "second")

    async def play(fleet: Fleet) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(come_and_go)
            with trio.fail_after(60):
                await fleet._run(lambda: None)

    with locked(prepared.path) as lock, closing(open_store(prepared, lock)) as store:
        desk = prepared.run(store, Silent()).desk(by_block=True)
        engine: Any = cluster
        told: list[str] = []
        trio.run(
            play,
            Fleet(desk, store, engine, wait_s=None, tell=told.append),
            clock=trio.testing.MockClock(autojump_threshold=0.05),
        )
        assert len(store.numbers()) == len(prepared.plan)
        assert {row.result.number for row in store.matches()} == set(range(len(prepared.plan)))
        lost = "host `lab` has left the cluster, or was lost"
        assert told[0] == lost
        assert told.count(lost) == 1
        assert [event.lines for event in history_of(store)] == [(lost,)]


def test_a_desk_that_cannot_read_its_bots_ends_the_run_in_words() -> None:
    need_modules("distributed", extra="cluster")
    from referee.cluster.engine import Engine
    from referee.cluster.news import Lacking, Lost

    class Unreadable:
        def piece(self, parcel: str, offset: int) -> bytes:
            raise OSError(5, "Input/output error", f"{parcel}@{offset}")

    parcels: Any = Unreadable()
    nobody: Any = (None, None, None)
    happened: list[Any] = []
    engine = Engine("tls://nowhere:8786", lambda _: None)
    engine._connected.set_result(nobody)
    engine._parcels = parcels
    engine.listen(happened.append)
    asyncio.run(engine._send_parcels(Lacking(address="lab", parcels=("mine",))))

    assert happened == [
        Lost(reason="the bots' files cannot be read to send them: [Errno 5] Input/output error: 'mine@0'")
    ]
