"""What was published of a run, read back so that the run can be held against it."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

_DIGITS = frozenset("0123456789abcdef")


class BadPublished(ValueError):
    """It cannot be read; the text says where and what was expected."""


class Published(Struct, frozen=True, kw_only=True):
    """As far as something was given: the digest, the hash of every match by its number, the results."""

    digest: str = ""
    hashes: dict[int, str] | None = None
    summary: dict[str, Any] | None = None


NOTHING = Published()
"""Nothing was published, or nobody asks about it."""


def read_published(digest: str | None, results: Path | None) -> Published:
    """From a digest in hexadecimal, or a file as `golfref standings --hashes` prints it, and one as `--json` does.

    Raises BadPublished.
    """
    is_file = digest is not None and not _is_hash(digest.lower())
    return Published(
        digest="" if digest is None or is_file else digest.lower(),
        hashes=_hashes(Path(digest)) if digest is not None and is_file else None,
        summary=None if results is None else _summary(results),
    )


def _hashes(path: Path) -> dict[int, str]:
    found: dict[int, str] = {}
    for place, line in enumerate(_bytes(path).decode(errors="replace").splitlines(), 1):
        number, _, value = line.strip().partition(" ")
        if not number.isdecimal() or not _is_hash(value):
            raise BadPublished(
                f"{path}:{place}: expected a match's number and its hash, as `standings --hashes` prints"
            )
        found[int(number)] = value
    if not found:
        raise BadPublished(f"{path}: no hashes in it; `standings --hashes` prints one for each match")
    return found


def _summary(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(_bytes(path), type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadPublished(f"{path}: expected results as `standings --json` prints them ({error})") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadPublished(
            f"{path}: expected a digest of 64 hexadecimal digits, or a file ({error.strerror})"
        ) from None


def _is_hash(text: str) -> bool:
    return len(text) == 64 and _DIGITS.issuperset(text)
