"""The records that commands read, as people name them: a file, a game of a file, or a match of a run.

A file can also hold the matches of one bot (`export --bot`), which have less: those go by their numbers in the run.
"""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.reports.bot_match import BotMatch, bot_match, is_bot_match, number_of, read_bot_match, run_place
from referee.rules.record import BrokenRecord, NoRecord, Record, read_record
from referee.tournament.store.rows import CommittedMatch
from referee.tournament.store.store import Store

GZIP = b"\x1f\x8b"
"""What every file of gzip begins with."""

SQLITE = b"SQLite format 3\x00"
"""What every store begins with."""

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


class OpenedMatch(Struct, frozen=True, kw_only=True):
    """A recorded match, which was found and read once: a record, or what one bot knows of it."""

    where: str
    """As a person named it."""
    place: Place
    data: bytes
    """The record, or the line of a file of one bot's matches."""
    games: int = 1
    """How many the file holds; 1 for a run."""
    run: str = ""
    """The name of the run; empty for a file."""
    row: CommittedMatch | None = None
    """Where it stands in its run."""

    @property
    def is_of_one_bot(self) -> bool:
        """Whether it holds what one bot knows, and not the whole match."""
        return is_bot_match(self.data)

    @property
    def note(self) -> list[str]:
        """A line on what else the file holds, where it holds several matches and none of them is named."""
        if self.row is not None or self.place.number is not None or self.games == 1:
            return []
        path = self.place.path
        if not self.is_of_one_bot:
            return [f"note: {path} holds {self.games} games, and this is the first; the next is {path}:1"]
        numbered = f"another one goes by its number in the run, such as {path}:200"
        return [f"note: {path} holds {self.games} matches, and this is the first; {numbered}"]

    def record(self) -> Record:
        """The whole match. Raises NoRecord."""
        return decode(self.where, self.data)

    def bot_match(self, bot: str | None) -> BotMatch:
        """The match as this bot knows it, which goes by its name or its seat.

        Raises NoRecord, and what the record raises where it cannot be played again.
        """
        if self.is_of_one_bot:
            match = read_bot_match(self.data)
            if bot is not None and bot not in (match.bot, str(match.seat)):
                words = f"this file has only what {match.bot} (seat {match.seat}) was sent, not {bot}"
                raise NoRecord(f"{self.where}: {words}")
            return match
        record = self.record()
        seat = seat_of([one.name for one in record.seats], bot, self.where)
        return bot_match(record, seat, None if self.row is None else run_place(self.run, self.row, seat))


def open_match(where: str) -> OpenedMatch:
    """The match that `where` names, of a file with several the first; raises NoRecord and StoreError."""
    place = place_of(where)
    if place.is_store:
        if place.number is None:
            raise NoRecord(f"{place.path} is a run; name one of its matches, such as {place.path}:0")
        with closing(Store.open(place.path)) as store:
            row = store.match(place.number) if place.is_id else store.planned(place.number)
            return OpenedMatch(
                where=where, place=place, data=store.record(row.id), run=store.meta().config.name, row=row
            )
    lines = lines_of(place.path)
    if lines and is_bot_match(lines[0].lstrip()):
        return OpenedMatch(where=where, place=place, data=_own(place, lines), games=len(lines))
    if not lines:
        raise NoRecord(f"{place.path} is empty; it holds no record")
    number = place.number or 0
    if number >= len(lines):
        held = "1 record, number 0" if len(lines) == 1 else f"{len(lines)} records, numbered from 0"
        raise NoRecord(f"{place.path} holds {held}; there is no {number}")
    return OpenedMatch(where=where, place=place, data=lines[number], games=len(lines))


@contextmanager
def open_run(path: Path) -> Iterator[Store]:
    """The store of a whole run. Raises NoRecord where a match is named, and StoreError."""
    whole, _, number = str(path).rpartition(":")
    if number.removeprefix("#").isdecimal() and os.path.isfile(whole) and not path.exists():
        raise NoRecord(f"{path} is one match; name the whole run: {whole}")
    with closing(Store.open(path)) as store:
        yield store


@contextmanager
def replaying(where: str) -> Iterator[None]:
    """While matches are played again. Raises BrokenRecord in place of whatever a damaged record raises."""
    try:
        yield
    except NoRecord:
        raise
    except (msgspec.MsgspecError, ValueError) as error:  # options or keys that there cannot be, too
        raise BrokenRecord(f"{where}: {error}; `golfref verify` prints more") from None


def check_seat(record: Record, seat: int | None) -> None:
    """Raise NoRecord where the match has no such seat."""
    if seat is not None and not 0 <= seat < len(record.seats):
        raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {seat}")


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


def _own(place: Place, lines: Sequence[bytes]) -> bytes:
    """The match of this number in the run, or the first of the file where none is named."""
    if place.number is None:
        return lines[0]
    numbers: list[int] = []
    for line in lines:
        own = number_of(line)
        number = None if own is None else own.id if place.is_id else own.match
        if number == place.number:
            return line
        numbers += [] if number is None else [number]
    sign = "#" if place.is_id else ""
    some = ", ".join(f"{sign}{one}" for one in sorted(numbers)[:NAMED]) + ", ..." * (len(numbers) > NAMED)
    raise NoRecord(f"{place.path} holds no match {sign}{place.number}; it holds {some or 'none that has a number'}")


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
        what = "what one bot was sent in its matches (`export --bot`), and no record of whole ones"
        raise NoRecord(f"{where}: this file has {what}; `transcript`, `rerun` and `replay --seat` read it")
    try:
        return read_record(data)
    except NoRecord as error:
        is_cut = data.startswith(b'{"format":') and not data.rstrip().endswith(b"}")
        cut = "; it is cut off, so that the rest of the match is lost; if it is a copy, copy it again" if is_cut else ""
        raise NoRecord(f"{where}: {error}{cut}") from None


def check_bot_of_run(store: Store, bot: str) -> None:
    """Raise NoRecord, which names the nearest bot, where none of this name plays in the run."""
    played = {bot for _, bots in store.tables() for bot in bots}
    names = sorted(played | {one.name for one in store.meta().config.bots})
    if bot in names:
        return
    near = get_close_matches(bot, names, n=1)
    some = ", ".join(names[:MOST_NAMED]) + ", ..." * (len(names) > MOST_NAMED)
    hint = f"did you mean {near[0]}?" if near else f"its bots are {some}"
    raise NoRecord(printable(f"{store.path}: no bot {bot} plays in this run; {hint}", 2000))
