"""Games in which cards are turned up and stay so: the family of six-card golf, and the two-deck game.

A value is what the own layout will cost less the mean of what those of the others will; lower is better. Each decision
compares what its answers lead to: the own layout, and the card on the pile that the next seat may take.
"""

from math import inf
from random import Random
from typing import Any

from columns import Pairs
from ending import Ending
from kinds import Kinds
from kit import Action, Choice, Offers, best_of
from player import Player
from triples import Triples

LEFT_BY_OTHERS = 0.5
"""How likely a low card is to be on the pile, compared with a high one."""

TURNS = 6
"""How many own turns are looked ahead."""

WORLDS = 48
"""How many deals of the hidden cards are tried where it counts who is lowest."""

Kind = int
Layout = list[Kind]


class OpenCards(Player):
    """The player of these games."""

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.kinds = Kinds(match, self.unseen)
        rows, columns = match["rows"], match["columns"]
        size, self.leave = rows * columns, match["variant"] == "two-deck"
        if self.leave:
            self.parts = [tuple(range(start, start + columns)) for start in range(0, size, columns)]
        else:
            self.parts = [tuple(range(column, size, columns)) for column in range(columns)]
        cancel = "col" in (*(self.options.get("cancel") or ()), *(self.options.get("cancel_pairs") or ()))
        if len(self.parts[0]) == 2:
            self.tables: Pairs | Triples = Pairs(self.kinds, cancel=cancel, leave=self.leave)
        else:
            self.tables = Triples(self.kinds, cancel=cancel)
        self.ending = Ending(match)
        self.reckoned: set[int] = set()
        """For how many hidden own cards the costs of this turn are known."""
        self.random = Random(match["seed"])

    # What the tables say.

    def update(self) -> None:
        """Reckon anew, with the cards that are unseen now."""
        super().update()
        self.kinds.reckon(self.unseen)
        self.layouts: list[Layout] = [[self.kinds.kind(card) for card in layout] for layout in self.table.layouts]
        self.mine = self.layouts[self.seat]
        chances = self.kinds.chances
        if self.request["decision"] not in ("place", "flip") or not self.reckoned.issuperset(self.stages()):
            pile = [c * (LEFT_BY_OTHERS if p < 5 else 1.0) for c, p in zip(chances, self.kinds.points, strict=True)]
            self.pile = [p / sum(pile) for p in pile] if sum(pile) else chances
            columns = [self.column(self.mine, part) for part in self.parts]
            self.tables.see()
            self.reckoned = set(self.stages())
            for hidden in self.reckoned:
                self.tables.reckon(columns, self.chances_of_end(hidden), self.pile, stage(hidden))
        self.after = {hidden: self.rivals(stage(hidden)) for hidden in self.stages()}
        self.after = {hidden: [*found, self.expected(found)] for hidden, found in self.after.items()}
        self.at_end = self.rivals_at_end()
        self.worlds: list[list[float]] | None = None

    def stages(self) -> list[int]:
        """How many own cards can be hidden after this turn."""
        hidden = self.mine.count(self.kinds.hidden)
        return [hidden, hidden - 1] if hidden > 0 else [0]

    def chances_of_end(self, own_hidden: int) -> list[float]:
        """For each own turn to come, the chance that it does not come."""
        if self.table.knocker is not None:
            return [1.0]
        own = self.cost(self.mine, "end")
        leads = [own - self.cost(self.layouts[seat], "end") for seat in self.others]
        hidden = [self.layouts[seat].count(self.kinds.hidden) for seat in self.others]
        return self.ending.chances(leads, hidden, own_hidden, self.count(TURNS, 2))

    def column(self, layout: Layout, part: tuple[int, ...]) -> tuple[int, ...]:
        return tuple([layout[slot] for slot in part])

    def cost(self, layout: Layout, when: str) -> float:
        return sum([self.tables.cost(self.column(layout, part), when) for part in self.parts])

    def expected(self, values: list[float]) -> float:
        """The mean over what an unseen card can be."""
        return sum([chance * value for chance, value in zip(self.kinds.chances, values, strict=True)])

    def best_gains(self, layout: Layout, when: str) -> list[float]:
        """For each kind of card what it saves in the place where it saves most, or 0."""
        gains = [self.tables.gains(self.column(layout, part), when) for part in self.parts]
        return [max(0.0, *of_parts) for of_parts in zip(*gains, strict=True)]

    # What the others will cost.

    def rivals(self, when: str) -> list[float]:
        """The mean of what the others will cost, by the kind of card that the next seat finds on the pile."""
        mean = [0.0] * self.kinds.hidden
        for seat in self.others:
            found = (
                self.rival(seat, when)
                if self.table.plays_on(seat)
                else [self.cost(self.layouts[seat], "end")] * len(mean)
            )
            mean = [m + cost / len(self.others) for m, cost in zip(mean, found, strict=True)]
        return mean

    def rival(self, seat: int, when: str) -> list[float]:
        """What a seat will cost that has a turn before our next one."""
        layout = self.layouts[seat]
        gains, cost = self.best_gains(layout, when), self.cost(layout, when)
        stock = self.expected(gains)
        if seat == (self.seat + 1) % (len(self.others) + 1):
            return [cost - max(stock, gain) for gain in gains]
        return [cost - sum([c * max(stock, gain) for c, gain in zip(self.pile, gains, strict=True)])] * len(gains)

    def sampled(self) -> list[list[float]]:
        """What the others will score in some worlds when this seat ends the round."""
        found, kinds = [], self.kinds
        hidden = sum([self.layouts[seat].count(kinds.hidden) for seat in self.others])
        for _ in range(self.count(WORLDS, 8)):
            cards, costs = kinds.deal(self.random, hidden + len(self.others)), []
            for seat in self.others:
                drawn = cards.pop()
                layout = [cards.pop() if kind == kinds.hidden else kind for kind in self.layouts[seat]]
                if self.ending.gives_turns:
                    costs.append(self.cost(layout, "last") - self.best_gains(layout, "end")[drawn])
                else:
                    costs.append(self.cost(layout, "end"))
            found.append(costs)
        return found

    def rivals_at_end(self) -> float:
        """What the others will score on average when this seat ends the round."""
        if not self.others:
            return 0.0
        if not self.ending.gives_turns:
            return sum([self.cost(self.layouts[seat], "end") for seat in self.others]) / len(self.others)
        costs = [self.expected(self.rival(seat, "end")) for seat in self.others]
        return sum(costs) / len(costs)

    # What actions come to.

    def value(self, layout: Layout, pile: Kind) -> float:
        """Of the own layout with this kind of card on the pile, at the end of the own turn."""
        if self.ending.by_open_cards and self.table.knocker is None and self.kinds.hidden not in layout:
            return self.value_of_ending(layout)
        hidden = layout.count(self.kinds.hidden)
        return self.cost(layout, stage(hidden)) - self.after[hidden][pile]

    def value_of_ending(self, layout: Layout) -> float:
        """Of ending the round with this layout."""
        own = self.cost(layout, "end")
        if not self.ending.adjusts or not self.others:
            return own - self.at_end
        if self.worlds is None:
            self.worlds = self.sampled()
        scores = [self.ending.adjusted(own, costs) for costs in self.worlds]
        return sum(scores) / len(scores) - self.at_end

    def changed(self, slot: int, kind: Kind) -> Layout:
        return [*self.mine[:slot], kind, *self.mine[slot + 1 :]]

    def value_of_swap(self, slot: int, kind: Kind) -> float:
        return self.value(self.changed(slot, kind), self.mine[slot])

    def best_swap(self, kind: Kind) -> float:
        found = [self.value_of_swap(slot, kind) for slot, old in enumerate(self.mine) if old >= 0]
        return min(found, default=inf)

    def value_of_flip(self, slot: int, pile: Kind) -> float:
        """The value of turning up a card, with this one on the pile."""
        chances = enumerate(self.kinds.chances)
        return sum([c * self.value(self.changed(slot, kind), pile) for kind, c in chances if c > 0])

    def value_of_discard(self, kind: Kind) -> float:
        """The value of throwing a stock card away, with a card turned up where that helps."""
        down = [slot for slot, card in enumerate(self.mine) if card == self.kinds.hidden]
        rule = self.options.get("flip_on_discard", "must_unless_last" if self.leave else "may")
        if rule == "never" or not down:
            return self.value(self.mine, kind)
        found = [self.value_of_flip(slot, kind) for slot in down]
        if rule == "may" or (rule == "must_unless_last" and len(down) == 1):
            found.append(self.value(self.mine, kind))
        return min(found)

    # Decisions.

    def turn(self, offers: Offers) -> Action | None:
        """End the round, or draw where the draw promises more."""
        found: list[Choice] = []
        sources = offers.choices("draw", "from")
        top = self.kinds.kind(self.table.pile[-1]) if self.table.pile else self.kinds.hidden
        if "pile" in sources:
            found.append((self.best_swap(top), {"kind": "draw", "from": "pile"}))
        if "stock" in sources:
            drawn = [min(self.best_swap(kind), self.value_of_discard(kind)) for kind in range(self.kinds.hidden)]
            found.append((self.expected(drawn), {"kind": "draw", "from": "stock"}))
        for slot in offers.choices("flip", "slot"):
            found.append((self.value_of_flip(slot, top), {"kind": "flip", "slot": slot}))
        if offers.has("knock"):
            found.append((self.value_of_ending(self.mine), {"kind": "knock"}))
        return best_of(found)

    def place(self, offers: Offers) -> Action | None:
        """The slot, or the pile, for the card in hand; a king may be traded for a card that does more good."""
        if not self.table.hand:
            return None
        kind = self.kinds.kind(self.table.hand[0])
        found: list[Choice] = [
            (self.value_of_swap(slot, kind), {"kind": "swap", "slot": slot}) for slot in offers.choices("swap", "slot")
        ]
        if offers.has("discard"):
            found.append((self.value_of_discard(kind), {"kind": "discard"}))
        for seat, slot in offers.choices("trade", "target"):
            found.append((self.value_of_trade(seat, slot, kind), {"kind": "trade", "target": [seat, slot]}))
        return best_of(found)

    def value_of_trade(self, seat: int, slot: int, given: Kind) -> float:
        """The value of giving a card for one of another seat's, which goes where it does most good."""
        layout = self.layouts[seat]
        when = stage(self.mine.count(self.kinds.hidden)) if self.table.plays_on(seat) else "end"
        changed = [*layout[:slot], given, *layout[slot + 1 :]]
        harm = (self.cost(changed, when) - self.cost(layout, when)) / len(self.others)
        return self.best_swap(layout[slot]) - harm

    def flip(self, offers: Offers) -> Action | None:
        """The card whose turning helps most, or none."""
        top = self.kinds.kind(self.table.pile[-1]) if self.table.pile else self.kinds.hidden
        found: list[Choice] = [
            (self.value_of_flip(slot, top), {"kind": "flip", "slot": slot}) for slot in offers.choices("flip", "slot")
        ]
        if offers.has("none"):
            found.append((self.value(self.mine, top), {"kind": "none"}))
        return best_of(found)


def stage(hidden: int) -> str:
    """The name of the costs at this turn, when so many own cards are still hidden after it."""
    return f"now, {hidden} hidden"
