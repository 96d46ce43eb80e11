"""Books of a match, kept from the deal and the events alone: the events say all that happens to the cards."""

from typing import Any

from msgspec import Struct, field

from protocol import events
from protocol.cards import Card
from referee.rules.table.seen import Hand
from referee.rules.table.table import Table

UNSEEN = "?"
"""A card that the events do not name: it came unseen from the stock (CAC-28, POW-10) or was shuffled (POW-14)."""

LAID_ELSEWHERE = ("5", "8", "9")
"""The powers whose card does not go to the pile before they are carried out (POW-07)."""


class Books(Struct):
    """A table kept from the deal and the events alone, by somebody who sees every card in them."""

    layouts: list[list[tuple[Card, bool] | None]] = field(default_factory=list)
    pile: list[Card] = field(default_factory=list)
    stock: int = 0
    shields: list[list[Card]] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    """How many attacks each seat's oldest shield has blocked."""
    stood_in: bool = False
    """Whether the card whose power is used, a 2, has been used up."""
    waiting: Card | None = None
    """The card of a power, when it lies nowhere yet."""

    def enter(self, event: Any, table: Table) -> None:
        """Note what happened; the table is asked for the deal and the options only."""
        if isinstance(event, events.Round):
            self.layouts = [[(card, False) for card in cards] for cards in dealt(table)]
            self.pile = []
            self.shields = [[] for _ in self.layouts]
            self.uses = [0] * len(self.layouts)
        self.stock = getattr(event, "stock", self.stock)
        self.move_pile(event)
        self.move_layouts(event)
        self.move_unseen(event)
        self.use_powers(event, table)

    def move_pile(self, event: Any) -> None:
        match event:
            case events.Drew(source="pile", card=card):
                assert self.pile.pop() == card.value
            case events.Reshuffled():
                self.pile = self.pile[-1:]
            case events.PairsDiscarded(cards=cards) | events.Kept(discarded=cards):
                self.pile += [card.value for card in cards]
            case events.Swapped(replaced=card) | events.Planted(replaced=card):
                self.pile.append(card.value)
            case events.UpCard(card=card) | events.Discarded(card=card) | events.CardRemoved(card=card):
                self.pile.append(card.value)
            case events.Slapped(card=card, verdict="right"):
                self.pile.append(card.value)

    def move_layouts(self, event: Any) -> None:
        match event:
            case events.TurnedUp(seat=seat, slots=slots, cards=cards):
                for slot, card in zip(slots, cards, strict=True):
                    self.put((seat, slot), card, up=True)
            case events.Swapped(seat=seat, slot=slot, card=card, face_up=up):
                self.put((seat, slot), card, up=up)
            case events.Traded(target=target, given=card) | events.Exposed(target=target, card=card):
                self.put(target, card, up=True)
            case events.Stroked(seat=seat, row=row):
                for slot in (2 * row, 2 * row + 1):
                    self.turn_down((seat, slot))
            case events.Hidden(target=target):
                self.turn_down(target)
            case events.PairsDiscarded(seat=seat, rows=rows):
                for row in rows:
                    self.layouts[seat][2 * row : 2 * row + 2] = [None, None]

    def move_unseen(self, event: Any) -> None:
        match event:
            case events.SwappedOwn(seat=seat, slots=(first, second)):
                self.swap_own(self.layouts[seat], first, second)
            case events.Switched(targets=((a, i), (b, j))):
                self.layouts[a][i], self.layouts[b][j] = self.layouts[b][j], self.layouts[a][i]
            case events.Arranged(seat=seat, slots=slots) | events.Rearranged(of=seat, slots=slots):
                self.rearrange(self.layouts[seat], slots.value)
            case events.Shuffled(of=seat):
                self.layouts[seat] = [slot and (UNSEEN, False) for slot in self.layouts[seat]]
            case events.LinesSwapped(of=seat, axis=axis, lines=lines, layout=shown):
                self.layouts[seat] = lines_swapped(self.layouts[seat], axis.value, lines.value)
                assert shown == tuple(slot and (slot[0] if slot[1] else "?") for slot in self.layouts[seat])
            case events.Gave(seat=seat, slot=slot, target=(other, empty)):
                self.layouts[other][empty], self.layouts[seat][slot] = self.layouts[seat][slot], None
            case events.Slapped():
                self.slap(event)

    def use_powers(self, event: Any, table: Table) -> None:
        match event:
            case events.PowerUsed():
                self.begin_power(event)
            case events.Blocked(seat=seat, shields=left, shield=gone):
                self.block(seat, left, gone.value, table.options.shield_uses)
            case events.Shielded(seat=seat, card=card):
                self.shields[seat].append(card.value)
                self.use_up(card.value)
            case events.Planted(target=target, card=card):
                self.put(target, card, up=False)
                self.use_up(card.value)
            case events.CardRemoved(target=(seat, slot)):
                self.layouts[seat][slot] = None
            case events.CardAdded(target=target):
                self.add(target)
            case events.Kept(seat=seat, slot=slot, card=card):
                self.put((seat, slot), card, up=False)
                if card.to is None and card.value not in ("KS", "KC"):  # a king was shown when it was drawn (POW-22)
                    self.use_up(card.value)
                self.waiting = None

    def begin_power(self, event: events.PowerUsed[Hand]) -> None:
        card = str(event.card.value)
        copied = card[0] == "2" and event.power != "2"
        if not copied:
            self.stood_in = False
            self.pile.append(card)
        if event.power in LAID_ELSEWHERE and not self.stood_in:
            place = len(self.pile) - 1 - self.pile[::-1].index(card)
            self.waiting = self.pile.pop(place)

    def use_up(self, card: Card | None) -> None:
        assert self.waiting == card
        self.waiting, self.stood_in = None, True

    def block(self, seat: int, left: int, gone: Card | None, shield_uses: int | str) -> None:
        """POW-17: a 9 or 2 that would have been placed goes to the pile, then the shield, if it is used up."""
        if self.waiting is not None:
            self.pile.append(self.waiting)
            self.use_up(self.waiting)
        self.uses[seat] += 1
        assert (gone is not None) == (self.uses[seat] == shield_uses)
        if gone is not None:
            self.uses[seat] = 0
            assert gone == self.shields[seat].pop(0)
            self.pile.append(gone)
        assert len(self.shields[seat]) == left

    def put(self, target: tuple[int, int], card: Hand, *, up: bool) -> None:
        self.layouts[target[0]][target[1]] = (str(card.value), up)

    def turn_down(self, target: tuple[int, int]) -> None:
        held = self.layouts[target[0]][target[1]]
        assert held is not None
        self.layouts[target[0]][target[1]] = (held[0], False)

    def add(self, target: tuple[int, int]) -> None:
        """POW-08: the lowest-numbered empty slot, else row 0 of a new column."""
        layout = self.layouts[target[0]]
        if target[1] == len(layout):
            layout += [None, None]
        assert target[1] == layout.index(None)
        layout[target[1]] = (UNSEEN, False)

    def swap_own(self, layout: list[tuple[Card, bool] | None], first: int, second: int) -> None:
        """PAR-11: the faces stay where they are."""
        one, other = layout[first], layout[second]
        assert one is not None
        assert other is not None
        layout[first], layout[second] = (other[0], one[1]), (one[0], other[1])

    def rearrange(self, layout: list[tuple[Card, bool] | None], slots: tuple[int, ...]) -> None:
        places = [number for number, slot in enumerate(layout) if slot is not None]
        moved = [layout[number] for number in slots]
        for place, card in zip(places, moved, strict=True):
            layout[place] = card

    def slap(self, event: events.Slapped[Hand]) -> None:
        owner, slot = event.target
        held = self.layouts[owner][slot]
        assert held in {(event.card.value, False), (UNSEEN, False)}
        card = str(event.card.value)
        self.layouts[owner][slot] = (card, False)
        if event.verdict == "right":
            self.layouts[owner][slot] = None
        elif event.new_slot is not None:
            assert event.new_slot == len(self.layouts[event.seat])
            self.layouts[event.seat].append((UNSEEN if owner == event.seat else card, False))
            if owner != event.seat:
                self.layouts[owner][slot] = None


def lines_swapped(
    layout: list[tuple[Card, bool] | None], axis: str, lines: tuple[int, ...]
) -> list[tuple[Card, bool] | None]:
    """POW-08, POW-19: s0 s1 s2 s6 s8 ... above s3 s4 s5 s7 s9 ..."""
    added = range(6, len(layout), 2)
    grid = [[0, 1, 2, *added], [3, 4, 5, *(slot + 1 for slot in added)]]
    first, second = lines
    source = list(range(len(layout)))
    pairs = (
        zip(grid[first], grid[second], strict=True) if axis == "row" else [(row[first], row[second]) for row in grid]
    )
    for one, other in pairs:
        source[one], source[other] = other, one
    return [layout[number] for number in source]


def check_books(books: Books, table: Table) -> None:
    """The books agree with the table."""
    assert (books.pile, books.stock, books.shields) == (table.pile, len(table.stock), table.shields)
    for noted, layout in zip(books.layouts, table.layouts, strict=True):
        for entry, slot in zip(noted, layout, strict=True):
            assert entry == (slot and (UNSEEN if entry and entry[0] == UNSEEN else slot.card, slot.up))


def dealt(table: Table) -> list[list[Card]]:
    """The layouts of the round as they were dealt (GEN-04)."""
    pack = table.chance.deck(table.round)
    count = table.seats * table.rows * table.variant.columns
    return [list(pack[(seat - table.dealer - 1) % table.seats : count : table.seats]) for seat in range(table.seats)]
