"""replay: a match that was recorded, told again."""

from contextlib import closing

from protocol.text import printable
from referee.commands.console import CHECK_FAILED, DONE, USAGE, put, say
from referee.commands.records import Place, lines_of, load_record, place_of, version_notes
from referee.reports.blame import mishap_of, stderr_lines
from referee.reports.narrate import narrate
from referee.reports.wire import wire_lines
from referee.rules.record import BrokenRecord, Forfeit, GivenSlaps, Move, NoRecord, Record, walk
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


def replay(where: str, seat: int | None, *, wire: bool = False) -> int:
    """Print a match in words, as the public or a seat saw it, with what went wrong and how slaps were timed.

    With `wire` the conversation with the seat's bot is printed instead, line by line.
    """
    try:
        record = load_record(where)
        if seat is not None and not 0 <= seat < len(record.seats):
            raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {seat}")
        put(*_heading(where, record))
        if wire and seat is not None:
            say(*version_notes(record))
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


def _heading(where: str, record: Record) -> list[str]:
    """What was played and by whom, and where it comes from if that file holds more than this match."""
    seats = ", ".join(f"{seat} {bot.name}" for seat, bot in enumerate(record.seats))
    game = f"{record.name} ({record.preset}), golfref {record.golfref}, isolation {record.isolation}"
    return [printable(game, 300), *_origin(place_of(where)), printable(f"seats: {seats}", 3000)]


def _origin(place: Place) -> list[str]:
    """Which match of a run it is, with the deal by which its key can be derived, or which game of a file.

    If only the file was named and it holds several games, the person at the keyboard is told how to see the others.
    """
    if place.is_store and place.number is not None:
        return [_planned(place, place.number)]
    count = len(lines_of(place.path))
    if count == 1:
        return []
    if place.number is None:
        others = f"for the next: golfref replay {place.path}:1"
        say(f"note: {place.path} holds {count} games, and this is the first; {others}")
    return [f"game {place.number or 0} of {place.path}, which holds games 0 to {count - 1}"]


def _planned(place: Place, number: int) -> str:
    with closing(Store.open(place.path)) as store:
        row = store.match(number) if place.is_id else store.planned(number)
    redealt = _redealt(row.result.redeals)
    where = f"deal {row.identity.deal}, rotation {row.identity.rotation}{redealt}"
    if place.is_id:
        now = "out of the standings" if row.number is None else f"match {row.number}"
        return f"match #{number}, {now}: {where}"
    return f"match {number}: block {row.result.block}, {where}"


def _redealt(redeals: int) -> str:
    """How the cards differ from those that the plan had at first."""
    return f", redeal {redeals} (voided matches had shown the cards before)" if redeals else ""


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
    """Print what went wrong in a move. The public sees all of it, a seat only its own faults."""
    for seat, bot in enumerate(record.seats):
        mishap = mishap_of(move, seat)
        if mishap is not None and viewer in (None, seat):
            what = "forfeits" if isinstance(move, Forfeit) else "is at fault"
            put(f"    {seat} {bot.name} {what}: {mishap.kind}: {printable(mishap.detail, 300)}")
            put(*([f"    its line: {mishap.line}"] if mishap.line else []))
