"""Whole deals: all line-ups of each variant, or samples of them, on one deal after another, in a fixed order.

Pure: they follow from the master key, names and numbers alone, so that any part of them can be worked out again. This
module knows nothing of processes, clocks, results or the store.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from referee.rules.table.streams import Stream
from referee.tournament.plan.fixture import Lineup
from referee.tournament.plan.keys import Rotations
from referee.tournament.plan.lineups import AllLineups, all_lineups
from referee.tournament.plan.samples import choose_lineups


class PlannedVariant(Struct, frozen=True, kw_only=True):
    """A game of the tournament: the name that the config gives it, the seats at a table, and who shares cards."""

    variant: str
    seats: int
    rotations: Rotations = "same"


class Sitting(Struct, frozen=True, kw_only=True):
    """Who plays a match: its block and its rotation, with the bots in the order of their names, not by seat."""

    variant: str
    block: int
    lineup: Lineup
    deal: int
    rotation: int


class WholeDeals:
    """The blocks of the deals that all line-ups play, each deal in the same order, with the rotations of each block.

    Raises ValueError when names are not unique, or when there are no line-ups of a variant: it has more seats than
    there are bots, or than there are owners of bots.
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
        """
        _check(bots, variants)
        self.master_key, self.bots, self.variants = master_key, bots, variants
        self.versions_before = versions_before
        self.deals = deals
        self.seats_of = {entry.variant: entry.seats for entry in variants}
        """By variant, how many bots sit at a table."""
        self._by_name = sorted(range(len(bots)), key=lambda bot: bots[bot])
        self._names = [bots[bot] for bot in self._by_name]
        self._is_sampled = lineups is not None
        self._before: tuple[WholeDeals, ...] = () if before is None else (*before._before, before)
        self._lineups: dict[str, list[Lineup] | AllLineups] = {}
        """By variant, as indexes of `_names`."""
        for variant, seats in self.seats_of.items():
            every = all_lineups(self._names, seats, owners=owners, challengers=challengers)
            if not every:
                raise ValueError(f"there is no line-up of {seats} for {variant}: no bots that may meet")
            self._lineups[variant] = self._choose(variant, every, lineups)
        self.lineups = {variant: len(some) for variant, some in self._lineups.items()}
        """By variant, how many line-ups play each deal."""
        self._laps = _laps(self.lineups, self.seats_of)
        self.deal_blocks = sum(self.lineups.values())
        """How many blocks each deal has."""
        self.deal_matches = sum(count * self.seats_of[variant] for variant, count in self.lineups.items())
        """How many matches each deal has."""

    def __len__(self) -> int:
        """How many matches there are."""
        return self.deals * self.deal_matches

    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that there is."""
        deal, rest = divmod(number, self.deal_matches)
        laps = self._laps[bisect_right(self._laps, rest, key=lambda one: one.first_match) - 1]
        lap, rest = divmod(rest - laps.first_match, laps.starts[-1])
        place = bisect_right(laps.starts, rest) - 1
        variant = laps.variants[place]
        lineup = self._lineups[variant][laps.first_lineup + lap]
        return Sitting(
            variant=variant,
            block=deal * self.deal_blocks + laps.first_block + lap * len(laps.variants) + place,
            lineup=tuple(self._by_name[index] for index in lineup),
            deal=deal,
            rotation=rest - laps.starts[place],
        )

    def blocks_of_deal(self) -> Iterator[tuple[str, int]]:
        """The blocks of a deal in their order, each as its variant and the place of its line-up among those of it."""
        for laps in self._laps:
            for place in range(laps.first_lineup, laps.end):
                for variant in laps.variants:
                    yield variant, place

    def place_of(self, variant: str, bots: Iterable[str]) -> int | None:
        """The place of a line-up among those of a variant, from 0. None where it has none."""
        return self._places.get(variant, {}).get(frozenset(bots))

    def first_match(self, variant: str, place: int) -> int:
        """The number, within each deal, of the first match of the line-up with this place among those of a variant."""
        laps = next(one for one in self._laps if one.first_lineup <= place < one.end and variant in one.variants)
        lap = place - laps.first_lineup
        return laps.first_match + lap * laps.starts[-1] + laps.starts[laps.variants.index(variant)]

    @cached_property
    def _places(self) -> dict[str, dict[frozenset[str], int]]:
        """By variant, all line-ups by the bots' names, with their places."""
        return {
            variant: {frozenset(lineup): place for place, lineup in enumerate(self._by_names(variant))}
            for variant in self._lineups
        }

    def _by_names(self, variant: str) -> Iterator[tuple[str, ...]]:
        """The line-ups of a variant by the names of their bots."""
        return (tuple(self._names[bot] for bot in lineup) for lineup in self._lineups[variant])

    def _choose(self, variant: str, every: AllLineups, wanted: int | None) -> list[Lineup] | AllLineups:
        """The line-ups of a variant: the streams `lineups/VARIANT` and, after amendments, `lineups/VARIANT/3` draw."""
        earlier = [one for one in self._before if one._is_sampled and variant in one.seats_of]
        if not earlier:
            return choose_lineups(Stream(self.master_key, f"lineups/{variant}"), every, wanted)
        index = {name: bot for bot, name in enumerate(self._names)}
        all_had = dict.fromkeys(lineup for one in earlier for lineup in one._by_names(variant))
        there = (tuple(sorted(index[name] for name in lineup)) for lineup in all_had if index.keys() >= {*lineup})
        had = [*filter(every.allows, there)]
        seated = set[int]().union(*had)
        newcomers = {bot for name, bot in index.items() if name not in earlier[-1].bots or bot not in seated}
        stream = Stream(self.master_key, f"lineups/{variant}/{len(self._before)}")
        return choose_lineups(stream, every, wanted, had=had, newcomers=newcomers)


class _Laps(Struct, frozen=True, kw_only=True):
    """Laps of a deal in each of which the same variants have a block, one after another."""

    first_match: int
    first_block: int
    first_lineup: int
    end: int
    """The first line-up that is not in it."""
    variants: tuple[str, ...]
    starts: tuple[int, ...]
    """The first match of each variant's block within a lap, and at the end the number of matches of a lap."""


def _laps(lineups: Mapping[str, int], seats: Mapping[str, int]) -> list[_Laps]:
    """The laps of a deal for variants with so many line-ups and seats, by who has a block in them."""
    found: list[_Laps] = []
    match = block = first = 0
    for end in sorted(set(lineups.values())):
        variants = tuple(variant for variant, count in lineups.items() if count >= end)
        starts = tuple(accumulate((seats[variant] for variant in variants), initial=0))
        found.append(
            _Laps(first_match=match, first_block=block, first_lineup=first, end=end, variants=variants, starts=starts)
        )
        match += (end - first) * starts[-1]
        block += (end - first) * len(variants)
        first = end
    return found


def _check(bots: Sequence[str], variants: Sequence[PlannedVariant]) -> None:
    for what, names in (("bot", bots), ("variant", [planned.variant for planned in variants])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{what} names must be unique, but these are not: {', '.join(twice)}")
    for planned in variants:
        if planned.seats > len(bots):
            raise ValueError(f"{planned.variant} has {planned.seats} seats, but there are {len(bots)} bots")
