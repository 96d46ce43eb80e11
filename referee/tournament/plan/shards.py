"""Shards of a fixed plan: parts that machines play which cannot talk to each other.

Which shard plays a block follows from the plan alone. Of a deal the line-ups of each variant go to the shards in turn,
and with each deal they go to the next one, so that no shard has more than one block of a variant in a deal more than
another, and every line-up comes to each of them. Pure: this module must not know who plays a shard, or where.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.plan.schedule import BasePlan, Plan, PlannedVariant, Sitting

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


class ShardPlan(BasePlan):
    """The matches of a shard, numbered from 0 in the order of the whole plan, as are its blocks.

    `plan[number]` costs the same in a plan of any length.
    """

    def __init__(
        self,
        *,
        master_key: bytes,
        bots: Sequence[str],
        variants: Sequence[PlannedVariant],
        whole: Plan,
        shard: Shard,
    ) -> None:
        """`whole` is made from the same key, bots and variants. Raises ValueError where there is no such shard."""
        if not shard.exists:
            raise ValueError(f"there is no shard {shard}")
        before = whole.versions_before
        super().__init__(master_key=master_key, bots=bots, variants=variants, versions_before=before)
        self._whole, self._shard = whole, shard
        self._turns = _turns(whole, shard)
        """What the shard has of a deal, by the deal's number modulo the number of shards."""
        self._matches_before = list(accumulate((turn.matches for turn in self._turns), initial=0))
        self._blocks_before = list(accumulate((turn.blocks for turn in self._turns), initial=0))

    def __len__(self) -> int:
        rounds, rest = divmod(self._whole.deals, self._shard.of)
        return rounds * self._whole.deal_matches + self._matches_before[rest]

    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that the shard has."""
        turns, rest, turn = self._turn_of(number)
        place = bisect_right(self._turns[turn].starts, rest) - 1
        block = turns * self._whole.deal_blocks + self._blocks_before[turn] + place
        return replace(self._whole.sitting(self.number_in_whole(number)), block=block)

    def number_in_whole(self, number: int) -> int:
        """The number that a match of the shard has in the whole plan."""
        turns, rest, turn = self._turn_of(number)
        part = self._turns[turn]
        place = bisect_right(part.starts, rest) - 1
        deal = turns * self._shard.of + turn
        return deal * self._whole.deal_matches + part.firsts[place] + rest - part.starts[place]

    def _turn_of(self, number: int) -> tuple[int, int, int]:
        """How often each line-up was played by then, the match's number in its deal, and the place of that deal."""
        turns, rest = divmod(number, self._whole.deal_matches)
        turn = bisect_right(self._matches_before, rest) - 1
        return turns, rest - self._matches_before[turn], turn

    @property
    def whole(self) -> Plan:
        """The plan of which this is a part."""
        return self._whole

    @property
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups meet in the shard."""
        some = self._turns[: self._whole.deals]
        return {name: sum(turn.lineups[name] for turn in some) for name in self._whole.lineups}

    @property
    def matches(self) -> dict[str, int]:
        """By variant, how many matches the shard has."""
        turns, rest = divmod(self._whole.deals, self._shard.of)
        seats = self._whole.seats
        return {
            name: seats[name] * (turns * count + sum(turn.lineups[name] for turn in self._turns[:rest]))
            for name, count in self._whole.lineups.items()
        }

    def has_table(self, variant: str, bots: Iterable[str], deal: int) -> bool:
        """Whether these bots meet in this variant on this deal, in whatever seats, in this shard."""
        place = self._whole.place_of(variant, bots)
        if place is None or not 0 <= deal < self._whole.deals:
            return False
        return place in self._turns[deal % self._shard.of].places(variant)


class _Turn:
    """What a shard has of a deal."""

    def __init__(self, counts: Mapping[str, int], shard: Shard, turn: int) -> None:
        """`counts` tells how many line-ups each variant has."""
        self._places = {
            name: range((shard.number - 1 - turn - index) % shard.of, count, shard.of)
            for index, (name, count) in enumerate(counts.items())
        }
        self.lineups = {name: len(places) for name, places in self._places.items()}
        self.firsts, self.starts = array("Q"), array("Q")
        """By block its first match in the deal of the whole plan, and in that of the shard."""
        self.matches = 0

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.firsts)

    def add(self, first: int, seats: int) -> None:
        """Add a block of so many matches, the first of which has this number in the deal of the whole plan."""
        self.firsts.append(first)
        self.starts.append(self.matches)
        self.matches += seats

    def places(self, variant: str) -> range:
        """The places of the line-ups of a variant that the shard has."""
        return self._places[variant]


def _turns(whole: Plan, shard: Shard) -> list[_Turn]:
    """What the shard has of a deal, by the deal's number modulo the number of shards."""
    counts, seats = whole.lineups, whole.seats
    turns = [_Turn(counts, shard, turn) for turn in range(shard.of)]
    index = {name: place for place, name in enumerate(counts)}
    first = 0
    for variant, place in whole.blocks_of_deal():
        turns[(shard.number - 1 - index[variant] - place) % shard.of].add(first, seats[variant])
        first += seats[variant]
    return turns
