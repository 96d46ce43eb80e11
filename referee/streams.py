"""The standard streams of a command: whatever it writes, and whatever became of its terminal, they do not end it."""

import codecs
import contextlib
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_REPLACING = "golfref-signs"
"""The error handler that replaces the characters which an encoding lacks."""

_SIGNS = {
    "≥": ">=",
    "≤": "<=",
    "±": "+-",
    "→": "->",
    "…": "...",
    "—": "-",
    "·": ".",
    "•": "*",
    "─": "-",
    "│": "|",
}


def set_up_streams() -> None:
    """Let stdin, stdout and stderr be there, and let stdout and stderr take any text, also where a terminal is closed.

    Where the encoding is not UTF-8, signs that it lacks are written otherwise (>= for ≥), and others as Python's stderr
    does (`\\u2660`).
    """
    codecs.register_error(_REPLACING, _replaced)
    _open_what_is_closed()
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream.isatty():
            file = io.BufferedWriter(_Terminal(stream.fileno(), "w", closefd=False))
            stream = io.TextIOWrapper(file, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        if not writes_utf8(stream):
            stream.reconfigure(errors=_REPLACING)


def writes_utf8(stream: TextIO) -> bool:
    """Whether the stream writes UTF-8."""
    return codecs.lookup(stream.encoding or "ascii").name == "utf-8"


class _Terminal(io.FileIO):
    """A terminal that becomes /dev/null when it is closed."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write it, or drop it where the terminal is closed."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.fileno())
            os.close(null)
            return super().write(data)


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    error.end = error.start + 1
    sign = _SIGNS.get(error.object[error.start])
    return codecs.backslashreplace_errors(error) if sign is None else (sign, error.end)


def _open_what_is_closed() -> None:
    """Let stdin, stdout and stderr be /dev/null where they are closed.

    The next file that is opened would take the place of one, and Python has None for its stream.
    """
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        with contextlib.suppress(OSError):
            os.fstat(fd)
            continue
        os.open(os.devnull, os.O_RDWR)
        # Like Python's own stderr it takes any text; a name may have what no encoding has.
        stream = os.fdopen(fd, "w" if fd else "r", encoding="utf-8", errors="backslashreplace", closefd=False)
        setattr(sys, name, stream)
