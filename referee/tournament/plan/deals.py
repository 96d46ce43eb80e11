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
        self._by_name = sorted(range(len(bots)), key=lambda bot: bots[bot])
        self._amendments: int = 0 if before is None else before._amendments + 1
        self._samples: dict[str, _Sample] = {} if before is None else before._samples.copy()
        self._lineups: list[list[Lineup] | AllLineups] = []
        names = [bots[bot] for bot in self._by_name]
        for entry in variants:
            every = all_lineups(names, entry.seats, owners=owners, challengers=challengers)
            if not every:
                raise ValueError(f"there is no line-up of {entry.seats} for {entry.variant}: no bots that may meet")
            self._lineups.append(self._choose(entry.variant, names, every, lineups))
        self.seats_of = {entry.variant: entry.seats for entry in variants}
        """By variant, how many bots sit at a table."""
        lengths, seats = [len(some) for some in self._lineups], [entry.seats for entry in variants]
        self._stages = _stages(lengths, seats)
        self.deal_blocks = sum(lengths)
        """How many blocks each deal has."""
        self.deal_matches = sum(length * each for length, each in zip(lengths, seats, strict=True))
        """How many matches each deal has."""

    def __len__(self) -> int:
        """How many matches there are."""
        return self.deals * self.deal_matches

    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that there is."""
        deal, rest = divmod(number, self.deal_matches)
        stage = self._stages[bisect_right(self._stages, rest, key=lambda one: one.first_match) - 1]
        lap, rest = divmod(rest - stage.first_match, stage.starts[-1])
        place = bisect_right(stage.starts, rest) - 1
        lineup = self._lineups[stage.entries[place]][stage.first_lineup + lap]
        return Sitting(
            variant=self.variants[stage.entries[place]].variant,
            block=deal * self.deal_blocks + stage.first_block + lap * len(stage.entries) + place,
            lineup=tuple(self._by_name[index] for index in lineup),
            deal=deal,
            rotation=rest - stage.starts[place],
        )

    def blocks_of_deal(self) -> Iterator[tuple[str, int]]:
        """The blocks of a deal in their order, each as its variant and the place of its line-up among those of it."""
        for stage, until in zip(self._stages, [*self._stages[1:], None], strict=True):
            laps = (self.deal_matches if until is None else until.first_match) - stage.first_match
            for lap in range(laps // stage.starts[-1]):
                for entry in stage.entries:
                    yield self.variants[entry].variant, stage.first_lineup + lap

    @property
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups play each deal."""
        return {planned.variant: len(some) for planned, some in zip(self.variants, self._lineups, strict=True)}

    def place_of(self, variant: str, bots: Iterable[str]) -> int | None:
        """The place of a line-up among those of a variant, from 0. None where it has none."""
        return self._places.get(variant, {}).get(frozenset(bots))

    @cached_property
    def _places(self) -> dict[str, dict[frozenset[str], int]]:
        """By variant, all line-ups by the bots' names, with their places."""
        names = sorted(self.bots)
        return {
            entry.variant: {frozenset(names[index] for index in lineup): place for place, lineup in enumerate(lineups)}
            for entry, lineups in zip(self.variants, self._lineups, strict=True)
        }

    def _choose(
        self, variant: str, names: Sequence[str], every: AllLineups, wanted: int | None
    ) -> list[Lineup] | AllLineups:
        """The line-ups of a variant: the streams `lineups/VARIANT` and, after amendments, `lineups/VARIANT/3` draw."""
        stream, earlier = Stream(self.master_key, f"lineups/{variant}"), self._samples.get(variant)
        had, newcomers = None, set[int]()
        if earlier is not None:
            index = {name: bot for bot, name in enumerate(names)}
            there = (some for some in dict.fromkeys(earlier.of_all()) if index.keys() >= {*some})
            had = [*filter(every.allows, (tuple(sorted(index[name] for name in some)) for some in there))]
            newcomers = {index[name] for name in names if name not in earlier.names}
            newcomers.update({*index.values()}.difference(*had))
            stream = Stream(self.master_key, f"lineups/{variant}/{self._amendments}")
        chosen = choose_lineups(stream, every, wanted, had=had, newcomers=newcomers)
        if wanted is not None:
            self._samples[variant] = _Sample(names=names, lineups=chosen, earlier=earlier)
        return chosen


class _Sample(Struct, frozen=True, kw_only=True):
    """The line-ups of a variant under a config, and those that it had under earlier ones."""

    names: Sequence[str]
    """Of the bots, in order; line-ups have their indexes."""
    lineups: list[Lineup] | AllLineups
    earlier: "_Sample | None"

    def of_all(self) -> Iterator[tuple[str, ...]]:
        """All line-ups that there have been by the names of their bots, the first ones first."""
        if self.earlier is not None:
            yield from self.earlier.of_all()
        yield from (tuple(self.names[bot] for bot in lineup) for lineup in self.lineups)


class _Stage(Struct, frozen=True, kw_only=True):
    """A stretch of a deal in which the same variants take turns."""

    first_match: int
    first_block: int
    first_lineup: int
    entries: tuple[int, ...]
    starts: tuple[int, ...]
    """The first match of each variant's block within a lap, and at the end the number of matches of a lap."""


def _stages(lengths: Sequence[int], seats: Sequence[int]) -> list[_Stage]:
    """The stages of a deal for variants with so many line-ups and seats."""
    stages: list[_Stage] = []
    matches = blocks = first = 0
    for last in sorted(set(lengths)):
        entries = tuple(index for index, length in enumerate(lengths) if length >= last)
        starts = tuple(accumulate((seats[index] for index in entries), initial=0))
        stages.append(
            _Stage(first_match=matches, first_block=blocks, first_lineup=first, entries=entries, starts=starts)
        )
        matches += (last - first) * starts[-1]
        blocks += (last - first) * len(entries)
        first = last
    return stages


def _check(bots: Sequence[str], variants: Sequence[PlannedVariant]) -> None:
    for what, names in (("bot", bots), ("variant", [planned.variant for planned in variants])):
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"{what} names must be unique, but these are not: {', '.join(twice)}")
    for planned in variants:
        if planned.seats > len(bots):
            raise ValueError(f"{planned.variant} has {planned.seats} seats, but there are {len(bots)} bots")
