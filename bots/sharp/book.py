"""The book: what this seat knows of a round, kept up to date event by event.

Looks, swaps, peeks, switches, slaps and gifts move knowledge about; a shuffle or a hidden rearrangement takes it away.
The book draws no conclusions: what the cards are worth is for measure.py, what to do about them for the others.
"""

from collections.abc import Sequence
from typing import Any

from cards import CHOSEN, UNKNOWN, Layout, is_known

Event = dict[str, Any]

LAID_ELSEWHERE = ("5", "8", "9")
"""Powers whose card does not go to the pile by itself: another event says where it goes."""


class Book:
    """What this seat knows of a round; each `on_` method enters the event of that name."""

    layouts: list[Layout]
    """The layouts by seat."""
    fixed: list[set[int]]
    """The slots whose cards cannot change any more, by seat."""
    pile: list[str]
    """The top card is the last one."""
    hand: list[str]
    """The card that has been drawn and not yet placed, if this seat has seen it."""
    trio: list[str]
    """Powers 8: the card that is used and the two that were drawn for it."""
    aside: list[str]
    """The cards that lie beside the sets as shields."""
    shields: list[int]
    """How many shields each seat has, by seat."""
    attack: Event
    """The power that was used last."""
    own_turns: int
    """How many cards this seat has drawn, which is how many turns it has had."""
    ender: int | None
    """The seat that has knocked or finished; None before."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.seat: int = match["seat"]
        self.seats: int = match["seats"]
        self.columns: int = match["columns"]
        self.swaps_fix = match["variant"] == "four-turns"
        self.on_round({"rows": match["rows"]})

    def read(self, event: Event) -> None:
        """Enter what has happened; an event without a method moves no card."""
        enter = getattr(self, "on_" + event["event"], None)
        if enter is not None:
            enter(event)

    def correct(self, table: dict[str, Any]) -> None:
        """Take over what the table says otherwise: something has happened that no method here knows."""
        for seat, layout in enumerate(table["layouts"]):
            self.show(seat, layout)
        if self.pile[-1:] != table["pile"]:
            self.pile = table["pile"]

    def show(self, seat: int, layout: Sequence[str | None]) -> None:
        """Enter the open cards and the empty slots of a layout; what is known of face-down cards stays."""
        known = self.layouts[seat] + [UNKNOWN] * len(layout)
        self.layouts[seat] = [(known[slot] or UNKNOWN) if card == "?" else card for slot, card in enumerate(layout)]

    def seen(self) -> list[str]:
        """Every card whose place is known."""
        placed = [card for layout in self.layouts for card in layout if is_known(card)]
        return [*placed, *self.pile, *self.hand, *self.aside]

    def occupied(self, seat: int) -> list[int]:
        return [slot for slot, card in enumerate(self.layouts[seat]) if card is not None]

    def put(self, target: Sequence[int], card: str | None) -> None:
        seat, slot = target
        layout = self.layouts[seat]
        layout.extend([None] * (slot + 1 - len(layout)))
        layout[slot] = card

    def take(self, target: Sequence[int]) -> Any:
        seat, slot = target
        card, self.layouts[seat][slot] = self.layouts[seat][slot], None
        return card

    def forget(self, seat: int) -> None:
        """Nobody can tell any more which of these cards is which."""
        for slot in self.occupied(seat):
            self.put([seat, slot], UNKNOWN)

    # The deal, and looks at cards.

    def on_round(self, event: Event) -> None:
        self.rows: int = event["rows"]
        self.layouts = [[UNKNOWN] * (self.rows * self.columns) for _ in range(self.seats)]
        self.fixed = [set() for _ in range(self.seats)]
        self.looked: list[set[int]] = [set() for _ in range(self.seats)]
        self.pile, self.hand, self.trio, self.aside = [], [], [], []
        self.shields = [0] * self.seats
        self.attack = {}
        self.own_turns = 0
        self.ender = None
        self.starter: int = event.get("starter", 0)
        self.round: int = event.get("round", 1)
        self.totals: list[int] = event.get("totals", [0] * self.seats)

    def on_up_card(self, event: Event) -> None:
        self.pile.append(event["card"])

    def on_turned_up(self, event: Event) -> None:
        for slot, card in zip(event["slots"], event["cards"], strict=True):
            if card:
                self.put([event["seat"], slot], card)

    def on_looked(self, event: Event) -> None:
        self.looked[event["seat"]].update(event["slots"])
        self.on_turned_up(event)

    def on_peeked(self, event: Event) -> None:
        if event["card"]:
            self.put(event["target"], event["card"])

    on_exposed = on_peeked

    # A turn.

    def on_drew(self, event: Event) -> None:
        self.own_turns += event["seat"] == self.seat
        if event["from"] == "pile":
            del self.pile[-1:]
        self.hand = [event["card"]] if event["card"] else []

    def on_reshuffled(self, _: Event) -> None:
        del self.pile[:-1]

    def on_discarded(self, event: Event) -> None:
        self.pile.append(event["card"])
        self.hand = []

    def on_swapped(self, event: Event) -> None:
        self.put([event["seat"], event["slot"]], event["card"] or CHOSEN)
        self.pile.append(event["replaced"])
        self.hand = []
        if self.swaps_fix:
            self.fixed[event["seat"]].add(event["slot"])

    def on_traded(self, event: Event) -> None:
        self.put(event["target"], event["given"])
        self.hand = [event["taken"]]

    def on_knocked(self, event: Event) -> None:
        self.ender = event["seat"]

    on_finished = on_knocked

    def on_knock_cancelled(self, _: Event) -> None:
        self.ender = None

    def on_pairs_discarded(self, event: Event) -> None:
        for row in event["rows"]:
            for column in range(self.columns):
                self.take([event["seat"], row * self.columns + column])
        self.pile.extend(event["cards"])

    # Par golf.

    def on_arranged(self, event: Event) -> None:
        if event["slots"]:
            old = self.layouts[event["seat"]]
            self.layouts[event["seat"]] = [old[slot] for slot in event["slots"]]

    def on_swapped_own(self, event: Event) -> None:
        self.switch(*([event["seat"], slot] for slot in event["slots"]))
        self.on_turned_up(event)

    def on_stroked(self, event: Event) -> None:
        first = event["row"] * self.columns
        self.fixed[event["seat"]].update(range(first, first + self.columns))

    # Powers.

    def switch(self, one: Sequence[int], other: Sequence[int]) -> None:
        first, second = self.take(one), self.take(other)
        self.put(one, second)
        self.put(other, first)

    def on_switched(self, event: Event) -> None:
        self.switch(*event["targets"])

    def on_power(self, event: Event) -> None:
        self.attack = event
        is_copy = event["card"][0] == "2" and event["power"] != "2"
        if event["power"] not in LAID_ELSEWHERE and not is_copy:
            self.pile.append(event["card"])
            self.hand = []

    def on_rearranged(self, event: Event) -> None:
        seat, slots = event["of"], event["slots"]
        if slots is None:
            self.forget(seat)
            return
        moved = [self.layouts[seat][slot] for slot in slots]
        for place, card in zip(self.occupied(seat), moved, strict=True):
            self.put([seat, place], card)

    def on_shuffled(self, event: Event) -> None:
        self.forget(event["of"])

    def on_lines_swapped(self, event: Event) -> None:
        if event["lines"] is None:
            self.forget(event["of"])
        else:
            layout = self.layouts[event["of"]]
            size = max(len(layout), len(event["layout"]))
            layout.extend([None] * (size + size % 2 - len(layout)))
            lines = [line_of_set(len(layout), event["axis"], line) for line in event["lines"]]
            for one, other in zip(*lines, strict=True):
                layout[one], layout[other] = layout[other], layout[one]
        self.show(event["of"], event["layout"])

    def on_shielded(self, event: Event) -> None:
        self.aside.append(event["card"])
        self.shields[event["seat"]] = event["shields"]
        self.hand = []

    def on_blocked(self, event: Event) -> None:
        self.shields[event["seat"]] = event["shields"]
        if event["shield"]:
            self.aside.remove(event["shield"])
            self.pile.append(event["shield"])

    def on_added(self, event: Event) -> None:
        self.put(event["target"], UNKNOWN)

    def on_removed(self, event: Event) -> None:
        self.take(event["target"])
        self.pile.append(event["card"])

    def on_planted(self, event: Event) -> None:
        self.put(event["target"], event["card"])
        self.pile.append(event["replaced"])
        self.hand = []

    def on_drew_two(self, event: Event) -> None:
        self.trio = [self.attack["card"], *[card for card in event["cards"] if card]]

    def on_kept(self, event: Event) -> None:
        self.put([event["seat"], event["slot"]], event["card"] or CHOSEN)
        self.pile.extend(event["discarded"])
        self.hand = []

    # Slaps.

    def on_slapped(self, event: Event) -> None:
        """A right card lies on the pile; a wrong or late one is known from now on, wherever it lies."""
        self.put(event["target"], event["card"])
        if event["verdict"] == "right":
            self.pile.append(self.take(event["target"]))
        elif event["new_slot"] is not None:
            own = event["target"][0] == event["seat"]
            self.put([event["seat"], event["new_slot"]], UNKNOWN if own else self.take(event["target"]))

    def on_gave(self, event: Event) -> None:
        self.put(event["target"], self.take([event["seat"], event["slot"]]))


def line_of_set(size: int, axis: str, line: int) -> list[int]:
    """The slots of a row or column of a set in Powers; a column beyond the third has the slots 2k and 2k + 1."""
    columns = [(k, k + 3) if k < 3 else (2 * k, 2 * k + 1) for k in range(size // 2)]
    return list(columns[line]) if axis == "column" else [column[line] for column in columns]
