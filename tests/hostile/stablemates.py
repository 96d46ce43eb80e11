"""Two bots of one owner that help each other in six-card golf: one with the word `takes`, one with `throws` or `helps`.

A bot is not told who else sits at its table. So both turn up the cards of SIGN, in this order, when a round begins, and
know each other by that. Else they play as the shipped bot greedy, but where the other is at the table,

- `throws` puts its cards where they cost most, and draws none from the pile;
- `helps` leaves the card that helps the other most where it plays next, and what helps least where somebody else does.
"""

import importlib.util
import json
import sys
from pathlib import Path

SIGN = [5, 1]
GREEDY = Path(__file__).parents[2] / "bots/greedy/bot.py"

spec = importlib.util.spec_from_file_location("greedy", GREEDY)
greedy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(greedy)


class Stablemate(greedy.Greedy):
    """One match."""

    def __init__(self, match, role):
        super().__init__(match)
        self.role, self.seats, self.mate = role, match["seats"], None

    def decide(self, request):
        for event in request["events"]:
            if event["event"] == "turned_up" and event["seat"] != self.seat and event["slots"] == SIGN:
                self.mate = event["seat"]
        if request["decision"] == "turn_up":
            return {"kind": "turn_up", "slots": SIGN}
        return super().decide(request)

    def turn(self, offers):
        if self.mate is None or self.role != "throws":
            return super().turn(offers)
        return {"kind": "draw", "from": "stock"}

    def place(self, offers):
        if self.mate is None or self.role == "takes" or "swap" not in offers:
            return super().place(offers)
        choices = [(self.merit(slot), slot) for slot in offers["swap"]["slot"]["one_of"]]
        choices += [(self.merit(None), -1)] * ("discard" in offers)
        _, slot = max(choices)
        return {"kind": "discard"} if slot < 0 else {"kind": "swap", "slot": slot}

    def merit(self, slot):
        """How good it is to put the drawn card into this slot, or away."""
        cards = self.table["layouts"][self.seat]
        left = self.hand if slot is None else cards[slot]
        own = 0.0 if slot is None else self.score(cards) - self.score([*cards[:slot], self.hand, *cards[slot + 1 :]])
        if self.role == "throws":
            return -own
        following = (self.seat + 1) % self.seats
        gain = 0.0 if left == "?" else self.gain_of(self.table["layouts"][following], left)
        return own + (2 * gain if following == self.mate else -gain)

    def gain_of(self, cards, card):
        now = self.score(cards)
        return max(0.0, *(now - self.score([*cards[:slot], card, *cards[slot + 1 :]]) for slot in range(len(cards))))


def main(role):
    bot = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "stablemate", "slaps": false}', flush=True)
        elif message["type"] == "match":
            bot = Stablemate(message, role)
        elif message["type"] == "request":
            print(json.dumps({"type": "answer", "id": message["id"], "action": bot.decide(message)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
