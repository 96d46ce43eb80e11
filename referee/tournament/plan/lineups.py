"""Which bots may meet at a table, and all line-ups that this allows. Knows bots as numbers only."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from math import gcd

from referee.tournament.plan.planned_match import Lineup

MOST_LINEUPS = 100_000
"""A game has no more line-ups than this, all or a sample: they are listed in memory."""


class LineupRule:
    """Which bots may meet at tables of one size."""

    def __init__(self, bots: int, seats: int, *, owners: Sequence[str] = (), challengers: Collection[int] = ()) -> None:
        """With `owners`, by bot, no two bots of one owner meet; an empty one is nobody's, and its bot meets anybody.

        With `challengers` exactly one of them sits at each table, and all others are of the field.
        """
        self.bots, self.seats = bots, seats
        self.challengers = frozenset(challengers)
        self._owners = [owner or bot for bot, owner in enumerate(owners or [""] * bots)]

    @cached_property
    def count(self) -> int:
        """How many line-ups there are."""
        return self.count_with(())

    @property
    def is_plain(self) -> bool:
        """Whether anybody may meet anybody."""
        return not self.challengers and len(set(self._owners)) == self.bots

    def too_many(self, wanted: int | None) -> str:
        """Why so many line-ups, or all, cannot be played; empty where they can."""
        if min(self.count, wanted or self.count) <= MOST_LINEUPS:
            return ""
        every = f"{self.bots} bots at tables of {self.seats} make {self.count:,} line-ups"
        return f"{every}, of which {MOST_LINEUPS:,} at most can be played; set `lineups`, such as {10 * self.bots}"

    def allows(self, lineup: Collection[int]) -> bool:
        """Whether these bots, each of which is there, may meet."""
        owners = {self._owners[bot] for bot in lineup}
        guests = len(self.challengers.intersection(lineup))
        return len(lineup) == len(owners) == self.seats and guests == bool(self.challengers)

    def next_bots(self, lineup: Lineup) -> list[int]:
        """Who can take the next seat beside these bots. A challenger comes first."""
        owners = {self._owners[bot] for bot in lineup}
        able: Sequence[int] = range(self.bots)
        if self.challengers:
            is_next = self.challengers.isdisjoint(lineup)
            able = [bot for bot in able if (bot in self.challengers) == is_next]
        return [bot for bot in able if self._owners[bot] not in owners]

    def count_with(self, lineup: Lineup) -> int:
        """How many line-ups have all of these bots, which may meet."""
        free = self.next_bots(lineup)
        if self.challengers and self.challengers.isdisjoint(lineup):
            return sum(self.count_with((*lineup, bot)) for bot in free)
        ways = [1] + [0] * (self.seats - len(lineup))
        for size in Counter(self._owners[bot] for bot in free).values():
            for seats in range(len(ways) - 1, 0, -1):
                ways[seats] += ways[seats - 1] * size
        return ways[-1]

    def lineups(self) -> list[Lineup]:
        """All line-ups, each in rising order. Neighbours are far apart, so that the beginning mixes all bots."""
        found = list(self.in_order())
        # Steps near the golden section spread evenly over the whole; a coprime one meets everything once.
        golden, count = int(len(found) * 0.618) + 1, len(found)
        step = next(step for step in range(golden, golden + count + 1) if gcd(step, count or 1) == 1)
        return [found[place * step % count] for place in range(count)]

    def in_order(self) -> Iterator[Lineup]:
        """All line-ups, one made after another."""
        firsts: list[Lineup] = [(bot,) for bot in sorted(self.challengers)] or [()]
        for first in firsts:
            groups: dict[str | int, list[int]] = {}
            for bot in self.next_bots(first):
                groups.setdefault(self._owners[bot], []).append(bot)
            for others in _one_of_each(list(groups.values()), self.seats - len(first)):
                yield tuple(sorted((*first, *others)))


def lineup_rule(
    bots: Sequence[str], seats: int, *, owners: Mapping[str, str] | None = None, challengers: Collection[str] = ()
) -> LineupRule:
    """The rule for these bots, with owners and challengers by name as a plan takes them."""
    return LineupRule(
        len(bots),
        seats,
        owners=() if owners is None else [owners[bot] for bot in bots],
        challengers=[index for index, bot in enumerate(bots) if bot in challengers],
    )


def _one_of_each(groups: Sequence[Sequence[int]], size: int) -> Iterator[Lineup]:
    """All choices of so many bots, no two of one group."""
    if not size:
        yield ()
        return
    for place in range(size - 1, len(groups)):
        for bot in groups[place]:
            for others in _one_of_each(groups[:place], size - 1):
                yield (*others, bot)
