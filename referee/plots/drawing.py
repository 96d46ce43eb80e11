"""An SVG document, drawn element by element: text stays text, and the same picture is the same bytes.

All looks are presentation attributes: there is no style, no script and nothing that is fetched, so a picture shows
under the strictest content security policy. Texts of strangers are safe to pass. This module must not know what is
drawn.
"""

import re
from collections.abc import Sequence
from math import ceil, floor, log10
from unicodedata import east_asian_width
from xml.etree import ElementTree as Tree

from protocol.text import harmless

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
"""What is there on whoever's machine. No font is fetched."""

WIDE, NARROW = 880, 360
"""How many pixels wide a picture is on a desk or a slide, and on a phone."""

SIZE = 12.0
"""The size of letters in pixels, unless said otherwise."""

INK, SOFT, LINE, PAPER, BAND = "#1a1a1a", "#555555", "#8a8a8a", "#ffffff", "#eef2f6"
"""Colours of texts, of lesser ones, of lines, of the ground, and of every second band. Texts keep WCAG AA on both
grounds, lines 3:1."""

BLUE = "#00447c"
"""The colour of marks. What it marks always has its shape too."""

_NO_XML = re.compile("[\ufffe\uffff]")
"""Characters that XML cannot hold, besides those that `harmless` escapes."""


class Drawing:
    """A picture of a given size, in pixels from its upper left corner."""

    def __init__(self, *, name: str, width: float, height: float, title: str, description: str) -> None:
        """`name` is that of the kind of picture. Screen readers read out the title and the description."""
        size = {
            "width": _figure(width),
            "height": _figure(height),
            "viewBox": f"0 0 {_figure(width)} {_figure(height)}",
        }
        labels = {"role": "img", "aria-labelledby": f"{name}-title {name}-description"}
        fonts = {"font-family": FONTS, "font-size": _figure(SIZE), "fill": INK}
        self._root = Tree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, **labels, **fonts})
        Tree.SubElement(self._root, "title", {"id": f"{name}-title"}).text = _safe(title)
        Tree.SubElement(self._root, "desc", {"id": f"{name}-description"}).text = _safe(description)
        self._here, self._size = self._root, SIZE
        self.rect(0, 0, width, height, PAPER)

    def group(self, **looks: str | float) -> None:
        """Give these looks to what is drawn from now on, and none of those of the last group."""
        self._here = Tree.SubElement(self._root, "g", _looks(looks))
        self._size = float(looks.get("font_size", SIZE))

    def rect(self, x: float, y: float, width: float, height: float, fill: str, **looks: str | float) -> None:
        """A rectangle."""
        place = {"x": _figure(x), "y": _figure(y), "width": _figure(width), "height": _figure(height)}
        Tree.SubElement(self._here, "rect", {**place, "fill": fill, **_looks(looks)})

    def line(self, x1: float, y1: float, x2: float, y2: float, **looks: str | float) -> None:
        """A straight line, in the stroke of its group unless said otherwise."""
        self.path(f"M{_figure(x1)} {_figure(y1)}{_straight(x2 - x1, y2 - y1)}", **looks)

    def dot(self, x: float, y: float, radius: float, **looks: str | float) -> None:
        """A disk."""
        place = {"cx": _figure(x), "cy": _figure(y), "r": _figure(radius)}
        Tree.SubElement(self._here, "circle", {**place, **_looks(looks)})

    def path(self, way: str, **looks: str | float) -> None:
        """A path, its way as SVG writes it."""
        Tree.SubElement(self._here, "path", {"d": way, **_looks(looks)})

    def polyline(self, points: Sequence[tuple[float, float]], **looks: str | float) -> None:
        """Straight lines from point to point."""
        way = " ".join(f"{_figure(x)},{_figure(y)}" for x, y in points)
        Tree.SubElement(self._here, "polyline", {"points": way, **_looks(looks)})

    def text(self, x: float, y: float, text: str, *, room: float | None = None, **looks: str | float) -> None:
        """A text on the line at `y`. One that might need more than `room` pixels is squeezed into it."""
        size = float(looks.get("font_size", self._size))
        squeeze = {}
        if room is not None and width_of(text, size) > room + 1:  # what fits is never stretched
            squeeze = {"textLength": _figure(room), "lengthAdjust": "spacingAndGlyphs"}
        element = Tree.SubElement(self._here, "text", {"x": _figure(x), "y": _figure(y), **squeeze, **_looks(looks)})
        element.text = _safe(text)

    def svg(self) -> bytes:
        """The document in UTF-8."""
        return bytes(Tree.tostring(self._root, encoding="utf-8", xml_declaration=False))


def lines_of(text: str, width: float, size: float = SIZE) -> list[str]:
    """The text as lines of at most `width` pixels, broken at blanks."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def width_of(text: str, size: float = SIZE) -> float:
    """How many pixels a text takes at most in common fonts; a little more than it takes in most."""
    return size * sum(map(_ems, text))


def _ems(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.05
    if letter in "mwMW@%—":
        return 0.95
    if letter in "iljI.,:;'|!()[] /":
        return 0.4
    return 0.75 if letter.isupper() else 0.62


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round figures from `low` to `high`, at most so many and at least one, evenly spaced."""
    span = (high - low) or 1.0
    for step in _steps(span / most):
        first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
        if last - first < most:
            return [round(place * step, 9) + 0.0 for place in range(first, last + 1)]
    raise AssertionError("steps grow without end")


def _steps(least: float) -> list[float]:
    power = 10.0 ** floor(log10(least))
    return [times * power for times in (1, 2, 5, 10, 20, 50)]


def _straight(dx: float, dy: float) -> str:
    if not dy:
        return f"h{_figure(dx)}"
    return f"v{_figure(dy)}" if not dx else f"l{_figure(dx)} {_figure(dy)}"


def _safe(text: str) -> str:
    return _NO_XML.sub("\ufffd", harmless(text))


def _looks(looks: dict[str, str | float]) -> dict[str, str]:
    return {
        name.replace("_", "-"): value if isinstance(value, str) else _figure(value) for name, value in looks.items()
    }


def _figure(value: float) -> str:
    """A figure of at most one decimal: a tenth of a pixel is less than anybody sees."""
    return f"{value:z.1f}".removesuffix(".0")
