"""Whose presence explains the voids of a run, from nothing but who sat at which attempt.

An attempt at a match is void when the referee or its host spoils it. A bot that can bring that about would do so where
it is losing. Here it is found, if its presence alone explains the voids. Nobody looks into what it did, so the evidence
must be strong, and no rival may be able to make it up:

- While a host is in trouble, whoever happens to play is voided again and again. So voids with no finished match in
  between are one *stretch*, which counts for a bot once at most, and once at most against it. Three are needed.
- The share of voids must be higher with the bot than without it, by Fisher's exact test: with it there are the
  stretches with a void table at which it sat, and the finished matches at which it sat; and without it likewise.
- It must be so without any single rival: the test is made again for each, without the tables at which both sat. So a
  rival that voids only its matches against one bot does not put the blame on that bot, and a bot that meets the culprit
  often is not taken for it. All bots of one owner are one rival.

A void that says nothing of the bots at its table is told, but shows nothing: the kernel of a host without memory kills
the largest process, whoever has filled it, be it in another match.

This module must not know how matches are played or stored.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

LEVEL = 0.0001
"""How likely it may be at most that the voids fell so by chance, in each of the tests."""

LEAST_STRETCHES = 3
"""In how many stretches a bot must have sat at a void table at least: two troubles of a host prove nothing."""

Table = frozenset[str]
"""The bots that sat at an attempt."""


class Attempts(Struct, frozen=True, kw_only=True):
    """At how many attempts at matches a bot sat, and how many of them were void."""

    attempts: int = 0
    voided: int = 0


class VoidTally:
    """Takes the attempts of a run in order, and tells whose presence explains those that were void."""

    def __init__(self, owners: Mapping[str, str]) -> None:
        """`owners` has the owner of each bot by its name. A bot without an owner stands alone."""
        self._owners = owners
        self._attempts: Counter[str] = Counter()
        self._voided: Counter[str] = Counter()
        self._showing: Counter[str] = Counter()
        """By bot: the voids that say something of the bots at their table."""
        self._finished = 0
        """How many matches were finished; by bot, and by bot and rival, at how many of them it sat."""
        self._finished_with: Counter[str] = Counter()
        self._finished_shared: Counter[tuple[str, str]] = Counter()
        self._stretches: list[set[Table]] = []
        """The tables that were void in each stretch. The last one may not have ended yet."""
        self._has_ended = True

    def finished(self, bots: Iterable[str]) -> None:
        """A match at which these bots sat was finished."""
        table = frozenset(bots)
        self._attempts.update(table)
        self._finished += 1
        self._finished_with.update(table)
        self._finished_shared.update((bot, rival) for bot in table for rival in self._rivals(bot, table))
        self._has_ended = True

    def voided(self, bots: Iterable[str], *, shows: bool = True) -> None:
        """An attempt at which these bots sat was void. It is told whether that `shows` anything of them."""
        table = frozenset(bots)
        self._attempts.update(table)
        self._voided.update(table)
        if not shows:
            return
        self._showing.update(table)
        if self._has_ended:
            self._stretches.append(set())
            self._has_ended = False
        self._stretches[-1].add(table)

    def of(self, bot: str) -> Attempts:
        """How many attempts a bot has sat at."""
        return Attempts(attempts=self._attempts[bot], voided=self._voided[bot])

    def blamed(self, bots: Iterable[str], voids: int) -> list[str]:
        """Those of these bots that have sat at `voids` voids or more, and whose presence alone explains them."""
        return [bot for bot in bots if self._showing[bot] >= voids and self.explains(bot)]

    def explains(self, bot: str) -> bool:
        """Whether the presence of this bot alone explains the voids at which it sat."""
        tables = {table for stretch in self._stretches for table in stretch if bot in table}
        rivals = {rival for table in tables for rival in self._rivals(bot, table)}
        if sum(any(bot in table for table in stretch) for stretch in self._stretches) < LEAST_STRETCHES:
            return False
        return all(self._likelihood(bot, rival) < LEVEL for rival in (None, *sorted(rivals)))

    def _likelihood(self, bot: str, left_out: str | None) -> float:
        """How likely it is that the voids fell so by chance, without the tables at which both sat."""

        def counts(table: Table) -> bool:
            return bot in table and (left_out is None or left_out not in self._rivals(bot, table))

        shared = 0 if left_out is None else self._finished_shared[bot, left_out]
        void_with = sum(any(map(counts, stretch)) for stretch in self._stretches)
        void_without = sum(any(bot not in table for table in stretch) for stretch in self._stretches)
        finished_with = self._finished_with[bot] - shared
        return likelihood(void_with, finished_with, void_without, self._finished - self._finished_with[bot])

    def _rivals(self, bot: str, table: Table) -> set[str]:
        """The rivals of a bot at a table, each a text that stands for one bot or for all of one owner."""
        others = ((other, self._owners.get(other)) for other in table if other != bot)
        return {f"owner {owner}" if owner else f"bot {other}" for other, owner in others}


def likelihood(void_with: int, finished_with: int, void_without: int, finished_without: int) -> float:
    """How likely it is by chance that at least so many of the voids were `with` a bot, as many as there are in all.

    That is the one-sided p of Fisher's exact test, from the hypergeometric distribution; 1 where the share of voids is
    not higher with the bot than without it, or where there is nothing to compare.
    """
    voids, with_, without = void_with + void_without, void_with + finished_with, void_without + finished_without
    if void_with * without <= void_without * with_:
        return 1.0
    term = math.exp(
        _log_choose(with_, void_with) + _log_choose(without, void_without) - _log_choose(with_ + without, voids)
    )
    sum_ = term
    for void in range(void_with, min(with_, voids)):
        term *= (with_ - void) * (voids - void) / ((void + 1) * (without - voids + void + 1))
        sum_ += term
    return min(1.0, sum_)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
