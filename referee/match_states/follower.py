"""A table followed event by event, as one viewer may know it.

A card that moves keeps its number, and what the viewer has been told of it, until an event breaks the trail
(protocol/README.md section 6). Nothing here guesses or reckons: it knows no rules, only what the events say.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol import events as wire
from protocol.actions import Target
from protocol.cards import Card
from referee.match_states.view import Hand, Layout, Placed, View


class Follower:
    """Follows the events of a match. `view` is the table after the last one."""

    def __init__(self, *, seats: int, rows: int, columns: int) -> None:
        """`rows` and `columns` as the `match` message tells them."""
        nothing: Layout = (None,) * (rows * columns)
        self.view = View(
            seats=seats,
            rows=rows,
            columns=columns,
            layouts=(nothing,) * seats,
            shields=((),) * seats,
            strokes=(frozenset(),) * seats,
            totals=(0,) * seats,
        )
        self._next = 0
        self._stood_in = False
        """Powers: whether the 2 that is copying has stood in for a card, so that it cannot do so again (POW-11)."""

    def follow(self, event: Struct) -> View:
        """The table after this event. An event of a kind that is not known here changes nothing.

        The method `_after_KIND` has what an event of this kind changes.
        """
        if note := getattr(self, f"_after_{event.__struct_config__.tag}", None):
            note(event)
        return self.view

    def set_turn(self, seat: int | None) -> None:
        """Note whose turn it is, where that is told otherwise than by an event."""
        self._change(turn=seat)

    # Cards

    def _new(self, card: Card | None) -> int:
        """The number of a card that was not followed before."""
        self._next += 1
        self._know(self._next, card)
        return self._next

    def _know(self, number: int, card: Card | None) -> None:
        if card is not None and self.view.known.get(number) != card:
            self._change(known={**self.view.known, number: card})

    def _change(self, **fields: Any) -> None:
        self.view = replace(self.view, **fields)

    def _at(self, target: Target) -> Placed:
        layout = self.view.layouts[target[0]]
        placed = layout[target[1]] if target[1] < len(layout) else None
        return placed or Placed(self._new(None), up=False)

    def _put(self, target: Target, placed: Placed | None) -> None:
        seat, slot = target
        layout = [*self.view.layouts[seat]]
        layout += [None] * (slot + 1 - len(layout))
        layout[slot] = placed
        self._set_layout(seat, layout)

    def _set_layout(self, seat: int, layout: Sequence[Placed | None]) -> None:
        layouts = self.view.layouts
        self._change(layouts=(*layouts[:seat], tuple(layout), *layouts[seat + 1 :]))

    def _to_pile(self, *cards: Card | None) -> None:
        self._change(pile=(*self.view.pile, *(card or "?" for card in cards)))

    def _from_pile(self, card: Card) -> None:
        """Take the highest of these cards out of the pile."""
        pile = [*self.view.pile]
        if card in pile:
            del pile[len(pile) - 1 - pile[::-1].index(card)]
            self._change(pile=tuple(pile))

    def _held(self) -> int:
        """The number of the card in hand."""
        hand = self.view.hand
        return hand.cards[0] if hand is not None and hand.cards else self._new(None)

    def _break_trail(self, seat: int) -> None:
        """From now on nobody can tell which of the seat's face-down cards is which."""
        self._set_layout(
            seat,
            [
                placed if placed is None or placed.up else Placed(self._new(None), up=False)
                for placed in self.view.layouts[seat]
            ],
        )

    def _by_seat(self, name: str, seat: int, value: Any) -> None:
        values = getattr(self.view, name)
        self._change(**{name: (*values[:seat], value, *values[seat + 1 :])})

    # What each kind of event changes

    def _after_round(self, event: wire.Round) -> None:
        view = self.view
        dealt = tuple(
            tuple(Placed(self._new(None), up=False) for _ in range(event.rows * view.columns))
            for _ in range(view.seats)
        )
        self.view = View(
            seats=view.seats,
            rows=event.rows,
            columns=view.columns,
            round=event.round,
            playoff=event.playoff,
            dealer=event.dealer,
            turn=event.starter,
            stock=event.stock,
            layouts=dealt,
            shields=((),) * view.seats,
            strokes=(frozenset(),) * view.seats,
            totals=event.totals,
            forfeited=view.forfeited,
        )

    def _after_up_card(self, event: wire.UpCard[wire.Shown]) -> None:
        self._change(pile=(event.card or "?",), stock=event.stock)

    def _after_turned_up(self, event: wire.TurnedUp[wire.Shown]) -> None:
        self._reveal(event.seat, event.slots, event.cards, up=True)

    def _after_looked(self, event: wire.Looked[wire.Shown]) -> None:
        self._reveal(event.seat, event.slots, event.cards)

    def _reveal(self, seat: int, slots: Sequence[int], cards: Sequence[Card | None], *, up: bool | None = None) -> None:
        for slot, card in zip(slots, cards, strict=True):
            placed = self._at((seat, slot))
            self._know(placed.number, card)
            if up is not None:
                self._put((seat, slot), Placed(placed.number, up=up))

    def _after_arranged(self, event: wire.Arranged[wire.Numbers]) -> None:
        if event.slots is None:
            self._break_trail(event.seat)
        else:
            layout = self.view.layouts[event.seat]
            self._set_layout(event.seat, [layout[slot] for slot in event.slots])

    def _after_drew(self, event: wire.Drew[wire.Shown]) -> None:
        if event.source == "pile":
            self._change(pile=self.view.pile[:-1])
        hand = Hand(seat=event.seat, cards=(self._new(event.card),))
        self._change(hand=hand, turn=event.seat, stock=event.stock)

    def _after_reshuffled(self, event: wire.Reshuffled) -> None:
        self._change(pile=self.view.pile[-1:], stock=event.stock)

    def _after_swapped(self, event: wire.Swapped[wire.Shown]) -> None:
        number = self._held()
        self._know(number, event.card)
        self._put((event.seat, event.slot), Placed(number, up=event.face_up))
        self._to_pile(event.replaced)
        self._change(hand=None)

    def _after_discarded(self, event: wire.Discarded[wire.Shown]) -> None:
        self._to_pile(event.card)
        self._change(hand=None)

    def _after_knocked(self, event: wire.Knocked) -> None:
        self._change(knocker=event.seat, turn=event.seat)

    def _after_finished(self, event: wire.Finished) -> None:
        self._change(knocker=event.seat)

    def _after_traded(self, event: wire.Traded[wire.Shown]) -> None:
        taken, number = self._at(event.target), self._held()
        self._know(number, event.given)
        self._know(taken.number, event.taken)
        self._put(event.target, Placed(number, up=True))
        self._change(hand=Hand(seat=event.seat, cards=(taken.number,)))

    def _after_swapped_own(self, event: wire.SwappedOwn[wire.Shown]) -> None:
        first, second = ((event.seat, slot) for slot in event.slots)
        one, other = self._at(first), self._at(second)
        self._put(first, Placed(other.number, up=one.up))
        self._put(second, Placed(one.number, up=other.up))
        for slot, card in zip(event.slots, event.cards, strict=True):
            self._know(self._at((event.seat, slot)).number, card)
        self._change(turn=event.seat)

    def _after_pairs_discarded(self, event: wire.PairsDiscarded[wire.Shown]) -> None:
        columns = self.view.columns
        for row in event.rows:
            for slot in range(row * columns, (row + 1) * columns):
                self._put((event.seat, slot), None)
        self._to_pile(*event.cards)
        self._change(turn=event.seat)

    def _after_stroked(self, event: wire.Stroked) -> None:
        columns = self.view.columns
        for slot in range(event.row * columns, (event.row + 1) * columns):
            self._put((event.seat, slot), Placed(self._at((event.seat, slot)).number, up=False))
        self._by_seat("strokes", event.seat, self.view.strokes[event.seat] | {event.row})
        self._change(turn=event.seat)

    # Powers

    def _after_power(self, event: wire.PowerUsed[wire.Shown]) -> None:
        """The card goes to the pile, except where its power keeps it on the table; a copy takes the 2 from the pile."""
        stays = event.power in _STAYS_ON_THE_TABLE
        card = event.card or "?"
        is_copy = card[:-1] == "2" and event.power != "2"
        if not is_copy:
            self._stood_in = False
        if is_copy and self._stood_in:
            return
        if not is_copy and not stays:
            self._to_pile(card)
            self._change(hand=None)
        elif is_copy and stays:
            self._from_pile(card)
            self._change(hand=Hand(seat=event.seat, cards=(self._new(card),)))
        elif stays:
            number = self._held()
            self._know(number, card)
            self._change(hand=Hand(seat=event.seat, cards=(number,)))

    def _after_blocked(self, event: wire.Blocked[wire.Shown]) -> None:
        hand = self.view.hand
        if hand is not None:  # a 9 that was to be planted
            self._stood_in = True
            self._to_pile(*(self.view.known.get(number) for number in hand.cards))
            self._change(hand=None)
        if event.shield is not None:
            self._to_pile(event.shield)
            self._by_seat("shields", event.seat, self.view.shields[event.seat][1:])

    def _after_shielded(self, event: wire.Shielded[wire.Shown]) -> None:
        self._by_seat("shields", event.seat, (*self.view.shields[event.seat], event.card or "?"))
        self._change(hand=None)
        self._stood_in = True

    def _after_peeked(self, event: wire.Peeked[wire.Shown]) -> None:
        self._know(self._at(event.target).number, event.card)

    def _after_switched(self, event: wire.Switched) -> None:
        first, second = event.targets
        one, other = self._at(first), self._at(second)
        self._put(first, other)
        self._put(second, one)

    def _after_rearranged(self, event: wire.Rearranged[wire.Numbers]) -> None:
        if event.slots is None:
            self._break_trail(event.of)
            return
        layout = self.view.layouts[event.of]
        occupied = [slot for slot, placed in enumerate(layout) if placed is not None]
        for slot, source in zip(occupied, event.slots, strict=True):
            self._put((event.of, slot), layout[source])

    def _after_lines_swapped(self, event: wire.LinesSwapped[str | None, wire.Numbers]) -> None:
        if event.axis is None or event.lines is None:
            self._set_layout(
                event.of,
                [
                    None if card is None else Placed(self._new(None if card == "?" else card), up=card != "?")
                    for card in event.layout
                ],
            )
            return
        view, layout = self.view, self.view.layouts[event.of]
        exchanged = dict(zip(event.lines, reversed(event.lines), strict=True))
        for slot in range(len(event.layout)):
            row, column = view.place(slot)
            if event.axis == "row":
                source = view.slot_at(exchanged.get(row, row), column)
            else:
                source = view.slot_at(row, exchanged.get(column, column))
            self._put((event.of, slot), layout[source] if source < len(layout) else None)

    def _after_shuffled(self, event: wire.Shuffled) -> None:
        down = [placed and Placed(placed.number, up=False) for placed in self.view.layouts[event.of]]
        self._set_layout(event.of, down)
        self._break_trail(event.of)

    def _after_added(self, event: wire.CardAdded) -> None:
        layout = self.view.layouts[event.target[0]]
        if event.target[1] == len(layout):  # a new column (POW-08)
            self._set_layout(event.target[0], (*layout, *(None,) * self.view.rows))
        self._put(event.target, Placed(self._new(None), up=False))
        self._change(stock=event.stock)

    def _after_removed(self, event: wire.CardRemoved[wire.Shown]) -> None:
        self._put(event.target, None)
        self._to_pile(event.card)

    def _after_planted(self, event: wire.Planted[wire.Shown]) -> None:
        number = self._held()
        self._know(number, event.card)
        self._put(event.target, Placed(number, up=False))
        self._to_pile(event.replaced)
        self._change(hand=None)
        self._stood_in = True

    def _after_exposed(self, event: wire.Exposed[wire.Shown]) -> None:
        self._reveal(event.target[0], (event.target[1],), (event.card,), up=True)

    def _after_hidden(self, event: wire.Hidden) -> None:
        self._put(event.target, Placed(self._at(event.target).number, up=False))

    def _after_drew_two(self, event: wire.DrewTwo[wire.Shown]) -> None:
        eight = () if self.view.hand is None else self.view.hand.cards
        held = (*eight, *(self._new(card) for card in event.cards))
        self._change(hand=Hand(seat=event.seat, cards=held), stock=event.stock)

    def _after_kept(self, event: wire.Kept[wire.Shown]) -> None:
        hand = self.view.hand
        if hand is not None and self.view.known.get(hand.cards[0]) not in event.discarded:
            self._stood_in = True  # the 8, or the 2 in its place, was kept
        self._put((event.seat, event.slot), Placed(self._new(event.card), up=False))
        self._to_pile(*event.discarded)
        self._change(hand=None)

    def _after_knock_cancelled(self, _: wire.KnockCancelled) -> None:
        self._change(knocker=None)

    # Slaps

    def _after_slapped(self, event: wire.Slapped[wire.Shown]) -> None:
        placed = self._at(event.target)
        self._know(placed.number, event.card)
        if event.verdict == "right":
            self._put(event.target, None)
            self._to_pile(event.card)
        elif event.new_slot is not None and event.target[0] == event.seat:
            self._put((event.seat, event.new_slot), Placed(self._new(None), up=False))
        elif event.new_slot is not None:
            self._put(event.target, None)
            self._put((event.seat, event.new_slot), Placed(placed.number, up=False))
        self._change(stock=event.stock)

    def _after_gave(self, event: wire.Gave) -> None:
        given = self._at((event.seat, event.slot))
        self._put((event.seat, event.slot), None)
        self._put(event.target, given)

    # The end of a round

    def _after_showdown(self, event: wire.Showdown[wire.Shown]) -> None:
        for seat, cards in enumerate(event.layouts):
            for slot, card in enumerate(cards):
                if card is not None:
                    self._reveal(seat, (slot,), (card,), up=True)
        self._change(hand=None, turn=None)

    def _after_scored(self, event: wire.Scored) -> None:
        self._change(scores=event.scores, totals=event.totals)

    def _after_forfeited(self, event: wire.Forfeited) -> None:
        self._change(forfeited=self.view.forfeited | {event.seat})


_STAYS_ON_THE_TABLE = frozenset({"5", "8", "9"})
"""The powers whose card becomes a shield, is one of three to be kept, or is planted (README section 6)."""
