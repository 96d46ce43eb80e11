"""The fleet of a run: all hosts of a cluster instead of a crew. It gives out what the desk has, and takes reports.

Dask decides which host plays what, and gives it to another one when a host is lost, with the same cards: whoever is
lost can tell nobody. The desk alone decides what counts. Must not know how Dask is spoken to.
"""

import contextlib
import math
from collections.abc import Callable, Sequence
from functools import partial

import trio

from referee.cluster.engine import Engine
from referee.cluster.news import Back, Began, Gone, Happening, Joined, LeftOut, Lost, Returned
from referee.cluster.patience import HOSTS_PATIENCE_S, Patience
from referee.play.session import guarded, heeding_signals
from referee.tournament.orders import Begun, Bundle, Played
from referee.tournament.run.crew import ORDERS_PER_JOB, WorkersLost
from referee.tournament.run.desk import Desk
from referee.tournament.store.hosts import Host
from referee.tournament.store.rows import HostLeftOut, HostLost
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words

SPARE_PER_JOB = 1
"""So many bundles more than its hosts can take at a time are given to Dask for each job, so that it has a choice."""

MOST_RETURNED = 10
"""The run gives up when Dask gives more bundles than this back one after another, and none is played meanwhile."""


class Fleet:
    """All hosts of a run."""

    def __init__(
        self, desk: Desk, store: Store, engine: Engine, *, wait_s: float | None, tell: Callable[[str], None]
    ) -> None:
        """`wait_s` is for how long it waits for hosts where none can play what is left. `tell` says a line."""
        self._desk, self._store, self._engine, self._wait_s, self._tell = desk, store, engine, wait_s, tell
        self._out: dict[int, Bundle] = {}
        """The bundles that are out, by id."""
        self._unbegun: set[int] = set()
        """The numbers of the matches of these bundles that are not told as begun."""
        self._noted: dict[str, tuple[Host, int]] = {}
        """By address of a dask worker, what it told of itself last, and the store's id of that."""
        self._there: set[str] = set()
        """The addresses of those that play, as far as what happened has been taken in."""
        self._returned = 0
        """How many bundles Dask has given back since one was played."""
        self._changed = trio.Event()
        """Is set, and replaced by another one, when something has happened."""

    def run(self, check: Callable[[], None], stop: Callable[[], None] | None) -> None:
        """Play until the desk has nothing left. Raises Interrupted, WorkersLost, and what desk and `check` raise.

        `stop` is called at the first Ctrl-C; without it that ends all at once.
        """
        guarded(partial(heeding_signals, partial(self._run, check), stop))

    async def _run(self, check: Callable[[], None]) -> None:
        check()
        token = trio.lowlevel.current_trio_token()
        give, take = trio.open_memory_channel[Happening](math.inf)

        def listen(happening: Happening) -> None:
            with contextlib.suppress(trio.RunFinishedError):
                token.run_sync_soon(give.send_nowait, happening)

        self._engine.listen(listen)
        try:
            self._take_hosts()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._give_bundles, nursery.cancel_scope)
                nursery.start_soon(self._await_hosts)
                nursery.start_soon(self._await_stop)
                async for happening in take:
                    await self._take(happening)
                    self._look_again()
        finally:
            self._engine.listen(None)
            self._engine.forget(*self._out)

    @property
    def _room(self) -> int:
        """How many bundles may be out."""
        there = [one for one in list(self._engine.joined.values()) if one.address in self._there]
        return sum((ORDERS_PER_JOB + SPARE_PER_JOB) * one.jobs for one in there)

    async def _give_bundles(self, scope: trio.CancelScope) -> None:
        """Give out bundles while there is room, and end the scope when nothing is left to play."""
        while True:
            while len(self._out) >= self._room:
                await self._changed.wait()
            if (bundle := await self._desk.next_bundle(self._room)) is not None:
                if not self._room:  # all hosts have gone while a bundle was waited for
                    self._desk.put_back_bundle(bundle.id)
                    continue
                self._out[bundle.id] = bundle
                self._unbegun.update(order.fixture.number for order in bundle.orders)
                self._engine.play(bundle)
            elif not await self._await_their_hosts():
                break
        scope.cancel()

    async def _take(self, happening: Happening) -> None:
        if isinstance(happening, Back):
            await self._take_outcome(happening)
        elif isinstance(happening, Returned):
            self._take_back(happening)
        elif isinstance(happening, Began):
            await self._begin(happening.number)
        elif isinstance(happening, Lost):
            raise WorkersLost(happening.reason)
        elif isinstance(happening, Joined | LeftOut | Gone):
            self._take_host(happening)

    async def _take_outcome(self, back: Back) -> None:
        """Have the desk commit what came of a bundle. What comes twice, or too late, does not count."""
        if (bundle := self._out.get(back.id)) is None:
            return
        reports = back.outcome.reports
        for report in reports:
            if isinstance(report, Played):
                await self._begin(report.number)
        host = self._note(back.outcome.address, back.outcome.host)
        try:
            self._desk.report_bundle(back.id, reports, host, back.outcome.seconds)
        except ValueError as wrong:
            self._take_back(Returned(id=back.id, reason=f"host {back.outcome.host.name} reported nonsense: {wrong}"))
            return
        self._returned = 0
        self._forget(bundle)

    async def _begin(self, number: int) -> None:
        """Tell that a match is played from now on; once for each time that it is handed out."""
        if number in self._unbegun:
            self._unbegun.remove(number)
            await self._desk.report(Begun(number=number))

    def _take_back(self, returned: Returned) -> None:
        if (bundle := self._out.get(returned.id)) is None:
            return
        self._forget(bundle)
        self._desk.put_back_bundle(returned.id)
        self._returned += 1
        if self._returned > MOST_RETURNED:
            raise WorkersLost(
                f"the cluster gave matches back more than {MOST_RETURNED} times; the last time: {returned.reason}"
            )

    def _forget(self, bundle: Bundle) -> None:
        del self._out[bundle.id]
        self._unbegun.difference_update(order.fixture.number for order in bundle.orders)

    def _take_hosts(self) -> None:
        """Take the hosts that are there when this begins."""
        for left_out in list(self._engine.left_out.values()):
            self._store.add(HostLeftOut(host=left_out.host, reason=left_out.reason))
        for joined in list(self._engine.joined.values()):
            self._take_host(joined)

    def _take_host(self, happening: Joined | LeftOut | Gone) -> None:
        if isinstance(happening, Joined):
            self._note(happening.address, happening.host)
        elif isinstance(happening, LeftOut):
            self._store.add(HostLeftOut(host=happening.host, reason=happening.reason))
        elif happening.address in self._there:
            host, _ = self._noted[happening.address]
            lost = HostLost(host=host.name)
            self._store.add(lost)
            self._tell(*in_words(lost))
        names = {one.host.name for one in list(self._engine.joined.values())}
        self._desk.hosts_are(names)
        nobody_was_there = not self._there
        self._there.discard(happening.address)
        if isinstance(happening, Joined):
            self._there.add(happening.address)
        # Dask keeps what it has while nobody is there, also from those that come: all of it is handed out again.
        is_in_vain = nobody_was_there or not self._there
        self._take_from_hosts([one for one in self._out.values() if is_in_vain or (one.host and one.host not in names)])

    async def _await_stop(self) -> None:
        """Once the desk stops, take those bundles from the hosts of which no match is known to have begun."""
        await self._desk.stopping.wait()
        self._take_from_hosts(
            [one for one in self._out.values() if all(order.fixture.number in self._unbegun for order in one.orders)]
        )
        self._look_again()

    def _take_from_hosts(self, bundles: Sequence[Bundle]) -> None:
        for bundle in bundles:
            self._forget(bundle)
            self._desk.put_back_bundle(bundle.id)
        self._engine.forget(*(bundle.id for bundle in bundles))

    def _note(self, address: str, host: Host) -> int:
        """The store's id of a host."""
        known, id_ = self._noted.get(address, (None, 0))
        if known != host:
            id_ = self._store.add(host)
            self._noted[address] = host, id_
        return id_

    def _look_again(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _await_hosts(self) -> None:
        """Whenever there are no hosts, wait for some. Raises WorkersLost where none comes in time."""
        while True:
            while self._engine.joined:
                await self._changed.wait()
            patience = Patience(self._tell, wait_s=self._wait_s)
            while not self._engine.joined:
                if not (left_s := patience.left_s(self._engine.absence)):
                    raise WorkersLost(patience.why)
                with trio.move_on_after(left_s):
                    await self._changed.wait()

    async def _await_their_hosts(self) -> bool:
        """Wait for hosts that alone may play what is left. Returns whether one has come.

        What was begun on one machine alone is not waited for: no host of a cluster plays it.
        """
        waiting = {host: count for host, count in self._desk.elsewhere.items() if host}
        if not waiting:
            return False
        count, names = sum(waiting.values()), ", ".join(sorted(waiting))
        begun = f"{count} match{'es' * (count != 1)} of blocks with timed slaps that were begun on {names}"
        wait_s = HOSTS_PATIENCE_S if self._wait_s is None else self._wait_s
        self._tell(f"left to play: {begun}, which is not there; waiting for {wait_s:g} s")
        with trio.move_on_after(wait_s):
            while all(self._desk.elsewhere.get(host) == count for host, count in waiting.items()):
                await self._changed.wait()
            return True
        return False
