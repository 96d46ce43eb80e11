"""What several pictures need: names that fit, axes, and the sentence where there is nothing to draw."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from referee.plots.drawing import LINE, SIZE, SOFT, Drawing, lines_of, ticks, width_of
from referee.reports.tables.layout import Names

MARGIN = 12.0
"""How many pixels are left at the edges."""

TITLE_SIZE = 16.0
NOTE_SIZE = 11.0

PHONE = 560
"""Below so many pixels names and figures stand above what they are of, not beside it."""


class NothingToDraw(ValueError):
    """A run has nothing that this picture shows; the text says why, as a sentence."""


class Frame(Struct, frozen=True, kw_only=True):
    """What stands around every picture."""

    name: str
    """The kind of picture, for ids."""
    title: str
    note: str
    """What the marks mean, for who sees them."""
    description: str
    """What the picture shows, for who does not."""
    width: int

    @property
    def top(self) -> float:
        """Where the picture itself begins."""
        return MARGIN + len(self._title) * 20 + len(self._note) * 15 + 8

    @property
    def _title(self) -> list[str]:
        return lines_of(self.title, self.width - 2 * MARGIN, TITLE_SIZE)

    @property
    def _note(self) -> list[str]:
        return lines_of(self.note, self.width - 2 * MARGIN, NOTE_SIZE)

    def drawing(self, height: float) -> Drawing:
        """A picture that has so many pixels below what stands above it."""
        drawn = Drawing(
            name=self.name,
            width=self.width,
            height=self.top + height + MARGIN,
            title=self.title,
            description=self.description,
        )
        room = self.width - 2 * MARGIN
        for place, line in enumerate(self._title, 1):
            baseline = MARGIN + place * 20 - 6
            drawn.text(MARGIN, baseline, line, room=self.width - 2 * MARGIN, font_size=TITLE_SIZE, font_weight="bold")
        start = MARGIN + len(self._title) * 20
        for place, line in enumerate(self._note, 1):
            drawn.text(MARGIN, start + place * 15 - 3, line, room=room, font_size=NOTE_SIZE, fill=SOFT)
        return drawn


class Axis(Struct, frozen=True, kw_only=True):
    """Where figures stand from left to right."""

    low: float
    high: float
    left: float
    """In pixels, as is `right`."""
    right: float

    def at(self, figure: float) -> float:
        """Where a figure stands."""
        share = (figure - self.low) / ((self.high - self.low) or 1.0)
        return self.left + (self.right - self.left) * min(max(share, 0.0), 1.0)

    def draw(self, drawn: Drawing, top: float, bottom: float, form: Callable[[float], str]) -> None:
        """Thin lines at round figures, which stand below them."""
        places = ticks(self.low, self.high, max(2, int((self.right - self.left) / 70)))
        drawn.group(stroke=LINE, stroke_width=0.5, stroke_dasharray="2 3")
        for figure in places:
            drawn.line(self.at(figure), top, self.at(figure), bottom)
        drawn.group(fill=SOFT, font_size=NOTE_SIZE, text_anchor="middle")
        for figure in places:
            drawn.text(self.at(figure), bottom + 14, form(figure))


def names_for(names: Iterable[str], room: float, size: float = SIZE) -> Names:
    """How names are written that get about so many pixels; those that would look alike get a number."""
    return Names(names, int(4 * room / (0.62 * size)))


def widest(texts: Sequence[str], size: float = SIZE) -> float:
    """How many pixels the longest of these texts takes."""
    return max((width_of(text, size) for text in texts), default=0.0)


def is_phone(width: int) -> bool:
    """Whether a picture of this width is for a phone."""
    return width < PHONE


def count_of(number: int, what: str, several: str = "") -> str:
    """`1 match`, `2 matches`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {several or what + 's'}"
