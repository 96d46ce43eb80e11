"""The page of highlights: moments worth seeing, by kind, each with a sentence and a link to the moment."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.highlights.highlight import Highlight
from referee.highlights.kinds import KINDS
from referee.site.content import MatchRow
from referee.site.files import File
from referee.site.pages.matches import command_of
from referee.site.pages.frame import Site

_MOMENT = re.compile(r"r(\d+)(?:t(\d+)|w(\d+))?(?:e\d+)?")


class Part(Struct, frozen=True, kw_only=True):
    """A piece of a sentence."""

    text: str
    is_name: bool = False
    """Whether it is the marked name of a bot."""


class Shown(Struct, frozen=True, kw_only=True):
    """A highlight as a page tells it."""

    parts: tuple[Part, ...]
    where: str
    """Such as `Match 17 (cactus), round 3, turn 12`."""
    href: str
    """The moment in the page of the match, from the site's root; empty where the match has none."""
    command: str
    """What tells the match, where it has no page."""


class Section(Struct, frozen=True, kw_only=True):
    """The highlights of a kind."""

    name: str
    title: str
    meaning: str
    moments: tuple[Shown, ...]


def highlights_page(site: Site) -> Iterator[File]:
    """The page, also where there is nothing to see yet."""
    yield site.page("highlights.html", "highlights.html", sections=sections(site, site.content.highlights))


def sections(site: Site, highlights: Sequence[Highlight]) -> list[Section]:
    """The kinds of which there are highlights."""
    return [
        Section(name=kind.name, title=kind.title, meaning=kind.meaning, moments=moments)
        for kind in KINDS
        if (moments := tuple(shown(site, one) for one in highlights if one.kind == kind.name))
    ]


def first_of_each_kind(highlights: Sequence[Highlight]) -> list[Highlight]:
    """The best one of each kind, in their order."""
    return list({one.kind: one for one in reversed(highlights)}.values())[::-1]


def shown(site: Site, one: Highlight) -> Shown:
    """A highlight with a link to its moment."""
    row: MatchRow | None = site.content.matches_by_id.get(one.id)
    place = place_in_words(one.moment)
    return Shown(
        parts=tuple(
            Part(text=part) if isinstance(part, str) else Part(text=site.bots(one.bots[part]), is_name=True)
            for part in one.parts
        ),
        where=f"Match {one.match} ({one.variant}){place and f', {place}'}",
        href="" if row is None or row.href is None else f"{row.href}#{one.moment}",
        command="" if row is None else command_of(site.content, row),
    )


def place_in_words(moment: str) -> str:
    """The name of a moment in words, such as `round 3, turn 12`."""
    found = _MOMENT.fullmatch(moment)
    if found is None:
        return ""
    round_, turn, window = found.groups()
    within = f", turn {turn}" if turn else f", slap window {window}" if window else ""
    return f"round {round_}{within}"
