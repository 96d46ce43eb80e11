"""The tables of a run one below the other: who is how good, in all games and in each, against whom, and the faults."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, get_args

from protocol.messages import FaultKind
from referee.reports.tables.figures import plus_minus, signed, with_interval
from referee.reports.tables.layout import (
    LONGEST,
    Column,
    Fitted,
    Names,
    broken,
    fitted,
    pages,
    shortened,
    with_content,
    wrapped,
)
from referee.rules.counts import Actions
from referee.tournament.figures.ratings import Rating, Ratings
from referee.tournament.standings import BotStanding, Encounter, RankBy, Standings
from referee.tournament.summary import EnteredBot, RunSummary

MOST_REASONS = 3
"""If there are more reasons than this, they are given without the games to which they apply."""

MOST_PAGES = 4
"""How many pages of the crosstable an overview shows at most."""

TITLE_WIDTH = 10
"""How many cells wide the name of a game is at most before it is broken."""

ONLY_CHALLENGERS = (
    "only challengers are ranked: each table has one of them, so figures of other bots depend on them and are not "
    "compared"
)
"""What a gauntlet does not show."""

TERMS = (
    "what a bot alone was granted: the network, or other times, in seconds for an answer and for all answers of a match"
)
"""The meaning of the column of the terms."""

# Columns


def rank(row: BotStanding) -> str:
    """The rank, as `2`; `2-4` where these ranks are a tie as far as is known; `-` where the bot is not ranked."""
    if row.rank is None:
        return "-"
    return str(row.rank) if row.rank_from == row.rank_to else f"{row.rank_from}-{row.rank_to}"


def match_points(row: BotStanding) -> str:
    """The mean with its interval."""
    return with_interval(row.match_points, row.match_points_interval)


def strokes(row: BotStanding) -> str:
    """The mean with its interval; `-` where strokes of different games cannot be added."""
    return signed(row.strokes, row.strokes_interval)


def idle_cpu(row: BotStanding) -> str:
    """What the bot computed outside its turns, as `1.3 s`; `0` where it is less than 50 ms."""
    return f"{row.idle_cpu_ms / 1000:.1f} s" if row.idle_cpu_ms >= 50 else "0"


COUNTS: tuple[Column[BotStanding], ...] = (
    Column("matches", lambda row: str(row.matches), gives_way=4),
    Column("rounds", lambda row: str(row.rounds), gives_way=7),
    Column("firsts", lambda row: str(row.firsts), gives_way=6),
    Column("forfeits", lambda row: str(row.forfeits), gives_way=3, is_optional=True),
    Column("faults", lambda row: str(sum(row.faults.values())), gives_way=1, is_optional=True),
    Column("late slaps", lambda row: str(row.late_slaps), gives_way=5, is_optional=True),
    Column("idle CPU", idle_cpu, gives_way=8, is_optional=True),
)

MEANS: tuple[Column[BotStanding], ...] = (
    Column("match points", match_points),
    Column("strokes", strokes, gives_way=2, is_optional=True),
    *COUNTS,
)
"""What a table has of each bot where bots meet the same opponents."""

ACTIONS: tuple[Column[Any], ...] = (
    Column("pile\ntakes", lambda row: str(row.actions.pile_takes), is_optional=True),
    Column("rounds\nended", lambda row: str(row.actions.ends), is_optional=True),
    Column("won", lambda row: _won(row.actions), is_optional=True),
    Column("penalised", lambda row: str(row.actions.ends_penalised), is_optional=True),
    Column("slaps\nright", lambda row: _slaps(row.actions, "right"), is_optional=True),
    Column("wrong", lambda row: _slaps(row.actions, "wrong"), is_optional=True),
    Column("after\nanother", lambda row: _slaps(row.actions, "late"), gives_way=1, is_optional=True),
    Column("no answer\nin time", lambda row: str(row.late_slaps), gives_way=2, is_optional=True),
)
"""What bots did, of rows that have `actions` and `late_slaps`."""

A_ROUND: Column[BotStanding] = Column(
    "takes\na round", lambda row: f"{row.actions.pile_takes / row.rounds:.1f}" if row.rounds else "-", gives_way=3
)
"""How often a bot drew from the pile in a round."""

ACTIONS_A_ROUND: tuple[Column[Any], ...] = (ACTIONS[0], A_ROUND, *ACTIONS[1:])
"""The same of rows that have `rounds`, too."""

ACTION_WORDS = {
    "rounds\nended": "ended: by a knock, or as the first to finish",
    "won": "won: no bot scored less",
    "penalised": "penalised: the rules added points for ending it",
    "after\nanother": "after another: right, but another bot was first",
}
"""By title, the meaning of a column of actions."""


def actions_table(
    first: Column[Any],
    rows: Sequence[Any],
    width: int,
    columns: Sequence[Column[Any]] = ACTIONS_A_ROUND,
    game: str = "",
) -> str:
    """What bots did, with a heading and the meaning of the columns. `game` is named in the heading."""
    titles = {column.title for column in with_content(columns, rows)}
    legend = "; ".join(words for title, words in ACTION_WORDS.items() if title in titles)
    table = fitted([first, *columns], rows, width).text
    heading = f"Takes from the pile, ends of rounds, and slaps{f': {game}' * bool(game)}"
    return "\n\n".join(filter(None, [wrapped(heading, width), table, wrapped(legend, width) if legend else ""]))


def _won(actions: Actions) -> str:
    """In how many of the rounds that it ended a bot was best, as `8 (80 %)`."""
    return f"{actions.ends_won} ({100 * actions.ends_won / actions.ends:.0f} %)" if actions.ends_won else "0"


def _slaps(actions: Actions, verdict: str) -> str:
    return "-" if actions.slaps is None else str(getattr(actions.slaps, verdict))


PLACE: Column[BotStanding] = Column("place", lambda row: "-" if row.rank is None else str(row.rank))
"""How far a bot came, where that is the order."""

APART: tuple[Column[BotStanding], ...] = (
    Column("points", lambda row: "-" if row.match_points is None else f"{row.match_points:.3f}"),
    Column("opponents", lambda row: "-" if row.opponents is None else _percent(row.opponents), is_optional=True),
    *COUNTS,
)
"""The same where bots met different opponents on purpose: no means with intervals, which nobody could compare."""


def rating_column(ratings: Ratings) -> Column[BotStanding]:
    """The ratings in percent with their intervals, as `62.1 [55.0, 68.7]`."""
    of_bot = {rating.bot: rating for rating in ratings.bots}

    def cell(row: BotStanding) -> str:
        rating = of_bot.get(row.bot)
        if rating is None or rating.chance is None:
            return "-"
        return f"{_percent(rating.chance)} {'(anchor)' if row.bot == ratings.anchor else _ends(rating)}"

    return Column("rating", cell, gives_way=3)


def anchor_line(ratings: Ratings) -> str:
    """The meaning of the column of the ratings."""
    name = shortened(ratings.anchor, LONGEST)
    why = "" if ratings.is_chosen else " (the bot in the middle; --anchor NAME takes another)"
    return f"rating: of 100 matches, how many a bot wins against {name}{why}, a tie counting half; from all matches"


def _ends(rating: Rating) -> str:
    return "-" if (ends := rating.chance_interval) is None else f"[{_percent(ends[0])}, {_percent(ends[1])}]"


def _percent(chance: float) -> str:
    return f"{100 * chance:.1f}"


def own_terms(bot: EnteredBot) -> str:
    """What a bot alone is granted, as `network, 5 s, 600 s`; empty where its terms are those of all."""
    clocks = bot.clocks
    times = [] if clocks is None else [f"{clocks.move_s:g} s", f"{clocks.bank_s:g} s"]
    return ", ".join([*["network"] * bot.network, *times])


def more_columns(summary: RunSummary) -> list[Column[BotStanding]]:
    """The columns of the overall table that come from more than the standings."""
    terms = {bot.name: own_terms(bot) for bot in summary.bots}
    column: Column[BotStanding] = Column("terms", lambda row: terms.get(row.bot) or "-", is_optional=True)
    return [*([rating_column(summary.ratings)] if summary.ratings else []), column]


def owners_table(summary: RunSummary, width: int) -> list[str]:
    """The owners by their best bot, with a heading; nothing where there is one, or where each has one bot."""
    owner_of = {bot.name: bot.owner for bot in summary.bots if bot.owner}
    best: dict[str, BotStanding] = {}
    for row in summary.standings:
        if row.rank is not None and row.bot in owner_of:
            best.setdefault(owner_of[row.bot], row)
    if len(set(owner_of.values())) in {1, len(owner_of)}:
        return []
    names = Names([*best, *(row.bot for row in best.values())], width)
    columns: list[Column[str]] = [
        Column("rank", lambda owner: rank(best[owner])),
        Column("owner", names, is_text=True),
        Column("best bot", lambda owner: names(best[owner].bot), is_text=True),
        Column("bots", lambda owner: str(list(owner_of.values()).count(owner))),
    ]
    return ["Owners, by their best bot", fitted(columns, list(best), width).text]


def columns_of(standings: Standings, more: Sequence[Column[BotStanding]] = ()) -> list[Column[BotStanding]]:
    """The columns of the overall table. `more` stand after the first one, or first where means cannot be compared."""
    if standings.order == "means":
        return [MEANS[0], *more, *MEANS[1:]]
    return [*[PLACE] * (standings.order == "places"), *more, *APART]


# Tables


def bots_table(
    rows: Sequence[BotStanding], width: int, names: Names, columns: Sequence[Column[BotStanding]] = MEANS
) -> Fitted:
    """A table with a line for each bot: its rank, its name, and these columns."""
    first: list[Column[BotStanding]] = [Column("rank", rank), Column("bot", lambda row: names(row.bot), is_text=True)]
    return fitted([*first, *columns], rows, width)


def by_game(standings: Standings, width: int, bots: Names, games: Names) -> list[str]:
    """Pages with a line for each bot, in the order of the overall table, and a column for each game."""
    columns = [
        Column(broken(games(game), TITLE_WIDTH), cells.__getitem__) for game, cells in game_cells(standings).items()
    ]
    return pages([Column("bot", bots, is_text=True)], columns, [row.bot for row in standings.overall], width)


def game_cells(standings: Standings) -> dict[str, dict[str, str]]:
    """By game and bot the figure that ranks, in the order of the overall table; empty where a bot has none."""
    blank = {row.bot: "" for row in standings.overall}
    return {
        game: blank | {row.bot: _figure(row, standings.rank_by) for row in rows if row.bot in blank}
        for game, rows in standings.variants.items()
    }


def crosstable(standings: Standings, width: int, names: Names) -> list[str]:
    """Pages with how the row's bot did against the column's. Columns are numbered as the rows are."""
    numbers = {bot: str(number) for number, bot in enumerate(standings.crosstable, 1)}
    fixed = [Column("#", numbers.__getitem__), Column("bot", names, is_text=True)]
    columns = [Column(number, partial(encounter, standings, other)) for other, number in numbers.items()]
    return pages(fixed, columns, list(numbers), width)


def encounter(standings: Standings, other: str, bot: str) -> str:
    """How the bot did against the other, in the figure that ranks; the empty string where they have not met."""
    met = standings.crosstable[bot].get(other)
    return "" if met is None else _figure(met, standings.rank_by)


def _figure(row: BotStanding | Encounter, rank_by: RankBy) -> str:
    if rank_by == "strokes":
        return signed(row.strokes, row.strokes_interval)
    return plus_minus(row.match_points, row.match_points_interval)


def faults_table(faults: Mapping[str, Mapping[str, int]], width: int, names: Names) -> list[str]:
    """A line for each bot that was at fault, with its heading; nothing where nobody was."""
    guilty = at_fault(faults)
    columns = [Column(kind.replace("_", "\n"), partial(_count, guilty, kind)) for kind in kinds_of(guilty)]
    shown = pages([Column("bot", names, is_text=True)], columns, list(guilty), width) if guilty else []
    return ["Faults", *shown] if shown else []


def _count(faults: Mapping[str, Mapping[str, int]], kind: str, bot: str) -> str:
    return str(faults[bot].get(kind, 0))


def at_fault(faults: Mapping[str, Mapping[str, int]]) -> dict[str, Mapping[str, int]]:
    """By bot the counts of those that were at fault."""
    return {bot: counts for bot, counts in faults.items() if any(counts.values())}


def kinds_of(faults: Mapping[str, Mapping[str, int]]) -> list[FaultKind]:
    """The kinds of fault that there were, in the order in which the protocol lists them."""
    return [kind for kind in get_args(FaultKind) if any(counts.get(kind) for counts in faults.values())]


# Tables one below the other


def standings_of(summary: RunSummary) -> Standings:
    """The standings that a summary has."""
    return Standings(
        rank_by=summary.rank_by,
        order=summary.order,
        overall=summary.standings,
        variants=summary.variants,
        crosstable=summary.crosstable,
    )


def report(standings: Standings, width: int, more: Sequence[Column[BotStanding]] = (), *, full: bool = False) -> str:
    """Tables with headings, for a screen of `width` cells.

    The overview: the overall table, the bots by games where there are several and their means can be compared, the
    crosstable unless it takes many pages, and the faults if any. `full`: the whole crosstable, and a table for each of
    these games. `more` columns come after the first figure of the overall table.
    """
    if not standings.overall:
        return "No match has a result yet."
    return "\n\n".join(part for part in _parts(standings, width, more, full=full) if part)


def _parts(standings: Standings, width: int, more: Sequence[Column[BotStanding]], *, full: bool) -> Iterator[str]:
    names = Names((row.bot for row in standings.overall), width)
    games = Names(standings.variants, width)
    several = len(standings.variants) > 1
    has_means = standings.order != "ratings"
    only = "" if several else f" in {games(next(iter(standings.variants)))}"
    shown = bots_table(standings.overall, width, names, columns_of(standings, more))
    yield wrapped(heading(standings, only), width)
    yield shown.text
    lacking = reasons(standings.overall, width, names) if standings.order == "means" else ()
    yield "\n".join([*lacking, *without_matches(standings.overall, width, names)])
    if several and has_means:
        yield f"{figure_of(standings.rank_by)} by game"
        yield from by_game(standings, width, names, games)
    for game, rows in standings.variants.items() if full and several and has_means else ():
        yield f"{games(game)}\n\n{bots_table(rows, width, names).text}"
    yield wrapped(crosstable_title(standings.rank_by), width)
    across = crosstable(standings, width, names)
    if full or len(across) <= MOST_PAGES:
        yield from across
    else:
        yield wrapped(f"left out, since it takes {len(across)} pages here: --full prints it, --json has it", width)
    for game, rows in standings.variants.items() if full else ():
        bot: Column[BotStanding] = Column("bot", lambda row: names(row.bot), is_text=True)
        yield actions_table(bot, rows, width, game=games(game) if several else "")
    yield from faults_table({row.bot: row.faults for row in standings.overall}, width, names)


def heading(standings: Standings, only: str = "") -> str:
    """What the overall table is ordered by. `only` names the game where there is but one."""
    figures = "; other figures are over different opponents, and do not rank"
    if standings.order != "means" and all(row.rank is None for row in standings.overall):
        return f"Figures{only}; bots met different opponents, and are not ranked by them"
    if standings.order == "places":
        return f"Places{only}, by how far each bot came{figures}"
    if standings.order == "ratings":
        return f"Standings{only}, by rating{figures}"
    return f"Standings{only}, by {standings.rank_by.replace('-', ' ')}"


def figure_of(rank_by: RankBy) -> str:
    """The figure that ranks, as the heading of a table."""
    return "Match points" if rank_by == "match-points" else "Strokes a round"


def crosstable_title(rank_by: RankBy) -> str:
    """What the crosstable has."""
    return f"{figure_of(rank_by)}, the row's bot against the column's"


def reasons(rows: Sequence[BotStanding], width: int, names: Callable[[str], str]) -> Iterator[str]:
    """Why some bots have no rank or no interval, or a wide one: a line for each reason; not those without a match."""
    lacking = [row for row in rows if row.matches and (row.rank is None or row.match_points_interval is None)]
    by_reason: dict[tuple[str, str], list[str]] = {}
    for are_short in (False, True):  # without the games that they name, bots share reasons
        by_reason = {}
        for row in lacking:
            what, names_games, _ = row.reason.partition(" in ")
            why = f"{what} in some game; --json says in which" if are_short and names_games else row.reason
            by_reason.setdefault(("rank" if row.rank is None else "interval", why), []).append(names(row.bot))
        if len(by_reason) <= MOST_REASONS:
            break
    for (lack, why), bots in by_reason.items():
        some = "every bot" if len(bots) == len(rows) > 1 else ", ".join(bots)
        yield wrapped(f"no {lack}: {some} ({why})", width)


def without_matches(rows: Sequence[BotStanding], width: int, names: Callable[[str], str]) -> list[str]:
    """Which bots have no match, in words; nothing where all have one."""
    bots = [names(row.bot) for row in rows if not row.matches]
    return [wrapped(f"no matches: {', '.join(bots)}", width)] if bots else []
