"""What a few games between given bots come to. Intervals are clustered by deal, as in a tournament.

This module must not know how figures are shown.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.rules.counts import Actions
from referee.tournament.results import Result
from referee.tournament.series import Best, Series
from referee.tournament.standings import BotStanding, Encounter, RankBy
from referee.tournament.tally import standings_of
from referee.trials.races import quantile


class Times(Struct, frozen=True, kw_only=True):
    """How long a bot took for its answers, in microseconds."""

    answers: int
    p50_us: float
    p99_us: float
    worst_us: float


class BotFigures(Struct, frozen=True, kw_only=True):
    """What a bot did in all games together, beside its standing."""

    bot: str
    shared_firsts: int
    """How many of its games it ended with rank 1 beside another bot."""
    thinking: Times | None
    """As charged for its answers, but for those in slap windows; None where it gave none."""
    slaps: Times | None
    """For slaps and passes in windows, as they counted; None where none was timed. Late ones are not among them."""
    actions: Actions
    """How often it drew, knocked and slapped, and what came of it."""
    late_slaps: int
    """How many slaps and passes came too late, which is no fault."""


class SeriesSummary(Struct, frozen=True, kw_only=True):
    """What a series comes to."""

    variant: str
    seed: str
    isolation: str
    games: int
    """How many games were played."""
    deals: int
    """On how many deals; the last one may lack rotations."""
    seats: int
    rotates: bool
    """Whether the bots changed seats on each deal."""
    rank_by: RankBy
    standings: tuple[BotStanding, ...]
    """As in a tournament. Empty for a bot that plays alone, which beats nobody."""
    crosstable: dict[str, dict[str, Encounter]]
    bots: tuple[BotFigures, ...]
    """In the order in which they were given."""
    faults: dict[str, dict[str, int]]
    """By bot and kind."""
    best: Best | None
    """The best game of a bot that plays alone."""


def summary_of(series: Series, rank_by: RankBy = "match-points") -> SeriesSummary:
    """What the games come to so far; there must be one."""
    results = [replace(result, bots=tuple(series.names[bot] for bot in seat.order)) for seat, result in series.played]
    standings = standings_of(results if series.seats > 1 else (), rank_by, rotates=series.rotates)
    shared = Counter(bot for result in results for bot in _sharing_first(result))
    return SeriesSummary(
        variant=results[0].variant,
        seed=series.seed,
        isolation=series.isolation,
        games=len(results),
        deals=len({seat.deal for seat, _ in series.played}),
        seats=series.seats,
        rotates=series.rotates,
        rank_by=rank_by,
        standings=standings.overall,
        crosstable=standings.crosstable,
        bots=tuple(
            BotFigures(
                bot=name,
                shared_firsts=shared[name],
                thinking=_times(series.thinking.get(bot, ())),
                slaps=_times(series.slaps.get(bot, ())),
                actions=series.actions[bot],
                late_slaps=series.late[bot],
            )
            for bot, name in enumerate(series.names)
        ),
        faults=_faults(results),
        best=series.best,
    )


def _times(took_us: Sequence[float]) -> Times | None:
    if not took_us:
        return None
    return Times(
        answers=len(took_us), p50_us=quantile(took_us, 0.5), p99_us=quantile(took_us, 0.99), worst_us=max(took_us)
    )


def _sharing_first(result: Result) -> Iterable[str]:
    first = [bot for bot, rank in zip(result.bots, result.ranks, strict=True) if rank == 1]
    return first if len(first) > 1 else ()


def _faults(results: Iterable[Result]) -> dict[str, dict[str, int]]:
    found: Mapping[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for bot, faults in zip(result.bots, result.faults, strict=True):
            if faults:
                found[bot].update(faults)
    return {bot: dict(sorted(faults.items())) for bot, faults in found.items()}
