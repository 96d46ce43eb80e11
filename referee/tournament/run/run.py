"""Running a tournament: the plan's matches, several at a time, each committed when it ends, until all are there.

The plan decides what is played, play/ how, and the store where it goes. This module brings them together.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from msgspec import Struct

from referee.play.greeting import Greeted, greet
from referee.play.pump.pump import Pump
from referee.play.sandbox.system_info import cores
from referee.play.session import run_session
from referee.tournament.config.config import Config
from referee.tournament.config.planned import MatchIdentities, draw_input
from referee.tournament.config.variants import games
from referee.tournament.plan.plan import Plan
from referee.tournament.run.clock import HoursClock
from referee.tournament.run.dispatch import Dispatcher, Watcher
from referee.tournament.run.order import Hosts, PlayOrder
from referee.tournament.run.rounds import Rounds
from referee.tournament.run.this_host import own_host
from referee.tournament.store.store import Store
from referee.tournament.store.voided import voids_by_place
from referee.tournament.workers.crew import Crew
from referee.tournament.workers.job_runner import JOBS_AHEAD, play_jobs


def greet_all(config: Config, check: Callable[[], None]) -> list[Greeted]:
    """Start every bot once, before anything is played: a table of them, if there are cores for it.

    Raises Interrupted, and whatever `check` raises at the start.
    """
    greeted: list[Greeted] = []
    seats = max(entry.seats for entry in config.variants)

    async def work(pump: Pump) -> None:
        check()
        said = greet(
            pump,
            config.bots,
            games=games(config.variants),
            confinement=config.confinement,
            start_s=config.clocks.start_s,
            at_a_time=min(seats, cores()),
        )
        greeted.extend(await said)

    run_session([work])
    return greeted


class Player(Protocol):
    """Plays what a dispatcher hands out: a crew of this machine, or the hosts of a cluster."""

    def run(self, check: Callable[[], None], stop: Callable[[], None] | None) -> None:
        """Play until the dispatcher has nothing left. Raises what `Run.play` does."""


class Cluster(Protocol):
    """The hosts of a cluster, on which a run can be played."""

    @property
    def jobs(self) -> int:
        """How many matches they play at a time."""

    def prepare(self, config: Config) -> None:
        """Get the hosts ready for the bots of this config, unless they are. Raises what ends the run."""

    def player(self, dispatcher: Dispatcher, store: Store) -> Player:
        """What plays this dispatcher's matches there, which are kept in this store."""


class Run(Struct, frozen=True, kw_only=True):
    """A run that can be played: what is to be played, where it is kept, and who watches."""

    config: Config
    plan: Plan
    has_ended: bool = True
    """Whether nothing more is drawn; else the plan grows by rounds."""
    terms: MatchIdentities
    """The terms of the config from which the plan is made, with its bots in the plan's order."""
    store: Store
    watcher: Watcher
    jobs: int
    """How many matches are played at a time."""
    workers: int
    """How many processes play them."""
    cluster: Cluster | None = None
    """Where it is played by other hosts; they decide themselves in how many processes."""
    clock: HoursClock | None = None
    """Where the run has a time to keep to."""
    has_changed: Callable[[], bool] | None = None
    """Tells before each round whether the run is to rest, because its config or its bots changed."""

    def play(self, check: Callable[[], None], tell_stop: Callable[[], None] | None = None) -> Mapping[str, int]:
        """Play what the store lacks. A match that is voided on every attempt is left out.

        At the first Ctrl-C `tell_stop` is called, and the matches that are being played are finished; at the second
        one, without `tell_stop`, and with SIGTERM and SIGHUP, all ends at once.

        Returns by host how many matches are left to it, because it has begun their blocks and is not there.

        Raises Interrupted, WriteFailed when a result cannot be kept, WorkersLost, and whatever `check` raises at the
        start.
        """
        dispatcher = self.dispatcher()

        def stop_and_tell(tell: Callable[[], None]) -> None:
            dispatcher.stop()
            tell()

        stop = None if tell_stop is None else partial(stop_and_tell, tell_stop)
        if self.cluster is not None:
            self.cluster.prepare(self.config)
            self.cluster.player(dispatcher, self.store).run(check, stop)
        elif self.workers > 1:
            Crew(self.config.session_setup, dispatcher, jobs=self.jobs, workers=self.workers).run(check, stop)
        elif self.jobs:

            async def work(pump: Pump) -> None:
                check()
                await play_jobs(pump, self.config.session_setup, dispatcher, jobs=self.jobs)

            run_session([work], stop=stop)
        return dispatcher.waiting_for_hosts

    def dispatcher(self) -> Dispatcher:
        """The dispatcher that hands out what the store lacks."""
        timed = {one.name for one in self.config.variants if one.variant.options.times_slaps}
        has_hosts = bool(self.store.hosts()) or self.store.meta().config.shard is not None
        own = own_host(self.jobs) if has_hosts and self.cluster is None else None
        play_order = PlayOrder(
            self.plan,
            done=self.store.numbers(),
            voids={place: len(voids) for place, voids in voids_by_place(self.store).items()},
            hosts=Hosts(timed=timed, host_of=self._host_of, own=own.name if own else ""),
            alone=self.config.alone,
        )
        return Dispatcher(
            play_order,
            terms=self.terms,
            store=self.store,
            watcher=self.watcher,
            places=JOBS_AHEAD * self.jobs,
            rounds=self._rounds(),
            host=self.store.add(own) if own else None,
        )

    def _host_of(self, number: int) -> str:
        """The name of the host that played a match of the plan; empty where the run names none."""
        host = self.store.planned(number).host
        row = None if host is None else self.store.hosts().get(host)
        return "" if row is None else row.name

    def _rounds(self) -> Rounds | None:
        """What lets the plan grow. None where it does not."""
        if self.has_ended or not self.plan.grows:
            return None
        meta = self.store.meta()
        field = draw_input(meta.config, bytes.fromhex(meta.master_key))
        return Rounds(self.plan, field, self.terms, self.store, clock=self.clock, has_changed=self.has_changed)
