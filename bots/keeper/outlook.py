"""The outlook: how well this seat stands, now or after a change, whether the round goes on or ends.

A value is the cost of the own layout less the mean cost of the others'; lower is better. This module compares
situations; which of them can be brought about is for the modules that answer requests.
"""

from collections.abc import Mapping
from math import exp
from typing import Any

from kit import UNKNOWN, Layout, Measure, Table, Target, is_known

TURNS_TO_KNOCK = 2
"""The own turns that are still to come as long as nobody has knocked: a guess."""

SPREAD = 4.0
"""How far costs are off, in points: the larger, the more a knock has to lead to be safe."""

LAP_SHARE = 0.5
"""What a turn saves that will surely come, more than the half of the prospect that each next turn is worth."""


class Outlook:
    """The values of situations, with what the table holds at the moment."""

    def __init__(self, match: dict[str, Any], table: Table, measure: Measure) -> None:
        self.table = table
        self.measure = measure
        self.seat: int = match["seat"]
        self.others = [seat for seat in range(match["seats"]) if seat != self.seat]
        self.options: dict[str, Any] = match["options"]
        self.variant: str = match["variant"]
        two_deck = self.variant == "two-deck"
        self.open_cards_end = two_deck or self.options.get("end_mode") in ("all_up", "both")
        self.last_laps = int(two_deck or bool(self.options.get("final_turns")))
        self.laps_of_a_knock = int(not self.options.get("knock_ends_at_once"))
        self.penalty = knock_penalty(self.options.get("knock_penalty"), match["seats"])

    @property
    def mine(self) -> Layout:
        return self.table.layouts[self.seat]

    @property
    def fixed(self) -> set[int]:
        return self.table.fixed[self.seat]

    def value(self, changes: Mapping[Target, str | None] | None = None) -> float:
        """What it is worth to go on, when these cards lie in these places."""
        turns, changes = self.turns_left(), changes or {}
        own = self.measure.cost(self.table.changed(self.seat, changes), turns, self.fixed)
        return own - mean(self.rivals(turns, changes))

    def rivals(self, turns: int, changes: Mapping[Target, str | None] | None = None) -> list[float]:
        """The costs of the other layouts after this many more turns."""
        fixed = self.table.fixed
        return [self.measure.cost(self.table.changed(seat, changes or {}), turns, fixed[seat]) for seat in self.others]

    def rivals_at_end(self, laps: int) -> list[float]:
        """What the others will score, when each of them surely has so many turns left, none or one."""
        seats = [(self.table.layouts[seat], self.table.fixed[seat]) for seat in self.others]
        costs = [self.measure.cost(layout, laps, fixed) for layout, fixed in seats]
        return [
            cost - laps * LAP_SHARE * self.measure.prospect(layout, fixed)
            for cost, (layout, fixed) in zip(costs, seats, strict=True)
        ]

    def value_of_swap(self, slot: int, card: str) -> float:
        """What it is worth to put a card into an own slot, and to go on or end the round by it."""
        layout = [*self.mine[:slot], card, *self.mine[slot + 1 :]]
        if self.ends_by_open_cards() and UNKNOWN not in layout:
            return self.value_of_ending(layout, self.last_laps)
        turns, fixed = self.turns_left(), self.fixed | {slot} if self.table.swaps_fix else self.fixed
        value = self.measure.cost(layout, turns, fixed) - mean(self.rivals(turns))
        return value - self.slap_after(self.mine[slot], layout)

    def value_of_drawing(self, must_swap: bool) -> float:
        """What it is worth to draw from the stock."""
        least = -1000.0 if must_swap else 0.0
        return self.value() - self.measure.prospect(self.mine, self.fixed, least)

    def value_of_ending(self, layout: Layout, laps: int) -> float:
        """What it is worth to end the round with this layout, when each of the others has so many turns left."""
        score, rivals = self.measure.cost(layout, 0), self.rivals_at_end(laps)
        most, factor = self.options["cactus_knock"] if self.variant == "cactus" else (0, 1)
        if score > most:
            score *= factor
        if self.penalty and rivals:
            score += self.penalty / (1 + exp((min(rivals) - score) / SPREAD))
        return score - mean(rivals)

    def turns_left(self) -> int:
        """How many own turns are still to come after this one; a guess as long as nobody has ended the round."""
        if self.table.swaps_fix:
            return self.table.turns_left
        if self.table.knocker is not None:
            return 0
        if self.ends_by_open_cards():
            unknown = [self.table.layouts[seat].count(UNKNOWN) for seat in self.others]
            return min(unknown, default=TURNS_TO_KNOCK) + self.last_laps
        if self.options.get("par") or self.options.get("course"):
            return min(len(self.table.occupied(seat)) - len(self.table.fixed[seat]) for seat in self.others) // 2
        return TURNS_TO_KNOCK

    def ends_by_open_cards(self) -> bool:
        return self.table.knocker is None and self.open_cards_end

    def slap_after(self, thrown: str, layout: Layout) -> float:
        """What the best own slap saves when this card has been thrown on the pile."""
        if not self.options.get("slaps") or not is_known(thrown):
            return 0
        layouts = {seat: self.table.layouts[seat] for seat in self.others} | {self.seat: layout}
        equal = [
            self.slap_saves(seat, card, layout)
            for seat, cards in layouts.items()
            for card in cards
            if is_known(card) and self.measure.is_equal(card, thrown)
        ]
        return max(equal, default=0)

    def slap_saves(self, owner: int, card: str, layout: Layout) -> float:
        """The points that a right slap saves: an own card is gone, or the dearest own card goes to another seat."""
        if owner == self.seat:
            return self.measure.points(card)
        dearest = max(self.measure.points(own) for own in layout)
        return dearest + (dearest - self.measure.points(card)) / len(self.others)


def mean(costs: list[float]) -> float:
    """The mean; 0 of nothing, where a seat plays alone and only its own cost counts."""
    return sum(costs) / max(1, len(costs))


def knock_penalty(rule: str | None, seats: int) -> float:
    """About how many points a knock costs that is not lowest; some rules make it depend on the scores."""
    if rule is None:
        return 0
    if rule.startswith("add:"):
        return float(rule.removeprefix("add:"))
    return 2.0 * seats if rule == "twice_players" else 10
