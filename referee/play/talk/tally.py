"""Counts and hashes the bytes that went one way, for the record."""

from hashlib import sha256


class Tally:
    """How many bytes there were, and their SHA-256."""

    def __init__(self) -> None:
        self._hash = sha256()
        self.bytes = 0
        """How many bytes there were."""

    def add(self, data: bytes) -> None:
        """Count and hash further bytes."""
        self._hash.update(data)
        self.bytes += len(data)

    def hexdigest(self) -> str:
        """The SHA-256 of all bytes, in hex."""
        return self._hash.hexdigest()

    def copy(self) -> "Tally":
        """Return an independent tally that stands as this one does."""
        tally = Tally()
        tally._hash, tally.bytes = self._hash.copy(), self.bytes
        return tally
