"""A TOML file as its writer has it: its text, its tables, and its problems as lines for people.

Nothing of such a file reaches a terminal as a control or bidi character, or as a line without end.
"""

import os
import re
import stat
import tomllib
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from protocol.text import printable
from referee.errors import GolfrefError
from referee.toml.reader import KeyPath, Problem

LONGEST_LINE = 2000
"""How many characters the line that tells a problem has at most."""

MOST_DOTS = 200
"""How many dots a line of a stranger's text may have. A key of 31,000 names took the parser 26 s, and it takes time
with their square."""


class BadDocument(GolfrefError, ValueError):
    """What is wrong with a file. `lines` holds every problem with its place, in the order of the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))

    @property
    def printed(self) -> tuple[str, ...]:
        """The lines, each of which begins with its place."""
        return tuple(printable(line, LONGEST_LINE) for line in self.lines)


def read_text(path: str | Path, *, most_bytes: int | None = None) -> str:
    """The text of a file. With `most_bytes` it must be a plain file that is no longer. Raises BadDocument."""
    try:
        # Where the file is a stranger's, not to wait for whoever writes into a pipe.
        waits = os.O_NONBLOCK if most_bytes is not None else 0
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | waits), "rb") as file:
            if most_bytes is not None and not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadDocument([line_of(f"{path}: not a plain file")])
            data = file.read() if most_bytes is None else file.read(most_bytes + 1)
    except FileNotFoundError:
        raise BadDocument([line_of(f"{path}: no such file")]) from None
    except BadDocument:
        raise
    except (OSError, ValueError) as error:
        raise BadDocument([line_of(f"{path}: cannot be read: {getattr(error, 'strerror', error)}")]) from None
    if most_bytes is not None and len(data) > most_bytes:
        raise BadDocument([line_of(f"{path}: longer than {most_bytes} bytes, which is the most that it may have")])
    data = data.removeprefix(BOM_UTF8)
    if data.startswith(b"SQLite format 3\0"):
        what = "a run's store, not its config"
        raise BadDocument([line_of(f"{path}: this is {what}; `golfref standings {path}` prints what it holds")])
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()) + 1
        raise BadDocument([line_of(f"{path}:{line}:{column}: not UTF-8; save the file in this encoding")]) from None


def check_dots(path: str | Path, text: str) -> None:
    """Raises BadDocument where a text of a stranger might keep the parser busy; call it before `parsed`."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS and not line.lstrip().startswith("#"):
            what = f"more than {MOST_DOTS} dots in this line; no key has so many"
            raise BadDocument([line_of(f"{path}:{number}:1: {what}")])


def parsed(path: str | Path, text: str) -> dict[str, Any]:
    """The tables of a text. Raises BadDocument where it is not TOML."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadDocument([line_of(f"{path}: nested too deeply")]) from None
    except ValueError as error:
        what, _, where = str(error).partition(" (at ")
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        if numbers := re.match(r"line (\d+), column (\d+)", where):
            line, column = int(numbers[1]), int(numbers[2])
        raise BadDocument([line_of(f"{path}:{line}:{column}: not TOML: {what}")]) from None


def placed(path: str | Path, text: str, problems: Sequence[Problem]) -> list[str]:
    """The problems as lines for people, in the order of their places. There may be none."""
    if not problems:
        return []
    from referee.toml.positions import Position, Positions  # noqa: PLC0415 - loads tree-sitter

    places = Positions(text)
    lines: list[tuple[Position, str]] = []
    for problem in problems:
        place = places.key(problem.path) if problem.at_key else places.value(problem.path)
        first = "" if problem.first is None else f" (first in line {places.value(problem.first).line})"
        lines.append((place, line_of(f"{path}:{place.line}:{place.column}: {problem.in_words}{first}")))
    return [line for _, line in sorted(lines, key=itemgetter(0))]


def line_at(path: str | Path, key: KeyPath, text: str) -> str:
    """A problem with what a key of the file says, as a line for people."""
    (line,) = placed(path, read_text(path), [Problem(path=key, text=text)])
    return line


def line_of(text: str) -> str:
    """The line, made safe to show."""
    return printable(text, LONGEST_LINE)
