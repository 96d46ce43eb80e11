"""The other seats of a check, played in memory: dice that know all cards, so that everything comes up soon."""

from collections.abc import Mapping
from random import Random
from typing import cast

from protocol.actions import Action, Pass, Slap, Target
from protocol.cards import rank
from protocol.messages import Answer, Ready
from referee.play.faults import Trouble
from referee.play.talk.exchange import READY, Delivery, Reply
from referee.rules.dice import any_action
from referee.rules.questions import Ask
from referee.rules.table import Table

SHARES: Mapping[str, float] = {
    "knock": 0.04, "end": 0.06, "none": 0.4, "stop": 0.4, "allow": 0.4, "cancel_knock": 3.0, "shield": 6.0,
    "discard": 3.0,
}  # fmt: skip
"""How likely a kind of action is beside another one, which counts 1."""

RIGHT_SLAPS = 0.3
"""How often a seat slaps where it has, or another seat has, a card that is right."""

WRONG_SLAPS = 0.04
"""How often it slaps any card."""

SLAP_US = 400.0
"""About how long such a slap takes."""


class Players:
    """Seats that are played by the dice."""

    def __init__(self, dice: Random, quits: int | None = None) -> None:
        """`quits` is a seat that ends in the middle of the match, so that the others hear of a forfeit."""
        self._dice = dice
        self._quits = quits
        self._asked = 0

    def reply(self, delivery: Delivery, ask: Ask | None, table: Table) -> Reply:
        """What a seat answers to a delivery; `ask` is its open question."""
        if delivery.awaits == READY or ask is None:
            return Reply(seat=delivery.seat, heard=Ready(name="table"), elapsed_us=1000.0)
        if delivery.seat == self._quits:
            self._asked += 1
            if self._asked > 3:
                gone = Trouble(kind="crashed", detail="left the table")
                return Reply(seat=delivery.seat, heard=gone, elapsed_us=0.0)
        answer = Answer(id=delivery.awaits or "", action=self.choose(ask, table))
        took_us = SLAP_US * (0.5 + self._dice.random())
        return Reply(seat=delivery.seat, heard=answer, elapsed_us=took_us, wait_us=0.0, corrected_us=round(took_us, 1))

    def choose(self, ask: Ask, table: Table) -> Action:
        """A legal answer to a question."""
        if ask.decision == "slap":
            return self._slap(ask, table)
        weights = [SHARES.get(offer.kind, 1.0) for offer in ask.offers]
        number = _weighted(weights, self._dice)
        return any_action(ask.offers[number : number + 1], self._dice)

    def _slap(self, ask: Ask, table: Table) -> Action:
        offered = [offer.target.one_of for offer in ask.offers if offer.kind == "slap" and offer.target]
        targets = cast(list[Target], [target for targets in offered for target in targets])
        top = table.pile[-1]
        right = [target for target in targets if _rank_at(table, target) == rank(top)]
        if right and self._dice.random() < RIGHT_SLAPS:
            return Slap(target=self._dice.choice(right))
        if targets and self._dice.random() < WRONG_SLAPS:
            return Slap(target=self._dice.choice(targets))
        return Pass()


def _rank_at(table: Table, target: Target) -> str | None:
    slot = table.layouts[target[0]][target[1]]
    return None if slot is None else rank(slot.card)


def _weighted(weights: list[float], dice: Random) -> int:
    left = dice.random() * sum(weights)
    for number, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return number
    return len(weights) - 1
