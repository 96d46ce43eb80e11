"""Games whose cards stay hidden: Cambio, Powers, Cactus, and four-card golf with a secret look.

Every choice is the one after which the own cards are expected to cost least beside the others', some turns later
(beliefs.py). A knock pays when the others still have more to gain than this seat has. Slaps need only what is known.
"""

from collections.abc import Mapping
from typing import Any

from beliefs import Beliefs, Watch
from ending import Ending
from hidden_powers import SharpPowers
from kit import Action, Layout, Offers, Target, best_of, is_known, rank
from player import Player

HORIZON = 5.0
"""How many turns a round is thought to last from any moment on."""

LEAD = 0.3
"""How many points less than the other one this seat must have to gain at a table of two, so that it knocks."""

HASTE = 0.7
"""How much less that is for each further seat, down to LEAST_LEAD: more can happen until the next own turn."""

LEAST_LEAD = -1.1
"""The least of it: some points are given away at a large table to end the round at all."""

RACE = 0.8
"""How often a slap that nobody else is sure of comes first."""

SLAP_RATE = 0.02
"""The chance in each turn that a known card can be slapped."""

SHARE_OF_OTHERS = 0.5
"""How much of the dearest own card is saved by a slap at another seat's card, since it gets less dear with time."""

CARD = 1.2
"""What it costs in games with slaps to hold a card, whatever its points."""

DOUBTS = (-5.0, -2.0, 0.0, 2.0, 5.0)
"""How far the comparison of layouts may be off, in points, where the rules reward or punish a knock."""


class Hidden(Player):
    """The player of these games."""

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.beliefs = Beliefs(match, self.unseen)
        self.table: Watch = Watch(match)
        self.table.beliefs = self.beliefs
        self.powers = SharpPowers(self)
        self.ending = Ending(match)
        self.costs: dict[tuple[Any, ...], float] = {}
        self.slapping = bool(self.options.get("slaps"))
        self.needed_lead = max(LEAST_LEAD, LEAD - HASTE * (len(self.others) - 1))

    def update(self) -> None:
        super().update()
        self.beliefs.reckon(self.unseen)
        self.costs.clear()
        self.powers.update()

    # What layouts cost.

    def horizon(self) -> float:
        """How many turns each seat has after this one, as long as nobody has knocked."""
        if self.options.get("stock_out") == "end":
            return float(min(HORIZON, self.table.stock / (len(self.others) + 1)))
        return HORIZON

    def turns(self, seat: int) -> float:
        """How many turns a seat has after this one."""
        return self.horizon() if self.table.knocker is None else float(self.table.plays_on(seat))

    def cost(self, layout: Layout, draws: float) -> float:
        """What these cards are expected to cost after so many draws."""
        key = (draws, *layout)
        cost = self.costs.get(key)
        if cost is None:
            points = self.beliefs.points
            cost = self.beliefs.reach([points(card) for card in layout if card is not None], draws)
            self.costs[key] = cost
        return cost

    def value(self, changes: Mapping[Target, str | None] | None = None) -> float:
        """What the own cards will cost less what the others' will, when these cards lie in these places."""
        changes = changes or {}
        layout = self.table.changed(self.seat, changes)
        own = self.cost(layout, self.turns(self.seat))
        theirs = [self.table.changed(seat, changes) for seat in self.others]
        costs = [self.cost(cards, self.turns(seat)) for cards, seat in zip(theirs, self.others, strict=True)]
        slaps = self.slaps_to_come(layout, theirs) if self.slapping else 0.0
        return own - sum(costs) / len(costs) - slaps

    def slaps_to_come(self, layout: Layout, theirs: list[Layout]) -> float:
        """What slaps will save later: fewer own cards, known own cards, and others' known cards for the dearest one."""
        points = [self.beliefs.points(card) for card in layout if card is not None]
        known = [self.beliefs.points(card) for card in layout if card is not None and is_known(card)]
        places = sum(is_known(card) for cards in theirs for card in cards if card is not None)
        rate = SLAP_RATE * (self.horizon() if self.table.knocker is None else 1.0)
        others = SHARE_OF_OTHERS * (1 - (1 - rate) ** places)
        return rate * sum(known) + others * max(points, default=0.0) - CARD * len(points)

    def points_at(self, target: Target) -> float:
        return self.beliefs.points(self.table.at(target))

    # A turn.

    def turn(self, offers: Offers) -> Action | None:
        """Knock, or draw what promises more."""
        sources, found = offers.choices("draw", "from"), []
        if "stock" in sources:
            found.append((self.value_of_stock(), {"kind": "draw", "from": "stock"}))
        if "pile" in sources:
            found.append((self.best_swap(self.table.pile[-1])[0], {"kind": "draw", "from": "pile"}))
        best = min(found, key=lambda choice: choice[0], default=None)
        if offers.has("knock") and (best is None or self.value_of_ending() + self.needed_lead < best[0]):
            return {"kind": "knock"}
        return best[1] if best else None

    def value_of_ending(self) -> float:
        """What it is worth to knock now."""
        laps = 0 if self.options.get("knock_ends_at_once") else 1
        theirs = [self.cost(self.table.layouts[seat], laps) for seat in self.others]
        score = self.cost(self.table.mine, 0)
        most, factor = self.options.get("cactus_knock") or (0, 1)
        if factor != 1:
            score += (factor - 1) * self.excess(most)
        if self.ending.adjusts:
            score = sum(self.ending.adjusted(score + off, theirs) for off in DOUBTS) / len(DOUBTS)
        return score - sum(theirs) / len(theirs)

    def excess(self, most: float) -> float:
        """The expected points of the own cards where they are more than `most`, and 0 where they are not."""
        totals = {0.0: 1.0}
        for card in self.table.mine:
            if card is None:
                continue
            if is_known(card):
                totals = {total + self.beliefs.points(card): chance for total, chance in totals.items()}
                continue
            longer: dict[float, float] = {}
            for total, chance in totals.items():
                for level, share in zip(self.beliefs.levels, self.beliefs.chances, strict=True):
                    longer[total + level] = longer.get(total + level, 0.0) + chance * share
            totals = longer
        return sum(total * chance for total, chance in totals.items() if total > most)

    def value_of_stock(self) -> float:
        """The mean over the unseen cards of the best that can be done with each."""
        kinds: dict[tuple[str, float], str] = {}
        numbers: dict[str, int] = {}
        for card, number in self.beliefs.left.items():
            kind = kinds.setdefault((rank(card), self.beliefs.points(card)), card)
            numbers[kind] = numbers.get(kind, 0) + number
        value = sum(number * self.best_use(card) for card, number in numbers.items())
        return value / max(1, sum(numbers.values()))

    def best_use(self, card: str) -> float:
        """The value of the best place for a card that was drawn from the stock."""
        return min(self.best_swap(card)[0], self.value_of_discard(card))

    def value_of_discard(self, card: str) -> float:
        return self.value() - self.powers.gain_of(card) - self.slap_after(card, {})

    def best_swap(self, card: str) -> tuple[float, int]:
        """The best slot for a card, with its value; of the slots whose cards are alike only one is tried."""
        found: dict[Any, tuple[float, int]] = {}
        for slot in self.table.occupied(self.seat):
            old = self.table.mine[slot]
            if old not in found:
                change = {(self.seat, slot): card}
                gain = self.powers.gain_of(old, replaced=True) + self.slap_after(old, change)
                found[old] = self.value(change) - gain, slot
        return min(found.values(), default=(1000.0, 0))

    def place(self, offers: Offers) -> Action | None:
        """The best slot for the card in hand, or the pile."""
        hand = self.table.hand[0]
        value, slot = self.best_swap(hand)
        if offers.has("discard") and (not offers.has("swap") or self.value_of_discard(hand) <= value):
            return {"kind": "discard"}
        return {"kind": "swap", "slot": slot}

    def pick8(self, offers: Offers) -> Action | None:
        """The best card in its best slot."""
        found = []
        for number in offers.choices("keep", "card"):
            value, slot = self.best_swap(self.table.hand[number])
            found.append((value, {"kind": "keep", "card": number, "slot": slot}))
        return best_of(found)

    def power(self, offers: Offers) -> Action | None:
        return self.powers.chosen(offers)

    def pick2(self, offers: Offers) -> Action | None:
        return self.powers.copied(offers.choices("copy", "power"))

    def block(self, _: Offers) -> Action | None:
        """Block what does harm."""
        return {"kind": "block" if self.powers.harms(self.table.attack) else "allow"}

    # Slaps.

    def equal_cards(self, thrown: str) -> list[Target]:
        """The places where a card lies that is known to be equal to this one."""
        by_points, held = self.options.get("slap_match") == "points", rank(thrown)
        return [
            (seat, slot)
            for seat, layout in enumerate(self.table.layouts)
            for slot, card in enumerate(layout)
            if is_known(card)
            if (self.measure.is_equal(card, thrown) if by_points else rank(card) == held)
        ]

    def slap(self, offers: Offers) -> Action | None:
        """The known card equal to the discard whose slap saves most, if it saves anything."""
        found = self.equal_cards(self.table.pile[-1])
        if found:
            allowed = offers.choices("slap", "target")
            saved = [(self.quick_saving(target), list(target)) for target in found if list(target) in allowed]
            best, target = max(saved, default=(-1.0, []))
            if best >= 0:
                return {"kind": "slap", "target": target}
        return {"kind": "pass"}

    def quick_saving(self, target: Target) -> float:
        """About what a slap saves, found at once: the fastest slap wins."""
        if target[0] == self.seat:
            return self.points_at(target)
        return max(self.beliefs.points(card) for card in self.table.mine)

    def slap_saves(self, target: Target, changes: Mapping[Target, str | None]) -> float:
        """What a right slap saves: an own card is gone, or the dearest own card goes to another seat."""
        after = {**changes, target: None}
        layout = self.table.changed(self.seat, changes)
        if target[0] != self.seat:
            slots = [slot for slot, card in enumerate(layout) if card is not None]
            slot = max(slots, key=lambda slot: self.beliefs.points(layout[slot]))
            after |= {target: layout[slot], (self.seat, slot): None}
        return self.value(changes) - self.value(after)

    def slap_after(self, thrown: str | None, changes: Mapping[Target, str | None]) -> float:
        """What the best slap saves when this card has been thrown on the pile."""
        if not self.options.get("slaps") or thrown is None or not is_known(thrown):
            return 0.0
        targets = [target for target in self.equal_cards(thrown) if target not in changes]
        return RACE * max([self.slap_saves(target, changes) for target in targets], default=0.0)

    def give(self, offers: Offers) -> Action | None:
        """The dearest own card."""
        slots = offers.choices("give", "slot")
        return {"kind": "give", "slot": max(slots, key=lambda slot: self.points_at((self.seat, slot)))}
