"""replay --json and --html: the states of a match as data for anybody's viewer, and as one page to look at."""

from pathlib import Path

import msgspec

from protocol.text import printable
from referee.commands.console import put_bytes, say
from referee.commands.recorded.heading import heading_lines, origin
from referee.commands.recorded.records import OpenedMatch, check_seat
from referee.commands.runs.site import problem
from referee.errors import CommandError
from referee.match_states.documents import document
from referee.match_states.view import OPEN
from referee.new_file import new_file
from referee.rules.record import NoRecord, Record


def show_states(opened: OpenedMatch, seat: int | None, *, is_open: bool, page: Path | None, replaces: bool) -> None:
    """Print the states document of everybody, of this seat or with all cards open; or write the page."""
    if page is not None and (why := problem("jinja2")):
        raise CommandError(why)
    if opened.is_of_one_bot:
        raise NoRecord(
            f"{opened.where} holds what one bot was sent in its matches, and states are made of whole records: ask the "
            f"organiser for them; `golfref replay {opened.where}` prints what the bot was sent"
        )
    record = opened.record()
    say(*opened.note)
    check_seat(record, seat)
    if page is None:
        put_bytes(msgspec.json.encode(document(record, OPEN if is_open else seat)) + b"\n")
        return
    data = _page(opened, record, seat)
    with new_file(page, replaces=replaces) as file:
        file.write(data)
    views = "all views" if seat is None else f"what seat {seat} was sent, and nothing else"
    say(f"{page}: {views}, in one file of {len(data) / 1e3:.0f} kB that any browser shows without a network")


def _page(opened: OpenedMatch, record: Record, seat: int | None) -> bytes:
    from referee.site.match_page import AboutMatch, self_contained  # noqa: PLC0415 - it needs jinja2

    game, _ = heading_lines(record, [printable(bot.name, 40) for bot in record.seats])
    place = opened.place
    about = AboutMatch(
        title=printable(f"Match {place.number}: {record.name}" if place.number is not None else record.name, 200),
        run=printable(place.path.name, 200),
        replay=printable(opened.where, 300),
        lines=tuple(f"{line}." for line in (game, *(printable(one, 300) for one in origin(opened)))),
    )
    return self_contained(record, about, seat)
