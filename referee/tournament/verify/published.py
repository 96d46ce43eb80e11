"""What was published of a run: reading it, and comparing the run with it."""

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from referee.tournament.store.plans import extent_of
from referee.tournament.store.store import Store
from referee.tournament.summary import summary_of
from referee.tournament.verify.compare import differences

_DIGITS = frozenset("0123456789abcdef")


_NEEDED = frozenset({"standings", "results", "digest"})
"""Some keys of what `standings --json` prints, which tell it from other JSON."""


class BadPublished(ValueError):
    """What was published cannot be read. The text says where, and what was expected."""


class Published(Struct, frozen=True, kw_only=True):
    """What was published of a run, as far as it is given."""

    digest: str = ""
    hashes: dict[str, str] | None = None
    """What `standings --hashes` printed: each hash by what stands before it, in the same order."""
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
        found = tuple(differences(published.summary, own, ("published", "in the store")))
        parts.append(Comparison(findings=found, same=("the results are the published ones",) * (not found)))
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
    return next((bot.name for bot in store.meta().facts.bots if bot.name == ratings.get("anchor")), None)


def _compare_digest(store: Store, published: str) -> Comparison:
    """The digest of a run that goes on is that of its first lines until it is amended (`store/digest.py`)."""
    if (own := store.digest()) == published:
        return Comparison(same=("the digest is the published one",))
    digest, then = sha256(), Counter[str]()
    for line in store.lines():
        digest.update(b"%b\n" % line.encode())
        then[line.partition(" ")[0]] += 1
        if digest.copy().hexdigest() == published:
            return _begun("the digest is that", store, then)
    return Comparison(findings=(f"the digest is not the published one: {own}",))


def _compare_hashes(store: Store, published: dict[str, str]) -> Comparison:
    here = dict(line.rsplit(" ", 1) for line in store.lines())
    if here == published:
        return Comparison(same=("the hashes are the published ones",))
    if list(here.items())[: len(published)] == list(published.items()):
        return _begun("the hashes are those", store, Counter(name.partition(" ")[0] for name in published))
    found: list[str] = []
    for name in dict.fromkeys((*here, *published)):
        where = f"match {name}" if name.isdecimal() else name
        if name not in here:
            found.append(f"{where}: it was published, but is not there")
        elif name not in published:
            found.append(f"{where}: it is there, but was not published")
        elif here[name] != published[name]:
            found.append(f"{where}: it is not the published one (hash)")
    return Comparison(findings=tuple(found))


def _begun(what: str, store: Store, then: Counter[str]) -> Comparison:
    """What was published is the beginning of what is there now. Nothing is added to a run that was complete."""
    of_then = f"{what} of the run when {then['match']} matches had been committed"
    extent = extent_of(store)
    if extent.has_ended_after(then["event"]) and store.counting_until(then["match"]) >= extent.planned:
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


def _hashes(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, line in enumerate(_bytes(path).decode(errors="replace").splitlines(), 1):
        name, _, value = line.strip().rpartition(" ")
        if not name or not _is_hash(value):
            raise BadPublished(f"{path}:{place}: expected a hash and what it is of, as `standings --hashes` prints")
        found[name] = value
    if not found:
        raise BadPublished(f"{path}: no hashes in it; `standings --hashes` prints one for each row of a store")
    return found


def summary_in(data: bytes, where: str) -> dict[str, Any]:
    """What `standings --json` printed. Raises BadPublished."""
    try:
        summary = msgspec.json.decode(data, type=dict[str, Any])
        if lacking := sorted(_NEEDED - summary.keys()):
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
