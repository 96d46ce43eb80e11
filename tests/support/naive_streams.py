"""The keyed streams of protocol/README.md section 9 once more, straight from its words."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def digest(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def words(key: bytes, purpose: str) -> Iterator[int]:
    """The 32-bit words of a stream."""
    number = 0
    while True:
        block = digest(key, purpose.encode("utf-8") + b"\0" + number.to_bytes(8, "big"))
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        number += 1


def below(stream: Iterator[int], n: int) -> int:
    while (word := next(stream)) >= 2**32 // n * n:
        pass
    return word % n


def shuffled(stream: Iterator[int], items: Sequence[T]) -> list[T]:
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        j = below(stream, i + 1)
        order[i], order[j] = order[j], order[i]
    return order
