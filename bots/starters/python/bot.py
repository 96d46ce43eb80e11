"""A bot that plays every game of golfref. It keeps low cards and throws high ones away.

The folder `kit` beside this file does the rest: it reads the referee's lines, writes the answers, and keeps track of
the table. kit/README.md shows all that it knows, such as the cards that are unseen, and what a layout should cost.

Each method below answers one kind of question; the kit answers all others, and each one that you delete. Four comments
that begin with "Next:" say what to add. Answers go to standard output, so never print there:
print(..., file=sys.stderr) shows what you want to see.
"""

from typing import Any

from kit import Bot, Offers, Reply, is_known, run

LOW = 4
"""A card of at most so many points is taken from the pile."""

HIDDEN = 5
"""The points of a card that we do not know."""

PATIENCE = 4
"""The first own turn of a round in which the bot may end it."""


class MyBot(Bot):
    """A seat in one match. Each method gets the legal answers, and returns one of them."""

    name = "my-bot"
    slaps = False
    turns = 0
    """Our turns in this round."""

    # Next: slaps, powers, pairs and strokes. The kit answers `slap` once `slaps` is True; write `slap`, `power`,
    # `pairs` and `stroke` as methods to answer yourself.

    def hear(self, event: dict[str, Any]) -> None:
        """Count our turns from the beginning of each round."""
        if event["event"] == "round":
            self.turns = 0

    def turn(self, offers: Offers) -> Reply:
        """The start of our turn: end the round or draw a card."""
        self.turns += 1
        mine = self.table.mine
        # Next: end a round only with a good lead. `self.lead()` returns how many points we are expected to lead by.
        if self.turns >= PATIENCE and all(self.total(layout) >= self.total(mine) for layout in self.table.layouts):
            for kind in ("knock", "end"):
                if offers.has(kind):
                    return {"kind": kind}
        sources = offers.choices("draw", "from")
        if not sources:
            return None
        top = self.table.top
        helps = top is not None and self.cost(top) <= LOW and any(self.cost(card) > self.cost(top) for card in mine)
        return {"kind": "draw", "from": "pile" if helps and "pile" in sources else sources[0]}

    def place(self, offers: Offers) -> Reply:
        """Where the drawn card goes: to the slot of our worst card, or to the pile."""
        slots = offers.choices("swap", "slot")
        if not slots:
            return None
        # Next: look for pairs. In many games equal cards in a line count nothing together: `self.measure.cost(layout)`
        # returns what a layout is expected to score, with all that counts together.
        slot = self.worst(slots)
        if offers.has("discard") and self.cost(self.table.drawn) >= self.cost(self.table.mine[slot]):
            return {"kind": "discard"}
        return {"kind": "swap", "slot": slot}

    def flip(self, offers: Offers) -> Reply:
        """Which of our cards is turned face up: any, but not the last one, which would end the round."""
        slots = offers.choices("flip", "slot")
        return {"kind": "none"} if len(slots) == 1 and offers.has("none") else {"kind": "flip", "slot": slots[0]}

    def worst(self, slots: list[int]) -> int:
        """Of these slots of ours the one whose card counts most; of equal ones another each turn."""
        costs = [self.cost(self.table.mine[slot]) for slot in slots]
        equal = [slot for slot, cost in zip(slots, costs, strict=True) if cost == max(costs)]
        return equal[self.turns % len(equal)]

    def total(self, layout: list[str | None]) -> float:
        """The points of all cards of a layout."""
        return sum(map(self.cost, layout))

    def cost(self, card: str | None) -> float:
        """The points of a card. Next: a hidden card counts `self.unseen.points` on average."""
        if card is None:
            return 0
        return self.measure.points(card) if is_known(card) else HIDDEN


if __name__ == "__main__":
    run(MyBot)
