"""All pages of a site but those of its matches."""

from collections.abc import Iterator

from referee.site.content import Content
from referee.site.files import File
from referee.site.pages.about import about_page
from referee.site.pages.bots import bot_pages
from referee.site.pages.figures import figures_page
from referee.site.pages.frame import Site
from referee.site.pages.front import front_page
from referee.site.pages.games import game_pages
from referee.site.pages.hall import hall_page
from referee.site.pages.highlights import highlights_page
from referee.site.pages.matches import match_lists


def pages(content: Content) -> Iterator[File]:
    """The pages one after another. The front page comes last, since it leads to all others."""
    site = Site(content)
    yield from match_lists(site)
    yield from bot_pages(site)
    yield from game_pages(site)
    yield from highlights_page(site)
    yield figures_page(site)
    yield about_page(site)
    yield hall_page(site)
    yield front_page(site)
