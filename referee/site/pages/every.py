"""All pages of a site but those of its matches."""

from collections.abc import Iterator

from referee.site.content import Content
from referee.site.files import File
from referee.site.pages.front import front_page
from referee.site.pages.shell import Site


def pages(content: Content) -> Iterator[File]:
    """The pages one after another. The front page comes last, since it leads to all others."""
    site = Site(content)
    yield front_page(site)
