"""The rows of pairs and standings, as `golfref standings --json` tells them."""

from collections.abc import Iterator, Mapping

from referee.reports.export.rows import FaultColumns, PairRow, StandingRow
from referee.tournament.figures.ratings import Rating
from referee.tournament.standings import BotStanding, Encounter, Interval
from referee.tournament.store.store import Store
from referee.tournament.summary import EnteredBot, standings_in, summary_of

Ends = tuple[float | None, float | None]


def pair_rows(store: Store) -> Iterator[PairRow]:
    """A row for each bot and each opponent that it met, over all games and then in each game. Raises StoreError."""
    yield from _pairs(None, standings_in(store).crosstable)
    for variant in store.meta().config.variants:
        yield from _pairs(variant.name, standings_in(store, variant.name).crosstable)


def _pairs(game: str | None, crosstable: Mapping[str, Mapping[str, Encounter]]) -> Iterator[PairRow]:
    for bot, row in crosstable.items():
        for opponent, met in row.items():
            points, strokes = _ends(met.match_points_interval), _ends(met.strokes_interval)
            yield PairRow(
                game=game,
                bot=bot,
                opponent=opponent,
                matches=met.matches,
                match_points=met.match_points,
                match_points_from=points[0],
                match_points_to=points[1],
                strokes=met.strokes,
                strokes_from=strokes[0],
                strokes_to=strokes[1],
            )


def standing_rows(store: Store) -> Iterator[StandingRow]:
    """A row for each bot over all games, then one for each bot in each game. Raises StoreError."""
    summary = summary_of(store, with_results=False)
    bots = {bot.name: bot for bot in summary.bots}
    ratings = summary.ratings
    rated = {one.bot: one for one in ratings.bots} if ratings is not None else {}
    for one in summary.standings:
        is_anchor = ratings is not None and one.bot == ratings.anchor
        yield _standing(None, one, bots[one.bot], rated.get(one.bot), is_anchor=is_anchor)
    for game, table in summary.variants.items():
        for one in table:
            yield _standing(game, one, bots[one.bot], None, is_anchor=False)


def _standing(
    game: str | None, one: BotStanding, bot: EnteredBot, rating: Rating | None, *, is_anchor: bool
) -> StandingRow:
    points, strokes = _ends(one.match_points_interval), _ends(one.strokes_interval)
    chance = _ends(None if rating is None else rating.chance_interval)
    return StandingRow(
        game=game,
        rank=one.rank,
        rank_from=one.rank_from,
        rank_to=one.rank_to,
        bot=one.bot,
        owner=bot.owner,
        version=bot.version,
        match_points=one.match_points,
        match_points_stderr=one.match_points_stderr,
        match_points_from=points[0],
        match_points_to=points[1],
        strokes=one.strokes,
        strokes_stderr=one.strokes_stderr,
        strokes_from=strokes[0],
        strokes_to=strokes[1],
        reason=one.reason,
        games=len(one.games),
        matches=one.matches,
        waiting=one.waiting,
        rounds=one.rounds,
        firsts=one.firsts,
        forfeits=one.forfeits,
        faults=FaultColumns.of(one.faults),
        late_slaps=one.late_slaps,
        idle_cpu_ms=one.idle_cpu_ms,
        opponents=one.opponents,
        rating=None if rating is None else rating.chance,
        rating_from=chance[0],
        rating_to=chance[1],
        anchor=is_anchor,
    )


def _ends(interval: Interval | None) -> Ends:
    return (None, None) if interval is None else interval
