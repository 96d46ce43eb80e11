"""What all pictures share: the colours of the pages, rows with names beside them, and tidy SVG in light and in dark."""

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from textwrap import wrap
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import IdentityTransform, blended_transform_factory
from msgspec import Struct

from protocol.text import harmless
from referee.reports.tables.layout import PART, Names, cells

WIDE, NARROW = 880, 360
"""How many pixels wide a picture is on a desk or a slide, and on a phone."""

PHONE = 560
"""A picture of fewer pixels is for a phone: names are cut shorter, and figures stand in the page's table only."""

INK, SOFT, LINE, PANEL, BAND = "#17211d", "#4a5751", "#d9d8d0", "#ffffff", "#f7f6f2"
"""Colours of texts, lesser texts, lines of the grid, the ground, and every second band, as in the pages' tokens.css."""

ACCENT, GREY = "#0a5c43", "#75817b"
"""Colours of marks, and of what stands back."""

TOP = ("#0b4aa8", "#98300b", "#0d5f3b", "#71217f", INK, "#7a5200", "#00596a", "#941650")
"""Colours that tell lines apart: those of the seats, but ink for the one that is grey."""

DARK = {
    INK: "#e9eeeb",
    SOFT: "#aab7b0",
    LINE: "#34403a",
    PANEL: "#1b2320",
    BAND: "#121816",
    ACCENT: "#62cda0",
    GREY: "#7f8d86",
    "#0b4aa8": "#8cb8ff",
    "#98300b": "#ffab87",
    "#0d5f3b": "#76d6a4",
    "#71217f": "#dba4ea",
    "#7a5200": "#e6c068",
    "#00596a": "#76d2e2",
    "#941650": "#ff9fc6",
}
"""By colour what stands for it on a dark ground."""

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"

MANY = 30
"""If there are more rows than this, they are closer to each other."""

MARGIN, LETTER = 12, 7
"""Pixels at the edges, and of most letters."""

TOLD = 10
"""Of how many bots the description has the figures."""

_SETTINGS: Mapping[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "golfref",  # the same picture is the same bytes
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib; readers see FONTS
    "font.size": 12,
    "text.parse_math": False,  # a name with $ is no formula
    "text.color": INK,
    "axes.facecolor": "none",
    "savefig.facecolor": PANEL,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": LINE,
    "xtick.color": SOFT,
    "xtick.labelsize": 11,
    "xtick.major.size": 0,
    **{f"axes.spines.{side}": False for side in ("left", "right", "top", "bottom")},
}


class NothingToDraw(ValueError):
    """A run has nothing that this picture shows; the text says why, as a sentence."""


class Picture(Struct, frozen=True, kw_only=True):
    """A picture of a run."""

    description: str
    """What it shows, with the figures of the first bots, for readers who do not see it."""
    svg: bytes

    @property
    def dark(self) -> bytes:
        """The same on a dark ground."""
        return re.sub(rb"#[0-9a-f]{6}", lambda found: DARK.get(found[0].decode(), found[0].decode()).encode(), self.svg)


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with the settings of this module only, whatever a user's own are."""
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the reader's fonts draw it
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


class Sheet:
    """A picture with a row for each bot: in its axes row 0 is the first, and each is one unit high."""

    def __init__(self, *, title: str, note: str, width: int, rows: int, sides: tuple[int, int]) -> None:
        """`note` says what the marks mean. `sides` are the pixels left and right of the axes."""
        row_px = 24 if rows <= MANY else 18
        head = [(line, 16, INK) for line in wrap(harmless(title), width // 10)]
        head += [(line, 11, SOFT) for line in wrap(harmless(note), int(width / 6.4))]
        top = MARGIN + sum(size + 4 for _, size, _ in head) + 6
        bottom = MARGIN + 28
        self.width, self.height = width, top + rows * row_px + bottom
        self.title = title
        self.left, self.right = sides[0], width - sides[1]
        self._figure = Figure(figsize=(width / 72, self.height / 72), dpi=72)
        FigureCanvasSVG(self._figure)
        at = MARGIN
        for line, size, colour in head:
            at += size + 4
            self._figure.text(MARGIN, self.height - at, line, size=size, color=colour, transform=IdentityTransform())
        box = (self.left / width, bottom / self.height, (self.right - self.left) / width, rows * row_px / self.height)
        self.axes = self._figure.add_axes(box)
        self.axes.set_ylim(rows - 0.5, -0.5)
        self.axes.set_yticks([])
        self._beside = blended_transform_factory(IdentityTransform(), self.axes.transData)

    def text(self, x: float, row: int, text: str, **looks: str | float) -> None:
        """A text beside the axes, so many pixels from the left edge of the picture."""
        self.axes.text(x, row, text, transform=self._beside, va="center", **looks)  # type: ignore[arg-type]

    def band(self, row: int, rows: int = 1) -> None:
        """Rows on a ground of their own, from edge to edge."""
        corner, size = (MARGIN, row - 0.5), self.width - 2 * MARGIN
        band = Rectangle(corner, size, rows, color=BAND, zorder=0, transform=self._beside, clip_on=False)
        self.axes.add_artist(band)

    def picture(self, description: str) -> Picture:
        """The picture as it is now."""
        safe = harmless(description)
        file = BytesIO()
        self._figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
            f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
            f'font-family="{FONTS}" stroke-linejoin="round"><title>{escape(harmless(self.title))}</title>'
            f"<desc>{escape(safe)}</desc>"
        )
        body = re.sub(rb"<[^>]*>", _tidy, file.getvalue().split(b'version="1.1">', 1)[1])
        body = re.sub(rb">\s+<", b"><", re.sub(rb"<style.*</style>", b"", body))
        return Picture(description=safe, svg=head.encode() + body)


_TIDIER = (
    (rb"(\.\d)\d+", rb"\1"),  # no more than a tenth of a pixel
    (rb'<g id="[^"]*"', b"<g"),
    (rb' transform="rotate\(-0 [^"]*"', b""),
    (rb'font-family: [^;"]*;? ?', b""),  # the head names them
    (rb' style="([^"]*)"', rb" \1"),  # looks become attributes: strict servers forbid styles
    (rb'([\w-]+): ([^;"/>]+)(; ?|(?=[ />]))', rb'\1="\2" '),
)


def _tidy(tag: re.Match[bytes]) -> bytes:
    """A tag without what nobody sees."""
    short = tag[0]
    for pattern, instead in _TIDIER:
        short = re.sub(pattern, instead, short)
    return re.sub(rb" ?\n?([MLz]) ?", rb"\1", short) if short.startswith(b"<path") else short


def names_for(names: Sequence[str], width: int) -> tuple[Names, int]:
    """How names are written in a picture of this width, and about how many pixels they take."""
    shown = Names(names, PART * (14 if width < PHONE else 24))
    return shown, max((LETTER * cells(text) + 2 * sum(map(str.isupper, text)) for text in map(shown, names)), default=0)


def some_of(told: Sequence[str]) -> str:
    """The first of these descriptions, and how many more there are."""
    more = f"; and {len(told) - TOLD} more" if len(told) > TOLD else ""
    return "; ".join(told[:TOLD]) + more
