"""What was published of a run: reading it, and comparing the run with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.verify.compare import differences

_DIGITS = frozenset("0123456789abcdef")


class BadPublished(ValueError):
    """What was published cannot be read. The text says where, and what was expected."""


class Published(Struct, frozen=True, kw_only=True):
    """What was published of a run, as far as it is given."""

    digest: str = ""
    hashes: dict[int, str] | None = None
    """The hash of every match's record, by its number."""
    summary: dict[str, Any] | None = None
    """What `standings --json` printed."""

    def in_words(self) -> Iterator[str]:
        """What it was compared with, as it is said where both are the same."""
        if self.digest:
            yield "the digest is the published one"
        if self.hashes is not None:
            yield "the hashes are the published ones"
        if self.summary is not None:
            yield "the results are the published ones"


NOTHING = Published()
"""Nothing was published, or nobody asks about it."""


def check_published(store: Store, published: Published) -> Iterator[str]:
    """Every way in which a run differs from what was published of it. Raises StoreError."""
    if published.digest and store.digest() != published.digest:
        yield f"the digest is not the published one: {store.digest()}"
    if published.hashes is not None:
        here = dict(store.hashes())
        for number in sorted(here.keys() | published.hashes.keys()):
            if number not in here:
                yield f"match {number}: it was published, but is not in the standings"
            elif number not in published.hashes:
                yield f"match {number}: it is in the standings, but was not published"
            elif here[number] != published.hashes[number]:
                yield f"match {number}: its record is not the published one (hash)"
    if published.summary is not None:
        own = msgspec.json.decode(msgspec.json.encode(summary_of(store)))
        yield from differences(published.summary, own, "published", "in the store")


def read_published(digest: str | None, results: Path | None) -> Published:
    """What a person gives: a digest or the output of `standings --hashes`, and the output of `standings --json`.

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
