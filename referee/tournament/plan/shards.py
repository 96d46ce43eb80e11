"""Shards of a fixed plan: parts that machines play which cannot talk to each other.

A shard is a filter over the whole plan's numbers, and which shard plays a block follows from the plan alone. Of a deal
the line-ups of each variant go to the shards in turn, and with each deal they go to the next one, so that no shard has
more than one block of a variant in a deal more than another, and every line-up comes to each of them. Pure: this module
must not know who plays a shard, or where.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.tournament.plan.deals import PlannedBlock

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


def blocks_of_shard(deal: Sequence[PlannedBlock], shard: Shard) -> list[PlannedBlock]:
    """The blocks of the first `shard.of` deals that a shard plays, given those of a deal: each line-up once.

    Raises ValueError where there is no such shard.
    """
    if not shard.exists:
        raise ValueError(f"there is no shard {shard}")
    turns = {variant: place for place, variant in enumerate(dict.fromkeys(block.variant for block in deal))}
    found = []
    for block in deal:
        found.append(replace(block, deal=(shard.number - 1 - turns[block.variant]) % shard.of))
        turns[block.variant] += 1
    return sorted(found, key=lambda block: block.deal)
