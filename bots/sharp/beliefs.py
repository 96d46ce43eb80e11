"""What face-down cards are worth: the table's marks say who has chosen a card, and better than what.

A player keeps a card that is better than what he knew in its place, so the card that he threw away bounds the one that
he kept. A mark is a text in a slot of the table: `?` for a card of which nothing is known, `!7` for one that its owner
preferred to 7 points, `=3` for one that is worth 3 points on average. Marks travel with their cards. Nothing here knows
of turns or actions.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from kit import UNKNOWN, Event, Table, Unseen, points_of

TRUST = 0.85
"""How far a bound is trusted: the share of players who keep a card only where it is better."""

LOOKED = "?k"
"""A dealt card that its owner has looked at, and has not replaced."""

LOOKED_SHARE = 0.85
"""What such a card is worth, as a share of one that nobody knows."""


class Beliefs:
    """The values of cards, seen and unseen, in this match."""

    def __init__(self, match: dict[str, Any], unseen: Unseen) -> None:
        self.values: dict[str, int] = match["values"]
        self.reckon(unseen)

    def reckon(self, unseen: Unseen) -> None:
        """Take over what is unseen now."""
        self.left = unseen.cards
        by_points: dict[int, int] = {}
        for card, number in self.left.items():
            points = points_of(card, self.values)
            by_points[points] = by_points.get(points, 0) + number
        total = max(1, sum(by_points.values()))
        self.levels = sorted(by_points) or [0]
        self.chances = [by_points.get(level, total) / total for level in self.levels]
        self.share_below, self.sum_below = [0.0], [0.0]
        for level, chance in zip(self.levels, self.chances, strict=True):
            self.share_below.append(self.share_below[-1] + chance)
            self.sum_below.append(self.sum_below[-1] + level * chance)
        self.average = self.sum_below[-1]
        self.known: dict[Any, float] = {None: 0.0, UNKNOWN: self.average, LOOKED: LOOKED_SHARE * self.average}

    def points(self, card: str | None) -> float:
        """The points of a card, or the expected points of a mark."""
        points = self.known.get(card)
        if points is None and card is not None:
            points = self.known[card] = self.points_of(card)
        return points or 0.0

    def points_of(self, card: str) -> float:
        if card[0] == "!":
            return self.kept_below(float(card[1:]))
        return float(card[1:]) if card[0] == "=" else points_of(card, self.values)

    def kept_below(self, bound: float) -> float:
        """The expected points of a card that was preferred to so many."""
        place = bisect_left(self.levels, bound)
        better = self.sum_below[place] / self.share_below[place] if self.share_below[place] else bound
        return TRUST * better + (1 - TRUST) * self.average

    def best_of(self, points: float) -> float:
        """The expected points where a card of so many is replaced by the next one if that is better."""
        place = bisect_left(self.levels, points)
        return self.sum_below[place] + points * (1 - self.share_below[place])

    def reach(self, points: Sequence[float], draws: float) -> float:
        """About what these cards will cost together after so many draws, each for the dearest of them."""
        left = list(points)
        while draws > 0 and left:
            dearest = max(left)
            left[left.index(dearest)] += min(draws, 1.0) * (self.best_of(dearest) - dearest)
            draws -= 1
        return sum(left)


class Watch(Table):
    """The table with marks for cards that their owners looked at or chose."""

    beliefs: Beliefs

    def forget(self, seat: int, mover: int | None = None) -> None:
        """Nobody can tell any more which of these cards is which; together they are worth what they were."""
        slots = self.occupied(seat)
        total = sum(self.beliefs.points(self.layouts[seat][slot]) for slot in slots)
        super().forget(seat, mover)
        for slot in slots:
            self.layouts[seat][slot] = f"={total / len(slots):.2f}"

    def mark(self, seat: int, slots: Sequence[int]) -> None:
        for slot in slots:
            if self.layouts[seat][slot] == UNKNOWN:
                self.layouts[seat][slot] = LOOKED

    def on_looked(self, event: Event) -> None:
        super().on_looked(event)
        self.mark(event["seat"], event["slots"])

    def on_peeked(self, event: Event) -> None:
        super().on_peeked(event)
        if event["target"][0] == event["seat"]:
            self.mark(event["seat"], event["target"][1:])

    def on_swapped(self, event: Event) -> None:
        bound = self.bound(self.layouts[event["seat"]][event["slot"]], event["replaced"])
        super().on_swapped(event)
        if not event["card"]:
            self.layouts[event["seat"]][event["slot"]] = bound

    def on_kept(self, event: Event) -> None:
        bound = self.bound(self.layouts[event["seat"]][event["slot"]], event["discarded"][-1])
        super().on_kept(event)
        if not event["card"]:
            self.layouts[event["seat"]][event["slot"]] = bound

    def bound(self, held: str | None, replaced: str) -> str:
        """The mark of a card that its owner preferred to `replaced`; where he did not know that, to an unseen card."""
        points = self.beliefs.average if held == UNKNOWN else self.beliefs.points(replaced)
        return f"!{points:.2f}"
