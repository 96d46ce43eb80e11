"""How far the hooks of a run have come: a small file beside its store, so that a run that goes on tells them the rest.

The process that runs hooks writes it after each of them, and the next one begins there.
"""

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.competition.happenings import Fault, Happening, Match, Void

_SIZE = 300
"""The file has always so many bytes, so that one write puts all of a new text in place of the old one."""


class Cursor(Struct, frozen=True, kw_only=True):
    """What the hooks of a run have been told of."""

    commitment: str
    """Of which run."""
    commit: int = 0
    """Of all matches that were committed before this one, by its id, and of `lines` lines about it."""
    lines: int = 0
    void: int = 0
    """Of all voids up to this one, by its id."""

    def after(self, happening: Happening) -> "Cursor":
        """With this happening told as well: the next line of its match, or the next void."""
        match happening:
            case Match(commit=commit) | Fault(commit=commit):
                lines = self.lines + 1 if commit == self.commit else 1
                return msgspec.structs.replace(self, commit=commit, lines=lines)
            case Void(void=void):
                return msgspec.structs.replace(self, void=void)
            case _:
                return self


def cursor_file(store: Path) -> Path:
    """The file beside this store."""
    return Path(f"{store}.hooks")


def read_cursor(store: Path) -> Cursor | None:
    """What the file says; None where there is none, or it says nothing."""
    try:
        return msgspec.json.decode(cursor_file(store).read_bytes(), type=Cursor)
    except (OSError, msgspec.MsgspecError):
        return None


def write_cursor(store: Path, cursor: Cursor) -> None:
    """Put this in place of what the file says. Raises OSError."""
    fd = os.open(cursor_file(store), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(fd, msgspec.json.encode(cursor).ljust(_SIZE), 0)
    finally:
        os.close(fd)
