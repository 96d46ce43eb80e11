"""A bot that keeps books: it remembers every card that it has seen and reckons with those that it has not.

- The kit (the folder `kit` beside this one) runs it, keeps track of the table and says what a layout costs.
- outlook.py: how well this seat stands, compared with the others.
- powers.py and par.py: the decisions of single games.
- This file answers the requests. Each choice is the one after which the own cost compares best with the mean of the
  others': the expected value with one step of lookahead that programs for card games usually begin with.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(
    1, str(Path(__file__).resolve().parents[1])
)  # where the kit lies, unless it was copied into this folder

from kit import UNKNOWN, Action, Bot, Choice, Offers, best_of, is_known, run
from outlook import Outlook
from par import ParGolf
from powers import KeeperPowers


class Keeper(Bot):
    """One match: each decision in a method of its name."""

    name = "keeper"

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.outlook = Outlook(match, self.table, self.measure)
        self.powers = KeeperPowers(match, self.outlook)
        self.par_golf = ParGolf(self.outlook)

    def update(self) -> None:
        super().update()
        self.powers.update()

    def slap(self, offers: Offers) -> Action:
        """The known card equal to the discard whose slap saves most, if there is one."""
        best, action = -1.0, {"kind": "pass"}
        for target in offers.choices("slap", "target"):
            card = self.table.at(target)
            if is_known(card) and self.measure.is_equal(card, self.table.pile[-1]):
                saved = self.outlook.slap_saves(target[0], card, self.outlook.mine)
                if saved > best:
                    best, action = saved, {"kind": "slap", "target": target}
        return action

    def turn(self, offers: Offers) -> Action | None:
        """End the round, swap two own cards, or draw where the draw promises more."""
        found: list[Choice] = []
        swappable = offers.choices("swap_own", "slots")
        for source in offers.choices("draw", "from"):
            value = self.value_of_pile() if source == "pile" else self.outlook.value_of_drawing(bool(swappable))
            found.append((value, {"kind": "draw", "from": source}))
        for kind in ("knock", "end"):
            if offers.has(kind):
                value = self.outlook.value_of_ending(self.outlook.mine, self.outlook.laps_of_a_knock)
                found.append((value, {"kind": kind}))
        if swappable:
            found += self.par_golf.swaps(swappable)
        return best_of(found)

    def value_of_pile(self) -> float:
        """The best that the pile's card can do."""
        slots = [slot for slot in self.table.occupied(self.seat) if slot not in self.outlook.fixed]
        return min(self.value_of_swap(slot, self.table.pile[-1]) for slot in slots)

    def value_of_swap(self, slot: int, card: str) -> float:
        gain = self.powers.gain_of(self.outlook.mine[slot], replaced=True)
        return self.outlook.value_of_swap(slot, card) - gain

    def place(self, offers: Offers) -> Action | None:
        """The slot, or the pile, for the card in hand; a king may be traded for a card that does more good."""
        hand = self.table.drawn or UNKNOWN
        slots = offers.choices("swap", "slot")
        found: list[Choice] = [(self.value_of_swap(slot, hand), {"kind": "swap", "slot": slot}) for slot in slots]
        if offers.has("discard"):
            gain = self.outlook.slap_after(hand, self.outlook.mine) + self.powers.gain_of(hand)
            found.append((self.outlook.value() - gain, {"kind": "discard"}))
        for seat, slot in offers.choices("trade", "target"):
            taken, harm = self.table.at((seat, slot)), self.powers.gain_by({(seat, slot): hand})
            value = min(self.value_of_swap(own, taken) for own in slots) - harm
            found.append((value, {"kind": "trade", "target": [seat, slot]}))
        return best_of(found)

    def flip(self, offers: Offers) -> Action | None:
        """The first face-down card, but the last one only when it is time to end the round."""
        down, outlook = offers.choices("flip", "slot"), self.outlook
        may_wait = len(offers) > 1 and len(down) == 1 and outlook.ends_by_open_cards()
        if may_wait and outlook.value_of_ending(outlook.mine, outlook.last_laps) >= outlook.value():
            return {"kind": "none"}
        return {"kind": "flip", "slot": down[0]}

    def power(self, offers: Offers) -> Action | None:
        return self.powers.chosen(offers)

    def pick2(self, offers: Offers) -> Action | None:
        """The power that gains most."""
        return self.powers.copied(offers.choices("copy", "power"))

    def pick8(self, offers: Offers) -> Action | None:
        """The best card in its best slot."""
        found: list[Choice] = [
            (self.outlook.value_of_swap(slot, self.table.hand[card]), {"kind": "keep", "card": card, "slot": slot})
            for card in offers.choices("keep", "card")
            for slot in offers.choices("keep", "slot")
        ]
        return best_of(found)

    def block(self, _: Offers) -> Action | None:
        """Block what does harm; an exchange or a planted card may be welcome."""
        return {"kind": "block" if self.powers.harms(self.table.attack) else "allow"}

    def arrange(self, offers: Offers) -> Action | None:
        return self.par_golf.arrange(offers.choices("arrange", "slots"))

    def stroke(self, offers: Offers) -> Action | None:
        return self.par_golf.stroke(offers.choices("stroke", "row"))


if __name__ == "__main__":
    run(Keeper)
