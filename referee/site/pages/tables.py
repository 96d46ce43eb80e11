"""Tables as pages show them: columns of texts, some with a bar or a tint, whose rows are headed by one of them."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.reports.tables.layout import Column, R, with_content
from referee.tournament.standings import Interval

LONG = 40
"""Texts with more characters than this are given room for it."""


class Bar(Struct, frozen=True, kw_only=True):
    """An interval with its middle, as shares of the width of a bar in percent."""

    low: float
    middle: float
    high: float

    @property
    def width(self) -> float:
        """How wide the interval is; one without any width is shown, too."""
        return max(round(self.high - self.low, 1), 0.5)


class Col(Struct, frozen=True, kw_only=True):
    """A column of a table of a page."""

    title: str
    unseen: str = ""
    """A text for screen readers after the title: what a number stands for."""
    cells: Sequence[str]
    """Texts, in which names may be marked."""
    is_text: bool = False
    """Texts stand on the left, figures on the right."""
    is_head: bool = False
    """Whether its cells say what their rows are about. One column of a table does."""
    is_minor: bool = False
    """Whether a phone has no room for it."""
    bars: Sequence[Bar | None] = ()
    """For each cell a bar below its text, or None."""
    is_drawn: bool = False
    """Whether the bars say all that the texts do, which are then for page readers."""
    tints: Sequence[int | None] = ()
    """For each cell how strong the tint behind it is, from 0 to 10, or None."""
    strips: Sequence[Sequence[int]] = ()
    """For each cell a row of columns with these heights, from 0 to 10."""
    hrefs: Sequence[str] = ()
    """For each cell where it leads from the site's root; empty where it leads nowhere."""

    @property
    def is_long(self) -> bool:
        """Whether some of its texts are sentences rather than words."""
        return self.is_text and any(len(cell) > LONG for cell in self.cells)


class Table(Struct, frozen=True, kw_only=True):
    """A table of a page."""

    id: str
    caption: str
    cols: tuple[Col, ...]
    groups: tuple[int, ...] = ()
    """How many rows belong together, from the first on. Empty where all do."""
    note: str = ""
    """A sentence below it."""
    is_wide: bool = False
    """Whether it takes the whole width."""

    @property
    def parts(self) -> list[range]:
        """The numbers of the rows of each group."""
        rows = len(self.cols[0].cells)
        starts = [sum(self.groups[:place]) for place in range(len(self.groups))] or [0]
        return [range(start, end) for start, end in zip(starts, [*starts[1:], rows], strict=True)]


def cols_of(columns: Sequence[Column[R]], rows: Sequence[R], head: str) -> tuple[Col, ...]:
    """The columns of a table for a terminal; the one with the title `head` heads the rows."""
    return tuple(
        Col(
            title=" ".join(one.title.split()),
            cells=[one.cell(row) for row in rows],
            is_text=one.is_text,
            is_head=one.title == head,
        )
        for one in with_content(columns, rows)
    )


def with_bars(cols: Sequence[Col], title: str, bars: Sequence[Bar | None]) -> tuple[Col, ...]:
    """The columns, with these bars in the one with this title."""
    return tuple(replace(col, bars=bars) if col.title == title else col for col in cols)


def bar(middle: float | None, interval: Interval | None, least: float = 0.0, most: float = 1.0) -> Bar | None:
    """A figure with its interval on a scale from `least` to `most`; None where there is no figure."""
    if middle is None or most <= least:
        return None
    low, high = interval or (middle, middle)
    low, at, high = (round(100 * min(max((one - least) / (most - least), 0), 1), 1) for one in (low, middle, high))
    return Bar(low=low, middle=at, high=high)


def tint(share: float | None) -> int | None:
    """How strong the tint of a share from 0 to 1 is, in tenths."""
    return None if share is None else round(10 * min(max(share, 0), 1))
