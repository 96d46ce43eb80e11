"""A plan that grows while it is played: round after round, each a whole deal of a fixed plan or tables that it tells.

Pure, as the fixed plan is. This module must not know who draws the rounds, or from what.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from msgspec.structs import replace

from referee.tournament.plan.fixture import Lineup
from referee.tournament.plan.rounds import Round, Table
from referee.tournament.plan.schedule import BasePlan, Entry, Plan, PlannedVariant, Sitting

MOST_DEALS = 2**31
"""The number of every deal is smaller than this."""

FormerTable = tuple[str, frozenset[Entry], int]
"""A table by its variant, the versions of its bots, and its deal."""


class GrowingPlan(BasePlan):
    """The matches of the rounds that have been drawn, numbered in the order of rounds, tables and rotations.

    So no match and no block gets another number when a round is added.
    """

    def __init__(
        self,
        *,
        master_key: bytes,
        bots: Sequence[str],
        variants: Sequence[PlannedVariant],
        whole: Plan,
        rounds: Iterable[Round] = (),
    ) -> None:
        """`whole` has the deals that a round can take as a whole. Raises ValueError as `add` does."""
        before = whole.versions_before
        super().__init__(master_key=master_key, bots=bots, variants=variants, versions_before=before)
        self._whole = whole
        self._index = {name: index for index, name in enumerate(bots)}
        self._seats = {entry.variant: entry.seats for entry in variants}
        self.rounds: list[Round] = []
        """The rounds so far."""
        self.former_stages: Mapping[FormerTable, int] = {}
        """The stage, from 0, of each table that was drawn, also of those of which a bot has left the run. Empty where
        there is one stage."""
        self._parts: list[_Part] = []
        """The matches of each of them."""
        self._first_matches, self._first_blocks = [0], [0]
        """The first match and the first block of each round, and at the end how many there are."""
        self._matches: Counter[str] = Counter()
        self._tables: set[_Meeting] = set()
        self._deals: set[int] = set()
        """The deals of the fixed plan that were taken as a whole."""
        for one in rounds:
            self.add(one)

    def add(self, drawn: Round) -> None:
        """Let the plan grow by a round.

        Raises ValueError where the round cannot be played: it has what is there already, or bots, games, deals or
        numbers of bots that the tournament does not have.
        """
        part: _Part
        if drawn.whole_deal is None:
            part = _Tables(drawn.tables, self._checked(drawn.tables))
            self._tables.update(map(_meeting, drawn.tables))
        else:
            self._check_deal(drawn, drawn.whole_deal)
            part = _OfDeal(self._whole, drawn.whole_deal)
            self._deals.add(drawn.whole_deal)
        self.rounds.append(drawn)
        self._parts.append(part)
        self._first_matches.append(self._first_matches[-1] + part.matches)
        self._first_blocks.append(self._first_blocks[-1] + part.blocks)
        self._matches.update(part.matches_of)

    def matches_in(self, drawn: Round) -> Mapping[str, int]:
        """By variant, how many matches a round would add to the plan. Raises ValueError as `add` does."""
        if drawn.whole_deal is None:
            return _Tables(drawn.tables, self._checked(drawn.tables)).matches_of
        self._check_deal(drawn, drawn.whole_deal)
        return _OfDeal(self._whole, drawn.whole_deal).matches_of

    def __len__(self) -> int:
        return self._first_matches[-1]

    @property
    def longest_round(self) -> int:
        """How many matches the longest round has."""
        return max((part.matches for part in self._parts), default=0)

    @property
    def last_round(self) -> Mapping[str, int]:
        """By variant, how many matches the round has that was drawn last. There must be one."""
        return self._parts[-1].matches_of

    def round_of(self, number: int) -> int:
        """The round to which a match of the plan belongs, as its place in `rounds`."""
        return bisect_right(self._first_matches, number) - 1

    def sitting(self, number: int) -> Sitting:
        """Who plays the match of a number that the plan has."""
        place = self.round_of(number)
        sitting = self._parts[place].sitting(number - self._first_matches[place])
        return replace(sitting, block=self._first_blocks[place] + sitting.block)

    @property
    def whole(self) -> Plan:
        """The fixed plan, of which a deal can be played as a whole."""
        return self._whole

    @property
    def lineups(self) -> dict[str, int]:
        """By variant, how many line-ups meet."""
        whole = self._whole.lineups if self._deals else {}
        met = {(variant, bots) for variant, bots, _ in self._tables}
        tables = Counter(variant for variant, bots in met if not whole or self._whole.place_of(variant, bots) is None)
        return {name: whole.get(name, 0) + tables[name] for name in self._seats}

    @property
    def matches(self) -> dict[str, int]:
        """By variant, how many matches the plan has."""
        return {name: self._matches[name] for name in self._seats}

    def has_table(self, variant: str, bots: Iterable[str], deal: int) -> bool:
        """Whether these bots meet in this variant on this deal, in whatever seats."""
        table = frozenset(bots)
        is_taken = deal in self._deals and self._whole.place_of(variant, table) is not None
        return is_taken or (variant, table, deal) in self._tables

    def _checked(self, tables: Iterable[Table]) -> list[Lineup]:
        """Of each table the indexes of its bots."""
        new: set[_Meeting] = set()
        for table in tables:
            seats = self._seats.get(table.variant)
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
        if drawn.tables or not 0 <= deal < self._whole.deals or deal in self._deals:
            raise ValueError(f"a round takes deal {deal}, which is not there to be taken")
        if any(one == deal and self._whole.place_of(variant, bots) is not None for variant, bots, one in self._tables):
            raise ValueError(f"a round takes deal {deal}, of which a table was played")


_Meeting = tuple[str, frozenset[str], int]
"""What a table is: its variant, its bots, and its deal."""


def _meeting(table: Table) -> _Meeting:
    return table.variant, frozenset(table.bots), table.deal


class _Part(ABC):
    """The matches of a round. Numbers count from 0 in each."""

    matches: int
    blocks: int
    matches_of: Mapping[str, int]
    """By variant, how many matches there are."""

    @abstractmethod
    def sitting(self, number: int) -> Sitting:
        """Who plays a match, with the block's number in the round."""


class _OfDeal(_Part):
    """All line-ups of a deal of the fixed plan."""

    def __init__(self, whole: Plan, deal: int) -> None:
        self._whole, self._deal = whole, deal
        self.matches, self.blocks = whole.deal_matches, whole.deal_blocks
        self.matches_of = {name: count * whole.seats[name] for name, count in whole.lineups.items()}

    def sitting(self, number: int) -> Sitting:
        sitting = self._whole.sitting(self._deal * self.matches + number)
        return replace(sitting, block=sitting.block - self._deal * self.blocks)


class _Tables(_Part):
    """Tables that the round tells."""

    def __init__(self, tables: Sequence[Table], lineups: Sequence[Lineup]) -> None:
        self._tables, self._lineups = tables, lineups
        self._starts = list(accumulate((len(table.bots) for table in tables), initial=0))
        """The first match of each table, and at the end how many there are."""
        self.matches, self.blocks = self._starts[-1], len(tables)
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
