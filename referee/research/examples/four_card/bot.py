"""Plays four-card golf by what it has learned: it weighs each answer by the position to which that leads.

A position is a few figures (`figures`), and its weight is what a small network has learned to expect of it (learn.py).
The network stands in weights.json beside this file. Nothing but Python is needed:

    golfref match --variant four-card --bot "python3 bot.py" --bot builtin:greedy --bot builtin:greedy
"""

import json
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

DIGITS = 4
"""Positions that weigh the same up to here are the same: the first is taken, however the sums were rounded."""

DOWN = "?"
"""A card that lies face down. In four-card golf nobody has seen it."""

Action = dict[str, Any]
Figures = list[float]
Weigh = Callable[[Sequence[Figures]], Sequence[float]]
"""Says what each of these positions is worth, more being better."""


class View(NamedTuple):
    """What lies on the table as a seat sees it in its turn."""

    layouts: list[list[str]]
    """The cards by seat, the own ones first, then in the order of play; DOWN where they lie face down."""
    top: str
    """The top card of the pile; in a position, what the own turn leaves there for the next seat."""
    hand: str
    """The card that was drawn and lies nowhere yet; empty before."""
    is_last: bool
    """Whether another seat has knocked, so that this is the own last turn."""


def positions(view: View, kind: str, choice: Any) -> list[Figures]:
    """Return the positions to which an action may lead by the own choice: several for the pile's card, else one."""
    own = view.layouts[0]
    if kind == "draw" and choice == "pile":
        return [_swapped(view, view.top, slot) for slot in range(len(own))]
    if kind == "draw":
        return [figures(view, own, view.top, ending="draws")]
    if kind == "swap":
        return [_swapped(view, view.hand, choice)]
    if kind == "knock":
        return [figures(view, own, view.top, ending="knocks")]
    coming = {"flip": [choice], "turn_up": choice}.get(kind, [])
    return [figures(view, own, view.hand or view.top, coming=coming)]


def _swapped(view: View, card: str, slot: int) -> Figures:
    own = view.layouts[0]
    return figures(view, [*own[:slot], card, *own[slot + 1 :]], own[slot])


def figures(view: View, own: list[str], top: str, *, ending: str = "", coming: Sequence[int] = ()) -> Figures:
    """Return a position as figures: the own cards, what lies on the pile, and slots that are about to be turned up."""
    others = view.layouts[1:]
    ranks = [card[:-1] for layout in (own, *others, [top]) for card in layout]
    columns = sorted(_column(own, column, ranks, coming) for column in (0, 1))
    cost, costs = expected(own), [expected(layout) for layout in others]
    return [
        *columns[0],
        *columns[1],
        cost,
        cost - min(costs),
        cost - sum(costs) / len(costs),
        costs[0],
        others[0].count(DOWN) / 4,
        0.0 if top == DOWN else costs[0] - min(expected(_with(others[0], top, slot)) for slot in range(4)),
        _points(top),
        min(sum(card == DOWN for card in layout) for layout in others) / 4,
        len(others) / 6,
        float(view.is_last),
        float(ending == "draws"),
        float(ending == "knocks"),
    ]


def _column(own: list[str], column: int, ranks: list[str], coming: Sequence[int]) -> Figures:
    """A column: is it a pair, its points, the cards that are down or about to be turned up, and what may still pair."""
    upper, lower = own[column], own[column + 2]
    open_ = [card for card in (upper, lower) if card != DOWN]
    is_pair = len(open_) == 2 and upper[:-1] == lower[:-1]
    single = [] if is_pair else open_
    return [
        float(is_pair),
        sum(map(_points, single)),
        max(map(_points, single), default=0.0),
        (2 - len(open_)) / 2,
        sum(slot % 2 == column for slot in coming) / 2,
        max((4 - ranks.count(card[:-1]) for card in single), default=0) / 4,
    ]


def expected(layout: list[str]) -> float:
    """Return what a layout is expected to score, in tens of points: a card that lies down counts as an average one."""
    return sum(
        0.0 if DOWN not in pair and pair[0][:-1] == pair[1][:-1] else _points(pair[0]) + _points(pair[1])
        for pair in (layout[0::2], layout[1::2])
    )


def _with(layout: list[str], card: str, slot: int) -> list[str]:
    return [*layout[:slot], card, *layout[slot + 1 :]]


POINTS = {str(rank): rank / 10 for rank in range(3, 11)} | {"A": 0.1, "2": -0.2, "J": 1.0, "Q": 1.0, "K": 0.0}
AVERAGE = sum(POINTS.values()) / len(POINTS)


def _points(card: str) -> float:
    """What a card counts, in tens of points."""
    return AVERAGE if card == DOWN else POINTS[card[:-1]]


def choices(offers: Sequence[Action]) -> list[tuple[str, Any]]:
    """Return every legal action as its kind and what it chooses; slots to turn up are chosen in rising order."""
    found: list[tuple[str, Any]] = []
    for offer in offers:
        fields = [value for field, value in offer.items() if field != "kind"]
        if not fields:
            found.append((offer["kind"], None))
        elif "pick" in fields[0]:
            found += [(offer["kind"], list(slots)) for slots in combinations(fields[0]["of"], fields[0]["pick"])]
        else:
            found += [(offer["kind"], value) for value in fields[0]["one_of"]]
    return found


def in_words(kind: str, choice: Any) -> Action:
    """Return an action as the protocol has it."""
    field = {"draw": "from", "swap": "slot", "flip": "slot", "turn_up": "slots"}.get(kind)
    return {"kind": kind} if field is None else {"kind": kind, field: choice}


class Learned:
    """One match."""

    def __init__(self, match: dict[str, Any], weigh: Weigh | None = None) -> None:
        if match["variant"] != "four-card":
            raise ValueError(f"this bot has learned four-card, and cannot play {match['variant']}")
        self.seat: int = match["seat"]
        self.down = [[DOWN] * 4] * match["seats"]
        self.view = View(self.down, DOWN, "", is_last=False)
        self.weigh = weigh or network(json.loads(WEIGHTS.read_text()))

    def decide(self, request: dict[str, Any]) -> Action:
        """Return the action whose best position weighs most."""
        if request["decision"] == "turn_up":
            self.view = View(self.down, DOWN, "", is_last=False)
        if "table" in request:
            table = request["table"]
            layouts = table["layouts"][self.seat :] + table["layouts"][: self.seat]
            self.view = View(layouts, table["pile"][0], "", is_last=table["knocker"] is not None)
        for event in request["events"]:
            if event["event"] == "drew" and event["seat"] == self.seat:
                self.view = self.view._replace(hand=event["card"])
        found = choices(request["legal"])
        best = max(found, key=lambda one: round(max(self.weigh(positions(self.view, *one))), DIGITS))
        return in_words(*best)


WEIGHTS = Path(__file__).with_name("weights.json")


def network(layers: Sequence[tuple[list[list[float]], list[float]]]) -> Weigh:
    """Return what weighs positions by these layers: to each unit the weights of its inputs, and what is added."""

    def weigh(rows: Sequence[Figures]) -> list[float]:
        found = []
        for row in rows:
            values = row
            for number, (weights, added) in enumerate(layers):
                sums = [sum(map(mul, unit, values)) + more for unit, more in zip(weights, added, strict=True)]
                values = sums if number == len(layers) - 1 else [max(0.0, one) for one in sums]
            found.append(values[0])
        return found

    return weigh


def main() -> None:
    """Play matches until the input ends."""
    bot: Learned
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "learned", "slaps": false}', flush=True)
        elif message["type"] == "match":
            bot = Learned(message)
        elif message["type"] == "request":
            print(json.dumps({"type": "answer", "id": message["id"], "action": bot.decide(message)}), flush=True)


if __name__ == "__main__":
    main()
