"""What has been played of a run whose plan grows, as those see it who draw its rounds.

It depends on which matches were committed, but not on the order in which they were. This module must not know how
rounds are drawn.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from referee.tournament.config.planned import MatchIdentities
from referee.tournament.plan.meetings import PairHistory
from referee.tournament.plan.plan import Plan
from referee.tournament.plan.planned_match import Entry, Identity
from referee.tournament.plan.rounds import History
from referee.tournament.results import Result
from referee.tournament.store.rows import CommittedMatch
from referee.versions.version import short


class PlayedSoFar:
    """Takes the committed matches of a run, and tells them as the past of its rounds."""

    def __init__(self, plan: Plan, terms: MatchIdentities, *, keeps_results: bool = True) -> None:
        """The plan may grow meanwhile. `terms` are those of the config from which it is made.

        Without `keeps_results` the past tells only the sums of results, so that it stays small however long the run is.
        """
        self._plan, self._present, self._keeps_results = plan, Present(terms), keeps_results
        self._meetings, self._summed = PairHistory(), 0
        """The sums, and of how many rounds they are."""
        self._by_round: list[dict[int, Result]] = []
        """By round its results, by number."""
        self._in_order: list[tuple[Result, ...] | None] = []
        """By round the same in the order of numbers; None where some have come since, so that it is made again."""
        self._former: dict[int, list[Result]] = defaultdict(list)
        """By stage the results with bots that are no longer in the run."""

    def add(self, row: CommittedMatch, number: int | None) -> None:
        """Take a match in, with its number in the plan. None where it is not there."""
        if not self._keeps_results:
            self._sum(row, number)
        elif number is not None:
            place = self._plan.round_of(number)
            self._grow(place + 1)
            self._in_order[place] = None
            block, _, _ = self._plan.block_at(number)
            self._by_round[place][number] = replace(row.result, number=number, block=block, id=0)
        elif (result := as_former(row, self._present)) is not None:
            table = row.identity
            where = table.variant, frozenset(table.entries), table.deal
            stage = self._plan.former_stages.get(where, 0)
            self._former[stage].append(result)

    def _sum(self, row: CommittedMatch, number: int | None) -> None:
        result = row.result if number is not None else as_former(row, self._present)
        if result is not None:
            self._meetings.ended(result)

    def _grow(self, rounds: int) -> None:
        """Have room for the results of so many rounds."""
        more = rounds - len(self._by_round)
        self._by_round += ({} for _ in range(more))
        self._in_order += [None] * more

    def past(self) -> History:
        """What has been drawn and played."""
        if not self._keeps_results:
            for drawn in self._plan.rounds[self._summed :]:
                self._meetings.drawn(drawn)
            self._summed = len(self._plan.rounds)
            return History(rounds=self._plan.rounds, meetings=self._meetings)
        self._grow(len(self._plan.rounds))
        for place, results in enumerate(self._by_round):
            if self._in_order[place] is None:
                self._in_order[place] = tuple(results[number] for number in sorted(results))
        return History(
            rounds=tuple(self._plan.rounds),
            played=tuple(results or () for results in self._in_order),
            former={stage: tuple(numbered(results)) for stage, results in self._former.items()},
        )


class Present:
    """Which bots and games of a match are in the run now."""

    def __init__(self, terms: MatchIdentities) -> None:
        """`terms` are those of the config as it is now."""
        self._terms = terms

    def has_game(self, match: Identity) -> bool:
        """Whether the game of a match is one of the run."""
        return self._terms.games.get(match.variant) == match.game

    def bots(self, match: Identity) -> list[str]:
        """The bots of the match which are there, in the version that played it."""
        return [entry[0] for entry in match.entries if self._terms.entries.get(entry[0]) == entry]

    def remaining(self, match: Identity) -> list[str]:
        """The same where there are at least two, so that the match tells who is better; else none."""
        bots = self.bots(match)
        return bots if len(bots) > 1 and self.has_game(match) else []


def as_former(row: CommittedMatch, present: Present) -> Result | None:
    """The result of a match, with each bot that is gone under a name that tells its version.

    None where no bot is gone, and where the game is.
    """
    match = row.identity
    if not present.has_game(match):
        return None
    there = present.bots(match)
    bots = tuple(
        bot if bot in there else f"{bot} (version {short(version)})"
        for bot, version in zip(match.bots, match.versions, strict=True)
    )
    return None if bots == match.bots else replace(row.result, bots=bots, id=0)


def among_remaining(rows: Iterable[CommittedMatch], present: Present) -> Iterator[tuple[Result, int]]:
    """What bots that are still there played among themselves at tables of bots that have left the run.

    Each result has the ranks that these bots have among themselves, and comes with the number of seats of the table.
    Left out are matches of which fewer than two bots are still there.
    """
    shortened = [row for row in rows if 0 < len(present.remaining(row.identity)) < len(row.identity.bots)]
    shortened.sort(key=_table_of)
    for block, (_, some) in enumerate(groupby(shortened, key=lambda row: _table_of(row)[:-1])):
        for row in some:
            bots = row.identity.bots
            seats = [*map(bots.index, present.remaining(row.identity))]
            yield replace(_at_seats(row.result, seats), block=block, id=0), len(bots)


def _table_of(row: CommittedMatch) -> tuple[str, list[Entry], int, int]:
    """The table of a match, and its rotation."""
    match = row.identity
    return match.variant, sorted(match.entries), match.deal, match.rotation


def _at_seats(result: Result, seats: Sequence[int]) -> Result:
    """The result as if only the bots at these seats had played."""
    ranks = [result.ranks[seat] for seat in seats]
    return replace(
        result,
        bots=tuple(result.bots[seat] for seat in seats),
        totals=tuple(result.totals[seat] for seat in seats),
        ranks=tuple(1 + sum(other < rank for other in ranks) for rank in ranks),
        forfeited=tuple(result.forfeited[seat] for seat in seats),
        faults=tuple(result.faults[seat] for seat in seats),
        late_slaps=tuple(result.late_slaps[seat] for seat in seats),
        actions=tuple(result.actions[seat] for seat in seats) if result.actions else (),
        idle_cpu_ms=tuple(result.idle_cpu_ms[seat] for seat in seats) if result.idle_cpu_ms else (),
    )


def numbered(results: Iterable[Result]) -> Iterable[Result]:
    """The results of former matches in an order that follows from what they are, with numbers and blocks from 0."""
    blocks: dict[tuple[str, frozenset[str], int], int] = {}
    in_order = sorted(results, key=lambda one: (one.variant, sorted(one.bots), one.deal, one.rotation, one.bots))
    for number, result in enumerate(in_order):
        block = blocks.setdefault((result.variant, frozenset(result.bots), result.deal), len(blocks))
        yield replace(result, number=number, block=block)
