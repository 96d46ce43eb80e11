"""Chance outcomes for games that are played by the million: seeded as a deal key is, and several times as fast.

No referee deals from here: what a tournament dealt can be dealt again from its keys alone (rules/table/streams.py).
"""

from collections.abc import Sequence
from hashlib import shake_128
from struct import unpack
from typing import TypeVar

from protocol.cards import Card
from referee.rules.table.chance import Chance

T = TypeVar("T")

_WORD_BYTES = 8


class Seeded(Chance):
    """Chance outcomes from a seed of any length, the same on every machine; a `Keyed` with this seed deals others.

    The items of a shuffle are sorted by 64-bit words, little-endian, that SHAKE-128 makes of the seed, a zero byte and
    the purpose (`deck/1`), named as in protocol/README.md section 9. Nothing is drawn that a later outcome depends on:
    clones of a game can share their source.
    """

    def __init__(self, seed: bytes, pack: tuple[Card, ...], seats: int) -> None:
        """Shuffle this pack (variant.deck) for so many seats."""
        self._seed = seed + b"\0"
        self._pack = pack
        self._seats = seats

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the pack, shuffled for this round."""
        return tuple(self._shuffled(f"deck/{number}", self._pack))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the pile, shuffled."""
        return tuple(self._shuffled(f"reshuffle/{number}/{count}", cards))

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the cards of a set, shuffled."""
        return tuple(self._shuffled(f"shuffle/{number}/{count}", cards))

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return the seats in the order drawn for a slap window."""
        return tuple(self._shuffled(f"lots/{number}/{window}", range(self._seats)))

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        """Return the seats in the order in which a timed window would ask them."""
        return tuple(self._shuffled(f"asking/{number}/{window}", range(self._seats)))

    def _shuffled(self, purpose: str, items: Sequence[T]) -> list[T]:
        """Return the items in a new order. Two words are equal in less than one of 10**14 shuffles of six packs."""
        count = len(items)
        words = shake_128(self._seed + purpose.encode()).digest(count * _WORD_BYTES)
        draw = iter(unpack(f"<{count}Q", words)).__next__
        return sorted(items, key=lambda _: draw())
