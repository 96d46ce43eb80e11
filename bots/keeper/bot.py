"""A bot that keeps books: it remembers every card that it has seen and reckons with those that it has not.

- The book holds what lies in each slot as far as this seat can know. Looks, swaps, peeks, switches, slaps and gifts
  move that knowledge about, a reshuffle takes it away. A card whose place is not known is *unseen*, and an unknown
  card is worth what the unseen ones are worth on average.
- The measure says what a layout costs: its score less what the turns to come will save. One turn can save the
  *prospect*, the average of what each unseen card saves where it saves most. Each choice is the one after which the
  own cost compares best with the mean of the others'. That alone pairs up columns, keeps a dear card whose partner
  may yet come, ends a round when the others would gain more from going on, and knocks.
- It slaps what it knows to be equal, gives and switches away its dearest card, and peeks at its unknown ones.

The measure is the expected value with one step of lookahead that programs for card games usually begin with; the
rest is what good players do at a table.
"""

import json
import sys
from collections.abc import Iterable
from typing import Any

UNKNOWN = "?"
"""In the book: a card of which nothing is known."""

CHOSEN = "!"
"""In the book: an unknown card that its owner drew and kept, so probably a low one."""

CHOSEN_SHARE = 0.6
"""What a chosen card is worth, as a share of an unknown one."""

TURNS_TO_KNOCK = 2
"""The own turns that are still to come as long as nobody has knocked: a guess."""

PEEK_GAIN = 2.0
"""The points that it saves to know one more own card: a guess."""

PENALTY = 10.0
"""The points that a knock costs which is not the lowest, where there is a penalty for it: a guess."""

LEAST_COMMITTAL = ("pass", "none", "allow", "stop", "discard", "draw")
"""What to answer where nothing better is known: the first of these that is legal."""

Layout = list[Any]
"""By slot: a card code, UNKNOWN, CHOSEN, or None where the slot is empty."""

Line = tuple[int, ...]
"""Slots whose cards cancel when they are all equal."""

Face = tuple[Any, float]
"""A card's rank, None where there is none to see, and its points."""

Study = tuple[float, list[float]]
"""The score of some cards, and what one new card would save there, by its rank."""

Offers = dict[str, dict[str, Any]]
Action = dict[str, Any]
Event = dict[str, Any]


def rank(card: str) -> str:
    return "X" if card[0] == "X" else card[:-1]


class Book:
    """What this seat knows of a round; each `on_` method enters the event of that name."""

    layouts: list[Layout]
    """By seat."""
    pile: list[str]
    """The top card is the last one."""
    hand: list[str]
    """The card that has been drawn and not yet placed, if this seat has seen it."""
    ender: int | None
    """Who has knocked or finished."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.seat: int = match["seat"]
        self.seats: int = match["seats"]
        self.size: int = match["rows"] * match["columns"]
        self.on_round({"up_card": None})

    def read(self, event: Event) -> None:
        """Enter what has happened; an event without a method moves no card."""
        enter = getattr(self, "on_" + event["event"], None)
        if enter is not None:
            enter(event)

    def correct(self, table: dict[str, Any]) -> None:
        """Where the table says otherwise it is right: something has happened that is not known here."""
        for seat, layout in enumerate(table["layouts"]):
            known = self.layouts[seat] + [UNKNOWN] * len(layout)
            self.layouts[seat] = [(known[slot] or UNKNOWN) if card == "?" else card for slot, card in enumerate(layout)]
        if self.pile[-1:] != table["pile"]:
            self.pile = table["pile"]

    def seen(self) -> list[str]:
        """Every card whose place is known."""
        placed = [card for layout in self.layouts for card in layout if is_known(card)]
        return [*placed, *self.pile, *self.hand]

    def put(self, target: list[int], card: str | None) -> None:
        seat, slot = target
        layout = self.layouts[seat]
        layout.extend([None] * (slot + 1 - len(layout)))
        layout[slot] = card

    def take(self, target: list[int]) -> Any:
        seat, slot = target
        card, self.layouts[seat][slot] = self.layouts[seat][slot], None
        return card

    def on_round(self, event: Event) -> None:
        self.layouts = [[UNKNOWN] * self.size for _ in range(self.seats)]
        self.pile = [event["up_card"]] if event["up_card"] else []
        self.hand = []
        self.ender = None

    def on_turned_up(self, event: Event) -> None:
        for slot, card in zip(event["slots"], event["cards"], strict=True):
            if card:
                self.put([event["seat"], slot], card)

    on_looked = on_turned_up

    def on_drew(self, event: Event) -> None:
        if event["from"] == "pile":
            del self.pile[-1:]
        if event["card"]:
            self.hand = [event["card"]]

    def on_reshuffled(self, _: Event) -> None:
        del self.pile[:-1]

    def on_discarded(self, event: Event) -> None:
        self.pile.append(event["card"])
        self.hand = []

    def on_swapped(self, event: Event) -> None:
        self.put([event["seat"], event["slot"]], event["card"] or CHOSEN)
        self.pile.append(event["replaced"])
        self.hand = []

    def on_traded(self, event: Event) -> None:
        self.put(event["target"], event["given"])
        self.hand = [event["taken"]]

    def on_knocked(self, event: Event) -> None:
        self.ender = event["seat"]

    on_finished = on_knocked

    def on_peeked(self, event: Event) -> None:
        if event["card"]:
            self.put(event["target"], event["card"])

    def on_switched(self, event: Event) -> None:
        one, other = event["targets"]
        first, second = self.take(one), self.take(other)
        self.put(one, second)
        self.put(other, first)

    def on_slapped(self, event: Event) -> None:
        """A right card lies on the pile; a wrong or late one is known from now on, wherever it lies."""
        self.put(event["target"], event["card"])
        if event["verdict"] == "right":
            self.pile.append(self.take(event["target"]))
        elif event["verdict"] == "wrong" and event["new_slot"] is not None:
            own = event["target"][0] == event["seat"]
            self.put([event["seat"], event["new_slot"]], UNKNOWN if own else self.take(event["target"]))

    def on_gave(self, event: Event) -> None:
        self.put(event["target"], self.take([event["seat"], event["slot"]]))


class Measure:
    """What layouts cost, with the card values and the cancelling lines of this match."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.values: dict[str, int] = match["values"]
        self.slaps: bool = match["options"].get("slaps", False)
        self.size: int = match["rows"] * match["columns"]
        self.pack = pack(match)
        self.new_faces = [(rank, self.mean_points(rank)) for rank in self.pack]
        self.parts = separate_parts(self.size, cancelling_lines(match["rows"], match["columns"], match["options"]))
        self.reckon([])

    def mean_points(self, rank: str) -> float:
        return sum(self.values.get(rank + suit, self.values[rank]) for suit in "SHDC") / 4

    def reckon(self, seen: Iterable[str]) -> None:
        """Work out what is unseen when these cards are seen; called before each decision."""
        left = dict(self.pack)
        for card in seen:
            left[rank(card)] -= 1
        total = max(1, sum(left.values()))
        self.chances = [number / total for number in left.values()]
        average = sum(chance * points for chance, (_, points) in zip(self.chances, self.new_faces, strict=True))
        self.faces: dict[Any, Face] = {
            UNKNOWN: (None, average),
            CHOSEN: (None, CHOSEN_SHARE * average),
            None: (None, 0),
        }
        self.studied: dict[tuple[Any, ...], Study] = {}

    def face(self, card: str | None) -> Face:
        face = self.faces.get(card)
        if face is None and card is not None:
            face = self.faces[card] = (rank(card), self.values.get(card, self.values[rank(card)]))
        return face or (None, 0)

    def points(self, card: str | None) -> float:
        return self.face(card)[1]

    def cost(self, layout: Layout, turns: int) -> float:
        """The expected score of a layout after so many more turns of its owner.

        The first turn is worth half of the prospect, each further one half as much as the one before: the round may
        end sooner, and what is saved once cannot be saved again.
        """
        score = sum([score for score, _ in self.studies(layout)])
        return score - (1 - 0.5**turns) * self.prospect(layout) if turns > 0 else score

    def prospect(self, layout: Layout) -> float:
        """What one unseen card is expected to save when it is put where it saves most, or nowhere."""
        best = [0.0] * len(self.chances)
        for _, saved in self.studies(layout):
            best = list(map(max, best, saved))
        return sum([chance * saved for chance, saved in zip(self.chances, best, strict=True)])

    def studies(self, layout: Layout) -> list[Study]:
        """The layout part by part; cards beyond the dealt ones stand alone."""
        faces = [self.face(card) for card in layout]
        dealt = [self.study(lines, tuple([faces[slot] for slot in slots])) for slots, lines in self.parts]
        return dealt + [self.study((), (face,)) for face in faces[self.size :]]

    def study(self, lines: tuple[Line, ...], cards: tuple[Face, ...]) -> Study:
        """The study of a part; only a card whose rank is there already can complete a line."""
        if (lines, cards) not in self.studied:
            score, plain = part_score(lines, cards), sum([points for _, points in cards])
            dearest = max([points for _, points in cards])
            ranks = {rank for rank, _ in cards}
            saved = [
                self.best_use(lines, cards, new) if score != plain or new[0] in ranks else dearest - new[1]
                for new in self.new_faces
            ]
            self.studied[lines, cards] = score, saved
        return self.studied[lines, cards]

    def best_use(self, lines: tuple[Line, ...], cards: tuple[Face, ...], new: Face) -> float:
        """What a new card saves in its best slot, or thrown away to slap an equal card of these."""
        score = part_score(lines, cards)
        saved = [score - part_score(lines, (*cards[:slot], new, *cards[slot + 1 :])) for slot in range(len(cards))]
        return max(saved + [points for rank, points in cards if self.slaps and rank == new[0]])


def part_score(lines: tuple[Line, ...], cards: tuple[Face, ...]) -> float:
    cancelled: set[int] = set()
    for line in lines:
        if cards[line[0]][0] and len({cards[slot][0] for slot in line}) == 1:
            cancelled.update(line)
    return sum([points for slot, (_, points) in enumerate(cards) if slot not in cancelled])


def pack(match: dict[str, Any]) -> dict[str, int]:
    """How many cards of each rank there are; keys of `values` such as `QS` are no ranks."""
    ranks = [key for key in match["values"] if (len(key) == 1 or key == "10") and key != "X"]
    jokers = match["options"].get("jokers", 0)
    jokers *= match["cards"] // (52 + jokers)
    counts = dict.fromkeys(ranks, (match["cards"] - jokers) // len(ranks))
    return {**counts, "X": jokers} if jokers else counts


def cancelling_lines(rows: int, columns: int, options: dict[str, Any]) -> list[Line]:
    """Whole lines for the option `cancel`, pairs of neighbours for `cancel_pairs`."""
    size = rows * columns
    whole = {
        "col": [tuple(range(column, size, columns)) for column in range(columns)],
        "row": [tuple(range(start, start + columns)) for start in range(0, size, columns)],
        "diag": [tuple(range(0, size, columns + 1)), tuple(range(columns - 1, size - 1, columns - 1))],
    }
    steps = {"col": [(1, 0)], "row": [(0, 1)], "diag": [(1, 1), (1, -1)]}
    lines: list[Line] = [line for way in options.get("cancel", ()) for line in whole[way]]
    lines += [
        (row * columns + column, (row + down) * columns + column + right)
        for way in options.get("cancel_pairs", ())
        for down, right in steps[way]
        for row in range(rows - down)
        for column in range(columns)
        if 0 <= column + right < columns
    ]
    return lines


def separate_parts(size: int, lines: list[Line]) -> list[tuple[Line, tuple[Line, ...]]]:
    """The slots in groups that no line connects, each with its lines, whose numbers count within the group."""
    groups = [{slot} for slot in range(size)]
    for line in lines:
        apart = [group for group in groups if not group & set(line)]
        groups = [*apart, set().union(*(group for group in groups if group not in apart))]
    parts = [tuple(sorted(group)) for group in groups]
    return [
        (slots, tuple(tuple(map(slots.index, line)) for line in lines if line[0] in slots)) for slots in parts
    ]  # fmt: skip


class Keeper:
    """One match: enters events into the book and answers requests."""

    def __init__(self, match: dict[str, Any]) -> None:
        self.seat: int = match["seat"]
        self.options: dict[str, Any] = match["options"]
        self.others = [seat for seat in range(match["seats"]) if seat != self.seat]
        self.book = Book(match)
        self.measure = Measure(match)

    def decide(self, request: dict[str, Any]) -> Action:
        """The action for a request: by the method of the decision's name, where there is one."""
        for event in request["events"]:
            self.book.read(event)
        offers: Offers = {offer["kind"]: offer for offer in request["legal"]}
        if request["decision"] == "slap":
            return self.slap(offers)  # nothing else before it: the fastest slap wins
        if "table" in request:
            self.book.correct(request["table"])
        self.measure.reckon(self.book.seen())
        choose = getattr(self, "choose_" + request["decision"], None)
        action: Action | None = choose(offers) if choose is not None else None
        return action or least_committal(offers)

    def slap(self, offers: Offers) -> Action:
        """The known card equal to the discard whose slap saves most, if there is one."""
        best, action = -1.0, {"kind": "pass"}
        for target in offers["slap"]["target"]["one_of"] if "slap" in offers else []:
            card = self.at(target)
            if is_known(card) and rank(card) == rank(self.book.pile[-1]):
                saved = self.slap_saves(target[0], card, self.mine)
                if saved > best:
                    best, action = saved, {"kind": "slap", "target": target}
        return action

    def choose_turn(self, offers: Offers) -> Action | None:
        """Knock, or draw where the draw promises more."""
        choices: list[tuple[float, Action]] = []
        for source in offers["draw"]["from"]["one_of"] if "draw" in offers else []:
            if source == "pile":
                slots = [slot for slot, card in enumerate(self.mine) if card is not None]
                value = min(self.value_of_swap(slot, self.book.pile[-1]) for slot in slots)
            else:
                value = self.value(self.mine) - self.measure.prospect(self.mine)
            choices.append((value, {"kind": "draw", "from": source}))
        if "knock" in offers:
            choices.append((self.value_of_ending(self.mine, laps=1), {"kind": "knock"}))
        return best_of(choices)

    def choose_place(self, offers: Offers) -> Action | None:
        """The slot, or the pile, for the card in hand."""
        choices: list[tuple[float, Action]] = []
        hand = self.book.hand[0] if self.book.hand else UNKNOWN
        for slot in offers["swap"]["slot"]["one_of"] if "swap" in offers else []:
            choices.append((self.value_of_swap(slot, hand), {"kind": "swap", "slot": slot}))
        if "discard" in offers:
            choices.append((self.value(self.mine) - self.slap_after(hand, self.mine), {"kind": "discard"}))
        return best_of(choices)

    def choose_flip(self, offers: Offers) -> Action | None:
        """The first face-down card, but the last one only when it is time to end the round."""
        down = offers["flip"]["slot"]["one_of"]
        may_wait = "none" in offers and len(down) == 1 and self.ends_by_open_cards()
        if may_wait and self.value_of_ending(self.mine, self.last_laps()) >= self.value(self.mine):
            return {"kind": "none"}
        return {"kind": "flip", "slot": down[0]}

    def choose_power(self, offers: Offers) -> Action | None:
        """Switch the dearest own card for the cheapest of another seat, or look at an own unknown one."""
        choices: list[tuple[float, Action]] = []
        if "switch" in offers:
            targets = offers["switch"]["targets"]["of"]
            dearest = max([target for target in targets if target[0] == self.seat], key=self.points_at, default=None)
            cheapest = min([target for target in targets if target[0] != self.seat], key=self.points_at, default=None)
            if dearest and cheapest:
                loss = self.points_at(cheapest) - self.points_at(dearest)
                choices.append((loss, {"kind": "switch", "targets": [dearest, cheapest]}))
        for target in offers["peek"]["target"]["one_of"] if "peek" in offers else []:
            if target[0] == self.seat and not is_known(self.at(target)):
                choices.append((-PEEK_GAIN, {"kind": "peek", "target": target}))
        return best_of([choice for choice in choices if choice[0] < 0])

    def choose_give(self, offers: Offers) -> Action | None:
        """The dearest own card."""
        slots = offers["give"]["slot"]["one_of"]
        return {"kind": "give", "slot": max(slots, key=lambda slot: self.points_at([self.seat, slot]))}

    @property
    def mine(self) -> Layout:
        return self.book.layouts[self.seat]

    def at(self, target: list[int]) -> Any:
        return self.book.layouts[target[0]][target[1]]

    def points_at(self, target: list[int]) -> float:
        return self.measure.points(self.at(target))

    def rivals(self, turns: int) -> list[float]:
        """The costs of the other layouts after so many more turns."""
        return [self.measure.cost(self.book.layouts[seat], turns) for seat in self.others]

    def value(self, layout: Layout) -> float:
        """What it is worth to go on with this own layout: its cost less the others' mean cost. Lower is better."""
        turns = self.turns_left()
        return self.measure.cost(layout, turns) - mean(self.rivals(turns))

    def value_of_swap(self, slot: int, card: str) -> float:
        layout = [*self.mine[:slot], card, *self.mine[slot + 1 :]]
        if self.ends_by_open_cards() and UNKNOWN not in layout:
            return self.value_of_ending(layout, self.last_laps())
        return self.value(layout) - self.slap_after(self.mine[slot], layout)

    def value_of_ending(self, layout: Layout, laps: int) -> float:
        """What it is worth to end the round with this layout, when each of the others has so many turns left."""
        score, rivals = self.measure.cost(layout, 0), self.rivals(laps)
        most, factor = self.options.get("cactus_knock", (0, 1))
        if score > most:
            score *= factor
        if self.options.get("knock_penalty") and score >= min(rivals):
            score += PENALTY
        return score - mean(rivals)

    def turns_left(self) -> int:
        """How many own turns are still to come after this one; a guess as long as nobody has ended the round."""
        if self.book.ender is not None:
            return 0
        if self.ends_by_open_cards():
            return min(self.book.layouts[seat].count(UNKNOWN) for seat in self.others)
        return TURNS_TO_KNOCK

    def ends_by_open_cards(self) -> bool:
        return self.book.ender is None and self.options.get("end_mode") in ("all_up", "both")

    def last_laps(self) -> int:
        return 1 if self.options.get("final_turns") else 0

    def slap_after(self, thrown: str, layout: Layout) -> float:
        """What the best own slap saves when this card has been thrown on the pile."""
        if not self.options.get("slaps") or not is_known(thrown):
            return 0
        layouts = {seat: self.book.layouts[seat] for seat in self.others} | {self.seat: layout}
        equal = [
            self.slap_saves(seat, card, layout)
            for seat, cards in layouts.items()
            for card in cards
            if is_known(card) and rank(card) == rank(thrown)
        ]
        return max(equal, default=0)

    def slap_saves(self, owner: int, card: str, layout: Layout) -> float:
        """An own card is gone; another seat's makes room for the dearest own one."""
        if owner == self.seat:
            return self.measure.points(card)
        dearest = max(self.measure.points(own) for own in layout)
        return dearest + (dearest - self.measure.points(card)) / len(self.others)


def is_known(card: Any) -> bool:
    return card is not None and card not in (UNKNOWN, CHOSEN)


def mean(costs: list[float]) -> float:
    return sum(costs) / len(costs)


def best_of(choices: list[tuple[float, Action]]) -> Action | None:
    """The action of least value, the first of equals; None when there is nothing to choose from."""
    return min(choices, key=lambda choice: choice[0])[1] if choices else None


def least_committal(offers: Offers) -> Action:
    """A legal answer to whatever is asked: decline where that is offered, else the first values of the first offer."""
    kind = next((kind for kind in LEAST_COMMITTAL if kind in offers), next(iter(offers)))
    action: Action = {"kind": kind}
    for field, choice in offers[kind].items():
        if field != "kind":
            action[field] = choice["one_of"][0] if "one_of" in choice else choice.get("of", [])[: choice.get("pick", 0)]
    return action


def main() -> None:
    bot: Keeper
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            print('{"type": "ready", "name": "keeper"}', flush=True)
        elif message["type"] == "match":
            bot = Keeper(message)
        elif message["type"] == "request":
            print(json.dumps({"type": "answer", "id": message["id"], "action": bot.decide(message)}), flush=True)


if __name__ == "__main__":
    main()
