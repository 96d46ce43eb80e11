"""replay --json and --html: the states of a match as data for anybody's viewer, and as one page to look at."""

from pathlib import Path

import msgspec
from msgspec import Struct

from protocol.text import printable
from referee.commands.console import CHECK_FAILED, DONE, HOST_FAILED, USAGE, put_bytes, say
from referee.commands.records import holds_bot_matches, load_record, others_in, place_of
from referee.commands.replay import heading_lines, origin
from referee.commands.site import problem
from referee.film.documents import Documents
from referee.film.view import OPEN, Viewer
from referee.new_file import HostRefused, NotWritten, new_file
from referee.rules.record import BrokenRecord, NoRecord, Record
from referee.tournament.store.disk import StoreError


class Wanted(Struct, frozen=True, kw_only=True):
    """Which match is shown to whom."""

    where: str
    seat: int | None = None
    """As this seat knows it; None is everybody, where cards are not open."""
    is_open: bool = False
    """With all cards open."""
    page: Path | None = None
    """The file of the page; None prints the states as JSON."""
    replaces: bool = False
    """Whether a file that is there is replaced."""

    @property
    def viewer(self) -> Viewer:
        """Who looks."""
        return OPEN if self.is_open else self.seat


def show_states(wanted: Wanted) -> int:
    """Print the states document, or write the page. Returns the exit code."""
    if wanted.page is not None and (why := problem()):
        say(f"golfref replay: {why}")
        return USAGE
    try:
        record = _record(wanted)
        if wanted.page is None:
            put_bytes(msgspec.json.encode(Documents(record).document(wanted.viewer)) + b"\n")
        else:
            _write(wanted, record, wanted.page)
    except (NoRecord, NotWritten, StoreError) as error:
        say(f"golfref: {error}")
        return HOST_FAILED if isinstance(error, HostRefused) else USAGE
    except (BrokenRecord, ValueError) as error:  # options or keys that there cannot be, too
        say(f"golfref: {wanted.where}: {error}")
        return CHECK_FAILED
    return DONE


def _write(wanted: Wanted, record: Record, out: Path) -> None:
    """Write the page. Raises NotWritten."""
    page = _page(wanted, record)
    with new_file(out, replaces=wanted.replaces) as file:
        file.write(page)
    views = "all views" if wanted.seat is None else f"what seat {wanted.seat} was told, and nothing else"
    say(f"{out}: {views}, in one file of {len(page) / 1e3:.0f} kB that any browser shows without a network")


def _record(wanted: Wanted) -> Record:
    """The record that is shown. Raises NoRecord, also for what cannot be shown of it, and StoreError."""
    if holds_bot_matches(place_of(wanted.where)):
        raise NoRecord(
            f"{wanted.where} holds what one bot was told of its matches, and states are made of whole records: ask the "
            f"organiser for them; `golfref replay {wanted.where}` tells what the bot was told"
        )
    if wanted.is_open and (wanted.seat is not None or wanted.page is not None):
        raise NoRecord("--open goes with --json alone; a page has all views, and --seat is the view of one seat")
    record = load_record(wanted.where)
    say(*others_in(wanted.where))
    if wanted.seat is not None and not 0 <= wanted.seat < len(record.seats):
        raise NoRecord(f"--seat: expected 0 to {len(record.seats) - 1}, got {wanted.seat}")
    return record


def _page(wanted: Wanted, record: Record) -> bytes:
    from referee.site.match_page import AboutMatch, self_contained  # noqa: PLC0415 - it needs jinja2

    documents = Documents(record)
    viewers = documents.viewers if wanted.seat is None else (wanted.seat,)
    game, _ = heading_lines(record, documents.names)
    place = place_of(wanted.where)
    about = AboutMatch(
        title=printable(f"Match {place.number}: {record.name}" if place.number is not None else record.name, 200),
        run=printable(place.path.name, 200),
        replay=printable(wanted.where, 300),
        lines=tuple(f"{line}." for line in (game, *(printable(one, 300) for one in origin(place)))),
    )
    first = "open" if wanted.seat is None else f"seat{wanted.seat}"
    return self_contained(record, documents, viewers, about=about, first=first)
