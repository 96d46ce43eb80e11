"""A bot as a class: one method a decision, each with a sensible answer already; and the loop that runs it.

This module knows the lines of the protocol. What lies on the table is for table.py, what it costs for measure.py.
"""

import json
import os
import sys
from typing import Any

from kit.cards import UNKNOWN, is_known
from kit.measure import Measure
from kit.table import Event, Table
from kit.unseen import Unseen

Action = dict[str, Any]
"""An action as it is sent: its `kind`, and a value for each field of that kind (protocol/README.md, section 5)."""

Reply = Action | tuple[Action | None, Action | str] | tuple[Action | None, Action, str] | None
"""What a decision may return: an action, or None for the answer that commits to least; with it the answer to the
question that follows at once (`then`), a comment for people, or both in this order."""

Choice = tuple[float, Action]
"""A value, lower is better, and the action that leads to it."""

DECISIONS = frozenset({
    "turn_up", "look", "arrange", "turn", "place", "flip", "power", "slap", "give", "block", "pairs", "stroke", "pick8",
    "pick2", "par",
})  # fmt: skip
"""The decisions that have a method of their own; others go to `Bot.other`."""

LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
"""What to answer where nothing better is known: the first of these that is legal."""

SAFE_LEAD = 5.0
"""By how many points each other seat must be expected to stand worse for the round to be ended."""

LITTLE = 1.0
"""How many points the next card is expected to save where it is time to stop."""

LOW_ROW = 4.0
"""Par golf: a row that is expected to cost at most so much is taken as a stroke."""


class Offers(list[Action]):
    """The legal answers to a request, as the protocol lists them: kinds of actions with the values of their fields."""

    def has(self, kind: str) -> bool:
        """Whether an action of this kind is legal."""
        return any(offer["kind"] == kind for offer in self)

    def choices(self, kind: str, field: str) -> list[Any]:
        """The values from which this field of this kind of action is chosen; none where the kind is not legal."""
        for offer in self:
            if offer["kind"] == kind:
                choice = offer[field]
                values: list[Any] = choice.get("one_of") or choice.get("of") or choice.get("any_of") or []
                return values
        return []

    def least_committal(self) -> Action:
        """A legal answer to whatever is asked: to decline, where that is offered, else the first values of an offer."""
        by_kind = {offer["kind"]: offer for offer in reversed(self)}
        kind = next((kind for kind in LEAST_COMMITTAL if kind in by_kind), self[0]["kind"])
        action: Action = {"kind": kind}
        for field, choice in by_kind[kind].items():
            if field != "kind":
                few = choice.get("of", [])[: choice.get("pick", 0)]
                action[field] = choice["one_of"][0] if "one_of" in choice else few
        return action


class Bot:
    """One seat in one match. Derive from it, override the decisions that you want to make yourself, and `run` it.

    Each decision is a method of its name (`turn`, `place`, ...). It gets the offers and returns a `Reply`. What it
    needs to decide is in `table`, `unseen` and `measure`, which are up to date then. Each match has a bot of its own;
    what is to outlive a match belongs to the class.
    """

    name = ""
    """How the bot introduces itself; the class's name where it is empty."""
    version = ""
    author = ""
    slaps = True
    """Whether the bot takes part in slaps; False renounces them for good."""

    def __init__(self, match: dict[str, Any]) -> None:
        """Begin a match with the `match` message."""
        self.match = match
        self.seat: int = match["seat"]
        self.options: dict[str, Any] = match["options"]
        self.request: dict[str, Any] = {}
        """The request that is being answered."""
        self.table = Table(match)
        """What lies on the table, and what this seat knows of it."""
        self.unseen = Unseen(match)
        """The cards that this seat has not seen, and their chances."""
        self.measure = Measure(match)
        """What cards and layouts cost, what a draw is worth."""
        self._listens = type(self).hear is not Bot.hear  # a call for each event is time that a slap does not have

    # What happens around the decisions

    @classmethod
    def prepare(cls, hello: dict[str, Any]) -> None:
        """Load or compute what takes time; called once in the life of a process, with the message `hello`."""

    def hear(self, event: Event) -> None:
        """Something has happened; the table has it already. An event may be of a kind that did not exist today."""

    def update(self) -> None:
        """Work out what is unseen and what cards are worth: called before every decision but `slap`, where time counts.

        Between two updates `unseen` and `measure` stay as they are.
        """
        self.unseen.see(self.table.seen())
        self.measure.reckon(self.unseen, self.table.rows)

    def end(self, message: dict[str, Any]) -> None:
        """The match is over; `message` is `end`, with the totals and ranks."""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, as it is sent."""
        self.request = request
        self._read(request["events"])
        decision, offers = request["decision"], Offers(request["legal"])
        if decision != "slap":
            if "table" in request:
                self.table.correct(request["table"])
            self.update()
        reply: Reply = getattr(self, decision)(offers) if decision in DECISIONS else self.other(decision, offers)
        action, *more = reply if isinstance(reply, tuple) else (reply,)
        action = action or offers.least_committal()
        self.table.answered(action)
        answer = {"type": "answer", "id": request["id"], "action": action}
        for one in more:
            answer["comment" if isinstance(one, str) else "then"] = one
        return answer

    def finish(self, message: dict[str, Any]) -> None:
        """Hear of the end of the match."""
        self._read(message["events"])
        self.end(message)

    def _read(self, events: list[Event]) -> None:
        for event in events:
            self.table.read(event)
            if self._listens:
                self.hear(event)

    # The decisions

    def turn_up(self, offers: Offers) -> Reply:
        """Which own cards to turn up before play; the first ones."""
        return offers.least_committal()

    def look(self, offers: Offers) -> Reply:
        """Which own cards to look at before play; the first ones."""
        return offers.least_committal()

    def arrange(self, offers: Offers) -> Reply:
        """Par golf: slot i gets the card of slot `slots[i]`; as they were dealt."""
        return offers.least_committal()

    def turn(self, offers: Offers) -> Reply:
        """End the round with a safe lead, or with any where a draw saves little; else draw where it promises more."""
        for kind in ("knock", "end"):
            if offers.has(kind) and UNKNOWN not in self.table.mine:
                lead = self.lead()
                if lead >= SAFE_LEAD or (lead >= 0 and self.value_of_a_draw() <= LITTLE):
                    return {"kind": kind}
        sources = offers.choices("draw", "from")
        if len(sources) < 2:
            return {"kind": "draw", "from": sources[0]} if sources else None
        top = self.table.top
        saved = self.own_cost() - min(self.costs_with(top, self.free())) if top else 0.0
        return {"kind": "draw", "from": "pile" if saved > self.value_of_a_draw() else "stock"}

    def place(self, offers: Offers) -> Reply:
        """Where the card in hand goes: where the own layout will cost least."""
        slots = offers.choices("swap", "slot")
        costs = self.costs_with(self.table.drawn or UNKNOWN, slots)
        if not costs or (offers.has("discard") and self.own_cost() <= min(costs)):
            return {"kind": "discard"}
        return {"kind": "swap", "slot": slots[costs.index(min(costs))]}

    def flip(self, offers: Offers) -> Reply:
        """Turn up an own card: the first one; but the last one only with a lead, where it may stay down."""
        slots = offers.choices("flip", "slot")
        if offers.has("none") and len(slots) == 1 and self.lead() < 0:
            return {"kind": "none"}
        return {"kind": "flip", "slot": slots[0]}

    def power(self, offers: Offers) -> Reply:
        """How to use a card's power: look at an own card that is not known yet; decline all else."""
        for target in offers.choices("peek", "target"):
            if target[0] == self.seat and not is_known(self.table.at(target)):
                return {"kind": "peek", "target": target}
        return offers.least_committal()

    def slap(self, offers: Offers) -> Reply:
        """Slap an own card that is known to be equal to the discard and costs points; else pass, and be quick."""
        top, points = self.table.top, self.measure.points
        for target in offers.choices("slap", "target") if top is not None else ():
            card = self.table.at(target)
            if target[0] == self.seat and is_known(card) and points(card) > 0 and self.measure.is_equal(card, str(top)):
                return {"kind": "slap", "target": target}
        return {"kind": "pass"}

    def give(self, offers: Offers) -> Reply:
        """Which own card goes to the seat whose card was slapped: the one that counts most."""
        slots = offers.choices("give", "slot")
        return {"kind": "give", "slot": max(slots, key=lambda slot: self.measure.points(self.table.mine[slot]))}

    def block(self, offers: Offers) -> Reply:
        """Powers: whether a shield blocks `table.attack`; it does."""
        return {"kind": "block"} if offers.has("block") else None

    def pairs(self, offers: Offers) -> Reply:
        """Two-deck golf: which rows to discard; those that cost points."""
        width, mine, points = self.table.columns, self.table.mine, self.measure.points
        rows = offers.choices("discard_pairs", "rows")
        dear = [row for row in rows if sum(points(card) for card in mine[row * width : (row + 1) * width]) > 0]
        return {"kind": "discard_pairs", "rows": dear}

    def stroke(self, offers: Offers) -> Reply:
        """Par golf: whether to take a row as a stroke; the first that costs little, the last one only with a lead."""
        rows = offers.choices("stroke", "row")
        width, mine = self.table.columns, self.table.mine
        for row in rows if len(rows) > 1 or self.lead() >= 0 else ():
            pair = mine[row * width : (row + 1) * width]
            if all(map(is_known, pair)) and self.measure.score_of_row(pair) <= LOW_ROW:
                return {"kind": "stroke", "row": row}
        return {"kind": "none"}

    def pick8(self, offers: Offers) -> Reply:
        """Powers: which of the three cards of `table.hand` to keep, and where; what costs least."""
        slots = offers.choices("keep", "slot")
        found = [
            (cost, card, slot)
            for card in offers.choices("keep", "card")
            for slot, cost in zip(slots, self.costs_with(self.table.hand[card], slots), strict=True)
        ]
        _, card, slot = min(found)
        return {"kind": "keep", "card": card, "slot": slot}

    def pick2(self, offers: Offers) -> Reply:
        """Powers: which power a 2 copies; none."""
        return offers.least_committal()

    def par(self, offers: Offers) -> Reply:
        """Par golf: the par of the next hole, where the dealer chooses it; the first one."""
        return offers.least_committal()

    def other(self, decision: str, offers: Offers) -> Reply:  # noqa: ARG002
        """A decision that did not exist when this was written."""
        return offers.least_committal()

    # What decisions reckon with

    def free(self) -> list[int]:
        """The own slots whose card can still be exchanged."""
        return [slot for slot in self.table.occupied(self.seat) if slot not in self.table.fixed[self.seat]]

    def own_cost(self) -> float:
        """What the own layout is expected to cost, after the own turns that will surely come."""
        return self.measure.cost(self.table.mine, self.table.turns_left, self.table.fixed[self.seat])

    def costs_with(self, card: str, slots: list[int]) -> list[float]:
        """What the own layout will be expected to cost with this card in each of these slots."""
        mine, fixed, fixes = self.table.mine, self.table.fixed[self.seat], self.table.swaps_fix
        return [
            self.measure.cost(
                [*mine[:slot], card, *mine[slot + 1 :]], self.table.turns_left, fixed | {slot} if fixes else fixed
            )
            for slot in slots
        ]

    def value_of_a_draw(self) -> float:
        """How many points the next card of the stock is expected to save, put where it saves most or thrown away."""
        return self.measure.prospect(self.table.mine, self.table.fixed[self.seat])

    def expected_scores(self) -> list[float]:
        """What each seat is expected to score if the round ended now, before penalties: points by seat."""
        return [self.measure.cost(layout) for layout in self.table.layouts]

    def lead(self) -> float:
        """By how many points the best of the others is expected to stand worse than this seat; 0 where it is alone."""
        scores = self.expected_scores()
        own = scores.pop(self.seat)
        return min(scores, default=own) - own


def best_of(found: list[Choice]) -> Action | None:
    """The action of least value, the first of equals; None when there is nothing to choose from."""
    return min(found, key=lambda choice: choice[0])[1] if found else None


def run(bot: type[Bot]) -> None:
    """Play matches with bots of this class, one after another, until the input ends."""
    try:
        _converse(bot)
    except (BrokenPipeError, KeyboardInterrupt):
        # Nobody reads any more; what Python still wants to write at its exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _converse(bot: type[Bot]) -> None:
    player: Bot | None = None
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        kind = message["type"]
        if kind == "request" and player is not None:
            _say(player.answer(message))
        elif kind == "match":
            player = bot(message)
        elif kind == "hello":
            bot.prepare(message)
            _say(_introduction(bot))
        elif kind == "end" and player is not None:
            player.finish(message)


def _introduction(bot: type[Bot]) -> dict[str, Any]:
    """The message `ready`, without what goes without saying."""
    ready: dict[str, Any] = {"type": "ready", "name": bot.name or bot.__name__}
    ready |= {field: text for field, text in (("version", bot.version), ("author", bot.author)) if text}
    return ready if bot.slaps else {**ready, "slaps": False}


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
