"""What a build says while it runs, bounded: the beginning and the end are kept.

Nothing here knows what is built.
"""

from protocol.text import harmless, printable

FIRST_BYTES = 64 << 10
"""How much of the beginning is kept."""

LAST_BYTES = 192 << 10
"""How much of the end is kept."""

MOST_BYTES = 64 << 20
"""A build that says more than this is ended."""

SHOWN_LINES = 12
"""How many of the last lines are told where a build failed."""

SHOWN_CHARACTERS = 300
"""How much of each is told."""


class BuildLog:
    """Takes what a build says."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self.total = 0
        """Bytes so far, with those that are not kept."""

    def add(self, data: bytes) -> None:
        """Take more."""
        self.total += len(data)
        room = FIRST_BYTES - len(self._first)
        if room > 0:
            self._first += data[:room]
            data = data[room:]
        self._last += data
        if len(self._last) > 2 * LAST_BYTES:
            del self._last[:-LAST_BYTES]

    def kept(self) -> bytes:
        """What is kept, with a line between beginning and end that tells how much is not."""
        last = bytes(self._last[-LAST_BYTES:])
        left_out = self.total - len(self._first) - len(last)
        between = f"\n[golfref: {left_out} bytes are left out here]\n".encode() if left_out else b""
        return bytes(self._first) + between + last


def log_lines(log: bytes) -> list[str]:
    """The lines of a log as they can be shown: harmless for terminals, however they ended."""
    lines = log.decode("utf-8", "replace").replace("\r\n", "\n").replace("\t", "    ").split("\n")
    return [harmless(line) for line in (lines if lines[-1] else lines[:-1])]


def last_lines(log: bytes) -> tuple[str, ...]:
    """The last lines that say something, cut where they are long."""
    lines = (line.rstrip() for line in log_lines(log[-LAST_BYTES:]))
    return tuple(printable(line, SHOWN_CHARACTERS) for line in [line for line in lines if line][-SHOWN_LINES:])
