"""The records that commands read, as people name them: a file, a game of a file, or a match of a run.

A file can also hold the matches of one bot (`export-bot`), which tell less: those go by their numbers in the run.
"""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

from protocol.text import printable
from referee.reports.bot_match import (
    BotMatch,
    RunPlace,
    bot_match,
    is_bot_match,
    number_of,
    read_bot_match,
    run_place,
)
from referee.reports.own_matches import bots_of_run
from referee.rules.record import NoRecord, Record, read_record
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

GZIP = b"\x1f\x8b"
"""What every file of gzip begins with."""

SQLITE = b"SQLite format 3\x00"
"""What every store begins with."""

MOST_START = 256
"""How much of a file tells what it holds."""

NAMED = 12
"""How many matches of a file are named where another one was asked for."""

MOST_NAMED = 20
"""How many bots are named where there is none of the given name."""

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


def load_bot_match(where: str, bot: str | None) -> BotMatch:
    """The match that `where` names as this bot knows it, which goes by its name or its seat.

    Raises NoRecord, StoreError, and what the record raises where it cannot be played again.
    """
    place = place_of(where)
    if holds_bot_matches(place):
        match = _own(place)
        if bot is not None and bot not in (match.bot, str(match.seat)):
            raise NoRecord(f"{where}: this file has only what {match.bot} (seat {match.seat}) was told, not {bot}")
        return match
    record = decode(where, _stored(place) if place.is_store else _line(place.path, place.number or 0))
    seat = seat_of([one.name for one in record.seats], bot, where)
    return bot_match(record, seat, _run_place(place, seat) if place.is_store else None)


def others_in(where: str) -> list[str]:
    """A note on what else the file holds, where it holds several matches and none of them is named. Raises NoRecord."""
    place = place_of(where)
    if place.is_store or place.number is not None or (games := len(lines_of(place.path))) == 1:
        return []
    if not holds_bot_matches(place):
        return [f"note: {place.path} holds {games} games, and this is the first; the next is {place.path}:1"]
    numbered = f"another one goes by its number in the run, such as {place.path}:200"
    return [f"note: {place.path} holds {games} matches, and this is the first; {numbered}"]


def seat_of(names: Sequence[str], bot: str | None, where: str) -> int:
    """The seat of the bot of this name, or with this number; raises NoRecord, which names all seats."""
    seats = printable(", ".join(f"{seat} {name}" for seat, name in enumerate(names)), 1000)
    if bot is None:
        if len(names) == 1:
            return 0
        raise NoRecord(f"{where}: say whose match with --bot, by a name or a seat: {seats}")
    found = [seat for seat, name in enumerate(names) if name == bot]
    if len(found) > 1:
        raise NoRecord(f"{where}: {bot} sat on the seats {', '.join(map(str, found))}; say which with --bot SEAT")
    if found:
        return found[0]
    if bot.isdecimal() and int(bot[:MOST_DIGITS]) < len(names):
        return int(bot[:MOST_DIGITS])
    raise NoRecord(f"{where}: {bot} did not play in this match; its seats are {seats}")


def holds_bot_matches(place: Place) -> bool:
    """Whether the file holds the matches of one bot, and not records of whole ones."""
    if place.is_store:
        return False
    with _opened(place.path) as file:
        return is_bot_match(file.read(MOST_START).lstrip())


def _own(place: Place) -> BotMatch:
    """The match of this number in the run, or the first of the file where none is named."""
    lines = lines_of(place.path)
    if place.number is None:
        return read_bot_match(lines[0])
    numbers: list[int] = []
    for line in lines:
        own = number_of(line)
        number = None if own is None else own.commit if place.is_id else own.number
        if number == place.number:
            return read_bot_match(line)
        numbers += [] if number is None else [number]
    sign = "#" if place.is_id else ""
    some = ", ".join(f"{sign}{one}" for one in sorted(numbers)[:NAMED]) + ", ..." * (len(numbers) > NAMED)
    raise NoRecord(f"{place.path} holds no match {sign}{place.number}; it holds {some or 'none that has a number'}")


def _run_place(place: Place, seat: int) -> RunPlace:
    """Where in its run a stored match stands."""
    with closing(Store.open(place.path)) as store:
        return run_place(store.meta().config.name, committed(store, place), seat)


def committed(store: Store, place: Place) -> CommittedMatch:
    """The committed match that a place in a run means; raises StoreError."""
    number = place.number or 0
    return store.match(number) if place.is_id else store.planned(number)


def _stored(place: Place) -> bytes:
    if place.number is None:
        raise NoRecord(f"{place.path} is a run; name one of its matches, such as {place.path}:0")
    with closing(Store.open(place.path)) as store:
        return store.record(place.number if place.is_id else store.planned(place.number).id)


def _line(path: Path, number: int) -> bytes:
    lines = lines_of(path)
    if number >= len(lines):
        raise NoRecord(f"{path} holds {len(lines)} records, numbered from 0; there is no {number}")
    return lines[number]


def lines_of(path: Path) -> list[bytes]:
    """The lines of a file of records, each of which is a record."""
    with _opened(path) as file:
        return [line for line in file.read().splitlines() if line.strip()]


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file, unpacked where it is gzip's. Raises NoRecord, also while it is read."""
    try:
        with path.open("rb") as file:
            packed = file.read(len(GZIP)) == GZIP
            file.seek(0)
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
    except OSError as error:
        raise NoRecord(f"{path}: cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise NoRecord(f"{path}: cannot be unpacked: {error}; the file is cut off or damaged") from None


def decode(where: str, data: bytes) -> Record:
    """The record in these bytes, which `where` names; raises NoRecord."""
    if is_bot_match(data):
        what = "what one bot was told of its matches (export-bot), and no record of whole ones"
        raise NoRecord(f"{where}: this file has {what}; `transcript`, `rerun` and `replay --seat` read it")
    try:
        return read_record(data)
    except NoRecord as error:
        is_cut = data.startswith(b'{"format":') and not data.rstrip().endswith(b"}")
        cut = "; it is cut off, so that the rest of the match is lost; if it is a copy, copy it again" if is_cut else ""
        raise NoRecord(f"{where}: {error}{cut}") from None


def check_bot_of_run(store: Store, bot: str) -> None:
    """Raise NoRecord, which names the nearest bot, where none of this name plays in the run."""
    names = bots_of_run(store)
    if bot in names:
        return
    near = get_close_matches(bot, names, n=1)
    some = ", ".join(names[:MOST_NAMED]) + ", ..." * (len(names) > MOST_NAMED)
    hint = f"did you mean {near[0]}?" if near else f"its bots are {some}"
    raise NoRecord(printable(f"{store.path}: no bot {bot} plays in this run; {hint}", 2000))
