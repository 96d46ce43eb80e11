"""A bot that plays every game of golfref. It remembers what it sees, keeps low cards and throws high ones away.

The folder `kit` beside this file does the rest: it reads the referee's lines, writes the answers, and keeps track of
the table. kit/README.md shows all that it knows, such as the cards that are unseen, and what a layout should cost.

Each method below answers one kind of question. Delete one, and the kit answers it in its own way. `turn_up`, `look`,
`arrange`, `pick2` and `par`, which do not stand here, are written in the same way. Begin with "Change this to play
better". Answers go to standard output, so never print there; print(..., file=sys.stderr) shows what you want to see.
"""

from typing import Any

from kit import Bot, Offers, Reply, is_known, rank, run

LOW = 4
"""A card of at most so many points is kept."""

HIDDEN = 5
"""What a card counts that we do not know."""


class MyBot(Bot):
    """A seat in one match. Each method gets the legal answers, and returns one of them."""

    name = "my-bot"
    version = "1"

    def turn(self, offers: Offers) -> Reply:
        """The start of our turn: end the round, or draw a card.

        Change this to play better: how sure must you be before you end a round? `self.lead()` tells by how many points
        the best of the others is expected to stand worse.
        """
        mine = self.table.mine
        all_known = all(card is None or is_known(card) for card in mine)
        if all_known and sum(self.cost(card) for card in mine) <= LOW:
            for kind in ("knock", "end"):
                if offers.has(kind):
                    return {"kind": kind}
        sources = offers.choices("draw", "from")
        if not sources:
            return None
        top = self.table.top
        top_is_low = top is not None and self.cost(top) <= LOW
        if "pile" in sources and (top_is_low or "stock" not in sources):
            return {"kind": "draw", "from": "pile"}
        return {"kind": "draw", "from": "stock"}

    def place(self, offers: Offers) -> Reply:
        """Where the card that we drew goes: into one of our slots, or onto the pile.

        Change this to play better: in many games equal cards in a line count nothing. `self.measure.cost(layout)` says
        what a layout will cost, with all that counts together.
        """
        slots = offers.choices("swap", "slot")
        drawn = self.table.drawn
        if slots and drawn is not None:
            helps = self.cost(drawn) <= LOW and self.cost(drawn) < self.cost(self.table.mine[self.worst(slots)])
            if helps or not offers.has("discard"):
                return {"kind": "swap", "slot": self.worst(slots)}
        if offers.has("discard"):
            return {"kind": "discard"}
        return {"kind": "swap", "slot": self.worst(slots)} if slots else None

    def flip(self, offers: Offers) -> Reply:
        """Which of our cards is turned face up after we have thrown a card away."""
        slots = offers.choices("flip", "slot")
        return {"kind": "flip", "slot": slots[0]} if slots else None

    def power(self, offers: Offers) -> Reply:
        """What to do with the power of a card: look at one of our cards.

        Change this to play better: there are many more powers, and each is an offer in `offers`.
        """
        for seat, slot in offers.choices("peek", "target"):
            if seat == self.seat and self.table.state((seat, slot)) == "hidden":
                return {"kind": "peek", "target": [seat, slot]}
        return None

    def slap(self, offers: Offers) -> Reply:
        """A card was thrown away. Whoever is the first to throw an equal one after it is rid of that, so be quick.

        Change this to play better: `self.table.at(target)` also tells the cards of others that you have seen.
        """
        top = self.table.top
        for seat, slot in offers.choices("slap", "target") if top is not None else ():
            card = self.table.at((seat, slot))
            if seat == self.seat and is_known(card) and rank(card) == rank(str(top)) and self.cost(card) > 0:
                return {"kind": "slap", "target": [seat, slot]}
        return None

    def give(self, offers: Offers) -> Reply:
        """Which of our cards another seat gets, after we have slapped one of its cards."""
        slots = offers.choices("give", "slot")
        return {"kind": "give", "slot": self.worst(slots)} if slots else None

    def block(self, offers: Offers) -> Reply:
        """Whether our shield stops an attack; `self.table.attack` tells which one."""
        return {"kind": "block"} if offers.has("block") else None

    def pairs(self, offers: Offers) -> Reply:
        """Two-deck game: which pairs we throw away."""
        rows = offers.choices("discard_pairs", "rows")
        dear = [row for row in rows if sum(map(self.cost, self.row(row))) > 0]
        return {"kind": "discard_pairs", "rows": dear} if offers.has("discard_pairs") else None

    def stroke(self, offers: Offers) -> Reply:
        """Par golf: which row we take as a stroke. Change this to play better: equal cards score little."""
        for row in offers.choices("stroke", "row"):
            if all(map(is_known, self.row(row))) and sum(map(self.cost, self.row(row))) <= LOW:
                return {"kind": "stroke", "row": row}
        return None

    def pick8(self, offers: Offers) -> Reply:
        """The game Powers: which of three cards to keep. Change this to play better: without this method the kit
        keeps the card that costs least, in the best slot."""
        return offers.least_committal()

    # What the decisions reckon with.

    def cost(self, card: Any) -> float:
        """What a card counts. Change this to play better: `self.unseen.points` is what a hidden one does on average."""
        if card is None:
            return 0
        return self.measure.points(card) if is_known(card) else HIDDEN

    def worst(self, slots: list[int]) -> int:
        """Of these slots of ours the one that costs most, the first of equals."""
        return max(slots, key=lambda slot: self.cost(self.table.mine[slot]))

    def row(self, row: int) -> list[Any]:
        """Our two cards in a row, in the games whose rows are pairs."""
        return self.table.mine[2 * row : 2 * row + 2]


if __name__ == "__main__":
    run(MyBot)
