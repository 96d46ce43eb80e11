"""Counts and hashes the bytes that went one way, for the record."""

from hashlib import sha256

TOGETHER = 4096
"""So many bytes, at least, are hashed at once: a line alone costs three times as much."""


class Tally:
    """How many bytes there were, and their SHA-256."""

    def __init__(self) -> None:
        self._hash = sha256()
        self._hashed = 0
        self._rest = bytearray()

    def add(self, data: bytes) -> None:
        """Count and hash further bytes."""
        self._rest += data
        if len(self._rest) >= TOGETHER:
            self._hash_rest()

    @property
    def bytes(self) -> int:
        """How many bytes there were."""
        return self._hashed + len(self._rest)

    def hexdigest(self) -> str:
        """The SHA-256 of all bytes, in hex."""
        self._hash_rest()
        return self._hash.hexdigest()

    def copy(self) -> "Tally":
        """Return an independent tally that stands as this one does."""
        tally = Tally()
        tally._hash, tally._hashed, tally._rest = self._hash.copy(), self._hashed, self._rest.copy()
        return tally

    def _hash_rest(self) -> None:
        self._hash.update(self._rest)
        self._hashed += len(self._rest)
        self._rest.clear()
