"""Chance outcomes for games that are played by the million: seeded as a deal key is, and many times as fast.

No referee deals from here: what a tournament dealt can be dealt again from its keys alone (rules/keyed_streams.py).
"""

from hashlib import shake_128

import numpy as np

from protocol.cards import Card
from referee.rules.chance import Chance
from referee.rules.variants import Variant, deck

Pack = np.ndarray[tuple[int], np.dtype[np.object_]]

_WORD_BYTES = 8


def pack_of(variant: Variant, seats: int) -> Pack:
    """Return the unshuffled pack (variant.deck) as `Seeded` takes it."""
    return np.array(deck(variant, seats), np.object_)


class Seeded(Chance):
    """Chance outcomes from a seed of any length, the same on every machine; a `Keyed` with this seed deals others.

    What is shuffled is sorted by 64-bit words, little-endian, that SHAKE-128 makes of the seed, a zero byte and the
    purpose (`deck/1`), named as in protocol/README.md section 9. That two words are equal, and then leave the order to
    chance, is not to be expected in 10**14 shuffles. Nothing is drawn that a later outcome depends on: clones of a game
    can share their source.
    """

    def __init__(self, seed: bytes, pack: Pack, seats: int) -> None:
        """Shuffle this pack for so many seats."""
        self._seed = seed + b"\0"
        self._pack = pack
        self._seats = seats

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the pack, shuffled for this round."""
        order = self._order(f"deck/{number}", len(self._pack))
        return tuple(self._pack[order].tolist())

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the pile, shuffled."""
        order = self._order(f"reshuffle/{number}/{count}", len(cards))
        return tuple([cards[place] for place in order.tolist()])

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the cards of a set, shuffled."""
        order = self._order(f"shuffle/{number}/{count}", len(cards))
        return tuple([cards[place] for place in order.tolist()])

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return the seats in the order drawn for a slap window."""
        return tuple(self._order(f"lots/{number}/{window}", self._seats).tolist())

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        """Return the seats in the order in which a timed window would ask them."""
        return tuple(self._order(f"asking/{number}/{window}", self._seats).tolist())

    def _order(self, purpose: str, count: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Return the numbers from 0 to `count` - 1 in a new order."""
        words = shake_128(self._seed + purpose.encode()).digest(count * _WORD_BYTES)
        return np.frombuffer(words, "<u8").argsort()
