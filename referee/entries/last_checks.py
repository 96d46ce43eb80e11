"""What is kept of checks: a file for each version of a bot and the terms under which it was checked.

Here is only known where such files lie, and the few words of them that a list of entries shows.
"""

import contextlib
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.new_file import new_file, refusal
from referee.versions.store import VersionStore
from referee.versions.version import checked_version, is_version

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


CHECKS = "checks"
"""The folder in the store of versions in which checks are kept."""

TRIALS = "trials"
"""The folder in which is kept whom a bot has beaten."""

LETTERS = "letters"
"""The folder in which the letters to authors are kept."""


def kept_as(versions: VersionStore, folder: str, version: str, terms: bytes) -> Path:
    """The file for what a version came to under these terms; a letter has the name of its bot in their place.

    Raises BadVersion.
    """
    return versions.folder / folder / f"{checked_version(version)}-{sha256(terms).hexdigest()[:16]}.json"


def keep(path: Path, data: bytes) -> None:
    """Write such a file, whole or not at all. Raises NotWritten."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(f"{path.parent}: the folder cannot be made", error) from None
    with new_file(path, replaces=True) as file:
        file.write(data)


def last_check(versions: VersionStore, version: str) -> LastCheck | None:
    """What the last check of this version came to, under whatever terms; None where none is kept."""
    if not is_version(version):
        return None
    found: list[LastCheck] = []
    for path in (versions.folder / CHECKS).glob(f"{version}-*.json"):
        with contextlib.suppress(msgspec.MsgspecError):
            found.append(msgspec.json.decode(content(path), type=LastCheck))
    return max((one for one in found if one.version == version), key=lambda one: one.when, default=None)


def content(path: Path) -> bytes:
    """What such a file holds; nothing where there is none that can be read."""
    with contextlib.suppress(OSError):
        if path.stat().st_size <= MOST_BYTES:
            return path.read_bytes()
    return b""
