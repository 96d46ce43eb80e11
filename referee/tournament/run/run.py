"""Running a tournament: the plan's matches, several at a time, each committed when it ends, until all are there.

The plan decides what is played, play/ how, and the store where it goes. This module brings them together.
"""

from collections.abc import Callable, Collection

from msgspec import Struct

from referee.play.greeting import Greeted, greet
from referee.play.pump.pump import Pump
from referee.play.session import run_session
from referee.tournament.config.config import Config
from referee.tournament.plan.schedule import Plan
from referee.tournament.run.bars import Bars
from referee.tournament.run.crew import Crew
from referee.tournament.run.desk import Desk, Watcher
from referee.tournament.run.jobs import play_jobs
from referee.tournament.run.play_order import PlayOrder
from referee.tournament.run.setups import games
from referee.tournament.store.facts import Terms
from referee.tournament.store.store import Store
from referee.tournament.store.voided import voids_by_place


def greet_all(config: Config, check: Callable[[], None], *, barred: Collection[str] = ()) -> list[Greeted]:
    """Start every bot that is not barred once, before anything is played.

    Raises Interrupted, and whatever `check` raises at the start.
    """
    greeted: list[Greeted] = []
    bots = [bot for bot in config.bots if bot.name not in barred]

    async def work(pump: Pump) -> None:
        check()
        said = greet(pump, bots, games=games(config), confinement=config.confinement, start_s=config.clocks.start_s)
        greeted.extend(await said)

    run_session([work])
    return greeted


class Run(Struct, frozen=True, kw_only=True):
    """A run that can be played: what is to be played, where it is kept, and who watches."""

    config: Config
    plan: Plan
    terms: Terms
    """The terms of the config from which the plan is made, with its bots in the plan's order."""
    store: Store
    watcher: Watcher

    def play(self, check: Callable[[], None]) -> None:
        """Play what the store lacks. A match that is voided on every attempt is left out.

        Raises Interrupted, WriteFailed when a result cannot be kept, WorkersLost, and whatever `check` raises at the
        start.
        """
        done = self.store.numbers()
        jobs = min(self.config.jobs, len(self.plan) - len(done))
        play_order = PlayOrder(
            self.plan,
            done=done,
            voids={place: len(voids) for place, voids in voids_by_place(self.store).items()},
            redeals_of=self.store.redeals_of,
            jobs=jobs,
        )
        desk = Desk(
            play_order,
            config=self.config,
            terms=self.terms,
            store=self.store,
            watcher=self.watcher,
            bars=Bars(self.store),
        )
        if (workers := min(self.config.processes(len(self.plan)), jobs)) > 1:
            shares = [jobs // workers + (number < jobs % workers) for number in range(workers)]
            Crew(desk, shares=shares, reuse=self.config.reuse, slap_s=self.config.clocks.slap_s).run(check)
        elif jobs:

            async def work(pump: Pump) -> None:
                check()
                await play_jobs(pump, desk, jobs=jobs, reuse=self.config.reuse)

            run_session([work])
