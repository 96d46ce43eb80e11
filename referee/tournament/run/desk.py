"""The desk of a run hands out its matches in the order of the plan and keeps what comes of them.

Nothing else writes to the store while matches are played. It must not know how they are played, or where.
"""

from collections import deque
from collections.abc import Iterator
from typing import Protocol

from msgspec.structs import replace

from referee.tournament.config.config import Config
from referee.tournament.orders import ATTEMPTS, Begun, Order, Played, Report, Spoiled
from referee.tournament.plan.schedule import Fixture
from referee.tournament.results import Result
from referee.tournament.run.bars import Bars
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


class Desk:
    """Hands out `fixtures`. A match that is voided on every attempt is left out, until one of its bots is barred."""

    def __init__(  # noqa: PLR0913 - the parts of a run
        self, fixtures: Iterator[Fixture], *, config: Config, terms: Terms, store: Store, watcher: Watcher, bars: Bars
    ) -> None:
        self._fixtures = fixtures
        self._bars = bars
        self._left_out: list[Order] = []
        """The matches that were voided on every attempt."""
        self._config, self._terms, self._store, self._watcher = config, terms, store, watcher
        self._again: deque[Order] = deque()
        """Orders that have come back and are handed out again."""
        self._out: dict[int, Order] = {}
        """The orders that are handed out, by number."""

    async def next(self) -> Order | None:
        """The next match to be played. None where there is none now, although a spoiled one may still come back."""
        order = self._again.popleft() if self._again else self._first()
        if order is None:
            return None
        order = replace(order, setup=self._bars.applied(order.setup))
        self._out[order.fixture.number] = order
        return order

    async def report(self, report: Report) -> None:
        """Take in what became of a match. Once this returns, nothing loses it. Raises WriteFailed."""
        if isinstance(report, Played):
            order = self._out.pop(report.number)
            self._store.commit(report, self._terms.identity(order.fixture))
            self._bars.finished(_names(order))
            self._watcher.finished(report.result)
        elif isinstance(report, Begun):
            self._watcher.begun(self._out[report.number].fixture)
        elif isinstance(report, Spoiled):
            self._void(self._out.pop(report.number), report.reason)

    def put_back(self, number: int) -> None:
        """Take back a match that has not begun, because whoever had its order cannot play it."""
        self._again.append(self._out.pop(number))

    def _first(self) -> Order | None:
        fixture = next(self._fixtures, None)
        return None if fixture is None else Order(fixture=fixture, setup=setup_of(self._config, fixture))

    def _void(self, order: Order, reason: str) -> None:
        self._store.note_void(order.fixture, _names(order), order.attempt, reason)
        self._watcher.voided(order.fixture, order.attempt, reason)
        if order.attempt < ATTEMPTS:
            self._again.append(replace(order, attempt=order.attempt + 1))
        else:
            self._left_out.append(order)
        for why in self._bars.voided(_names(order), reason).values():
            self._watcher.barred(why)
        self._order_again()

    def _order_again(self) -> None:
        """Order the matches that were left out when a bot that is barred now still played in them."""
        for order in [order for order in self._left_out if self._bars.applied(order.setup) != order.setup]:
            self._left_out.remove(order)
            self._again.append(replace(order, attempt=1))


def _names(order: Order) -> list[str]:
    return [bot.name for bot in order.setup.bots]
