"""Standings and their statistics, computed from the rows of finished matches and from nothing else."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from statistics import fmean

from msgspec.structs import replace

from referee.rules.counts import Actions
from referee.tournament.figures.blocks import BlockTable, Figure
from referee.tournament.figures.compare import Comparer, HeadToHead, head_to_head
from referee.tournament.figures.means import Estimate
from referee.tournament.figures.ranks import RankRange, rank_ranges
from referee.tournament.results import Result
from referee.tournament.standings import BotStanding, Encounter, Interval, RankBy, Score, Standings

NOT_RANKED = "it is of the field, which is not ranked in a gauntlet"
NO_BLOCK = "no deal has been played from every seat yet"


def standings_of(results: Iterable[Result], rank_by: RankBy = "match-points", *, rotates: bool = True) -> Standings:
    """The standings of results in any order. `rotates` is as for Tally."""
    tally = Tally(rotates=rotates)
    for result in sorted(results, key=lambda result: (result.block, result.number)):
        tally.add(result)
    return tally.standings(rank_by)


class Tally:
    """What standings are computed from: the block table, and what each bot did in its matches."""

    def __init__(self, *, rotates: bool = True, ranked: Collection[str] | None = None, looks: int = 1) -> None:
        """Count nothing yet.

        `ranked` are the challengers of a gauntlet: no other bot is given a rank. Without `rotates` each match has a
        deal of its own. `looks` is how often the results are looked at while they come, as in `p_of`.
        """
        self.matches_of = Counter[str]()
        """By game, how many matches have been counted."""
        self.table = BlockTable(rotates=rotates)
        self.ranked = ranked
        self._looks = looks
        self.scores: dict[str, dict[str, Score]] = {}
        """By game and bot."""
        self._met = Counter[tuple[str, str]]()
        """By pair of bots in the order of their names, at how many matches both sat."""

    @property
    def matches(self) -> int:
        """How many matches have been counted."""
        return self.matches_of.total()

    def add(self, result: Result, *, seats: int | None = None) -> None:
        """Count a match. Matches must come in the order of the plan, since blocks and sums of floats depend on it.

        `seats` is how many bots sat at the table, where the result does not have all of them.
        """
        self.matches_of[result.variant] += 1
        self.table.add(result, seats=seats)
        scores = self.scores.setdefault(result.variant, {})
        for seat, bot in enumerate(result.bots):
            if (score := scores.get(bot)) is None:
                score = scores[bot] = Score()
            score.add(result, seat)
        self._met.update(combinations(sorted(result.bots), 2))

    def comparer(self, rank_by: RankBy) -> Comparer:
        """What compares the bots, by the figure that decides the rank."""
        decides: Figure = "strokes" if rank_by == "strokes" else "points"
        return Comparer(self.table, decides, ranked=self.ranked, looks=self._looks)

    def standings(self, rank_by: RankBy) -> Standings:
        """The standings so far. A bot without a match in a game has no part in it."""
        made = _Tables(self, rank_by)
        overall = made.table(list(self.scores))
        return Standings(
            rank_by=rank_by,
            overall=overall,
            variants={game: made.table([game]) for game in self.scores},
            crosstable=_crosstable(self._met, head_to_head(self.table), [row.bot for row in overall], rank_by),
        )


class _Tables:
    """Makes tables of a tally."""

    def __init__(self, tally: Tally, rank_by: RankBy) -> None:
        self._figures = tally.comparer(rank_by)
        self._rank_by = rank_by
        self._scores, self._matches = tally.scores, tally.matches_of
        self._in_blocks = {game: tally.table.matches_of(game) for game in tally.scores}

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
        if any(game in self._figures.table.games for game in games):
            return self._figures.comparable(games)
        alone = all(score.matches == self._matches[game] for game in games for score in self._scores[game].values())
        return tuple(games), [bot for bot in bots if alone and self._figures.may_be_ranked(bot)]

    def _ranges(self, bots: Sequence[str], games: tuple[str, ...]) -> Mapping[str, RankRange]:
        """The ranks that are possible by what is known."""
        if all(game in self._figures.table.games for game in games):
            return self._figures.ranges(games, bots)
        return rank_ranges(bots, ())

    def _row(self, bot: str, games: Sequence[str], ranked_over: tuple[str, ...], *, is_ranked: bool) -> BotStanding:
        scores = {game: self._scores[game][bot] for game in games if bot in self._scores[game]}
        whole = tuple(game for game in scores if self._figures.figures.has_block(bot, game))
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
            actions=sum((score.actions for score in scores.values()), Actions()),
            idle_cpu_ms=sum(score.idle_cpu_ms for score in scores.values()),
        )

    def _estimates(
        self, bot: str, games: Sequence[str], scores: Mapping[str, Score], *, has_blocks: bool
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
            return NOT_RANKED
        if not whole:
            return NO_BLOCK
        return f"{NO_BLOCK} in {', '.join(game for game in ranked_over if game not in whole)}"


def _placed(row: BotStanding, merits: Sequence[float], known: RankRange, rank_by: RankBy) -> BotStanding:
    """The row with its rank among these figures."""
    rank = bisect_left(merits, _merit(row, rank_by)) + 1
    return replace(row, rank=rank, rank_from=known.best, rank_to=known.worst)


def _merit(row: BotStanding, rank_by: RankBy) -> float:
    """The figure by which rows are ranked. Lower is better."""
    return row.strokes or 0.0 if rank_by == "strokes" else -(row.match_points or 0.0)


def _crosstable(
    met: Mapping[tuple[str, str], int],
    found: Mapping[tuple[str, str], HeadToHead],
    order: Sequence[str],
    rank_by: RankBy,
) -> dict[str, dict[str, Encounter]]:
    """Every bot against every other with which it has played a whole block."""
    table: dict[str, dict[str, Encounter]] = {bot: {} for bot in order}
    for bot, other in permutations(order, 2):
        pair = min(bot, other), max(bot, other)
        if (one := found.get(pair)) is not None:
            table[bot][other] = _encounter(one if bot < other else one.turned(), met[pair], rank_by)
    return table


def _encounter(one: HeadToHead, matches: int, rank_by: RankBy) -> Encounter:
    tells_strokes = len(one.games) == 1 or rank_by == "strokes"
    return Encounter(
        match_points=_rounded(one.points.mean),
        match_points_interval=_interval(one.points),
        strokes=_rounded(one.strokes.mean) if tells_strokes else None,
        strokes_interval=_interval(one.strokes) if tells_strokes else None,
        matches=matches,
    )


def _error(one: Estimate) -> float | None:
    return None if one.stderr is None else _rounded(one.stderr)


def _interval(one: Estimate) -> Interval | None:
    return None if one.low is None or one.high is None else (_rounded(one.low), _rounded(one.high))


def _rounded(figure: float) -> float:
    return round(figure, 9) + 0.0  # + 0.0 makes -0.0 plain
