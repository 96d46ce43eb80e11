"""What a step shows besides the state after it: which cards are concerned, and which of them moved from where to where.

All of it is read off the event and the tables before and after it, with no rule of a game.
"""

from collections.abc import Iterator
from functools import cache

from protocol import events as wire
from protocol.actions import Target
from referee.match_states.states import Moved, Place
from referee.match_states.view import View
from referee.rules.secrets import TableEvent

STOCK, PILE = Place(lies="stock"), Place(lies="pile")


def concerned(event: TableEvent, after: View) -> tuple[Target, ...]:
    """The cards on the table that are concerned, as seat and slot, where they lie afterwards."""
    return tuple(_concerned(event, after))


def _concerned(event: TableEvent, after: View) -> Iterator[Target]:
    match event:
        case wire.Arranged(seat=of) | wire.Rearranged(of=of) | wire.LinesSwapped(of=of) | wire.Shuffled(of=of):
            yield from _layout(after, of)
        case wire.TurnedUp(seat=seat, slots=slots) | wire.Looked(seat=seat, slots=slots):
            yield from ((seat, slot) for slot in slots)
        case wire.SwappedOwn(seat=seat, slots=both):
            yield from ((seat, slot) for slot in both)
        case wire.Swapped(seat=seat, slot=slot) | wire.Kept(seat=seat, slot=slot):
            yield seat, slot
        case wire.Stroked(seat=seat, row=row):
            yield from _rows(after, seat, (row,))
        case wire.PairsDiscarded(seat=seat, rows=rows):
            yield from _rows(after, seat, rows)
        case wire.PowerUsed(targets=targets) | wire.Switched(targets=targets):
            yield from targets
        case _:
            yield from _targets(event)


def _targets(event: TableEvent) -> Iterator[Target]:
    target: Target | None = getattr(event, "target", None)
    if target is not None:
        yield target
    match event:
        case wire.Slapped(seat=seat, new_slot=int(slot)) | wire.Gave(seat=seat, slot=int(slot)):
            yield seat, slot


def _rows(view: View, seat: int, rows: tuple[int, ...]) -> Iterator[Target]:
    yield from ((seat, row * view.columns + column) for row in rows for column in range(view.columns))


def _layout(view: View, seat: int) -> Iterator[Target]:
    yield from ((seat, slot) for slot, placed in enumerate(view.layouts[seat]) if placed is not None)


def card_moves(event: TableEvent, before: View, after: View) -> Iterator[Moved]:
    """Which cards moved, as somebody sees it who can follow them all. The deal is left out."""
    if isinstance(event, wire.Round):
        return
    old, new = _places(before, after), _places(after, before)
    for number, place in new.items():
        if number in old:
            if old[number] != place:
                yield Moved(source=old[number], target=place)
        elif not isinstance(event, wire.Shuffled):
            yield Moved(source=_origin(event), target=place)
    kept = isinstance(event, wire.Kept)
    for number, place in old.items():
        if number not in new and not isinstance(event, wire.Shuffled) and not (kept and place.lies == "hand"):
            yield Moved(source=place, target=_end(event))
    yield from _without_numbers(event)


def _places(view: View, other: View) -> dict[int, Place]:
    """Where each card with a number lies, but for the layouts and the hand that are the same in the other view."""
    places: dict[int, Place] = {}
    for seat, layout in enumerate(view.layouts):
        if layout is not other.layouts[seat]:
            places |= {placed.number: _slot(seat, slot) for slot, placed in enumerate(layout) if placed is not None}
    hand = view.hand
    if hand is not None and hand is not other.hand:
        places |= dict.fromkeys(hand.cards, Place(lies="hand", seat=hand.seat))
    return places


@cache
def _slot(seat: int, slot: int) -> Place:
    return Place(lies="slot", seat=seat, slot=slot)


def _origin(event: TableEvent) -> Place:
    """Where a card was that has a number only now."""
    match event:
        case wire.Drew(source="pile") | wire.PowerUsed():
            return PILE
        case wire.Kept(seat=seat):
            return Place(lies="hand", seat=seat)
    return STOCK


def _end(event: TableEvent) -> Place:
    """Where a card has gone that has no number any more."""
    return Place(lies="shield", seat=event.seat) if isinstance(event, wire.Shielded) else PILE


def _without_numbers(event: TableEvent) -> Iterator[Moved]:
    """Moves between places whose cards have no numbers, or of several cards of a hand."""
    match event:
        case wire.UpCard():
            yield Moved(source=STOCK, target=PILE)
        case wire.Reshuffled():
            yield Moved(source=PILE, target=STOCK)
        case wire.Blocked(seat=seat, shield=shield) if shield.value is not None:
            yield Moved(source=Place(lies="shield", seat=seat), target=PILE)
        case wire.Kept(seat=seat, discarded=discarded):
            yield from (Moved(source=Place(lies="hand", seat=seat), target=PILE) for _ in discarded[:-1])
