"""The game of four turns: what is placed stays, pairs cancel wherever they lie, and nobody can end the round.

All that is left to the owner of a layout can be tried out: which card each draw may bring, and where it may go. In a
match of one round the aim is to beat the others, whose results are sampled; in a longer one, a low score.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import exp
from random import Random
from typing import Any

from kinds import Kinds
from player import Action, Choice, Offers, Player, best_of, choices, offers_kind

TURNS_EACH = 4

DEPTH = 2
"""How many turns after this one are tried out."""

USEFUL_PILES = 0.3
"""How often the pile is as good as the stock: mostly it has what others had no use for."""

WORLDS = 100
"""How many ways are tried in which the others may go on."""

KEPT = 0.1
"""How much less likely it is that a card was kept in a turn, for each point that it counts."""

Cards = tuple[int, ...]
"""Kinds in rising order."""


class FourTurns(Player):
    """The player of this game. A value is what the layout will cost, or less the share of opponents that it beats."""

    def __init__(self, match: dict[str, Any]) -> None:
        super().__init__(match)
        self.kinds = Kinds(match)
        self.random = Random(match["seed"])
        self.every_pair = self.options.get("any_pair") == "all_pairs"
        self.known: dict[Cards, float] = {}
        self.is_single = self.options.get("rounds") == 1

    def prepare(self, request: dict[str, Any]) -> None:
        """Look at the table anew at each turn; where to place a card that was drawn follows from the same values."""
        if request["decision"] != "turn":
            return
        self.kinds.chances = self.kinds.unseen(self.book.seen())
        mean = sum([c * p for c, p in zip(self.kinds.chances, self.kinds.points, strict=True)])
        self.costs = [*self.kinds.points, mean]
        self.scores: dict[Cards, float] = {}
        self.values: dict[tuple[int, Cards, Cards], float] = {}
        mine = [self.kinds.kind(card) for card in self.book.layouts[self.seat]]
        fixed = self.book.fixed[self.seat]
        self.mine = mine
        self.locked = tuple(sorted([kind for slot, kind in enumerate(mine) if slot in fixed]))
        self.loose = tuple(sorted([kind for slot, kind in enumerate(mine) if slot not in fixed]))
        self.left: int = TURNS_EACH - self.book.own_turns - 1
        self.turns = min(self.count(DEPTH), self.left)
        self.worlds = self.count(WORLDS, 10)
        self.finals: list[list[float]] = []
        if self.is_single and self.others:
            self.finals = [self.sampled_finals(seat) for seat in self.others]
        self.gifts = self.gifts_to_next()

    # What a layout costs.

    def points(self, cards: Sequence[int]) -> float:
        """The score of four cards that are all known."""
        key = tuple(sorted(cards))
        if key not in self.known:
            points, ranks = self.kinds.points, self.kinds.ranks
            held: dict[str, list[float]] = {}
            for kind in key:
                held.setdefault(ranks[kind], []).append(points[kind])
            self.known[key] = sum([self.left_of(sorted(equal, reverse=True)) for equal in held.values()])
        return self.known[key]

    def left_of(self, equal: list[float]) -> float:
        """What equal cards score, the dearest first, when pairs of them cancel."""
        pairs = len(equal) // 2 if self.every_pair else min(1, len(equal) // 2)
        return sum(equal[2 * pairs :])

    def score(self, cards: Cards) -> float:
        """The value of a layout at the end, whatever its hidden cards are."""
        if cards not in self.scores:
            if cards[-1] < self.kinds.hidden:
                self.scores[cards] = self.utility(self.points(cards))
            else:
                known = cards[:-1]
                self.scores[cards] = sum(
                    [c * self.score(tuple(sorted((*known, k)))) for k, c in enumerate(self.kinds.chances) if c > 0]
                )
        return self.scores[cards]

    def utility(self, points: float) -> float:
        """The points themselves, or less the share of the others who are beaten with so many."""
        if not self.finals:
            return points
        beaten = 0.0
        for finals in self.finals:
            beaten += 2 * len(finals) - bisect_left(finals, points) - bisect_right(finals, points)
        return -beaten / (2 * len(self.finals) * len(self.finals[0]))

    def value(self, turns: int, locked: Cards, loose: Cards) -> float:
        """What a layout comes to when its owner has so many turns left."""
        if turns == 0 or not loose:
            return self.score(tuple(sorted(locked + loose)))
        key = (turns, locked, loose)
        if key not in self.values:
            chances = self.kinds.chances
            stay = self.value(turns - 1, locked, loose)
            useful = self.useful(locked, loose)
            used = [self.best_use(turns - 1, locked, loose, k) if k in useful else stay for k in range(len(chances))]
            stock = sum([c * min(u, stay) for c, u in zip(chances, used, strict=True)])
            found = sum([c * min(u, stock) for c, u in zip(chances, used, strict=True)])
            self.values[key] = stock + USEFUL_PILES * (found - stock)
        return self.values[key]

    def useful(self, locked: Cards, loose: Cards) -> set[int]:
        """The kinds that may do good: those below the dearest card that can be replaced, and equal cards."""
        dearest = max([self.costs[kind] for kind in loose])
        return {*locked, *loose, *[kind for kind, points in enumerate(self.kinds.points) if points < dearest]}

    def best_use(self, turns: int, locked: Cards, loose: Cards, kind: int) -> float:
        """The value after a card is placed where it does most good; the dearest card and a hidden one are tried."""
        now = tuple(sorted((*locked, kind)))
        return min([self.value(turns, now, without(loose, old)) for old in self.worth_replacing(loose, now)])

    def worth_replacing(self, loose: Cards, beside: Cards) -> list[int]:
        """A hidden card, and the dearest known one, preferably one that has no equal card."""
        known = [kind for kind in loose if kind < self.kinds.hidden]
        single = [kind for kind in known if kind not in beside and known.count(kind) == 1]
        found = [self.kinds.hidden] if len(known) < len(loose) else []
        if known:
            found.append(max(single or known, key=self.kinds.points.__getitem__))
        return found

    # The others.

    def sampled_finals(self, seat: int) -> list[float]:
        """What another seat may score, in rising order: each turn left to it brings a card, which it uses if it can."""
        layout = [self.kinds.kind(card) for card in self.book.layouts[seat]]
        fixed = self.book.fixed[seat]
        hidden = layout.count(self.kinds.hidden)
        turns = self.turns_of(seat)
        kept = self.kept_cards(seat, layout, TURNS_EACH - turns)
        found = []
        for world in range(self.worlds):
            cards = self.kinds.deal(self.random, hidden + turns)
            dealt = [cards.pop() if kind == self.kinds.hidden else kind for kind in layout]
            for slot, drawn in kept.items():
                dealt[slot] = drawn[world]
            found.append(self.played_on(dealt, [slot for slot in range(len(dealt)) if slot not in fixed], cards))
        return sorted(found)

    def kept_cards(self, seat: int, layout: Sequence[int], turns: int) -> dict[int, list[int]]:
        """What may lie where a seat has looked and kept its card for so many turns: by slot a card for each world.

        It has probably kept a low card, or one that is equal to a card that it has placed.
        """
        points, chances = self.kinds.points, self.kinds.chances
        weights = [
            chance * (exp(-KEPT * turns * p) + (max(0.0, p) if kind in layout else 0.0))
            for kind, (chance, p) in enumerate(zip(chances, points, strict=True))
        ]
        slots = [slot for slot in self.book.looked[seat] if layout[slot] == self.kinds.hidden]
        return {slot: self.random.choices(range(self.kinds.hidden), weights, k=self.worlds) for slot in slots}

    def played_on(self, cards: list[int], free: list[int], draws: Sequence[int]) -> float:
        """The score of a layout whose owner uses each card where it helps at once."""
        score = self.points(cards)
        for drawn in draws:
            tried = [(self.points((*cards[:slot], drawn, *cards[slot + 1 :])), slot) for slot in free]
            if tried and min(tried)[0] < score:
                score, slot = min(tried)
                cards[slot] = drawn
                free.remove(slot)
        return score

    def turns_of(self, seat: int) -> int:
        """How many turns another seat still has."""
        seats = len(self.others) + 1
        played_before = (seat - self.book.starter) % seats < (self.seat - self.book.starter) % seats
        return self.left + (0 if played_before else 1)

    def gifts_to_next(self) -> list[float]:
        """For each kind, the value that the next seat would gain by finding it on the pile, as a loss of ours."""
        seat = (self.seat + 1) % (len(self.others) + 1)
        fixed = self.book.fixed[seat]
        layout = [self.kinds.kind(card) for card in self.book.layouts[seat]]
        free = [slot for slot in range(len(layout)) if slot not in fixed]
        if not free or not self.others or not self.turns_of(seat):
            return [0.0] * (self.kinds.hidden + 1)
        dearest = max([self.costs[layout[slot]] for slot in free])
        points = self.kinds.points
        gains = [max(0.0, dearest + (p if k in layout else -p)) for k, p in enumerate(points)]
        usual = sum([c * g for c, g in zip(self.kinds.chances, gains, strict=True)])
        loss = [max(0.0, gain - usual) * self.point_of_theirs() for gain in gains]
        return [*loss, sum([c * v for c, v in zip(self.kinds.chances, loss, strict=True)])]

    def point_of_theirs(self) -> float:
        """What it costs this seat that one of the others is a point better."""
        share = 1 / len(self.others)
        return 0.03 * share if self.finals else share

    # Decisions.

    def placed(self, kind: int, slot: int) -> float:
        """The value of placing a card in a slot that can still be changed."""
        old = self.mine[slot]
        now = tuple(sorted((*self.locked, kind)))
        return self.value(self.turns, now, without(self.loose, old)) + self.gifts[old]

    def best_place(self, kind: int) -> float:
        """The value of the best place for a card."""
        worth = self.worth_replacing(self.loose, (*self.locked, kind))
        fixed = self.book.fixed[self.seat]
        slots = {old: slot for slot, old in enumerate(self.mine) if slot not in fixed and old in worth}
        return min([self.placed(kind, slot) for slot in slots.values()])

    def discarded(self, kind: int) -> float:
        return self.value(self.turns, self.locked, self.loose) + self.gifts[kind]

    def choose_turn(self, offers: Offers) -> Action | None:
        """Draw where the draw promises more."""
        found: list[Choice] = []
        for source in choices(offers, "draw", "from"):
            if source == "pile":
                value = self.best_place(self.kinds.kind(self.book.pile[-1]))
            else:
                useful = self.useful(self.locked, self.loose)
                drawn = [self.discarded(k) for k in range(self.kinds.hidden)]
                drawn = [min(v, self.best_place(k)) if k in useful else v for k, v in enumerate(drawn)]
                value = sum([c * v for c, v in zip(self.kinds.chances, drawn, strict=True)])
            found.append((value, {"kind": "draw", "from": source}))
        return best_of(found)

    def choose_place(self, offers: Offers) -> Action | None:
        """The slot, or the pile, for the card in hand."""
        if not self.book.hand:
            return None
        kind = self.kinds.kind(self.book.hand[0])
        found: list[Choice] = [
            (self.placed(kind, slot), {"kind": "swap", "slot": slot}) for slot in choices(offers, "swap", "slot")
        ]
        if offers_kind(offers, "discard"):
            found.append((self.discarded(kind), {"kind": "discard"}))
        return best_of(found)


def without(cards: Sequence[int], one: int) -> Cards:
    place = cards.index(one)
    return (*cards[:place], *cards[place + 1 :])
