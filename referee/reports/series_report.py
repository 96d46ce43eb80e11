"""What a few games between given bots come to, as text: shows what tournament/series.py computed."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from protocol.messages import Clocks
from referee.reports.game_report import best_in_words
from referee.reports.tables.bot_tables import (
    ACTIONS,
    actions_table,
    bots_table,
    faults_table,
    match_points,
    reasons,
    strokes,
)
from referee.reports.tables.layout import Column, Names, fitted
from referee.tournament.series_summary import BotFigures, SeriesSummary, Times
from referee.tournament.standings import BotStanding


class SeriesLine(Struct, frozen=True, kw_only=True):
    """The last line of `match --json` where there are several games."""

    summary: SeriesSummary


def series_report(summary: SeriesSummary, clocks: Clocks, width: int) -> str:
    """All tables with headings, in `width` cells: how the bots did, their faults, their times, and their slaps."""
    return "\n\n".join(_parts(summary, clocks, width))


def in_words(summary: SeriesSummary) -> str:
    """What was played, as `4 games of cactus: 2 deals, each from all 2 seats`."""
    games = f"{summary.games} games of {summary.variant}"
    if not summary.rotates or summary.seats == 1:
        return f"{games}, each on a deal of its own{'; seats as given' if summary.seats > 1 else ''}"
    whole, rest = divmod(summary.games, summary.seats)
    every = "both seats" if summary.seats == 2 else f"all {summary.seats} seats"
    each = "each from" if whole > 1 else "from"
    deals = [f"{whole} deal{'s' * (whole != 1)}, {each} {every}"] if whole else []
    more = f"{'one more' if whole else 'one deal'} from {rest} of {summary.seats} seats"
    return f"{games}: {', and '.join([*deals, *([more] if rest else [])])}"


def _parts(summary: SeriesSummary, clocks: Clocks, width: int) -> Iterator[str]:
    names = Names((one.bot for one in summary.bots), width)
    bot: Column[BotFigures] = Column("bot", lambda one: names(one.bot), is_text=True)
    yield in_words(summary)
    if summary.standings:
        yield bots_table(summary.standings, width, names, _columns(summary)).text
        yield from reasons(summary.standings, width, names)
    else:  # the best game of a bot that plays alone (NIN-13)
        best: Column[BotFigures] = Column("best", lambda _: best_in_words(summary.best), is_text=True)
        yield fitted([bot, best], summary.bots, width).text
    yield from faults_table(summary.faults, width, names)
    yield from _times(
        f"Thinking times in ms as charged, of {1000 * clocks.move_s:g}", summary, bot, lambda one: one.thinking
    )
    yield actions_table(bot, summary.bots, width, ACTIONS)
    yield from _times(f"Times in slap windows in ms, of {1000 * clocks.slap_s:g}", summary, bot, lambda one: one.slaps)
    at_once = "   slaps: broadcast timing" if clocks.slap_timing == "broadcast" else ""
    meaning = [
        "in brackets, or with ±: the 95 % confidence interval",
        "rank 1-2: the range of ranks that a bot can have (p < 0.05, all pairs)",
    ]
    yield "\n".join(
        [*(meaning if summary.standings else []), f"seed: {summary.seed}   isolation: {summary.isolation}{at_once}"]
    )


def _columns(summary: SeriesSummary) -> list[Column[BotStanding]]:
    shared = {one.bot: str(one.shared_firsts) for one in summary.bots}
    return [
        Column("games won", lambda row: str(row.firsts)),
        Column("shared", lambda row: shared[row.bot], gives_way=1, is_optional=True),
        Column("match points", match_points),
        Column("strokes", strokes),
        Column("games", lambda row: str(row.matches), gives_way=3),
        Column("rounds", lambda row: str(row.rounds), gives_way=4),
        Column("forfeits", lambda row: str(row.forfeits), is_optional=True),
        Column("late slaps", lambda row: str(row.late_slaps), gives_way=2, is_optional=True),
    ]


def _times(
    title: str, summary: SeriesSummary, bot: Column[BotFigures], times_of: Callable[[BotFigures], Times | None]
) -> Iterator[str]:
    """A table with a line for each bot that has times; nothing where none has."""
    of_bot = {one.bot: times for one in summary.bots if (times := times_of(one)) is not None}
    columns: list[Column[BotFigures]] = [
        bot,
        Column("answers", lambda one: str(of_bot[one.bot].answers)),
        Column("p50", lambda one: _ms(of_bot[one.bot].p50_us)),
        Column("p99", lambda one: _ms(of_bot[one.bot].p99_us)),
        Column("worst", lambda one: _ms(of_bot[one.bot].worst_us)),
    ]
    if of_bot:
        yield title
        yield fitted(columns, [one for one in summary.bots if one.bot in of_bot], 0).text


def _ms(us: float) -> str:
    return f"{us / 1000:.3f}"
