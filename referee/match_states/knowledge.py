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


class Since(Struct, frozen=True):
    """Since when a card is known."""

    step: int
    """The number of the event that showed it."""
    how: str
    """The kind of that event."""


Knowers = Mapping[Knower, Since]


_NONE: Knowers = MappingProxyType({})


class KnownBy(Struct, frozen=True):
    """Who knows the cards on the rules' table after an event, as bits (`Slot.known_by`)."""

    slots: tuple[tuple[tuple[int, int] | None, ...], ...]
    """By seat and slot: who knows the card, and of whom everybody can tell that; None where the slot is empty."""
    hand: tuple[int, ...]
    """Who knows each card in hand."""


class WatchedTable(Table):
    """A table that keeps who knew what after each event."""

    known: list[KnownBy] = field(default_factory=list)

    def emit(self, event: TableEvent) -> None:
        """Note that something has happened, and who knows what now."""
        super().emit(event)
        slots = [
            tuple([None if slot is None else (slot.known_by, slot.openly_known_by) for slot in layout])
            for layout in self.layouts or [[]] * self.seats
        ]
        hand = () if self.hand is None else (self.hand_known_by,)
        self.known.append(KnownBy(tuple(slots), (*hand, *self.extra_known_by[: len(self.extra)])))


class Knowledge(Struct, frozen=True, kw_only=True):
    """Who knows the cards on the table after an event, by their numbers."""

    layouts: Sequence[Layout]
    known: KnownBy
    truth: Mapping[int, Knowers] = MappingProxyType({})
    openly: Mapping[int, Knowers] = MappingProxyType({})
    """What everybody at the table can tell."""

    @staticmethod
    def before_the_match(blank: View) -> "Knowledge":
        """Nobody knows anything."""
        return Knowledge(layouts=blank.layouts, known=KnownBy(((),) * blank.seats, ()))

    def of(self, number: int, viewer: Viewer) -> Knowers:
        """Who knows the card with this number, as the viewer can tell; OPEN can tell everything."""
        truth, openly = self.truth.get(number, _NONE), self.openly.get(number, _NONE)
        if viewer == OPEN:
            return truth
        return {**openly, viewer: truth[viewer]} if viewer in truth else openly

    def has(self, viewer: Viewer, number: int) -> bool:
        """Whether the viewer itself has been shown the card, and could follow it since."""
        return viewer == OPEN or viewer in self.truth.get(number, _NONE)

    def after(self, number: int, event: TableEvent, view: View, known: KnownBy) -> tuple["Knowledge", tuple[int, ...]]:
        """Who knows what after the event with this number, and the seats whose slots may look otherwise now."""
        now, everybody = Since(number, kind_of(event)), (2 << view.seats) - 1
        is_deal, hidden = isinstance(event, wire.Round), hidden_order(event)
        truth, openly = ({}, {}) if is_deal else (dict(self.truth), dict(self.openly))
        touched = tuple(
            seat
            for seat, slots in enumerate(known.slots)
            if view.layouts[seat] is not self.layouts[seat]
            or slots != self.known.slots[seat]
            or (hidden is not None and hidden.of == seat)
        )
        if hidden is not None:
            _mix(view.layouts[hidden.of], truth, openly)
        for seat in touched:
            for placed, both in zip(view.layouts[seat], known.slots[seat], strict=False):
                if placed is not None and both is not None:
                    true, open_ = (everybody, everybody) if placed.up else both
                    _note(truth, placed.number, _knowers(true, view.seats), now)
                    _note(openly, placed.number, _knowers(open_, view.seats), now)
        for card, bits in zip(() if view.hand is None else view.hand.cards, known.hand, strict=False):
            for by in (truth, openly):
                _note(by, card, _knowers(bits, view.seats), now)
        return Knowledge(layouts=view.layouts, known=known, truth=truth, openly=openly), touched


def _note(by: dict[int, Knowers], number: int, knowers: Sequence[Knower], now: Since) -> None:
    before = by.get(number, _NONE)
    if tuple(before) != knowers:
        by[number] = {one: before.get(one, now) for one in knowers}


def _mix(layout: Layout, truth: dict[int, Knowers], openly: dict[int, Knowers]) -> None:
    """Cards changed places unseen: since when they are known must not tell which went where."""
    down = [placed.number for placed in layout if placed is not None and not placed.up]
    latest: dict[Knower, Since] = {}
    for number in down:
        for one, since in openly.get(number, _NONE).items():
            latest[one] = max(since, latest.get(one, since), key=lambda since: since.step)
    for number in down:
        openly[number] = {one: latest[one] for one in openly.get(number, _NONE)}
    for placed in layout:
        if placed is not None and placed.up:
            truth.pop(placed.number, None)
            openly.pop(placed.number, None)


@cache
def _knowers(bits: int, seats: int) -> tuple[Knower, ...]:
    return tuple([None if bit == seats else bit for bit in range(seats + 1) if bits >> bit & 1])


def kind_of(event: TableEvent) -> str:
    """The kind of the event as on the wire."""
    return str(event.__struct_config__.tag)


class HiddenOrder(Struct, frozen=True, kw_only=True):
    """Face-down cards of a seat changed places, and only some seats were told how."""

    of: int
    to: tuple[int, ...]


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
