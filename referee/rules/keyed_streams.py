"""Keyed random streams: the only randomness that the rules have. This module must not know what a stream is used for.

Anyone can re-derive a stream in any language. Digest i (i = 0, 1, ...) of the stream of a key and a purpose is
HMAC-SHA-256 under the key over: the purpose in UTF-8, one zero byte, i as eight bytes big-endian. Each digest gives
eight 32-bit words, big-endian, in order; the words of all digests follow one another.
"""

import hmac
from collections.abc import Iterable, Iterator
from hashlib import sha256
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

_WORDS = Struct(">8I")
_WORD_VALUES = 2**32


class Stream:
    """The stream of one key and one purpose, read once from its start."""

    def __init__(self, key: bytes, purpose: str) -> None:
        self._words = _words(key, purpose.encode() + b"\0")

    def below(self, n: int) -> int:
        """Return an unbiased integer from 0 to n - 1: the first word w below floor(2**32 / n) * n gives w mod n.

        It takes a word even when n is 1. Raises ValueError unless 1 <= n <= 2**32.
        """
        if not 1 <= n <= _WORD_VALUES:
            raise ValueError(f"expected n from 1 to 2**32, got {n}")
        accepted = _WORD_VALUES - _WORD_VALUES % n
        word = next(self._words)
        while word >= accepted:
            word = next(self._words)
        return word % n

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return the items in a new order (Fisher-Yates): for i from the last down to 1, swap i and below(i + 1)."""
        order, words = list(items), self._words
        for n in range(len(order), 1, -1):
            word = next(words)  # as `below` does, written out: this is most of what a deal costs
            while word >= _WORD_VALUES - _WORD_VALUES % n:
                word = next(words)
            j = word % n
            order[n - 1], order[j] = order[j], order[n - 1]
        return order

    def bits53(self) -> int:
        """Return an integer from 0 to 2**53 - 1: 32 bits of the first word above the upper 21 bits of the next."""
        return next(self._words) << 21 | next(self._words) >> 11


def seed_key(seed: str) -> bytes:
    """Return the key of a seed text, 32 bytes: SHA-256 of `golfref/seed`, a zero byte, the seed in UTF-8."""
    return sha256(b"golfref/seed\0" + seed.encode()).digest()


def bot_seed(deal_key: bytes, rotation: int, seat: int) -> int:
    """Return the seed for the bot at a seat: bits53 of the stream `bot/ROTATION/SEAT`, both from 0."""
    return Stream(deal_key, f"bot/{rotation}/{seat}").bits53()


def _words(key: bytes, prefix: bytes) -> Iterator[int]:
    number = 0
    while True:
        yield from _WORDS.unpack(hmac.digest(key, prefix + number.to_bytes(8, "big"), "sha256"))
        number += 1
