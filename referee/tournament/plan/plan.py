"""The plan of a tournament: which bots meet in which seats on which deal, in a fixed order, each match by its number.

A fixed plan has all whole deals, or those blocks of them that a shard plays. Another grows while it is played, round by
round: a round is a whole deal or a list of tables. Pure: this module must not know who draws the rounds, or from what.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Protocol

from msgspec.structs import replace

from referee.rules.table.streams import Stream
from referee.tournament.plan.deals import Sitting, WholeDeals
from referee.tournament.plan.fixture import BlockKey, Entry, Lineup, PlannedMatch
from referee.tournament.plan.keys import SHARED_CARDS, deal_key, own_cards
from referee.tournament.plan.rounds import Block, Round
from referee.tournament.plan.shards import Shard, ShardDeals

MOST_DEALS = 2**31
"""The number of every deal is smaller than this."""

FormerTable = tuple[str, frozenset[Entry], int]
"""A table by its variant, the versions of its bots, and its deal."""


class Plan:
    """All matches of a tournament, in order, each with its seats and its cards.

    The rotations of a block follow one another. The matches depend on the bots' names, not on their order in the
    config. `plan[number]` costs the same in a plan of any length. Rounds have their matches in their order, so that no
    match and no block gets another number when a round is added.
    """

    def __init__(self, whole: WholeDeals, *, shard: Shard | None = None, rounds: Iterable[Round] | None = None) -> None:
        """Without `rounds` the plan is fixed.

        Raises ValueError as `add` does, and where there is no such shard.
        """
        self.whole = whole
        """The deals that all line-ups play. The rounds of a plan that grows need not take any of them."""
        self.grows = rounds is not None
        """Whether rounds are added to it."""
        self.rounds: list[Round] = []
        """The rounds so far, where it grows."""
        self.former_stages: Mapping[FormerTable, int] = {}
        """The stage, from 0, of each table that was drawn, also of those of which a bot has left the run. Empty where
        there is one stage."""
        self._rotations = {entry.variant: entry.rotations for entry in whole.variants}
        self._index = {name: index for index, name in enumerate(whole.bots)}
        self._parts: list[_Part] = []
        """The matches of each round; of a fixed plan there is one part."""
        self._first_matches, self._first_blocks = [0], [0]
        """The first match and the first block of each part, and at the end how many there are."""
        self._matches: Counter[str] = Counter()
        self._tables: dict[_Meeting, int] = {}
        """By table of a round its first match."""
        self._taken: dict[int, int] = {}
        """By whole deal that a round has taken its first match."""
        self._shard = None if shard is None else ShardDeals(whole, shard)
        if rounds is None:
            self._append(self._shard or _Deals(whole, range(whole.deals)))
        for one in rounds or ():
            self.add(one)

    def add(self, drawn: Round) -> None:
        """Let the plan grow by a round.

        Raises ValueError where the round cannot be played: it has what is there already, or bots, games, deals or
        numbers of bots that the tournament does not have.
        """
        first = len(self)
        self._append(self._part(drawn))
        self.rounds.append(drawn)
        if drawn.whole_deal is not None:
            self._taken[drawn.whole_deal] = first
        for table in drawn.tables:
            self._tables[_meeting(table)] = first
            first += len(table.bots)

    def matches_in(self, drawn: Round) -> Mapping[str, int]:
        """By variant, how many matches a round would add to the plan. Raises ValueError as `add` does."""
        return self._part(drawn).matches_of

    def __len__(self) -> int:
        return self._first_matches[-1]

    def __iter__(self) -> Iterator[PlannedMatch]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> PlannedMatch:
        """The match of this number; raises IndexError outside the plan (negative numbers too)."""
        if not 0 <= number < len(self):
            raise IndexError(f"the plan has matches 0 to {len(self) - 1}, not {number}")
        sitting = self.sitting(number)
        key, seating = self._seating(sitting)
        lineup = (*seating[sitting.rotation :], *seating[: sitting.rotation])
        fixture = PlannedMatch(
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

    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that the plan has."""
        place = self.round_of(number)
        sitting = self._parts[place].sitting(number - self._first_matches[place])
        return replace(sitting, block=self._first_blocks[place] + sitting.block)

    def round_of(self, number: int) -> int:
        """The round to which a match of the plan belongs, as its place in `rounds`."""
        return bisect_right(self._first_matches, number) - 1

    @property
    def longest_round(self) -> int:
        """How many matches the longest round has."""
        return max((end - start for start, end in pairwise(self._first_matches)), default=0)

    @property
    def last_round(self) -> Mapping[str, int]:
        """By variant, how many matches the round has that was drawn last. There must be one."""
        return self._parts[-1].matches_of

    @property
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups meet."""
        if self._shard is not None:
            return self._shard.lineups
        whole = self.whole.lineups if self._taken or not self.grows else {}
        met = {(variant, bots) for variant, bots, _ in self._tables}
        tables = Counter(variant for variant, bots in met if not whole or self.whole.place_of(variant, bots) is None)
        return {name: whole.get(name, 0) + tables[name] for name in self._rotations}

    @property
    def matches(self) -> dict[str, int]:
        """By variant, how many matches the plan has."""
        return {name: self._matches[name] for name in self._rotations}

    def has_table(self, variant: str, bots: Iterable[str], deal: int) -> bool:
        """Whether these bots meet in this variant on this deal, in whatever seats."""
        table = frozenset(bots)
        is_whole = deal in (self._taken if self.grows else range(self.whole.deals))
        place = self.whole.place_of(variant, table) if is_whole else None
        if place is None:
            return (variant, table, deal) in self._tables
        return self._shard is None or self._shard.has(variant, place, deal)

    def number_of(self, variant: str, bots: Iterable[str], deal: int, rotation: int) -> int | None:
        """The number of the match in which these bots meet in this variant on this deal with this rotation.

        None where the plan has none.
        """
        table = frozenset(bots)
        if not self.has_table(variant, table, deal) or not 0 <= rotation < self.whole.seats_of[variant]:
            return None
        if (first := self._tables.get((variant, table, deal))) is not None:
            return first + rotation
        place = self.whole.place_of(variant, table)
        if place is None:
            return None
        if self.grows:
            return self._taken[deal] + self.whole.first_match(variant, place) + rotation
        number = deal * self.whole.deal_matches + self.whole.first_match(variant, place) + rotation
        return number if self._shard is None else self._shard.number_of(number)

    def place(self, fixture: PlannedMatch) -> BlockKey:
        """Where in the tournament a match belongs."""
        bots = tuple(self.whole.bots[bot] for bot in fixture.lineup)
        return fixture.variant, bots, fixture.deal, fixture.versions_before

    def dealt(self, fixture: PlannedMatch, redeals: int = 0) -> PlannedMatch:
        """The match with its cards, after others were dealt so many times because a voided match had shown them.

        Where the rotations of a block share their cards, no others are dealt.
        """
        if self._rotations[fixture.variant] == "same":
            return fixture
        own = own_cards(self._rotations[fixture.variant], fixture.rotation, redeals)
        key = self._deal_key(fixture.variant, fixture.lineup, fixture.deal, own)
        return replace(fixture, deal_key=key, redeals=redeals)

    def _append(self, part: "_Part") -> None:
        self._parts.append(part)
        self._first_matches.append(self._first_matches[-1] + sum(part.matches_of.values()))
        self._first_blocks.append(self._first_blocks[-1] + part.blocks)
        self._matches.update(part.matches_of)

    def _part(self, drawn: Round) -> "_Part":
        """The matches of a round. Raises ValueError as `add` does."""
        if drawn.whole_deal is None:
            return _Tables(drawn.tables, self._checked(drawn.tables))
        self._check_deal(drawn, drawn.whole_deal)
        return _Deals(self.whole, range(drawn.whole_deal, drawn.whole_deal + 1))

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
        bots, before = [self.whole.bots[bot] for bot in lineup], self._versions_before(lineup)
        return deal_key(self.whole.master_key, variant, bots, deal, own, versions_before=before)

    def _versions_before(self, lineup: Sequence[int]) -> tuple[int, ...]:
        """By bot of a line-up how many versions it had before; empty if all are 0."""
        before = tuple(self.whole.versions_before[bot] for bot in lineup) if self.whole.versions_before else ()
        return before if any(before) else ()

    def _checked(self, tables: Iterable[Block]) -> list[Lineup]:
        """Of each table the indexes of its bots."""
        new: set[_Meeting] = set()
        for table in tables:
            seats = self.whole.seats_of.get(table.variant)
            if seats is None:
                raise ValueError(f"there is no game `{table.variant}`")
            if not all(bot in self._index for bot in table.bots):
                raise ValueError("a bot sits at a table that does not take part")
            if len(table.bots) != seats or list(table.bots) != sorted(set(table.bots)):
                raise ValueError(f"expected {seats} bots at a table of {table.variant}, in the order of their names")
            meeting = _meeting(table)
            if not 0 <= table.deal < MOST_DEALS:
                raise ValueError(f"a deal has the number {table.deal}")
            if meeting in new or self.has_table(*meeting):
                raise ValueError(f"the same bots meet twice on deal {table.deal} of {table.variant}")
            new.add(meeting)
        return [tuple(self._index[bot] for bot in table.bots) for table in tables]

    def _check_deal(self, drawn: Round, deal: int) -> None:
        """Raises ValueError where a round cannot take this deal as a whole."""
        if drawn.tables or not 0 <= deal < self.whole.deals or deal in self._taken:
            raise ValueError(f"a round takes deal {deal}, which is not there to be taken")
        if any(one == deal and self.whole.place_of(variant, bots) is not None for variant, bots, one in self._tables):
            raise ValueError(f"a round takes deal {deal}, of which a table was played")


_Meeting = tuple[str, frozenset[str], int]
"""What a table is: its variant, its bots, and its deal."""


def _meeting(table: Block) -> _Meeting:
    return table.variant, frozenset(table.bots), table.deal


class _Part(Protocol):
    """Matches of a plan that follow one another. Numbers of matches and blocks count from 0 in each part."""

    blocks: int
    matches_of: Counter[str]
    """By variant, how many matches there are."""

    def sitting(self, number: int) -> Sitting:
        """Who plays a match, with the block's number in the part."""


class _Deals:
    """Whole deals that follow one another."""

    def __init__(self, whole: WholeDeals, deals: range) -> None:
        self._whole, self._deals = whole, deals
        self.blocks = len(deals) * whole.deal_blocks
        self.matches_of = Counter(
            {name: len(deals) * count * whole.seats_of[name] for name, count in whole.lineups.items()}
        )

    def sitting(self, number: int) -> Sitting:
        first = self._deals.start
        sitting = self._whole.sitting(first * self._whole.deal_matches + number)
        return replace(sitting, block=sitting.block - first * self._whole.deal_blocks)


class _Tables:
    """The tables of a round."""

    def __init__(self, tables: Sequence[Block], lineups: Sequence[Lineup]) -> None:
        self._tables, self._lineups = tables, lineups
        self._starts = list(accumulate((len(table.bots) for table in tables), initial=0))
        """The first match of each table, and at the end how many there are."""
        self.blocks = len(tables)
        self.matches_of = Counter[str]()
        for table in tables:
            self.matches_of[table.variant] += len(table.bots)

    def sitting(self, number: int) -> Sitting:
        block = bisect_right(self._starts, number) - 1
        table = self._tables[block]
        return Sitting(
            variant=table.variant,
            block=block,
            lineup=self._lineups[block],
            deal=table.deal,
            rotation=number - self._starts[block],
        )
