"""replay and verify: what a stored match was, and whether it can be believed."""

from pathlib import Path

import msgspec

from protocol.text import printable
from referee.commands.console import CHECK_FAILED, DONE, USAGE, put, say
from referee.reports.blame import mishap_of, stderr_lines
from referee.reports.narrate import narrate
from referee.rules.record import BrokenRecord, Forfeit, GivenSlaps, Move, Record, walk
from referee.tournament.recheck import check_record
from referee.tournament.schedule import Fixture
from referee.tournament.store import Store, StoreError
from referee.tournament.verify import check_run, plan_of

SQLITE = b"SQLite format 3\x00"


class NoRecord(Exception):
    """There is no such record; the text says what was looked for."""


def replay(where: str, seat: int | None) -> int:
    """A match in words, as the public or a seat saw it, with what went wrong and how slaps were timed."""
    try:
        record = load_record(where)
        if seat is not None and not 0 <= seat < len(record.seats):
            raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {seat}")
        put(*_heading(where, record))
        _tell(record, seat)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    except BrokenRecord as error:
        say(f"golfref: {where}: {error}")
        return CHECK_FAILED
    return DONE


def verify(where: str) -> int:
    """Check a record or a whole run; every finding is a line, and the last line says how it stands."""
    try:
        findings = _findings(where)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    put(*findings)
    put(f"{where}: {len(findings)} findings" if findings else f"{where}: all holds")
    return CHECK_FAILED if findings else DONE


def load_record(where: str) -> Record:
    """The record in a file, or match N of a store or file by `FILE:N`; raises NoRecord and StoreError."""
    path, number = _split(where)
    if _is_store(path):
        if number is None:
            raise NoRecord(f"{path} is a run; name one of its matches, such as {path}:0")
        store = Store.open(path)
        try:
            data = store.record(number)
        finally:
            store.close()
    else:
        data = _line(path, number or 0)
    try:
        return msgspec.json.decode(data, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise NoRecord(f"{where}: not a golfref record: {error}") from None


def _findings(where: str) -> list[str]:
    path, number = _split(where)
    if number is not None or not _is_store(path):
        return list(check_record(load_record(where)))
    store = Store.open(path)
    try:
        put(f"digest {store.digest()}")
        return list(check_run(store))
    finally:
        store.close()


def _split(where: str) -> tuple[Path, int | None]:
    name, colon, number = where.rpartition(":")
    if colon and number.isdigit() and not Path(where).exists():
        return Path(name), int(number)
    return Path(where), None


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise NoRecord(f"{path}: cannot be read: {error.strerror}") from None


def _line(path: Path, number: int) -> bytes:
    lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    if number >= len(lines):
        raise NoRecord(f"{path} holds {len(lines)} records, numbered from 0; there is no {number}")
    return lines[number]


def _heading(where: str, record: Record) -> list[str]:
    """What was played; of a match of a run also which deal of the plan it was, so that its key can be derived."""
    path, number = _split(where)
    planned = []
    if number is not None and _is_store(path):
        fixture = _fixture(path, number)
        planned = [f"match {number}: block {fixture.block}, deal {fixture.deal}, rotation {fixture.rotation}"]
    seats = ", ".join(f"{seat} {bot.name}" for seat, bot in enumerate(record.seats))
    game = f"{record.name} ({record.preset}), golfref {record.golfref}, isolation {record.isolation}"
    return [game, *planned, f"seats: {seats}"]


def _fixture(path: Path, number: int) -> Fixture:
    store = Store.open(path)
    try:
        meta = store.meta()
    finally:
        store.close()
    return plan_of(meta, bytes.fromhex(meta.master_key))[number]


def _tell(record: Record, seat: int | None) -> None:
    names = [bot.name for bot in record.seats]
    told = 0
    game = None
    for game, move in walk(record):
        put(*narrate(game, told, seat, names))
        told = len(game.events)
        _tell_mishaps(record, move, seat)
        if isinstance(move, GivenSlaps) and seat is None:
            times = [f"{r.seat} {r.corrected_us} us" for r in move.reactions if r.target is not None and r.corrected_us]
            put(*([f"    slap times: {', '.join(times)}"] if times else []))
    if game is not None:
        put(*narrate(game, told, seat, names))
    result = record.result
    for number, name in enumerate(names):
        put(f"{number} {name}: total {result.totals[number]}, rank {result.ranks[number]}")
        if seat in (None, number):
            put(*stderr_lines(record, number))


def _tell_mishaps(record: Record, move: Move, viewer: int | None) -> None:
    """What went wrong, to the public; a seat is shown its own faults only."""
    for seat, bot in enumerate(record.seats):
        mishap = mishap_of(move, seat)
        if mishap is not None and viewer in (None, seat):
            what = "forfeits" if isinstance(move, Forfeit) else "is at fault"
            put(f"    {seat} {bot.name} {what}: {mishap.kind}: {printable(mishap.detail, 300)}")
            put(*([f"    its line: {mishap.line}"] if mishap.line else []))
