"""The list of all matches, and tables of some: who came where, and where the match can be seen."""

import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.site.content import Content, MatchRow
from referee.site.files import File
from referee.site.pages.frame import Site
from referee.site.pages.tables import Col, Table

A_PAGE = 2000
"""How many matches a page of the list has at most."""


class Line(Struct, frozen=True, kw_only=True):
    """A match as a line of the list."""

    title: str
    """As people call it: its number, or its id where it is out of the standings."""
    href: str
    """Its page from the site's root; empty where it has none."""
    game: str
    seats: tuple[tuple[str, str], ...]
    """By rank, the name of each bot and what came of it."""
    note: str
    """Why nothing shows it, or why it does not count; empty else."""


class Place(Struct, frozen=True, kw_only=True):
    """A page of the list."""

    path: str
    first: str
    """The matches from which and up to which it goes, as people call them."""
    last: str


def match_lists(site: Site) -> Iterator[File]:
    """The pages of the list; there is a first one also where nothing has been played."""
    rows = site.content.matches
    parts = [rows[start : start + A_PAGE] for start in range(0, len(rows), A_PAGE)] or [rows]
    places = [
        Place(
            path=f"lists/{number}.html",
            first=title_of(part[0]) if part else "",
            last=title_of(part[-1]) if part else "",
        )
        for number, part in enumerate(parts, 1)
    ]
    for place, part in zip(places, parts, strict=True):
        hidden = next((row for row in part if not (row.href or row.problem)), None)
        yield site.page(
            "list.html",
            place.path,
            rows=[line_of(row) for row in part],
            example="" if hidden is None else title_of(hidden),
            command="" if hidden is None else command_of(site.content, hidden),
            places=places,
            count=len(rows),
        )


def title_of(row: MatchRow) -> str:
    """How people call a match."""
    return f"#{row.id}" if row.number is None else str(row.number)


def command_of(content: Content, row: MatchRow, seat: int | None = None) -> str:
    """The command that tells a match, as everybody saw it or as one seat did."""
    own = "" if seat is None else f" --seat {seat}"
    return f"golfref replay {shlex.quote(f'{content.store}:{title_of(row)}')}{own}"


def line_of(row: MatchRow) -> Line:
    """A match as a line of the list."""
    order = sorted(range(len(row.bots)), key=lambda seat: (row.ranks[seat], seat))
    return Line(
        title=title_of(row),
        href=row.href or "",
        game=row.variant,
        seats=tuple((row.bots[seat], _outcome(row, seat)) for seat in order),
        note=row.problem or "out of the standings" * (row.number is None),
    )


def _outcome(row: MatchRow, seat: int) -> str:
    """The total of a seat, with what went wrong."""
    faults = f", {row.faults[seat]} fault{'s' * (row.faults[seat] != 1)}" if row.faults[seat] else ""
    return f"{row.totals[seat]}{faults}{', forfeited' * row.forfeited[seat]}"


def table_of_bot(site: Site, bot: str, rows: Sequence[MatchRow], id_: str, caption: str) -> Table:
    """Matches of one bot as a table."""
    seats = [row.bots.index(bot) for row in rows]
    pairs = list(zip(rows, seats, strict=True))
    how = [_how(site, row, seat) for row, seat in pairs]
    return Table(
        id=id_,
        caption=caption,
        cols=(
            Col(
                title="match",
                cells=[title_of(row) for row in rows],
                hrefs=[row.href or "" for row in rows],
                is_head=True,
            ),
            Col(title="game", cells=[site.games(row.variant) for row in rows], is_text=True),
            Col(title="rank", cells=[f"{row.ranks[seat]} of {len(row.bots)}" for row, seat in pairs], is_minor=True),
            Col(title="total", cells=[str(row.totals[seat]) for row, seat in pairs]),
            Col(title="against", cells=[_others(site, row, seat) for row, seat in pairs], is_text=True),
            Col(title="faults", cells=[_faults(row, seat) for row, seat in pairs], is_text=True, is_minor=True),
            *([Col(title="to see it", cells=how, is_text=True)] if any(how) else []),
        ),
    )


def _others(site: Site, row: MatchRow, seat: int) -> str:
    others = [f"{site.bots(bot)} {row.totals[at]}" for at, bot in enumerate(row.bots) if at != seat]
    return ", ".join(others)


def _faults(row: MatchRow, seat: int) -> str:
    return f"{row.faults[seat] or '-'}{' (forfeited)' * row.forfeited[seat]}"


def _how(site: Site, row: MatchRow, seat: int) -> str:
    """What shows a match that has no page, or why nothing does."""
    return row.problem or ("" if row.href else command_of(site.content, row, seat))
