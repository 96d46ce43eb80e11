"""A match event by event, so that it can be shown forwards and backwards, as the public, a seat, or all cards open.

It is made by playing the record again, also of a match that goes on: then the record has the moves so far.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol import events as wire
from protocol.cards import Card
from protocol.text import printable
from referee.film.follower import Follower
from referee.film.view import View
from referee.film.words import told
from referee.reports.blame import mishap_of
from referee.rules.book.variants import restored
from referee.rules.game import Game
from referee.rules.record import BrokenRecord, Forfeit, Given, GivenSlaps, Move, Record, walk
from referee.rules.table.asks import Ask, Sealed
from referee.rules.table.seen import Happening, Seen, view
from referee.rules.table.table import Table

OPEN = -1
"""The viewer who sees all cards. Seats are 0 and up, and None is the public."""

Viewer = int | None

NOTE_LIMIT = 300
"""How many characters of what was wrong with an answer are shown."""


class Note(Struct, frozen=True, kw_only=True):
    """What the record tells of an answer besides the game."""

    seat: int
    """Whose answer it was."""
    text: str
    is_told: bool = False
    """Whether that seat was told it during the match."""

    def is_for(self, viewer: Viewer) -> bool:
        """Whether this viewer is shown it: a seat is shown what it was told, the others everything."""
        return viewer in (None, OPEN) or (viewer == self.seat and self.is_told)


class Frame(Struct, frozen=True, kw_only=True):
    """An event, and where in the match it happened."""

    event: Happening | None
    """None where the answer brought about nothing that is told; then there are notes on it."""
    turn: tuple[int, int]
    """The round and the number of the turn in it."""
    window: tuple[int, int]
    """The round and the number of the latest slap window in it; 0 before the first."""
    is_window: bool
    """Whether it is part of a slap window."""
    notes: tuple[Note, ...] = ()


class Film:
    """The frames of a match, and the table after each, as it is seen by whoever looks."""

    def __init__(self, record: Record, *, is_whole: bool = True) -> None:
        """Without `is_whole` the record may end in the middle of the match.

        Raises BrokenRecord where the record does not replay, and ValueError for options that there cannot be.
        """
        variant = restored(record.preset, record.options)
        self.title = record.name
        self.names = [printable(bot.name, 40) for bot in record.seats]
        self.frames: list[Frame] = []
        self.is_whole = is_whole
        self.moves = len(record.moves)
        """How many moves of the record it holds."""
        self._shape = {"seats": len(record.seats), "rows": variant.rows, "columns": variant.columns}
        self.blank: View = Follower(**self._shape).view
        """The table before anything has happened."""
        self._tables: dict[int, tuple[list[list[Card | None]], list[Card]]] = {}
        """What lies where, and what is in hand, after the frames of these numbers."""
        self._views: dict[Viewer, list[View]] = {}
        self._take(record)

    def __len__(self) -> int:
        return len(self.frames)

    def view(self, number: int, viewer: Viewer) -> View:
        """The table after a frame, as this viewer knows it."""
        if viewer not in self._views:
            self._views[viewer] = self._seen_by(viewer)
        return self._views[viewer][number]

    def words(self, number: int, viewer: Viewer) -> list[str]:
        """What a frame tells this viewer."""
        frame = self.frames[number]
        event = None if frame.event is None else _event(frame.event, viewer)
        lines = [] if event is None else list(told(event, self.names))
        return lines + [f"    {note.text}" for note in frame.notes if note.is_for(viewer)]

    def _take(self, record: Record) -> None:
        steps = walk(record)
        game: Game | None = None
        known, at = 0, ((1, 0), (1, 0), False)
        notes: tuple[Note, ...] = ()
        while True:
            try:
                game, move = next(steps)
            except StopIteration:
                break
            except BrokenRecord:
                if self.is_whole:
                    raise
                break
            self._add(game, known, at, notes)
            known, notes, round_ = len(game.events), tuple(_notes(record, move)), game.table.round
            at = (round_, turn_of(game)), (round_, game.table.windows), isinstance(move, GivenSlaps)
        if game is not None:
            self._add(game, known, at, notes)

    def _add(
        self, game: Game, known: int, at: tuple[tuple[int, int], tuple[int, int], bool], notes: tuple[Note, ...]
    ) -> None:
        """Add what an answer has brought about."""
        turn, window, is_window = at
        happened = game.events[known:]
        for event in happened:
            if isinstance(event, wire.Round):
                turn, window, is_window = (event.round, 0), (event.round, 0), False
            self.frames.append(Frame(event=event, turn=turn, window=window, is_window=is_window, notes=notes))
            notes = ()
        if notes:
            self.frames.append(Frame(event=None, turn=turn, window=window, is_window=is_window, notes=notes))
        self._tables[len(self.frames) - 1] = _lying(game.table)

    def _seen_by(self, viewer: Viewer) -> list[View]:
        follower = Follower(**self._shape)
        views: list[View] = []
        lying: dict[int, Card] = {}
        for number, frame in enumerate(self.frames):
            if frame.event is not None:
                follower.follow(_event(frame.event, viewer))
            views.append(follower.view)
            if viewer == OPEN and number in self._tables:
                lying |= _numbered(follower.view, *self._tables[number])
        return [replace(one, known={**lying, **one.known}) for one in views] if viewer == OPEN else views


def viewers(film: Film) -> list[Viewer]:
    """Everybody who can look, in the order in which a key goes through them."""
    return [None, *range(len(film.names)), OPEN]


def turn_of(game: Game) -> int:
    """The number of the turn in its round to which the open question belongs; 0 before the first one."""
    is_before = isinstance(game.question, Sealed) or (
        isinstance(game.question, Ask) and game.question.decision == "par"
    )
    return 0 if is_before else game.table.turns + 1


def _event(event: Happening, viewer: Viewer) -> wire.Event:
    return opened(event) if viewer == OPEN else view(event, viewer)


def opened(event: Happening) -> wire.Event:
    """The event with all its secrets."""
    shown = {name: _value(getattr(event, name)) for name in event.__struct_fields__}
    return replace(event, **shown)  # type: ignore[return-value] # of secrets nothing is left


def _value(value: Any) -> Any:
    if isinstance(value, Seen):
        return value.value
    return tuple(map(_value, value)) if isinstance(value, tuple) else value


def _lying(table: Table) -> tuple[list[list[Card | None]], list[Card]]:
    layouts = [[None if slot is None else slot.card for slot in layout] for layout in table.layouts]
    return layouts, [card for card in (table.hand, *table.extra) if card is not None]


def _numbered(seen: View, layouts: list[list[Card | None]], held: list[Card]) -> dict[int, Card]:
    """The cards by their numbers."""
    found = {}
    for layout, cards in zip(seen.layouts, layouts, strict=False):
        for placed, card in zip(layout, cards, strict=False):
            if placed is not None and card is not None:
                found[placed.number] = card
    return found | dict(zip(seen.hand.cards if seen.hand is not None else (), held, strict=False))


def _notes(record: Record, move: Move) -> Iterator[Note]:
    """The times of an answer or of slaps, and what was wrong."""
    if isinstance(move, Given) and move.time_us:
        yield Note(seat=move.seat, text=f"{move.seat} answered in {_time(move.time_us)}")
    if isinstance(move, GivenSlaps):
        for one in move.reactions:
            if one.target is not None and one.corrected_us:
                yield Note(seat=one.seat, text=f"{one.seat} slapped in {_time(one.corrected_us)}")
    for seat, bot in enumerate(record.seats):
        mishap = mishap_of(move, seat)
        if mishap is not None:
            what = "forfeits" if isinstance(move, Forfeit) else "is at fault"
            text = f"{seat} {printable(bot.name, 40)} {what}: {mishap.kind}: {printable(mishap.detail, NOTE_LIMIT)}"
            yield Note(seat=seat, text=text, is_told=True)


def _time(microseconds: float) -> str:
    return f"{microseconds / 1e3:.3g} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.3g} s"
