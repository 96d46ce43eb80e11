"""The plan of a tournament: which bots meet in which seats on which deal, in a fixed order, each match by its number.

Pure: the plan follows from the master key, names and numbers alone, so that any part of it can be worked out again. It
knows nothing of processes, clocks, results or the store. A plan that grows while it is played is in `growing.py`.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from referee.rules.table.streams import Stream
from referee.tournament.plan.fixture import Fixture, Lineup
from referee.tournament.plan.keys import SHARED_CARDS, Rotations, deal_key, own_cards
from referee.tournament.plan.lineups import AllLineups
from referee.tournament.plan.samples import choose_lineups, more_lineups


class PlannedVariant(Struct, frozen=True, kw_only=True):
    """A game of the tournament: the name that the config gives it, the seats at a table, and who shares cards."""

    variant: str
    seats: int
    rotations: Rotations = "same"


Place = tuple[str, tuple[str, ...], int, tuple[int, ...]]
"""A match's place in the tournament: its variant, the names of its bots by seat, its deal, and how many versions each
bot had before, by seat; empty if all are 0."""

Entry = tuple[str, str, int]
"""A version of a bot in a run: the bot's name, the version, and how many versions the bot had before."""


class Identity(Struct, frozen=True, kw_only=True):
    """Which match it is, whatever its number in a plan. Two with the same identity are the same match.

    Names and versions of bots are by seat.
    """

    variant: str
    game: str
    """Tells apart games that a run has had under the same name."""
    bots: tuple[str, ...]
    versions: tuple[str, ...]
    deal: int
    rotation: int
    versions_before: tuple[int, ...] = ()
    """How many versions each bot had before in the run, by seat; empty if all are 0."""

    @property
    def place(self) -> Place:
        """Where in the tournament it belongs."""
        return self.variant, self.bots, self.deal, self.versions_before

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The versions of the bots that play it, by seat."""
        before = self.versions_before or (0,) * len(self.bots)
        return tuple(zip(self.bots, self.versions, before, strict=True))


class Sitting(Struct, frozen=True, kw_only=True):
    """Who plays a match: its block and its rotation, with the bots in the order of their names, not by seat."""

    variant: str
    block: int
    lineup: Lineup
    deal: int
    rotation: int


class BasePlan(ABC):
    """All matches of a tournament, in order, each with its seats and its cards.

    The rotations of a block follow one another. The matches depend on the bots' names, not on their order in the
    config.

    Raises ValueError when names are not unique, or when there are no line-ups of a variant: it has more seats than
    there are bots, or than there are owners of bots.
    """

    def __init__(
        self,
        *,
        master_key: bytes,
        bots: Sequence[str],
        variants: Sequence[PlannedVariant],
        versions_before: Sequence[int] = (),
    ) -> None:
        """`versions_before` has by bot how many versions it had before in the run; empty if all are 0."""
        _check(bots, variants)
        self._master_key = master_key
        self._bots = bots
        self.versions_before = versions_before
        self._variants = variants
        self._rotations = {entry.variant: entry.rotations for entry in variants}

    @abstractmethod
    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Fixture]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Fixture:
        """The match of this number; raises IndexError outside the plan (negative numbers too)."""
        if not 0 <= number < len(self):
            raise IndexError(f"the plan has matches 0 to {len(self) - 1}, not {number}")
        sitting = self.sitting(number)
        key, seating = self._seating(sitting)
        lineup = (*seating[sitting.rotation :], *seating[: sitting.rotation])
        fixture = Fixture(
            number=number,
            variant=sitting.variant,
            block=sitting.block,
            lineup=lineup,
            rotation=sitting.rotation,
            deal=sitting.deal,
            deal_key=key,
            versions_before=self._versions_before(lineup),
        )
        return self.dealt(fixture)

    @abstractmethod
    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that the plan has."""

    @property
    @abstractmethod
    def whole(self) -> "Plan":
        """The fixed plan, of which a deal can be played as a whole."""

    @property
    @abstractmethod
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups meet."""

    @property
    @abstractmethod
    def matches(self) -> dict[str, int]:
        """By variant, how many matches the plan has."""

    @abstractmethod
    def has_table(self, variant: str, bots: Iterable[str], deal: int) -> bool:
        """Whether these bots meet in this variant on this deal, in whatever seats."""

    def place(self, fixture: Fixture) -> Place:
        """Where in the tournament a match belongs."""
        bots = tuple(self._bots[bot] for bot in fixture.lineup)
        return fixture.variant, bots, fixture.deal, fixture.versions_before

    def dealt(self, fixture: Fixture, redeals: int = 0) -> Fixture:
        """The match with its cards, after others were dealt so many times because a voided match had shown them.

        Where the rotations of a block share their cards, no others are dealt.
        """
        if self._rotations[fixture.variant] == "same":
            return fixture
        own = own_cards(self._rotations[fixture.variant], fixture.rotation, redeals)
        key = self._deal_key(fixture.variant, fixture.lineup, fixture.deal, own)
        return replace(fixture, deal_key=key, redeals=redeals)

    def _seating(self, sitting: Sitting) -> tuple[bytes, list[int]]:
        """The key that all rotations of the deal share, and the line-up by seat in rotation 0.

        An even deal shuffles the bots, in the order of their names, by the stream `seating` of this key. The odd deal
        after it takes the same order backwards: whoever sat on somebody's left now sits on the right.
        """
        variant, lineup, deal = sitting.variant, sitting.lineup, sitting.deal
        key = self._deal_key(variant, lineup, deal)
        if deal % 2 == 0:
            return key, Stream(key, "seating").shuffled(lineup)
        before = self._deal_key(variant, lineup, deal - 1)
        return key, Stream(before, "seating").shuffled(lineup)[::-1]

    def _deal_key(self, variant: str, lineup: Sequence[int], deal: int, own: Sequence[int] = SHARED_CARDS) -> bytes:
        bots, before = [self._bots[bot] for bot in lineup], self._versions_before(lineup)
        return deal_key(self._master_key, variant, bots, deal, own, versions_before=before)

    def _versions_before(self, lineup: Sequence[int]) -> tuple[int, ...]:
        """By bot of a line-up how many versions it had before; empty if all are 0."""
        before = tuple(self.versions_before[bot] for bot in lineup) if self.versions_before else ()
        return before if any(before) else ()


class Plan(BasePlan):
    """A plan that is known when the tournament begins. `plan[number]` costs the same in a plan of any length.

    Deal 0 of every line-up of every variant comes first, then deal 1, and so on. Within a deal the variants take turns
    block by block until each has come to the end of its line-ups.
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
        before: "Plan | None" = None,
    ) -> None:
        """With `owners`, by bot, no two bots of one owner meet. With `challengers` one of them sits at each table.

        `before` is the plan that this one amends, to whose samples of line-ups it adds.
        """
        super().__init__(master_key=master_key, bots=bots, variants=variants, versions_before=versions_before)
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
        lengths, seats = [len(some) for some in self._lineups], [entry.seats for entry in variants]
        self._stages = _stages(lengths, seats)
        self.deal_blocks = sum(lengths)
        """How many blocks each deal has."""
        self.deal_matches = sum(length * each for length, each in zip(lengths, seats, strict=True))
        """How many matches each deal has."""
        self.deals = deals

    def __len__(self) -> int:
        return self.deals * self.deal_matches

    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that the plan has."""
        deal, rest = divmod(number, self.deal_matches)
        stage = self._stages[bisect_right(self._stages, rest, key=lambda one: one.first_match) - 1]
        lap, rest = divmod(rest - stage.first_match, stage.starts[-1])
        place = bisect_right(stage.starts, rest) - 1
        lineup = self._lineups[stage.entries[place]][stage.first_lineup + lap]
        return Sitting(
            variant=self._variants[stage.entries[place]].variant,
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
                    yield self._variants[entry].variant, stage.first_lineup + lap

    @property
    def whole(self) -> "Plan":
        """This plan."""
        return self

    @property
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups play each deal."""
        return {planned.variant: len(some) for planned, some in zip(self._variants, self._lineups, strict=True)}

    @property
    def matches(self) -> dict[str, int]:
        """By variant, how many matches the plan has."""
        return {one.variant: self.lineups[one.variant] * one.seats * self.deals for one in self._variants}

    @property
    def seats(self) -> dict[str, int]:
        """By variant, how many bots sit at a table."""
        return {one.variant: one.seats for one in self._variants}

    def place_of(self, variant: str, bots: Iterable[str]) -> int | None:
        """The place of a line-up among those of a variant, from 0. None where it has none."""
        return self._places.get(variant, {}).get(frozenset(bots))

    def has_table(self, variant: str, bots: Iterable[str], deal: int) -> bool:
        """Whether these bots meet in this variant on this deal, in whatever seats."""
        return deal < self.deals and self.place_of(variant, bots) is not None

    @cached_property
    def _places(self) -> dict[str, dict[frozenset[str], int]]:
        """By variant, all line-ups by the bots' names, with their places."""
        names = sorted(self._bots)
        return {
            entry.variant: {frozenset(names[index] for index in lineup): place for place, lineup in enumerate(lineups)}
            for entry, lineups in zip(self._variants, self._lineups, strict=True)
        }

    def _choose(
        self, variant: str, names: Sequence[str], every: AllLineups, wanted: int | None
    ) -> list[Lineup] | AllLineups:
        """The line-ups of a variant: the streams `lineups/VARIANT` and, after amendments, `lineups/VARIANT/3` draw."""
        purpose, earlier = f"lineups/{variant}", self._samples.get(variant)
        chosen: list[Lineup] | AllLineups
        if earlier is None:
            chosen = choose_lineups(Stream(self._master_key, purpose), every, wanted)
        elif wanted is None or wanted >= len(every):
            chosen = every
        else:
            index = {name: bot for bot, name in enumerate(names)}
            there = (some for some in dict.fromkeys(earlier.of_all()) if index.keys() >= {*some})
            had = [*filter(every.allows, (tuple(sorted(index[name] for name in some)) for some in there))]
            newcomers = {index[name] for name in names if name not in earlier.names}
            newcomers.update({*index.values()}.difference(*had))
            stream = Stream(self._master_key, f"{purpose}/{self._amendments}")
            chosen = more_lineups(stream, every, wanted, had=had, newcomers=newcomers)
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
