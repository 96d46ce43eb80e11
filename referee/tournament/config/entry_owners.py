"""Whose the versions are that were handed in: the lines of `.golfref/submissions.jsonl`, as far as they say it.

The line of a version is there before the version is in place. So an entry has an owner at any moment.
"""

from collections.abc import Iterator
from typing import TypeVar

import msgspec
from msgspec import Struct

from referee.toml.document import BadDocument
from referee.versions.store import VersionStore

SUBMISSIONS = "submissions.jsonl"
"""The name of the file with a line for each submission."""

IN_PLACE = ("accepted", "restored", "found")
"""Outcomes of versions that have been in place, and can be brought back."""


_T = TypeVar("_T")


class _Line(Struct, frozen=True, kw_only=True):
    """The part of a line that matters here."""

    entry: str
    owner: str = ""
    version: str = ""
    outcome: str


def settled_owners(versions: VersionStore) -> dict[tuple[str, str], str]:
    """By the name of an entry and its version, whose it is since that version was put in place. Raises BadDocument."""
    try:
        found = [line for line in submitted(versions, _Line) if line.outcome in IN_PLACE]
    except OSError as error:
        text = f"{versions.folder / SUBMISSIONS}: cannot be read ({error.strerror}); it says whose entries are"
        raise BadDocument([f"{text}: make it readable, or restore it"]) from None
    return {(line.entry, line.version): line.owner for line in found}


def submitted(versions: VersionStore, kind: type[_T]) -> Iterator[_T]:
    """All lines as structs of this type, the oldest first. One that a killed process has not finished is left out.

    Raises OSError.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        with (versions.folder / SUBMISSIONS).open("rb") as file:
            for line in file:
                try:
                    yield decoder.decode(line)
                except (msgspec.MsgspecError, ValueError):
                    continue
    except (FileNotFoundError, NotADirectoryError):
        return
