"""The tables of a tournament: what a row has, and how rows are ordered. `tally.py` makes them of results.

Two figures a bot. *Match points*: the share of its opponents at the table that it beat in a match, a tie counting half;
higher is better. *Strokes*: its points of the card game a round, less the mean of its table; lower is better. Both are
means over the line-ups of a game with equal weight, then over the games with equal weight (figures/means.py).
"""

from collections import Counter
from collections.abc import Collection, Mapping
from math import exp
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from referee.rules.counts import Actions
from referee.tournament.results import Result, beaten_shares

RankBy = Literal["match-points", "strokes"]
"""The figure that decides the rank."""

RankedBy = Literal["means", "ratings", "places"]
"""By what the overall table is ordered: by the means of `RankBy`, or, where bots met different opponents on purpose and
means cannot be compared, by their ratings, or by how far each bot came."""

Interval = tuple[float, float]
"""Its ends. It contains the true figure in 95 of 100 tournaments."""


class BotStanding(Struct, frozen=True, kw_only=True):
    """A bot's place in a table. Figures are rounded to nine decimals, so that equal ones are equal."""

    rank: int | None
    """1 is best. Equal figures share a rank. None where the bot cannot be compared with those that are ranked."""
    rank_from: int | None = None
    """The best rank that the bot can have by what is known: 1 and the number of bots that are better."""
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
    actions: Actions = Actions()
    """How often it drew, knocked and slapped in all matches together, and what came of it."""
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
    order: RankedBy = "means"
    overall: tuple[BotStanding, ...]
    variants: dict[str, tuple[BotStanding, ...]]
    crosstable: dict[str, dict[str, Encounter]]
    """By bot and opponent, in the order of the overall table."""


def ranked_otherwise(standings: Standings, order: RankedBy, ranks: Mapping[str, tuple[int, int, int]]) -> Standings:
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


OTHER_OPPONENTS = "bots met different opponents, so their means are not compared"
NO_MATCH = "no match of it counts"


class Score(Struct, kw_only=True):
    """What a bot did in a game, counted over matches, whole blocks or not."""

    matches: int = 0
    points: float = 0.0
    strokes: float = 0.0
    rounds: int = 0
    firsts: int = 0
    forfeits: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    late_slaps: int = 0
    actions: Actions = Actions()
    idle_cpu_ms: int = 0

    def add(self, result: Result, seat: int) -> None:
        """Count a match that the bot played at this seat."""
        self.matches += 1
        self.points += beaten_shares(result.ranks)[seat]
        self.strokes += (result.totals[seat] - sum(result.totals) / len(result.totals)) / (result.rounds or 1)
        self.rounds += result.rounds
        self.firsts += result.ranks[seat] == 1
        self.forfeits += result.forfeited[seat]
        if result.faults[seat]:
            self.faults.update(result.faults[seat])
        self.late_slaps += result.late_slaps[seat]
        if result.actions:
            self.actions += result.actions[seat]
        if result.idle_cpu_ms:
            self.idle_cpu_ms += result.idle_cpu_ms[seat]
