"""The sources of chance outcomes: a key, a given deck, or the record of a game that was played.

Each purpose has a stream of its own, named by purpose, round and counter (GEN-05); protocol/README.md writes the
derivation down for everybody. A table takes outcomes, never a key.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct, field

from protocol.cards import Card
from referee.errors import GolfrefError
from referee.rules.keyed_streams import Stream
from referee.rules.variants import Variant, deck


class Chance(Protocol):
    """The chance outcomes of one match."""

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the shuffled pack of a round (from 1), in the order in which it is dealt (GEN-04)."""

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the new stock, top first, after the round's reshuffle number `count` (from 1).

        `cards` are those of the pile, bottom first."""

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the cards of a set, by slot, after the round's shuffle number `count` (from 1) of a set (POW-14)."""

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return all seats in the order drawn for a slap window of the round (CAC-25)."""

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        """Return all seats in the order in which a timed slap window asks them."""


class Keyed(Chance):
    """Chance outcomes from a deal key."""

    def __init__(self, key: bytes, variant: Variant, seats: int) -> None:
        self._key = key
        self._seats = seats
        self._pack = deck(variant, seats)

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the pack (variant.deck), shuffled by the stream `deck/ROUND`."""
        return tuple(Stream(self._key, f"deck/{number}").shuffled(self._pack))

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the pile, bottom first, shuffled by the stream `reshuffle/ROUND/COUNT`."""
        return tuple(Stream(self._key, f"reshuffle/{number}/{count}").shuffled(cards))

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the cards in the order of their slots, shuffled by the stream `shuffle/ROUND/COUNT`."""
        return tuple(Stream(self._key, f"shuffle/{number}/{count}").shuffled(cards))

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return the seats in rising order, shuffled by the stream `lots/ROUND/WINDOW`."""
        return tuple(Stream(self._key, f"lots/{number}/{window}").shuffled(range(self._seats)))

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        """Return the seats in rising order, shuffled by the stream `asking/ROUND/WINDOW`."""
        return tuple(Stream(self._key, f"asking/{number}/{window}").shuffled(range(self._seats)))


class BadDeck(GolfrefError, ValueError):
    """A given deck that the pack cannot make; the text names round and card."""


class Stacked(Keyed):
    """Chance outcomes with given decks: the key shuffles the cards that they do not name, and the rounds after them."""

    def __init__(self, key: bytes, variant: Variant, seats: int, decks: Sequence[Sequence[Card]]) -> None:
        super().__init__(key, variant, seats)
        self._decks = decks
        pack = Counter(self._pack)
        for index, cards in enumerate(decks):
            if surplus := Counter(cards) - pack:
                card = next(iter(surplus))
                has = f"has {pack[card]} of it" if pack[card] else "has no such card"
                raise BadDeck(f"round {index + 1}: {card} stands {Counter(cards)[card]} times; the pack {has}")

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the given cards of the round, then the others in the order of the keyed shuffle."""
        shuffled = super().deck(number)
        if number > len(self._decks):
            return shuffled
        named = Counter(self._decks[number - 1])
        rest = []
        for card in shuffled:
            if named[card]:
                named[card] -= 1
            else:
                rest.append(card)
        return (*self._decks[number - 1], *rest)


class RoundOutcomes(Struct, kw_only=True):
    """The chance outcomes of one round as a record holds them."""

    deck: tuple[Card, ...]
    reshuffles: list[tuple[Card, ...]] = field(default_factory=list)
    shuffles: list[tuple[Card, ...]] = field(default_factory=list)


class Recorder(Chance):
    """Another source's outcomes, passed on and kept for a replay. Lots are kept with the slaps, not here."""

    def __init__(self, source: Chance) -> None:
        self._source = source
        self.rounds: list[RoundOutcomes] = []

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return what the source returns."""
        self.rounds.append(RoundOutcomes(deck=self._source.deck(number)))
        return self.rounds[-1].deck

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return what the source returns."""
        shuffled = self._source.reshuffle(number, count, cards)
        self.rounds[-1].reshuffles.append(shuffled)
        return shuffled

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return what the source returns."""
        shuffled = self._source.shuffle(number, count, cards)
        self.rounds[-1].shuffles.append(shuffled)
        return shuffled

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Return what the source returns."""
        return self._source.lots(number, window)

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        """Return what the source returns."""
        return self._source.asking(number, window)


class Recorded(Chance):
    """The outcomes of a record. Every method raises LookupError where the record holds none."""

    def __init__(self, rounds: Sequence[RoundOutcomes]) -> None:
        self._rounds = rounds

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the recorded deck."""
        return self._rounds[number - 1].deck

    def reshuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the recorded order. Raises LookupError where it has other cards."""
        return _same_cards(self._rounds[number - 1].reshuffles[count - 1], cards, f"round {number}, reshuffle {count}")

    def shuffle(self, number: int, count: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the recorded order. Raises LookupError where it has other cards."""
        return _same_cards(self._rounds[number - 1].shuffles[count - 1], cards, f"round {number}, shuffle {count}")

    def lots(self, number: int, window: int) -> tuple[int, ...]:
        """Raise LookupError: lots are not drawn again, since a record holds the order that came out."""
        raise LookupError(f"round {number}: the order of window {window} is not in the record")

    def asking(self, number: int, window: int) -> tuple[int, ...]:
        """Raise LookupError: nobody is asked again."""
        return self.lots(number, window)


def _same_cards(recorded: tuple[Card, ...], cards: tuple[Card, ...], where: str) -> tuple[Card, ...]:
    if Counter(recorded) != Counter(cards):
        raise LookupError(f"{where}: the record has other cards")
    return recorded
