"""A bot that takes what looks best at this moment and remembers nothing beyond its own turn.

The strategy that everybody tries first: a card that cannot be seen counts as an average card of the pack, and each
choice is the one after which the own layout scores least, one move deep. It reads what lies open from the `table` of
a turn's first request and sees the card that it drew. Where cards lie face down it only knows that a low card is better
than an unknown one. It keeps no books, so it renounces slaps and powers, and after a few turns it hopes that it leads.
"""

import json
import random
import sys
from typing import Any

LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
"""What to answer when nothing is known of a decision: the first of these that is legal."""

PATIENCE = 4
"""Turns before it ends a round of hidden cards."""


class Greedy:
    """One match."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.seat: int = match["seat"]
        self.columns: int = match["columns"]
        self.values: dict[str, int] = match["values"]
        self.average: float = sum(self.values.values()) / len(self.values)
        options = match["options"]
        self.columns_cancel = "col" in options.get("cancel", ())
        self.rows_cancel = match["variant"].startswith(("two-deck", "par-", "no-par"))
        self.dice = random.Random(match["seed"])
        self.table: dict[str, Any] = {}
        self.hand = ""
        self.looked: list[str] = []
        self.turns = 0

    def decide(self, request: dict[str, Any]) -> dict[str, Any]:
        """The action for a request."""
        self.table = request.get("table", self.table)
        for event in request["events"]:
            if event["event"] == "round":
                self.turns = 0
            elif event["event"] == "drew" and event["card"]:
                self.hand = event["card"]
            elif event["event"] == "looked" and event["seat"] == self.seat:
                self.looked = event["cards"]
        offers = {offer["kind"]: offer for offer in request["legal"]}
        choose = {
            "turn": self.turn,
            "place": self.place,
            "flip": self.flip,
            "arrange": self.arrange,
            "pairs": self.discard_pairs,
            "stroke": self.stroke,
        }
        return choose.get(request["decision"], least_committal)(offers)

    def turn(self, offers: dict[str, Any]) -> dict[str, Any]:
        """End the round when that looks good; else draw the pile's card if it saves anything, or from the stock."""
        self.turns += 1
        for kind in ("knock", "end"):
            if kind in offers and self.has_had_enough():
                return {"kind": kind}
        if "draw" not in offers:
            return least_committal(offers)
        sources = offers["draw"]["from"]["one_of"]
        pile_helps = "pile" in sources and self.gain(self.table["pile"][0])[0] > 0
        return {"kind": "draw", "from": "pile" if pile_helps else sources[0]}

    def place(self, offers: dict[str, Any]) -> dict[str, Any]:
        """The slot where the drawn card saves most; the pile, when it saves nothing."""
        if "swap" not in offers:
            return least_committal(offers)
        gain, slot = self.gain(self.hand, offers["swap"]["slot"]["one_of"])
        if gain <= 0 and "discard" in offers:
            return {"kind": "discard"}
        return {"kind": "swap", "slot": slot}

    def flip(self, offers: dict[str, Any]) -> dict[str, Any]:
        """A face-down card, but not the last one: that would end the round."""
        down = offers["flip"]["slot"]["one_of"]
        if len(down) == 1 and "none" in offers:
            return {"kind": "none"}
        return {"kind": "flip", "slot": down[0]}

    def arrange(self, offers: dict[str, Any]) -> dict[str, Any]:
        """Par golf: equal ranks side by side and on top, then the low cards; the dear ones come last."""
        cards = self.looked
        ranks = [rank(card) for card in cards]
        slots = sorted(
            offers["arrange"]["slots"]["of"],
            key=lambda slot: (ranks.count(ranks[slot]) % 2, self.worth(cards[slot]), ranks[slot]),
        )
        return {"kind": "arrange", "slots": slots}

    def discard_pairs(self, offers: dict[str, Any]) -> dict[str, Any]:
        """Two-deck game: all of them."""
        return {"kind": "discard_pairs", "rows": offers["discard_pairs"]["rows"]["any_of"]}

    def stroke(self, offers: dict[str, Any]) -> dict[str, Any]:
        """Par golf: from the top, where the best rows lie."""
        return {"kind": "stroke", "row": offers["stroke"]["row"]["one_of"][0]}

    def gain(self, card: str, slots: list[int] | None = None) -> tuple[float, int]:
        """The most points that the card saves in an own slot, and that slot; equally good ones are drawn by lot."""
        cards = self.table["layouts"][self.seat]
        now = self.score(cards)
        gains: list[tuple[float, float, int]] = [
            (now - self.score([*cards[:slot], card, *cards[slot + 1 :]]), self.dice.random(), slot)
            for slot, old in enumerate(cards)
            if old is not None and (slots is None or slot in slots)
        ]
        best, _, slot = max(gains)
        return best, slot

    def has_had_enough(self) -> bool:
        """Whether the own cards all lie open and seem to lead; or all are hidden and some turns have passed."""
        layouts = self.table["layouts"]
        scores = [self.score(cards) for cards in layouts]
        if set(layouts[self.seat]) <= {"?", None}:
            return self.turns > PATIENCE
        return "?" not in layouts[self.seat] and min(scores) == scores[self.seat] and scores.count(min(scores)) == 1

    def score(self, cards: list[Any]) -> float:
        """What a layout scores; `?` is a face-down card, None an empty slot."""
        lines = [cards[column :: self.columns] for column in range(self.columns)] if self.columns_cancel else []
        if self.rows_cancel:
            lines = [cards[start : start + self.columns] for start in range(0, len(cards), self.columns)]
        equal = [line for line in lines if not {"?", None} & set(line) and len({rank(card) for card in line}) == 1]
        return sum(map(self.worth, cards)) - sum(self.worth(card) for line in equal for card in line)

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
