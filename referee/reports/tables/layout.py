"""Columns laid out as a table that fits a width: what gives way first is left out, or the table goes on on pages."""

from collections.abc import Sequence

from msgspec import Struct

from referee.reports.tables.names import cells

GAP = 2
"""Cells between two columns."""


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table."""

    title: str
    """May have several lines."""
    cells: Sequence[str]
    is_text: bool = False
    """Texts stand on the left, figures on the right."""
    gives_way: int = 0
    """Where a table is too wide, the column with the greatest number is left out first; one with 0 always stays."""

    @property
    def width(self) -> int:
        """How many cells of the terminal it takes."""
        return max(map(cells, [*self.title.splitlines(), *self.cells]), default=0)


class Fitted(Struct, frozen=True, kw_only=True):
    """A table that fits, and what was left out for that."""

    text: str
    left_out: tuple[str, ...] = ()
    """The titles of the columns that found no room."""
    full_width: int = 0
    """How many cells it would take with all of its columns."""


def width_of(columns: Sequence[Column]) -> int:
    """How many cells a table of these columns takes."""
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def table(columns: Sequence[Column]) -> str:
    """The columns as a table, however wide it is."""
    titles = [column.title.splitlines() or [""] for column in columns]
    height = max(map(len, titles))
    above = [[""] * (height - len(lines)) + lines for lines in titles]
    rule = ["-" * column.width for column in columns]
    rows = [*zip(*above, strict=True), rule, *zip(*(column.cells for column in columns), strict=True)]
    return "\n".join(_line(columns, row) for row in rows)


def _line(columns: Sequence[Column], row: Sequence[str]) -> str:
    """A row of the table; wide and combining characters stand where the terminal shows them."""
    padded = []
    for column, text in zip(columns, row, strict=True):
        blanks = " " * (column.width - cells(text))
        padded.append(text + blanks if column.is_text else blanks + text)
    return (" " * GAP).join(padded).rstrip()


def fitted(columns: Sequence[Column], width: int) -> Fitted:
    """The columns as a table of at most `width` cells, without those that gave way."""
    kept = list(columns)
    while width_of(kept) > width and any(column.gives_way for column in kept):
        kept.remove(max(kept, key=lambda column: column.gives_way))
    left_out = tuple(_one_line(column.title) for column in columns if column not in kept)
    return Fitted(text=table(kept), left_out=left_out, full_width=width_of(columns))


def pages(fixed: Sequence[Column], columns: Sequence[Column], width: int) -> list[str]:
    """The columns as tables of at most `width` cells, each of which begins with the fixed columns.

    Pages are about equally wide, so that none has a single column where the others have many.
    """
    even = -(-len(columns) // len(_parted(fixed, columns, width, most=len(columns))))
    return [table([*fixed, *part]) for part in _parted(fixed, columns, width, most=even)]


def _parted(fixed: Sequence[Column], columns: Sequence[Column], width: int, *, most: int) -> list[list[Column]]:
    """The columns of each page, as many as fit, but no more than so many."""
    some: list[list[Column]] = [[]]
    for column in columns:
        if some[-1] and (len(some[-1]) == most or width_of([*fixed, *some[-1], column]) > width):
            some.append([])
        some[-1].append(column)
    return some


def broken(title: str, width: int) -> str:
    """A title as lines of at most `width` cells, broken at blanks and hyphens where there are any."""
    from wcwidth import wrap  # noqa: PLC0415 - a table that fits does not wait for it

    return "\n".join(wrap(title, width))


def wrapped(text: str, width: int) -> str:
    """A sentence as lines of at most `width` cells, broken at blanks."""
    from wcwidth import wrap  # noqa: PLC0415 - as above

    return "\n".join(wrap(text, width, break_on_hyphens=False))


def wider(tables: Sequence[Fitted], width: int) -> str:
    """Where to see what was left out of some tables, in words; the empty string where nothing was."""
    left_out = dict.fromkeys(title for one in tables for title in one.left_out)
    if not left_out:
        return ""
    least = max(one.full_width for one in tables if one.left_out)
    text = f"no room for: {', '.join(left_out)} ({least} columns are needed, here are {width}; --json has all)"
    return wrapped(text, width)


def _one_line(title: str) -> str:
    return " ".join(title.split())
