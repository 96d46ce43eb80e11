"""How every starter plays, written once for the tests: what each of bots/starters must answer to the same lines.

It stands on the messages alone, and shares nothing with the starters nor with the kit, so that no mistake of theirs is
repeated here.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

Message = dict[str, Any]
Layout = list[str | None]

LOW = 4
HIDDEN = 5
UNKNOWN = "?"
LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
READY: Message = {"type": "ready", "name": "my-bot", "version": "1"}


def replies(lines: Iterable[bytes]) -> list[Message]:
    """What a starter says to these lines of a referee's."""
    said: list[Message] = []
    bot: AsStartersPlay | None = None
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            said.append(READY)
        elif message["type"] == "match":
            bot = AsStartersPlay(message)
        elif message["type"] == "request":
            assert bot is not None
            said.append({"type": "answer", "id": message["id"], "action": bot.decide(message)})
    return said


class AsStartersPlay:
    """One match."""

    def __init__(self, match: Message) -> None:
        self.match = match
        self.seat: int = match["seat"]
        self.values: dict[str, int] = match["values"]
        self.layouts: list[Layout] = [[] for _ in range(match["seats"])]
        self.hand: str | None = None
        self.pile: str | None = None

    def decide(self, request: Message) -> Message:
        """The action for a request."""
        for event in request["events"]:
            self.hear(event)
        if table := request.get("table"):
            self.look_at(table)
        legal = request["legal"]
        offers = {offer["kind"]: offer for offer in reversed(legal)}
        choose = getattr(self, f"on_{request['decision']}", None)
        return (choose(offers) if choose else None) or least_committal(legal)

    # What happened.

    def get(self, seat: int, slot: int) -> str | None:
        layout = self.layouts[seat] if seat < len(self.layouts) else []
        return layout[slot] if slot < len(layout) else None

    def put(self, target: Sequence[int], card: str | None) -> None:
        seat, slot = target
        while seat >= len(self.layouts):
            self.layouts.append([])
        layout = self.layouts[seat]
        layout.extend([None] * (slot + 1 - len(layout)))
        layout[slot] = card

    def occupied(self, seat: int) -> list[int]:
        return [slot for slot, card in enumerate(self.layouts[seat]) if card is not None]

    def exchange(self, one: Sequence[int], other: Sequence[int]) -> None:
        first, second = self.get(one[0], one[1]), self.get(other[0], other[1])
        self.put(one, second)
        self.put(other, first)

    def hear(self, event: Message) -> None:  # noqa: C901, PLR0912, PLR0915 - one branch for each event, as they are told
        """Keep what an event tells."""
        match event:
            case {"event": "round", "rows": rows}:
                size = rows * self.match["columns"]
                self.layouts = [[UNKNOWN] * size for _ in range(self.match["seats"])]
                self.hand = self.pile = None
            case {"event": "up_card", "card": card}:
                self.pile = card
            case {"event": "turned_up" | "looked", "seat": seat, "slots": slots, "cards": cards}:
                self.see(seat, slots, cards)
            case {"event": "swapped_own", "seat": seat, "slots": [one, other] as slots, "cards": cards}:
                self.exchange((seat, one), (seat, other))
                self.see(seat, slots, cards)
            case {"event": "arranged", "seat": seat, "slots": [*slots]}:
                for slot, card in enumerate([self.get(seat, source) for source in slots]):
                    self.put((seat, slot), card)
            case {"event": "drew", "card": card}:
                self.hand = card
            case {"event": "swapped", "seat": seat, "slot": slot, "card": card, "replaced": replaced}:
                self.put((seat, slot), card or UNKNOWN)
                self.pile, self.hand = replaced, None
            case {"event": "discarded", "card": card}:
                self.pile, self.hand = card, None
            case {"event": "traded", "target": target, "given": given, "taken": taken}:
                self.put(target, given)
                self.hand = taken
            case {"event": "peeked" | "exposed", "target": target, "card": card}:
                if card is not None:
                    self.put(target, card)
            case {"event": "switched", "targets": [one, other]}:
                self.exchange(one, other)
            case {"event": "rearranged", "of": of, "slots": slots}:
                places = self.occupied(of)
                cards = [UNKNOWN] * len(places) if slots is None else [self.get(of, slot) for slot in slots]
                for place, card in zip(places, cards, strict=True):
                    self.put((of, place), card)
            case {"event": "lines_swapped" | "shuffled", "of": of}:
                for slot in self.occupied(of):
                    self.put((of, slot), UNKNOWN)
                if event["event"] == "lines_swapped":
                    self.layouts[of] = self.covered(of, event["layout"])
            case {"event": "added", "target": target}:
                self.put(target, UNKNOWN)
            case {"event": "removed", "target": target, "card": card}:
                self.put(target, None)
                self.pile = card
            case {"event": "planted", "target": target, "card": card, "replaced": replaced}:
                self.put(target, card)
                self.pile, self.hand = replaced, None
            case {"event": "kept", "seat": seat, "slot": slot, "card": card, "discarded": discarded}:
                self.put((seat, slot), card or UNKNOWN)
                self.pile, self.hand = (discarded or [self.pile])[-1], None
            case {"event": "blocked", "shield": shield}:
                self.pile = shield or self.pile
            case {"event": "power", "card": card}:
                self.pile, self.hand = card, None
            case {"event": "pairs_discarded", "seat": seat, "rows": rows, "cards": cards}:
                for row in rows:
                    self.put((seat, 2 * row), None)
                    self.put((seat, 2 * row + 1), None)
                self.pile = (cards or [self.pile])[-1]
            case {"event": "slapped", "verdict": "right", "target": target, "card": card}:
                self.put(target, None)
                self.pile = card
            case {"event": "slapped", "seat": slapper, "target": [seat, slot], "card": card, "new_slot": new_slot}:
                self.put((seat, slot), card)
                if new_slot is not None:
                    self.put((slapper, new_slot), UNKNOWN if seat == slapper else card)
                    if seat != slapper:
                        self.put((seat, slot), None)
            case {"event": "gave", "seat": seat, "slot": slot, "target": target}:
                self.put(target, self.get(seat, slot))
                self.put((seat, slot), None)

    def see(self, seat: int, slots: list[int], cards: list[str | None]) -> None:
        for slot, card in zip(slots, cards, strict=True):
            if card is not None:
                self.put((seat, slot), card)

    def look_at(self, table: Message) -> None:
        """What lies open is known; what lies face down stays as it was known."""
        self.layouts = [self.covered(seat, layout) for seat, layout in enumerate(table["layouts"])]
        self.pile = (table["pile"] or [None])[0]

    def covered(self, seat: int, layout: Layout) -> Layout:
        """A layout as it is told, with what is remembered of the cards that it does not show."""
        return [(self.get(seat, slot) or UNKNOWN) if card == UNKNOWN else card for slot, card in enumerate(layout)]

    # What cards count.

    def points(self, card: str) -> int:
        return self.values[card] if card in self.values else self.values[rank(card)]

    def cost(self, slot: int) -> int:
        card = self.get(self.seat, slot)
        if card is None:
            return 0
        return HIDDEN if card == UNKNOWN else self.points(card)

    def worst(self, slots: list[int]) -> int:
        return min(slots, key=lambda slot: (-self.cost(slot), slot))

    # The decisions; None where nothing that is looked for is offered.

    def on_turn(self, offers: Message) -> Message | None:
        own = self.layouts[self.seat]
        if UNKNOWN not in own and sum(self.cost(slot) for slot in range(len(own))) <= LOW:
            for kind in ("knock", "end"):
                if kind in offers:
                    return {"kind": kind}
        if "draw" not in offers:
            return None
        sources = offers["draw"]["from"]["one_of"]
        pile_is_low = self.pile is not None and self.points(self.pile) <= LOW
        from_pile = "pile" in sources and ("stock" not in sources or pile_is_low)
        return {"kind": "draw", "from": "pile" if from_pile else "stock"}

    def on_place(self, offers: Message) -> Message | None:
        worst = self.worst(offers["swap"]["slot"]["one_of"]) if "swap" in offers else None
        if worst is not None and self.hand is not None:
            points = self.points(self.hand)
            if "discard" not in offers or (points <= LOW and points < self.cost(worst)):
                return {"kind": "swap", "slot": worst}
        if "discard" in offers:
            return {"kind": "discard"}
        return None if worst is None else {"kind": "swap", "slot": worst}

    def on_flip(self, offers: Message) -> Message | None:
        return {"kind": "flip", "slot": offers["flip"]["slot"]["one_of"][0]} if "flip" in offers else None

    def on_power(self, offers: Message) -> Message | None:
        for seat, slot in offers["peek"]["target"]["one_of"] if "peek" in offers else ():
            if seat == self.seat and self.get(seat, slot) == UNKNOWN:
                return {"kind": "peek", "target": [seat, slot]}
        return None

    def on_slap(self, offers: Message) -> Message | None:
        for seat, slot in offers["slap"]["target"]["one_of"] if "slap" in offers and self.pile else ():
            card = self.get(seat, slot)
            if seat != self.seat or card is None or card == UNKNOWN:
                continue
            if rank(card) == rank(self.pile or "") and self.points(card) > 0:
                return {"kind": "slap", "target": [seat, slot]}
        return None

    def on_give(self, offers: Message) -> Message | None:
        return {"kind": "give", "slot": self.worst(offers["give"]["slot"]["one_of"])} if "give" in offers else None

    def on_block(self, offers: Message) -> Message | None:
        return {"kind": "block"} if "block" in offers else None

    def on_pairs(self, offers: Message) -> Message | None:
        if "discard_pairs" not in offers:
            return None
        rows = offers["discard_pairs"]["rows"]["any_of"]
        return {
            "kind": "discard_pairs",
            "rows": [row for row in rows if self.cost(2 * row) + self.cost(2 * row + 1) > 0],
        }

    def on_stroke(self, offers: Message) -> Message | None:
        for row in offers["stroke"]["row"]["one_of"] if "stroke" in offers else ():
            slots = (2 * row, 2 * row + 1)
            cards = [self.get(self.seat, slot) for slot in slots]
            if not {UNKNOWN, None} & set(cards) and sum(map(self.cost, slots)) <= LOW:
                return {"kind": "stroke", "row": row}
        return None


def rank(card: str) -> str:
    return "X" if card.startswith("X") else card[:-1]


def least_committal(legal: list[Message]) -> Message:
    """A legal answer to whatever is asked."""
    offers = {offer["kind"]: offer for offer in reversed(legal)}
    offer = next((offers[kind] for kind in LEAST_COMMITTAL if kind in offers), legal[0])
    return {field: choice if field == "kind" else first_of(choice) for field, choice in offer.items()}


def first_of(choice: Message) -> Any:
    """The first of `one_of`, as many of `of` as are to be picked, and none of `any_of`."""
    if "one_of" in choice:
        return choice["one_of"][0]
    return choice["of"][: choice["pick"]] if "pick" in choice else []
