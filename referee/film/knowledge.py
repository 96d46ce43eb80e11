"""Which seats know which cards, as somebody can tell who has seen the same events as a viewer.

A card that is shown to seats is known to them from then on, wherever it goes, until an event moves cards in an order
that they are not told (protocol/README.md section 6). Who is shown a card is never hidden; which card it is may be.
So a viewer can tell of every seat what it knows, as far as he has followed the card himself. Nothing is reckoned here
from cards that the viewer does not know.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from protocol import events as wire
from protocol.actions import Target
from referee.film.view import OPEN, View, Viewer
from referee.rules.secrets import Hand, Secret, TableEvent

Knower = int | None
"""A seat, or None for the public, which knows what everybody was shown."""


class Known(Struct, frozen=True):
    """Since when a card is known, as the number of an event, and the kind of event that showed it."""

    since: int
    how: str


NOBODY: Mapping[Knower, Known] = MappingProxyType({})

Audience = tuple[int, ...] | None
"""The seats that saw it; None is everybody."""


class Shown(Struct, frozen=True, kw_only=True):
    """An event showed the card with this number."""

    number: int
    to: Audience


class HiddenOrder(Struct, frozen=True, kw_only=True):
    """Face-down cards of a seat changed places, and only some seats were told how."""

    of: int
    to: tuple[int, ...]


class Knowledge:
    """What a viewer can tell of who knows what; OPEN can tell everything."""

    def __init__(self, viewer: Viewer, seats: int) -> None:
        self.viewer = viewer
        self._everybody: tuple[Knower, ...] = (None, *range(seats))
        self._known: dict[int, Mapping[Knower, Known]] = {}

    def of(self, number: int) -> Mapping[Knower, Known]:
        """Who knows the card with this number."""
        return self._known.get(number, NOBODY)

    def own(self) -> list[int]:
        """The numbers of the cards that the viewer itself has been shown, and can still follow."""
        return [number for number, by in self._known.items() if self.viewer in by]

    def show(self, number: int, to: Audience, known: Known) -> None:
        """Note that a card was shown."""
        before = self.of(number)
        told = self._everybody if to is None else to
        if new := [one for one in told if one not in before]:
            self._known[number] = {**before, **dict.fromkeys(new, known)}

    def mix(self, down: Iterable[int], up: Iterable[int], told: tuple[int, ...], known: Known) -> None:
        """Note that cards changed places in an order that only these seats were told.

        Who was told can still follow each card. Whoever else looks on can still tell that they know a card if they
        knew all of them, though not any more which one they had been shown first.
        """
        down = tuple(down)
        if self.viewer == OPEN or self.viewer in told:
            for number in down:
                known_by = self.of(number)
                self._known[number] = {one: known_by[one] for one in told if one in known_by}
            return
        all_known: dict[Knower, Known] = {
            one: max((self.of(number)[one] for number in down), key=lambda what: (what.since, what.how))
            for one in told
            if down and all(one in self.of(number) for number in down)
        }
        for number in down:
            self._known[number] = all_known
        for number in up:
            self._known[number] = dict.fromkeys(self._everybody, known)

    def forget(self) -> None:
        """Note that all cards are dealt anew."""
        self._known.clear()


def learn(sides: Sequence[Knowledge], number: int, event: TableEvent, before: View, after: View) -> set[int]:
    """Note on all sides who has come to know what by the event with this number.

    Returns the seats whose slots may look otherwise now.
    """
    seats = {seat for seat in range(after.seats) if before.layouts[seat] is not after.layouts[seat]}
    if after.round != before.round:
        for side in sides:
            side.forget()
    known, hidden = Known(since=number, how=kind_of(event)), hidden_order(event)
    if hidden is not None:
        lies = [placed for placed in after.layouts[hidden.of] if placed is not None]
        up, down = [one.number for one in lies if one.up], [one.number for one in lies if not one.up]
        for side in sides:
            side.mix(down, up, hidden.to, known)
        seats.add(hidden.of)
    new = list(shown(event, after))
    for one in new:
        for side in sides:
            side.show(one.number, one.to, known)
    numbers = {one.number for one in new}
    return seats | {
        seat
        for seat, layout in enumerate(after.layouts)
        if numbers and any(placed is not None and placed.number in numbers for placed in layout)
    }


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


def shown(event: TableEvent, after: View) -> Iterator[Shown]:
    """The cards that an event shows, by their numbers. Those that have gone to the pile are left out."""
    for (seat, slot), card in _on_table(event):
        layout = after.layouts[seat]
        placed = layout[slot] if slot < len(layout) else None
        if placed is not None and card.value is not None:
            yield Shown(number=placed.number, to=card.to)
    told = _in_hand(event)
    held = () if after.hand is None else after.hand.cards[-len(told) :]
    for number, own in zip(held, told, strict=False):
        if own.value is not None:
            yield Shown(number=number, to=own.to)


def _on_table(event: TableEvent) -> Iterator[tuple[Target, Hand]]:
    """The cards that an event shows on the table, and where they lie after it, if they still do."""
    match event:
        case (
            wire.TurnedUp(seat=seat, slots=slots, cards=cards)
            | wire.Looked(seat=seat, slots=slots, cards=cards)
            | wire.SwappedOwn(seat=seat, slots=slots, cards=cards)
        ):
            yield from (((seat, slot), card) for slot, card in zip(slots, cards, strict=True))
        case wire.Swapped(seat=seat, slot=slot, card=card) | wire.Kept(seat=seat, slot=slot, card=card):
            yield (seat, slot), card
        case (
            wire.Peeked(target=target, card=card)
            | wire.Exposed(target=target, card=card)
            | wire.Planted(target=target, card=card)
            | wire.Traded(target=target, given=card)
        ):
            yield target, card
        case wire.Slapped(seat=seat, target=target, card=card, new_slot=new_slot):
            yield ((seat, new_slot) if new_slot is not None and seat != target[0] else target), card
        case wire.Showdown(layouts=layouts):
            yield from (((seat, slot), card) for seat, cards in enumerate(layouts) for slot, card in enumerate(cards))


def _in_hand(event: TableEvent) -> tuple[Hand, ...]:
    """The cards in hand that an event shows; they are the last ones there."""
    match event:
        case wire.Drew(card=card) | wire.PowerUsed(card=card) | wire.Traded(taken=card):
            return (card,)
        case wire.DrewTwo(cards=cards):
            return cards
    return ()
