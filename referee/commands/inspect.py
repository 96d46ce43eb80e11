"""replay and verify: what a stored match was, and whether it can be believed."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from protocol.text import printable
from referee.commands.console import CHECK_FAILED, DONE, USAGE, put, say
from referee.reports.blame import mishap_of, stderr_lines
from referee.reports.narrate import narrate
from referee.reports.wire import wire_lines
from referee.rules.record import BrokenRecord, Forfeit, GivenSlaps, Head, Move, NoRecord, Record, read_record, walk
from referee.tournament.store.disk import StoreError
from referee.tournament.store.facts import plan_of
from referee.tournament.store.store import Store
from referee.tournament.verify.published import NOTHING, BadPublished, Published, read_published
from referee.tournament.verify.record import check_record, not_compared
from referee.tournament.verify.run import Checked, check_store

SQLITE = b"SQLite format 3\x00"


def replay(where: str, seat: int | None, *, wire: bool = False) -> int:
    """A match in words, as the public or a seat saw it, with what went wrong and how slaps were timed.

    With `wire` it is the conversation of the seat instead, line by line.
    """
    try:
        record = load_record(where)
        if seat is not None and not 0 <= seat < len(record.seats):
            raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {seat}")
        put(*_heading(where, record))
        if wire and seat is not None:
            say(*_doubts([record]))
            for line in wire_lines(record, seat):
                put(line)
        else:
            _tell(record, seat)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    except (BrokenRecord, ValueError) as error:  # options or keys that there cannot be, too
        say(f"golfref: {where}: {error}")
        return CHECK_FAILED
    return DONE


def verify(where: str, digest: str | None, results: Path | None) -> int:
    """Check a record, or a whole run also against what was published of it.

    Every finding is a line, and the last line says how it stands.
    """
    try:
        checked = _checked(where, read_published(digest, results))
    except (NoRecord, BadPublished, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    put(*checked.notes, *checked.findings, f"{where}: {_verdict(checked)}")
    return CHECK_FAILED if checked.findings or checked.missing else DONE


def _verdict(checked: Checked) -> str:
    """How it stands, and what was compared."""
    compared = "; ".join(checked.compared)
    missing = f"{checked.missing} of {checked.planned} matches have no result yet"
    if checked.findings:
        count = len(checked.findings)
        return f"{count} finding{'s' * (count > 1)}" + f"; {missing}" * (checked.missing > 0)
    if checked.missing:
        return f"not finished: {missing}; what is there holds: {compared}"
    return f"all holds: {compared}"


def load_record(where: str) -> Record:
    """The record in a file, or match N of a store or file by `FILE:N`, or of a store the one committed as `FILE:#N`.

    Raises NoRecord and StoreError.
    """
    path, number = _split(where)
    if _is_store(path):
        if number is None:
            raise NoRecord(f"{path} is a run; name one of its matches, such as {path}:0")
        store = Store.open(path)
        try:
            data = store.record_of(number) if _by_id(where) else store.record(number)
        finally:
            store.close()
    else:
        data = _line(path, number or 0)
    return _decode(where, data)


def _decode(where: str, data: bytes) -> Record:
    """The record in these bytes, which lie in `where`; raises NoRecord."""
    try:
        return read_record(data)
    except NoRecord as error:
        raise NoRecord(f"{where}: {error}") from None


def _checked(where: str, published: Published) -> Checked:
    path, number = _split(where)
    is_store = _is_store(path)
    if number is not None or not is_store:
        if published != NOTHING:
            raise NoRecord(f"{where}: --digest and --results are of a whole run; name its store")
        if number is None and len(lines := _lines(path)) > 1:
            return _checked_file(path, lines)
        record = load_record(where)
        say(*_doubts([record]))
        return Checked(notes=(), findings=tuple(check_record(record)), compared=("1 match replayed",))
    checked = check_store(path, published)
    with contextlib.suppress(StoreError), contextlib.closing(Store.open(path)) as store:
        say(*_doubts(_heads(store)))
    return checked


def _checked_file(path: Path, lines: Sequence[bytes]) -> Checked:
    """Every record of a file with several; raises NoRecord where no line is one."""
    records: list[Record] = []
    findings: list[str] = []
    for number, line in enumerate(lines):
        where = f"{path}:{number}"
        try:
            records.append(_decode(where, line))
        except NoRecord as problem:
            findings.append(str(problem))
        else:
            findings += (f"{where}: {finding}" for finding in check_record(records[-1]))
    if not records:
        raise NoRecord(findings[0])
    say(*_doubts(records))
    return Checked(notes=(), findings=tuple(findings), compared=(f"{len(records)} matches replayed",))


def _doubts(played: Iterable[Record | Head]) -> list[str]:
    """Notes where another version played: what it said to the bots may have been worded otherwise."""
    whys = Counter(not_compared(one.golfref, one.protocol) for one in played)
    return [f"note: {why} (matches: {count})" for why, count in whys.items() if why is not None]


def _heads(store: Store) -> Iterator[Head]:
    """The versions of a run's records, but of those that cannot be read: these are findings."""
    decoder = msgspec.json.Decoder(Head)
    for number in sorted(store.numbers()):
        with contextlib.suppress(StoreError, msgspec.MsgspecError, UnicodeDecodeError):
            yield decoder.decode(store.record(number))


def _split(where: str) -> tuple[Path, int | None]:
    """The file, and the match or line after the colon, None where there is none; raises NoRecord."""
    name, colon, number = where.rpartition(":")
    if not colon or Path(where).exists():
        return Path(where), None
    if number.removeprefix("#").isdecimal():
        return Path(name), int(number.removeprefix("#"))
    if Path(name).is_file():
        raise NoRecord(f"{where}: expected a match number or #id after the colon, got {number or 'nothing'}")
    return Path(where), None


def _by_id(where: str) -> bool:
    """Whether a match is named by its id in the store, not by its number in the plan."""
    return where.rpartition(":")[2].startswith("#") and not Path(where).exists()


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise NoRecord(f"{path}: cannot be read: {error.strerror}") from None


def _lines(path: Path) -> list[bytes]:
    """The lines of a file of records, one each."""
    return [line for line in path.read_bytes().splitlines() if line.strip()]


def _line(path: Path, number: int) -> bytes:
    lines = _lines(path)
    if number >= len(lines):
        raise NoRecord(f"{path} holds {len(lines)} records, numbered from 0; there is no {number}")
    return lines[number]


def _heading(where: str, record: Record) -> list[str]:
    """What was played; of a match of a run also which deal of the plan it was, so that its key can be derived.

    Of a file with several games it says which one this is, and to the person at the keyboard how to see the others.
    """
    path, number = _split(where)
    planned = []
    if number is not None and _is_store(path):
        planned = [_planned(path, number, by_id=_by_id(where))]
    elif (count := len(_lines(path))) > 1:
        planned = [f"game {number or 0} of {path}, which holds games 0 to {count - 1}"]
        if number is None:
            say(f"note: {path} holds {count} games, and this is the first; for the next: golfref replay {path}:1")
    seats = ", ".join(f"{seat} {bot.name}" for seat, bot in enumerate(record.seats))
    game = f"{record.name} ({record.preset}), golfref {record.golfref}, isolation {record.isolation}"
    return [game, *planned, f"seats: {seats}"]


def _planned(path: Path, number: int, *, by_id: bool) -> str:
    with contextlib.closing(Store.open(path)) as store:
        if by_id:
            row = store.row(number)
            now = "out of the standings" if row.number is None else f"match {row.number}"
            return f"match #{number}, {now}: deal {row.identity.deal}, rotation {row.identity.rotation}"
        meta = store.meta()
        fixture = plan_of(meta.facts, bytes.fromhex(meta.master_key))[number]
    return f"match {number}: block {fixture.block}, deal {fixture.deal}, rotation {fixture.rotation}"


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
