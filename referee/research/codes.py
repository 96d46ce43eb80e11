"""A round as its seats know it, in small integers: one array a seat, in which each event changes a few.

`Fields` says where each number stands, `Codes` follows the events. These come from a game with all secrets, or as a bot
is sent them: a card that a seat may not see is null there. An array holds what its seat may know, and never what comes
from a secret of others. Seats are counted from the one that looks, 0 itself, then clockwise.

README.md in this folder has the list of the numbers, `codec.py` what becomes of them. Knows no rules but those by which
events change the table.
"""

from __future__ import annotations  # array[int] is a type for type checkers alone

from array import array
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from protocol import events
from protocol.actions import Target
from protocol.cards import Card
from referee.research.columns import DECISIONS, EMPTY, KINDS, KNOWN, POWER_NAMES, UNKNOWN, Fields
from referee.research.moves import NOTHING_BEGUN, Begun
from referee.rules.games.power_cards import POWERS, line_of_set, power_of
from referee.rules.questions import Ask
from referee.rules.secrets import Secret
from referee.rules.variants import Variant, size

_OPENS = frozenset({"turn", "pairs", "stroke"})
"""Decisions that can be the first of a turn."""


def _value(secret: Any) -> Any:
    """A field of an event that may be secret: its value as the game has it, or as the bot was sent it."""
    return secret.value if type(secret) is Secret else secret


class _Card:
    """A card outside of the stock. Seats are bits, as in `Slot.known_by`."""

    __slots__ = ("code", "kind", "known", "openly", "shown", "up")

    def __init__(self, code: Card | None, kind: int) -> None:
        self.code, self.kind = code, kind
        self.up = False
        self.known = 0
        """The seats that know it."""
        self.openly = 0
        """Those of whom everybody at the table can tell that they know it."""
        self.shown = 0
        """The number of the event in its round that showed it last."""


class Codes:
    """The arrays of some seats of one match, which follow its events."""

    def __init__(self, variant: Variant, fields: Fields, viewers: Sequence[int]) -> None:
        """Begin before the first event. All arrays of the `viewers` are parts of one, `codes`, in their order."""
        self.variant, self.fields = variant, fields
        self.viewers = tuple(viewers)
        self.codes = array("i", fields.blank * len(viewers))
        self._all = (1 << fields.seats) - 1
        size_ = fields.size
        self._rows = tuple((seat, number * size_) for number, seat in enumerate(viewers))
        self._base = dict(self._rows)
        self._arrays: dict[int, NDArray[np.int32]] | None = None
        self._cards_at = tuple(
            tuple(
                (viewer, base + fields.at["cards"] + (owner - viewer) % fields.seats * fields.places)
                for viewer, base in self._rows
            )
            for owner in range(fields.seats)
        )
        at = fields.at
        self._unseen, self._kinds = at["unseen"], len(fields.of_kind)
        self._without_slot = tuple(at[name] for name in ("turn", "turns", "stock", "pile", "top", "hand_of", "hand"))
        self._is_open_draw = variant.play == "two_deck"
        self._has_power, self._has_latest = "power" in at, "latest_row" in at
        self._over = fields.at.get("knows", 0) - fields.at["cards"], fields.at.get("shown", 0) - fields.at["cards"]
        self.followed = 0
        """How many events of the match have been followed; its first one, of a round, clears what is kept."""
        self._clear()

    def _clear(self) -> None:
        for _, base in self._rows:
            self.codes[base : base + self.fields.size] = self.fields.blank
        self._begun = dict.fromkeys(self.viewers, NOTHING_BEGUN)
        self.layouts: list[list[_Card | None]] = [[] for _ in range(self.fields.seats)]
        self.pile: list[_Card] = []
        self.hand: _Card | None = None
        self.extra: list[_Card] = []
        self.stock, self.power = 0, 0
        self.shields = [0] * self.fields.seats
        self.shield_uses = [0] * self.fields.seats
        self.now = 0
        """The number of the event in its round."""
        self.turn, self.has_acted, self.may_flip = 0, False, False
        self.turns = 0
        self.to_come: list[int] | None = None
        self.ender: int | None = None
        self.is_spent = False
        """Powers: whether the card of this turn has become a shield, was planted or kept, or was blocked."""
        self.aimed: tuple[Target, ...] = ()
        self.flips_before = 0
        """How many seats have still to turn up their first cards."""

    def copy(self) -> Codes:
        """Return an independent copy, with an array of its own."""
        other = copy(self)
        other.codes, other._arrays = array("i", self.codes), None
        twins: dict[int, _Card] = {}

        def twin(card: _Card) -> _Card:
            if id(card) not in twins:
                twins[id(card)] = copy(card)
            return twins[id(card)]

        other.layouts = [[card and twin(card) for card in layout] for layout in self.layouts]
        other.pile, other.extra = [*map(twin, self.pile)], [*map(twin, self.extra)]
        other.hand = self.hand and twin(self.hand)
        other.shields, other.shield_uses = list(self.shields), list(self.shield_uses)
        other.to_come = None if self.to_come is None else list(self.to_come)
        other._begun = dict(self._begun)
        return other

    # What is read

    def follow(self, some: Sequence[Any]) -> None:
        """Follow these events, which come next."""
        for event in some:
            handle = _HANDLERS.get(type(event))
            if handle is not None:
                handle(self, event)
            self.stock = getattr(event, "stock", self.stock)
            self.now += 1
        self.followed += len(some)

    @property
    def rows(self) -> dict[int, NDArray[np.int32]]:
        """The arrays by seat as they are kept: further events write into them."""
        if self._arrays is None:
            together = np.frombuffer(self.codes, np.int32)
            together.flags.writeable = False
            self._arrays = {seat: together[base : base + self.fields.size] for seat, base in self._rows}
        return self._arrays

    def turn_of(self, ask: Ask) -> None:
        """Note whose turn begins with this question."""
        if ask.decision in _OPENS:
            self._begin_turn(ask.seat)

    def decide(self, seat: int, ask: Ask | None, begun: Begun = NOTHING_BEGUN) -> None:
        """Write what this seat is asked and has not answered yet, how far its answer has come, and what has no slot."""
        base, codes, seats = self._base[seat], self.codes, self.fields.seats
        turn, turns, stock, pile, top, hand_of, hand = self._without_slot
        codes[base] = 0 if ask is None else _DECISION_CODES[ask.decision]
        codes[base + turn] = relative = (self.turn - seat) % seats + 1
        codes[base + turns] = self.turns
        codes[base + stock] = self.stock
        codes[base + pile] = len(self.pile)
        codes[base + top] = self.pile[-1].kind + 1 if self.pile else 0
        card = self.hand
        codes[base + hand_of] = 0 if card is None else relative
        codes[base + hand] = card.kind + 1 if card is not None and card.known >> seat & 1 else 0
        if self.fields.is_hidden:
            codes[base + self.fields.at["now"]] = self.now
        if self._has_power:
            codes[base + self.fields.at["power"]] = self.power
            extra = [card.kind + 1 if card.known >> seat & 1 else 0 for card in self.extra]
            for number, kind in enumerate([*extra, 0, 0][:2]):
                codes[base + self.fields.at["extra"] + number] = kind
        if self.fields.has_steps and begun is not self._begun[seat]:
            self._write_begun(seat, begun)

    def beyond(self) -> dict[Target, int]:
        """Return the places of cards in slots with high numbers: in their order, those that are free below."""
        found: dict[Target, int] = {}
        for owner, layout in enumerate(self.layouts):
            if len(layout) > self.fields.places:
                found |= {(owner, number): place for number, place in self._high(layout)}
        return found

    def _high(self, layout: Sequence[_Card | None]) -> Iterator[tuple[int, int]]:
        limit = self.fields.places
        free = (place for place in range(limit) if layout[place] is None)
        high = (number for number in range(limit, len(layout)) if layout[number] is not None)
        return zip(high, free, strict=False)

    # Cards

    def _card(self, code: Any) -> _Card:
        """A new card of this code, None where nobody is shown it."""
        value = _value(code)
        return _Card(value, -1 if value is None else self.fields.kinds[value])

    def _name(self, card: _Card, code: Any) -> None:
        """Note which card it is, where the event has it."""
        value = _value(code)
        if value is not None and card.code is None:
            card.code, card.kind = value, self.fields.kinds[value]

    def _learn(self, card: _Card, seats: int) -> None:
        """These seats know the card now, and everybody can tell that they do."""
        new = seats & ~card.known
        card.known |= seats
        card.openly |= seats
        if new:
            place, codes = self._unseen + card.kind, self.codes
            for viewer, base in self._rows:
                if new >> viewer & 1:
                    codes[base + place] -= 1

    def _forget(self, card: _Card, kept: int = 0) -> None:
        """Only the seats in `kept` still know where the card lies."""
        lost = card.known & ~kept
        card.known &= kept
        card.openly &= kept
        for viewer, base in self._rows:
            if lost >> viewer & 1:
                self.codes[base + self._unseen + card.kind] += 1
        if not any(card.known >> viewer & 1 for viewer in self.viewers):
            card.code, card.kind = None, -1  # until an event shows the card

    def _lay(self, owner: int, number: int, card: _Card | None) -> None:
        """Put a card into a slot, or empty it."""
        layout = self.layouts[owner]
        while number >= len(layout):
            layout.append(None)
        layout[number] = card
        self._show(owner, number)

    def _show(self, owner: int, number: int) -> None:
        """Write a slot into all arrays."""
        layout, limit = self.layouts[owner], self.fields.places
        if len(layout) > limit:
            self._show_all(owner)
        else:
            self._write(owner, number, layout[number])

    def _show_all(self, owner: int) -> None:
        """Write all slots of a seat into all arrays; cards in high slots have free places."""
        layout, limit = self.layouts[owner], self.fields.places
        placed = {place: layout[number] for number, place in self._high(layout)} if len(layout) > limit else {}
        for place in range(min(limit, len(layout))):
            self._write(owner, place, layout[place] or placed.get(place))
        if self.fields.grows:
            more = sum(card is not None for card in layout[limit:]) - len(placed)
            self._for_all("beyond", more, owner)

    def _write(self, owner: int, place: int, card: _Card | None) -> None:
        """Write a card, or that the place is empty, into all arrays."""
        codes, fields = self.codes, self.fields
        knows, shown = self._over
        code = EMPTY if card is None else KNOWN + card.kind + (self._kinds if card.up else 0)
        for viewer, start in self._cards_at[owner]:
            at = start + place
            is_known = card is None or card.known >> viewer & 1
            codes[at] = code if is_known else UNKNOWN
            if fields.is_hidden:
                openly = 0 if card is None else card.openly
                codes[at + knows] = (openly >> viewer | openly << fields.seats - viewer) & self._all
                codes[at + shown] = card.shown if card is not None and is_known else 0

    def _to_pile(self, card: _Card, code: Any = None) -> None:
        self._name(card, code)
        self._learn(card, self._all)
        self.pile.append(card)

    def _held(self) -> _Card:
        card = self.hand
        if card is None:
            raise LookupError("no card has been drawn")
        self.hand = None
        return card

    def _at(self, owner: int, number: int) -> _Card:
        card = self.layouts[owner][number]
        if card is None:
            raise LookupError(f"slot {number} of seat {owner} is empty")
        return card

    def _shown_to(self, owner: int, number: int, code: Any, seats: int) -> _Card:
        """These seats are shown a card in a slot."""
        card = self._at(owner, number)
        self._name(card, code)
        self._learn(card, seats)
        card.shown = self.now
        self._show(owner, number)
        return card

    def _mix(self, of: int, by: int) -> None:
        """INF-05: the face-down cards of a seat have changed places, and only the seat `by` has seen how."""
        down = [card for card in self.layouts[of] if card is not None and not card.up]
        is_open = all(card.openly >> by & 1 for card in down)
        for card in down:
            self._forget(card, 1 << by)
            card.openly = card.known if is_open else 0
        for number in range(len(self.layouts[of])):
            self._show(of, number)

    # Numbers

    def _for_all(self, name: str, value: int, more: int = 0) -> None:
        """Write a number that is the same for all; `more` is the seat that it belongs to, where each has one."""
        place, each = self.fields.at[name], name in _OF_SEATS
        for viewer, base in self._rows:
            self.codes[base + place + ((more - viewer) % self.fields.seats if each else more)] = value

    def _seat(self, name: str, seat: int | None) -> None:
        """Write which seat it is, counted from each that looks, from 1 on; 0 for none."""
        place = self.fields.at[name]
        for viewer, base in self._rows:
            self.codes[base + place] = 0 if seat is None else (seat - viewer) % self.fields.seats + 1

    def _begin_turn(self, seat: int) -> None:
        """A turn of this seat begins, unless it has begun already."""
        if seat == self.turn and not self.has_acted:
            return
        self.turns += 1
        self.turn, self.has_acted, self.may_flip = seat, False, False
        if self.to_come and seat in self.to_come:
            self._set_to_come([one for one in self.to_come if one != seat])

    def _act(self, seat: int) -> None:
        self._begin_turn(seat)
        self.has_acted = True

    def _set_to_come(self, seats: list[int] | None) -> None:
        self.to_come = seats
        for seat in range(self.fields.seats):
            self._for_all("to_come", int(seats is not None and seat in seats), seat)

    def _end(self, seat: int, *, at_once: bool = False) -> None:
        count = self.fields.seats
        self.ender = seat
        self._seat("ender", seat)
        self._set_to_come([] if at_once else [(seat + step) % count for step in range(1, count)])

    def _aim(self, targets: tuple[Target, ...]) -> None:
        if targets == self.aimed:
            return
        self.aimed = targets
        at, codes = self.fields.at, self.codes
        nowhere = array("i", [0] * (self.fields.seats * self.fields.places))
        for _, base in self._rows:
            codes[base + at["aimed"] : base + at["aimed"] + len(nowhere)] = nowhere
        high = self.beyond() if targets else {}
        for owner, slot in targets:
            place = high.get((owner, slot), slot)
            if place < self.fields.places:
                for _, start in self._cards_at[owner]:
                    codes[start + at["aimed"] - at["cards"] + place] = 1

    def _write_begun(self, seat: int, begun: Begun) -> None:
        """How far the answer of a seat has come."""
        base, fields, codes = self._base[seat], self.fields, self.codes
        at, seats = fields.at, fields.seats
        start = base + at["chosen"]
        codes[start : start + seats * fields.places] = array("i", [0] * (seats * fields.places))
        for name in ("begun", "begun_seat", "begun_axis", "begun_card", "begun_line"):
            codes[base + at[name]] = 0
        self._begun[seat] = begun
        if begun.kind is None:
            return
        codes[base + at["begun"]] = KINDS.index(begun.kind) + 1
        chosen: Sequence[Any] = begun.chosen
        targets: list[Target] = []
        match begun.kind:
            case "switch":
                targets = list(chosen)
            case "exchange" | "arrange":
                targets = [(seat, slot) for slot in chosen if isinstance(slot, int)]
            case "rearrange":
                targets = [(chosen[0], slot) for slot in chosen[1:]]
                codes[base + at["begun_seat"]] = (chosen[0] - seat) % seats + 1
            case "swap_lines":
                (of, axis), *lines = chosen
                codes[base + at["begun_seat"]] = (of - seat) % seats + 1
                codes[base + at["begun_axis"]] = axis == "column"
                codes[base + at["begun_line"]] = sum(line + 1 for line in lines)
            case "keep":
                codes[base + at["begun_card"]] = chosen[0] + 1
        high = self.beyond() if fields.grows else {}
        for number, (owner, slot) in enumerate(targets, start=1):
            place = high.get((owner, slot), slot)
            if place < fields.places:
                codes[start + (owner - seat) % seats * fields.places + place] = number

    # Events

    def _on_round(self, event: events.Round) -> None:
        fields, variant = self.fields, self.variant
        self._clear()
        self.turn = event.starter
        self._seat("dealer", event.dealer)
        self._for_all("round", event.round)
        self._for_all("playoff", int(event.playoff))
        for seat, total in enumerate(event.totals):
            self._for_all("totals", total, seat)
        if "rows" in fields.at:
            self._for_all("rows", event.rows)
        for owner in range(fields.seats):
            self.layouts[owner] = [_Card(None, -1) for _ in range(event.rows * variant.columns)]
            for place in range(event.rows * variant.columns, size(variant)):
                self._write(owner, place, None)
        first_up = variant.play == "par" or variant.options.initial_up
        self.flips_before = fields.seats if first_up else 0

    def _on_up_card(self, event: Any) -> None:
        self._to_pile(self._card(event.card))

    def _on_turned_up(self, event: Any) -> None:
        seat = event.seat
        if self.flips_before:
            self.flips_before -= 1
        elif not (self.may_flip and seat == self.turn):
            self._act(seat)
        for slot, code in zip(event.slots, event.cards, strict=True):
            self._at(seat, slot).up = True
            self._shown_to(seat, slot, code, self._all)
        if self.may_flip and self._has_latest:
            self._for_all("latest_row", event.slots[0] // 2 + 1, seat)
        self.may_flip = False

    def _on_looked(self, event: Any) -> None:
        for slot, code in zip(event.slots, event.cards, strict=True):
            self._shown_to(event.seat, slot, code, 1 << event.seat)

    def _on_arranged(self, event: Any) -> None:
        slots = _value(event.slots)
        layout = self.layouts[event.seat]
        if slots is not None:
            self.layouts[event.seat] = [layout[number] for number in slots]
        self._mix(event.seat, event.seat)

    def _on_skipped(self, event: Any) -> None:
        self.has_acted, self.may_flip = True, False
        if self.to_come is not None:
            self._set_to_come([seat for seat in self.to_come if seat != event.seat])

    def _on_drew(self, event: Any) -> None:
        seat = event.seat
        self._act(seat)
        self.is_spent = False
        self.power = 0
        self._aim(())
        if event.source == "pile":
            card = self.pile.pop()
        else:
            card = self._card(event.card)
            self._learn(card, self._all if self._is_open_draw or self._cancels(card) else 1 << seat)
        self.hand = card

    def _cancels(self, card: _Card) -> bool:
        """Whether a card cancels the knock as soon as it is drawn, so that everybody sees it."""
        return (
            self.ender is not None
            and card.code is not None
            and self.variant.options.black_king_cancels == "drawn"
            and self.variant.play == "powers"
            and power_of(card.code) == "BK"
        )

    def _on_reshuffled(self, _: Any) -> None:
        for card in self.pile[:-1]:
            self._forget(card)
        del self.pile[:-1]

    def _on_swapped(self, event: Any) -> None:
        seat, slot = event.seat, event.slot
        card, old = self._held(), self._at(seat, slot)
        self._name(card, event.card)
        if event.face_up:
            self._learn(card, self._all)
        card.up, card.shown = event.face_up, self.now
        self._lay(seat, slot, card)
        self._to_pile(old, event.replaced)
        if self._has_latest:
            self._for_all("latest_row", slot // 2 + 1, seat)

    def _on_discarded(self, event: Any) -> None:
        self._to_pile(self._held(), event.card)
        self.may_flip = True
        if self._has_latest:
            self._for_all("latest_row", 0, event.seat)

    def _on_knocked(self, event: Any) -> None:
        self._act(event.seat)
        self._end(event.seat, at_once=self.variant.options.knock_ends_at_once)
        self.power = 0
        self._aim(())

    def _on_finished(self, event: Any) -> None:
        self._end(event.seat)

    def _on_traded(self, event: Any) -> None:
        (owner, number), king = event.target, self._held()
        old = self._at(owner, number)
        self._name(king, event.given)
        self._learn(king, self._all)
        king.up, king.shown = True, self.now
        self._lay(owner, number, king)
        self.hand = old

    def _on_swapped_own(self, event: Any) -> None:
        seat, slots = event.seat, event.slots
        self._act(seat)
        layout = self.layouts[seat]
        first, second = self._at(seat, slots[1]), self._at(seat, slots[0])
        layout[slots[0]], layout[slots[1]] = first, second
        first.up, second.up = second.up, first.up
        for slot, card, code in zip(slots, (first, second), event.cards, strict=True):
            if card.up:
                self._shown_to(seat, slot, code, self._all)
            self._show(seat, slot)

    def _on_pairs_discarded(self, event: Any) -> None:
        seat = event.seat
        self._begin_turn(seat)
        slots = [number for row in event.rows for number in (2 * row, 2 * row + 1)]
        for number, code in zip(slots, event.cards, strict=True):
            card = self._at(seat, number)
            self._lay(seat, number, None)
            self._to_pile(card, code)

    def _on_stroked(self, event: Any) -> None:
        self._begin_turn(event.seat)
        for number in (2 * event.row, 2 * event.row + 1):
            self._at(event.seat, number).up = False
            self._show(event.seat, number)
        place = self.fields.at["strokes"] + event.row
        for viewer, base in self._rows:
            self.codes[base + place + (event.seat - viewer) % self.fields.seats * self.variant.rows] = 1

    def _on_power(self, event: Any) -> None:
        power, keeps = event.power, event.power in POWERS and POWERS[event.power].keeps_card
        if self.hand is not None:
            self._name(self.hand, event.card)
            self._learn(self.hand, self._all)
            if not keeps:
                self._to_pile(self._held())
        elif keeps and not self.is_spent:  # a 2 stands in, and is taken from the pile again
            two = _value(event.card)
            number = next(number for number in reversed(range(len(self.pile))) if self.pile[number].code == two)
            self.hand = self.pile.pop(number)
        self.power = POWER_NAMES.index(power) + 1
        self._aim(event.targets)

    def _on_blocked(self, event: Any) -> None:
        seat = event.seat
        if self.hand is not None:
            self.is_spent = True
            self._to_pile(self._held())
        self.shield_uses[seat] += 1
        if event.shield is not None:
            shield = self._card(event.shield)
            shield.known = shield.openly = self._all
            self.pile.append(shield)
            self.shields[seat], self.shield_uses[seat] = self.shields[seat] - 1, 0
        self._show_shields(seat)

    def _on_shielded(self, event: Any) -> None:
        card = self._held()
        self._name(card, event.card)
        self._learn(card, self._all)
        self.is_spent = True
        self.shields[event.seat] += 1
        self._show_shields(event.seat)

    def _show_shields(self, seat: int) -> None:
        self._for_all("shields", self.shields[seat], seat)
        self._for_all("shield_uses", self.shield_uses[seat], seat)

    def _on_peeked(self, event: Any) -> None:
        owner, number = event.target
        self._shown_to(owner, number, event.card, 1 << event.seat)

    def _on_switched(self, event: Any) -> None:
        (one, number), (other, second) = event.targets
        first, last = self._at(one, number), self._at(other, second)
        self._lay(one, number, last)
        self._lay(other, second, first)

    def _on_rearranged(self, event: Any) -> None:
        slots = _value(event.slots)
        layout = self.layouts[event.of]
        if slots is not None:
            occupied = [number for number, card in enumerate(layout) if card is not None]
            for number, card in zip(occupied, [layout[slot] for slot in slots], strict=True):
                layout[number] = card
        if self.variant.options.hidden_rearrange:
            self._mix(event.of, event.seat)
        self._show_all(event.of)

    def _on_lines_swapped(self, event: Any) -> None:
        axis = _value(event.axis)
        lines = _value(event.lines)
        layout = self.layouts[event.of]
        if axis is not None and lines is not None:
            first, second = (line_of_set(len(layout) // 2, axis, line) for line in lines)
            for one, other in zip(first, second, strict=True):
                layout[one], layout[other] = layout[other], layout[one]
        else:
            self._as_it_lies(layout, event.layout)
        if self.variant.options.hidden_rearrange:
            self._mix(event.of, event.seat)
        self._show_all(event.of)

    def _as_it_lies(self, layout: list[_Card | None], seen: Sequence[Card | None]) -> None:
        """Move the cards of a set to where their backs and faces lie now; which back is which nobody can tell."""
        up = {card.code: card for card in layout if card is not None and card.up}
        down = [card for card in layout if card is not None and not card.up]
        for number, code in enumerate(seen):
            layout[number] = None if code is None else down.pop() if code == "?" else up[code]

    def _on_shuffled(self, event: Any) -> None:
        layout = self.layouts[event.of]
        for number, card in enumerate(layout):
            if card is not None:
                self._forget(card)
                layout[number] = _Card(None, -1)
        self._show_all(event.of)

    def _on_added(self, event: Any) -> None:
        owner, number = event.target
        layout = self.layouts[owner]
        if number >= len(layout):
            layout += [None, None]
        self._lay(owner, number, _Card(None, -1))

    def _on_removed(self, event: Any) -> None:
        owner, number = event.target
        card = self._at(owner, number)
        self._lay(owner, number, None)
        self._to_pile(card, event.card)

    def _on_planted(self, event: Any) -> None:
        (owner, number), card = event.target, self._held()
        old = self._at(owner, number)
        self._name(card, event.card)
        self._learn(card, self._all)
        card.up, card.shown, self.is_spent = False, self.now, True
        self._lay(owner, number, card)
        self._to_pile(old, event.replaced)

    def _on_exposed(self, event: Any) -> None:
        owner, number = event.target
        self._at(owner, number).up = True
        self._shown_to(owner, number, event.card, self._all)

    def _on_hidden(self, event: Any) -> None:
        self._at(*event.target).up = False
        self._show(*event.target)

    def _on_drew_two(self, event: Any) -> None:
        self.extra = [self._card(code) for code in event.cards]
        shown = next((card for card in self.extra if self._cancels(card)), None)
        for card in self.extra:
            self._learn(card, self._all if card is shown else 1 << event.seat)

    def _on_kept(self, event: Any) -> None:
        three = self.extra if self.hand is None else [self.hand, *self.extra]
        gone = [_value(code) for code in event.discarded]
        kept = _value(event.card)
        if self.hand is not None and self.hand.code not in gone:
            card, self.is_spent = self.hand, True
        else:
            drawn = self.extra
            card = next((one for one in drawn if kept is not None and one.code in (kept, None)), drawn[0])
        self._name(card, kept)
        if self.hand is not None:
            self.hand = None
        old = self._at(event.seat, event.slot)
        card.up, card.shown = False, self.now
        self._lay(event.seat, event.slot, card)
        rest = [one for one in three if one is not card]
        for one, code in zip([*rest, old], gone, strict=True):
            self._to_pile(one, code)
        self.extra = []

    def _on_knock_cancelled(self, _: Any) -> None:
        self.ender = None
        self._seat("ender", None)
        self._set_to_come(None)

    def _on_slapped(self, event: Any) -> None:
        (owner, number), seat = event.target, event.seat
        card = self._shown_to(owner, number, event.card, self._all)
        if event.verdict == "right":
            self._lay(owner, number, None)
            self._to_pile(card)
            self._aim((event.target,))
        elif event.new_slot is not None and owner != seat:
            card.up = False
            self._lay(owner, number, None)
            self._lay(seat, event.new_slot, card)
        elif event.new_slot is not None:
            self._lay(seat, event.new_slot, _Card(None, -1))

    def _on_gave(self, event: Any) -> None:
        owner, number = event.target
        card = self._at(event.seat, event.slot)
        self._lay(event.seat, event.slot, None)
        self._lay(owner, number, card)
        self._aim(())

    def _on_window_closed(self, _: Any) -> None:
        self._aim(())

    def _on_showdown(self, event: Any) -> None:
        for owner, cards in enumerate(event.layouts):
            for card, code in zip(self.layouts[owner], cards, strict=True):
                if card is not None:
                    self._name(card, code)
                    self._learn(card, self._all)
                    card.shown = self.now + 2  # with the scores, which come next
            self._show_all(owner)

    def _on_scored(self, event: Any) -> None:
        for seat, total in enumerate(event.totals):
            self._for_all("totals", total, seat)


_OF_SEATS = frozenset({"to_come", "totals", "beyond", "shields", "shield_uses", "latest_row"})
"""The numbers that each seat has one of."""

_DECISION_CODES = {decision: number for number, decision in enumerate(DECISIONS, start=1)}


_HANDLERS: dict[type, Callable[[Codes, Any], None]] = {
    kind: getattr(Codes, f"_on_{kind.__struct_config__.tag}")
    for kind in (get_origin(one) or one for one in get_args(events.Event))
    if hasattr(Codes, f"_on_{kind.__struct_config__.tag}")
}
"""By kind of event the method that follows it. Three kinds change no number."""
