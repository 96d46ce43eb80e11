"""The matches of a bundle, one after another, on the host that plays it.

A match of a block that is spoiled is played again at once, on the same host. Only where the first match is spoiled
before any other has a result, nothing holds the block here: the bundle ends, and any host may play all of it. Short
matches share a bundle without that: a spoiled one comes back as it is, and the others count. This module must not know
how matches are played, and needs no key.
"""

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from referee.tournament.orders import Bundle, Job, Played, Spoiled

LONGEST_BUNDLE_S = 5.0
"""A host ends a bundle that has lasted longer than this, and is no block, after the match that it plays."""


class Turns:
    """Says what of a bundle is to be played now, and collects what came of it."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._place = self._spoiled = 0
        """Which match it is, and how often it has been spoiled here."""
        self._has_result = bundle.has_result
        self._has_ended = False
        """Whether nothing more of it is played here."""
        self.reports: list[Played | Spoiled] = []
        """What came of the bundle so far, in order."""

    @property
    def order(self) -> Job | None:
        """What is to be played now. None where the bundle has ended."""
        if self._has_ended or self._place == len(self._bundle.orders):
            return None
        return (self._bundle.orders[self._place], *self._again)[self._spoiled]

    @property
    def is_last_attempt(self) -> bool:
        """Whether the match that is to be played now is given up here if it is spoiled."""
        return self._spoiled == len(self._again)

    @property
    def unplayed(self) -> tuple[Job, ...]:
        """The orders of matches that were not begun, once the bundle has ended."""
        return self._bundle.orders[self._place :]

    def take(self, report: Played | Spoiled) -> None:
        """Take in what came of the match that is to be played now. Raises ValueError for any other report."""
        order = self.order
        if order is None or not _is_of(report, order):
            expected = "none" if order is None else f"one of match {order.fixture.number}"
            raise ValueError(f"a report of match {report.number}; expected {expected}")
        self.reports.append(report)
        if isinstance(report, Played):
            self._has_result = True
            self._next()
        elif self._bundle.is_block and not self._has_result:
            self._has_ended = True
            self._next()
        elif self.is_last_attempt:
            self._next()
        else:
            self._spoiled += 1

    def stop(self) -> None:
        """Play nothing more of it here, unless it is a block; the desk hands the rest out again."""
        self._has_ended = self._has_ended or not self._bundle.is_block

    def _next(self) -> None:
        self._place += 1
        self._spoiled = 0

    @property
    def _again(self) -> tuple[Job, ...]:
        return self._bundle.again[self._place] if self._bundle.again else ()


class TimedTurns(Turns):
    """The matches of a bundle on the host that plays them. One that lasts too long ends early."""

    def __init__(self, bundle: Bundle, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` tells seconds."""
        super().__init__(bundle)
        self._clock = clock
        self._begun_at = self._last_at = clock()
        self.seconds: list[float] = []
        """For each of the reports, how long the bundle had to wait for it."""

    def take(self, report: Played | Spoiled) -> None:
        """Take in what came of the match that is to be played now. Raises ValueError for any other report."""
        super().take(report)
        now = self._clock()
        self.seconds.append(now - self._last_at)
        self._last_at = now
        if now - self._begun_at > LONGEST_BUNDLE_S:
            self.stop()


class Turn(Struct, frozen=True, kw_only=True):
    """An order of a bundle that was played, and what came of it."""

    order: Job
    report: Played | Spoiled
    is_over: bool
    """Whether the host did not play the match again itself."""


class EndedTurns(Struct, frozen=True, kw_only=True):
    """What came of a bundle."""

    turns: tuple[Turn, ...]
    """In the order in which they were played."""
    unplayed: tuple[Job, ...]
    """The orders that were not played."""


def ended_turns(bundle: Bundle, reports: Sequence[Played | Spoiled]) -> EndedTurns:
    """What came of a bundle by its reports. Raises ValueError where there is one that it cannot have, or too few.

    Only a block must have a report of each match. Of other matches the host may have left out the last ones.
    """
    turns, done = Turns(bundle), []
    for report in reports:
        order = turns.order
        turns.take(report)
        if order is not None:
            done.append((order, report, turns.order))
    if reports:
        turns.stop()
    if turns.order is not None:
        raise ValueError(f"no report of match {turns.order.fixture.number}")
    return EndedTurns(
        turns=tuple(
            Turn(order=order, report=report, is_over=then is None or then.fixture.number != order.fixture.number)
            for order, report, then in done
        ),
        unplayed=turns.unplayed,
    )


def _is_of(report: Played | Spoiled, order: Job) -> bool:
    """Whether this came of an order. A match with other cards than these did not."""
    if isinstance(report, Spoiled):
        return report.number == order.fixture.number
    bots = tuple(bot.name for bot in order.setup.bots)
    ours = order.fixture.number, order.fixture.redeals, bots
    return (report.number, report.result.redeals, report.result.bots) == ours
