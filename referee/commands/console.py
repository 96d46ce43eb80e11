"""What all commands share: data go to stdout, words for people to stderr."""

import contextlib
import errno
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from protocol.text import harmless
from referee.errors import HOST_FAILED, CommandError
from referee.streams import writes_utf8

PLAIN_WIDTH = 80
"""How many cells wide tables are where stdout is no terminal and COLUMNS is not set."""

LEAST_WIDTH = 40
"""How many cells wide tables may always be, however narrow the terminal is."""


def screen_width() -> int:
    """How many cells wide tables may be: COLUMNS in the environment, the width of the terminal, or PLAIN_WIDTH."""
    return max(LEAST_WIDTH, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns)


class _Words:
    """Where lines for people go."""

    listener: Callable[[str], None] | None = None


@contextlib.contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Give every line for people to this listener, too, during the block."""
    _Words.listener = listener
    try:
        yield
    finally:
        _Words.listener = None


def say(*lines: str) -> None:
    """Write lines for the person at the keyboard (stderr). A log on a full disk loses them, and the command goes on."""
    for line in lines:
        if _Words.listener is not None:
            _Words.listener(line)
        try:
            _write(_harmless(line), sys.stderr)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise


def put(*lines: str) -> None:
    """Write lines of data (stdout). Where that fails, the command ends and says so."""
    with _writing():
        for line in lines:
            _write(_harmless(line), sys.stdout)


def _harmless(text: str) -> str:
    """The lines of this text. Nothing of a file's name in them steers a terminal."""
    return "\n".join(map(harmless, text.split("\n")))


def _write(line: str, stream: TextIO) -> None:
    """Write a line at once, with its end: a signal that comes meanwhile leaves no half of it."""
    print(f"{line}\n", end="", file=stream, flush=True)


def put_bytes(data: bytes) -> None:
    """Write data (stdout) as they are, whatever the locale is. Where that fails, the command ends and says so."""
    rest = memoryview(data)
    with _writing():
        while rest:  # without a buffer (`python -u`) a write may take a part of it
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest again as it ends
        why = f"the output cannot be written: {error.strerror}; nothing that is stored is lost"
        raise CommandError(why, HOST_FAILED) from None


def put_words(*lines: str) -> None:
    """Write sentences (stdout), broken at blanks for a terminal, and where COLUMNS says how wide they may be."""
    breaks = sys.stdout.isatty() or "COLUMNS" in os.environ
    for line in lines:
        put(*(in_lines(line, screen_width()) if breaks else [line]))


def in_lines(text: str, width: int) -> list[str]:
    """A sentence as lines of at most `width` cells; those after the first are indented more than it is."""
    from wcwidth import wrap  # noqa: PLC0415 - most commands write no sentences

    indent = len(text) - len(text.lstrip()) + 2
    return wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False) or [text]


def put_json(data: bytes) -> None:
    """Write one JSON document (stdout); where stdout is not UTF-8, in ASCII."""
    text = data.decode()
    if not writes_utf8(sys.stdout):
        text = re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text)
    with _writing():
        _write(text, sys.stdout)
