"""Columns laid out as a table that fits a width: what gives way first is left out, or the table goes on on pages.

Widths are in cells of a terminal. Names are cut here so that they stay apart.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

from protocol.text import printable

R = TypeVar("R")

GAP = 2
"""Cells between two columns."""

LONGEST = 32
"""How many cells of a name are shown at most, however wide the terminal is."""

SHORTEST = 10
"""How many cells of a name are shown at least, however narrow the terminal is."""

PART = 4
"""A name takes at most one part of so many of a terminal's width."""

TOO_LONG = 1000
"""No name that golfref takes is longer than so many characters; one in a store that was tampered with may be."""


class Column(Struct, Generic[R], frozen=True):
    """A column of a table."""

    title: str
    """May have several lines."""
    cell: Callable[[R], str]
    """What stands in it of a row."""
    is_text: bool = False
    """Texts stand on the left, figures on the right."""
    gives_way: int = 0
    """Where a table is too wide, the column with the greatest number is left out first; one with 0 always stays."""
    is_optional: bool = False
    """Whether it is left out where all its cells are empty, `0` or `-`."""


class Fitted(Struct, frozen=True, kw_only=True):
    """A table that fits, and what was left out for that."""

    text: str
    left_out: tuple[str, ...] = ()
    """The titles of the columns that found no room."""


class _Filled(NamedTuple):
    """A column with its cells."""

    column: Column[Any]
    cells: Sequence[str]
    width: int


def with_content(columns: Iterable[Column[R]], rows: Sequence[R]) -> list[Column[R]]:
    """The columns without the optional ones that have nothing in them."""
    return [one for one in columns if not one.is_optional or any(one.cell(row) not in {"", "0", "-"} for row in rows)]


def fitted(columns: Sequence[Column[R]], rows: Sequence[R], width: int) -> Fitted:
    """A table of these rows of at most `width` cells, without the columns that gave way."""
    every = _filled(columns, rows)
    kept = list(every)
    while _width(kept) > width and any(one.column.gives_way for one in kept):
        kept.remove(max(kept, key=lambda one: one.column.gives_way))
    left_out = tuple(" ".join(one.column.title.split()) for one in every if one not in kept)
    return Fitted(text=_table(kept), left_out=left_out)


def pages(fixed: Sequence[Column[R]], columns: Sequence[Column[R]], rows: Sequence[R], width: int) -> list[str]:
    """The rows as tables of at most `width` cells, each of which begins with the fixed columns.

    Pages are about equally wide, so that none has a single column where the others have many.
    """
    begin, others = _filled(fixed, rows), _filled(columns, rows)
    even = -(-len(others) // len(_parted(begin, others, width, most=len(others))))
    return [_table([*begin, *part]) for part in _parted(begin, others, width, most=even)]


def _filled(columns: Iterable[Column[R]], rows: Sequence[R]) -> list[_Filled]:
    found = []
    for column in with_content(columns, rows):
        shown = [column.cell(row) for row in rows]
        found.append(_Filled(column, shown, max(map(cells, [*column.title.splitlines(), *shown]), default=0)))
    return found


def _width(columns: Sequence[_Filled]) -> int:
    return sum(one.width for one in columns) + GAP * (len(columns) - 1)


def _parted(fixed: Sequence[_Filled], columns: Sequence[_Filled], width: int, *, most: int) -> list[list[_Filled]]:
    """The columns of each page, as many as fit, but no more than so many."""
    some: list[list[_Filled]] = [[]]
    for column in columns:
        if some[-1] and (len(some[-1]) == most or _width([*fixed, *some[-1], column]) > width):
            some.append([])
        some[-1].append(column)
    return some


def _table(columns: Sequence[_Filled]) -> str:
    titles = [one.column.title.splitlines() or [""] for one in columns]
    height = max(map(len, titles))
    above = [[""] * (height - len(lines)) + lines for lines in titles]
    rule = ["-" * one.width for one in columns]
    rows = [*zip(*above, strict=True), rule, *zip(*(one.cells for one in columns), strict=True)]
    return "\n".join(_line(columns, row) for row in rows)


def _line(columns: Sequence[_Filled], row: Sequence[str]) -> str:
    """A row of the table; wide and combining characters stand where the terminal shows them."""
    padded = []
    for one, text in zip(columns, row, strict=True):
        blanks = " " * (one.width - cells(text))
        padded.append(text + blanks if one.column.is_text else blanks + text)
    return (" " * GAP).join(padded).rstrip()


# Sentences and names


def broken(title: str, width: int) -> str:
    """A title as lines of at most `width` cells, broken at blanks and hyphens where there are any."""
    from wcwidth import wrap  # noqa: PLC0415 - a table that fits does not wait for it

    return "\n".join(wrap(title, width))


def wrapped(text: str, width: int) -> str:
    """A sentence as lines of at most `width` cells, broken at blanks."""
    from wcwidth import wrap  # noqa: PLC0415 - as above

    return "\n".join(wrap(text, width, break_on_hyphens=False))


def cells(text: str) -> int:
    """How many cells of a terminal a printable text takes: wide characters take two, combining ones none."""
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import wcswidth  # noqa: PLC0415 - few names need it, and it takes a while

    return max(0, wcswidth(text))


def shortened(text: str, width: int) -> str:
    """The text, safe to show; where it takes more than `width` cells, an ellipsis stands for what is in its middle."""
    shown = printable(text, TOO_LONG)
    total = cells(shown)
    if total <= width:
        return shown
    from wcwidth import clip  # noqa: PLC0415 - as above

    tail = (width - 1) // 2
    return clip(shown, 0, width - 1 - tail, fillchar="") + "…" + clip(shown, total - tail, total, fillchar="")


class Names:
    """How bots and games are called on a screen. Names that would look alike after they were cut get a number."""

    def __init__(self, names: Iterable[str], width: int) -> None:
        """`width` is that of the screen, in cells."""
        self.all = tuple(dict.fromkeys(names))
        self.limit = min(LONGEST, max(SHORTEST, width // PART))
        self._shown = {name: shortened(name, self.limit) for name in self.all}
        alike = Counter(self._shown.values())
        numbers: Counter[str] = Counter()
        for name, shown in list(self._shown.items()):
            if alike[shown] > 1:
                numbers[shown] += 1
                number = f"~{numbers[shown]}"
                self._shown[name] = shortened(name, self.limit - len(number)) + number

    def __call__(self, name: str) -> str:
        """The name as it is shown."""
        return self._shown.get(name) or shortened(name, self.limit)
