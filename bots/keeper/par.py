"""What only par golf asks: how to arrange the own cards, which two to swap, and when to take a stroke."""

from itertools import combinations
from typing import Any

from kit import Action, Choice
from outlook import Outlook

LOSS_OF_A_STROKE = 0.3
"""How many points of what the next card would save are given up for a stroke."""


class ParGolf:
    """The rows of a par hole."""

    def __init__(self, outlook: Outlook) -> None:
        self.outlook = outlook
        self.table = outlook.table

    def pair_score(self, cards: tuple[Any, Any]) -> float:
        return self.outlook.measure.score_of_row(cards)

    def saving(self, cards: tuple[Any, Any]) -> float:
        return sum(self.outlook.measure.points(card) for card in cards) - self.pair_score(cards)

    def arrange(self, slots: list[int]) -> Action:
        """Put cards that save points together into one row; the others lie in the order of their points."""
        mine = self.outlook.mine
        left = sorted(slots, key=lambda slot: self.outlook.measure.points(mine[slot]))
        order: list[int] = []
        pairs = sorted(combinations(left, 2), key=lambda pair: self.saving((mine[pair[0]], mine[pair[1]])))
        for pair in reversed(pairs):
            if self.saving((mine[pair[0]], mine[pair[1]])) > 0 and set(pair) <= set(left):
                order += pair
                left = [slot for slot in left if slot not in pair]
        return {"kind": "arrange", "slots": left + order}

    def swaps(self, free: list[int]) -> list[Choice]:
        """Two swaps to choose from: one within a row, which passes, and the one between two rows that saves most."""
        first, mine = min(free), self.outlook.mine
        pass_by = {"kind": "swap_own", "slots": [first, first + 1]}
        apart = [pair for pair in combinations(sorted(free), 2) if pair[0] // 2 != pair[1] // 2]
        best = max(apart, key=self.swap_saves, default=None)
        choices: list[Choice] = [(self.outlook.value(), pass_by)]
        if best is not None and self.swap_saves(best) > 0:
            changes = {(self.outlook.seat, slot): mine[other] for slot, other in (best, best[::-1])}
            choices.append((self.outlook.value(changes), {"kind": "swap_own", "slots": list(best)}))
        return choices

    def swap_saves(self, pair: tuple[int, int]) -> float:
        """How many points it saves to let the cards of two slots in different rows change places."""
        mine = self.outlook.mine
        (one, other), (beside_one, beside_other) = ((mine[slot] for slot in slots) for slots in (pair, partners(pair)))
        before = self.pair_score((one, beside_one)) + self.pair_score((other, beside_other))
        return before - self.pair_score((other, beside_one)) - self.pair_score((one, beside_other))

    def stroke(self, rows: list[int]) -> Action:
        """The row that the next card would save least in; the last one only where it pays to end the hole."""
        mine, fixed, measure = self.outlook.mine, self.outlook.fixed, self.outlook.measure
        prospect = measure.prospect(mine, fixed)
        if len(rows) == 1:
            going_on = self.outlook.value_of_drawing(must_swap=False)
            ends = self.table.knocker is None and self.outlook.value_of_ending(mine, laps=1) <= going_on
            return {"kind": "stroke", "row": rows[0]} if ends else {"kind": "none"}
        losses = [(prospect - measure.prospect(mine, fixed | {2 * row, 2 * row + 1}), row) for row in rows]
        loss, row = min(losses)
        return {"kind": "stroke", "row": row} if loss <= LOSS_OF_A_STROKE else {"kind": "none"}


def partners(slots: tuple[int, int]) -> tuple[int, int]:
    """The other slot of each row."""
    return slots[0] ^ 1, slots[1] ^ 1
