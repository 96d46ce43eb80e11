"""What a few games between given bots come to, as text: shows what tournament/series.py computed."""

from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct

from protocol.messages import Clocks
from referee.reports.game import best_in_words
from referee.reports.tables.faults import faults_table
from referee.reports.tables.layout import Column, fitted, table, wider
from referee.reports.tables.names import Names
from referee.reports.tables.rows import Figure, match_points, reasons, rows_table, strokes
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
    yield in_words(summary)
    if summary.standings:
        shared = {one.bot: one.shared_firsts for one in summary.bots}
        shown = rows_table(summary.standings, width, names, _figures(shared))
        yield shown.text
        yield from [note for note in [*reasons(summary.standings, width, names), wider([shown], width)] if note]
    else:
        yield _alone(summary, names)
    if faults := faults_table(summary.faults, width, names):
        yield f"Faults\n\n{faults}"
    if thinking := _times_table(summary, names, lambda one: one.thinking):
        yield f"Thinking times in ms as charged, of {1000 * clocks.move_s:g}\n\n{thinking}"
    if verdicts := _verdicts(summary, names, width):
        yield f"Slaps\n\n{verdicts}"
    if slaps := _times_table(summary, names, lambda one: one.slaps):
        yield f"Times in slap windows in ms, of {1000 * clocks.slap_s:g}\n\n{slaps}"
    yield "\n".join(_particulars(summary, clocks))


def _particulars(summary: SeriesSummary, clocks: Clocks) -> Iterator[str]:
    if summary.standings:
        yield "in brackets, or with ±: the 95 % confidence interval"
        yield "rank 1-2: the range of ranks that a bot can have (p < 0.05, all pairs)"
    at_once = "   slaps: broadcast timing" if clocks.slap_timing == "broadcast" else ""
    yield f"seed: {summary.seed}   isolation: {summary.isolation}{at_once}"


def _figures(shared: dict[str, int]) -> list[Figure]:
    return [
        Figure(title="games won", cell=lambda row: str(row.firsts)),
        Figure(title="shared", cell=partial(_shared, shared), optional=True, gives_way=1),
        Figure(title="match points", cell=match_points),
        Figure(title="strokes", cell=strokes),
        Figure(title="games", cell=lambda row: str(row.matches), gives_way=3),
        Figure(title="rounds", cell=lambda row: str(row.rounds), gives_way=4),
        Figure(title="forfeits", cell=lambda row: str(row.forfeits), optional=True),
        Figure(title="late slaps", cell=lambda row: str(row.late_slaps), optional=True, gives_way=2),
    ]


def _shared(shared: dict[str, int], row: BotStanding) -> str:
    """How many of the games that a bot has won it shares with another one."""
    return str(shared[row.bot])


def _alone(summary: SeriesSummary, names: Names) -> str:
    """The best game of a bot that plays alone (NIN-13)."""
    bots = Column(title="bot", cells=[names(one.bot) for one in summary.bots], is_text=True)
    return table([bots, Column(title="best", cells=[best_in_words(summary.best)] * len(summary.bots), is_text=True)])


def _verdicts(summary: SeriesSummary, names: Names, width: int) -> str:
    """How the slaps of each bot came out; the empty string where there were no windows."""
    some = [(one, one.verdicts) for one in summary.bots if one.verdicts is not None]
    columns = [
        Column(title="bot", cells=[names(one.bot) for one, _ in some], is_text=True),
        Column(title="right", cells=[str(counts.right) for _, counts in some]),
        Column(title="wrong", cells=[str(counts.wrong) for _, counts in some]),
        Column(title="after another", cells=[str(counts.late) for _, counts in some]),
        Column(title="no answer in time", cells=[str(one.late_slaps) for one, _ in some]),
    ]
    return fitted(columns, width).text if some else ""


def _times_table(summary: SeriesSummary, names: Names, times_of: Callable[[BotFigures], Times | None]) -> str:
    """A line for each bot that has times; the empty string where none has."""
    some = [(one, times) for one in summary.bots if (times := times_of(one)) is not None]
    columns = [
        Column(title="bot", cells=[names(one.bot) for one, _ in some], is_text=True),
        Column(title="answers", cells=[str(times.answers) for _, times in some]),
        Column(title="p50", cells=[_ms(times.p50_us) for _, times in some]),
        Column(title="p99", cells=[_ms(times.p99_us) for _, times in some]),
        Column(title="worst", cells=[_ms(times.worst_us) for _, times in some]),
    ]
    return table(columns) if some else ""


def _ms(us: float) -> str:
    return f"{us / 1000:.3f}"
