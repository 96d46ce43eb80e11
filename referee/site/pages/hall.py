"""The hall view: a page for a projector, whose panels are shown by turns and read from the last row."""

from collections.abc import Iterator
from itertools import groupby, islice

from msgspec import Struct

from referee.reports.verdict import how_far, is_over
from referee.site.content import MatchRow
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.bracket import Round, bracket
from referee.site.pages.frame import Site
from referee.site.pages.front import headline, progress
from referee.site.pages.highlights import moments
from referee.site.pages.matches import title_of
from referee.site.pages.tables import Bar

LEADERS = 8
RESULTS = 6
SEATS = 3
PODIUM = 3
MOMENTS = 2
TIES = 4
"""So many ties of a round find room beside each other."""

NOTES = {
    "rating": "Wins in 100 matches against {anchor}",
    "match points": "Share of its opponents that it beat",
    "strokes": "Strokes a round beside its table: fewer are better",
}
"""What the figure of the standings says, by its title."""


class Leader(Struct, frozen=True, kw_only=True):
    """A row of the standings."""

    rank: str
    bot: str
    """Its marked name."""
    figure: str = ""
    bar: Bar | None = None


class Step(Struct, frozen=True, kw_only=True):
    """A step of the podium."""

    rank: str
    """Such as `1`, or `3=` where several bots share it."""
    bots: tuple[str, ...]
    """Their marked names."""


class Seat(Struct, frozen=True, kw_only=True):
    """A bot in the result of a match."""

    bot: str
    """Its marked name."""
    total: int
    is_first: bool


class Result(Struct, frozen=True, kw_only=True):
    """The result of a match for its best seats, the first one first."""

    match: str
    """As people call it."""
    game: str
    """Its marked name."""
    seats: tuple[Seat, ...]


def hall_page(site: Site) -> File:
    """The hall view, also of a run without a match."""
    content, summary = site.content, site.content.summary
    last = summary.stages[-1] if summary.stages else None
    leaders, figure = _leaders(site)
    recent = content.recent_highlights
    return site.page(
        "hall.html",
        "hall.html",
        headline=headline(site),
        progress=progress(summary),
        round=summary.rounds[-1].title if summary.goes_on and summary.rounds else "",
        played=f"{summary.matches:,} matches" if summary.goes_on else how_far(summary),
        left=content.left,
        podium=_podium(leaders) if is_over(summary) else [],
        leaders=leaders,
        note=_note(site, figure),
        bracket=_last_rounds(bracket(site, last)) if last and last.levels else [],
        results=list(_results(site)),
        moments=moments(site, (recent or content.highlights)[:MOMENTS]),
        moments_title="The best of the last quarter of an hour" if recent else "The best of the run",
    )


def _leaders(site: Site) -> tuple[list[Leader], str]:
    """The first rows of the standings, and the title of the figure that ranks."""
    summary = site.content.summary
    if not summary.standings:
        return [], ""
    cols = {col.title: col for col in standings.of_run(site).cols}
    title = "rating" if summary.ratings else summary.rank_by.replace("-", " ")
    figure = cols.get(title)
    rows = range(min(LEADERS, len(summary.standings)))
    leaders = [Leader(rank=cols["rank"].cells[row], bot=cols["bot"].cells[row]) for row in rows]
    if figure is None or not figure.bars:
        return leaders, ""
    return [
        Leader(rank=one.rank, bot=one.bot, figure=figure.cells[row].split()[0], bar=figure.bars[row])
        for row, one in enumerate(leaders)
    ], title


def _podium(leaders: list[Leader]) -> list[Step]:
    """The first three ranks; bots that share one stand together."""
    steps: list[Step] = []
    for rank, some in groupby(leaders, key=lambda one: one.rank):
        bots = tuple(one.bot for one in some)
        if rank.isdecimal() and int(rank) <= PODIUM:
            steps.append(Step(rank=f"{rank}{'=' * (len(bots) > 1)}", bots=bots))
    return steps


def _note(site: Site, figure: str) -> str:
    """What the figure says, and whether it ranks."""
    summary = site.content.summary
    anchor = site.bots(summary.ratings.anchor) if summary.ratings else ""
    ranks = "; ranks do not go by it" if summary.order == "places" else ""
    return f"{NOTES[figure].format(anchor=anchor)}{ranks}. Bar: 95 %." if figure in NOTES else ""


def _last_rounds(rounds: list[Round]) -> list[Round]:
    """The last two rounds of a bracket that find room."""
    return [one for one in rounds if len(one.boxes) <= TIES][-2:]


def _results(site: Site) -> Iterator[Result]:
    """The last results, the newest first."""
    rows = site.content.matches_by_id
    newest = [rows[id_] for id_ in sorted(rows, reverse=True) if rows[id_].number is not None]
    for row in newest[:RESULTS]:
        yield Result(match=title_of(row), game=site.games(row.variant), seats=tuple(islice(_seats(site, row), SEATS)))


def _seats(site: Site, row: MatchRow) -> Iterator[Seat]:
    for seat in sorted(range(len(row.bots)), key=lambda seat: row.ranks[seat]):
        yield Seat(bot=site.bots(row.bots[seat]), total=row.totals[seat], is_first=row.ranks[seat] == 1)
