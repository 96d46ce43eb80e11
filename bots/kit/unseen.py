"""The cards that this seat has not seen, and the chance that the next one is such and such.

They lie in the stock, hidden in layouts, or in another seat's hand, and each of these places has the same chance to
hold each of them. What was drawn and kept is likely to be low; whoever wants to reckon with that must do so himself.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from kit.cards import pack_of, points_of, rank


class Unseen:
    """Which cards of the pack are unseen, as of the last call of `see`."""

    ranks: dict[str, int]
    """How many unseen cards there are of each rank; ranks of which none is left are 0."""
    total: int
    """How many unseen cards there are."""

    def __init__(self, match: dict[str, Any]) -> None:
        """Begin with the `match` message; nothing is seen yet."""
        self.pack = pack_of(match)
        """Every card of the match; two packs hold each card twice."""
        self.values: dict[str, int] = match["values"]
        self._of_each = Counter(self.pack)
        self._of_each_rank = dict(Counter(map(rank, self.pack)))
        self.see([])

    def see(self, seen: Iterable[str]) -> None:
        """Count anew, where these cards are seen and no others: `unseen.see(table.seen())`."""
        self._seen = list(seen)
        self._cards: dict[str, int] | None = None
        left = dict(self._of_each_rank)
        for card in self._seen:
            held = rank(card)
            left[held] = max(0, left[held] - 1)
        self.ranks, self.total = left, sum(left.values())

    @property
    def cards(self) -> dict[str, int]:
        """How many unseen cards there are of each code, without those of which none is left."""
        if self._cards is None:
            left = dict(self._of_each)
            for card in self._seen:
                left[card] = left.get(card, 0) - 1
            self._cards = {card: number for card, number in left.items() if number > 0}
        return self._cards

    def listed(self) -> list[str]:
        """All unseen cards, each as often as it is there: shuffle them to deal what cannot be seen."""
        return [card for card, number in self.cards.items() for _ in range(number)]

    def chance(self, what: str) -> float:
        """The chance, 0 to 1, that an unseen card is this one (`QS`) or has this rank (`Q`; jokers have the rank X)."""
        number = self.ranks[what] if what in self.ranks else self.cards.get(what, 0)
        return number / self.total if self.total else 0.0

    @property
    def points(self) -> float:
        """How many points an unseen card is expected to count by itself; 0 where there is none."""
        total = sum([number * points_of(card, self.values) for card, number in self.cards.items()])
        return total / self.total if self.total else 0.0
