"""Par golf, whose rows are strokes: arrange the cards, draw for the rows that gain most, and end the hole in time.

Every choice is the one after which the own rows have the best prospects (pairs.py). Ending a hole pays when the others
still have more to gain than this seat has, whoever leads: what is on the table then does not change any more.
"""

from itertools import combinations
from typing import Any

from kit import Action, Choice, Offers, best_of
from pairs import Pairs
from player import Player

HORIZON = 5.0
"""How many turns the others are thought to take beyond those that they need to end the hole."""

DRAWS_A_TURN = 2.3
"""How many of all draws help some row in a turn: the up-card is seen too, and each card goes where it helps most."""

SURE_ROW = 0.15
"""A row that is expected to gain no more than so many points is taken as a stroke."""

LEAD = 2.5
"""How many points less than the others this seat must have to gain, so that it ends the hole."""

SPENT = 0.4
"""Who has no more points than this to gain has no reason to go on."""

Row = tuple[Any, Any]


class Par(Player):
    """The player of these games."""

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.row_costs = Pairs(match, self.unseen)
        self.pile_before: list[str] = []
        self.stands_still = False

    def update(self) -> None:
        """Count the cards; at the first question of a turn, find whether anybody has drawn since the last one."""
        super().update()
        self.row_costs.reckon(self.unseen)
        if "table" in self.request:
            pile = self.table.pile[:]
            self.stands_still, self.pile_before = pile == self.pile_before, pile

    # What rows cost.

    def rows(self, seat: int) -> list[Row]:
        layout = self.table.layouts[seat]
        return list(zip(layout[::2], layout[1::2], strict=True))

    def free_rows(self, seat: int) -> list[int]:
        """The rows that are not taken."""
        fixed = self.table.fixed[seat]
        return [row for row in range(len(self.table.layouts[seat]) // 2) if 2 * row not in fixed]

    def turns_to_come(self) -> float:
        """How many turns each seat has after this one, about."""
        if self.table.knocker is not None:
            return 0
        needed = 1 if self.options.get("no_par") else min(len(self.free_rows(seat)) for seat in self.others)
        return needed + HORIZON

    def cost(self, seat: int, rows: list[Row], turns: float) -> float:
        """What these rows of a seat will score after so many turns."""
        free = self.free_rows(seat)
        draws = DRAWS_A_TURN * turns / len(free) if free else 0
        taken = [row for number, row in enumerate(rows) if number not in free]
        return sum(self.row_costs.prospects([rows[row] for row in free], draws)) + sum(
            self.row_costs.prospects(taken, 0)
        )

    def cost_of_mine(self, changes: dict[int, Any], turns: float) -> float:
        """What the own rows will score when these cards lie in these slots."""
        layout = [changes.get(slot, card) for slot, card in enumerate(self.table.layouts[self.seat])]
        return self.cost(self.seat, list(zip(layout[::2], layout[1::2], strict=True)), turns)

    def costs_of_others(self, turns: float) -> list[float]:
        """What the others will score."""
        return [self.cost(seat, self.rows(seat), turns) for seat in self.others]

    # Before play.

    def arrange(self, offers: Offers) -> Action | None:
        """The pairs with the best prospects together."""
        layout, rows = self.table.layouts[self.seat], len(self.table.layouts[self.seat]) // 2
        draws = DRAWS_A_TURN * (rows + HORIZON) / rows
        slots = offers.choices("arrange", "slots")
        pairs = list(combinations(slots, 2))
        found = self.row_costs.prospects([(layout[one], layout[other]) for one, other in pairs], draws)
        cost = dict(zip(pairs, found, strict=True))
        _, best = best_matching(slots, cost)
        order = sorted(best, key=lambda pair: cost[pair])
        return {"kind": "arrange", "slots": [slot for pair in order for slot in pair]}

    # A turn.

    def turn(self, offers: Offers) -> Action | None:
        """End the hole, draw, or let two own cards change places."""
        turns = self.turns_to_come()
        if offers.has("end") and self.pays_to_end(turns):
            return {"kind": "end"}
        found: list[Choice] = []
        slots = offers.choices("swap_own", "slots")
        if slots:
            found.append(self.best_own_swap(slots, turns))
        sources = offers.choices("draw", "from")
        if "pile" in sources:
            found.append((self.best_swap(self.table.pile[-1], turns)[0], {"kind": "draw", "from": "pile"}))
        if "stock" in sources:
            found.append((self.cost_of_stock(turns), {"kind": "draw", "from": "stock"}))
        return best_of(found)

    def best_own_swap(self, slots: list[int], turns: float) -> Choice:
        """A swap within a row, which passes, or the one between two rows that gains most.

        Where all have passed in turn, no cards will come to those who pass.
        """
        layout = self.table.layouts[self.seat]
        first = min(slots)
        found = [(self.cost_of_mine({}, 0 if self.stands_still else turns), [first, first ^ 1])]
        for one, other in combinations(slots, 2):
            if one // 2 != other // 2:
                found.append((self.cost_of_mine({one: layout[other], other: layout[one]}, turns), [one, other]))
        cost, best = min(found, key=lambda choice: choice[0])
        return cost, {"kind": "swap_own", "slots": best}

    def best_swap(self, card: str, turns: float) -> tuple[float, int]:
        """The least cost when this card must take a slot, and the slot."""
        slots = [slot for row in self.free_rows(self.seat) for slot in (2 * row, 2 * row + 1)]
        return min((self.cost_of_mine({slot: card}, turns), slot) for slot in slots)

    def cost_of_stock(self, turns: float) -> float:
        """The mean over the unseen cards of the least cost when it must take a slot."""
        ranks = zip(self.row_costs.chances, self.row_costs.places, strict=False)
        return sum(chance * self.best_swap(name + "S", turns)[0] for chance, name in ranks if chance)

    def place(self, _: Offers) -> Action | None:
        slot = self.best_swap(self.table.hand[0], self.turns_to_come())[1]
        return {"kind": "swap", "slot": slot}

    # The end of the hole.

    def pays_to_end(self, turns: float) -> bool:
        """Whether the others would gain more from going on than this seat, or nothing is left to gain in the lead."""
        now, then = self.cost_of_mine({}, 0), self.cost_of_mine({}, turns + 1)
        soon, later = self.costs_of_others(1), self.costs_of_others(turns + 1)
        theirs = (sum(soon) - sum(later)) / len(soon)
        nothing_to_come = self.stands_still or now - then < SPENT
        return now - then + LEAD < theirs or (nothing_to_come and now < min(soon))

    def stroke(self, offers: Offers) -> Action | None:
        """The row that has least to gain, if it is next to nothing; the last one where it pays to end the hole."""
        turns, rows = self.turns_to_come(), offers.choices("stroke", "row")
        if self.table.knocker is not None:
            return {"kind": "none"}
        ends = self.pays_to_end(turns)
        if len(rows) == 1:
            return {"kind": "stroke", "row": rows[0]} if ends else {"kind": "none"}
        mine = [self.rows(self.seat)[row] for row in rows]
        draws = DRAWS_A_TURN * (turns + 1) / len(rows)
        now, then = self.row_costs.prospects(mine, 0), self.row_costs.prospects(mine, draws)
        gain, row = min((cost - later, row) for cost, later, row in zip(now, then, rows, strict=True))
        return {"kind": "stroke", "row": row} if gain <= SURE_ROW or ends else {"kind": "none"}


def best_matching(slots: list[int], cost: dict[tuple[int, int], float]) -> tuple[float, list[tuple[int, int]]]:
    """The division of the slots into pairs that costs least, and its cost."""
    if not slots:
        return 0.0, []
    first, *rest = slots
    found: list[tuple[float, list[tuple[int, int]]]] = []
    for other in rest:
        less, pairs = best_matching([slot for slot in rest if slot != other], cost)
        found.append((cost[first, other] + less, [(first, other), *pairs]))
    return min(found, key=lambda choice: choice[0])
