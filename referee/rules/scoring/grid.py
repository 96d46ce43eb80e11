"""Layouts as text (RULES.md section 1): `KS 5H (9D) / KD -- 9S`.

This module knows the notation, not which cards or shapes a game has.
"""

from collections.abc import Sequence

from msgspec import Struct

from protocol.cards import Card, is_card
from protocol.text import printable

EMPTY = "--"
"""An empty slot."""

UNKNOWN = "(??)"
"""A face-down card that the reader may not know; written by `format_grid`, refused by `parse_grid`."""


class Cell(Struct, frozen=True, kw_only=True):
    """A card in a grid; None is a face-down card of unknown value."""

    card: Card | None
    up: bool = True


Grid = tuple[tuple[Cell | None, ...], ...]
"""The rows, far row first; None is an empty slot. Rows may differ in length."""


class BadGrid(ValueError):
    """Text that is no layout; it says which piece is wrong, rows and cards counted from 1, and what was expected."""


def parse_grid(text: str) -> Grid:
    """The grid that `text` writes down; raises BadGrid."""
    return tuple(_parse_row(row, number) for number, row in enumerate(text.split("/"), start=1))


def format_grid(grid: Sequence[Sequence[Cell | None]]) -> str:
    """The grid on one line; a face-down card of unknown value is `(??)`."""
    return " / ".join(" ".join(_format_cell(cell) for cell in row) for row in grid)


def _parse_row(text: str, number: int) -> tuple[Cell | None, ...]:
    pieces = text.split()
    if not pieces:
        raise BadGrid(f"row {number} is empty; expected cards, or {EMPTY} for an empty slot")
    return tuple(_parse_cell(piece, number, place) for place, piece in enumerate(pieces, start=1))


def _parse_cell(piece: str, row: int, place: int) -> Cell | None:
    if piece == EMPTY:
        return None
    down = piece.startswith("(") and piece.endswith(")")
    card = piece[1:-1] if down else piece
    if not is_card(card):
        raise BadGrid(
            f"row {row}, card {place}: `{printable(piece, 20)}` is no card; "
            f"expected a code like 10H or X1, (10H) for a face-down card, {EMPTY} for an empty slot"
        )
    return Cell(card=card, up=not down)


def _format_cell(cell: Cell | None) -> str:
    if cell is None:
        return EMPTY
    if cell.card is None:
        return UNKNOWN
    return cell.card if cell.up else f"({cell.card})"
