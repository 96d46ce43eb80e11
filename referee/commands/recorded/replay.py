"""replay: a match that was recorded, in words, on the terminal, as a page or as data."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from protocol.text import harmless, printable
from referee.commands.console import put, say
from referee.commands.options import Force, refuse
from referee.commands.recorded.heading import heading_lines, origin, place_line
from referee.commands.recorded.records import OpenedMatch, check_seat, open_match, replaying
from referee.errors import DONE, CommandError
from referee.reports.bot_match import BotMatch, Faulted, Sent, Wrote, events_in
from referee.reports.comments import Comments, comment_in
from referee.reports.faults import mishap_of, page_for_authors, read_on, stderr_end
from referee.reports.narrate import in_words, narrate
from referee.rules.record import Forfeit, GivenSlaps, Move, Record, walk


class ReplayOptions(Struct, frozen=True, kw_only=True):
    """What `golfref replay` was asked to show."""

    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD", help="A record file, one of its games as FILE:1, or a match of a run as RUN:17."
        ),
    ]
    seat: Annotated[int | None, typer.Option(min=0, help="Show what this seat saw.")] = None
    step: Annotated[
        bool, typer.Option("--step", help="Draw the table on this terminal, event by event, forwards and backwards.")
    ] = False
    at: Annotated[
        str | None,
        typer.Option(
            metavar="MOMENT",
            help="Step from this moment on, such as r3t12: turn 12 of round 3; r3w2: its slap window 2.",
        ),
    ] = None
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write one page with all views, or --seat's alone."),
    ] = None
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the states of the match as JSON (referee/match_states/README.md).")
    ] = False
    is_open: Annotated[bool, typer.Option("--open", help="With --json: show all cards.")] = False
    replaces: Force = False

    def check(self) -> None:
        """Raise CommandError where an option has no effect with the others."""
        steps = self.step or self.at is not None
        ways = [*["--step"] * steps, *["--html"] * (self.html is not None), *["--json"] * self.as_json]
        if len(ways) > 1:
            raise CommandError(f"{' and '.join(ways)} show a match in different ways; choose one")
        if self.is_open and not self.as_json:
            raise CommandError("--open: it goes with --json; a page has all views")
        if self.is_open:
            refuse("--open", {"--seat": self.seat})
        if self.replaces and self.html is None:
            raise CommandError("--force: it goes with --html")


def replay(options: ReplayOptions) -> int:
    """Show a match again, as the public or as a seat saw it: in words, on the terminal, as a page or as data.

    Example: golfref replay cup.golfref:17 --step
    """
    options.check()
    opened = open_match(options.record)
    with replaying(options.record):
        if options.step or options.at is not None:
            from referee.commands.recorded.step import step_through  # noqa: PLC0415 - words need no film

            step_through(opened, options.seat, options.at)
        elif options.html is not None or options.as_json:
            from referee.commands.recorded.states import show_states  # noqa: PLC0415 - as above

            show_states(opened, options.seat, is_open=options.is_open, page=options.html, replaces=options.replaces)
        else:
            _put_in_words(opened, options.seat)
    return DONE


def _put_in_words(opened: OpenedMatch, seat: int | None) -> None:
    """Print a match in words, as the public or a seat saw it, with what went wrong and how slaps were timed."""
    if opened.is_of_one_bot:
        own = opened.bot_match(None if seat is None else str(seat))
        say(*opened.note)
        _put_own(own)
        _say_where_to_read(opened.where, own.bots, [own.seat] if own.faults else [])
        return
    record = opened.record()
    check_seat(record, seat)
    say(*opened.note)
    game, seats = heading_lines(record, [bot.name for bot in record.seats])
    put(game, *origin(opened), seats)
    _put_record(record, seat)
    guilty = [one for one, bot in enumerate(record.seats) if bot.faults and seat in (None, one)]
    _say_where_to_read(opened.where, [bot.name for bot in record.seats], guilty)


def _put_record(record: Record, seat: int | None) -> None:
    names = [bot.name for bot in record.seats]
    told = 0
    game, comments = None, Comments(record)
    for game, move in walk(record):
        _put(narrate(game, told, seat, names))
        told = len(game.events)
        found = comments.of(move)
        _put(f"    {one} {names[one]} comments: {found[one]}" for one in found if seat in (None, one))
        _put_mishaps(record, move, seat)
        if isinstance(move, GivenSlaps) and seat is None:
            times = [f"{r.seat} {r.corrected_us} us" for r in move.reactions if r.target is not None and r.corrected_us]
            put(*([f"    slap times: {', '.join(times)}"] if times else []))
    if game is not None:
        _put(narrate(game, told, seat, names))
    result = record.result
    for number, name in enumerate(names):
        _put([f"{number} {name}: total {result.totals[number]}, rank {result.ranks[number]}"])
        if seat in (None, number):
            put(*stderr_end(record.seats[number].stderr, record.seats[number].stderr_bytes))


def _put_own(match: BotMatch) -> None:
    """Print the events as they came to a bot, and its own faults."""
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


def _say_where_to_read(where: str, names: Sequence[str], guilty: Sequence[int]) -> None:
    """Print which commands have more about the bots on these seats, which were at fault, and which page helps."""
    say(*(read_on(where, seat, names[seat]) for seat in guilty), *[page_for_authors()] * bool(guilty))


def _put_mishaps(record: Record, move: Move, viewer: int | None) -> None:
    """Print what went wrong in a move. The public sees all of it, a seat only its own faults."""
    for seat, bot in enumerate(record.seats):
        mishap = mishap_of(move, seat)
        if mishap is not None and viewer in (None, seat):
            what = "forfeits" if isinstance(move, Forfeit) else "is at fault"
            _put([f"    {seat} {bot.name} {what}: {mishap.kind}: {printable(mishap.detail, 300)}"])
            _put([f"    its line: {mishap.line}"] if mishap.line else [])


def _put(lines: Iterable[str]) -> None:
    """Print lines of a record, which may come from strangers."""
    put(*map(harmless, lines))
