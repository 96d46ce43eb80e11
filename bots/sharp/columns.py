"""What a column of two cards will cost, reckoned back from the end of the round.

A layout falls apart into columns that share nothing but the turns of their owner: a card that one of them takes, the
others cannot have. So each column is reckoned by itself, and pays a price for every card that it takes, which is what
the card is worth to the next best column (Lagrangian relaxation). That makes tables which are small enough to be
made anew for every turn, with the chances of the cards that are unseen then.
"""

from collections.abc import Sequence

from kinds import Kinds

Table = list[list[float]]
"""The cost of a column by the kinds of its two cards; -1 is an empty slot, and the last row and column are its."""

Column = tuple[int, ...]
"""The kinds of its cards."""


class Pairs:
    """The costs of columns of two cards, at the end of the round and at this turn."""

    def __init__(self, kinds: Kinds, *, cancel: bool, leave: bool) -> None:
        """Equal cards `cancel` each other, or can `leave` the layout at the owner's next turn."""
        self.kinds = kinds
        known = range(kinds.hidden)
        points = kinds.points
        self.plain = [[0.0 if cancel and kinds.equal(a, b) else points[a] + points[b] for b in known] for a in known]
        self.leaving = [
            (a, b) for a in known for b in known if leave and kinds.equal(a, b) and points[a] + points[b] > 0
        ]
        self.tables: dict[str, Table] = {}

    def see(self) -> None:
        """Work out what columns cost at the end, from the chances of the kinds now."""
        end = with_hidden(self.plain, self.kinds.chances)
        self.alone = [*self.kinds.points, self.kinds.average(), 0.0]
        """What a card costs beside an empty slot, by its kind."""
        self.tables = {"end": end, "last": self.without_pairs(end)}

    def reckon(self, columns: Sequence[Column], ends: Sequence[float], pile: Sequence[float], name: str) -> None:
        """Work out what columns cost now, after `see`.

        `columns` are the own ones, whose wants make the prices; `ends` has for each own turn to come, the next first,
        the chance that the round ends before it; `pile` the chances of what lies on the pile. The result has this name.
        """
        chances, hidden = self.kinds.chances, self.kinds.hidden
        end = later = self.tables["end"]
        for turn in range(len(ends) - 1, -1, -1):
            cost = self.prices(later, columns)
            table = [[0.0] * (hidden + 2) for _ in range(hidden + 2)]
            paid = sum([c * p for c, p in zip(chances, cost, strict=True)]) / max(1, len(columns))
            begun = self.without_pairs(later)
            for a in range(hidden + 1):
                for b in range(a, hidden + 1):
                    value = self.turn(begun, a, b, cost, pile) - paid
                    value += ends[turn] * (end[a][b] - value)
                    table[a][b] = table[b][a] = value
            later = table
        self.tables[name] = later

    def turn(self, later: Table, a: int, b: int, cost: Sequence[float], pile: Sequence[float]) -> float:
        """The cost of a column at the start of a turn of its owner, when it will cost `later` after it."""
        chances, row, other = self.kinds.chances, later[a], later[b]
        stay = row[b]
        if b == self.kinds.hidden:
            known = sum([c * v for c, v in zip(chances, row, strict=False)])
            stay = min(stay, (stay + known) / 2)
        used = [(x if x < y else y) + p for x, y, p in zip(row, other, cost, strict=False)]
        stock = sum([c * (u if u < stay else stay) for c, u in zip(chances, used, strict=True)])
        return sum([c * (u if u < stock else stock) for c, u in zip(pile, used, strict=True)])

    def prices(self, later: Table, columns: Sequence[Column]) -> list[float]:
        """For each kind what it saves in the column that wants it second most."""
        wants = []
        for a, b in columns:
            row, other, stay = later[a], later[b], later[a][b]
            wants.append([max(0.0, stay - min(row[r], other[r])) for r in range(self.kinds.hidden)])
        if len(wants) < 2:
            return [0.0] * self.kinds.hidden
        return [sorted(want)[-2] for want in zip(*wants, strict=True)]

    def without_pairs(self, table: Table) -> Table:
        """The table at the start of a turn, when pairs leave."""
        if not self.leaving:
            return table
        table = [list(row) for row in table]
        for a, b in self.leaving:
            table[a][b] = 0.0
        return table

    def cost(self, column: Column, when: str) -> float:
        """What the column costs by the table of this name: `end`, `last` (a last turn begins), or a reckoned one."""
        if min(column) < 0:
            return self.alone[max(column)]
        return self.tables[when][column[0]][column[1]]

    def gains(self, column: Column, when: str) -> list[float]:
        """For each kind what it saves in its better slot; less than nothing where it does harm."""
        if min(column) < 0:
            return [self.alone[max(column)] - points if max(column) >= 0 else 0.0 for points in self.kinds.points]
        table = self.tables[when]
        row, other = table[column[0]], table[column[1]]
        stay = row[column[1]]
        return [stay - (x if x < y else y) for x, y in zip(row[:-2], other, strict=False)]


def with_hidden(plain: Table, chances: Sequence[float]) -> Table:
    """The table, with rows and columns for a hidden card, whose cost is the mean of what it can be, and for none."""
    beside = [sum([c * v for c, v in zip(chances, row, strict=True)]) for row in plain]
    both = sum([c * v for c, v in zip(chances, beside, strict=True)])
    rows = [[*row, mean, 0.0] for row, mean in zip(plain, beside, strict=True)]
    return [*rows, [*beside, both, 0.0], [0.0] * (len(plain) + 2)]
