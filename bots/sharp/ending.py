"""Who ends a round when, and what that costs: guesses about others, and the rules for the seat that ends it."""

from collections.abc import Sequence
from math import exp
from typing import Any, NamedTuple


class Chance(NamedTuple):
    """The chance that a seat ends the round in a turn, when it can: it grows with its lead, in points."""

    most: float
    middle: float
    """At this lead the chance is half of the most."""
    width: float

    def at(self, lead: float) -> float:
        return self.most / (1 + exp(max(-50.0, min(50.0, (self.middle - lead) / self.width))))


LAST_CARD = Chance(most=0.8, middle=0.0, width=4.0)
"""It can show its last card, and nobody has a turn after it."""

FINISH = Chance(most=0.7, middle=7.0, width=4.0)
"""It can show its last card, and everybody has a turn after it."""

KNOCK = Chance(most=0.6, middle=13.0, width=3.0)
"""It can knock at any turn."""

GROWTH = 0.02
"""What is added to the chance of a knock with each turn that is looked ahead, since somebody may improve."""

PACE = 0.8
"""The chance that a seat shows a card in each of its turns, so that it can end the round as soon as possible."""


def either(one: float, other: float) -> float:
    """The chance that one or the other happens."""
    return one + other - one * other


class Ending:
    """How rounds of this match end."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.options: dict[str, Any] = match["options"]
        two_deck = match["variant"] == "two-deck"
        self.by_open_cards = two_deck or self.options.get("end_mode", "all_up") in ("all_up", "both")
        gives = self.options.get("final_turns") if self.by_open_cards else not self.options.get("knock_ends_at_once")
        self.gives_turns = two_deck or bool(gives)
        self.penalty: str | None = self.options.get("knock_penalty")
        self.bonus: str | None = self.options.get("knock_bonus")
        self.adjusts = bool(self.penalty or self.bonus)

    def chances(self, leads: Sequence[float], hidden: Sequence[int], own_hidden: int, turns: int) -> list[float]:
        """For each own turn to come, the chance that it does not come.

        `leads` has how many points each other seat is ahead, `hidden` how many cards it has not shown.
        """
        ends = [0.0] * turns
        for lead, down in zip(leads, hidden, strict=True):
            ends = [either(e, self.chance(lead, down - turn, turn)) for turn, e in enumerate(ends)]
        if self.gives_turns:
            ends = [0.0, *ends[:-1]]
        lead = -sum(leads) / max(1, len(leads))
        own = [0.0, *[self.chance(lead, own_hidden - turn, turn) for turn in range(turns - 1)]]
        return [either(e, o) for e, o in zip(ends, own, strict=True)]

    def chance(self, lead: float, hidden: int, turn: int) -> float:
        """The chance that a seat ends the round in a turn with so many cards to show."""
        if not self.by_open_cards:
            return KNOCK.at(lead) + GROWTH * turn
        if hidden > 1:
            return 0.0
        paced = PACE if hidden == 1 and turn > 0 else 1.0
        return paced * (FINISH if self.gives_turns else LAST_CARD).at(lead)

    def adjusted(self, own: float, others: Sequence[float]) -> float:
        """What the seat scores that has ended the round, by the options of the knocker."""
        lowest = min(others, default=own + 1)
        if own > lowest or (own == lowest and self.options.get("knock_tie") == "penalty"):
            return self.penalised(own, others)
        if own < lowest or self.options.get("knock_tie") == "bonus":
            if self.bonus == "zero":
                return min(own, 0.0)
            return own - len(others) - 1 if self.bonus == "minus_players" else own
        return own

    def penalised(self, own: float, others: Sequence[float]) -> float:
        match self.penalty:
            case None:
                return own
            case "double":
                return own + max(own, 0.0)
            case "double5":
                return own + max(own, 0.0) + 5
            case "highest":
                return max(own, *others)
            case "twice_players":
                return own + 2 * (len(others) + 1)
            case rule:
                return own + float(rule.removeprefix("add:"))
