"""A match event by event, so that it can be shown forwards and backwards, as the public, a seat, or all cards open.

It is made by playing the record again, also of a match that goes on: then the record has the moves so far.
"""

from collections.abc import Container, Iterator

from msgspec import Struct
from msgspec.structs import replace

from protocol.text import printable
from referee.match_states.knowledge import Knowledge
from referee.match_states.moments import Moment
from referee.match_states.reel import Answer, Reel, opened
from referee.match_states.view import OPEN, View, Viewer
from referee.match_states.words import NOTE_LIMIT, told
from referee.reports.faults import mishap_of
from referee.rules.record import Forfeit, Given, GivenSlaps, Record, was_asked
from referee.rules.secrets import TableEvent, view


class Note(Struct, frozen=True, kw_only=True):
    """What the record tells of an answer besides the game."""

    seat: int
    """Whose answer it was."""
    text: str
    is_told: bool = False
    """Whether that seat was told it during the match, or wrote it."""

    def is_for(self, viewer: Viewer) -> bool:
        """Whether this viewer is shown it: a seat is shown what it was told, the others everything."""
        return viewer in (None, OPEN) or (viewer == self.seat and self.is_told)


class Frame(Struct, frozen=True, kw_only=True):
    """An event, and when in the match it happened."""

    event: TableEvent | None
    """None where the answer brought about nothing that is told; then there are notes on it."""
    moment: Moment
    name: str
    """That of the moment; a frame without an event has the name of the one before it."""
    notes: tuple[Note, ...] = ()


class Film:
    """The frames of a match, and the table after each, as it is seen by whoever looks."""

    def __init__(self, record: Record) -> None:
        """Raises BrokenRecord where the record does not replay, and ValueError for options that there cannot be."""
        self.title = record.name
        self.names = [printable(bot.name, 40) for bot in record.seats]
        self.moves = len(record.moves)
        """How many moves of the record it holds."""
        self._reel = Reel(record)
        self.frames = list(_frames(self._reel))
        self._views: dict[Viewer, list[View]] = {}

    def __len__(self) -> int:
        return len(self.frames)

    def view(self, number: int, viewer: Viewer) -> View:
        """The table after a frame, as this viewer knows it."""
        if viewer not in self._views:
            self._views[viewer] = list(self._seen_by(viewer))
        return self._views[viewer][number]

    def words(self, number: int, viewer: Viewer) -> list[str]:
        """What a frame tells this viewer."""
        frame = self.frames[number]
        lines: list[str] = []
        if frame.event is not None:
            event = opened(frame.event) if viewer == OPEN else view(frame.event, viewer)
            lines += told(event, self.names)
        return lines + [f"    {note.text}" for note in frame.notes if note.is_for(viewer)]

    def _seen_by(self, viewer: Viewer) -> Iterator[View]:
        """The table after each frame."""
        reel, knowledge = self._reel, Knowledge(self._reel.blank)
        seen, steps = reel.blank, enumerate(reel.views)
        for frame in self.frames:
            if frame.event is not None:
                number, after = next(steps)
                knowledge.follow(number, frame.event, after, reel.known[number])
                known = reel.cards if viewer == OPEN else {one: reel.cards[one] for one in knowledge.own(viewer)}
                seen = replace(after, known=known, turn=reel.turns[number])
            yield seen


def viewers(film: Film) -> list[Viewer]:
    """Everybody who can look, in the order in which a key goes through them."""
    return [None, *range(len(film.names)), OPEN]


def _frames(reel: Reel) -> Iterator[Frame]:
    """A frame for each event, and one for each answer of which there are only notes."""
    yield from _of_events(reel, 0, reel.answers[0].first if reel.answers else len(reel.events))
    out = set[int]()
    for answer in reel.answers:
        if isinstance(answer.move, Forfeit):
            out.add(answer.move.seat)
        notes = tuple(_notes(reel.record, answer, out))
        yield from _of_events(reel, answer.first, answer.events, notes)
        if notes and not answer.events:
            yield Frame(event=None, moment=answer.moment, name=reel.name_of(answer), notes=notes)


def _of_events(reel: Reel, first: int, events: int, notes: tuple[Note, ...] = ()) -> Iterator[Frame]:
    """The frames of so many events; the notes stand beside the first one."""
    for number in range(first, first + events):
        yield Frame(event=reel.events[number], moment=reel.moments[number], name=reel.names[number], notes=notes)
        notes = ()


def _notes(record: Record, answer: Answer, out: Container[int]) -> Iterator[Note]:
    """The times of an answer or of slaps, comments, and what was wrong; the seats that are `out` have forfeited."""
    move = answer.move
    if isinstance(move, Given) and was_asked(move, out):
        yield Note(seat=move.seat, text=f"{move.seat} answered in {_time(move.time_us)}")
    if isinstance(move, GivenSlaps):
        for one in move.reactions:
            if one.target is not None and one.corrected_us:
                yield Note(seat=one.seat, text=f"{one.seat} slapped in {_time(one.corrected_us)}")
    for seat, comment in answer.comments.items():
        yield Note(seat=seat, text=f"{seat} comments: {comment}", is_told=True)
    for seat, bot in enumerate(record.seats):
        mishap = mishap_of(move, seat)
        if mishap is not None:
            what = "forfeits" if isinstance(move, Forfeit) else "is at fault"
            text = f"{seat} {printable(bot.name, 40)} {what}: {mishap.kind}: {printable(mishap.detail, NOTE_LIMIT)}"
            yield Note(seat=seat, text=text, is_told=True)


def _time(microseconds: float) -> str:
    return f"{microseconds / 1e3:.3g} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.3g} s"
