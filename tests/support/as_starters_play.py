"""How every starter plays (bots/starters/README.md, "The policy"), written once for the tests.

It reads the messages alone and shares nothing with the starters nor with the kit, so that it repeats no mistake.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

Message = dict[str, Any]
Layout = list[str | None]

LOW = 4
HIDDEN = 5
PATIENCE = 4
UNKNOWN = "?"
DECLINING = ("pass", "none", "allow", "stop", "discard", "draw")
READY: Message = {"type": "ready", "name": "my-bot", "slaps": False}


def replies(lines: Iterable[bytes]) -> list[Message]:
    """What a starter replies to these lines of a referee."""
    replied: list[Message] = []
    bot: AsStartersPlay | None = None
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            replied.append(READY)
        elif message["type"] == "match":
            bot = AsStartersPlay(message)
        elif message["type"] == "request":
            assert bot is not None
            replied.append({"type": "answer", "id": message["id"], "action": bot.decide(message)})
    return replied


class AsStartersPlay:
    """One match."""

    def __init__(self, match: Message) -> None:
        self.seat: int = match["seat"]
        self.values: dict[str, int] = match["values"]
        self.layouts: list[Layout] = [[] for _ in range(match["seats"])]
        self.pile: list[str] = []
        self.drawn = UNKNOWN
        self.turns = 0

    def decide(self, request: Message) -> Message:
        """The action for a request."""
        for event in request["events"]:
            if event["event"] == "round":
                self.turns = 0
            elif event["event"] == "drew" and event["seat"] == self.seat:
                self.drawn = event["card"]
        if table := request.get("table"):
            self.layouts, self.pile = table["layouts"], table["pile"]
        offers = {offer["kind"]: offer for offer in reversed(request["legal"])}
        choose = {"turn": self.turn, "place": self.place, "flip": self.flip}.get(request["decision"])
        return (choose(offers) if choose else None) or decline(request["legal"])

    def turn(self, offers: Message) -> Message | None:
        self.turns += 1
        mine = self.layouts[self.seat]
        if self.turns >= PATIENCE and self.total(mine) == min(map(self.total, self.layouts)):
            for kind in ("knock", "end"):
                if kind in offers:
                    return {"kind": kind}
        if "draw" not in offers:
            return None
        sources = offers["draw"]["from"]["one_of"]
        top = self.cost(self.pile[0]) if self.pile else LOW + 1
        from_pile = "pile" in sources and top <= LOW and any(self.cost(card) > top for card in mine)
        return {"kind": "draw", "from": "pile" if from_pile else sources[0]}

    def place(self, offers: Message) -> Message | None:
        if "swap" not in offers:
            return None
        slot = self.worst(offers["swap"]["slot"]["one_of"])
        if "discard" in offers and self.cost(self.drawn) >= self.cost(self.layouts[self.seat][slot]):
            return {"kind": "discard"}
        return {"kind": "swap", "slot": slot}

    def flip(self, offers: Message) -> Message | None:
        slots = offers["flip"]["slot"]["one_of"]
        return {"kind": "none"} if "none" in offers and len(slots) == 1 else {"kind": "flip", "slot": slots[0]}

    def worst(self, slots: Sequence[int]) -> int:
        """The slot whose card counts most; of equal ones another each turn."""
        mine = self.layouts[self.seat]
        most = max(self.cost(mine[slot]) for slot in slots)
        equal = [slot for slot in slots if self.cost(mine[slot]) == most]
        return equal[self.turns % len(equal)]

    def total(self, layout: Layout) -> int:
        return sum(map(self.cost, layout))

    def cost(self, card: str | None) -> int:
        if card is None:
            return 0
        if card == UNKNOWN:
            return HIDDEN
        return self.values[card] if card in self.values else self.values["X" if card[0] == "X" else card[:-1]]


def decline(legal: list[Message]) -> Message:
    """A legal answer to whatever is asked."""
    offers = {offer["kind"]: offer for offer in reversed(legal)}
    offer = next((offers[kind] for kind in DECLINING if kind in offers), legal[0])
    return {field: choice if field == "kind" else first_of(choice) for field, choice in offer.items()}


def first_of(choice: Message) -> Any:
    """The first of `one_of`, as many of `of` as are to be picked, and none of `any_of`."""
    if "one_of" in choice:
        return choice["one_of"][0]
    return choice["of"][: choice["pick"]] if "pick" in choice else []
