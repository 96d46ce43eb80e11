"""Standings and their statistics, computed from the rows of finished matches and from nothing else.

Two figures a bot. *Match points*: the share of its opponents at the table that it beat in a match, a tie counting half;
higher is better. *Strokes*: its points of the card game a round, less the mean of its table; lower is better. Both are
means over matches within a variant, then over variants with equal weight, with standard errors clustered by block.
"""

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, permutations
from math import sqrt
from statistics import fmean
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from referee.tournament.results import Result, beaten_shares

RankBy = Literal["match-points", "strokes"]
"""The figure that decides the rank."""


class BotStanding(Struct, frozen=True, kw_only=True):
    """A bot's place in a table. Figures are rounded to nine decimals, so that equal ones are equal."""

    rank: int
    """1 is best. Equal figures share a rank."""
    bot: str
    match_points: float
    """The mean share of the opponents at its table that it beat, from 0 to 1."""
    match_points_stderr: float | None
    """The standard error of `match_points`; None where there are fewer than two blocks."""
    strokes: float
    strokes_stderr: float | None
    matches: int
    rounds: int
    firsts: int
    """How many matches it ended with rank 1, shared or not."""
    forfeits: int
    faults: dict[str, int]
    late_slaps: int
    """How many slaps and passes came too late, which is no fault."""
    idle_cpu_ms: int = 0
    """What it computed outside its turns, in all matches together, as far as the referee saw it."""


class Encounter(Struct, frozen=True, kw_only=True):
    """A bot against one opponent, over all matches with both at the table."""

    match_points: float
    """The mean of 1 for a better rank, 0 for a worse one and half for a tie."""
    strokes: float
    """The mean of its own strokes a round, less the opponent's."""
    matches: int


class Standings(Struct, frozen=True, kw_only=True):
    """All tables of a tournament. Rows are sorted by rank, then by name."""

    rank_by: RankBy
    overall: tuple[BotStanding, ...]
    variants: dict[str, tuple[BotStanding, ...]]
    crosstable: dict[str, dict[str, Encounter]]
    """By bot and opponent, in the order of the overall table."""


def standings_of(results: Iterable[Result], rank_by: RankBy = "match-points") -> Standings:
    """The standings of results in any order."""
    tally = Tally()
    for result in sorted(results, key=lambda result: (result.block, result.number)):
        tally.add(result)
    return tally.standings(rank_by)


class Tally:
    """The sums from which standings are computed. It keeps no results, and of a block only what its bots made of it."""

    def __init__(self) -> None:
        self.matches = 0
        self._scores: dict[str, dict[str, _Score]] = {}
        self._meetings: _Meetings = {}

    def add(self, result: Result) -> None:
        """Count a match. Matches must come in the order of the plan, since sums of floats depend on it."""
        self.matches += 1
        table = self._scores.setdefault(result.variant, defaultdict(_Score))
        rounds, mean = _per_round(result), sum(result.totals) / len(result.totals)
        bots = zip(result.bots, beaten_shares(result.ranks), result.totals, strict=True)
        for seat, (bot, share, total) in enumerate(bots):
            table[bot].add(result, seat, points=share, strokes=(total - mean) / rounds)
        _meet(self._meetings, result, rounds)

    def standings(self, rank_by: RankBy) -> Standings:
        """The standings so far. A bot without a match in a variant has no part in it."""
        by_bot: dict[str, list[_Score]] = defaultdict(list)
        for table in self._scores.values():
            for bot, score in table.items():
                by_bot[bot].append(score)
        overall = _table(by_bot, rank_by)
        return Standings(
            rank_by=rank_by,
            overall=overall,
            variants={
                variant: _table({bot: [score] for bot, score in table.items()}, rank_by)
                for variant, table in self._scores.items()
            },
            crosstable=_crosstable(self._meetings, [row.bot for row in overall]),
        )


class _Score(Struct, kw_only=True):
    """What a bot did in a variant: by block its matches and the sums of both figures, and what is counted overall."""

    block: int | None = None
    """The last block that was counted."""
    counts: "array[int]" = field(default_factory=lambda: array("q"))
    points_sums: "array[float]" = field(default_factory=lambda: array("d"))
    strokes_sums: "array[float]" = field(default_factory=lambda: array("d"))
    rounds: int = 0
    firsts: int = 0
    forfeits: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    late_slaps: int = 0
    idle_cpu_ms: int = 0

    def add(self, result: Result, seat: int, *, points: float, strokes: float) -> None:
        """Count a match that the bot played at this seat, with what it scored in both figures."""
        if result.block != self.block:
            self.block = result.block
            self.counts.append(0)
            self.points_sums.append(0.0)
            self.strokes_sums.append(0.0)
        self.counts[-1] += 1
        self.points_sums[-1] += points
        self.strokes_sums[-1] += strokes
        self.rounds += result.rounds
        self.firsts += result.ranks[seat] == 1
        self.forfeits += result.forfeited[seat]
        if result.faults[seat]:
            self.faults.update(result.faults[seat])
        self.late_slaps += result.late_slaps[seat]
        if result.idle_cpu_ms:
            self.idle_cpu_ms += result.idle_cpu_ms[seat]

    @property
    def matches(self) -> int:
        return sum(self.counts)

    def points(self) -> "_Figure":
        """Match points in this variant."""
        return _clustered(self.counts, self.points_sums)

    def strokes(self) -> "_Figure":
        """Strokes in this variant."""
        return _clustered(self.counts, self.strokes_sums)


class _Figure(Struct, frozen=True):
    """A mean and its standard error."""

    mean: float
    stderr: float | None


def _clustered(counts: Sequence[int], sums: Sequence[float]) -> _Figure:
    """The mean over matches, given matches and sum of each block. Matches of one block are not independent.

    With N matches in G blocks, the standard error is sqrt(G / (G - 1) * sum over blocks of e**2) / N, where e is the
    sum of the block's deviations from the mean.
    """
    matches = sum(counts)
    mean = sum(sums) / matches
    blocks = len(counts)
    if blocks < 2:
        return _Figure(mean, None)
    squares = sum((total - count * mean) ** 2 for count, total in zip(counts, sums, strict=True))
    return _Figure(mean, sqrt(blocks / (blocks - 1) * squares) / matches)


def _equal_weight(figures: Sequence[_Figure]) -> _Figure:
    """The mean over variants. Its error is known only where that of every variant is."""
    errors = [figure.stderr for figure in figures if figure.stderr is not None]
    known = len(errors) == len(figures)
    stderr = _rounded(sqrt(sum(error**2 for error in errors)) / len(figures)) if known else None
    return _Figure(_rounded(fmean(figure.mean for figure in figures)), stderr)


def _table(scores: dict[str, list[_Score]], rank_by: RankBy) -> tuple[BotStanding, ...]:
    """A row for each bot from its scores in the table's variants."""
    unranked = [_row(bot, some) for bot, some in scores.items()]
    merits = sorted(_merit(row, rank_by) for row in unranked)
    rows = [replace(row, rank=bisect_left(merits, _merit(row, rank_by)) + 1) for row in unranked]
    return tuple(sorted(rows, key=lambda row: (row.rank, row.bot)))


def _merit(row: BotStanding, rank_by: RankBy) -> float:
    """The figure by which rows are ranked. Lower is better."""
    return row.strokes if rank_by == "strokes" else -row.match_points


def _row(bot: str, scores: Sequence[_Score]) -> BotStanding:
    points = _equal_weight([score.points() for score in scores])
    strokes = _equal_weight([score.strokes() for score in scores])
    faults = sum((score.faults for score in scores), Counter[str]())
    return BotStanding(
        rank=0,
        bot=bot,
        match_points=points.mean,
        match_points_stderr=points.stderr,
        strokes=strokes.mean,
        strokes_stderr=strokes.stderr,
        matches=sum(score.matches for score in scores),
        rounds=sum(score.rounds for score in scores),
        firsts=sum(score.firsts for score in scores),
        forfeits=sum(score.forfeits for score in scores),
        faults=dict(sorted(faults.items())),
        late_slaps=sum(score.late_slaps for score in scores),
        idle_cpu_ms=sum(score.idle_cpu_ms for score in scores),
    )


class _Sum(Struct, gc=False):
    """How many matches a pair has played, and the sums of both figures over them."""

    matches: int = 0
    points: float = 0.0
    strokes: float = 0.0


_Meetings = dict[tuple[str, str], dict[str, _Sum]]
"""By pair of bots in the order of their names, and by variant, the first bot's sums against the second."""


def _meet(meetings: _Meetings, result: Result, rounds: int) -> None:
    """Count a match for every pair at the table."""
    seats = sorted(zip(result.bots, result.ranks, result.totals, strict=True))
    for (bot, rank, total), (other, other_rank, other_total) in combinations(seats, 2):
        pair = meetings.setdefault((bot, other), {})
        if (meeting := pair.get(result.variant)) is None:
            meeting = pair[result.variant] = _Sum()
        meeting.matches += 1
        meeting.points += 0.5 if rank == other_rank else rank < other_rank
        meeting.strokes += (total - other_total) / rounds


def _crosstable(meetings: _Meetings, order: Sequence[str]) -> dict[str, dict[str, Encounter]]:
    """Every bot against every other that it met."""
    table: dict[str, dict[str, Encounter]] = {bot: {} for bot in order}
    for bot, other in permutations(order, 2):
        if sums := meetings.get((min(bot, other), max(bot, other))):
            table[bot][other] = _encounter(sums.values(), first=bot < other)
    return table


def _encounter(meetings: Collection[_Sum], *, first: bool) -> Encounter:
    """The means over variants, as the first of the pair or the second sees them."""
    points = fmean(meeting.points / meeting.matches for meeting in meetings)
    strokes = fmean(meeting.strokes / meeting.matches for meeting in meetings)
    return Encounter(
        match_points=_rounded(points if first else 1 - points),
        strokes=_rounded(strokes if first else -strokes),
        matches=sum(meeting.matches for meeting in meetings),
    )


def _per_round(result: Result) -> int:
    """The number by which the strokes of a match are divided. A match without a whole round has no strokes anyway."""
    return result.rounds or 1


def _rounded(figure: float) -> float:
    return round(figure, 9) + 0.0  # + 0.0 makes -0.0 plain
