"""Which bots meet at a table: all combinations, or a balanced sample of them. Knows bots as numbers only."""

from bisect import bisect_right
from collections.abc import Iterator
from math import comb, gcd

from referee.rules.table.streams import Stream

Lineup = tuple[int, ...]
"""Bots that meet at a table, as indexes."""


class AllLineups:
    """All line-ups of `seats` out of `bots` bots, each in rising order. They are not held in memory.

    Neighbours are far apart in the order of combinations, so that the beginning already mixes all bots.
    """

    def __init__(self, bots: int, seats: int) -> None:
        self._count = comb(bots, seats)
        self._combinations = [[comb(bot, size) for bot in range(bots)] for size in range(1, seats + 1)]
        # Steps near the golden section spread evenly over the whole; a coprime one meets everything once.
        golden = int(self._count * 0.618) + 1
        self._step = next(step for step in range(golden, golden + self._count) if gcd(step, self._count) == 1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Lineup]:
        return map(self.__getitem__, range(self._count))

    def __getitem__(self, index: int) -> Lineup:
        """The line-up of an index from 0 to len - 1."""
        return _combination(index * self._step % self._count, self._combinations)


def choose_lineups(stream: Stream, bots: int, seats: int, wanted: int | None) -> list[Lineup] | AllLineups:
    """All line-ups, or a balanced sample where fewer are wanted. Each is in rising order."""
    every = AllLineups(bots, seats)
    if wanted is None or wanted >= len(every):
        return every
    if wanted <= len(every) // 2:
        return balanced_sample(stream, bots, seats, wanted)
    # All line-ups together are balanced, so what a balanced sample leaves of them is balanced too.
    left_out = set(balanced_sample(stream, bots, seats, len(every) - wanted))
    return [lineup for lineup in every if lineup not in left_out]


def balanced_sample(stream: Stream, bots: int, seats: int, count: int) -> list[Lineup]:
    """Distinct random line-ups, each in rising order. `count` must be at most half of all there are.

    Every bot is in equally many, give or take one, and pairs meet about equally often. Each line-up is put together
    bot by bot: the next bot is one of those in the fewest line-ups, among these one that has met the bots already in
    it least often, and among these it is drawn by lot.
    """
    sample = _Sample(stream, bots, seats)
    for _ in range(count):
        lineup = sample.draw()
        if lineup in sample.lineups:
            lineup = sample.make_room(lineup)
        sample.add(lineup)
    return list(sample.lineups)


class _Sample:
    """The line-ups of a sample so far, how many each bot is in, and how often each pair meets."""

    def __init__(self, stream: Stream, bots: int, seats: int) -> None:
        self.lineups: dict[Lineup, None] = {}
        self._stream = stream
        self._seats = seats
        self._played = [0] * bots
        self._met = [[0] * bots for _ in range(bots)]

    def draw(self) -> Lineup:
        """The next line-up by the rule of balanced_sample. It may be a known one where no other last bot is left."""
        lineup: Lineup = ()
        free = list(range(len(self._played)))
        met = [0] * len(self._played)
        while len(lineup) < self._seats:
            fewest = min(self._played[bot] for bot in free)
            able = [bot for bot in free if self._played[bot] == fewest]
            if len(lineup) == self._seats - 1:
                able = [bot for bot in able if tuple(sorted((*lineup, bot))) not in self.lineups] or able
            least = min(met[bot] for bot in able)
            able = [bot for bot in able if met[bot] == least]
            bot = able[self._stream.below(len(able))]
            lineup = (*lineup, bot)
            free.remove(bot)
            met = [before + more for before, more in zip(met, self._met[bot], strict=True)]
        return tuple(sorted(lineup))

    def add(self, lineup: Lineup) -> None:
        """Take the line-up into the sample."""
        self.lineups[lineup] = None
        self._count(lineup, 1)

    def make_room(self, lineup: Lineup) -> Lineup:
        """A new line-up in place of a known one, made by exchanging a bot with one of the sample, which changes too.

        Every bot is in as many as before. A sample of at most half of all line-ups leaves such an exchange.
        """
        other, mine, theirs = next(self._exchanges(lineup))
        del self.lineups[other]
        self._count(other, -1)
        self.add(theirs)
        return mine

    def _exchanges(self, lineup: Lineup) -> Iterator[tuple[Lineup, Lineup, Lineup]]:
        """A line-up of the sample, and what this one and that one become by an exchange that makes both new."""
        for other in self._stream.shuffled(self.lineups):
            for given in (bot for bot in lineup if bot not in other):
                for taken in (bot for bot in other if bot not in lineup):
                    mine = tuple(sorted((*(bot for bot in lineup if bot != given), taken)))
                    theirs = tuple(sorted((*(bot for bot in other if bot != taken), given)))
                    if mine not in self.lineups and theirs not in self.lineups:
                        yield other, mine, theirs

    def _count(self, lineup: Lineup, by: int) -> None:
        for bot in lineup:
            self._played[bot] += by
            for other in lineup:
                self._met[bot][other] += by


def _combination(rank: int, combinations: list[list[int]]) -> Lineup:
    """The combination of this rank in the combinatorial number system (colexicographic order).

    `combinations` tells by size, from 1, and by bot how many combinations of that size there are of the bots before it.
    """
    lineup: Lineup = ()
    for before in reversed(combinations):
        bot = bisect_right(before, rank) - 1
        rank -= before[bot]
        lineup = (bot, *lineup)
    return lineup
