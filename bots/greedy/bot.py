"""A bot that takes what looks best at this moment and remembers nothing beyond its own turn.

The strategy that everybody tries first: a card that cannot be seen counts as an average card of the pack, and each
choice is the one after which the own layout scores least, one move deep. It reads what lies open from the `table` of
a turn's first request and sees the card that it drew. It keeps no books, so it renounces slaps and powers, and where
all cards lie face down it cannot tell its good ones from its bad ones.
"""

import json
import random
import sys
from typing import Any

LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
"""What to answer when nothing is known of a decision: the first of these that is legal."""


class Greedy:
    """One match."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.seat: int = match["seat"]
        self.columns: int = match["columns"]
        self.values: dict[str, int] = match["values"]
        self.average: float = sum(self.values.values()) / len(self.values)
        self.columns_cancel = "col" in match["options"].get("cancel", ())
        self.dice = random.Random(match["seed"])
        self.table: dict[str, Any] = {}
        self.hand = ""

    def decide(self, request: dict[str, Any]) -> dict[str, Any]:
        """The action for a request."""
        self.table = request.get("table", self.table)
        for event in request["events"]:
            if event["event"] == "drew" and event["card"]:
                self.hand = event["card"]
        offers = {offer["kind"]: offer for offer in request["legal"]}
        match request["decision"]:
            case "turn":
                return self.turn(offers)
            case "place":
                return self.place(offers)
            case "flip":
                return self.flip(offers)
            case _:
                return least_committal(offers)

    def turn(self, offers: dict[str, Any]) -> dict[str, Any]:
        """Knock when ahead with open cards; else draw the pile's card if it saves anything, or from the stock."""
        if "knock" in offers and self.surely_leads():
            return {"kind": "knock"}
        sources = offers["draw"]["from"]["one_of"]
        pile_helps = "pile" in sources and self.gain(self.table["pile"][0])[0] > 0
        return {"kind": "draw", "from": "pile" if pile_helps else sources[0]}

    def place(self, offers: dict[str, Any]) -> dict[str, Any]:
        """The slot where the drawn card saves most; the pile, when it saves nothing."""
        if "swap" not in offers:
            return least_committal(offers)
        gain, slot = self.gain(self.hand)
        if gain <= 0 and "discard" in offers:
            return {"kind": "discard"}
        return {"kind": "swap", "slot": slot}

    def flip(self, offers: dict[str, Any]) -> dict[str, Any]:
        """A face-down card, but not the last one: that would end the round."""
        down = offers["flip"]["slot"]["one_of"]
        if len(down) == 1 and "none" in offers:
            return {"kind": "none"}
        return {"kind": "flip", "slot": down[0]}

    def gain(self, card: str) -> tuple[float, int]:
        """The most points that the card saves in an own slot, and that slot; equally good ones are drawn by lot."""
        cards = self.table["layouts"][self.seat]
        now = self.score(cards)
        gains: list[tuple[float, float, int]] = [
            (now - self.score([*cards[:slot], card, *cards[slot + 1 :]]), self.dice.random(), slot)
            for slot, old in enumerate(cards)
            if old is not None
        ]
        best, _, slot = max(gains)
        return best, slot

    def surely_leads(self) -> bool:
        """Whether the own cards all lie open and every other seat is behind, average cards supposed."""
        own, scores = self.table["layouts"][self.seat], [self.score(cards) for cards in self.table["layouts"]]
        return "?" not in own and min(scores) == scores[self.seat] and scores.count(min(scores)) == 1

    def score(self, cards: list[Any]) -> float:
        """What a layout scores; `?` is a face-down card, None an empty slot."""
        total = 0.0
        for column in range(self.columns):
            line = cards[column :: self.columns]
            if not (self.columns_cancel and "?" not in line and len({rank(card) for card in line}) == 1):
                total += sum(self.worth(card) for card in line)
        return total

    def worth(self, card: str | None) -> float:
        if card is None:
            return 0
        if card == "?":
            return self.average
        return self.values[card] if card in self.values else self.values[rank(card)]


def rank(card: str) -> str:
    return "X" if card[0] == "X" else card[:-1]


def least_committal(offers: dict[str, Any]) -> dict[str, Any]:
    """A legal answer to whatever is asked: decline where that is offered, else the first values of the first offer."""
    kind = next((kind for kind in LEAST_COMMITTAL if kind in offers), next(iter(offers)))
    action = {"kind": kind}
    for field, choice in offers[kind].items():
        if field != "kind":
            action[field] = choice["one_of"][0] if "one_of" in choice else choice.get("of", [])[: choice.get("pick", 0)]
    return action


def main() -> None:
    bot: Greedy
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "greedy", "slaps": false}', flush=True)
        elif message["type"] == "match":
            bot = Greedy(message)
        elif message["type"] == "request":
            print(json.dumps({"type": "answer", "id": message["id"], "action": bot.decide(message)}), flush=True)


if __name__ == "__main__":
    main()
