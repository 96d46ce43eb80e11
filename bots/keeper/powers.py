"""Powers: which use of a discarded card gains most, and what a card's power would gain if it were discarded.

One method a kind of action; it takes what the offer allows and returns the gain in points and the action. The methods
that return plain numbers guess: no table can say what it is worth to know a card or to confuse somebody.
"""

from itertools import product
from typing import Any

from kit import UNKNOWN, Target, is_known, rank
from outlook import Outlook

Action = dict[str, Any]
Offer = dict[str, Any]
Choice = tuple[float, Action]
"""The gain in points and the action."""

PEEK_GAIN = 2.0
"""What it saves to know one more own card."""

SPY_GAIN = 0.5
"""What it saves to know one more card of another seat."""

CONFUSION = 0.4
"""What it costs a seat that it can no longer tell one of its cards."""

SHIELD_GAIN = 1.5
"""What the first shield saves."""

DECLINE: Choice = (0.0, {"kind": "none"})

KINDS = {
    "A": ("add", "remove"), "3": ("shuffle",), "5": ("shield",), "6": ("exchange",), "7": ("swap_lines",),
    "8": ("take_two",), "9": ("plant",), "10": ("peek_other",), "J": ("peek_own",), "BK": ("cancel_knock",),
}  # fmt: skip
"""What the powers of the game Powers do, as far as it can be worth anything."""

COPIED = tuple(name for name in KINDS if name != "A")

CACTUS = ("peek_own", "peek_other", "switch")


class Powers:
    """The powers as this seat would use them."""

    def __init__(self, outlook: Outlook) -> None:
        self.outlook = outlook
        self.table = outlook.table
        self.seat = outlook.seat
        self.others = outlook.others

    def best(self, offers: list[Offer]) -> Choice:
        """The use that gains most; to decline, where none gains anything."""
        return max([DECLINE, *(self.use(offer) for offer in offers)], key=lambda choice: choice[0])

    def use(self, offer: Offer) -> Choice:
        method = getattr(self, "use_" + offer["kind"], None)
        return method(offer) if method is not None else DECLINE

    def gain_of(self, card: str, *, replaced: bool = False) -> float:
        """What it will gain to use this card's power when it is discarded; replaced, it has one only in cactus."""
        if not is_known(card) or (replaced and self.outlook.variant != "cactus"):
            return 0
        kinds: tuple[str, ...] = ()
        if self.outlook.variant == "powers":
            if card[0] == "2":
                return sum(gain for gain, _ in sorted(self.gains_of_copies(list(COPIED)))[-2:])
            kinds = KINDS.get(power_name(card), ())
        elif self.outlook.variant == "cactus" and rank(card) in ("J", "Q", "K"):
            kinds = CACTUS
        elif rank(card) in (self.outlook.options.get("cambio_powers") or {}):
            kinds = (self.outlook.options["cambio_powers"][rank(card)],)
        return self.gain(kinds)

    def gains_of_copies(self, names: list[str]) -> list[tuple[float, str]]:
        """What each of these powers gains when a 2 copies it."""
        return [(self.gain(KINDS.get(name, ())), name) for name in names]

    def gain(self, kinds: tuple[str, ...]) -> float:
        """The gain of the best use of these kinds, as it would be offered now."""
        return self.best([offer for kind in kinds for offer in self.imagined(kind)])[0]

    def imagined(self, kind: str) -> list[Offer]:
        """About what will be offered for a kind of action."""
        own = self.table.occupied(self.seat)
        theirs = [(seat, slot) for seat in self.others for slot in self.table.occupied(seat)]
        if not own or not theirs:
            return []
        everything = [*[(self.seat, slot) for slot in own], *theirs]
        offers: dict[str, Offer] = {
            "peek_own": {"kind": "peek", "target": one_of(everything[: len(own)])},
            "peek_other": {"kind": "peek", "target": one_of(theirs)},
            "exchange": {"slot": one_of(own), "target": one_of(theirs)},
            "switch": {"targets": {"of": everything}},
            "remove": {"slot": one_of(own)},
            "plant": {"target": one_of(theirs)},
            "rearrange": {"slots": {"of": [slot for seat, slot in theirs if seat == self.others[0]]}},
        }
        seats = one_of(self.others)
        return [{"kind": kind, "seat": seats, **offers.get(kind, {})}]

    # What each kind of action gains.

    def use_peek(self, offer: Offer) -> Choice:
        """An own unknown card, else another seat's."""
        targets = [target for target in offer["target"]["one_of"] if not is_known(self.outlook.at(target))]
        if not targets or self.outlook.turns_left() == 0:
            return DECLINE
        best = max(targets, key=lambda target: (target[0] == self.seat, self.outlook.points_at(target)))
        return PEEK_GAIN if best[0] == self.seat else SPY_GAIN, {"kind": "peek", "target": best}

    def use_exchange(self, offer: Offer) -> Choice:
        own = [(self.seat, slot) for slot in offer["slot"]["one_of"]]
        gain, mine, theirs = self.best_switch(own, offer["target"]["one_of"])
        return gain, {"kind": "exchange", "slot": mine[1], "target": theirs}

    def use_switch(self, offer: Offer) -> Choice:
        targets = offer["targets"]["of"]
        own = [target for target in targets if target[0] == self.seat]
        others = [target for target in targets if target[0] != self.seat]
        if not own or not others:
            return DECLINE
        gain, mine, theirs = self.best_switch(own, others)
        return gain, {"kind": "switch", "targets": [mine, theirs]}

    def best_switch(self, own: list[Any], others: list[Any]) -> tuple[float, Any, Any]:
        """The dearest own cards against the cheapest of the others."""
        dearest = sorted(own, key=self.outlook.points_at)[-2:]
        cheapest = sorted(others, key=self.outlook.points_at)[:3]
        return max(
            (self.gain_by({mine: self.outlook.at(theirs), theirs: self.outlook.at(mine)}), mine, theirs)
            for mine, theirs in ((tuple(mine), tuple(theirs)) for mine, theirs in product(dearest, cheapest))
        )

    def use_remove(self, offer: Offer) -> Choice:
        slot = max(offer["slot"]["one_of"], key=lambda slot: self.outlook.points_at((self.seat, slot)))
        return self.gain_by({(self.seat, slot): None}), {"kind": "remove", "slot": slot}

    def use_add(self, offer: Offer) -> Choice:
        seat = self.leader(offer["seat"]["one_of"])
        gain = self.gain_by({(seat, len(self.table.layouts[seat])): UNKNOWN})
        return gain, {"kind": "add", "seat": seat}

    def use_plant(self, offer: Offer) -> Choice:
        targets: list[Target] = [(seat, slot) for seat, slot in offer["target"]["one_of"]]
        target = min(targets, key=self.outlook.points_at)
        card = self.table.drawn or self.table.attack["card"]
        return self.gain_by({target: card}), {"kind": "plant", "target": target}

    def use_shuffle(self, offer: Offer) -> Choice:
        seat = self.leader(offer["seat"]["one_of"])
        return self.confusion(seat), {"kind": "shuffle", "seat": seat}

    def use_rearrange(self, offer: Offer) -> Choice:
        seat, slots = offer["seat"]["one_of"][0], offer["slots"]["of"]
        return self.confusion(seat), {"kind": "rearrange", "seat": seat, "slots": [*slots[1:], slots[0]]}

    def use_swap_lines(self, offer: Offer) -> Choice:
        seat, axis, lines = offer["seat"]["one_of"][0], "row", [0, 1]
        action = {"kind": "swap_lines", "seat": seat, "axis": axis, "lines": lines}
        right = "axis" not in offer or offer["axis"]["one_of"] == [axis]
        return (self.confusion(seat) if right else 0.0), action

    def use_shield(self, _: Offer) -> Choice:
        wanted = not self.table.shields[self.seat] and self.outlook.turns_left() > 0
        return SHIELD_GAIN * wanted, {"kind": "shield"}

    def use_take_two(self, _: Offer) -> Choice:
        """The better of two unseen cards saves about half as much again as one."""
        prospect = self.outlook.measure.prospect(self.outlook.mine)
        return 1.5 * prospect, {"kind": "take_two"}

    def use_cancel_knock(self, _: Offer) -> Choice:
        """Go on instead of ending now."""
        if self.table.knocker is None:
            return DECLINE
        ended = self.outlook.value()
        knocker, self.table.knocker = self.table.knocker, None
        gone_on = self.outlook.value()
        self.table.knocker = knocker
        return ended - gone_on, {"kind": "cancel_knock"}

    # What they have in common.

    def gain_by(self, changes: dict[Any, Any]) -> float:
        return self.outlook.value() - self.outlook.value(changes)

    def leader(self, seats: list[int]) -> int:
        """The seat that stands best."""
        return min(seats, key=lambda seat: self.outlook.measure.cost(self.table.layouts[seat], 0))

    def confusion(self, seat: int) -> float:
        if self.table.knocker is not None and self.table.knocker == seat:
            return 0
        return CONFUSION * len(self.table.occupied(seat)) / len(self.others)


def one_of(values: list[Any]) -> dict[str, list[Any]]:
    return {"one_of": values}


def power_name(card: str) -> str:
    """The name of a card's power in the game Powers."""
    if rank(card) == "K":
        return "BK" if card[-1] in "SC" else ""
    return rank(card)
