"""Shards of a fixed plan: parts that machines play which cannot talk to each other.

A shard is a filter over the whole plan's numbers, and which shard plays a block follows from the plan alone. Of a deal
the line-ups of each variant go to the shards in turn, and with each deal they go to the next one, so that no shard has
more than one block of a variant in a deal more than another, and every line-up comes to each of them. Pure: this module
must not know who plays a shard, or where.
"""

from array import array
from bisect import bisect_right
from collections import Counter
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.plan.deals import Sitting, WholeDeals

MOST_SHARDS = 1000


class Shard(Struct, frozen=True, kw_only=True):
    """A part of a run."""

    number: int
    """From 1."""
    of: int
    """How many there are."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def exists(self) -> bool:
        """Whether there is such a shard."""
        return 1 <= self.number <= self.of <= MOST_SHARDS


def read_shard(text: str) -> Shard | None:
    """The shard that is written as `2/5`. None where the text is none."""
    number, slash, of = text.partition("/")
    if not (slash and all(part.isascii() and part.isdecimal() and len(part) < 5 for part in (number, of))):
        return None
    shard = Shard(number=int(number), of=int(of))
    return shard if shard.exists else None


class ShardDeals:
    """What a shard has of whole deals: matches numbered from 0 in the order of the whole plan, as are their blocks.

    The shard plays each line-up once in as many deals as there are shards, so that the blocks of the first so many
    deals are all that is in memory.
    """

    def __init__(self, whole: WholeDeals, shard: Shard) -> None:
        """Raises ValueError where there is no such shard."""
        if not shard.exists:
            raise ValueError(f"there is no shard {shard}")
        self._whole, self._shard = whole, shard
        self._index = {name: index for index, name in enumerate(whole.lineups)}
        self.lineups = dict.fromkeys(whole.lineups, 0)
        """By variant, how many line-ups meet in the shard."""
        self.matches_of = Counter[str]()
        """By variant, how many matches the shard has."""
        self.blocks = 0
        """How many blocks it has."""
        mine: list[tuple[int, int]] = []
        """By block, its first match in the whole plan, and how many it has."""
        number = 0
        for variant, place in whole.blocks_of_deal():
            seats, deal = whole.seats_of[variant], self._first_deal(variant, place)
            if deal < whole.deals:
                deals = len(range(deal, whole.deals, shard.of))
                mine.append((deal * whole.deal_matches + number, seats))
                self.lineups[variant] += 1
                self.matches_of[variant] += deals * seats
                self.blocks += deals
            number += seats
        mine.sort()
        self._firsts = array("Q", (first for first, _ in mine))
        """By block, its first match in the whole plan."""
        self._starts = array("Q", accumulate((seats for _, seats in mine), initial=0))
        """By block, its first match in the shard, and at the end how many there are."""

    def has(self, variant: str, place: int, deal: int) -> bool:
        """Whether the shard plays this deal of the line-up with this place among those of the variant."""
        return deal % self._shard.of == self._first_deal(variant, place)

    def sitting(self, number: int) -> Sitting:
        """Who plays a match of the shard."""
        turn, place, _ = self._block_of(number)
        return replace(self._whole.sitting(self.number_in_whole(number)), block=turn * len(self._firsts) + place)

    def number_in_whole(self, number: int) -> int:
        """The number that a match of the shard has in the whole plan."""
        turn, place, rotation = self._block_of(number)
        return turn * self._shard.of * self._whole.deal_matches + self._firsts[place] + rotation

    def number_of(self, number: int) -> int:
        """The number in the shard of a match that it has, by its number in the whole plan."""
        turn, rest = divmod(number, self._shard.of * self._whole.deal_matches)
        place = bisect_right(self._firsts, rest) - 1
        return turn * self._starts[-1] + self._starts[place] + rest - self._firsts[place]

    def _block_of(self, number: int) -> tuple[int, int, int]:
        """How often each line-up was played before a match, which block follows that, and the match's place in it."""
        turn, rest = divmod(number, self._starts[-1])
        place = bisect_right(self._starts, rest) - 1
        return turn, place, rest - self._starts[place]

    def _first_deal(self, variant: str, place: int) -> int:
        """The deal in which a line-up comes to the shard first, by its place among those of the variant."""
        return (self._shard.number - 1 - self._index[variant] - place) % self._shard.of
