"""Chance that is settled piece by piece: a card is drawn by lot when it is dealt or taken from the stock, not before.

OpenSpiel wants every outcome of chance as a node of the game's tree. Of the orders that an `ExplicitChance` gives, only
the beginnings are settled; `Uses` follows the events of a match and finds which further pieces they took.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, cast

from msgspec import Struct

from protocol import events as wire
from protocol.cards import Card
from referee.rules.chance import Chance
from referee.rules.secrets import TableEvent

Piece = Card | int
"""A card of a deck, of a stock made anew or of a shuffled set; a seat in the lots of a slap window."""

Pieces = tuple[Piece, ...]


class Order(Struct, frozen=True):
    """What chance gives the order of."""

    of: Literal["deck", "reshuffle", "shuffle", "lots"]
    round: int
    count: int = 0
    """The number of the reshuffle, shuffle or window in its round, from 1; 0 for a deck."""

    def of_chance(self, chance: Chance, pieces: Pieces) -> Pieces:
        """Return this order as a source of chance gives it: of these pieces, or of the whole pack or all seats."""
        match self.of:
            case "deck":
                return chance.deck(self.round)
            case "lots":
                return chance.lots(self.round, self.count)
            case "reshuffle":
                return chance.reshuffle(self.round, self.count, cast(tuple[Card, ...], pieces))
        return chance.shuffle(self.round, self.count, cast(tuple[Card, ...], pieces))


class Need(Struct, frozen=True, kw_only=True):
    """The first so many pieces of an order must be settled before the match can go on."""

    order: Order
    upto: int
    among: Pieces
    """All pieces of the order, each as often as it is there; of lots the seats that slap."""

    def next_of(self, chance: Chance, settled: Mapping[Order, Pieces]) -> Piece:
        """Return the next piece of this order as another source of chance gives it."""
        gone = settled.get(self.order, ())
        left = without(self.among, gone)
        pieces = without(self.order.of_chance(chance, self.among), gone)
        return next((piece for piece in pieces if piece in left), left[0])


class ExplicitChance(Chance):
    """A source of chance whose orders begin with what is settled. The rest lies in any order, and nobody may look."""

    def __init__(self, pack: tuple[Card, ...], seats: int, settled: Mapping[Order, Pieces]) -> None:
        self.pack = pack
        self.seats = seats
        self.settled = settled
        self.asked: dict[Order, Pieces] = {}
        """The orders that were asked for, as they were given last."""

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the pack of a round."""
        return cast(tuple[Card, ...], self._given(Order("deck", number), self.pack))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the new stock, top first."""
        return cast(tuple[Card, ...], self._given(Order("reshuffle", number, count), cards))

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the cards of a set, by slot."""
        return cast(tuple[Card, ...], self._given(Order("shuffle", number, count), cards))

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return all seats in the order drawn for a slap window."""
        return cast(tuple[int, ...], self._given(Order("lots", number, window), tuple(range(self.seats))))

    def asking(self, number: int, window: int) -> tuple[int, ...]:  # noqa: ARG002 - a Chance has it
        """Return the seats in rising order: nobody's time is taken."""
        return tuple(range(self.seats))

    def _given(self, order: Order, whole: Pieces) -> Pieces:
        settled = self.settled.get(order, ())
        self.asked[order] = (*settled, *without(whole, settled))
        return self.asked[order]


def without(whole: Sequence[Piece], some: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of the whole without these, in their order."""
    gone, left = Counter(some), []
    for piece in whole:
        if gone[piece]:
            gone[piece] -= 1
        else:
            left.append(piece)
    return left


class Uses:
    """Follows a match along its events: `needs` tells what they took from chance, `orders` knows all orders so far."""

    def __init__(self, columns: int, seats: int) -> None:
        """Begin before the first round of a match with so many columns of cards a seat."""
        self._columns = columns
        self._seats = seats
        self.orders: dict[Order, Pieces] = {}
        self._stock = Order("deck", 0)
        self.left = 0
        """How many cards are left in the stock."""
        self._shuffles = 0

    def copy(self) -> "Uses":
        """Return the same, to be followed along other events."""
        other = Uses(self._columns, self._seats)
        other.orders = dict(self.orders)
        other._stock, other.left, other._shuffles = self._stock, self.left, self._shuffles
        return other

    def stock(self, chance: ExplicitChance) -> tuple[Card, ...]:
        """Return the cards of the stock as this chance orders them, top first."""
        whole = self._stock.of_chance(chance, self.orders.get(self._stock, ()))
        return cast(tuple[Card, ...], whole[len(whole) - self.left :])

    def slapped(self, window: Order, slappers: Sequence[int], chance: ExplicitChance) -> Iterator[Need]:
        """Tell what a slap window needs that these seats have slapped in: lots, if they are several."""
        if len(slappers) > 1 and window in chance.asked:
            self.orders[window] = chance.asked[window]
            yield Need(order=window, upto=len(slappers) - 1, among=tuple(slappers))

    def needs(self, events: Sequence[TableEvent], chance: ExplicitChance) -> Iterator[Need]:
        """Tell what these events took, in their order, settled or not; `chance` has just been asked for it."""
        for event in events:
            if isinstance(event, wire.Round):
                self._turn_to(Order("deck", event.round), event.stock, chance)
                self._shuffles = 0
                yield self._need(event.rows * self._columns * self._seats)
            elif isinstance(event, wire.Reshuffled):
                count = self._stock.count + 1 if self._stock.of == "reshuffle" else 1
                self._turn_to(Order("reshuffle", self._stock.round, count), event.stock, chance)
            elif isinstance(event, wire.Shuffled):
                self._shuffles += 1
                order = Order("shuffle", self._stock.round, self._shuffles)
                self.orders[order] = whole = chance.asked[order]
                yield Need(order=order, upto=len(whole), among=whole)
            elif (left := getattr(event, "stock", self.left)) != self.left:
                self.left = left
                yield self._need(len(self.orders[self._stock]) - left)

    def _turn_to(self, order: Order, count: int, chance: ExplicitChance) -> None:
        """The stock comes from this order from now on."""
        self._stock, self.left = order, count
        self.orders[order] = chance.asked[order]

    def _need(self, upto: int) -> Need:
        return Need(order=self._stock, upto=upto, among=self.orders[self._stock])
