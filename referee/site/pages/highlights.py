"""Moments worth seeing: each with its sentence, the cards as they lay, and a link that plays it."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.highlights.highlight import Highlight
from referee.highlights.kinds import KINDS
from referee.site.cards import Layout
from referee.site.content import MatchRow
from referee.site.files import File
from referee.site.pages.frame import Site
from referee.site.pages.matches import command_of

BEST = 10
"""How many moments the page has."""

MOST_SEATS = 4
"""The cards of how many seats a moment shows at most, those of the seats first that its sentence names."""

_MOMENT = re.compile(r"r(\d+)(?:t(\d+)|w(\d+))?(?:e\d+)?")
_KINDS = {kind.name: kind for kind in KINDS}


class Part(Struct, frozen=True, kw_only=True):
    """A piece of a sentence."""

    text: str
    is_name: bool = False
    """Whether it is the marked name of a bot."""


class Moment(Struct, frozen=True, kw_only=True):
    """A highlight as a page shows it."""

    title: str
    """What its kind is called; as a superlative in the best highlight of the run alone."""
    parts: tuple[Part, ...]
    where: str
    """Such as `round 3, turn 12`."""
    match: int
    game: str
    """Its marked name."""
    href: str
    """The moment in the page of the match, from the site's root; empty where the match has none."""
    command: str
    """The command that prints the match, where it has no page."""
    layouts: tuple[tuple[str, Layout], ...]
    """The cards of some seats when the moment was over, each with the marked name of its bot."""


def highlights_page(site: Site) -> Iterator[File]:
    """The page, also where there is nothing to see yet."""
    yield site.page("highlights.html", "highlights.html", moments=moments(site, site.content.highlights[:BEST]))


def moments(site: Site, highlights: Sequence[Highlight]) -> list[Moment]:
    """The highlights as pages show them."""
    return [moment(site, one) for one in highlights]


def moment(site: Site, one: Highlight) -> Moment:
    """A highlight with its cards and a link to its moment."""
    row: MatchRow | None = site.content.matches_by_id.get(one.id)
    layouts = site.content.layouts.get(one.id, ())
    best = next((other for other in site.content.highlights if other.kind == one.kind), None)
    seats = sorted([*one.seats, *(seat.seat for seat in layouts if seat.seat not in one.seats)][:MOST_SEATS])
    return Moment(
        title=_KINDS[one.kind].title if one == best else _KINDS[one.kind].plain,
        parts=tuple(
            Part(text=part) if isinstance(part, str) else Part(text=site.bots(one.bots[part]), is_name=True)
            for part in one.parts
        ),
        where=place_in_words(one.moment),
        match=one.match,
        game=site.games(one.variant),
        href="" if row is None or row.href is None else f"{row.href}#{one.moment}",
        command="" if row is None else command_of(site.content, row),
        layouts=tuple((site.bots(one.bots[seat]), layouts[seat]) for seat in seats) if layouts else (),
    )


def place_in_words(moment: str) -> str:
    """The name of a moment in words, such as `round 3, turn 12`."""
    found = _MOMENT.fullmatch(moment)
    if found is None:
        return ""
    round_, turn, window = found.groups()
    within = f", turn {turn}" if turn else f", slap window {window}" if window else ""
    return f"round {round_}{within}"
