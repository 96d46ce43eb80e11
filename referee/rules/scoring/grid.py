"""Layouts as text (RULES.md section 1): `KS 5H (9D) / KD -- 9S`.

This module knows the notation. It must not know which cards or shapes a game has.
"""

from protocol.cards import Card, is_card
from protocol.text import printable
from referee.errors import GolfrefError

EMPTY = "--"
"""An empty slot."""

Grid = tuple[tuple[Card | None, ...], ...]
"""The rows of cards, the far row first; None is an empty slot. Rows may differ in length."""


class BadGrid(GolfrefError, ValueError):
    """Text that is no layout; it says which piece is wrong, rows and cards counted from 1, and what was expected."""


def parse_grid(text: str) -> Grid:
    """Return the grid that `text` writes down; cards in brackets lie face down and count alike. Raises BadGrid."""
    return tuple(_parse_row(row, number) for number, row in enumerate(text.split("/"), start=1))


def _parse_row(text: str, number: int) -> tuple[Card | None, ...]:
    pieces = text.split()
    if not pieces:
        raise BadGrid(f"row {number} is empty; expected cards, or {EMPTY} for an empty slot")
    return tuple(_parse_card(piece, number, place) for place, piece in enumerate(pieces, start=1))


def _parse_card(piece: str, row: int, place: int) -> Card | None:
    if piece == EMPTY:
        return None
    down = piece.startswith("(") and piece.endswith(")")
    card = piece[1:-1] if down else piece
    if not is_card(card):
        raise BadGrid(
            f"row {row}, card {place}: `{printable(piece, 20)}` is no card; "
            f"expected a code like 10H or X1, (10H) for a face-down card, {EMPTY} for an empty slot"
        )
    return card
