"""The table as one seat knows it, kept up to date event by event.

Looks, swaps, peeks, switches, slaps and gifts move knowledge about; a shuffle or a hidden rearrangement takes it away.
The table draws no conclusions: what is still unseen is for unseen.py, what the cards are worth for measure.py. All of
it is plain lists, so that a bot that tries thousands of deals can copy what it needs quickly.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kit.cards import CHOSEN, UNKNOWN, Layout, Target, is_known

Event = dict[str, Any]

TURNS_EACH = 4
"""Turns of each seat in the game of four turns."""

HELD_ON = ("5", "8", "9")
"""Powers whose card does not go to the pile by itself: another event says where it goes."""


class Table:
    """What this seat knows of the round that is being played; each `on_` method enters the event of that name."""

    seat: int
    """This seat."""
    seats: int
    """How many seats there are."""
    columns: int
    """Columns of each layout as it is dealt."""
    rows: int
    """Rows of each layout as it is dealt in this round."""
    layouts: list[Layout]
    """The cards by seat and slot: a card code where this seat knows the card, open or not; else UNKNOWN or CHOSEN; None
    where the slot is empty."""
    faces: list[list[bool]]
    """By seat and slot, whether the card lies face up."""
    knowers: list[list[int]]
    """By seat and slot, which seats know the card: bit s is set where seat s has seen it and could follow it."""
    fixed: list[set[int]]
    """By seat, the slots whose cards cannot change any more: strokes of par golf, swaps in the game of four turns."""
    pile: list[str]
    """The discard pile as far as it is known; the top card is the last one."""
    hand: Layout
    """The cards that have been drawn, or are being used, and lie nowhere yet, whoever has them: mostly none or one, in
    Powers three for an 8, the first of which is None where a 2 that copies the 8 has stood in for another card before.
    UNKNOWN for those that this seat has not seen."""
    aside: list[str]
    """Powers: the cards that lie beside the sets as shields."""
    shields: list[int]
    """Powers: how many shields each seat has."""
    attack: Event
    """Powers: the event of the power that was used last; empty before."""
    own_choice: int | None
    """Powers: the number of the card that this seat has chosen of the three in `hand`; None before its answer."""
    shown: int
    """Powers: the number of the card of the three in `hand` that cancelled the knock; 0 where none did."""
    stock: int
    """How many cards are left in the stock."""
    round: int
    """The number of the round, from 1."""
    playoff: bool
    """Whether this round joins no total."""
    dealer: int
    turn: int
    """The seat whose turn it is, as far as this seat has been told: the last that drew, or that `table` named."""
    draws: list[int]
    """How many turns each seat has begun by drawing in this round."""
    knocker: int | None
    """The seat that has knocked, ended the hole or finished first; None before."""
    totals: list[int]
    """Points of the finished rounds, by seat."""
    forfeited: set[int]
    """The seats that have forfeited the match."""

    def __init__(self, match: dict[str, Any]) -> None:
        """Begin with the `match` message."""
        self.seat = match["seat"]
        self.seats = match["seats"]
        self.columns = match["columns"]
        self.everybody = (1 << self.seats) - 1
        self.swaps_fix = match["variant"] == "four-turns"
        self.moves_are_secret = match["options"].get("hidden_rearrange", True)
        self.shows_black_kings = match["options"].get("black_king_cancels") == "drawn"
        self.forfeited = set()
        self.stock = 0
        self._methods: dict[str, Callable[[Event], None] | None] = {}
        self.on_round({"rows": match["rows"]})

    def read(self, event: Event) -> None:
        """Enter what has happened; an event without a method moves no card."""
        name = event["event"]
        try:
            enter = self._methods[name]
        except KeyError:
            enter = self._methods[name] = getattr(self, "on_" + name, None)
        if enter is not None:
            enter(event)
        if "stock" in event:
            self.stock = event["stock"]

    def correct(self, table: dict[str, Any]) -> None:
        """Take over what the table of a request says: it puts right whatever came of an event that is new to us."""
        for seat, layout in enumerate(table["layouts"]):
            self.show(seat, layout)
        if self.pile[-1:] != table["pile"]:
            self.pile = list(table["pile"])
        self.round, self.dealer, self.turn = table["round"], table["dealer"], table["turn"]
        self.knocker, self.stock, self.totals = table["knocker"], table["stock"], table["totals"]

    def show(self, seat: int, layout: Sequence[str | None]) -> None:
        """Enter the open cards and the empty slots of a layout; what is known of face-down cards stays."""
        known, faces, knowers = self.layouts[seat], self.faces[seat], self.knowers[seat]
        if len(known) != len(layout):
            missing = len(layout) - len(known)
            known += [UNKNOWN] * missing
            faces += [False] * missing
            knowers += [0] * missing
            del known[len(layout) :], faces[len(layout) :], knowers[len(layout) :]
        for slot, card in enumerate(layout):
            if card != UNKNOWN:
                known[slot], faces[slot] = card, card is not None
                knowers[slot] = self.everybody if card is not None else 0
            else:
                faces[slot] = False
                if known[slot] is None:
                    known[slot] = UNKNOWN

    # Questions that bots ask

    @property
    def mine(self) -> Layout:
        """The own layout."""
        return self.layouts[self.seat]

    @property
    def others(self) -> list[int]:
        """The other seats, in the order in which they play after this one."""
        return [(self.seat + step) % self.seats for step in range(1, self.seats)]

    @property
    def top(self) -> str | None:
        """The top card of the pile; None where it is empty."""
        return self.pile[-1] if self.pile else None

    @property
    def drawn(self) -> str | None:
        """The card in hand, where this seat has seen it; None where there is none."""
        return self.hand[0] if self.hand and is_known(self.hand[0]) else None

    def at(self, target: Sequence[int]) -> Any:
        """What lies there, as in `layouts`; None beyond the end of a layout."""
        layout = self.layouts[target[0]]
        return layout[target[1]] if target[1] < len(layout) else None

    def changed(self, seat: int, changes: Mapping[Target, str | None]) -> Layout:
        """The layout of a seat, if these cards lay in these places."""
        layout = self.layouts[seat]
        theirs = {slot: card for (owner, slot), card in changes.items() if owner == seat}
        if not theirs:
            return layout
        longer = layout + [None] * (max(theirs) + 1 - len(layout))
        return [theirs.get(slot, card) for slot, card in enumerate(longer)]

    def state(self, target: Sequence[int]) -> str:
        """`empty`, `open` (face up), `known` (face down, but this seat knows the card) or `hidden`."""
        card = self.at(target)
        if card is None:
            return "empty"
        if self.faces[target[0]][target[1]]:
            return "open"
        return "known" if is_known(card) else "hidden"

    @property
    def turns_left(self) -> int:
        """Game of four turns: how many turns this seat has not begun; 0 in other games, where nobody can say."""
        return TURNS_EACH - self.draws[self.seat] if self.swaps_fix else 0

    def plays_on(self, seat: int) -> bool:
        """Whether a seat has a turn after this one, which is this seat's."""
        if self.knocker is None:
            return True
        return seat != self.seat and (seat - self.seat) % self.seats < (self.knocker - self.seat) % self.seats

    def occupied(self, seat: int) -> list[int]:
        """The slots of a seat that hold a card."""
        return [slot for slot, card in enumerate(self.layouts[seat]) if card is not None]

    def hidden(self) -> list[Target]:
        """Every place whose card this seat does not know."""
        return [
            (seat, slot)
            for seat, layout in enumerate(self.layouts)
            for slot, card in enumerate(layout)
            if card in (UNKNOWN, CHOSEN)
        ]

    def knows(self, seat: int, target: Sequence[int]) -> bool:
        """Whether a seat knows the card that lies there, because it has seen it and could follow it."""
        return bool(self.knowers[target[0]][target[1]] >> seat & 1)

    def seen(self) -> list[str]:
        """Every card whose place this seat knows: open or looked at, on the pile, in a hand, or a shield."""
        placed = [card for layout in self.layouts for card in layout if is_known(card)]
        return [*placed, *self.pile, *filter(is_known, self.hand), *self.aside]

    # What the events do, and the own answers

    def answered(self, action: dict[str, Any]) -> None:
        """Note which of three cards this seat keeps, since two of them may be equal."""
        if action["kind"] == "keep":
            self.own_choice = action["card"]

    def put(self, target: Sequence[int], card: str | None, knowers: int, *, face_up: bool = False) -> None:
        """Lay a card into a slot, which may be a new one; `knowers` has a bit for each seat that knows it."""
        seat, slot = target
        layout = self.layouts[seat]
        if slot >= len(layout):
            missing = slot + 1 - len(layout)
            layout += [None] * missing
            self.faces[seat] += [False] * missing
            self.knowers[seat] += [0] * missing
        layout[slot], self.faces[seat][slot], self.knowers[seat][slot] = card, face_up, knowers

    def grids(self) -> tuple[list[list[Any]], ...]:
        """All that is kept of each slot: what moves with a card."""
        return self.layouts, self.faces, self.knowers

    def take(self, target: Sequence[int]) -> Any:
        """Empty a slot and return what lay in it."""
        card = self.at(target)
        self.put(target, None, 0)
        return card

    def switch(self, one: Sequence[int], other: Sequence[int]) -> None:
        """Let what lies in two slots change places, with all that is known of it."""
        for grid in self.grids():
            first, second = grid[one[0]], grid[other[0]]
            first[one[1]], second[other[1]] = second[other[1]], first[one[1]]

    def forget(self, seat: int, mover: int | None = None) -> None:
        """Turn all cards of a seat down; nobody can tell any more which is which, but a mover that knew all of them."""
        slots = self.occupied(seat)
        left = 1 << mover if mover is not None and all(self.knows(mover, (seat, slot)) for slot in slots) else 0
        for slot in slots:
            self.put((seat, slot), UNKNOWN, left)

    def keep_secret(self, seat: int) -> None:
        """This seat alone knows how it has moved the cards of that one, if the game hides it."""
        if self.moves_are_secret:
            own = 1 << self.seat
            self.knowers[seat] = [known & own for known in self.knowers[seat]]

    # The deal, and looks at cards.

    def on_round(self, event: Event) -> None:
        self.rows = event["rows"]
        size = self.rows * self.columns
        self.layouts = [[UNKNOWN] * size for _ in range(self.seats)]
        self.faces = [[False] * size for _ in range(self.seats)]
        self.knowers = [[0] * size for _ in range(self.seats)]
        self.fixed = [set() for _ in range(self.seats)]
        self.pile, self.hand, self.aside = [], [], []
        self.shields, self.draws = [0] * self.seats, [0] * self.seats
        self.attack = {}
        self.own_choice, self.shown = None, 0
        self.knocker = None
        self.is_public = False
        self.round, self.playoff = event.get("round", 1), event.get("playoff", False)
        self.dealer, self.turn = event.get("dealer", 0), event.get("starter", 0)
        self.totals = event.get("totals", [0] * self.seats)

    def on_up_card(self, event: Event) -> None:
        self.pile.append(event["card"])

    def on_turned_up(self, event: Event) -> None:
        for slot, card in zip(event["slots"], event["cards"], strict=True):
            if card:
                self.put((event["seat"], slot), card, self.everybody, face_up=True)

    def on_looked(self, event: Event) -> None:
        seat = event["seat"]
        for slot, card in zip(event["slots"], event["cards"], strict=True):
            self.saw(seat, (seat, slot), card)

    def on_peeked(self, event: Event) -> None:
        self.saw(event["seat"], event["target"], event["card"])

    def saw(self, seat: int, target: Sequence[int], card: str | None) -> None:
        """A seat has looked at a card; `card` is None where this seat was not shown it."""
        self.knowers[target[0]][target[1]] |= 1 << seat
        if card:
            self.layouts[target[0]][target[1]] = card

    def on_exposed(self, event: Event) -> None:
        self.put(event["target"], event["card"], self.everybody, face_up=True)

    def on_hidden(self, event: Event) -> None:
        self.faces[event["target"][0]][event["target"][1]] = False

    # A turn.

    def on_drew(self, event: Event) -> None:
        self.turn = event["seat"]
        self.draws[self.turn] += 1
        if event["from"] == "pile":
            del self.pile[-1:]
        self.hand = [event["card"] or UNKNOWN]
        self.is_public = event["from"] == "pile" or self.is_shown(event["card"])

    def is_shown(self, card: str | None) -> bool:
        """Whether everybody sees this card as it is drawn from the stock, since it cancels the knock (POW-22)."""
        return self.shows_black_kings and self.knocker is not None and card in ("KS", "KC")

    def on_reshuffled(self, _: Event) -> None:
        del self.pile[:-1]

    def on_discarded(self, event: Event) -> None:
        self.pile.append(event["card"])
        self.hand = []

    def on_swapped(self, event: Event) -> None:
        seat, card, face_up = event["seat"], event["card"], event["face_up"]
        knowers = self.witnesses(seat, card, is_public=face_up or self.is_public)
        self.put((seat, event["slot"]), card or CHOSEN, knowers, face_up=face_up)
        self.pile.append(event["replaced"])
        self.hand = []
        if self.swaps_fix:
            self.fixed[seat].add(event["slot"])

    def witnesses(self, seat: int, card: str | None, *, is_public: bool) -> int:
        """The seats that know a card that a seat has kept: everybody where another seat's card is shown to this one."""
        return self.everybody if is_public or (card and seat != self.seat) else 1 << seat

    def on_traded(self, event: Event) -> None:
        self.put(event["target"], event["given"], self.everybody, face_up=True)
        self.hand = [event["taken"]]

    def on_knocked(self, event: Event) -> None:
        self.knocker = event["seat"]

    on_finished = on_knocked

    def on_knock_cancelled(self, _: Event) -> None:
        self.knocker = None

    def on_pairs_discarded(self, event: Event) -> None:
        for row in event["rows"]:
            for column in range(self.columns):
                self.take((event["seat"], row * self.columns + column))
        self.pile.extend(event["cards"])

    def on_forfeited(self, event: Event) -> None:
        self.forfeited.add(event["seat"])

    def on_scored(self, event: Event) -> None:
        self.totals = event["totals"]

    # Par golf.

    def on_arranged(self, event: Event) -> None:
        seat, slots = event["seat"], event["slots"]
        if slots:
            for grid in self.grids():
                grid[seat] = [grid[seat][slot] for slot in slots]

    def on_swapped_own(self, event: Event) -> None:
        """The cards change places, the faces do not."""
        seat, slots = event["seat"], event["slots"]
        parts: tuple[list[Any], ...] = (self.layouts[seat], self.knowers[seat])
        for grid in parts:
            grid[slots[0]], grid[slots[1]] = grid[slots[1]], grid[slots[0]]
        self.on_turned_up(event)

    def on_stroked(self, event: Event) -> None:
        first = event["row"] * self.columns
        for slot in range(first, first + self.columns):
            self.fixed[event["seat"]].add(slot)
            self.faces[event["seat"]][slot] = False

    # Powers.

    def on_switched(self, event: Event) -> None:
        self.switch(*event["targets"])

    def on_power(self, event: Event) -> None:
        card = event["card"]
        is_copy = card[0] == "2" and event["power"] != "2"
        has_stood_in = is_copy and self.attack["power"] in ("5", "9")
        self.attack = event
        if event["power"] in HELD_ON and not has_stood_in:
            if is_copy:
                del self.pile[-1 - self.pile[::-1].index(card)]
            self.hand = [card]
        elif not is_copy:
            self.pile.append(card)
            self.hand = []

    def on_rearranged(self, event: Event) -> None:
        seat, slots = event["of"], event["slots"]
        if slots is None:
            self.forget(seat, event["seat"])
            return
        places = self.occupied(seat)
        for grid in self.grids():
            moved = [grid[seat][slot] for slot in slots]
            for place, value in zip(places, moved, strict=True):
                grid[seat][place] = value
        self.keep_secret(seat)

    def on_shuffled(self, event: Event) -> None:
        self.forget(event["of"])

    def on_lines_swapped(self, event: Event) -> None:
        seat = event["of"]
        if event["lines"] is None:
            self.forget(seat, event["seat"])
        else:
            lines = [line_of_set(len(self.layouts[seat]), event["axis"], line) for line in event["lines"]]
            for one, other in zip(*lines, strict=True):
                self.switch((seat, one), (seat, other))
            self.keep_secret(seat)
        self.show(seat, event["layout"])

    def on_shielded(self, event: Event) -> None:
        self.aside.append(event["card"])
        self.shields[event["seat"]] = event["shields"]
        self.hand = []

    def on_blocked(self, event: Event) -> None:
        """A 9 that is blocked goes to the pile; the shield follows where it has served its time."""
        self.shields[event["seat"]] = event["shields"]
        self.pile += self.hand
        self.hand = []
        if event["shield"]:
            self.aside.remove(event["shield"])
            self.pile.append(event["shield"])

    def on_added(self, event: Event) -> None:
        """A new column opens with two slots."""
        seat, slot = event["target"]
        self.put((seat, slot), UNKNOWN, 0)
        if len(self.layouts[seat]) % 2:
            self.put((seat, slot + 1), None, 0)

    def on_removed(self, event: Event) -> None:
        self.take(event["target"])
        self.pile.append(event["card"])

    def on_planted(self, event: Event) -> None:
        self.put(event["target"], event["card"], self.everybody)
        self.pile.append(event["replaced"])
        self.hand = []

    def on_drew_two(self, event: Event) -> None:
        self.hand = [*(self.hand or [None]), *[card or UNKNOWN for card in event["cards"]]]
        self.own_choice = None
        self.shown = next((number for number, card in enumerate(self.hand[1:], 1) if self.is_shown(card)), 0)

    def on_kept(self, event: Event) -> None:
        """Everybody knows the card that brought the power, and one that cancelled the knock; others are secrets."""
        seat, card = event["seat"], event["card"]
        is_public = False
        if seat == self.seat:
            choice = self.hand.index(card) if self.own_choice is None else self.own_choice
            is_public = choice in (0, self.shown)
        knowers = self.witnesses(seat, card, is_public=is_public)
        self.put((seat, event["slot"]), card or CHOSEN, knowers)
        self.pile.extend(event["discarded"])
        self.hand = []

    # Slaps.

    def on_slapped(self, event: Event) -> None:
        """A right card lies on the pile; a wrong or late one is known from now on, wherever it lies."""
        self.put(event["target"], event["card"], self.everybody)
        if event["verdict"] == "right":
            self.pile.append(self.take(event["target"]))
        elif event["new_slot"] is not None:
            own = event["target"][0] == event["seat"]
            card, knowers = (UNKNOWN, 0) if own else (self.take(event["target"]), self.everybody)
            self.put((event["seat"], event["new_slot"]), card, knowers)

    def on_gave(self, event: Event) -> None:
        seat, slot = event["seat"], event["slot"]
        knowers = self.knowers[seat][slot]
        self.put(event["target"], self.take((seat, slot)), knowers)


def line_of_set(size: int, axis: str, line: int) -> list[int]:
    """The slots of a row or column of a set in Powers; a column beyond the third has the slots 2k and 2k + 1."""
    columns = [(k, k + 3) if k < 3 else (2 * k, 2 * k + 1) for k in range(size // 2)]
    return list(columns[line]) if axis == "column" else [column[line] for column in columns]
