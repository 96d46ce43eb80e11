"""What was published of a run: reading it, and comparing the run with it."""

from collections.abc import Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import GolfrefError
from referee.tournament.store.journal import BEFORE_FIRST, chained
from referee.tournament.store.plans import was_complete
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.verify.compare import differences

_DIGITS = frozenset("0123456789abcdef")


_ALWAYS_PUBLISHED = frozenset({"standings", "results", "digest"})
"""What every version of golfref printed of a run."""


class BadPublished(GolfrefError, ValueError):
    """What was published cannot be read. The text says where, and what was expected."""


class Published(Struct, frozen=True, kw_only=True):
    """What was published of a run, as far as it is given."""

    digest: str = ""
    hashes: tuple[str, ...] | None = None
    """The lines that `standings --hashes` printed."""
    summary: dict[str, Any] | None = None
    """What `standings --json` printed."""


NOTHING = Published()
"""Nothing was published, or nobody asks about it."""


class Comparison(Struct, frozen=True, kw_only=True):
    """How a run compares with what was published of it, in lines."""

    findings: tuple[str, ...] = ()
    """Every way in which it differs."""
    same: tuple[str, ...] = ()
    """What is the published one."""
    uncovered: tuple[str, ...] = ()
    """What has come since it was published, and so cannot be compared. That is no finding while a run goes on."""


def compare_published(store: Store, published: Published) -> Comparison:
    """Compare a run with what was published of it, when it was complete or while it went on. Raises StoreError."""
    parts = []
    if published.digest:
        parts.append(_compare_digest(store, published.digest))
    if published.hashes is not None:
        parts.append(_compare_hashes(store, published.hashes))
    if published.summary is not None:
        own = msgspec.json.decode(msgspec.json.encode(summary_of(store, anchor=_anchor(store, published.summary))))
        same = "the results are the published ones"
        found = tuple(differences(published.summary, own, ("published", "in the store")))
        parts.append(Comparison(findings=found, same=(same,) * (not found)))
    return Comparison(
        findings=tuple(text for part in parts for text in part.findings),
        same=tuple(text for part in parts for text in part.same),
        uncovered=tuple(text for part in parts for text in part.uncovered),
    )


def _anchor(store: Store, summary: dict[str, Any]) -> str | None:
    """The bot with which ratings were compared when the results were printed, if it was asked for."""
    ratings = summary.get("ratings")
    if not isinstance(ratings, dict) or ratings.get("is_chosen") is not True:
        return None
    return next((bot.name for bot in store.meta().config.bots if bot.name == ratings.get("anchor")), None)


def _compare_digest(store: Store, published: str) -> Comparison:
    """The digest of a run that goes on is the hash of a row that it still has."""
    digest, committed = BEFORE_FIRST, 0
    for line in store.lines():
        id_, kind, hash_ = line.split(" ")
        digest, committed = chained(digest, kind, hash_), committed + (kind == "match")
        if digest == published:
            return _begun("the digest is", store, int(id_), committed)
    return Comparison(findings=(f"the digest is not the published one: {digest}",))


def _compare_hashes(store: Store, published: Sequence[str]) -> Comparison:
    pairs = zip_longest(published, islice(store.lines(), len(published)))
    wrong = [place for place, (line, here) in enumerate(pairs, 1) if line != here]
    if wrong:
        last = store.last_row()
        return Comparison(
            findings=tuple(
                f"row #{id_}: it is not the published one (hash)"
                if id_ <= last
                else f"row #{id_}: it was published, but is not there"
                for id_ in wrong
            )
        )
    return _begun("the hashes are", store, len(published), sum(" match " in line for line in published))


def _begun(what: str, store: Store, id_: int, committed: int) -> Comparison:
    """What was published is as far as the row of this id. Nothing is added to a run that was complete."""
    if store.last_row() == id_:
        return Comparison(same=(f"{what} the published {'one' if what.endswith('is') else 'ones'}",))
    those = "that" if what.endswith("is") else "those"
    of_then = f"{what} {those} of the run when {committed} matches had been committed"
    if was_complete(store, id_):
        return Comparison(findings=(f"{of_then}, and so all; but more has been added",))
    return Comparison(same=(of_then,), uncovered=("what came later is not among what was published",))


def read_published(digest: str | None, results: Path | None) -> Published:
    """What a person gives: a digest or the output of `standings --hashes`, and the output of `standings --json`.

    Raises BadPublished.
    """
    is_file = digest is not None and not _is_hash(digest.lower())
    return Published(
        digest="" if digest is None or is_file else digest.lower(),
        hashes=_hashes(Path(digest)) if digest is not None and is_file else None,
        summary=None if results is None else summary_in(_bytes(results), str(results)),
    )


def _hashes(path: Path) -> tuple[str, ...]:
    lines = _bytes(path).decode(errors="replace").splitlines()
    for place, line in enumerate(lines, 1):
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != str(place) or not _is_hash(parts[2]):
            raise BadPublished(f"{path}:{place}: expected a row's id, kind and hash, as `standings --hashes` prints")
    if not lines:
        raise BadPublished(f"{path}: no hashes in it; `standings --hashes` prints one for each row of a store")
    return tuple(lines)


def summary_in(data: bytes, where: str) -> dict[str, Any]:
    """What `standings --json` printed. Raises BadPublished."""
    try:
        summary = msgspec.json.decode(data, type=dict[str, Any])
        if lacking := sorted(_ALWAYS_PUBLISHED - summary.keys()):
            raise msgspec.ValidationError(f"there is no `{lacking[0]}`")
        return summary
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadPublished(f"{where}: expected results as `standings --json` prints them ({error})") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadPublished(
            f"{path}: expected a digest of 64 hexadecimal digits, or a file ({error.strerror})"
        ) from None


def _is_hash(text: str) -> bool:
    return len(text) == 64 and _DIGITS.issuperset(text)
