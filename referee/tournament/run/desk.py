"""The desk of a run hands out its matches and keeps what comes of them.

Nothing else writes to the store while matches are played. It must not know how they are played, or where.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

import trio

from referee.tournament.config.config import Config
from referee.tournament.orders import ATTEMPTS, Begun, Order, Played, Report, Spoiled
from referee.tournament.plan.rounds import End, Round
from referee.tournament.plan.schedule import Fixture
from referee.tournament.results import Result
from referee.tournament.run.bars import Bars
from referee.tournament.run.play_order import PlayOrder
from referee.tournament.run.rounds import Rounds
from referee.tournament.run.setups import setup_of
from referee.tournament.store.facts import Terms
from referee.tournament.store.store import Store


class Watcher(Protocol):
    """Is told how a run goes, to show it."""

    def begun(self, fixture: Fixture) -> None:
        """A match is played from now on."""

    def finished(self, result: Result) -> None:
        """A match has been committed."""

    def voided(self, fixture: Fixture, attempt: int, reason: str) -> None:
        """A match was spoiled by the referee or its host."""

    def barred(self, why: str) -> None:
        """A bot plays no more from now on."""

    def drawn(self, drawn: Round | End, added: Mapping[str, int]) -> None:
        """The plan has grown by a round, of which `added` tells by variant how many matches it has, or has ended."""


class Desk:
    """Hands out what the order of play has.

    A match that is voided on every attempt is left out, until one of its bots is barred.
    """

    def __init__(  # noqa: PLR0913 - the parts of a run
        self,
        play_order: PlayOrder,
        *,
        config: Config,
        terms: Terms,
        store: Store,
        watcher: Watcher,
        bars: Bars,
        rounds: Rounds | None = None,
    ) -> None:
        """`rounds` are there where the plan grows."""
        self._play_order = play_order
        self._bars, self._rounds = bars, rounds
        self._left_out: list[Order] = []
        """The matches that were voided on every attempt."""
        self._config, self._terms, self._store, self._watcher = config, terms, store, watcher
        self._spoiled: Counter[int] = Counter()
        """How many attempts at a match have been spoiled since this desk began, by number."""
        self._out: dict[int, Order] = {}
        """The orders that are handed out, by number."""
        self._came_back = trio.Event()
        """Is set when an order comes back, and then replaced by another one."""

    async def next(self) -> Order | None:
        """The next match, as soon as there is one that may be played. None where nothing is left."""
        while (fixture := self._play_order.next()) is None:
            if self._out:
                await self._came_back.wait()
            elif not self._draw():
                return None
        number = fixture.number
        setup = self._bars.applied(setup_of(self._config, fixture))
        order = Order(fixture=fixture, setup=setup, attempt=self._spoiled[number] + 1)
        self._out[number] = order
        return order

    def _draw(self) -> bool:
        """Draw the next round, since all matches have ended. Returns whether there is one."""
        if self._rounds is None:
            return False
        plan = self._rounds.plan
        had, had_of = len(plan), plan.matches
        if (drawn := self._rounds.draw()) is None:
            return False
        self._watcher.drawn(drawn, {name: count - had_of[name] for name, count in plan.matches.items()})
        self._play_order.grown(had)
        return isinstance(drawn, Round)

    async def report(self, report: Report) -> None:
        """Take in what became of a match. Once this returns, nothing loses it. Raises WriteFailed."""
        if isinstance(report, Played):
            order = self._take_back(report.number)
            self._store.commit(report, self._terms.identity(order.fixture))
            self._play_order.played(report.number)
            self._bars.finished(_names(order))
            self._watcher.finished(report.result)
        elif isinstance(report, Begun):
            self._watcher.begun(self._out[report.number].fixture)
        elif isinstance(report, Spoiled):
            self._void(self._take_back(report.number), report.reason)

    def put_back(self, number: int) -> None:
        """Take back a match that has not begun, because whoever had its order cannot play it."""
        self._play_order.put_back(self._take_back(number).fixture)

    def _take_back(self, number: int) -> Order:
        """An order is out no longer. Whoever waits for the next match looks again, once this has been dealt with."""
        self._came_back.set()
        self._came_back = trio.Event()
        return self._out.pop(number)

    def _void(self, order: Order, reason: str) -> None:
        self._store.note_void(order.fixture, _names(order), order.attempt, reason)
        self._watcher.voided(order.fixture, order.attempt, reason)
        self._spoiled[order.fixture.number] += 1
        is_last = order.attempt >= ATTEMPTS
        self._play_order.voided(order.fixture, again=not is_last)
        if is_last:
            self._left_out.append(order)
        for why in self._bars.voided(_names(order), reason).values():
            self._watcher.barred(why)
        self._order_again()

    def _order_again(self) -> None:
        """Order the matches that were left out when a bot that is barred now still played in them."""
        for order in [order for order in self._left_out if self._bars.applied(order.setup) != order.setup]:
            self._left_out.remove(order)
            self._spoiled[order.fixture.number] = 0
            self._play_order.order_again(order.fixture)


def _names(order: Order) -> list[str]:
    return [bot.name for bot in order.setup.bots]
