"""A bot that knows no game: of all legal answers it gives each with the same chance.

The yardstick that every other bot has to beat, and the whole protocol in a page: say `ready`, seed the dice at
`match`, answer each `request` with its id. The idea is as old as testing: whatever the rules allow will happen.
"""

import json
import math
import random
import sys
from typing import Any


def fill(offer: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """One of the actions that an offer describes: each choice object becomes one of its values."""
    action = dict(offer)
    for field, choice in offer.items():
        if field == "kind":
            continue
        if "one_of" in choice:
            action[field] = dice.choice(choice["one_of"])
        elif "pick" in choice:
            action[field] = dice.sample(choice["of"], choice["pick"])
        else:
            action[field] = [value for value in choice["any_of"] if dice.random() < 0.5]
    return action


def count(offer: dict[str, Any]) -> int:
    """How many actions an offer describes."""
    total = 1
    for field, choice in offer.items():
        if field == "kind":
            continue
        if "one_of" in choice:
            total *= len(choice["one_of"])
        elif "pick" in choice:
            total *= math.perm(len(choice["of"]), choice["pick"])
        else:
            total *= 2 ** len(choice["any_of"])
    return total


class Random:
    """One match."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.dice = random.Random(match["seed"])

    def decide(self, request: dict[str, Any]) -> dict[str, Any]:
        """Any action that the request offers."""
        legal = request["legal"]
        offer = self.dice.choices(legal, weights=[count(offer) for offer in legal])[0]
        return fill(offer, self.dice)


def main() -> None:
    bot: Random
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "random", "table": false}', flush=True)
        elif message["type"] == "match":
            bot = Random(message)
        elif message["type"] == "request":
            print(json.dumps({"type": "answer", "id": message["id"], "action": bot.decide(message)}), flush=True)


if __name__ == "__main__":
    main()
