"""The pages of a match and their data: one page for each view, which loads nothing that this view may not know.

It writes no files; whoever makes the site does.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256

from jinja2 import Environment
from markupsafe import Markup
from msgspec import Struct

from referee.match_states.documents import Documents
from referee.match_states.packed import Packer
from referee.match_states.states import Additions, Document
from referee.rules.describe import rules_in_brief
from referee.rules.record import Record
from referee.rules.variants import from_record
from referee.site.bundle import style_sheet, viewer_script
from referee.site.data_script import as_file, data_script
from referee.site.files import File
from referee.site.templating import POLICY, environment


class AboutMatch(Struct, frozen=True, kw_only=True):
    """What a match page says of its match besides the match itself. All texts are safe to show (protocol/text.py)."""

    title: str
    """The heading, as in `Match 7: cactus`."""
    run: str
    """What the match belongs to: the name of a tournament, or of a file."""
    replay: str
    """What `golfref replay` takes to print this match, as in `run.golfref:7`."""
    lines: tuple[str, ...] = ()
    """Sentences: its deal and rotation, say."""
    links: tuple[tuple[str, str], ...] = ()
    """Ways to other pages of the site: text and address."""
    rules: str = ""
    """The address of the rules of the game. Where it is empty, they stand on the page."""


class Place(Struct, frozen=True, kw_only=True):
    """Where the files of a match lie in a site."""

    folder: str
    """From the root of the site, as in `matches/17`."""
    assets: Mapping[str, str]
    """Paths of the shared files (viewer.js, viewer.css and, where there is one, site.css) from the root, by name."""

    @property
    def root(self) -> str:
        """The way from the pages of the match to the root of the site."""
        return "../" * (self.folder.count("/") + 1)


class Choice(Struct, frozen=True, kw_only=True):
    """A view that a reader can choose."""

    view: str
    page: str
    text: str
    bot: str = ""


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
    """All files of a match: first the data, then the pages; `index.html` has all cards open.

    Raises BrokenRecord where the record does not replay, and ValueError for options that there cannot be.
    """
    documents = Documents(record)
    packer, viewers = Packer(documents), documents.viewers
    public, views = documents.public, tuple(map(documents.additions, viewers))
    for viewer, view in zip((None, *viewers), ("public", *map(view_name, views)), strict=True):
        yield File(path=f"{place.folder}/{view}.js", data=as_file(data_script(view, packer.packed(viewer))))
    page = _Page(record=record, public=public, choices=_choices(public, views), about=about)
    for choice in page.choices:
        yield File(path=f"{place.folder}/{choice.page}", data=page.made(choice.view, _beside(place, choice.view)))


def _beside(place: Place, view: str) -> Loaded:
    """The files that the page of a view loads."""
    data = dict.fromkeys(("public", view))
    return Loaded(
        policy=POLICY,
        styles=tuple(place.root + place.assets[name] for name in ("site.css", "viewer.css") if name in place.assets),
        scripts=(place.root + place.assets["viewer.js"], *(f"{name}.js" for name in data)),
    )


def self_contained(
    record: Record, documents: Documents, viewers: Sequence[int], *, about: AboutMatch, first: str
) -> bytes:
    """One page that holds the match as the public and these viewers know it, and all that shows it.

    It opens with the view `first`.
    """
    packer, public, views = Packer(documents), documents.public, tuple(map(documents.additions, viewers))
    data = {"public": packer.packed(None)}
    data |= {view_name(one): packer.packed(viewer) for viewer, one in zip(viewers, views, strict=True)}
    scripts = [viewer_script(), *(data_script(name, packed).encode() for name, packed in data.items())]
    style = viewer_style()
    policy = POLICY.replace("script-src 'self'", f"script-src {' '.join(map(_hash, scripts))}")
    loaded = Loaded(
        policy=policy.replace("style-src 'self'", f"style-src {_hash(style)}").replace("img-src 'self'; ", ""),
        # No strangers' texts: the scripts and the style are ours, the data are letters.
        inline_style=Markup(style.decode()),  # noqa: S704
        inline_scripts=tuple(Markup(one.decode()) for one in scripts),  # noqa: S704
    )
    return _Page(record=record, public=public, choices=_choices(public, views), about=about).made(first, loaded)


def view_name(view: Document | Additions) -> str:
    """How a view is called in names of files and in the viewer: `public`, `open`, `seat0`."""
    return f"seat{view.seat}" if view.view == "seat" else view.view


def page_name(view: str) -> str:
    """The file of a view's page."""
    return "index.html" if view == "open" else f"{view}.html"


@cache
def viewer_style() -> bytes:
    """The viewer's style sheet."""
    return style_sheet("viewer.css")


def _choices(public: Document, views: Sequence[Additions]) -> tuple[Choice, ...]:
    """The views in the order in which they are offered."""
    given = {view_name(one): one for one in views}
    choices = [Choice(view="open", page=page_name("open"), text="all cards")] if "open" in given else []
    choices.append(Choice(view="public", page=page_name("public"), text="what everybody sees"))
    for name, one in given.items():
        if one.seat is not None:
            bot = public.bots[one.seat].name
            choices.append(Choice(view=name, page=page_name(name), text=f"seat {one.seat}", bot=bot))
    return tuple(choices)


class _Page(Struct, frozen=True, kw_only=True):
    """What the pages of a match have in common."""

    record: Record
    public: Document
    choices: tuple[Choice, ...]
    about: AboutMatch

    def made(self, view: str, loaded: Loaded) -> bytes:
        """The page of one view."""
        chosen = next(one for one in self.choices if one.view == view)
        text = (
            _environment()
            .get_template("match.html")
            .render(
                public=self.public,
                chosen=chosen,
                choices=self.choices,
                about=self.about,
                rules=rules_in_brief(from_record(self.record.preset, self.record.options)),
                loaded=loaded,
            )
        )
        return text.encode("utf-8", "replace")


def _hash(text: bytes) -> str:
    """A script or style as a content security policy names it."""
    return f"'sha256-{b64encode(sha256(text).digest()).decode()}'"


@cache
def _environment() -> Environment:
    return environment()
