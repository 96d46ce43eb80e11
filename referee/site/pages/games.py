"""The page of a game: its rules in words, who is how good at it, and what was played."""

from collections.abc import Iterator

from msgspec import Struct

from referee.rules.describe import rules_in_full
from referee.site.files import File
from referee.site.pages import standings
from referee.site.pages.highlights import sections
from referee.site.pages.frame import Site
from referee.tournament.config.run_config import RunVariant


class Chapter(Struct, frozen=True, kw_only=True):
    """A part of the rules."""

    title: str
    sentences: tuple[str, ...]


def game_pages(site: Site) -> Iterator[File]:
    """A page for each game of the run."""
    for entry in site.content.config.variants:
        yield _page(site, entry)


def _page(site: Site, entry: RunVariant) -> File:
    content, variant = site.content, entry.variant
    rows, of_game = content.summary.variants.get(entry.name, ()), content.game_standings.get(entry.name)
    chapters, options = rules(rules_in_full(variant))
    moments = content.game_highlights.get(
        entry.name, tuple(one for one in content.highlights if one.variant == entry.name)
    )
    return site.page(
        "game.html",
        site.game_path(entry.name),
        game=entry,
        variant=variant,
        table=standings.of_game(site, rows, "standings", f"Standings in {site.games(entry.name)}") if rows else None,
        crosstable=standings.crosstable(site, of_game) if of_game is not None else None,
        chapters=chapters,
        options=options,
        sections=sections(site, moments),
    )


def rules(text: str) -> tuple[list[Chapter], list[str]]:
    """The chapters of the rules of a game in full, and the lines that tell its options."""
    head, *blocks = text.split("\n\n")
    del head  # the summary and the seats, which the page tells first
    *chapters, options = blocks
    parted = [block.splitlines() for block in chapters]
    return (
        [Chapter(title=lines[0], sentences=tuple(line.strip() for line in lines[1:])) for lines in parted],
        options.splitlines()[1:],
    )
