"""The page of a match and its data: all views in one script beside the page, or within it.

It writes no files; whoever makes the site does.
"""

import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256

import msgspec
from jinja2 import Environment
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from referee.match_states.documents import documents
from referee.match_states.states import Document
from referee.match_states.view import OPEN, Viewer
from referee.rules.describe import rules_in_brief
from referee.rules.record import Record
from referee.rules.variants import from_record
from referee.site.bundle import style_sheet, viewer_script
from referee.site.files import File
from referee.site.templating import POLICY, environment

DATA = "match.js"
"""The file beside a match's page that holds the match."""


class AboutMatch(Struct, frozen=True, kw_only=True):
    """What a match page says of its match besides the match itself. All texts are safe to show (protocol/text.py)."""

    title: str
    """As in `Match 7: cactus`."""
    stage: str = ""
    """The stage of the tournament, as in `Semi-finals`."""
    run: str
    """What the match belongs to: the name of a tournament, or of a file."""
    replay: str
    """What `golfref replay` takes to print this match, as in `run.golfref:7`."""
    lines: tuple[str, ...] = ()
    """Sentences: its deal and rotation, say."""
    links: tuple[tuple[str, str], ...] = ()
    """The bar of the site: text and address, the front page first. A page alone has none."""
    bots: tuple[str, ...] = ()
    """By seat the address of the page of its bot; empty where it has none."""
    rules: str = ""
    """The address of the rules of the game. Where it is empty, they stand on the page."""


class Place(Struct, frozen=True, kw_only=True):
    """Where the files of a match lie in a site."""

    folder: str
    """From the root of the site, as in `matches/17`."""
    assets: Mapping[str, str]
    """Paths of the shared files (viewer.js and viewer.css) from the root, by name."""

    @property
    def root(self) -> str:
        """The way from the page of the match to the root of the site."""
        return "../" * (self.folder.count("/") + 1)


class Loaded(Struct, frozen=True, kw_only=True):
    """What a page loads besides itself, or holds within itself."""

    policy: str
    """The content security policy."""
    styles: tuple[str, ...] = ()
    """Addresses."""
    scripts: tuple[str, ...] = ()
    inline_style: Markup = Markup("")
    inline_scripts: tuple[Markup, ...] = ()


def match_files(record: Record, about: AboutMatch, place: Place) -> Iterator[File]:
    """The files of a match in a site: first the data, then the page. The page opens with all cards open.

    Raises BrokenRecord where the record does not replay, and ValueError for options that there cannot be.
    """
    views = _views(record, None)
    loaded = Loaded(
        policy=POLICY,
        styles=(place.root + place.assets["viewer.css"],),
        scripts=(place.root + place.assets["viewer.js"], DATA),
    )
    yield File(path=f"{place.folder}/{DATA}", data=data_script(views))
    yield File(path=f"{place.folder}/index.html", data=_page(record, views, about, loaded))


def self_contained(record: Record, about: AboutMatch, seat: int | None = None) -> bytes:
    """One page that holds the match and all that shows it: all views, or what the public and one seat know.

    It opens with all cards open, or with the view of the seat. Raises as `match_files` does.
    """
    views = _views(record, seat)
    scripts, style = [viewer_script(), data_script(views)], viewer_style()
    policy = POLICY.replace("script-src 'self'", f"script-src {' '.join(map(_hash, scripts))}")
    loaded = Loaded(
        policy=policy.replace("style-src 'self'", f"style-src {_hash(style)}").replace("img-src 'self'; ", ""),
        # No strangers' texts: the scripts and the style are ours, the data are letters.
        inline_style=Markup(style.decode()),  # noqa: S704
        inline_scripts=tuple(Markup(one.decode()) for one in scripts),  # noqa: S704
    )
    return _page(record, views, about, loaded)


def data_script(views: Sequence[Document]) -> bytes:
    """The script that hands the documents to the viewer: JSON, compressed by deflate and written as base64.

    A row of `steps` has a step as each of the documents has it, and null where it is that of the first one. So what is
    alike stands close together, where deflate finds it. The wires of the open document stand in those of the seats.
    """
    heads = [replace(one, steps=(), wires=() if one.view == "open" else one.wires) for one in views]
    steps = [
        [row[0], *(None if step == row[0] else step for step in row[1:])]
        for row in zip(*(one.steps for one in views), strict=True)
    ]
    data = zlib.compress(msgspec.json.encode({"documents": heads, "steps": steps}), 7, -zlib.MAX_WBITS)
    return b'golfref.receive("%b");\n' % b64encode(data)


@cache
def viewer_style() -> bytes:
    """The viewer's style sheet."""
    return style_sheet("viewer.css")


def _views(record: Record, seat: int | None) -> list[Document]:
    """The documents that a page holds: all, or those of the public and of this seat."""
    viewers: list[Viewer] = [None, *range(len(record.seats)), OPEN] if seat is None else [None, seat]
    return documents(record, viewers)


def _page(record: Record, views: Sequence[Document], about: AboutMatch, loaded: Loaded) -> bytes:
    """The page, which offers the views of these documents, the one with which it opens first."""
    page = (
        _environment()
        .get_template("match.html")
        .render(
            public=views[0],
            standing=sorted(range(len(record.seats)), key=views[0].ranks.__getitem__),
            choices=[(_view_name(one), one.seat) for one in (views[-1], *views[:-1])],
            about=about,
            rules=rules_in_brief(from_record(record.preset, record.options)),
            loaded=loaded,
        )
    )
    return page.encode("utf-8", "replace")


def _view_name(view: Document) -> str:
    """How a view is called in the viewer: `public`, `open`, `seat0`."""
    return f"seat{view.seat}" if view.view == "seat" else view.view


def _hash(text: bytes) -> str:
    """A script or style as a content security policy names it."""
    return f"'sha256-{b64encode(sha256(text).digest()).decode()}'"


@cache
def _environment() -> Environment:
    return environment()
