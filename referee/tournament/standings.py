"""Standings and their statistics, computed from the rows of finished matches and from nothing else.

Two figures a bot. *Match points*: the share of its opponents at the table that it beat in a match, a tie counting half;
higher is better. *Strokes*: its points of the card game a round, less the mean of its table; lower is better. Both are
means over the line-ups of a game with equal weight, then over the games with equal weight (statistics/means.py).
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from math import exp
from statistics import fmean
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from referee.tournament.results import Result, beaten_shares
from referee.tournament.statistics.blocks import Blocks, Figure
from referee.tournament.statistics.comparisons import Comparer, Design, PValue
from referee.tournament.statistics.encounters import Duel, duels_of
from referee.tournament.statistics.means import Estimate, Possible, p_of
from referee.tournament.statistics.ranks import RankRange, rank_ranges

RankBy = Literal["match-points", "strokes"]
"""The figure that decides the rank."""

Order = Literal["means", "ratings", "places"]
"""By what the overall table is ordered: by the means of `RankBy`, or, where bots met different opponents on purpose and
means cannot be compared, by their ratings, or by how far each bot came."""

Interval = tuple[float, float]
"""Its ends. It contains the true figure in 95 of 100 tournaments."""


class BotStanding(Struct, frozen=True, kw_only=True):
    """A bot's place in a table. Figures are rounded to nine decimals, so that equal ones are equal."""

    rank: int | None
    """1 is best. Equal figures share a rank. None where the bot cannot be compared with those that are ranked."""
    rank_from: int | None = None
    """The best rank that the bot can have by what is known: 1 and the number of bots that are surely better."""
    rank_to: int | None = None
    """The worst one. Bots with the same ranks here are tied."""
    bot: str
    match_points: float | None
    """The mean share of the opponents at its table that it beat, from 0 to 1. None without a match."""
    match_points_stderr: float | None
    """The standard error of `match_points`; None where it is not known."""
    match_points_interval: Interval | None = None
    strokes: float | None
    """None over several games: a stroke is not the same in all of them."""
    strokes_stderr: float | None
    strokes_interval: Interval | None = None
    reason: str = ""
    """Why there is no rank, or no interval of the match points, or what the interval rests on."""
    games: tuple[str, ...] = ()
    """Over which games the figures are."""
    matches: int
    waiting: int = 0
    """How many of the matches are in blocks that lack rotations, and so not in the figures yet."""
    rounds: int
    firsts: int
    """How many matches it ended with rank 1, shared or not."""
    forfeits: int
    faults: dict[str, int]
    late_slaps: int
    """How many slaps and passes came too late, which is no fault."""
    idle_cpu_ms: int = 0
    """What it computed outside its turns, in all matches together, as far as the referee saw it."""
    opponents: float | None = None
    """How strong its opponents were, as the chance of one of their mean strength to finish before the anchor of the
    ratings. None where all bots meet the same opponents."""


class Encounter(Struct, frozen=True, kw_only=True):
    """A bot against one opponent, over all matches with both at the table."""

    match_points: float
    """The mean of 1 for a better rank, 0 for a worse one and half for a tie."""
    match_points_interval: Interval | None = None
    strokes: float | None
    """The mean of its own strokes a round, less the opponent's. None over several games."""
    strokes_interval: Interval | None = None
    matches: int


class Standings(Struct, frozen=True, kw_only=True):
    """All tables of a tournament. Rows are sorted by rank, then by name; those without a rank come last."""

    rank_by: RankBy
    order: Order = "means"
    overall: tuple[BotStanding, ...]
    variants: dict[str, tuple[BotStanding, ...]]
    crosstable: dict[str, dict[str, Encounter]]
    """By bot and opponent, in the order of the overall table."""


def standings_of(
    results: Iterable[Result],
    rank_by: RankBy = "match-points",
    *,
    possible: Possible | None = None,
    rotates: bool = True,
) -> Standings:
    """The standings of results in any order. `possible` and `rotates` are as for Tally."""
    tally = Tally(possible=possible, rotates=rotates)
    for result in sorted(results, key=lambda result: (result.block, result.number)):
        tally.add(result)
    return tally.standings(rank_by)


def ranked_otherwise(standings: Standings, order: Order, ranks: Mapping[str, tuple[int, int, int]]) -> Standings:
    """The standings with these ranks in the overall table, and with none in those of single variants.

    `ranks` has by bot its rank, and the best and the worst that it can have; whoever is not there gets none. Means have
    no intervals then: these would be for a mean over all opponents, which is not what the bots were after.
    """
    overall = [_reranked(row, ranks.get(row.bot)) for row in standings.overall]
    last = len(overall) + 1
    overall.sort(key=lambda row: (row.rank or last, row.rank_to or 0, row.bot))
    variants = {
        name: tuple(sorted((_reranked(row, None) for row in rows), key=lambda row: row.bot))
        for name, rows in standings.variants.items()
    }
    crosstable = {row.bot: standings.crosstable.get(row.bot, {}) for row in overall}
    return replace(standings, order=order, overall=tuple(overall), variants=variants, crosstable=crosstable)


def _reranked(row: BotStanding, rank: tuple[int, int, int] | None) -> BotStanding:
    own, best, worst = rank or (None, None, None)
    return replace(
        row,
        rank=own,
        rank_from=best,
        rank_to=worst,
        match_points_stderr=None,
        match_points_interval=None,
        strokes_stderr=None,
        strokes_interval=None,
        reason=OTHER_OPPONENTS if row.matches else row.reason,
    )


def with_entrants(standings: Standings, bots: Collection[str]) -> Standings:
    """The standings with a row at the end for each of these bots that has no match."""
    told = {row.bot for row in standings.overall}
    rows = tuple(
        BotStanding(
            rank=None,
            bot=bot,
            match_points=None,
            match_points_stderr=None,
            strokes=None,
            strokes_stderr=None,
            reason=NO_MATCH,
            matches=0,
            rounds=0,
            firsts=0,
            forfeits=0,
            faults={},
            late_slaps=0,
        )
        for bot in sorted(bots)
        if bot not in told
    )
    crosstable = standings.crosstable | {row.bot: {} for row in rows}
    return replace(standings, overall=(*standings.overall, *rows), crosstable=crosstable)


def with_opponents(standings: Standings, strengths: Mapping[str, float]) -> Standings:
    """The standings with what each bot's opponents were like, given the strength of each bot beside the anchor's."""
    overall = []
    for row in standings.overall:
        met = [(one.matches, strengths[bot]) for bot, one in standings.crosstable[row.bot].items() if bot in strengths]
        if matches := sum(count for count, _ in met):
            mean = sum(count * strength for count, strength in met) / matches
            row = replace(row, opponents=round(1 / (1 + exp(-mean)), 6))  # noqa: PLW2901 - the row, and what it lacked
        overall.append(row)
    return replace(standings, overall=tuple(overall))


class Tally:
    """The sums from which standings are computed. It keeps no results, and of blocks only sums by line-up."""

    def __init__(
        self,
        *,
        possible: Possible | None = None,
        rotates: bool = True,
        ranked: Collection[str] | None = None,
        p_value: PValue = p_of,
    ) -> None:
        """Count nothing yet.

        `ranked` are the challengers of a gauntlet: nobody else is given a rank. `possible` tells by game and bot how
        many line-ups there are of it in all; without it those that were played are taken for all. Without `rotates`
        each match has a deal of its own. `p_value` says how likely a difference of two equal bots is; where somebody
        looked at the results before the last of them had come, it must allow for that.
        """
        self.matches_of = Counter[str]()
        """By game, how many matches have been counted."""
        self.blocks = Blocks(rotates=rotates)
        self.possible = possible
        self.ranked = ranked
        self._p_value = p_value
        self.scores: dict[str, dict[str, _Score]] = {}
        self._meetings: _Meetings = {}

    @property
    def matches(self) -> int:
        """How many matches have been counted."""
        return self.matches_of.total()

    def add(self, result: Result, *, seats: int | None = None) -> None:
        """Count a match. Matches must come in the order of the plan, since blocks and sums of floats depend on it.

        `seats` is how many bots sat at the table, where the result does not have all of them.
        """
        self.matches_of[result.variant] += 1
        self.blocks.add(result, seats=seats)
        table = self.scores.setdefault(result.variant, defaultdict(_Score))
        rounds, mean = _per_round(result), sum(result.totals) / len(result.totals)
        bots = zip(result.bots, beaten_shares(result.ranks), result.totals, strict=True)
        for seat, (bot, share, total) in enumerate(bots):
            table[bot].add(result, seat, points=share, strokes=(total - mean) / rounds)
        _meet(self._meetings, result, rounds)

    def comparer(self, rank_by: RankBy) -> Comparer:
        """What compares the bots, by the figure that decides the rank."""
        decides: Figure = "strokes" if rank_by == "strokes" else "points"
        design = Design(possible=self.possible, ranked=self.ranked)
        return Comparer(self.blocks, decides, design, self._p_value)

    def standings(self, rank_by: RankBy) -> Standings:
        """The standings so far. A bot without a match in a game has no part in it."""
        made = _Tables(self, rank_by)
        overall = made.table(list(self.scores))
        return Standings(
            rank_by=rank_by,
            overall=overall,
            variants={game: made.table([game]) for game in self.scores},
            crosstable=_crosstable(
                self._meetings, duels_of(self.blocks, self.possible), [row.bot for row in overall], rank_by
            ),
        )


class _Tables:
    """Makes tables of a tally."""

    def __init__(self, tally: Tally, rank_by: RankBy) -> None:
        self._figures = tally.comparer(rank_by)
        self._rank_by = rank_by
        self._scores, self._matches = tally.scores, tally.matches_of
        self._in_blocks = {game: tally.blocks.matches_of(game) for game in tally.scores}

    def table(self, games: Sequence[str]) -> tuple[BotStanding, ...]:
        """A row for each bot that has played one of these games."""
        bots = list(dict.fromkeys(bot for game in games for bot in self._scores[game]))
        over, ranked = self._comparable(games, bots)
        rows = [self._row(bot, games, over, is_ranked=bot in ranked) for bot in bots]
        merits = sorted(_merit(row, self._rank_by) for row in rows if row.bot in ranked)
        ranges = self._ranges(ranked, over)
        placed = [_placed(row, merits, ranges[row.bot], self._rank_by) if row.bot in ranked else row for row in rows]
        return tuple(sorted(placed, key=lambda row: (row.rank or len(bots) + 1, row.bot)))

    def _comparable(self, games: Sequence[str], bots: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
        """Over which games bots can be compared, and which bots.

        Where no block is whole yet, those can be that were in all matches.
        """
        if any(game in self._figures.points.games for game in games):
            return self._figures.comparable(games)
        alone = all(score.matches == self._matches[game] for game in games for score in self._scores[game].values())
        return tuple(games), [bot for bot in bots if alone and self._figures.may_be_ranked(bot)]

    def _ranges(self, bots: Sequence[str], games: tuple[str, ...]) -> Mapping[str, RankRange]:
        """The ranks that are possible by what is known."""
        if all(game in self._figures.points.games for game in games):
            return self._figures.ranges(games, bots)
        return rank_ranges(bots, ())

    def _row(self, bot: str, games: Sequence[str], ranked_over: tuple[str, ...], *, is_ranked: bool) -> BotStanding:
        scores = {game: self._scores[game][bot] for game in games if bot in self._scores[game]}
        whole = tuple(game for game in scores if self._figures.has_block(bot, game))
        over = (ranked_over if is_ranked else whole) or tuple(scores)
        points, strokes = self._estimates(bot, over, scores, has_blocks=bool(whole))
        tells_strokes = len(over) == 1 or self._rank_by == "strokes"
        matches = sum(score.matches for score in scores.values())
        return BotStanding(
            rank=None,
            bot=bot,
            match_points=_rounded(points.mean),
            match_points_stderr=_error(points),
            match_points_interval=_interval(points),
            strokes=_rounded(strokes.mean) if tells_strokes else None,
            strokes_stderr=_error(strokes) if tells_strokes else None,
            strokes_interval=_interval(strokes) if tells_strokes else None,
            reason=points.reason if is_ranked else self._why_unranked(bot, ranked_over, whole),
            games=over,
            matches=matches,
            waiting=matches - sum(self._in_blocks[game].get(bot, 0) for game in scores),
            rounds=sum(score.rounds for score in scores.values()),
            firsts=sum(score.firsts for score in scores.values()),
            forfeits=sum(score.forfeits for score in scores.values()),
            faults=dict(sorted(sum((score.faults for score in scores.values()), Counter[str]()).items())),
            late_slaps=sum(score.late_slaps for score in scores.values()),
            idle_cpu_ms=sum(score.idle_cpu_ms for score in scores.values()),
        )

    def _estimates(
        self, bot: str, games: Sequence[str], scores: Mapping[str, "_Score"], *, has_blocks: bool
    ) -> tuple[Estimate, Estimate]:
        """Match points and strokes; the means over matches where there is no whole block."""
        if has_blocks:
            return self._figures.points.estimate(bot, games), self._figures.strokes.estimate(bot, games)
        some = [scores[game] for game in games]
        points, strokes = (
            fmean(one.points / one.matches for one in some),
            fmean(one.strokes / one.matches for one in some),
        )
        return Estimate(mean=points, reason=NO_BLOCK), Estimate(mean=strokes, reason=NO_BLOCK)

    def _why_unranked(self, bot: str, ranked_over: Sequence[str], whole: Sequence[str]) -> str:
        if not self._figures.may_be_ranked(bot):
            return OF_THE_FIELD
        if not whole:
            return NO_BLOCK
        if lacking := [game for game in ranked_over if game not in whole]:
            return f"{NO_BLOCK} in {', '.join(lacking)}"
        few = [game for game in ranked_over or whole if not self._figures.is_fit(bot, game)]
        return "only one of its line-ups has been played" + f" in {', '.join(few)}" * (len(ranked_over) > 1)


OTHER_OPPONENTS = "bots met different opponents, so their means are not compared"
OF_THE_FIELD = "it is of the field, which is not ranked in a gauntlet"
NO_MATCH = "no match of it counts"
NO_BLOCK = "no deal has been played from every seat yet"


def _placed(row: BotStanding, merits: Sequence[float], known: RankRange, rank_by: RankBy) -> BotStanding:
    """The row with its rank among these figures."""
    rank = bisect_left(merits, _merit(row, rank_by)) + 1
    return replace(row, rank=rank, rank_from=known.best, rank_to=known.worst)


def _merit(row: BotStanding, rank_by: RankBy) -> float:
    """The figure by which rows are ranked. Lower is better."""
    return row.strokes or 0.0 if rank_by == "strokes" else -(row.match_points or 0.0)


class _Score(Struct, kw_only=True):
    """What a bot did in a game, counted over matches."""

    matches: int = 0
    points: float = 0.0
    strokes: float = 0.0
    rounds: int = 0
    firsts: int = 0
    forfeits: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    late_slaps: int = 0
    idle_cpu_ms: int = 0

    def add(self, result: Result, seat: int, *, points: float, strokes: float) -> None:
        """Count a match that the bot played at this seat, with what it scored in both figures."""
        self.matches += 1
        self.points += points
        self.strokes += strokes
        self.rounds += result.rounds
        self.firsts += result.ranks[seat] == 1
        self.forfeits += result.forfeited[seat]
        if result.faults[seat]:
            self.faults.update(result.faults[seat])
        self.late_slaps += result.late_slaps[seat]
        if result.idle_cpu_ms:
            self.idle_cpu_ms += result.idle_cpu_ms[seat]


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
        if (pair := meetings.get((bot, other))) is None:
            pair = meetings[bot, other] = {}
        if (meeting := pair.get(result.variant)) is None:
            meeting = pair[result.variant] = _Sum()
        meeting.matches += 1
        meeting.points += 0.5 if rank == other_rank else rank < other_rank
        meeting.strokes += (total - other_total) / rounds


def _crosstable(
    meetings: _Meetings, duels: Mapping[tuple[str, str], Duel], order: Sequence[str], rank_by: RankBy
) -> dict[str, dict[str, Encounter]]:
    """Every bot against every other that it met."""
    table: dict[str, dict[str, Encounter]] = {bot: {} for bot in order}
    for bot, other in permutations(order, 2):
        pair = min(bot, other), max(bot, other)
        if sums := meetings.get(pair):
            duel = duels.get(pair) or _by_matches(sums)
            matches = sum(meeting.matches for meeting in sums.values())
            table[bot][other] = _encounter(duel if bot < other else duel.turned(), matches, rank_by)
    return table


def _by_matches(meetings: Mapping[str, _Sum]) -> Duel:
    """The means over games of a pair that has not played a whole block together."""
    points = fmean(meeting.points / meeting.matches for meeting in meetings.values())
    strokes = fmean(meeting.strokes / meeting.matches for meeting in meetings.values())
    return Duel(
        points=Estimate(mean=points, reason=NO_BLOCK),
        strokes=Estimate(mean=strokes, reason=NO_BLOCK),
        games=tuple(meetings),
    )


def _encounter(duel: Duel, matches: int, rank_by: RankBy) -> Encounter:
    tells_strokes = len(duel.games) == 1 or rank_by == "strokes"
    return Encounter(
        match_points=_rounded(duel.points.mean),
        match_points_interval=_interval(duel.points),
        strokes=_rounded(duel.strokes.mean) if tells_strokes else None,
        strokes_interval=_interval(duel.strokes) if tells_strokes else None,
        matches=matches,
    )


def _per_round(result: Result) -> int:
    """The number by which the strokes of a match are divided. A match without a whole round has no strokes anyway."""
    return result.rounds or 1


def _error(one: Estimate) -> float | None:
    return None if one.stderr is None else _rounded(one.stderr)


def _interval(one: Estimate) -> Interval | None:
    return None if one.low is None or one.high is None else (_rounded(one.low), _rounded(one.high))


def _rounded(figure: float) -> float:
    return round(figure, 9) + 0.0  # + 0.0 makes -0.0 plain
