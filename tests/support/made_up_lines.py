"""Lines to bots that no referee would send in this order: every event in any state, with questions about it.

They show what a bot has kept of an event that real games tell seldom, or whose trace they soon wipe out.
"""

import json
from random import Random
from typing import Any

from as_starters_play import HIDDEN, UNKNOWN, AsStartersPlay, Message

RANKS = ("A", "2", "3", "4", "5", "9", "10", "J", "Q", "K")
VALUES = {"A": 1, "2": -2, "3": 3, "4": 4, "5": HIDDEN, "9": 9, "10": 10, "J": 10, "Q": 10, "K": 0, "X": -5, "KD": 15}
SEATS, SEAT, ROWS, COLUMNS = 3, 1, 2, 3


def made_up(count: int, seed: int = 1) -> list[bytes]:
    """A match in which so many requests are sent, as lines in UTF-8; a name in it is no ASCII, and breaks a line."""
    return [json.dumps(message, ensure_ascii=False).encode() for message in _Invention(seed).messages(count)]


class _Invention:
    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)  # noqa: S311 - no secret
        name = "Löcher\u2028"
        self.match = {"type": "match", "variant": "later", "name": name, "seats": SEATS, "seat": SEAT}
        self.match |= {"rows": ROWS, "columns": COLUMNS, "values": VALUES, "options": {}, "seed": seed}
        self.known = AsStartersPlay(self.match)
        """What a bot knows by now, so that what is told next fits to it."""

    def messages(self, count: int) -> list[Message]:
        made = [self.match]
        for number in range(count):
            told = []
            for name in [*(["round"] if number % 40 == 0 else []), *self.dice.sample(EVENTS, self.dice.randint(0, 2))]:
                told.append(self.event(name))
                self.known.hear(told[-1])
            request = {"type": "request", "events": told, "id": f"id-{number}", "time_s": 1.0, "later": {}}
            request |= self.question()
            if number % 20 == 19:
                table = self.table()
                self.known.look_at(table)
                request["table"] = table
            made.append(request)
        return made

    def card(self) -> str:
        return self.dice.choice(RANKS) + self.dice.choice("SHDC") if self.dice.random() < 0.95 else "X1"

    def secret(self) -> str | None:
        return self.card() if self.dice.random() < 0.6 else None

    def seat(self) -> int:
        return SEAT if self.dice.random() < 0.6 else self.dice.randrange(SEATS)

    def slots(self, seat: int) -> list[int]:
        """The slots of a seat in some order, so many that two can be taken."""
        slots = list(range(max(2, len(self.known.layouts[seat]))))
        self.dice.shuffle(slots)
        return slots

    def target(self) -> list[int]:
        seat = self.seat()
        return [seat, self.slots(seat)[0]]

    def event(self, name: str) -> Message:
        """An event of that name, with the fields of others too, and one that no event has."""
        seat, target = self.seat(), self.target()
        slots = self.slots(seat)
        told: dict[str, Any] = {"event": name, "seat": seat, "of": seat, "slot": slots[0], "target": target}
        told |= {"card": self.card(), "stock": 20, "later": [None], "rows": ROWS, "replaced": self.card()}
        told |= {
            "given": self.card(),
            "taken": self.card(),
            "shield": self.secret(),
            "targets": [target, self.target()],
        }
        if name in ("drew", "peeked", "swapped", "kept"):
            told["card"] = self.secret()
        if name in ("turned_up", "looked", "swapped_own"):
            told |= {"slots": slots[:2], "cards": [self.secret(), self.secret()]}
        elif name in ("arranged", "rearranged"):
            moved = self.known.occupied(seat)
            is_told = self.dice.random() < 0.7 and (name == "rearranged" or len(moved) == len(slots))
            told["slots"] = self.dice.sample(moved, len(moved)) if is_told else None
        elif name == "added":
            told["target"] = [seat, self.dice.randint(0, len(slots))]
        elif name == "pairs_discarded":
            told |= {"rows": self.dice.sample(range(ROWS), self.dice.randint(0, 2)), "cards": [self.card()] * 2}
        elif name == "slapped":
            told["verdict"] = self.dice.choice(["right", "wrong", "late"])
            new_slot = max(len(layout) for layout in self.known.layouts)
            told["new_slot"] = self.dice.choice([None, new_slot]) if told["verdict"] != "right" else None
        told["layout"] = [self.dice.choice([UNKNOWN, None, self.card()]) for _ in slots]
        told["discarded"] = [self.card() for _ in range(self.dice.randint(0, 3))]
        return told

    def table(self) -> Message:
        def shown(card: str | None) -> str | None:
            return card if self.dice.random() < 0.4 else self.dice.choice([UNKNOWN, UNKNOWN, None, self.card()])

        layouts = [[shown(card) for card in layout] for layout in self.known.layouts]
        return {"round": 1, "layouts": layouts, "pile": self.dice.choice([[], [self.card()]]), "later": 1}

    def question(self) -> Message:
        """A decision with offers that suit it; seldom one of a later version, or offers that do not suit it."""
        own = self.slots(SEAT)
        targets = [[SEAT, slot] for slot in own] + [[0, 0]]
        some = own[: self.dice.randint(1, len(own))]
        rows = list(range(len(own) // 2))
        offers = {
            "turn": [_one("draw", "from", self.dice.choice([["stock", "pile"], ["stock"], ["pile"]]))],
            "place": [_one("swap", "slot", some)],
            "flip": [_one("flip", "slot", some), {"kind": "none"}],
            "power": [_one("exchange", "slot", own), _one("peek", "target", targets), {"kind": "none"}],
            "slap": [{"kind": "pass"}, _one("slap", "target", targets)],
            "give": [_one("give", "slot", some)],
            "block": [{"kind": "allow"}, {"kind": "block"}],
            "pairs": [{"kind": "discard_pairs", "rows": {"any_of": rows}}],
            "stroke": [_one("stroke", "row", rows), {"kind": "none"}],
        }
        decision = self.dice.choice(list(offers))
        legal = offers[decision]
        if decision == "turn" and self.dice.random() < 0.7:
            legal = self.dice.choice([[*legal, {"kind": "knock"}], [{"kind": "end"}, *legal], [{"kind": "knock"}]])
        if decision == "place" and self.dice.random() < 0.7:
            legal = [*legal, {"kind": "discard"}] if self.dice.random() < 0.8 else [{"kind": "discard"}]
        if self.dice.random() < 0.1:
            decision = self.dice.choice(["constructor", "later", "memory", "total", *offers])
            legal = [
                {"kind": "later", "slots": {"pick": 2, "of": own}, "to": {"one_of": targets}, "by": {"any_of": own}}
            ]
        return {"decision": decision, "legal": legal}


def _one(kind: str, field: str, values: list[Any]) -> Message:
    return {"kind": kind, field: {"one_of": values}}


EVENTS = (
    *("up_card", "turned_up", "looked", "swapped_own", "arranged", "drew", "swapped", "discarded", "traded"),
    *("peeked", "exposed", "switched", "rearranged", "lines_swapped", "shuffled", "added", "removed", "planted"),
    *("kept", "blocked", "power", "pairs_discarded", "slapped", "slapped", "gave", "later", "constructor"),
)
