"""Cards by kind: what each counts, which are equal, and how likely an unseen card is of which kind.

Two cards are of one kind if they have the same rank and count the same. A layout becomes a list of kinds, small
integers, so that tables can be indexed by them; the last kind, `hidden`, is a card that nobody can tell.
"""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from cards import is_known, rank

SUITS = "SHDC"


class Kinds:
    """The kinds of cards of a match, and the chances of the unseen ones."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.values: dict[str, int] = match["values"]
        self.jokers_pair = match["options"].get("joker_pair", "zero") == "zero"
        pack = pack_of(match)
        found = Counter({(rank(card), self.points_of(card)): 0 for card in pack})
        for card in pack:
            found[rank(card), self.points_of(card)] += pack[card]
        self.ranks = [name for name, _ in found]
        self.points = [float(points) for _, points in found]
        self.pack = list(found.values())
        self.number = {kind: number for number, kind in enumerate(found)}
        self.hidden = len(self.pack)
        self.known: dict[str, int] = {}
        self.chances = self.unseen(())

    def points_of(self, card: str) -> int:
        return self.values[card] if card in self.values else self.values[rank(card)]

    def kind(self, card: Any) -> int:
        """The kind of a card as the book has it; `hidden` for one that is not known, -1 for an empty slot."""
        if card is None:
            return -1
        if not is_known(card):
            return self.hidden
        if card not in self.known:
            self.known[card] = self.number[rank(card), self.points_of(card)]
        return self.known[card]

    def equal(self, one: int, other: int) -> bool:
        """Whether two known kinds are equal cards; jokers may be none that pair up."""
        return self.ranks[one] == self.ranks[other] and (self.ranks[one] != "X" or self.jokers_pair)

    def unseen(self, seen: Iterable[str]) -> list[float]:
        """The chance of each kind for a card that nobody has seen, when these cards were seen."""
        left = list(self.pack)
        for card in seen:
            left[self.kind(card)] -= 1
        left = self.left = [max(0, number) for number in left]
        total = max(1, sum(left))
        return [number / total for number in left]

    def deal(self, random: Random, number: int) -> list[int]:
        """So many of the unseen cards, drawn by chance."""
        cards = [kind for kind, left in enumerate(self.left) for _ in range(left)]
        return random.sample(cards, number) if number <= len(cards) else random.choices(range(self.hidden), k=number)


def pack_of(match: dict[str, Any]) -> Counter[str]:
    """How many of each card there are; keys of `values` such as `QS` are no ranks."""
    ranks = [key for key in match["values"] if (len(key) == 1 or key == "10") and key != "X"]
    jokers = match["options"].get("jokers", 0)
    jokers *= match["cards"] // (52 + jokers)
    copies = (match["cards"] - jokers) // (len(ranks) * len(SUITS))
    pack = Counter({name + suit: copies for name in ranks for suit in SUITS})
    if jokers:
        pack["X1"] = jokers
    return pack
