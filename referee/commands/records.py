"""The records that `replay` and `verify` read, as people name them: a file, a game of a file, or a match of a run."""

import os
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from referee.play.talk.retell import other_version
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.store.store import Store

SQLITE = b"SQLite format 3\x00"
"""What every store begins with."""

MOST_DIGITS = 18
"""A number that has more is too large for a store."""


class Place(Struct, frozen=True, kw_only=True):
    """A file that holds records, and one of them if one was named."""

    path: Path
    number: int | None
    """The match of a run, or the line of a file of records from 0; None where none was named."""
    is_id: bool
    """Whether the number says when the match was committed (`RUN:#17`), not where it stands in the plan."""
    is_store: bool
    """Whether the file is the store of a run."""


def place_of(where: str) -> Place:
    """What `FILE`, `FILE:1`, `RUN`, `RUN:17` or `RUN:#17` means; raises NoRecord."""
    name, _, number = where.rpartition(":")
    is_id = number.startswith("#")
    if not name or os.path.exists(where):
        return _place(Path(where))
    if (digits := number.removeprefix("#")).isdecimal():
        if len(digits) > MOST_DIGITS:
            raise NoRecord(f"{name}: there is no match of a number with {len(digits)} digits")
        return _place(Path(name), int(digits), is_id=is_id)
    if os.path.isfile(name):
        raise NoRecord(f"{where}: expected a match number or #id after the colon, got {number or 'nothing'}")
    return _place(Path(where))


def _place(path: Path, number: int | None = None, *, is_id: bool = False) -> Place:
    try:
        with path.open("rb") as file:
            is_store = file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise NoRecord(f"{path}: cannot be read: {error.strerror}") from None
    return Place(path=path, number=number, is_id=is_id, is_store=is_store)


def load_record(where: str) -> Record:
    """The record that `where` names, of a file with several games the first; raises NoRecord and StoreError."""
    place = place_of(where)
    return decode(where, _stored(place) if place.is_store else _line(place.path, place.number or 0))


def _stored(place: Place) -> bytes:
    if place.number is None:
        raise NoRecord(f"{place.path} is a run; name one of its matches, such as {place.path}:0")
    with closing(Store.open(place.path)) as store:
        return store.record_of(place.number) if place.is_id else store.record(place.number)


def _line(path: Path, number: int) -> bytes:
    lines = lines_of(path)
    if number >= len(lines):
        raise NoRecord(f"{path} holds {len(lines)} records, numbered from 0; there is no {number}")
    return lines[number]


def lines_of(path: Path) -> list[bytes]:
    """The lines of a file of records, each of which is a record."""
    return [line for line in path.read_bytes().splitlines() if line.strip()]


def decode(where: str, data: bytes) -> Record:
    """The record in these bytes, which `where` names; raises NoRecord."""
    try:
        return read_record(data)
    except NoRecord as error:
        raise NoRecord(f"{where}: {error}") from None


def version_notes(played: Record) -> list[str]:
    """Notes on a match that another version played; it may have worded its messages to the bots otherwise."""
    why = other_version(played.golfref, played.protocol)
    return [] if why is None else [f"note: {why}, which may have worded some texts otherwise"]
