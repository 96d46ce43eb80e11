"""What one viewer knows of a table: a seat, the public, or somebody who sees all cards. follower.py keeps it."""

from collections.abc import Mapping

from msgspec import Struct

from protocol.actions import Target
from protocol.cards import Card

OPEN = -1
"""The viewer who sees all cards. Seats are 0 and up, and None is the public."""

Viewer = int | None


class Placed(Struct, frozen=True):
    """A card in a slot. The same card has the same number wherever it lies."""

    number: int
    up: bool


Layout = tuple[Placed | None, ...]
"""A seat's slots in their numbering; None is an empty slot."""


class Hand(Struct, frozen=True, kw_only=True):
    """What a seat has drawn and not placed yet: the numbers of its cards."""

    seat: int
    cards: tuple[int, ...]


class View(Struct, frozen=True, kw_only=True):
    """The table after an event, as the viewer may know it. Tuples are by seat."""

    seats: int
    rows: int
    """The rows of a layout as it is dealt."""
    columns: int
    round: int = 0
    """From 1; 0 before the first deal."""
    playoff: bool = False
    dealer: int = 0
    turn: int | None = None
    """Whose turn it is, as far as that has been told."""
    stock: int = 0
    pile: tuple[Card, ...] = ()
    """The top card is the last one."""
    layouts: tuple[Layout, ...] = ()
    known: Mapping[int, Card] = {}
    """The cards that the viewer has been told, by number, also where they lie face down."""
    hand: Hand | None = None
    shields: tuple[tuple[Card, ...], ...] = ()
    strokes: tuple[frozenset[int], ...] = ()
    """Par golf: the rows that are taken as strokes."""
    knocker: int | None = None
    """Who has knocked, ended the hole or finished first."""
    totals: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    """Those of the round, once it is over."""
    forfeited: frozenset[int] = frozenset()

    def slots(self) -> list[Target]:
        """All cards on the table as seat and slot."""
        return [
            (seat, slot) for seat, layout in enumerate(self.layouts) for slot, placed in enumerate(layout) if placed
        ]

    def place(self, slot: int) -> tuple[int, int]:
        """The row and the column of a slot."""
        return place(self.rows, self.columns, slot)

    def slot_at(self, row: int, column: int) -> int:
        """The slot of a row and a column."""
        if column < self.columns:
            return row * self.columns + column
        return self.rows * column + row


def place(rows: int, columns: int, slot: int) -> tuple[int, int]:
    """The row and the column of a slot. What was added to a layout opens new columns (README section 7)."""
    dealt = rows * columns
    if slot < dealt:
        return slot // columns, slot % columns
    return (slot - dealt) % rows, columns + (slot - dealt) // rows
