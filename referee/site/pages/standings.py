"""Standings as tables of pages: the overall one, bots by games, bots against each other, faults, stages."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from referee.reports.tables.bot_tables import (
    MEANS,
    PLACE,
    TERMS,
    at_fault,
    columns_of,
    crosstable_title,
    encounter,
    figure_of,
    game_cells,
    heading,
    kinds_of,
    more_columns,
    rank,
    reasons,
    standings_of,
)
from referee.reports.tables.layout import Column
from referee.reports.tables.stage_tables import cut, stage_columns
from referee.reports.verdict import tie_groups
from referee.site.pages.frame import Site
from referee.site.pages.opponents import by_round
from referee.site.pages.tables import Bar, Col, Table, bar, cols_of, tint, with_bars
from referee.tournament.figures.ratings import Ratings
from referee.tournament.formats.places import StagePlaces
from referee.tournament.standings import BotStanding, Encounter, Standings

Columns = Sequence[Column[BotStanding]]

NO_LIMIT = 100_000
"""More cells than any line has: pages break lines themselves."""

MOST_IN_CROSSTABLE = 64
"""With more bots than this there is no crosstable, which has a cell for each two of them."""

TOO_FEW = "Too few comparable matches to rank the bots."

MEANINGS = {
    "rank": "Its place, 1 being the best: by its figure, or in a knockout by the stage that it reached.",
    "may be": "The places that it may have, from the first at the left to the last. A short bar is a sure rank; bots "
    "whose bars overlap may be equally good.",
    "match points": "The share of its opponents at the table that it beat in a match, a tie counting half, as a mean. "
    "1 is best, and a half is average.",
    "points": "The share of its opponents at the table that it beat, a tie counting half. Bots met different "
    "opponents, so these shares are not compared.",
    "strokes": "Its points of the card game in a round, less the mean of its table. Lower is better.",
    "rating": "Of 100 matches between it and the bot that is called the anchor, how many it wins; a tie counts half.",
    "terms": f"{TERMS[0].upper()}{TERMS[1:]}.",
    "opponents": "The rating that a bot as strong as its opponents would have.",
    "matches": "How many matches it has played that count.",
    "rounds": "How many rounds these had.",
    "firsts": "How many matches it won, alone or with others.",
    "forfeits": "How many matches it lost because it broke down or made too many faults.",
    "faults": "How often it answered wrongly, too late, or not at all, so that a default was played for it.",
    "late slaps": "How many of its slaps and passes came after the window had closed. This is no fault.",
    "idle CPU": "What it computed while it was not asked anything.",
}
"""By title, what a column of the standings says."""


def of_run(site: Site) -> Table:
    """The overall table, over the whole width. A line lies between groups of which all bots of one are better."""
    summary = site.content.summary
    standings = standings_of(summary)
    columns = [column for column in columns_of(standings, more_columns(summary)) if column != PLACE]
    groups = [len(group) for _, group in tie_groups([row for row in summary.standings if row.rank is not None])]
    unranked = len(summary.standings) - sum(groups)
    table = _rows(site, summary.standings, columns, "standings", heading(standings))
    return replace(table, is_wide=True, groups=(*groups, *[unranked] * bool(unranked)))


def is_open(rows: Sequence[BotStanding]) -> bool:
    """Whether each of several bots may have any rank."""
    return len(rows) > 1 and all((row.rank_from, row.rank_to) == (1, len(rows)) for row in rows)


def why(site: Site) -> list[str]:
    """Why some bots have no rank, no interval, or any rank."""
    summary = site.content.summary
    lines = list(reasons(summary.standings, NO_LIMIT, site.bots)) if summary.order == "means" else []
    every = f"The order may be luck: each bot may have any rank from 1 to {len(summary.standings)}."
    return [*lines, *[every] * is_open(summary.standings)]


def of_game(site: Site, rows: Sequence[BotStanding], id_: str, caption: str) -> Table:
    """The table of one game."""
    table = _rows(site, rows, MEANS, id_, caption)
    return replace(table, note=TOO_FEW if all(row.rank is None for row in rows) else "")


def in_order(rows: Sequence[BotStanding]) -> list[BotStanding]:
    """The bots of a game by rank, and those without one by their match points."""
    return sorted(rows, key=lambda row: (row.rank is None, row.rank or 0, -(row.match_points or 0.0)))


def _rows(
    site: Site, rows: Sequence[BotStanding], columns_: Sequence[Column[BotStanding]], id_: str, caption: str
) -> Table:
    summary, columns = site.content.summary, means(cols_of(columns_, rows, ""), rows)
    columns = with_bars(columns, "strokes", _stroke_bars(rows))
    if ratings := summary.ratings:
        columns = with_bars(columns, "rating", _rating_bars(rows, ratings))
    main = {summary.rank_by.replace("-", " ")} if summary.order == "means" else {"rating", "match points"}
    return Table(
        id=id_,
        caption=caption,
        cols=(
            *ranks(rows),
            Col(title="bot", cells=[site.bots(row.bot) for row in rows], is_text=True, is_head=True),
            *_spread(site, rows),
            *(replace(col, is_minor=col.title not in main) for col in columns),
        ),
    )


def ranks(rows: Sequence[BotStanding]) -> list[Col]:
    """The column of ranks; none where no bot has one."""
    cells = ["-" if row.rank is None else str(row.rank) for row in rows]
    return [Col(title="rank", cells=cells)] if set(cells) - {"-"} else []


def means(cols: Sequence[Col], rows: Sequence[BotStanding]) -> tuple[Col, ...]:
    """The columns, with the bars of match points, and without a mark where no bot has an interval."""
    if all(row.match_points_interval is None for row in rows):
        cols = [replace(col, cells=[cell.removesuffix(" [-]") for cell in col.cells]) for col in cols]
    return with_bars(cols, "match points", [bar(row.match_points, row.match_points_interval) for row in rows])


def _spread(site: Site, rows: Sequence[BotStanding]) -> list[Col]:
    """A column of bars for the ranks that bots may have; none where all ranks are sure, or none is."""
    last = len(site.content.summary.standings)
    if all(row.rank_from == row.rank_to for row in rows) or is_open(rows):
        return []
    bars = [
        None
        if row.rank is None or row.rank_from is None or row.rank_to is None
        else bar(row.rank - 0.5, (row.rank_from - 1, row.rank_to), 0, last)
        for row in rows
    ]
    return [Col(title=f"may be, 1 to {last}", cells=[rank(row) for row in rows], bars=bars, is_drawn=True)]


def _stroke_bars(rows: Sequence[BotStanding]) -> list[Bar | None]:
    """On a scale with zero in the middle, as wide as the farthest end of an interval."""
    ends = [abs(end) for row in rows if row.strokes is not None for end in (row.strokes_interval or (row.strokes,))]
    most = max(ends, default=0.0)
    return [bar(row.strokes, row.strokes_interval, -most, most) for row in rows]


def _rating_bars(rows: Sequence[BotStanding], ratings: Ratings) -> list[Bar | None]:
    found = {one.bot: one for one in ratings.bots}
    return [bar(found[row.bot].chance, found[row.bot].chance_interval) if row.bot in found else None for row in rows]


def meanings(table: Table) -> list[tuple[str, str]]:
    """What the columns of a table say that need an explanation."""
    titles = [col.title.partition(",")[0] for col in table.cols]
    return [(title, MEANINGS[title]) for title in titles if title in MEANINGS]


def by_games(site: Site) -> Table:
    """The figure that ranks of each bot in each game, on tints."""
    standings = standings_of(site.content.summary)
    order = [row.bot for row in standings.overall]
    share = _shares(standings)
    cols = [Col(title="bot", cells=[site.bots(bot) for bot in order], is_text=True, is_head=True)]
    for game, cells in game_cells(standings).items():
        rows = {row.bot: row for row in standings.variants[game]}
        tints = [tint(share(rows[bot])) if bot in rows else None for bot in order]
        cols.append(Col(title=site.games(game), cells=list(cells.values()), tints=tints))
    return Table(id="by-game", caption=f"{figure_of(standings.rank_by)} by game", cols=tuple(cols))


def _shares(standings: Standings) -> Callable[[BotStanding | Encounter], float | None]:
    """How good a figure is, from 0 to 1: strokes beside the greatest of the table."""
    if standings.rank_by == "match-points":
        return lambda row: row.match_points
    rows = [row for some in standings.variants.values() for row in some]
    most = max((abs(row.strokes or 0.0) for row in rows), default=0.0)
    return lambda row: None if row.strokes is None or not most else 0.5 - row.strokes / most / 2


def crosstable(site: Site, standings: Standings, game: str | None = None) -> Table | None:
    """Every bot against every other one, or in a Swiss by round, on tints; None where these are too many."""
    bots, share = list(standings.crosstable), _shares(standings)
    if len(bots) > MOST_IN_CROSSTABLE:
        return None
    if table := by_round(site, bots, game):
        return table
    cols = [
        Col(title="#", cells=[str(place) for place in range(1, len(bots) + 1)]),
        Col(title="bot", cells=[site.bots(bot) for bot in bots], is_text=True, is_head=True),
    ]
    for place, other in enumerate(bots, 1):
        met = [standings.crosstable[bot].get(other) for bot in bots]
        cells = [encounter(standings, other, bot) for bot in bots]
        tints = [tint(share(one)) if one else None for one in met]
        cols.append(Col(title=str(place), unseen=site.bots(other), cells=cells, tints=tints))
    return Table(id="crosstable", caption=crosstable_title(standings.rank_by), cols=tuple(cols))


def faults(site: Site) -> Table | None:
    """Which bots were at fault, how often in each way; None where nobody was."""
    counts = at_fault({row.bot: row.faults for row in site.content.summary.standings})
    if not counts:
        return None
    cols = [Col(title="bot", cells=[site.bots(bot) for bot in counts], is_text=True, is_head=True)]
    for kind in kinds_of(counts):
        cells = [str(of_bot.get(kind, 0)) for of_bot in counts.values()]
        cols.append(Col(title=kind.replace("_", " "), cells=cells))
    return Table(id="faults-table", caption="Faults by bot and kind", cols=tuple(cols))


def stage_table(site: Site, stage: StagePlaces) -> Table | None:
    """Who came where in a stage; None in a knockout, which is drawn."""
    if not stage.bots:
        return None
    note = "" if stage.is_cut_settled is None else cut(stage, site.bots)
    cols = cols_of(stage_columns(stage, site.bots), stage.bots, "bot")
    caption = f"Places in stage {stage.number}, {stage.format}"
    return Table(id=f"stage-{stage.number}", caption=caption, cols=cols, note=note, is_wide=True)
