"""Everything physical at the table, as one inspectable value, and the moves that cards can make on it.

A table knows no course of play: whose decision it is, and what may be decided, stands with the games. Its chance
outcomes come from outside (chance.py), and whatever happens is emitted as an event.
"""

from collections.abc import Iterable
from copy import copy
from functools import cache

from msgspec import Struct, field

from protocol import events
from protocol.actions import Target
from protocol.cards import Card
from referee.rules.chance import Chance
from referee.rules.options import Options
from referee.rules.questions import cached
from referee.rules.secrets import TableEvent, everybody
from referee.rules.variants import Variant


class RoundOver(Exception):
    """The round ends at once. This is no error; it leads out of everything that is nested in a turn."""


class Slot(Struct, gc=False):
    """A card in a layout, and who knows it (RULES.md section 3): bit s for seat s, bit `Table.seats` for spectators.

    A seat that was shown the card knows it wherever it goes, until cards change places unseen (INF-04, INF-05).
    """

    card: Card
    up: bool = False
    known_by: int = 0
    shown_at: int = 0
    """The number of the event that showed the card to anybody last."""
    secretly_known_by: int = 0
    """Those of `known_by` of whom nobody else can tell that they know the card."""

    @property
    def openly_known_by(self) -> int:
        """Those of `known_by` of whom everybody at the table can tell that they know the card."""
        return self.known_by & ~self.secretly_known_by


Layout = list[Slot | None]
"""A seat's slots in their numbering; None is an empty slot."""


class Table(Struct, kw_only=True):
    """The state of a match between two questions."""

    variant: Variant
    options: Options
    """The options in force, which are those of the variant."""
    seats: int
    chance: Chance
    totals: list[int]
    forfeited: set[int] = field(default_factory=set)
    events: list[TableEvent] = field(default_factory=list)

    round: int = 0
    playoff: bool = False
    dealer: int = 0
    starter: int = 0
    turn: int = 0
    turns: int = 0
    """The number of turns taken in this round; skipped ones do not count (GEN-09)."""
    windows: int = 0
    reshuffles: int = 0
    shuffles: int = 0
    seat_turns: list[int] = field(default_factory=list)
    """The number of turns that each seat has taken in this round."""
    rows: int = 0
    """The number of rows of a layout as it was dealt."""
    layouts: list[Layout] = field(default_factory=list)
    stock: list[Card] = field(default_factory=list)
    """The top card is the last one."""
    pile: list[Card] = field(default_factory=list)
    """The top card is the last one."""
    hand: Card | None = None
    """The card that the seat in turn has drawn and not yet placed."""
    hand_known_by: int = 0
    """Who knows the card in hand, as in a slot."""
    extra: list[Card] = field(default_factory=list)
    """Powers: the two further cards drawn by an 8, until one of three is kept."""
    extra_known_by: tuple[int, ...] = ()
    ended_by: int | None = None
    """The seat that knocked, or whose layout was complete first."""
    final: list[int] | None = None
    """The seats that still have a turn, in their order, once a final lap runs; None before."""
    capped: bool = False
    latest_rows: list[int | None] = field(default_factory=list)
    """Two-deck game: the row in which each seat placed or turned up a card in its latest turn."""
    pars: list[int] = field(default_factory=list)
    """Par golf: the pars of the holes so far, the current one's last."""
    strokes: list[set[int]] = field(default_factory=list)
    """Par golf: the rows that each seat has taken as strokes."""
    shields: list[list[Card]] = field(default_factory=list)
    """Powers: the cards that lie beside each set as shields."""
    shield_uses: list[int] = field(default_factory=list)
    """Powers: how often each seat has used the shield that it uses next."""
    four_of_a_kind: tuple[int, ...] = ()
    everybody: int = 0
    """The bits of all seats and spectators, as in `Slot.known_by`."""

    def __post_init__(self) -> None:
        self.everybody = (2 << self.seats) - 1

    def copy(self) -> "Table":
        """Return an independent table that stands as this one does; both draw from the same source of chance."""
        table = copy(self)
        table.layouts = [
            [slot and Slot(slot.card, slot.up, slot.known_by, slot.shown_at, slot.secretly_known_by) for slot in layout]
            for layout in self.layouts
        ]
        table.strokes = [set(rows) for rows in self.strokes]
        table.shields = [list(cards) for cards in self.shields]
        table.final = None if self.final is None else list(self.final)
        table.forfeited = set(self.forfeited)
        for name in _LISTS:
            setattr(table, name, list(getattr(self, name)))
        return table

    def emit(self, event: TableEvent) -> None:
        """Note that something has happened."""
        self.events.append(event)

    def left_of(self, seat: int) -> int:
        """Return the next seat clockwise (RULES.md section 1)."""
        return (seat + 1) % self.seats

    def others(self, seat: int) -> list[int]:
        """Return all other seats, clockwise from the left of `seat`."""
        return [(seat + step) % self.seats for step in range(1, self.seats)]

    def occupied(self, seat: int) -> tuple[int, ...]:
        """Return the numbers of the slots that hold a card."""
        layout = self.layouts[seat]
        if all(layout):
            return _numbers(len(layout))
        return tuple([number for number, slot in enumerate(layout) if slot is not None])

    def face_down(self, seat: int) -> tuple[int, ...]:
        """Return the numbers of the slots that hold a face-down card."""
        return tuple([number for number, slot in enumerate(self.layouts[seat]) if slot and not slot.up])

    def lies_open(self, seat: int) -> bool:
        """Return whether none of the seat's cards lies face down."""
        for slot in self.layouts[seat]:  # noqa: SIM110 - asked in every turn, and `any` costs more than the rest
            if slot is not None and not slot.up:
                return False
        return True

    def with_face(self, *, up: bool) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of the slots that hold a card with this face, by seat."""
        return tuple(
            [
                tuple([number for number, slot in enumerate(layout) if slot is not None and slot.up is up])
                for layout in self.layouts
            ]
        )

    def at(self, seat: int, number: int) -> Slot:
        """Return the card in a slot. Raises LookupError where the slot is empty."""
        slot = self.layouts[seat][number]
        if slot is None:
            raise LookupError(f"slot {number} of seat {seat} is empty")
        return slot

    def targets(self, *, up: bool, spared: int | None) -> tuple[Target, ...]:
        """Return the cards with this face, seat by seat, without those of the seat that is spared."""
        return targets_in(self.with_face(up=up), spared)

    def can_draw_stock(self) -> bool:
        """Return whether a stock draw is possible, after a reshuffle if need be (GEN-08)."""
        return bool(self.stock) or (self.options.stock_out == "reshuffle" and len(self.pile) > 1)

    def take_stock(self) -> Card | None:
        """Take the top stock card, after a reshuffle where one is due (GEN-08, PAR-20); return None when there is none.

        Nobody can follow the cards of the pile through a reshuffle (INF-05)."""
        if not self.stock:
            if not self.can_draw_stock():
                return None
            self.reshuffles += 1
            shuffled = self.chance.reshuffle(self.round, self.reshuffles, tuple(self.pile[:-1]))
            self.stock = list(reversed(shuffled))
            self.pile = self.pile[-1:]
            self.emit(events.Reshuffled(stock=len(self.stock)))
        return self.stock.pop()

    def stock_has_run_out(self) -> bool:
        """Return whether the last stock card has been drawn and that ends the round (GEN-08 `end`)."""
        return not self.stock and self.options.stock_out == "end"

    def to_pile(self, card: Card) -> None:
        """Put a card face up on the pile."""
        self.pile.append(card)

    def add(self, seat: int, card: Card, known_by: int = 0) -> int:
        """Put a card face down into a new slot of a seat; return the slot's number, which is new, too (CAC-44)."""
        self.layouts[seat].append(None)
        number = len(self.layouts[seat]) - 1
        self.lay(seat, number, card, known_by)
        return number

    def remove(self, seat: int, number: int) -> Card:
        """Take a card out of its slot, which stays empty; return it."""
        card = self.at(seat, number).card
        self.layouts[seat][number] = None
        return card

    def lay(self, seat: int, number: int, card: Card, known_by: int, *, up: bool = False) -> None:
        """Put a card into a slot, with the bits of those that know it."""
        self.layouts[seat][number] = Slot(card, up, known_by, len(self.events))

    def show(self, slots: Iterable[Slot], to: int) -> None:
        """INF-02: those whose bits are in `to` see these cards; that they do is public (INF-06)."""
        now = len(self.events)
        for slot in slots:
            slot.known_by |= to
            slot.shown_at = now
            if slot.secretly_known_by:
                slot.secretly_known_by &= ~to

    def mix_unseen(self, of: int, by: int) -> None:
        """INF-05: the face-down cards of a seat have changed places, and only the seat `by` has seen how.

        Others can still tell that it knows a card where it is known to know all of them."""
        down = [slot for slot in self.layouts[of] if slot is not None and not slot.up]
        is_open = all(slot.openly_known_by >> by & 1 for slot in down)
        for slot in down:
            slot.known_by &= 1 << by
            slot.secretly_known_by = 0 if is_open else slot.known_by

    def turn_up_card(self) -> None:
        """KER-01, PAR-06: the top stock card starts the pile, for everybody to see."""
        self.pile.append(self.stock.pop())
        self.emit(events.UpCard(card=everybody(self.pile[-1]), stock=len(self.stock)))


@cache
def _numbers(count: int) -> tuple[int, ...]:
    return tuple(range(count))


@cached
def targets_in(slots: tuple[tuple[int, ...], ...], spared: int | None) -> tuple[Target, ...]:
    """Return the cards in these slots, which are given by seat, without those of the seat that is spared."""
    return tuple([(seat, number) for seat, own in enumerate(slots) if seat != spared for number in own])


_LISTS = ("totals", "events", "seat_turns", "stock", "pile", "extra", "latest_rows", "pars", "shield_uses")
"""The fields of a table that are lists of things that never change."""
