"""The plan of a tournament: which bots meet in which seats on which deal, in a fixed order, each match by its number.

A fixed plan has all whole deals, or those blocks of them that a shard plays. Another grows while it is played, round by
round: a round is a whole deal or a list of tables. Pure: this module must not know who draws the rounds, or from what.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec.structs import replace

from referee.rules.keyed_streams import Stream
from referee.tournament.plan.deals import BlockList, PlannedBlock, WholeDeals, matches_of
from referee.tournament.plan.keys import SHARED_CARDS, deal_key, own_cards
from referee.tournament.plan.planned_match import BlockKey, Entry, Lineup, PlannedMatch
from referee.tournament.plan.rounds import Block, Round
from referee.tournament.plan.shards import Shard, blocks_of_shard

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
        self._shard = shard
        self._parts: list[_Part] = []
        """The matches of each round; of a fixed plan there is one part."""
        self._first_matches, self._first_blocks = [0], [0]
        """The first match and the first block of each part, and at the end how many there are."""
        self._matches: Counter[str] = Counter()
        self._tables: dict[PlannedBlock, int] = {}
        """By table of a round its first match."""
        self._taken: dict[int, int] = {}
        """By whole deal that a round has taken its first match."""
        if rounds is None:
            self._append(_Part(self._of_deals, range(0, whole.deals, self._step)))
        for one in rounds or ():
            self.add(one)

    def add(self, drawn: Round) -> None:
        """Let the plan grow by a round.

        Raises ValueError where the round cannot be played: it has what is there already, or bots, games, deals or
        numbers of bots that the tournament does not have.
        """
        first, part = len(self), self._part(drawn)
        self._append(part)
        self.rounds.append(drawn)
        if drawn.whole_deal is None:
            starts = (first + start for start in part.blocks.starts)
            self._tables.update(zip(part.blocks.blocks, starts, strict=False))
        else:
            self._taken[drawn.whole_deal] = first

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
        place, block, rotation = self.block_at(number)
        key, seating = self._seating(block)
        lineup = (*seating[rotation:], *seating[:rotation])
        planned = PlannedMatch(
            number=number,
            variant=block.variant,
            block=place,
            lineup=lineup,
            rotation=rotation,
            deal=block.deal,
            deal_key=key,
            versions_before=self._versions_before(lineup),
        )
        return self.dealt(planned)

    def block_at(self, number: int) -> tuple[int, PlannedBlock, int]:
        """The number of the block of a match that the plan has, the block, and the rotation."""
        place = self.round_of(number)
        at, block, rotation = self._parts[place].find(number - self._first_matches[place])
        return self._first_blocks[place] + at, block, rotation

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
        meet = {(block.variant, block.lineup) for block in self._tables}
        if self._taken or not self.grows:
            meet |= {key for key, first in self._first_deals.items() if first < self.whole.deals}
        counts = Counter(variant for variant, _ in meet)
        return {name: counts[name] for name in self._rotations}

    @property
    def matches(self) -> dict[str, int]:
        """By variant, how many matches the plan has."""
        return {name: self._matches[name] for name in self._rotations}

    def has_table(self, variant: str, bots: Iterable[str], deal: int) -> bool:
        """Whether these bots meet in this variant on this deal, in whatever seats."""
        lineup = self.whole.lineup_of(bots)
        return lineup is not None and self._has(PlannedBlock(variant, lineup, deal))

    def number_of(self, variant: str, bots: Iterable[str], deal: int, rotation: int) -> int | None:
        """The number of the match in which these bots meet in this variant on this deal with this rotation.

        None where the plan has none.
        """
        lineup = self.whole.lineup_of(bots)
        if lineup is None or not 0 <= rotation < self.whole.seats_of.get(variant, 0):
            return None
        block = PlannedBlock(variant, lineup, deal)
        if (first := self._tables.get(block)) is not None:
            return first + rotation
        if not self._has(block):
            return None
        first = self._taken[deal] if self.grows else deal // self._step * self._of_deals.starts[-1]
        return first + self._starts_of_deal[variant, lineup] + rotation

    def place(self, planned_match: PlannedMatch) -> BlockKey:
        """Where in the tournament a match belongs."""
        bots = tuple(self.whole.bots[bot] for bot in planned_match.lineup)
        return planned_match.variant, bots, planned_match.deal, planned_match.versions_before

    def dealt(self, planned_match: PlannedMatch, redeals: int = 0) -> PlannedMatch:
        """The match with its cards, after others were dealt so many times because a voided match had shown them.

        Where the rotations of a block share their cards, no others are dealt.
        """
        if self._rotations[planned_match.variant] == "same":
            return planned_match
        own = own_cards(self._rotations[planned_match.variant], planned_match.rotation, redeals)
        key = self._deal_key(planned_match.variant, planned_match.lineup, planned_match.deal, own)
        return replace(planned_match, deal_key=key, redeals=redeals)

    @cached_property
    def _of_deals(self) -> BlockList:
        """The blocks of a whole deal; of a shard those of as many deals as there are shards."""
        whole = self.whole.of_deal
        return whole if self._shard is None else BlockList(blocks_of_shard(whole.blocks, self._shard))

    @cached_property
    def _first_deals(self) -> dict[tuple[str, Lineup], int]:
        """By variant and line-up, the first of the whole deals that it plays."""
        return {(block.variant, block.lineup): block.deal for block in self._of_deals.blocks}

    @cached_property
    def _starts_of_deal(self) -> dict[tuple[str, Lineup], int]:
        """By variant and line-up, the first match of its block among those of a whole deal."""
        all_starts = zip(self._of_deals.blocks, self._of_deals.starts, strict=False)
        return {(block.variant, block.lineup): start for block, start in all_starts}

    @property
    def _step(self) -> int:
        """How many deals the blocks of `_of_deals` are of."""
        return 1 if self._shard is None else self._shard.of

    def _has(self, block: PlannedBlock) -> bool:
        is_there = block.deal in self._taken if self.grows else 0 <= block.deal < self.whole.deals
        return block in self._tables or (is_there and self._is_of_deal(block))

    def _is_of_deal(self, block: PlannedBlock) -> bool:
        """Whether the block belongs to the whole deal of its number."""
        first = self._first_deals.get((block.variant, block.lineup))
        return first is not None and (self._shard is None or block.deal % self._shard.of == first)

    def _append(self, part: "_Part") -> None:
        self._parts.append(part)
        self._first_matches.append(self._first_matches[-1] + sum(part.matches_of.values()))
        self._first_blocks.append(self._first_blocks[-1] + part.count)
        self._matches.update(part.matches_of)

    def _part(self, drawn: Round) -> "_Part":
        """The matches of a round. Raises ValueError as `add` does."""
        if drawn.whole_deal is None:
            return _Part(BlockList(self._checked(drawn.tables)), range(1))
        self._check_deal(drawn, drawn.whole_deal)
        return _Part(self._of_deals, range(drawn.whole_deal, drawn.whole_deal + 1))

    def _seating(self, block: PlannedBlock) -> tuple[bytes, list[int]]:
        """The key that all rotations of the deal share, and the line-up by seat in rotation 0.

        An even deal shuffles the bots, in the order of their names, by the stream `seating` of this key. The odd deal
        after it takes the same order backwards: whoever sat on somebody's left now sits on the right.
        """
        variant, lineup, deal = block.variant, block.lineup, block.deal
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

    def _checked(self, tables: Iterable[Block]) -> list[PlannedBlock]:
        """The tables of a round as blocks."""
        new: dict[PlannedBlock, None] = {}
        for table in tables:
            seats = self.whole.seats_of.get(table.variant)
            if seats is None:
                raise ValueError(f"there is no game `{table.variant}`")
            lineup = self.whole.lineup_of(table.bots)
            if lineup is None:
                raise ValueError("a bot sits at a table that does not take part")
            if len(table.bots) != seats or list(table.bots) != sorted(set(table.bots)):
                raise ValueError(f"expected {seats} bots at a table of {table.variant}, in the order of their names")
            if not 0 <= table.deal < MOST_DEALS:
                raise ValueError(f"a deal has the number {table.deal}")
            block = PlannedBlock(table.variant, lineup, table.deal)
            if block in new or self._has(block):
                raise ValueError(f"the same bots meet twice on deal {table.deal} of {table.variant}")
            new[block] = None
        return list(new)

    def _check_deal(self, drawn: Round, deal: int) -> None:
        """Raises ValueError where a round cannot take this deal as a whole."""
        if drawn.tables or not 0 <= deal < self.whole.deals or deal in self._taken:
            raise ValueError(f"a round takes deal {deal}, which is not there to be taken")
        if any(block.deal == deal and self._is_of_deal(block) for block in self._tables):
            raise ValueError(f"a round takes deal {deal}, of which a table was played")


class _Part:
    """Matches of a plan that follow one another, numbered from 0."""

    def __init__(self, blocks: BlockList, deals: range) -> None:
        """The blocks are played again and again: with each of `deals`, which is added to the deal of each block.

        Of the last ones, those are left out that would be of a deal beyond `deals`.
        """
        self.blocks, self._deals = blocks, deals
        turns, rest = divmod(deals.stop - deals.start, deals.step)
        last = [block for block in blocks.blocks if block.deal < rest] if rest else []
        self.count = turns * len(blocks.blocks) + len(last)
        """How many blocks there are."""
        self.matches_of = matches_of(last)
        """By variant, how many matches there are."""
        self.matches_of.update({variant: turns * matches for variant, matches in blocks.matches_of.items()})

    def find(self, number: int) -> tuple[int, PlannedBlock, int]:
        """The number of the block of a match, the block, and the rotation."""
        turn, place, rotation = self.blocks.find(number)
        block = self.blocks.blocks[place]
        if self._deals[turn]:
            block = replace(block, deal=block.deal + self._deals[turn])
        return turn * len(self.blocks.blocks) + place, block, rotation
