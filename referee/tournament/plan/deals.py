"""Whole deals: all line-ups of each variant, or samples of them, on one deal after another, in a fixed order.

Pure: they follow from the master key, names and numbers alone, so that any part of them can be worked out again. This
module knows nothing of processes, clocks, results or the store.
"""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from referee.rules.keyed_streams import Stream
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.lineups import lineup_rule
from referee.tournament.plan.planned_match import Lineup
from referee.tournament.plan.samples import choose_lineups


class PlannedVariant(Struct, frozen=True, kw_only=True):
    """A game of the tournament: the name that the config gives it, the seats at a table, and who shares cards."""

    variant: str
    seats: int
    rotations: Rotations = "same"


class PlannedBlock(Struct, frozen=True, gc=False):
    """A block of a plan."""

    variant: str
    lineup: Lineup
    """The bots in the order of their names, each as its index in the config."""
    deal: int


class BlockList:
    """Blocks one after another. The rotations of a block are its matches."""

    def __init__(self, blocks: Iterable[PlannedBlock]) -> None:
        self.blocks = list(blocks)
        self.starts = array("Q", accumulate((len(block.lineup) for block in self.blocks), initial=0))
        """The first match of each block, and at the end how many there are."""

    @cached_property
    def matches_of(self) -> Counter[str]:
        """By variant, how many matches there are."""
        return matches_of(self.blocks)

    def find(self, number: int) -> tuple[int, int, int]:
        """How often all blocks come before the match of this number, the place of its block, and its rotation."""
        turn, rest = divmod(number, self.starts[-1])
        place = bisect_right(self.starts, rest) - 1
        return turn, place, rest - self.starts[place]


class WholeDeals:
    """The blocks of the deals that all line-ups play, each deal in the same order, with the rotations of each block.

    Line-ups are listed when they are first needed, since most formats play none of these deals. Whatever needs them
    raises ValueError where there are too many.
    """

    def __init__(  # noqa: PLR0913 - what a plan follows from
        self,
        *,
        master_key: bytes,
        bots: Sequence[str],
        variants: Sequence[PlannedVariant],
        deals: int,
        versions_before: Sequence[int] = (),
        lineups: int | None = None,
        owners: Mapping[str, str] | None = None,
        challengers: Collection[str] = (),
        before: "WholeDeals | None" = None,
    ) -> None:
        """With `owners`, by bot, no two bots of one owner meet. With `challengers` one of them sits at each table.

        `versions_before` has by bot how many versions it had before in the run; empty if all are 0. `before` is what
        this amends, to whose samples of line-ups it adds.

        Raises ValueError when names are not unique, or when there are no line-ups of a variant: it has more seats than
        there are bots, or than there are owners of bots.
        """
        _check(bots, variants)
        self.master_key, self.bots, self.variants = master_key, bots, variants
        self.versions_before = versions_before
        self.deals = deals
        self.seats_of = {entry.variant: entry.seats for entry in variants}
        """By variant, how many bots sit at a table."""
        self._by_name = sorted(range(len(bots)), key=lambda bot: bots[bot])
        self._index = {name: bot for bot, name in enumerate(bots)}
        self._wanted = lineups
        self._before: tuple[WholeDeals, ...] = () if before is None else (*before._before, before)
        names = sorted(bots)
        self._rules = {
            variant: lineup_rule(names, seats, owners=owners, challengers=challengers)
            for variant, seats in self.seats_of.items()
        }
        for variant, rule in self._rules.items():
            if not rule.count:
                raise ValueError(f"there is no line-up of {rule.seats} for {variant}: no bots that may meet")

    @cached_property
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups play each deal."""
        return {variant: len(some) for variant, some in self._lineups.items()}

    @cached_property
    def of_deal(self) -> BlockList:
        """The blocks of the first deal. Those of each other one are the same, but for its number.

        Variants take turns, as long as they have line-ups.
        """
        most = max(self.lineups.values(), default=0)
        return BlockList(
            PlannedBlock(variant, some[place], 0)
            for place in range(most)
            for variant, some in self._lineups.items()
            if place < len(some)
        )

    def __len__(self) -> int:
        """How many matches there are."""
        return self.deals * self.of_deal.starts[-1]

    def lineup_of(self, bots: Iterable[str]) -> Lineup | None:
        """The indexes of these bots in the order of their names. None where one is not there."""
        names = sorted(bots)
        return tuple(self._index[name] for name in names) if self._index.keys() >= {*names} else None

    @cached_property
    def _lineups(self) -> dict[str, list[Lineup]]:
        """By variant, the line-ups that play each deal."""
        return {
            variant: [tuple(self._by_name[place] for place in lineup) for lineup in self._chosen(variant)]
            for variant in self._rules
        }

    def _chosen(self, variant: str) -> list[Lineup]:
        """The line-ups of a variant: the streams `lineups/VARIANT` and, after amendments, `lineups/VARIANT/3` draw.

        The bots are places in the order of names.
        """
        rule = self._rules[variant]
        earlier = [one for one in self._before if one._wanted is not None and variant in one.seats_of]
        if not earlier:
            return choose_lineups(Stream(self.master_key, f"lineups/{variant}"), rule, self._wanted)
        place = {self.bots[bot]: place for place, bot in enumerate(self._by_name)}
        all_had = dict.fromkeys(
            tuple(one.bots[bot] for bot in lineup) for one in earlier for lineup in one._lineups[variant]
        )
        there = (tuple(sorted(place[name] for name in lineup)) for lineup in all_had if place.keys() >= {*lineup})
        had = [*filter(rule.allows, there)]
        seated = set[int]().union(*had)
        newcomers = {at for name, at in place.items() if name not in earlier[-1].bots or at not in seated}
        stream = Stream(self.master_key, f"lineups/{variant}/{len(self._before)}")
        return choose_lineups(stream, rule, self._wanted, had=had, newcomers=newcomers)


def matches_of(blocks: Iterable[PlannedBlock]) -> Counter[str]:
    """By variant, how many matches these blocks have."""
    found = Counter[str]()
    for block in blocks:
        found[block.variant] += len(block.lineup)
    return found


def _check(bots: Sequence[str], variants: Sequence[PlannedVariant]) -> None:
    for what, names in (("bot", bots), ("variant", [planned.variant for planned in variants])):
        if twice := sorted(name for name, count in Counter(names).items() if count > 1):
            raise ValueError(f"{what} names must be unique, but these are not: {', '.join(twice)}")
    for planned in variants:
        if planned.seats > len(bots):
            raise ValueError(f"{planned.variant} has {planned.seats} seats, but there are {len(bots)} bots")
