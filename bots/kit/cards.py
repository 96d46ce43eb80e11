"""Cards: how a code reads, what a card counts, and which cards a match is played with.

A card code is rank and suit (`10H`, `KS`); jokers are `X1`, `X2` and so on. This module knows nothing of tables.
"""

from functools import cache
from typing import Any

UNKNOWN = "?"
"""A card of which this seat knows nothing."""

CHOSEN = "!"
"""A card that this seat has not seen either, but which its owner drew, saw and kept: it is lower than most."""

Layout = list[Any]
"""The cards of a seat by slot: a card code, UNKNOWN, CHOSEN, or None where the slot is empty."""

Target = tuple[int, int]
"""A place on the table: seat and slot. In messages it is an array of two."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
"""The ranks of an ordinary pack, the lowest first."""

SUITS = "SHDC"
"""The suits of an ordinary pack."""

MORE_SUITS = "EFGIJKLMNOPQRTUVWYZ"
"""The suits that Cactus adds for more than five seats, in their order."""

JOKER = "X"
"""The rank of every joker."""


@cache
def rank(card: str) -> str:
    """The rank of a card code: `10` of `10H`, and `X` of every joker."""
    return JOKER if card[0] == JOKER else card[:-1]


def is_known(card: Any) -> bool:
    """Whether a slot that holds this holds a card that this seat knows: neither None nor a mark, which is no letter."""
    return card is not None and card[0].isalnum()


def points_of(card: str, values: dict[str, int]) -> int:
    """What a card counts by itself; `values` are those of the `match` message, by rank or by card."""
    return values[card] if card in values else values[rank(card)]


def pack_of(match: dict[str, Any]) -> list[str]:
    """Every card that this match is played with, as its `match` message tells; two packs hold each card twice.

    Ranks come in the order of `values`, the jokers come last.
    """
    ranks = [key for key in match["values"] if key in {"0", "1", *RANKS}]
    if match["variant"] == "cactus":
        suits, packs, jokers = (SUITS + MORE_SUITS)[: match["cards"] // len(ranks)], 1, 0
    else:
        jokers = match["options"].get("jokers", 0)
        suits, packs = SUITS, match["cards"] // (52 + jokers)
    cards = [card + suit for card in ranks for suit in suits]
    return cards * packs + [f"{JOKER}{number + 1}" for number in range(jokers * packs)]
