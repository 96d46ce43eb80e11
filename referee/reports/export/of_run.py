"""The tables of pairs and standings, as `golfref standings --json` has them."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from referee.reports.export.columns import ExportTable, Scope, Values
from referee.reports.export.of_matches import action_values, fault_values
from referee.tournament.figures.ratings import Rating
from referee.tournament.standings import BotStanding, Encounter
from referee.tournament.store.store import Store
from referee.tournament.summary import EnteredBot, standings_in, summary_of

GAME: Values = {"game": ("text?", lambda one: one.game)}


class _Pair(Struct, frozen=True, kw_only=True):
    game: str | None
    bot: str
    opponent: str
    met: Encounter


def _pairs(store: Store, _: Scope) -> Iterator[_Pair]:
    """Each bot and each opponent that it met, over all games and then in each game."""
    for game in (None, *(variant.name for variant in store.meta().config.variants)):
        for bot, row in standings_in(store, game).crosstable.items():
            for opponent, met in row.items():
                yield _Pair(game=game, bot=bot, opponent=opponent, met=met)


PAIRS = ExportTable(
    _pairs,
    {
        **GAME,
        "bot": ("text", lambda one: one.bot),
        "opponent": ("text", lambda one: one.opponent),
        "matches": ("int", lambda one: one.met.matches),
        "match_points": ("float", lambda one: one.met.match_points),
        "match_points_from": ("float?", lambda one: _end(one.met.match_points_interval, 0)),
        "match_points_to": ("float?", lambda one: _end(one.met.match_points_interval, 1)),
        "strokes": ("float?", lambda one: one.met.strokes),
        "strokes_from": ("float?", lambda one: _end(one.met.strokes_interval, 0)),
        "strokes_to": ("float?", lambda one: _end(one.met.strokes_interval, 1)),
    },
)
"""A row for each bot and each opponent that it met."""


class _Standing(Struct, frozen=True, kw_only=True):
    game: str | None
    row: BotStanding
    bot: EnteredBot
    rating: Rating | None = None
    is_anchor: bool = False


def _standings(store: Store, _: Scope) -> Iterator[_Standing]:
    """Each bot over all games, then each bot in each game."""
    summary = summary_of(store, with_results=False)
    bots = {bot.name: bot for bot in summary.bots}
    rated: Mapping[str, Rating] = {one.bot: one for one in summary.ratings.bots} if summary.ratings else {}
    anchor = None if summary.ratings is None else summary.ratings.anchor
    for row in summary.standings:
        yield _Standing(game=None, row=row, bot=bots[row.bot], rating=rated.get(row.bot), is_anchor=row.bot == anchor)
    for game, table in summary.variants.items():
        yield from (_Standing(game=game, row=row, bot=bots[row.bot]) for row in table)


STANDINGS = ExportTable(
    _standings,
    {
        **GAME,
        "rank": ("int?", lambda one: one.row.rank),
        "rank_from": ("int?", lambda one: one.row.rank_from),
        "rank_to": ("int?", lambda one: one.row.rank_to),
        "bot": ("text", lambda one: one.row.bot),
        "owner": ("text", lambda one: one.bot.owner),
        "version": ("text", lambda one: one.bot.version),
        "match_points": ("float?", lambda one: one.row.match_points),
        "match_points_stderr": ("float?", lambda one: one.row.match_points_stderr),
        "match_points_from": ("float?", lambda one: _end(one.row.match_points_interval, 0)),
        "match_points_to": ("float?", lambda one: _end(one.row.match_points_interval, 1)),
        "strokes": ("float?", lambda one: one.row.strokes),
        "strokes_stderr": ("float?", lambda one: one.row.strokes_stderr),
        "strokes_from": ("float?", lambda one: _end(one.row.strokes_interval, 0)),
        "strokes_to": ("float?", lambda one: _end(one.row.strokes_interval, 1)),
        "reason": ("text", lambda one: one.row.reason),
        "games": ("int", lambda one: len(one.row.games)),
        "matches": ("int", lambda one: one.row.matches),
        "waiting": ("int", lambda one: one.row.waiting),
        "rounds": ("int", lambda one: one.row.rounds),
        "firsts": ("int", lambda one: one.row.firsts),
        "forfeits": ("int", lambda one: one.row.forfeits),
        **fault_values(lambda one: one.row.faults),
        "late_slaps": ("int", lambda one: one.row.late_slaps),
        **action_values(lambda one: one.row.actions),
        "idle_cpu_ms": ("int", lambda one: one.row.idle_cpu_ms),
        "opponents": ("float?", lambda one: one.row.opponents),
        "rating": ("float?", lambda one: one.rating and one.rating.chance),
        "rating_from": ("float?", lambda one: one.rating and _end(one.rating.chance_interval, 0)),
        "rating_to": ("float?", lambda one: one.rating and _end(one.rating.chance_interval, 1)),
        "anchor": ("bool", lambda one: one.is_anchor),
    },
)
"""A row for each bot, over all games and in each."""


def _end(interval: tuple[float, float] | None, end: int) -> float | None:
    return None if interval is None else interval[end]
