"""What a few games between given bots come to, as text: shows what tournament/series.py computed."""

from collections.abc import Callable, Iterator
from functools import partial

from protocol.messages import Clocks
from protocol.text import printable
from referee.reports.game import best_in_words
from referee.reports.tables import NAME_LIMIT, Column, faults_table, match_points, plain_table, rows_table, strokes
from referee.tournament.series import BotFigures, SeriesSummary, Times
from referee.tournament.standings import BotStanding


def series_report(summary: SeriesSummary, clocks: Clocks) -> str:
    """All tables with headings: how the bots did, the faults if any, how long they thought, how fast they slapped."""
    return "\n\n".join(_parts(summary, clocks))


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


def _parts(summary: SeriesSummary, clocks: Clocks) -> Iterator[str]:
    yield in_words(summary)
    if summary.standings:
        shared = {one.bot: one.shared_firsts for one in summary.bots}
        yield rows_table(summary.standings, _columns(shared))
    else:
        yield _alone(summary)
    if faults := faults_table(summary.faults):
        yield f"Faults\n\n{faults}"
    if thinking := _times_table(summary, lambda one: one.thinking):
        yield f"Thinking times in ms as charged, of {1000 * clocks.move_s:g}\n\n{thinking}"
    if verdicts := _verdicts(summary):
        yield f"Slaps\n\n{verdicts}"
    if slaps := _times_table(summary, lambda one: one.slaps):
        yield f"Times in slap windows in ms, of {1000 * clocks.slap_s:g}\n\n{slaps}"
    yield "\n".join(_particulars(summary, clocks))


def _particulars(summary: SeriesSummary, clocks: Clocks) -> Iterator[str]:
    if summary.standings:
        yield "± is 1.96 standard errors, clustered by deal"
    at_once = "   slaps: broadcast timing" if clocks.slap_timing == "broadcast" else ""
    yield f"seed: {summary.seed}   isolation: {summary.isolation}{at_once}"


def _columns(shared: dict[str, int]) -> list[Column]:
    return [
        Column("rank", lambda row: str(row.rank)),
        Column("bot", lambda row: printable(row.bot, NAME_LIMIT)),
        Column("games won", lambda row: str(row.firsts)),
        Column("shared", partial(_shared, shared), optional=True),
        Column("match points", match_points),
        Column("strokes", strokes),
        Column("games", lambda row: str(row.matches)),
        Column("rounds", lambda row: str(row.rounds)),
        Column("forfeits", lambda row: str(row.forfeits), optional=True),
        Column("late slaps", lambda row: str(row.late_slaps), optional=True),
    ]


def _shared(shared: dict[str, int], row: BotStanding) -> str:
    """How many of the games that a bot has won it shares with another one."""
    return str(shared[row.bot])


def _alone(summary: SeriesSummary) -> str:
    """The best game of a bot that plays alone (NIN-13)."""
    rows = [[printable(one.bot, NAME_LIMIT), best_in_words(summary.best)] for one in summary.bots]
    return plain_table(["bot", "best"], rows, text_columns={0, 1})


def _verdicts(summary: SeriesSummary) -> str:
    """How the slaps of each bot came out; the empty string where there were no windows."""
    rows = [
        [printable(one.bot, NAME_LIMIT), *map(str, (counts.right, counts.wrong, counts.late, one.late_slaps))]
        for one in summary.bots
        if (counts := one.verdicts) is not None
    ]
    titles = ["bot", "right", "wrong", "after another", "no answer in time"]
    return plain_table(titles, rows, text_columns={0}) if rows else ""


def _times_table(summary: SeriesSummary, times_of: Callable[[BotFigures], Times | None]) -> str:
    """A line for each bot that has times; the empty string where none has."""
    rows = [
        [
            printable(one.bot, NAME_LIMIT),
            str(times.answers),
            *(f"{us / 1000:.3f}" for us in (times.p50_us, times.p99_us, times.worst_us)),
        ]
        for one in summary.bots
        if (times := times_of(one)) is not None
    ]
    titles = ["bot", "answers", "p50", "p99", "worst"]
    return plain_table(titles, rows, text_columns={0}) if rows else ""
