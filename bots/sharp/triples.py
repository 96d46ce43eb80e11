"""What a column of three cards will cost, which cancel only if all three are equal.

Cards that do not pair up are reckoned slot by slot, with a price for each card as in columns.py; two equal cards with a
third one are reckoned as a column that waits for its last card.
"""

from collections.abc import Sequence

from kinds import Kinds

Column = tuple[int, ...]
Level = tuple[list[float], list[list[float]]]
"""What a slot costs by its kind, and what two equal cards cost with a third one, by their kind and by its."""


class Triples:
    """The costs of columns of three cards, at the end of the round and at this turn."""

    def __init__(self, kinds: Kinds, *, cancel: bool) -> None:
        self.kinds, self.cancel = kinds, cancel
        self.levels: dict[str, Level] = {}

    def see(self) -> None:
        """Work out what columns cost at the end, from the chances of the kinds now."""
        chances, points = self.kinds.chances, self.kinds.points
        slot = [*points, self.kinds.average()]
        waiting = [
            [self.cancelled(pair, third, 2 * points[pair] + slot[third]) for third in range(len(slot))]
            for pair in range(self.kinds.hidden)
        ]
        for row in waiting:
            row[-1] = sum([c * v for c, v in zip(chances, row, strict=False)])
        self.levels = {"end": (slot, waiting), "last": (slot, waiting)}

    def reckon(self, columns: Sequence[Column], ends: Sequence[float], pile: Sequence[float], name: str) -> None:
        """Work out what columns cost now, after `see`; the arguments are those of columns.py."""
        chances = self.kinds.chances
        end = later = self.levels["end"]
        slots = [kind for column in columns for kind in column if kind >= 0]
        for turn in range(len(ends) - 1, -1, -1):
            cost = self.prices(later[0], slots)
            level = self.turn(
                later, cost, pile, sum([c * p for c, p in zip(chances, cost, strict=True)]) / max(1, len(slots))
            )
            later = mixed(end, level, ends[turn])
        self.levels[name] = later

    def cancelled(self, pair: int, third: int, cost: float) -> float:
        if not self.cancel or third >= self.kinds.hidden:
            return cost
        return 0.0 if self.kinds.equal(pair, third) and self.kinds.equal(pair, pair) else cost

    def turn(self, later: Level, cost: Sequence[float], pile: Sequence[float], paid: float) -> Level:
        """A slot and a waiting column at the start of a turn of their owner."""
        chances, (slot, waiting) = self.kinds.chances, later
        placed = [value + price for value, price in zip(slot, cost, strict=False)]
        slots = []
        for stay in slot:
            stock = sum([c * (u if u < stay else stay) for c, u in zip(chances, placed, strict=True)])
            slots.append(sum([c * (u if u < stock else stock) for c, u in zip(pile, placed, strict=True)]) - paid)
        columns = []
        for pair, row in enumerate(waiting):
            third = [value + price for value, price in zip(row, cost, strict=False)]
            beside = slot[pair]
            costs = []
            for kind, wait in enumerate(row):
                broken = beside + slot[kind]
                used = [min(u, broken + v) for u, v in zip(third, placed, strict=True)]
                stock = sum([c * (u if u < wait else wait) for c, u in zip(chances, used, strict=True)])
                value = sum([c * (u if u < stock else stock) for c, u in zip(pile, used, strict=True)]) - 3 * paid
                costs.append(min(value, 2 * slots[pair] + slots[kind]))
            columns.append(costs)
        return slots, columns

    def prices(self, slot: Sequence[float], own: Sequence[int]) -> list[float]:
        """For each kind what it saves in the slot that wants it second most."""
        costs = sorted([slot[kind] for kind in own])
        return [max(0.0, costs[-2] - value) if len(costs) > 1 else 0.0 for value in slot[:-1]]

    def cost(self, column: Column, when: str) -> float:
        """What the column costs `now`, at the `end`, or at the start of the `last` turn of its owner."""
        slot, waiting = self.levels[when]
        a, b, c = column
        if min(column) < 0:
            return sum([slot[kind] for kind in column if kind >= 0])
        if a in (b, c):
            pair, third = a, (c if a == b else b)
        elif b == c:
            pair, third = b, a
        else:
            return slot[a] + slot[b] + slot[c]
        if pair >= self.kinds.hidden:
            return 2 * slot[pair] + slot[third]
        return waiting[pair][third]

    def gains(self, column: Column, when: str) -> list[float]:
        """For each kind what it saves in its best slot; less than nothing where it does harm."""
        stay, cost = self.cost(column, when), self.cost
        places = [place for place, kind in enumerate(column) if kind >= 0]
        return [
            stay - min([cost((*column[:place], k, *column[place + 1 :]), when) for place in places], default=stay)
            for k in range(self.kinds.hidden)
        ]


def mixed(end: Level, level: Level, ended: float) -> Level:
    """The second level, or with this chance the first."""

    def mix(one: Sequence[float], other: Sequence[float]) -> list[float]:
        return [value + ended * (final - value) for final, value in zip(one, other, strict=True)]

    return mix(end[0], level[0]), [mix(one, other) for one, other in zip(end[1], level[1], strict=True)]
