"""The powers of Powers, Cactus and Cambio: what each use of a card gains, and what a card will gain when it is used.

One method a kind of action takes an offer and returns the gain in points with the action. What cannot be computed
(to know a card, to confuse others) is a guess of the bot's, which derives from `Powers` and overrides it.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from kit.cards import UNKNOWN, Target, is_known, rank
from kit.play import Action
from kit.table import Table

Offer = dict[str, Any]
Gain = tuple[float, Action]
"""The gain in points and the action."""

DECLINE: Gain = (0.0, {"kind": "none"})

KINDS = {
    "A": ("add", "remove"), "3": ("shuffle",), "5": ("shield",), "6": ("exchange",), "7": ("swap_lines",),
    "8": ("take_two",), "9": ("plant",), "10": ("peek_other",), "J": ("peek_own",), "BK": ("cancel_knock",),
}  # fmt: skip
"""The kinds of actions of each power in the game Powers, without those that never gain anything."""

CACTUS = ("peek_own", "peek_other", "switch")

HARMLESS = ("4", "10")
"""Attacks that a shield is too good for."""


class Powers:
    """The powers as this seat would use them."""

    def __init__(
        self,
        match: dict[str, Any],
        table: Table,
        *,
        value: Callable[[Mapping[Target, str | None]], float],
        points: Callable[[Any], float],
    ) -> None:
        """`value` returns the expected points of this seat less those of the others, when these cards lie in these
        places; `points` returns the points of a card or a mark."""
        self.table, self.value, self.points = table, value, points
        self.seat, self.others, self.variant = table.seat, table.others, match["variant"]
        self.options: dict[str, Any] = match["options"]
        self.card: str = UNKNOWN
        """The card whose power is used."""
        self.gains: dict[tuple[tuple[str, ...], str], float] = {}

    def update(self) -> None:
        """Clear the cache of gains; called before each decision."""
        self.gains.clear()

    # Guesses of a bot

    def gain_of_knowing(self, target: Target) -> float:  # noqa: ARG002
        """The points that this seat saves by knowing this own card."""
        return 0.0

    def gain_of_spying(self, target: Target) -> float:  # noqa: ARG002
        """The points that this seat saves by knowing this card of another seat."""
        return 0.0

    def confusion(self, seat: int) -> float:  # noqa: ARG002
        """The points that a seat loses when it no longer knows which of its cards is which."""
        return 0.0

    def gain_of_shield(self) -> float:
        """The points that the first shield saves."""
        return 0.0

    def gain_of_two_cards(self) -> float:
        """The points that the better of two unseen cards saves."""
        return 0.0

    # The gains of cards and offers

    def gain_of(self, card: str | None, *, replaced: bool = False) -> float:
        """The gain of this card's power when the card is discarded; a replaced card has a power only in Cactus."""
        if card is None or not is_known(card) or (replaced and self.variant != "cactus"):
            return 0.0
        if self.variant == "powers":
            if card[0] == "2":
                return sum(sorted(self.gain(kinds, card) for name, kinds in KINDS.items() if name != "A")[-2:])
            return self.gain(KINDS.get(power_name(card), ()), card)
        if self.variant == "cactus":
            return self.gain(CACTUS, card) if rank(card) in ("J", "Q", "K") else 0.0
        power = (self.options.get("cambio_powers") or {}).get(rank(card))
        return self.gain((power,), card) if power else 0.0

    def gain(self, kinds: tuple[str, ...], card: str) -> float:
        """The gain of the best use of these kinds by this card, as it would be offered now."""
        if (kinds, card) not in self.gains:
            self.card = card
            self.gains[kinds, card] = self.best([offer for kind in kinds for offer in self.imagined(kind)])[0]
        return self.gains[kinds, card]

    def chosen(self, offers: list[Offer]) -> Action:
        """The use of the card in hand, or of the 2 that copies, that gains most; to decline, where none gains."""
        self.card = self.used_card()
        return self.best(offers)[1]

    def copied(self, names: list[str]) -> Action:
        """Which of these powers a 2 copies."""
        card = self.used_card()
        gain, name = max(((self.gain(KINDS.get(name, ()), card), name) for name in names), default=(0.0, ""))
        return {"kind": "copy", "power": name} if gain > 0 else {"kind": "stop"}

    def used_card(self) -> str:
        return self.table.drawn or self.table.attack.get("card", UNKNOWN)

    def best(self, offers: list[Offer]) -> Gain:
        """The use that gains most; to decline, where none gains anything."""
        return max([DECLINE, *(self.use(offer) for offer in offers)], key=lambda found: found[0])

    def use(self, offer: Offer) -> Gain:
        method = getattr(self, "use_" + offer["kind"], None)
        return method(offer) if method is not None else DECLINE

    def imagined(self, kind: str) -> list[Offer]:
        """The offers for a kind of action, about as the referee will make them."""
        table = self.table
        spared = {table.knocker} if self.options.get("protect_ender") else set()
        own = table.occupied(self.seat)
        others = [seat for seat in self.others if seat not in spared]
        theirs = [(seat, slot) for seat in others for slot in table.occupied(seat)]
        if not own or not theirs:
            return []
        everything = [*[(self.seat, slot) for slot in own], *theirs]
        offers: dict[str, list[Offer]] = {
            "peek_own": [{"kind": "peek", "target": one_of(everything[: len(own)])}],
            "peek_other": [{"kind": "peek", "target": one_of(theirs)}],
            "exchange": [{"kind": kind, "slot": one_of(own), "target": one_of(theirs)}],
            "switch": [{"kind": kind, "targets": {"of": everything}}],
            "remove": [{"kind": kind, "slot": one_of(own)}],
            "plant": [{"kind": kind, "target": one_of(theirs)}],
            "rearrange": [
                {"kind": kind, "seat": one_of([seat]), "slots": {"of": table.occupied(seat)}} for seat in others
            ],
        }
        return offers.get(kind, [{"kind": kind, "seat": one_of(others)}])

    # The gain of each kind of action

    def use_peek(self, offer: Offer) -> Gain:
        """Look at the card, not known yet, of which to know it gains most."""
        found = [DECLINE]
        for target in offer["target"]["one_of"]:
            if not is_known(self.table.at(target)):
                gain = self.gain_of_knowing(target) if target[0] == self.seat else self.gain_of_spying(target)
                found.append((gain, {"kind": "peek", "target": list(target)}))
        return max(found, key=lambda choice: choice[0])

    def use_exchange(self, offer: Offer) -> Gain:
        own = [(self.seat, slot) for slot in offer["slot"]["one_of"]]
        gain, mine, theirs = self.best_switch(own, offer["target"]["one_of"])
        return gain, {"kind": "exchange", "slot": mine[1], "target": list(theirs)}

    def use_switch(self, offer: Offer) -> Gain:
        targets = offer["targets"]["of"]
        own = [target for target in targets if target[0] == self.seat]
        others = [target for target in targets if target[0] != self.seat]
        if not own or not others:
            return DECLINE
        gain, mine, theirs = self.best_switch(own, others)
        return gain, {"kind": "switch", "targets": [list(mine), list(theirs)]}

    def best_switch(self, own: list[Any], others: list[Any]) -> tuple[float, Any, Any]:
        """The dearest own cards against the cheapest of the others."""
        at = self.table.at
        dearest = sorted(own, key=self.points_at)[-2:]
        cheapest = sorted(others, key=self.points_at)[:3]
        return max(
            (self.gain_by({mine: at(theirs), theirs: at(mine)}), mine, theirs)
            for mine, theirs in ((tuple(mine), tuple(theirs)) for mine, theirs in product(dearest, cheapest))
        )

    def use_remove(self, offer: Offer) -> Gain:
        slot = max(offer["slot"]["one_of"], key=lambda slot: self.points_at((self.seat, slot)))
        return self.gain_by({(self.seat, slot): None}), {"kind": "remove", "slot": slot}

    def use_add(self, offer: Offer) -> Gain:
        layouts = self.table.layouts
        gains = [(self.gain_by({(seat, len(layouts[seat])): UNKNOWN}), seat) for seat in offer["seat"]["one_of"]]
        gain, seat = max(gains)
        return gain, {"kind": "add", "seat": seat}

    def use_plant(self, offer: Offer) -> Gain:
        targets = sorted((tuple(target) for target in offer["target"]["one_of"]), key=self.points_at)
        gain, target = max((self.gain_by({target: self.card}), list(target)) for target in targets[:3])
        return gain, {"kind": "plant", "target": target}

    def use_shuffle(self, offer: Offer) -> Gain:
        gain, seat = max((self.confusion(seat), seat) for seat in offer["seat"]["one_of"])
        return gain, {"kind": "shuffle", "seat": seat}

    def use_rearrange(self, offer: Offer) -> Gain:
        seat, slots = offer["seat"]["one_of"][0], offer["slots"]["of"]
        return self.confusion(seat), {"kind": "rearrange", "seat": seat, "slots": [*slots[1:], slots[0]]}

    def use_swap_lines(self, offer: Offer) -> Gain:
        gain, seat = max((self.confusion(seat), seat) for seat in offer["seat"]["one_of"])
        action = {"kind": "swap_lines", "seat": seat, "axis": "row", "lines": [0, 1]}
        return (gain if "axis" not in offer or offer["axis"]["one_of"] == ["row"] else 0.0), action

    def use_shield(self, _: Offer) -> Gain:
        wanted = not self.table.shields[self.seat] and self.table.plays_on(self.seat)
        return (self.gain_of_shield() if wanted else 0.0), {"kind": "shield"}

    def use_take_two(self, _: Offer) -> Gain:
        return self.gain_of_two_cards(), {"kind": "take_two"}

    def use_cancel_knock(self, _: Offer) -> Gain:
        """Go on instead of ending now."""
        if self.table.knocker is None:
            return DECLINE
        ended = self.value({})
        knocker, self.table.knocker = self.table.knocker, None
        gone_on = self.value({})
        self.table.knocker = knocker
        return ended - gone_on, {"kind": "cancel_knock"}

    def harms(self, attack: dict[str, Any]) -> bool:
        """Whether an attack on this seat is worth a shield; an exchange or a planted card may be welcome."""
        if attack["power"] in HARMLESS:
            return False
        mine = [self.points_at(target) for target in attack["targets"] if target[0] == self.seat]
        return not (attack["power"] in ("6", "9") and mine and mine[0] >= self.points(UNKNOWN))

    def points_at(self, target: Target) -> float:
        return self.points(self.table.at(target))

    def gain_by(self, changes: Mapping[Target, str | None]) -> float:
        return self.value({}) - self.value(changes)


def one_of(values: list[Any]) -> dict[str, list[Any]]:
    return {"one_of": values}


def power_name(card: str) -> str:
    """The name of a card's power in the game Powers."""
    if rank(card) == "K":
        return "BK" if card[-1] in "SC" else ""
    return rank(card)
