"""replay: a match that was recorded, told again."""

from collections.abc import Iterable, Sequence
from contextlib import closing

from protocol.text import harmless, printable
from referee.commands.console import CHECK_FAILED, DONE, USAGE, put, say
from referee.commands.records import (
    Place,
    committed,
    holds_bot_matches,
    lines_of,
    load_bot_match,
    load_record,
    others_in,
    place_of,
)
from referee.reports.blame import mishap_of, page_for_authors, read_on, stderr_end, stderr_lines
from referee.reports.bot_match import BotMatch, Faulted, RunPlace, Sent, Wrote, events_in, run_place
from referee.reports.comments import Comments, comment_in
from referee.reports.narrate import in_words, narrate
from referee.rules.record import BrokenRecord, Forfeit, GivenSlaps, Move, NoRecord, Record, walk
from referee.tournament.store.disk import StoreError
from referee.tournament.store.store import Store


def replay(where: str, seat: int | None) -> int:
    """Print a match in words, as the public or a seat saw it, with what went wrong and how slaps were timed."""
    try:
        if holds_bot_matches(place_of(where)):
            own = load_bot_match(where, None if seat is None else str(seat))
            say(*others_in(where))
            _tell_own(own)
            _tell_where_to_read(where, own.bots, [own.seat] if own.faults else [])
            return DONE
        record = load_record(where)
        say(*others_in(where))
        if seat is not None and not 0 <= seat < len(record.seats):
            raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {seat}")
        put(*_heading(where, record))
        _tell(record, seat)
        guilty = [one for one, bot in enumerate(record.seats) if bot.faults and seat in (None, one)]
        _tell_where_to_read(where, [bot.name for bot in record.seats], guilty)
    except (NoRecord, StoreError) as error:
        say(f"golfref: {error}")
        return USAGE
    except (BrokenRecord, ValueError) as error:  # options or keys that there cannot be, too
        say(f"golfref: {where}: {error}")
        return CHECK_FAILED
    return DONE


def _heading(where: str, record: Record) -> list[str]:
    """What was played and by whom, and where it comes from if that file holds more than this match."""
    game, seats = heading_lines(record, [bot.name for bot in record.seats])
    return [game, *origin(place_of(where)), seats]


def heading_lines(match: Record | BotMatch, names: Sequence[str]) -> tuple[str, str]:
    """What was played, and who sat where."""
    game = f"{match.name} ({match.preset}), golfref {match.golfref}, isolation {match.isolation}"
    seats = ", ".join(f"{seat} {name}" for seat, name in enumerate(names))
    return printable(game, 300), printable(f"seats: {seats}", 3000)


def origin(place: Place) -> list[str]:
    """Which match of a run it is, with the deal by which its key can be derived, or which game of a file."""
    if place.is_store and place.number is not None:
        return [_planned(place)]
    count = len(lines_of(place.path))
    if count == 1:
        return []
    return [f"game {place.number or 0} of {place.path}, which holds games 0 to {count - 1}"]


def _planned(place: Place) -> str:
    with closing(Store.open(place.path)) as store:
        row = committed(store, place)
    return place_line(run_place("", row, 0), is_id=place.is_id)


def place_line(place: RunPlace, *, is_id: bool = False) -> str:
    """Which match of a run it is, with the deal by which its key can be derived."""
    where = f"deal {place.deal}, rotation {place.rotation}{_redealt(place.redeals)}"
    if is_id or place.number is None:
        now = "out of the standings" if place.number is None else f"match {place.number}"
        return f"match #{place.commit}, {now}: {where}"
    return f"match {place.number}: block {place.block}, {where}"


def _redealt(redeals: int) -> str:
    """How the cards differ from those that the plan had at first."""
    return f", redeal {redeals} (voided matches had shown the cards before)" if redeals else ""


def _tell(record: Record, seat: int | None) -> None:
    names = [bot.name for bot in record.seats]
    told = 0
    game, comments = None, Comments(record)
    for game, move in walk(record):
        _put(narrate(game, told, seat, names))
        told = len(game.events)
        found = comments.of(move)
        _put(f"    {one} {names[one]} comments: {found[one]}" for one in found if seat in (None, one))
        _tell_mishaps(record, move, seat)
        if isinstance(move, GivenSlaps) and seat is None:
            times = [f"{r.seat} {r.corrected_us} us" for r in move.reactions if r.target is not None and r.corrected_us]
            put(*([f"    slap times: {', '.join(times)}"] if times else []))
    if game is not None:
        _put(narrate(game, told, seat, names))
    result = record.result
    for number, name in enumerate(names):
        _put([f"{number} {name}: total {result.totals[number]}, rank {result.ranks[number]}"])
        if seat in (None, number):
            put(*stderr_lines(record, number))


def _tell_own(match: BotMatch) -> None:
    """Print what a bot was told of its match: the events as they came to it, and its own faults."""
    game, seats = heading_lines(match, match.bots)
    put(game, *([place_line(match.place)] if match.place else []), seats)
    for entry in match.wire:
        if isinstance(entry, Sent):
            for event in events_in(entry):
                _put(in_words(event, match.bots))
        elif isinstance(entry, Wrote) and not entry.ignored and (comment := comment_in(entry)):
            _put([f"    {match.seat} {match.bot} comments: {comment}"])
        elif isinstance(entry, Faulted):
            what = "forfeits" if entry.forfeits else "is at fault"
            _put([f"    {match.seat} {match.bot} {what}: {entry.kind}: {printable(entry.detail, 300)}"])
            _put([f"    its line: {entry.line}"] if entry.line else [])
    for seat, name in enumerate(match.bots):
        _put([f"{seat} {name}: total {match.totals[seat]}, rank {match.ranks[seat]}"])
    put(*stderr_end(match.stderr, match.stderr_bytes))


def _tell_where_to_read(where: str, names: Sequence[str], guilty: Sequence[int]) -> None:
    """Say which commands tell more about the bots on these seats, which were at fault, and which page helps."""
    say(*(read_on(where, seat, names[seat]) for seat in guilty), *[page_for_authors()] * bool(guilty))


def _tell_mishaps(record: Record, move: Move, viewer: int | None) -> None:
    """Print what went wrong in a move. The public sees all of it, a seat only its own faults."""
    for seat, bot in enumerate(record.seats):
        mishap = mishap_of(move, seat)
        if mishap is not None and viewer in (None, seat):
            what = "forfeits" if isinstance(move, Forfeit) else "is at fault"
            _put([f"    {seat} {bot.name} {what}: {mishap.kind}: {printable(mishap.detail, 300)}"])
            _put([f"    its line: {mishap.line}"] if mishap.line else [])


def _put(lines: Iterable[str]) -> None:
    """Print what a record tells, which may come from anybody."""
    put(*map(harmless, lines))
