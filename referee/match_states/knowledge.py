"""Since when a viewer can tell of a seat that it knows a card, and by which event.

Who knows a card stands in its slot on the rules' table (`Slot.known_by`). Here the numbers that cards have in the views
add since when, which never tells a viewer more than the events did.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from msgspec import Struct, field

from protocol import events as wire
from referee.match_states.view import OPEN, Layout, View, Viewer
from referee.rules.secrets import Secret, TableEvent
from referee.rules.table import Table

Knower = int | None
"""A seat, or None for the public, which knows what everybody was shown."""


class Known(Struct, frozen=True):
    """Since when a card is known, as the number of an event, and the kind of event that showed it."""

    since: int
    how: str


By = Mapping[Knower, Known]

NOBODY: By = MappingProxyType({})


class KnownBy(Struct, frozen=True, kw_only=True):
    """Who knows the cards on the table after an event, as bits (`Slot.known_by`)."""

    slots: tuple[tuple[tuple[int, int] | None, ...], ...]
    """By seat and slot: who knows the card, and of whom everybody can tell that; None where the slot is empty."""
    hand: tuple[int, ...]
    """Who knows each card in hand."""


def known_by(table: Table) -> KnownBy:
    """Return who knows the cards that lie on the table now."""
    slots = [
        tuple([None if slot is None else (slot.known_by, slot.openly_known_by) for slot in layout])
        for layout in table.layouts or [[]] * table.seats
    ]
    hand = () if table.hand is None else (table.hand_known_by,)
    return KnownBy(slots=tuple(slots), hand=(*hand, *table.extra_known_by[: len(table.extra)]))


class WatchedTable(Table):
    """A table that keeps who knew what after each event."""

    known: list[KnownBy] = field(default_factory=list)

    def emit(self, event: TableEvent) -> None:
        """Note that something has happened, and who knows what now."""
        super().emit(event)
        self.known.append(known_by(self))


class HiddenOrder(Struct, frozen=True, kw_only=True):
    """Face-down cards of a seat changed places, and only some seats were told how."""

    of: int
    to: tuple[int, ...]


class Knowledge:
    """Who knows what after each event of a match, for every viewer: `follow` the events in their order."""

    def __init__(self, before: View) -> None:
        """`before` is the table before the first event."""
        self._seats, self._everybody = before.seats, (2 << before.seats) - 1
        self._layouts: Sequence[Layout] = before.layouts
        self._known = KnownBy(slots=((),) * before.seats, hand=())
        self._truth: dict[int, By] = {}
        self._openly: dict[int, By] = {}
        """What everybody at the table can tell."""

    def of(self, number: int, viewer: Viewer) -> By:
        """Who knows the card with this number, as the viewer can tell; OPEN can tell everything."""
        truth, openly = self._truth.get(number, NOBODY), self._openly.get(number, NOBODY)
        if viewer == OPEN:
            return truth
        return {**openly, viewer: truth[viewer]} if viewer in truth else openly

    def knows(self, viewer: Viewer, number: int) -> bool:
        """Whether the viewer itself has been shown the card, and could follow it since."""
        return viewer == OPEN or viewer in self._truth.get(number, NOBODY)

    def own(self, viewer: Viewer) -> list[int]:
        """The numbers of the cards that the viewer knows."""
        return [number for number in self._truth if self.knows(viewer, number)]

    def follow(self, number: int, event: TableEvent, after: View, known: KnownBy) -> set[int]:
        """Note who knows what after the event with this number; return the seats whose slots may look otherwise now."""
        now = Known(since=number, how=kind_of(event))
        if isinstance(event, wire.Round):
            self._truth, self._openly = {}, {}
        seats = {seat for seat in range(self._seats) if self._layouts[seat] is not after.layouts[seat]}
        seats |= {seat for seat, slots in enumerate(known.slots) if slots != self._known.slots[seat]}
        hidden = hidden_order(event)
        if hidden is not None:
            self._mix(after.layouts[hidden.of], now)
            seats.add(hidden.of)
        self._layouts, self._known = after.layouts, known
        for seat in seats:
            for placed, both in zip(after.layouts[seat], known.slots[seat], strict=False):
                if placed is not None and both is not None:
                    self._note(placed.number, *((self._everybody,) * 2 if placed.up else both), now)
        for own, bits in zip(() if after.hand is None else after.hand.cards, known.hand, strict=False):
            self._note(own, bits, bits, now)
        return seats

    def _note(self, number: int, truth: int, openly: int, now: Known) -> None:
        for by, bits in ((self._truth, truth), (self._openly, openly)):
            before, knowers = by.get(number, NOBODY), _knowers(bits, self._seats)
            if tuple(before) != knowers:
                by[number] = {one: before.get(one, now) for one in knowers}

    def _mix(self, layout: Layout, now: Known) -> None:
        """Cards changed places unseen: since when they are known must not tell which went where."""
        down = [placed.number for placed in layout if placed is not None and not placed.up]
        latest: dict[Knower, Known] = {}
        for number in down:
            for one, known in self._openly.get(number, NOBODY).items():
                latest[one] = max(known, latest.get(one, known), key=lambda known: known.since)
        for number in down:
            self._openly[number] = {one: latest[one] for one in self._openly.get(number, NOBODY)}
        for placed in layout:
            if placed is not None and placed.up:
                everybody = dict.fromkeys(_knowers(self._everybody, self._seats), now)
                self._truth[placed.number] = self._openly[placed.number] = everybody


@cache
def _knowers(bits: int, seats: int) -> tuple[Knower, ...]:
    return tuple([None if bit == seats else bit for bit in range(seats + 1) if bits >> bit & 1])


def kind_of(event: TableEvent) -> str:
    """The kind of the event as on the wire."""
    return str(event.__struct_config__.tag)


def hidden_order(event: TableEvent) -> HiddenOrder | None:
    """Whose face-down cards changed places unseen by others, and by whom it was seen; None where nothing is hidden."""
    match event:
        case wire.Arranged(seat=of, slots=Secret(to=to)) | wire.Rearranged(of=of, slots=Secret(to=to)):
            return None if to is None else HiddenOrder(of=of, to=to)
        case wire.LinesSwapped(of=of, lines=Secret(to=to)):
            return None if to is None else HiddenOrder(of=of, to=to)
        case wire.Shuffled(of=of):
            return HiddenOrder(of=of, to=())
    return None
