"""Which bots can meet at a table: all line-ups that a tournament allows. Knows bots as numbers only."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from math import gcd

from referee.tournament.plan.fixture import Lineup


class AllLineups:
    """All line-ups of `seats` out of `bots` bots, each in rising order. They are not held in memory.

    Neighbours are far apart in the order of combinations, so that the beginning already mixes all bots.
    """

    def __init__(self, bots: int, seats: int, *, owners: Sequence[str] = (), challengers: Collection[int] = ()) -> None:
        """With `owners`, by bot, no two bots of one owner meet; an empty one is nobody's, and its bot meets anybody.

        With `challengers` exactly one of them sits at each table, and all others are of the field.
        """
        self.bots, self.seats = bots, seats
        self.challengers = frozenset(challengers)
        self._owners = [owner or bot for bot, owner in enumerate(owners or [""] * bots)]
        self._field = [bot for bot in range(bots) if bot not in self.challengers]
        self._parts = [_Part((), self._groups(self._field), seats)]
        if self.challengers:
            self._parts = [
                _Part(
                    (bot,),
                    self._groups([one for one in self._field if self._owners[one] != self._owners[bot]]),
                    seats - 1,
                )
                for bot in sorted(self.challengers)
            ]
        self._starts = [*accumulate((len(part) for part in self._parts), initial=0)]
        self._count = self._starts[-1]
        # Steps near the golden section spread evenly over the whole; a coprime one meets everything once.
        golden = int(self._count * 0.618) + 1
        self._step = next(step for step in range(golden, golden + self._count + 1) if gcd(step, self._count or 1) == 1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Lineup]:
        return map(self.__getitem__, range(self._count))

    def __getitem__(self, index: int) -> Lineup:
        """The line-up of an index from 0 to len - 1."""
        place = index * self._step % self._count
        part = bisect_right(self._starts, place) - 1
        return self._parts[part].lineup(place - self._starts[part])

    @cached_property
    def by_bot(self) -> list[int]:
        """By bot, how many of the line-ups it is in."""
        return [sum(part.with_bot(bot) for part in self._parts) for bot in range(self.bots)]

    @property
    def is_plain(self) -> bool:
        """Whether anybody may meet anybody."""
        return not self.challengers and len(set(self._owners)) == self.bots

    def allows(self, lineup: Collection[int]) -> bool:
        """Whether these bots, each of which is there, may meet."""
        owners = {self._owners[bot] for bot in lineup}
        guests = len(self.challengers.intersection(lineup))
        return len(lineup) == len(owners) == self.seats and guests == bool(self.challengers)

    def next_bots(self, lineup: Lineup) -> list[int]:
        """Who can take the next seat beside these bots. A challenger comes first."""
        owners = {self._owners[bot] for bot in lineup}
        seeks_challenger = bool(self.challengers) and self.challengers.isdisjoint(lineup)
        able = self.challengers if seeks_challenger else self._field
        return [bot for bot in sorted(able) if self._owners[bot] not in owners]

    def _groups(self, bots: Sequence[int]) -> list[list[int]]:
        """These bots by owner."""
        groups: dict[str | int, list[int]] = {}
        for bot in bots:
            groups.setdefault(self._owners[bot], []).append(bot)
        return list(groups.values())


def all_lineups(
    bots: Sequence[str], seats: int, *, owners: Mapping[str, str] | None = None, challengers: Collection[str] = ()
) -> AllLineups:
    """All line-ups of these bots, with owners and challengers by name as a plan takes them."""
    return AllLineups(
        len(bots),
        seats,
        owners=() if owners is None else [owners[bot] for bot in bots],
        challengers=[index for index, bot in enumerate(bots) if bot in challengers],
    )


class _Part:
    """All line-ups of some bots that sit in each of them and so many others, no two of which are of one group."""

    def __init__(self, fixed: Lineup, groups: list[list[int]], others: int) -> None:
        self._fixed, self._groups, self._others = fixed, groups, others
        self._ways = _ways([len(group) for group in groups], others)

    def __len__(self) -> int:
        return self._ways[self._others][-1]

    def with_bot(self, bot: int) -> int:
        """How many of the line-ups a bot is in."""
        if bot in self._fixed:
            return len(self)
        rest = [len(group) for group in self._groups if bot not in group]
        return _ways(rest, self._others - 1)[-1][-1] if self._others and len(rest) < len(self._groups) else 0

    def lineup(self, rank: int) -> Lineup:
        """The line-up of this rank in the combinatorial number system (colexicographic order), with groups for bots."""
        lineup = self._fixed
        for size in range(self._others, 0, -1):
            group = bisect_right(self._ways[size], rank) - 1
            member, rank = divmod(rank - self._ways[size][group], self._ways[size - 1][group])
            lineup = (self._groups[group][member], *lineup)
        return tuple(sorted(lineup))


def _ways(groups: Sequence[int], seats: int) -> list[list[int]]:
    """By size, up to `seats`, and by how many groups come first: how many line-ups these make, one bot of each group.

    The groups are told by their sizes. With groups of one bot these are the binomial coefficients.
    """
    ways = [[1] * (len(groups) + 1)]
    for _ in range(seats):
        ways.append([*accumulate((before * size for before, size in zip(ways[-1], groups, strict=False)), initial=0)])
    return ways
