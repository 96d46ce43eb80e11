"""Which seat knows which card on the table, followed event by event for all seats at once.

A seat knows a card from the event that shows it on, wherever the card goes, until cards change places in an order that
the seat is not told (RULES.md section 3). Nothing is reckoned from the cards that a seat does not know. The film
follows a match in the same way for people, with a picture for every step; this is for programs that look a million
times, and keeps the present alone. Which card lies where is not known here: that stands in the game's table.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from protocol import events as wire
from protocol.actions import Target
from referee.rules.game import Game
from referee.rules.games.power_cards import POWERS, line_of_set
from referee.rules.secrets import Hand, Secret, Slots

Audience = tuple[int, ...] | None


class Known:
    """What is known of one card on the table, by seat as bits of numbers: bit 0 for seat 0."""

    __slots__ = ("by", "seems", "since")

    def __init__(self, by: int = 0, seems: int = 0, since: tuple[int, ...] = ()) -> None:
        self.by = by
        """Who knows it."""
        self.seems = seems
        """Of whom a spectator can tell that they know it."""
        self.since = since
        """Since which event each seat knows it, by seat; -1 for those that do not."""


Row = list[Known | None]

KEPT = frozenset(name for name, power in POWERS.items() if power.keeps_card)
"""The powers of Powers whose card stays in hand until the power is done."""


def _where_round_begins(game: Game) -> int:
    """Return the number of the event that begins the present round; 0 before its deal."""
    began, happened = game.events_before, game.events
    return next((number for number in range(began, len(happened)) if type(happened[number]) is wire.Round), 0)


class Knowledge:
    """Who knows what at the table of a game: call `follow`, then read `layouts`, `hand`, `extra` and `aimed`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.layouts: list[Row] = [[] for _ in range(game.table.seats)]
        """By seat and slot, as the table has its layouts."""
        self.hand: Known | None = None
        """The card in hand, which is on its way to a slot or to the pile; the table says whether there still is one."""
        self.extra: tuple[int, ...] = ()
        """Who knows each of the two further cards that an 8 of Powers has drawn."""
        self.power = ""
        """The power that was announced last in this turn; empty where none was."""
        self.aimed: tuple[Target, ...] = ()
        """The cards that this power, or the right slap of this turn, is aimed at."""
        self.at = _where_round_begins(game)
        """How many events have been followed, or left out since they are about earlier rounds."""
        self._all = (1 << game.table.seats) - 1
        self._nobody = (-1,) * game.table.seats

    def copy(self, game: Game) -> "Knowledge":
        """Return the same knowledge of a copy of the game."""
        other = copy(self)
        other.game = game
        other.layouts = [[card and copy(card) for card in layout] for layout in self.layouts]
        other.hand = self.hand and copy(self.hand)
        return other

    def follow(self) -> None:
        """Follow the events that have happened since the last call."""
        happened = self.game.events
        for number in range(self.at, len(happened)):
            event = happened[number]
            if (note := _NOTES.get(type(event))) is not None:
                self.at = number
                note(self, event)
        self.at = len(happened)

    # What events say

    def _shown(self, to: Audience) -> Known:
        """A card that nobody knew and these seats are shown."""
        bits = self._bits(to)
        if not bits:
            return Known(0, 0, self._nobody)
        return Known(bits, bits, tuple(self.at if bits >> seat & 1 else -1 for seat in range(len(self._nobody))))

    def _bits(self, to: Audience) -> int:
        return self._all if to is None else sum(1 << seat for seat in to)

    def _show(self, target: Target, to: Audience) -> None:
        """These seats see a card on the table."""
        self._see(self._card(target), to)

    def _see(self, card: Known, to: Audience) -> None:
        bits = self._bits(to)
        if new := bits & ~card.by:
            card.since = tuple([self.at if new >> seat & 1 else since for seat, since in enumerate(card.since)])
        card.by |= bits
        card.seems |= bits

    def _card(self, target: Target) -> Known:
        card = self.layouts[target[0]][target[1]]
        if card is None:
            raise LookupError(f"nothing lies at {target}")
        return card

    def _put(self, target: Target, card: Known | None) -> None:
        layout = self.layouts[target[0]]
        while target[1] >= len(layout):
            layout.append(None)
        layout[target[1]] = card

    def _order(self, of: int, moved: Row, to: Audience, up: Sequence[bool] = ()) -> None:
        """The cards of a seat lie like this now; who was not told the order has lost those that lie face down.

        Who looks on can tell of those who were told that they know a card if they knew all that lie face down.
        """
        self.layouts[of] = moved
        if to is None:
            return
        told = every = self._bits(to)
        down = [card for slot, card in enumerate(moved) if card is not None and not (up and up[slot])]
        for card in down:
            every &= card.seems
        for card in down:
            card.by &= told
            card.seems = every
            card.since = tuple([since if card.by >> seat & 1 else -1 for seat, since in enumerate(card.since)])

    # Each kind of event

    def _round(self, event: wire.Round) -> None:
        count = event.rows * self.game.table.variant.columns
        self.layouts = [[Known(0, 0, self._nobody) for _ in range(count)] for _ in self._nobody]
        self.hand, self.extra, self.power, self.aimed = None, (), "", ()

    def _turned_up(self, event: wire.TurnedUp[Hand]) -> None:
        for slot in event.slots:
            self._show((event.seat, slot), None)

    def _looked(self, event: wire.Looked[Hand]) -> None:
        for slot, card in zip(event.slots, event.cards, strict=True):
            self._show((event.seat, slot), card.to)

    def _arranged(self, event: wire.Arranged[Slots]) -> None:
        layout = self.layouts[event.seat]
        self._order(event.seat, [layout[slot] for slot in event.slots.value], event.slots.to)

    def _drew(self, event: wire.Drew[Hand]) -> None:
        self.hand, self.extra, self.power, self.aimed = self._shown(event.card.to), (), "", ()

    def _swapped(self, event: wire.Swapped[Hand]) -> None:
        self._place((event.seat, event.slot), event.card.to)

    def _place(self, target: Target, to: Audience) -> None:
        """The card in hand goes to a place, and these seats see it."""
        card, self.hand = self.hand or self._shown(()), None
        self._see(card, to)
        self._put(target, card)

    def _knocked(self, _: wire.Knocked) -> None:
        self.power, self.aimed = "", ()

    def _traded(self, event: wire.Traded[Hand]) -> None:
        taken = self._card(event.target)
        self._place(event.target, event.given.to)
        self._see(taken, event.taken.to)
        self.hand = taken

    def _swapped_own(self, event: wire.SwappedOwn[Hand]) -> None:
        self._exchange(*((event.seat, slot) for slot in event.slots))
        for slot, card in zip(event.slots, event.cards, strict=True):
            if card.value is not None:
                self._show((event.seat, slot), card.to)

    def _exchange(self, first: Target, second: Target) -> None:
        one, other = self._card(first), self._card(second)
        self._put(first, other)
        self._put(second, one)

    def _pairs_discarded(self, event: wire.PairsDiscarded[Hand]) -> None:
        for row in event.rows:
            self._put((event.seat, 2 * row), None)
            self._put((event.seat, 2 * row + 1), None)

    def _power_used(self, event: wire.PowerUsed[Hand]) -> None:
        self.power, self.aimed = event.power, event.targets
        if event.power not in KEPT:
            self.hand = None
        elif self.hand is None:  # a 2 that is taken from the pile again
            self.hand = self._shown(None)
        else:
            self._see(self.hand, None)

    def _peeked(self, event: wire.Peeked[Hand]) -> None:
        self._show(event.target, event.card.to)

    def _switched(self, event: wire.Switched) -> None:
        self._exchange(*event.targets)

    def _rearranged(self, event: wire.Rearranged[Slots]) -> None:
        layout = self.layouts[event.of]
        moved = [*layout]
        places = [slot for slot, card in enumerate(layout) if card is not None]
        for place, slot in zip(places, event.slots.value, strict=True):
            moved[place] = layout[slot]
        self._order(event.of, moved, event.slots.to)

    def _lines_swapped(self, event: wire.LinesSwapped[Secret[str], Slots]) -> None:
        moved = [*self.layouts[event.of]]
        first, second = (line_of_set(len(moved) // 2, event.axis.value, line) for line in event.lines.value)
        for one, other in zip(first, second, strict=True):
            moved[one], moved[other] = moved[other], moved[one]
        up = [card not in (None, "?") for card in event.layout]
        self._order(event.of, moved, event.lines.to, up)

    def _shuffled(self, event: wire.Shuffled) -> None:
        self._order(event.of, self.layouts[event.of], ())

    def _added(self, event: wire.CardAdded) -> None:
        self._put(event.target, self._shown(()))
        layout = self.layouts[event.target[0]]
        layout += [None] * (len(layout) % 2)  # POW-08: a new column has two slots

    def _removed(self, event: wire.CardRemoved[Hand]) -> None:
        self._put(event.target, None)

    def _planted(self, event: wire.Planted[Hand]) -> None:
        self._place(event.target, event.card.to)

    def _exposed(self, event: wire.Exposed[Hand]) -> None:
        self._show(event.target, event.card.to)

    def _drew_two(self, event: wire.DrewTwo[Hand]) -> None:
        self.extra = tuple(self._bits(card.to) for card in event.cards)

    def _kept(self, event: wire.Kept[Hand]) -> None:
        self._put((event.seat, event.slot), self._shown(event.card.to))
        self.extra = ()

    def _slapped(self, event: wire.Slapped[Hand]) -> None:
        self._show(event.target, event.card.to)
        if event.verdict == "right":
            self._put(event.target, None)
            self.aimed = (event.target,)
        elif event.new_slot is not None:
            is_own = event.target[0] == event.seat
            card = self._shown(()) if is_own else self._card(event.target)
            if not is_own:
                self._put(event.target, None)
            self._put((event.seat, event.new_slot), card)

    def _gave(self, event: wire.Gave) -> None:
        self._put(event.target, self._card((event.seat, event.slot)))
        self._put((event.seat, event.slot), None)
        self.aimed = ()

    def _window_closed(self, _: wire.WindowClosed) -> None:
        self.aimed = ()

    def _showdown(self, _: wire.Showdown[Hand]) -> None:
        for seat, layout in enumerate(self.layouts):
            for slot, card in enumerate(layout):
                if card is not None:
                    self._show((seat, slot), None)


_NOTES: dict[type, Callable[[Knowledge, Any], None]] = {
    wire.Round: Knowledge._round,
    wire.TurnedUp: Knowledge._turned_up,
    wire.Looked: Knowledge._looked,
    wire.Arranged: Knowledge._arranged,
    wire.Drew: Knowledge._drew,
    wire.Swapped: Knowledge._swapped,
    wire.Knocked: Knowledge._knocked,
    wire.Traded: Knowledge._traded,
    wire.SwappedOwn: Knowledge._swapped_own,
    wire.PairsDiscarded: Knowledge._pairs_discarded,
    wire.PowerUsed: Knowledge._power_used,
    wire.Peeked: Knowledge._peeked,
    wire.Switched: Knowledge._switched,
    wire.Rearranged: Knowledge._rearranged,
    wire.LinesSwapped: Knowledge._lines_swapped,
    wire.Shuffled: Knowledge._shuffled,
    wire.CardAdded: Knowledge._added,
    wire.CardRemoved: Knowledge._removed,
    wire.Planted: Knowledge._planted,
    wire.Exposed: Knowledge._exposed,
    wire.DrewTwo: Knowledge._drew_two,
    wire.Kept: Knowledge._kept,
    wire.Slapped: Knowledge._slapped,
    wire.Gave: Knowledge._gave,
    wire.WindowClosed: Knowledge._window_closed,
    wire.Showdown: Knowledge._showdown,
}
"""What each kind of event changes. Of the others none changes who knows what."""
