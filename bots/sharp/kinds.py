"""Cards by kind: what each counts, which are equal, and how likely an unseen card is of which kind.

Two cards are of one kind if they have the same rank and count the same. A layout becomes a list of kinds, small
integers, so that tables can be indexed by them; the last kind, `hidden`, is a card that nobody can tell.
"""

from random import Random
from typing import Any

from kit import Unseen, is_known, points_of, rank


class Kinds:
    """The kinds of cards of a match, and the chances of the unseen ones."""

    def __init__(self, match: dict[str, Any], unseen: Unseen) -> None:
        self.values: dict[str, int] = match["values"]
        self.jokers_pair = match["options"].get("joker_pair", "zero") == "zero"
        found = list(dict.fromkeys((rank(card), points_of(card, self.values)) for card in unseen.pack))
        self.ranks = [name for name, _ in found]
        self.points = [float(points) for _, points in found]
        self.number = {kind: number for number, kind in enumerate(found)}
        self.hidden = len(found)
        self.known: dict[str, int] = {}
        self.reckon(unseen)

    def kind(self, card: Any) -> int:
        """The kind of a card as the table has it; `hidden` for one that is not known, -1 for an empty slot."""
        if card is None:
            return -1
        if not is_known(card):
            return self.hidden
        if card not in self.known:
            self.known[card] = self.number[rank(card), points_of(card, self.values)]
        return self.known[card]

    def equal(self, one: int, other: int) -> bool:
        """Whether two known kinds are equal cards; jokers may be none that pair up."""
        return self.ranks[one] == self.ranks[other] and (self.ranks[one] != "X" or self.jokers_pair)

    def reckon(self, unseen: Unseen) -> None:
        """Take over the chance of each kind for a card that is unseen now."""
        self.left = [0] * self.hidden
        for card, number in unseen.cards.items():
            self.left[self.kind(card)] += number
        total = max(1, unseen.total)
        self.chances = [number / total for number in self.left]

    def average(self) -> float:
        """The points of an unseen card on average."""
        return sum([chance * points for chance, points in zip(self.chances, self.points, strict=True)])

    def deal(self, random: Random, number: int) -> list[int]:
        """So many of the unseen cards, drawn by chance."""
        cards = [kind for kind, left in enumerate(self.left) for _ in range(left)]
        return random.sample(cards, number) if number <= len(cards) else random.choices(range(self.hidden), k=number)
