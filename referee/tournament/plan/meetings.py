"""Who has met whom, how often, and with what result: sums over the past of a run that stay small however long it is.

They are sums of whole numbers, so that the order in which they are made does not matter. This module must not know how
rounds are drawn.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from msgspec import Struct, field

from referee.tournament.plan.rounds import Block, History, Round
from referee.tournament.results import Result

Pair = tuple[str, str]
"""Two bots, in the order of their names."""


class Score(Struct, gc=False):
    """What came of the matches in which two bots met."""

    matches: int = 0
    ahead: float = 0.0
    """In how many of them the first bot of the pair had the better rank; a tie is half."""


class PairHistory(Struct, kw_only=True):
    """The sums. Every round is told once, when it is drawn, and every result once, in any order."""

    deals: dict[tuple[str, tuple[str, ...]], int] = field(default_factory=dict)
    """By variant and line-up, the number of its next deal. All deals before it have been drawn."""
    met: dict[Pair, int] = field(default_factory=dict)
    """At how many tables two bots sat together. A line-up that plays several deals or variants of a round is one."""
    seatings: dict[str, int] = field(default_factory=dict)
    """At how many tables each bot sat, counted likewise."""
    scores: dict[Pair, Score] = field(default_factory=dict)
    """What came of it, where it has been played. Bots that are no longer in the run are here too."""

    def drawn(self, drawn: Round) -> None:
        """Count a round that was drawn."""
        for table in drawn.tables:
            place = table.variant, table.bots
            self.deals[place] = max(self.deals.get(place, 0), table.deal + 1)
        self.sat({table.bots for table in drawn.tables})

    def sat(self, lineups: Iterable[Sequence[str]]) -> None:
        """Count tables, each by the names of its bots in their order."""
        for lineup in lineups:
            for bot in lineup:
                self.seatings[bot] = self.seatings.get(bot, 0) + 1
            for pair in combinations(lineup, 2):
                self.met[pair] = self.met.get(pair, 0) + 1

    def ended(self, result: Result) -> None:
        """Count a match that has a result."""
        for (bot, rank), (other, other_rank) in combinations(sorted(zip(result.bots, result.ranks, strict=True)), 2):
            if (score := self.scores.get((bot, other))) is None:
                score = self.scores[bot, other] = Score()
            score.matches += 1
            score.ahead += 0.5 if rank == other_rank else rank < other_rank

    def next_tables(self, variants: Iterable[str], lineups: Iterable[Sequence[str]], deals: int) -> tuple[Block, ...]:
        """The tables at which these line-ups play so many deals more in each of these variants.

        A line-up may be there more than once.
        """
        tables: list[Block] = []
        first = dict[tuple[str, tuple[str, ...]], int]()
        for lineup in lineups:
            bots = tuple(sorted(lineup))
            for variant in variants:
                deal = first.get((variant, bots), self.deals.get((variant, bots), 0))
                tables += (Block(variant=variant, bots=bots, deal=deal + more) for more in range(deals))
                first[variant, bots] = deal + deals
        return tuple(tables)


def meetings_of(past: History) -> PairHistory:
    """The sums over the whole past: those that it brings along, or else made anew."""
    if past.meetings is not None:
        return past.meetings
    meetings = PairHistory()
    for drawn in past.rounds:
        meetings.drawn(drawn)
    for results in (*past.played, *past.former.values()):
        for result in results:
            meetings.ended(result)
    return meetings
