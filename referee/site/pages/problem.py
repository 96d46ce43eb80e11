"""The page of a match whose record cannot be shown."""

from msgspec.structs import replace

from referee.site.content import MatchRow
from referee.site.files import File
from referee.site.pages.frame import Site


def problem_page(site: Site, row: MatchRow) -> File:
    """What came of the match, and what is wrong with its record. It stays as it is while other matches are played."""
    still = Site(replace(site.content, version=""))
    return still.page("problem.html", f"matches/{row.id}/index.html", row=row)
