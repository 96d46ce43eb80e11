"""A bot that keeps books: it remembers every card that it has seen and reckons with those that it has not.

- book.py: what lies in each slot, as far as this seat can know.
- groups.py and measure.py: what a layout costs, now and after the turns to come.
- outlook.py: how well this seat stands, compared with the others.
- powers.py and par.py: the decisions of single games.
- This file answers the requests. Each choice is the one after which the own cost compares best with the mean of the
  others': the expected value with one step of lookahead that programs for card games usually begin with.
"""

import json
import sys
from typing import Any

from book import Book
from cards import UNKNOWN, is_known
from outlook import Outlook
from par import ParGolf
from powers import Powers

LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
"""What to answer where nothing better is known: the first of these that is legal."""

HARMLESS = ("4", "10")
"""Attacks that a shield is too good for."""

Offers = list[dict[str, Any]]
Action = dict[str, Any]
Choice = tuple[float, Action]
"""A value and the action that leads to it."""


class Keeper:
    """One match: enters events into the book and answers requests."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.seat: int = match["seat"]
        self.book = Book(match)
        self.outlook = Outlook(match, self.book)
        self.powers = Powers(self.outlook)
        self.par = ParGolf(self.outlook)

    def decide(self, request: dict[str, Any]) -> Action:
        """The action for a request: by the method of the decision's name, where there is one."""
        for event in request["events"]:
            self.book.read(event)
        offers: Offers = request["legal"]
        if request["decision"] == "slap":
            return self.slap(offers)  # nothing else before it: the fastest slap wins
        if "table" in request:
            self.book.correct(request["table"])
        self.outlook.reckon()
        choose = getattr(self, "choose_" + request["decision"], None)
        action: Action | None = choose(offers) if choose is not None else None
        return action or least_committal(offers)

    def slap(self, offers: Offers) -> Action:
        """The known card equal to the discard whose slap saves most, if there is one."""
        best, action = -1.0, {"kind": "pass"}
        for target in choices(offers, "slap", "target"):
            card = self.outlook.at(target)
            if is_known(card) and self.outlook.is_equal(card, self.book.pile[-1]):
                saved = self.outlook.slap_saves(target[0], card, self.outlook.mine)
                if saved > best:
                    best, action = saved, {"kind": "slap", "target": target}
        return action

    def choose_turn(self, offers: Offers) -> Action | None:
        """End the round, swap two own cards, or draw where the draw promises more."""
        found: list[Choice] = []
        swappable = choices(offers, "swap_own", "slots")
        for source in choices(offers, "draw", "from"):
            value = self.value_of_pile() if source == "pile" else self.outlook.value_of_drawing(bool(swappable))
            found.append((value, {"kind": "draw", "from": source}))
        for kind in ("knock", "end"):
            if any(offer["kind"] == kind for offer in offers):
                found.append((self.outlook.value_of_ending(self.outlook.mine, laps=1), {"kind": kind}))
        if swappable:
            found += self.par.swaps(swappable)
        return best_of(found)

    def value_of_pile(self) -> float:
        """The best that the pile's card can do."""
        slots = [slot for slot in self.book.occupied(self.seat) if slot not in self.outlook.fixed]
        return min(self.value_of_swap(slot, self.book.pile[-1]) for slot in slots)

    def value_of_swap(self, slot: int, card: str) -> float:
        gain = self.powers.gain_of(self.outlook.mine[slot], replaced=True)
        return self.outlook.value_of_swap(slot, card) - gain

    def choose_place(self, offers: Offers) -> Action | None:
        """The slot, or the pile, for the card in hand; a king may be traded for a card that does more good."""
        hand = self.book.hand[0] if self.book.hand else UNKNOWN
        slots = choices(offers, "swap", "slot")
        found: list[Choice] = [(self.value_of_swap(slot, hand), {"kind": "swap", "slot": slot}) for slot in slots]
        if any(offer["kind"] == "discard" for offer in offers):
            gain = self.outlook.slap_after(hand, self.outlook.mine) + self.powers.gain_of(hand)
            found.append((self.outlook.value() - gain, {"kind": "discard"}))
        for seat, slot in choices(offers, "trade", "target"):
            taken, harm = self.outlook.at((seat, slot)), self.powers.gain_by({(seat, slot): hand})
            value = min(self.value_of_swap(own, taken) for own in slots) - harm
            found.append((value, {"kind": "trade", "target": [seat, slot]}))
        return best_of(found)

    def choose_flip(self, offers: Offers) -> Action | None:
        """The first face-down card, but the last one only when it is time to end the round."""
        down, outlook = choices(offers, "flip", "slot"), self.outlook
        may_wait = len(offers) > 1 and len(down) == 1 and outlook.ends_by_open_cards()
        if may_wait and outlook.value_of_ending(outlook.mine, outlook.last_laps) >= outlook.value():
            return {"kind": "none"}
        return {"kind": "flip", "slot": down[0]}

    def choose_power(self, offers: Offers) -> Action | None:
        return self.powers.best(offers)[1]

    def choose_pick2(self, offers: Offers) -> Action | None:
        """The power that gains most."""
        gains = self.powers.gains_of_copies(choices(offers, "copy", "power"))
        gain, name = max(gains, default=(0.0, ""))
        return {"kind": "copy", "power": name} if gain > 0 else {"kind": "stop"}

    def choose_pick8(self, offers: Offers) -> Action | None:
        """The best card in its best slot."""
        found: list[Choice] = [
            (self.outlook.value_of_swap(slot, self.book.trio[card]), {"kind": "keep", "card": card, "slot": slot})
            for card in choices(offers, "keep", "card")
            for slot in choices(offers, "keep", "slot")
        ]
        return best_of(found)

    def choose_block(self, _: Offers) -> Action | None:
        """Block what does harm; an exchange or a planted card may be welcome."""
        attack = self.book.attack
        mine = [self.outlook.points_at(target) for target in attack["targets"] if target[0] == self.seat]
        welcome = attack["power"] in ("6", "9") and mine and mine[0] >= self.outlook.measure.points(UNKNOWN)
        return {"kind": "allow" if welcome or attack["power"] in HARMLESS else "block"}

    def choose_give(self, offers: Offers) -> Action | None:
        """The dearest own card."""
        slots = choices(offers, "give", "slot")
        return {"kind": "give", "slot": max(slots, key=lambda slot: self.outlook.points_at((self.seat, slot)))}

    def choose_pairs(self, offers: Offers) -> Action | None:
        """Every pair that costs points."""
        width, points = self.book.columns, self.outlook.measure.points
        rows = choices(offers, "discard_pairs", "rows")
        dear = [row for row in rows if sum(map(points, self.outlook.mine[row * width : (row + 1) * width])) > 0]
        return {"kind": "discard_pairs", "rows": dear}

    def choose_arrange(self, offers: Offers) -> Action | None:
        return self.par.arrange(choices(offers, "arrange", "slots"))

    def choose_stroke(self, offers: Offers) -> Action | None:
        return self.par.stroke(choices(offers, "stroke", "row"))


def choices(offers: Offers, kind: str, field: str) -> list[Any]:
    """The values that the offer of this kind has for a field; none where it is not offered."""
    for offer in offers:
        if offer["kind"] == kind:
            choice = offer[field]
            values: list[Any] = choice.get("one_of") or choice.get("of") or choice.get("any_of") or []
            return values
    return []


def best_of(found: list[Choice]) -> Action | None:
    """The action of least value, the first of equals; None when there is nothing to choose from."""
    return min(found, key=lambda choice: choice[0])[1] if found else None


def least_committal(offers: Offers) -> Action:
    """A legal answer to whatever is asked: decline where that is offered, else the first values of the first offer."""
    by_kind = {offer["kind"]: offer for offer in reversed(offers)}
    kind = next((kind for kind in LEAST_COMMITTAL if kind in by_kind), offers[0]["kind"])
    action: Action = {"kind": kind}
    for field, choice in by_kind[kind].items():
        if field != "kind":
            action[field] = choice["one_of"][0] if "one_of" in choice else choice.get("of", [])[: choice.get("pick", 0)]
    return action


def main() -> None:
    keeper: Keeper
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "keeper"}', flush=True)
        elif message["type"] == "match":
            keeper = Keeper(message)
        elif message["type"] == "request":
            print(json.dumps({"type": "answer", "id": message["id"], "action": keeper.decide(message)}), flush=True)


if __name__ == "__main__":
    main()
