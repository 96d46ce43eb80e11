"""What the book holds in a slot, and what can be read off a card's code."""

from typing import Any

UNKNOWN = "?"
"""A card of which nothing is known."""

CHOSEN = "!"
"""An unknown card that its owner drew and kept, so probably a low one."""

Layout = list[Any]
"""By slot: a card code, UNKNOWN, CHOSEN, or None where the slot is empty."""

Target = tuple[int, int]
"""A place on the table: seat and slot."""


def rank(card: str) -> str:
    return "X" if card[0] == "X" else card[:-1]


def is_known(card: Any) -> bool:
    return card is not None and card[0] not in "?!="
