"""All hosts of a cluster play a run, instead of a crew: they get the dispatcher's jobs, and it gets their reports.

Dask decides which host plays what, and gives it to another one when a host is lost, with the same cards: whoever is
lost can tell nobody. The dispatcher alone decides what counts. Must not know how Dask is spoken to.
"""

import contextlib
import math
from collections.abc import Callable, Sequence
from functools import partial

import trio

from referee.cluster.host_link import HostLink
from referee.cluster.messages import Began, Gone, Happening, LeftOut, Lost, Outcome, Ready, Returned
from referee.cluster.patience import HOSTS_PATIENCE_S, Patience
from referee.play.session import guarded, heeding_signals
from referee.tournament.orders import Begun, Job, Played
from referee.tournament.run.dispatch import Dispatcher
from referee.tournament.store.origins import Host
from referee.tournament.store.rows import HostLeftOut, HostLost
from referee.tournament.store.store import Store
from referee.tournament.store.words import in_words
from referee.tournament.workers.crew import WorkersLost
from referee.tournament.workers.job_runner import JOBS_AHEAD

SPARE_PER_JOB = 1
"""So many jobs more than its hosts can take at a time are given to Dask for each place, so that it has a choice."""

MOST_RETURNED = 10
"""The run gives up when Dask gives more jobs than this back one after another, and none is played meanwhile."""


class ClusterPlayer:
    """All hosts of a run."""

    def __init__(
        self, dispatcher: Dispatcher, store: Store, link: HostLink, *, wait_s: float | None, tell: Callable[[str], None]
    ) -> None:
        """`wait_s` is for how long it waits for hosts where none can play what is left. `tell` says a line."""
        self._dispatcher, self._store, self._link = dispatcher, store, link
        self._wait_s, self._tell = wait_s, tell
        self._out: dict[int, Job] = {}
        """The jobs that are out, by id."""
        self._unbegun: set[int] = set()
        """The numbers of the matches of these jobs that are not told as begun."""
        self._noted: dict[str, tuple[Host, int]] = {}
        """By address of a dask worker, what it told of itself last, and the store's id of that."""
        self._there: set[str] = set()
        """The addresses of those that play, as far as what happened has been taken in."""
        self._returned = 0
        """How many jobs Dask has given back since one was played."""
        self._changed = trio.Event()
        """Is set, and replaced by another one, when something has happened."""

    def run(self, check: Callable[[], None], stop: Callable[[], None] | None) -> None:
        """Play until the dispatcher has nothing left. Raises Interrupted, WorkersLost, and what it and `check` raise.

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

        self._link.listen(listen)
        try:
            self._take_hosts()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._give_jobs, nursery.cancel_scope)
                nursery.start_soon(self._await_hosts)
                nursery.start_soon(self._await_stop)
                async for happening in take:
                    await self._take(happening)
                    self._look_again()
        finally:
            self._link.listen(None)
            self._link.forget(*self._out)

    @property
    def _room(self) -> int:
        """How many jobs may be out."""
        there = [one for one in self._link.joined.values() if one.address in self._there]
        return sum((JOBS_AHEAD + SPARE_PER_JOB) * one.jobs for one in there)

    async def _give_jobs(self, scope: trio.CancelScope) -> None:
        """Give out jobs while there is room, and end the scope when nothing is left to play."""
        while True:
            while len(self._out) >= self._room and not self._dispatcher.stopping.is_set():
                await self._changed.wait()
            self._dispatcher.places = self._room
            if (job := await self._dispatcher.next()) is not None:
                if not self._room:  # all hosts have gone while a job was waited for
                    self._dispatcher.put_back_job(job)
                    continue
                self._out[job.id] = job
                self._unbegun.update(planned_match.number for planned_match in job.matches)
                self._link.play(job)
            elif not await self._await_their_hosts():
                break
        scope.cancel()

    async def _take(self, happening: Happening) -> None:
        if isinstance(happening, Outcome):
            await self._take_outcome(happening)
        elif isinstance(happening, Returned):
            self._take_back(happening)
        elif isinstance(happening, Began):
            await self._begin(happening.number)
        elif isinstance(happening, Lost):
            raise WorkersLost(happening.reason)
        elif isinstance(happening, Ready | LeftOut | Gone):
            self._take_host(happening)

    async def _take_outcome(self, outcome: Outcome) -> None:
        """Have the dispatcher keep what came of a job. What comes twice, or too late, does not count."""
        if (job := self._out.get(outcome.id)) is None:
            return
        if outcome.address not in self._noted:
            self._take_back(Returned(id=outcome.id, reason="a host reported matches before it was ready"))
            return
        for report in outcome.reports:
            if isinstance(report, Played):
                await self._begin(report.number)
        _, host = self._noted[outcome.address]
        self._dispatcher.report_job(job, outcome.reports, host)
        self._returned = 0
        self._forget(job)

    async def _begin(self, number: int) -> None:
        """Tell that a match is played from now on; once for each time that it is handed out."""
        if number in self._unbegun:
            self._unbegun.remove(number)
            await self._dispatcher.report(Begun(number=number))

    def _take_back(self, returned: Returned) -> None:
        if (job := self._out.get(returned.id)) is None:
            return
        self._forget(job)
        self._dispatcher.put_back_job(job)
        self._returned += 1
        if self._returned > MOST_RETURNED:
            raise WorkersLost(
                f"the cluster gave matches back more than {MOST_RETURNED} times; the last time: {returned.reason}"
            )

    def _forget(self, job: Job) -> None:
        del self._out[job.id]
        self._unbegun.difference_update(planned_match.number for planned_match in job.matches)

    def _take_hosts(self) -> None:
        """Take the hosts that are there when this begins."""
        for left_out in self._link.left_out.values():
            self._store.add(HostLeftOut(host=left_out.host, reason=left_out.reason))
        for joined in self._link.joined.values():
            self._take_host(joined)

    def _take_host(self, happening: Ready | LeftOut | Gone) -> None:
        if isinstance(happening, Ready):
            self._note(happening.address, happening.host)
        elif isinstance(happening, LeftOut):
            self._store.add(HostLeftOut(host=happening.host, reason=happening.reason))
        elif happening.address in self._there:
            host, _ = self._noted[happening.address]
            lost = HostLost(host=host.name)
            self._store.add(lost)
            self._tell(*in_words(lost))
        names = {one.host.name for one in self._link.joined.values()}
        self._dispatcher.hosts_are(names)
        nobody_was_there = not self._there
        self._there.discard(happening.address)
        if isinstance(happening, Ready):
            self._there.add(happening.address)
        # Dask keeps what it has while nobody is there, also from those that come: all of it is handed out again.
        is_in_vain = nobody_was_there or not self._there
        self._take_from_hosts([one for one in self._out.values() if is_in_vain or (one.host and one.host not in names)])

    async def _await_stop(self) -> None:
        """Once the dispatcher stops, take those jobs from the hosts of which no match is known to have begun."""
        await self._dispatcher.stopping.wait()
        self._take_from_hosts(
            [one for one in self._out.values() if self._unbegun.issuperset(match.number for match in one.matches)]
        )
        self._look_again()

    def _take_from_hosts(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            self._forget(job)
            self._dispatcher.put_back_job(job)
        self._link.forget(*(job.id for job in jobs))

    def _note(self, address: str, host: Host) -> None:
        """Keep what a host tells of itself, unless it told the same before."""
        known, _ = self._noted.get(address, (None, 0))
        if known != host:
            self._noted[address] = host, self._store.add(host)

    def _look_again(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _await_hosts(self) -> None:
        """Whenever there are no hosts, wait for some. Raises WorkersLost where none comes in time."""
        while True:
            while self._link.joined:
                await self._changed.wait()
            patience = Patience(self._tell, wait_s=self._wait_s)
            while not self._link.joined:
                if not (left_s := patience.left_s(self._link.absence)):
                    raise WorkersLost(patience.why)
                with trio.move_on_after(left_s):
                    await self._changed.wait()

    async def _await_their_hosts(self) -> bool:
        """Wait for hosts that alone may play what is left. Returns whether one has come.

        What was begun on one machine alone is not waited for: no host of a cluster plays it.
        """
        waiting = {host: count for host, count in self._dispatcher.waiting_for_hosts.items() if host}
        if not waiting or self._dispatcher.stopping.is_set():
            return False
        count, names = sum(waiting.values()), ", ".join(sorted(waiting))
        begun = f"{count} match{'es' * (count != 1)} of blocks with timed slaps that were begun on {names}"
        wait_s = HOSTS_PATIENCE_S if self._wait_s is None else self._wait_s
        self._tell(f"left to play: {begun}, which is not there; waiting for {wait_s:g} s")
        with trio.move_on_after(wait_s):
            while all(self._dispatcher.waiting_for_hosts.get(host) == count for host, count in waiting.items()):
                await self._changed.wait()
                if self._dispatcher.stopping.is_set():
                    return False
            return True
        return False
