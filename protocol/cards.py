"""Card codes: rank + suit (`10H`, `KS`, `0E`), jokers `X1`, `X2`, ... (RULES.md section 1).

This module knows how a card is written, not what it is worth or how a game uses it.
"""

from functools import cache
from string import ascii_uppercase

Card = str
"""A card code. Two packs hold equal codes; nothing tells their cards apart."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
"""The ranks of a 52-card pack, in the order of the keyed shuffle's unshuffled pack."""

CACTUS_RANKS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q")
"""The ranks of the Cactus pack (CAC-02)."""

SUITS = ("S", "H", "D", "C")
"""The four suits of a pack."""

EXTRA_SUITS = tuple(letter for letter in ascii_uppercase[ascii_uppercase.index("E") :] if letter not in "HSX")
"""Suits that Cactus adds beyond the fourth (CAC-04), in their order; no letter is used twice."""

JOKER = "X"
"""The rank of every joker."""


@cache
def rank(card: Card) -> str:
    """The rank of a card code: `10` for `10H`, `X` for any joker."""
    return JOKER if card[0] == JOKER else card[:-1]


@cache
def suit(card: Card) -> str:
    """The suit letter of a card code; the empty string for a joker."""
    return "" if card[0] == JOKER else card[-1]


@cache
def is_card(text: str) -> bool:
    """Whether `text` is a well-formed card code of any pack."""
    if text[:1] == JOKER:
        return text[1:].isascii() and text[1:].isdigit() and text[1] != "0"
    ranks = {*RANKS, *CACTUS_RANKS}
    return text[:-1] in ranks and text[-1:] in {*SUITS, *EXTRA_SUITS}
