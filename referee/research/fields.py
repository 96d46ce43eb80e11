"""What stands in the tensor of a game: its fields, and the kinds of card that the game tells apart.

README.md in this folder explains the numbers of a slot. What fills the fields is in tensors.py.
"""

from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np
from msgspec import Struct

from protocol.cards import Card, rank
from protocol.messages import Decision
from referee.research.actions import Several, grows, window
from referee.rules.games.power_cards import POWERS, power_of
from referee.rules.variants import Variant

Tensor = np.ndarray[tuple[int], np.dtype[np.float32]]

DECISIONS: tuple[str, ...] = get_args(Decision)
KINDS: tuple[str, ...] = get_args(Several)
POWER_NAMES = (*POWERS, "2", "Q")

SLOT = ("card", "up", "known", "age", "chosen", "aimed")
"""What a slot has before the seats that know its card and the kind of card that it is."""


class Field(Struct, frozen=True, kw_only=True):
    """A part of the tensor: its name, where it begins, its shape, and what stands in it."""

    name: str
    start: int
    shape: tuple[int, ...]
    means: str

    @property
    def stop(self) -> int:
        """Where the next field begins."""
        return self.start + int(np.prod(self.shape))

    def of(
        self, tensor: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        """Return this field of a tensor in its shape; of several tensors at once, with their axes first."""
        return tensor[..., self.start : self.stop].reshape(*tensor.shape[:-1], *self.shape)


def fields_of(variant: Variant, seats: int, kinds: int) -> tuple[Field, ...]:
    """Return the fields of a game with so many seats and kinds of card, in the order of the tensor."""
    found: list[Field] = []
    for name, shape, means in _all(variant, seats, kinds):
        found.append(Field(name=name, start=found[-1].stop if found else 0, shape=shape, means=means))
    return tuple(found)


_Named = tuple[str, tuple[int, ...], str]
"""A field's name, shape and meaning."""


def _all(variant: Variant, seats: int, kinds: int) -> Iterator[_Named]:
    yield "one", (1,), "always 1"
    yield "points", (kinds,), "what each kind of card counts, as a part of the dearest one"
    yield "decision", (len(DECISIONS),), "1 at what this seat is asked and has not answered yet"
    yield "turn", (seats,), "1 at whose turn it is"
    yield "dealer", (seats,), "1 at the dealer"
    yield "ender", (seats,), "1 at the seat that has knocked or finished"
    yield "to_come", (seats,), "in a final lap, 1 at the seats that still have a turn after this one"
    yield "round", (1,), "the number of the round, as a part of all rounds (of 9 where none are set)"
    yield "turns", (1,), "the turns of this round, as a part of the turn cap, in four-turns golf of all turns"
    yield "playoff", (1,), "1 in a playoff"
    yield "totals", (seats,), "as a part of `limit`, where none is set of 5 points for each card of all rounds"
    yield "ahead", (seats,), "how many points more than this seat it has, in tens for each card of a layout"
    yield "stock", (1,), "the cards in the stock, as a part of all cards"
    yield "pile", (1,), "the cards in the pile, as a part of all cards"
    yield "top", (kinds,), "1 at the top card of the pile"
    yield "hand_of", (seats,), "1 at the seat that has drawn a card and not placed it"
    yield "hand", (kinds,), "1 at that card, if this seat knows it"
    yield "unseen", (kinds,), "the part of the cards of each kind of which this seat does not know where they are"
    slot = ", ".join(SLOT)
    knows = "for each seat, 1 if anybody can tell that it knows the card"
    kind = "1 at the kind of the card, if this seat knows it"
    yield "layouts", (seats, window(variant), len(SLOT) + seats + kinds), f"by seat and slot: {slot}; {knows}; {kind}"
    yield from _of_some_games(variant, seats, kinds)


def _of_some_games(variant: Variant, seats: int, kinds: int) -> Iterator[_Named]:
    if grows(variant):
        yield "beyond", (seats,), "the cards in slots of other pages, as a part of a page"
    if has_steps(variant):
        yield "begun", (len(KINDS),), "1 at the kind of action that this seat has begun"
        yield "begun_seat", (seats,), "1 at the seat that it has chosen in it"
        yield "begun_axis", (1,), "1 if it has chosen columns"
        yield "begun_card", (1,), "the card that it has chosen to keep, as a part of 3"
        yield "begun_line", (1,), "the line that it has chosen first, as a part of a page"
        yield "page", (1,), "the page of slots that is open, as a part of 8"
    if variant.play == "par":
        yield "rows", (1,), "the rows of the hole, as a part of 5"
        yield "strokes", (seats, variant.rows), "by seat and row, 1 at those taken as strokes"
    if variant.play == "powers":
        yield "extra", (2, kinds), "1 at each card that this seat has drawn by an 8 and not placed"
        yield "power", (len(POWER_NAMES),), "1 at the power announced last in this turn"
        yield "shields", (seats,), "how many shields, the part of one that is left included, as a part of 4"
    if variant.play == "two_deck":
        yield "latest_row", (seats, variant.rows), "by seat, 1 at the row in which it placed or turned a card last"


def has_steps(variant: Variant) -> bool:
    """Return whether some action of the game takes several steps, or slots have pages."""
    powers = variant.play == "cambio" and bool(variant.options.cambio_powers)
    return grows(variant) or powers or (variant.play == "par" and variant.options.arrange == "after_look")


def kinds_of_cards(variant: Variant, cards: Sequence[Card]) -> dict[Card, int]:
    """Return for each card of the pack the number of its kind: numbers rise in the order of the pack.

    Cards of a kind have the same rank and points, in Powers the same power, and are wild or not.
    """
    numbers: dict[object, int] = {}
    found = {}
    for card in cards:
        wild = variant.options.one_eyed_wild and card in ("JS", "JH")
        power = power_of(card) if variant.play == "powers" else ""
        kind = rank(card), variant.worth[card], power, wild
        found[card] = numbers.setdefault(kind, len(numbers))
    return found
