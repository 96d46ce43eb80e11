"""What is kept of the build of a version, in `build.json` beside what it made and what it said.

Nothing is built here.
"""

import contextlib
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from referee import __version__
from referee.entries.entry import Builds, Entry
from referee.entries.shelf import Shelf, write_whole
from referee.entries.versions import version_of
from referee.play.spec import BotSpec, Isolation

KEPT = "build.json"
"""The name of the file. What lies beside it is whole if the file is there and says so."""

LOG = "build.log"
"""The name of the file with what the build said."""


class Built(Struct, frozen=True, kw_only=True):
    """What came of the build of a version."""

    outcome: Literal["built", "failed"]
    problem: str = ""
    """Why it failed, in words."""
    in_cell: bool
    """Whether it was built in a cell, and so for a bot that finds itself in /bot."""
    under: str
    """What was allowed and given to it; see `conditions`. A build that failed under others is tried again."""
    golfref: str
    """The version of golfref that built it."""
    when: str
    """When it ended, in UTC as in ISO 8601."""
    seconds: float
    cpu_s: float | None = None
    """What it computed, where that is known."""
    size_bytes: int = 0
    """All files of a bot that was built, together."""
    files: int = 0
    """How many files, folders and links it has."""
    digest: str = ""
    """A hash of these files; see `digest_of`."""


def conditions(isolation: Isolation, builds: Builds) -> str:
    """A hash of all on which it depends what a build may do, with the version of golfref."""
    return sha256(msgspec.json.encode([isolation, builds, __version__], order="sorted")).hexdigest()


def last_build(shelf: Shelf, of: str) -> Built | None:
    """What came of the last build of this version. None where there was none, or it did not end."""
    with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode((shelf.place(of) / KEPT).read_bytes(), type=Built)
    return None


def digest_of(folder: Path) -> str:
    """A hash of all files of a folder, as SHA-256 in hexadecimal. What belongs to no version is left out."""
    return version_of(BotSpec(name="", command=(), dir=str(folder), env={}), "")


def version_now(shelf: Shelf, entry: Entry) -> str:
    """The version of an entry that is ready, by the files from which it starts as they are now.

    It is that of the entry where nobody changed them.
    """
    if not entry.build:
        return shelf.version_of_source(entry)
    kept, now = last_build(shelf, entry.version), digest_of(shelf.files(entry))
    return entry.version if kept is None or kept.digest in ("", now) else now


def keep_built(shelf: Shelf, of: str, built: Built) -> None:
    """Write down what came of a build, all or nothing. Raises OSError."""
    write_whole(shelf.place(of) / KEPT, msgspec.json.format(msgspec.json.encode(built)) + b"\n")


def read_log(shelf: Shelf, of: str) -> bytes | None:
    """What the last build of this version said, as far as it is kept. None where there was none."""
    with contextlib.suppress(OSError):
        return (shelf.place(of) / LOG).read_bytes()
    return None
