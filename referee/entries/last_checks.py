"""What is kept of checks: a file for each version of a bot and the terms under which it was checked.

Here is only known where such files lie, and the few words of them that a list of entries shows.
"""

import contextlib
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.entries.shelf import Shelf

MOST_BYTES = 64 << 20
"""No longer file is read."""


class LastCheck(Struct, frozen=True, kw_only=True):
    """What the last check of a version came to."""

    version: str
    verdict: str
    """pass, warn or fail."""
    when: str
    """The time in UTC, as `2026-11-23 04:50:07`."""
    words: str = ""
    """What was found, in few words."""


def folder_of(shelf: Shelf) -> Path:
    """The folder in which checks are kept."""
    return shelf.folder / "checks"


def kept_as(shelf: Shelf, version: str, terms: bytes) -> Path:
    """The file for the check of a version under these terms."""
    return folder_of(shelf) / f"{version}-{sha256(terms).hexdigest()[:16]}.json"


def last_check(shelf: Shelf, version: str) -> LastCheck | None:
    """What the last check of this version came to, under whatever terms; None where none is kept."""
    found: list[LastCheck] = []
    for path in folder_of(shelf).glob(f"{version}-*.json"):
        with contextlib.suppress(msgspec.MsgspecError):
            found.append(msgspec.json.decode(content(path), type=LastCheck))
    return max((one for one in found if one.version == version), key=lambda one: one.when, default=None)


def content(path: Path) -> bytes:
    """What such a file holds; nothing where there is none that can be read."""
    with contextlib.suppress(OSError):
        if path.stat().st_size <= MOST_BYTES:
            return path.read_bytes()
    return b""
