"""Lists of matches: all of them, those of each bot and of each game, in pages of a bounded length."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.site.content import MatchRow
from referee.site.files import File
from referee.site.pages.matches import command_of, listed, title_of
from referee.site.pages.frame import Site

A_PAGE = 500
"""How many matches a page lists at most."""

MOST_OF_A_BOT = 2000
"""How many matches a bot's own list has at most. The list of all matches has all of them, however many."""


class Place(Struct, frozen=True, kw_only=True):
    """A page among those of a list."""

    number: int
    path: str
    first: str
    """The matches from which and up to which it goes, as people call them."""
    last: str


def match_lists(site: Site) -> Iterator[File]:
    """All pages of all lists. There is a first one of each list, also where nothing has been played."""
    every = [row for row in site.content.matches if row.number is not None]
    by_bot: dict[str, list[MatchRow]] = defaultdict(list)
    by_game: dict[str, list[MatchRow]] = defaultdict(list)
    for row in every:
        by_game[row.variant].append(row)
        for bot in row.bots:
            by_bot[bot].append(row)
    yield from _pages(site, "lists/all", "All matches", every)
    for game, slug in site.game_slugs.items():
        yield from _pages(site, f"lists/games/{slug}", f"Matches of {site.games(game)}", by_game[game])
    for bot, slug in site.bot_slugs.items():
        yield from _pages(site, f"lists/bots/{slug}", f"Matches of {site.bots(bot)}", _some(by_bot[bot]), by_bot[bot])
    retired = [row for row in site.content.matches if row.number is None]
    if retired:
        yield from _pages(site, "lists/retired", "Matches that are out of the standings", retired)


def _some(rows: Sequence[MatchRow]) -> Sequence[MatchRow]:
    """Of very many matches of a bot those that have a page, and the last ones of the others."""
    if len(rows) <= MOST_OF_A_BOT:
        return rows
    shown = [row for row in rows if row.href]
    others = [row for row in rows if not row.href]
    last = others[-max(MOST_OF_A_BOT - len(shown), 1) :]
    return sorted([*shown, *last], key=lambda row: row.number or 0)


def _pages(
    site: Site, folder: str, title: str, rows: Sequence[MatchRow], every: Sequence[MatchRow] = ()
) -> Iterator[File]:
    """The pages of a list of these matches, which are some of `every` one, or all."""
    parts = [rows[start : start + A_PAGE] for start in range(0, len(rows), A_PAGE)] or [rows]
    places = [
        Place(
            number=number,
            path=f"{folder}/{number}.html",
            first=title_of(part[0]) if part else "",
            last=title_of(part[-1]) if part else "",
        )
        for number, part in enumerate(parts, 1)
    ]
    for place, part in zip(places, parts, strict=True):
        lines = [listed(row) for row in part]
        hidden = next((row for row, line in zip(part, lines, strict=True) if not (line.href or line.note)), None)
        yield site.page(
            "list.html",
            place.path,
            title=title,
            rows=lines,
            has_notes=any(line.note for line in lines),
            example="" if hidden is None else title_of(hidden),
            command="" if hidden is None else command_of(site.content, hidden),
            place=place,
            places=places,
            count_listed=len(rows),
            count_all=len(every or rows),
        )
