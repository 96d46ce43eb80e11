"""The powers of Powers, Cactus and Cambio: what each use of a card gains, and what a card will gain when it is used.

One method a kind of action takes an offer and returns the gain in points with the action. To know a card of one's own
gains what better choices will save later; what it gains to know others' cards, or to confuse others, is a guess.
"""

from itertools import product
from typing import TYPE_CHECKING, Any

from kit import UNKNOWN, Target, is_known, rank

if TYPE_CHECKING:
    from hidden import Hidden

SPY_GAIN = 0.3
"""What it saves to know one more card of another seat."""

CONFUSION = 0.2
"""What it costs a seat that it can no longer tell one of its cards."""

SHIELD_GAIN = 1.0
"""What the first shield saves."""

Action = dict[str, Any]
Offer = dict[str, Any]
Choice = tuple[float, Action]
"""The gain in points and the action."""

DECLINE: Choice = (0.0, {"kind": "none"})

KINDS = {
    "A": ("add", "remove"), "3": ("shuffle",), "5": ("shield",), "6": ("exchange",), "7": ("swap_lines",),
    "8": ("take_two",), "9": ("plant",), "10": ("peek_other",), "J": ("peek_own",), "BK": ("cancel_knock",),
}  # fmt: skip
"""What the powers of the game Powers do, as far as it can be worth anything."""

CACTUS = ("peek_own", "peek_other", "switch")


class Powers:
    """The powers as this seat would use them."""

    def __init__(self, player: "Hidden") -> None:
        self.player = player
        self.seat = player.seat
        self.others = player.others
        self.variant = player.match["variant"]
        self.card = UNKNOWN
        self.gains: dict[tuple[tuple[str, ...], str], float] = {}

    def best(self, offers: list[Offer]) -> Choice:
        """The use that gains most; to decline, where none gains anything."""
        return max([DECLINE, *(self.use(offer) for offer in offers)], key=lambda choice: choice[0])

    def use(self, offer: Offer) -> Choice:
        method = getattr(self, "use_" + offer["kind"], None)
        return method(offer) if method is not None else DECLINE

    def gain_of(self, card: str | None, *, replaced: bool = False) -> float:
        """What it will gain to use this card's power when it is discarded; replaced, it has one only in Cactus."""
        if not is_known(card) or card is None or (replaced and self.variant != "cactus"):
            return 0.0
        if self.variant == "powers":
            if card[0] == "2":
                return sum(sorted(self.gain(kinds, card) for name, kinds in KINDS.items() if name != "A")[-2:])
            return self.gain(KINDS.get(power_name(card), ()), card)
        if self.variant == "cactus":
            return self.gain(CACTUS, card) if rank(card) in ("J", "Q", "K") else 0.0
        power = (self.player.options.get("cambio_powers") or {}).get(rank(card))
        return self.gain((power,), card) if power else 0.0

    def used_card(self) -> str:
        """The card whose power is being used."""
        book = self.player.table
        card: str = book.hand[0] if book.hand else book.attack.get("card", UNKNOWN)
        return card

    def pick(self, names: list[str]) -> Action:
        """Which of these powers a 2 copies."""
        card = self.used_card()
        gain, name = max(((self.gain(KINDS.get(name, ()), card), name) for name in names), default=(0.0, ""))
        return {"kind": "copy", "power": name} if gain > 0 else {"kind": "stop"}

    def gain(self, kinds: tuple[str, ...], card: str) -> float:
        """The gain of the best use of these kinds by this card, as it would be offered now."""
        if (kinds, card) not in self.gains:
            self.card = card
            self.gains[kinds, card] = self.best([offer for kind in kinds for offer in self.imagined(kind)])[0]
        return self.gains[kinds, card]

    def imagined(self, kind: str) -> list[Offer]:
        """About what will be offered for a kind of action."""
        book, ender = self.player.table, self.player.table.knocker
        spared = {ender} if self.player.options.get("protect_ender") else set()
        own = book.occupied(self.seat)
        others = [seat for seat in self.others if seat not in spared]
        theirs = [(seat, slot) for seat in others for slot in book.occupied(seat)]
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
                {"kind": kind, "seat": one_of([seat]), "slots": {"of": book.occupied(seat)}} for seat in others
            ],
        }
        return offers.get(kind, [{"kind": kind, "seat": one_of(others)}])

    # What each kind of action gains.

    def use_peek(self, offer: Offer) -> Choice:
        """An own unknown card, else another seat's."""
        found = [DECLINE]
        for target in offer["target"]["one_of"]:
            if not is_known(self.player.table.at(target)):
                gain = self.gain_of_knowing(target) if target[0] == self.seat else self.gain_of_spying(target)
                found.append((gain, {"kind": "peek", "target": list(target)}))
        return max(found, key=lambda choice: choice[0])

    def gain_of_knowing(self, target: Target) -> float:
        """What better choices will save when this own card is known."""
        player, beliefs = self.player, self.player.beliefs
        points = [beliefs.points(card) for slot, card in enumerate(player.table.mine) if card and slot != target[1]]
        draws = player.turns(self.seat)
        unknown = beliefs.reach([*points, player.points_at(target)], draws)
        levels = zip(beliefs.levels, beliefs.chances, strict=True)
        return unknown - sum(chance * beliefs.reach([*points, level], draws) for level, chance in levels)

    def gain_of_spying(self, target: Target) -> float:
        cheap = max(0.0, self.player.beliefs.average - self.player.points_at(target))
        return (SPY_GAIN + 0.01 * cheap) if self.player.turns(self.seat) > 0 else 0.0

    def use_exchange(self, offer: Offer) -> Choice:
        own = [(self.seat, slot) for slot in offer["slot"]["one_of"]]
        gain, mine, theirs = self.best_switch(own, offer["target"]["one_of"])
        return gain, {"kind": "exchange", "slot": mine[1], "target": list(theirs)}

    def use_switch(self, offer: Offer) -> Choice:
        targets = offer["targets"]["of"]
        own = [target for target in targets if target[0] == self.seat]
        others = [target for target in targets if target[0] != self.seat]
        if not own or not others:
            return DECLINE
        gain, mine, theirs = self.best_switch(own, others)
        return gain, {"kind": "switch", "targets": [list(mine), list(theirs)]}

    def best_switch(self, own: list[Any], others: list[Any]) -> tuple[float, Any, Any]:
        """The dearest own cards against the cheapest of the others."""
        dearest = sorted(own, key=self.player.points_at)[-2:]
        cheapest = sorted(others, key=self.player.points_at)[:3]
        at = self.player.table.at
        return max(
            (self.gain_by({mine: at(theirs), theirs: at(mine)}), mine, theirs)
            for mine, theirs in ((tuple(mine), tuple(theirs)) for mine, theirs in product(dearest, cheapest))
        )

    def use_remove(self, offer: Offer) -> Choice:
        slot = max(offer["slot"]["one_of"], key=lambda slot: self.player.points_at((self.seat, slot)))
        return self.gain_by({(self.seat, slot): None}), {"kind": "remove", "slot": slot}

    def use_add(self, offer: Offer) -> Choice:
        layouts = self.player.table.layouts
        gains = [(self.gain_by({(seat, len(layouts[seat])): UNKNOWN}), seat) for seat in offer["seat"]["one_of"]]
        gain, seat = max(gains)
        return gain, {"kind": "add", "seat": seat}

    def use_plant(self, offer: Offer) -> Choice:
        targets = sorted((tuple(target) for target in offer["target"]["one_of"]), key=self.player.points_at)
        gains = [(self.gain_by({target: self.card}), list(target)) for target in targets[:3]]
        gain, target = max(gains)
        return gain, {"kind": "plant", "target": target}

    def use_shuffle(self, offer: Offer) -> Choice:
        gain, seat = max((self.confusion(seat), seat) for seat in offer["seat"]["one_of"])
        return gain, {"kind": "shuffle", "seat": seat}

    def use_rearrange(self, offer: Offer) -> Choice:
        seat, slots = offer["seat"]["one_of"][0], offer["slots"]["of"]
        return self.confusion(seat), {"kind": "rearrange", "seat": seat, "slots": [*slots[1:], slots[0]]}

    def use_swap_lines(self, offer: Offer) -> Choice:
        gain, seat = max((self.confusion(seat), seat) for seat in offer["seat"]["one_of"])
        action = {"kind": "swap_lines", "seat": seat, "axis": "row", "lines": [0, 1]}
        right = "axis" not in offer or offer["axis"]["one_of"] == ["row"]
        return (gain if right else 0.0), action

    def use_shield(self, _: Offer) -> Choice:
        wanted = not self.player.table.shields[self.seat] and self.player.turns(self.seat) > 0
        return SHIELD_GAIN * wanted, {"kind": "shield"}

    def use_take_two(self, _: Offer) -> Choice:
        """One card of two: about half as much again as one saves."""
        player = self.player
        return 1.4 * (player.cost(player.table.mine, 0) - player.cost(player.table.mine, 1)), {"kind": "take_two"}

    def use_cancel_knock(self, _: Offer) -> Choice:
        """Go on instead of ending now."""
        book = self.player.table
        if book.knocker is None:
            return DECLINE
        ended = self.player.value()
        ender, book.knocker = book.knocker, None
        gone_on = self.player.value()
        book.knocker = ender
        return ended - gone_on, {"kind": "cancel_knock"}

    # What they have in common.

    def gain_by(self, changes: dict[Any, Any]) -> float:
        return self.player.value() - self.player.value(changes)

    def confusion(self, seat: int) -> float:
        """What it costs this seat that it cannot tell its cards any more."""
        if self.player.turns(seat) == 0:
            return 0.0
        return CONFUSION * len(self.player.table.occupied(seat)) / len(self.others)

    def harms(self, attack: dict[str, Any]) -> bool:
        """Whether an attack on this seat is worth a shield; an exchange or a planted card may be welcome."""
        if attack["power"] in ("4", "10"):
            return False
        mine = [self.player.points_at(target) for target in attack["targets"] if target[0] == self.seat]
        return not (attack["power"] in ("6", "9") and mine and mine[0] >= self.player.beliefs.average)


def one_of(values: list[Any]) -> dict[str, list[Any]]:
    return {"one_of": values}


def power_name(card: str) -> str:
    """The name of a card's power in the game Powers."""
    if rank(card) == "K":
        return "BK" if card[-1] in "SC" else ""
    return rank(card)
