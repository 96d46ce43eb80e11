"""Whose presence explains the voids of a run, from nothing but who sat at which attempt.

An attempt at a match is void when the referee or its host spoils it. A bot that can bring that about would do so where
it is losing. The test finds it, if its presence alone explains the voids. It looks at nothing that the bot did, so the
evidence must be strong, and no rival may be able to make it up:

- While a host is in trouble, every match that plays is voided again and again. So voids with no finished match in
  between are one *stretch*, which counts for a bot once at most, and once at most against it. Three are needed.
- The share of voids must be higher with the bot than without it, by Fisher's exact test: with it there are the
  stretches with a void table at which it sat, and the finished matches at which it sat; and without it likewise.
- It must be so without any single rival: the test is made again for each, without the tables at which both sat. So a
  rival that voids only its matches against one bot does not put the blame on that bot, and a bot that meets the culprit
  often is not taken for it. All bots of one owner are one rival.

A void that says nothing of the bots at its table is counted nowhere: the kernel of a host without memory kills the
largest process, whichever bot has filled it, be it in another match.

This module must not know how matches are played or stored.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec import Struct

LEVEL = 0.0001
"""The greatest p-value, in each of the tests."""

LEAST_STRETCHES = 3
"""In how many stretches a bot must have sat at a void table at least: two troubles of a host prove nothing."""


LEAST_OCCASIONS = 16
"""How many stretches and finished matches there must be at least: with fewer, no p-value is below the level."""


TO_WITHDRAW = "to withdraw the bot, take it out of the config and run `golfref tournament CONFIG --amend`"
"""What the organiser can do about a suspect."""


class VoidSuspect(Struct, frozen=True, kw_only=True):
    """A bot whose presence alone explains the voids at which it sat."""

    bot: str
    voided: int
    """At how many voided attempts it sat since the run was last amended."""
    of: int
    """How many attempts were voided in that time."""

    def in_words(self, name: Callable[[str], str] = str) -> str:
        """The evidence, with the bot's `name` as it is shown."""
        evidence = f"sat at {self.voided} of {self.of} voided attempts, and its presence alone explains them"
        return f"{name(self.bot)} {evidence} (p < {LEVEL:g})"


class VoidTally:
    """Takes the attempts of a run in order, and finds the bots whose presence explains those that were void."""

    def __init__(self, owners: Mapping[str, str]) -> None:
        """`owners` has the owner of each bot by its name. A bot without an owner stands alone."""
        self._owners = owners
        self._voids = 0
        self._voided: Counter[str] = Counter()
        self._finished = 0
        self._finished_with: Counter[str] = Counter()
        self._finished_shared: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By bot and rival, at how many finished matches both sat."""
        self._stretches = 0
        self._stretches_with: Counter[str] = Counter()
        """By bot, in how many stretches it sat at a void table."""
        self._stretches_shared: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By bot and rival, in how many of them the rival sat at each void table of the bot."""
        self._stretches_throughout: Counter[str] = Counter()
        """By bot, in how many stretches it sat at every void table."""
        self._rivals_now: dict[str, set[str]] = {}
        """In the stretch that goes on, by bot, the rivals at each of its void tables."""
        self._throughout_now: set[str] | None = None
        """The bots at every void table of the stretch that goes on. None where a match was finished since."""

    def finished(self, bots: Iterable[str]) -> None:
        """A match at which these bots sat was finished."""
        table = frozenset(bots)
        self._finished += 1
        self._finished_with.update(table)
        for bot in table:
            self._finished_shared[bot].update(self._rivals(bot, table))
        self._throughout_now = None

    def voided(self, bots: Iterable[str]) -> None:
        """An attempt at which these bots sat was void."""
        table = frozenset(bots)
        self._voids += 1
        self._voided.update(table)
        if self._throughout_now is None:
            self._stretches += 1
            self._rivals_now = {}
            self._throughout_now = {*table}
            self._stretches_throughout.update(table)
        self._stretches_throughout.subtract(self._throughout_now - table)
        self._throughout_now &= table
        for bot in table:
            rivals = self._rivals(bot, table)
            if bot not in self._rivals_now:
                self._stretches_with[bot] += 1
                self._stretches_shared[bot].update(rivals)
                self._rivals_now[bot] = rivals
            else:
                self._stretches_shared[bot].subtract(self._rivals_now[bot] - rivals)
                self._rivals_now[bot] &= rivals

    def suspects(self, bots: Collection[str] | None = None) -> list[VoidSuspect]:
        """The bots, or those of `bots`, whose presence alone explains the voids at which they sat, by name."""
        among = sorted(self._voided if bots is None else bots)
        return [VoidSuspect(bot=bot, voided=self._voided[bot], of=self._voids) for bot in among if self._explains(bot)]

    def _explains(self, bot: str) -> bool:
        if self._stretches_with[bot] < LEAST_STRETCHES or self._stretches + self._finished < LEAST_OCCASIONS:
            return False
        return all(self._p_value(bot, rival) < LEVEL for rival in (None, *self._stretches_shared[bot]))

    def _p_value(self, bot: str, left_out: str | None) -> float:
        """That of Fisher's exact test, without the tables at which the bot sat with the rival that is left out."""
        void_with, finished_with = self._stretches_with[bot], self._finished_with[bot]
        if left_out is not None:
            void_with -= self._stretches_shared[bot][left_out]
            finished_with -= self._finished_shared[bot][left_out]
        void_without = self._stretches - self._stretches_throughout[bot]
        return p_value(void_with, finished_with, void_without, self._finished - self._finished_with[bot])

    def _rivals(self, bot: str, table: Iterable[str]) -> set[str]:
        """The rivals of a bot at a table, each a text that stands for one bot or for all of one owner."""
        others = ((other, self._owners.get(other)) for other in table if other != bot)
        return {f"owner {owner}" if owner else f"bot {other}" for other, owner in others}


def p_value(void_with: int, finished_with: int, void_without: int, finished_without: int) -> float:
    """The one-sided p-value of Fisher's exact test: how likely it is that at least so many voids are with a bot."""
    from scipy.stats import hypergeom  # noqa: PLC0415 - it takes a second, and few runs have so many voids

    with_, voids = void_with + finished_with, void_with + void_without
    return float(hypergeom.sf(void_with - 1, with_ + void_without + finished_without, with_, voids))
