"""What a seat may know, as an array of numbers; fields.py says what stands where.

Everything follows from what the seat was told (knowledge.py) and what lies open: a card that it does not know leaves no
trace here. Seats are counted from the one that looks, 0 itself, then clockwise.
"""

from itertools import chain

import numpy as np

from protocol.actions import Target
from protocol.cards import Card
from referee.research.actions import NOTHING_BEGUN, Begun, window
from referee.research.fields import DECISIONS, KINDS, POWER_NAMES, SLOT, Field, Tensor, fields_of, kinds_of_cards
from referee.research.knowledge import Knowledge, Known
from referee.rules.book.variant import Variant, deck, size
from referee.rules.scoring.values import value
from referee.rules.table.asks import Ask
from referee.rules.table.table import Slot, Table

LOW, HIGH = -1.0, 1.0
"""Between these all values lie. What would go beyond is cut off there."""

UP, KNOWN, AGE, CHOSEN, AIMED = (SLOT.index(name) for name in ("up", "known", "age", "chosen", "aimed"))


class _Sheet:
    """A tensor that is being filled for a seat: the ones are set together at its end, which is faster."""

    __slots__ = ("begun", "known", "ones", "row", "seat")

    def __init__(self, row: Tensor, seat: int, begun: Begun) -> None:
        self.row, self.seat, self.begun = row, seat, begun
        self.ones: list[int] = []
        self.known: list[Card] = []
        """The cards that the seat knows, outside of the pile."""


class Tensors:
    """The tensors of a game with so many seats: `encode` fills one, `fields` says what stands where."""

    def __init__(self, variant: Variant, seats: int) -> None:
        self.variant, self.seats = variant, seats
        cards = deck(variant, seats)
        self.kinds = kinds_of_cards(variant, cards)
        """For each card of the pack the number of its kind, as in the fields."""
        many = len(set(self.kinds.values()))
        self.fields: tuple[Field, ...] = fields_of(variant, seats, many)
        """Every field in the order of the tensor."""
        self.shape: tuple[int] = (self.fields[-1].stop,)
        self._at = {field.name: field.start for field in self.fields}
        self._cards, self._page = len(cards), window(variant)
        self._of_kind = np.bincount([self.kinds[card] for card in cards]).astype(np.float32)
        self._slot = len(SLOT) + seats + many
        self._unit = 10.0 * size(variant)
        options = variant.options
        self._rounds = float(options.rounds or 9)
        self._turns = float((variant.turns_each or options.turn_cap) * seats)
        self._uses = float("inf") if options.shield_uses == "unlimited" else float(options.shield_uses)
        self._total = float(abs(options.limit or 0) or self._unit * self._rounds / 2)
        self._blank = np.zeros(self.shape, np.float32)
        self._blank[self._at["one"]] = 1.0
        points = np.zeros(many)
        for card, kind in self.kinds.items():
            points[kind] = value(variant.card_points, card)
        self._blank[self._at["points"] : self._at["decision"]] = points / max(1, np.abs(points).max())
        self._knowers: dict[tuple[int, int], tuple[int, ...]] = {}

    def encode(
        self,
        knowledge: Knowledge,
        seat: int,
        *,
        ask: Ask | None,
        begun: Begun = NOTHING_BEGUN,
        out: Tensor | None = None,
    ) -> Tensor:
        """Return what `seat` may know now, as numbers; written into `out` where it is given.

        `ask` is what this seat is asked and has not answered yet, and `begun` how far its answer has come.
        """
        row = np.empty(self.shape, np.float32) if out is None else out
        row[:] = self._blank
        knowledge.follow()
        table = knowledge.game.table
        sheet = _Sheet(row, seat, begun)
        if ask is not None:
            sheet.ones.append(self._at["decision"] + DECISIONS.index(ask.decision))
        self._open_parts(sheet, table)
        self._layouts(sheet, knowledge)
        self._hand(sheet, knowledge)
        if begun != NOTHING_BEGUN:
            self._begun(sheet)
        own = _OWN_PARTS.get(self.variant.play)
        if own is not None:
            own(self, sheet, knowledge)
        self._unseen(sheet, table)
        row[sheet.ones] = 1.0
        return row

    def _open_parts(self, sheet: _Sheet, table: Table) -> None:
        """What everybody sees but the layouts."""
        at, seats, seat, row, ones = self._at, self.seats, sheet.seat, sheet.row, sheet.ones
        ones += (at["turn"] + (table.turn - seat) % seats, at["dealer"] + (table.dealer - seat) % seats)
        if table.knocker is not None:
            ones.append(at["ender"] + (table.knocker - seat) % seats)
        ones += [at["to_come"] + (one - seat) % seats for one in table.final or ()]
        row[at["round"]] = min(1.0, table.round / self._rounds)
        row[at["turns"]] = min(1.0, table.turns / self._turns)
        row[at["playoff"]] = table.playoff
        totals = table.totals[seat:] + table.totals[:seat]
        row[at["totals"] : at["ahead"]] = [_within(total / self._total) for total in totals]
        row[at["ahead"] : at["stock"]] = [_within((total - totals[0]) / self._unit) for total in totals]
        row[at["stock"]] = len(table.stock) / self._cards
        row[at["pile"]] = len(table.pile) / self._cards
        if table.pile:
            ones.append(at["top"] + self.kinds[table.pile[-1]])

    def _layouts(self, sheet: _Sheet, knowledge: Knowledge) -> None:
        layouts, seats = knowledge.game.table.layouts, self.seats
        first = sheet.begun.page * self._page
        for owner, layout in enumerate(layouts):
            place = (owner - sheet.seat) % seats
            start = self._at["layouts"] + (place * self._page - first) * self._slot
            known = knowledge.layouts[owner]
            for number, lies in enumerate(layout):
                card = known[number]
                if lies is None or card is None:
                    continue
                if card.by >> sheet.seat & 1:
                    sheet.known.append(lies.card)
                if first <= number < first + self._page:
                    self._card(sheet, start + number * self._slot, lies, card, knowledge.at)
                else:
                    sheet.row[self._at["beyond"] + place] += 1 / self._page
        for number, target in enumerate(chosen_targets(sheet.begun, sheet.seat), start=1):
            self._mark(sheet, target, CHOSEN, number / self._page)
        for target in knowledge.aimed:
            self._mark(sheet, target, AIMED, 1.0)
        if "beyond" in self._at:
            beyond = sheet.row[self._at["beyond"] : self._at["beyond"] + seats]
            np.minimum(beyond, 1.0, out=beyond)

    def _card(self, sheet: _Sheet, start: int, lies: Slot, card: Known, now: int) -> None:
        """A card on the table, whose numbers begin at `start`."""
        ones, seats, seat = sheet.ones, self.seats, sheet.seat
        ones.append(start)
        if lies.up:
            ones.append(start + UP)
        if card.by >> seat & 1:
            ones += (start + KNOWN, start + len(SLOT) + seats + self.kinds[lies.card])
            sheet.row[start + AGE] = min(1.0, (now - card.since[seat]) / (20 * seats))
        if card.seems:
            first = start + len(SLOT)
            ones += [first + other for other in self._seats_of(card.seems, seat)]

    def _seats_of(self, bits: int, seat: int) -> tuple[int, ...]:
        """The seats of these bits, counted from this seat."""
        if (bits, seat) not in self._knowers:
            seats = self.seats
            found = tuple(other for other in range(seats) if bits >> (seat + other) % seats & 1)
            self._knowers[bits, seat] = found
        return self._knowers[bits, seat]

    def _mark(self, sheet: _Sheet, target: Target, what: int, number: float) -> None:
        place, index = (target[0] - sheet.seat) % self.seats, target[1] - sheet.begun.page * self._page
        if 0 <= index < self._page:
            sheet.row[self._at["layouts"] + (place * self._page + index) * self._slot + what] = min(1.0, number)

    def _hand(self, sheet: _Sheet, knowledge: Knowledge) -> None:
        table = knowledge.game.table
        if table.hand is None:
            return
        sheet.ones.append(self._at["hand_of"] + (table.turn - sheet.seat) % self.seats)
        if knowledge.hand is not None and knowledge.hand.by >> sheet.seat & 1:
            sheet.ones.append(self._at["hand"] + self.kinds[table.hand])
            sheet.known.append(table.hand)

    def _begun(self, sheet: _Sheet) -> None:
        """How far the answer of this seat has come, but for the slots that it has chosen."""
        begun, row, at = sheet.begun, sheet.row, self._at
        row[at["page"]] = min(1.0, begun.page / 8)
        if begun.kind is None:
            return
        sheet.ones.append(at["begun"] + KINDS.index(begun.kind))
        match begun.kind, begun.chosen:
            case "rearrange", (int(of), *_):
                sheet.ones.append(at["begun_seat"] + (of - sheet.seat) % self.seats)
            case "swap_lines", ((int(of), axis), *lines):
                sheet.ones.append(at["begun_seat"] + (of - sheet.seat) % self.seats)
                row[at["begun_axis"]] = axis == "column"
                row[at["begun_line"]] = min(1.0, sum(line + 1 for line in lines if isinstance(line, int)) / self._page)
            case "keep", (int(card), *_):
                row[at["begun_card"]] = (card + 1) / 3

    def _unseen(self, sheet: _Sheet, table: Table) -> None:
        """Of which cards the seat does not know where they are: not in the pile, and not among those it knows."""
        kinds = self.kinds
        located = [kinds[card] for card in chain(table.pile, sheet.known, *table.shields)]
        counts = np.bincount(located, minlength=len(self._of_kind)) if located else 0.0
        start = self._at["unseen"]
        sheet.row[start : start + len(self._of_kind)] = (self._of_kind - counts) / self._of_kind

    def par(self, sheet: _Sheet, knowledge: Knowledge) -> None:
        """Par golf: the rows of the hole, and those that are taken as strokes."""
        table = knowledge.game.table
        sheet.row[self._at["rows"]] = min(1.0, table.rows / 5)
        for owner, rows in enumerate(table.strokes):
            start = self._at["strokes"] + (owner - sheet.seat) % self.seats * self.variant.rows
            sheet.ones += [start + one for one in rows]

    def powers(self, sheet: _Sheet, knowledge: Knowledge) -> None:
        """Powers: the further cards of an 8, the power in use, the shields."""
        table = knowledge.game.table
        many = len(self._of_kind)
        for number, card in enumerate(table.extra):
            if knowledge.extra[number] >> sheet.seat & 1:
                sheet.ones.append(self._at["extra"] + number * many + self.kinds[card])
                sheet.known.append(card)
        if knowledge.power:
            sheet.ones.append(self._at["power"] + POWER_NAMES.index(knowledge.power))
        for owner, shields in enumerate(table.shields):
            left = len(shields) - table.shield_uses[owner] / self._uses
            sheet.row[self._at["shields"] + (owner - sheet.seat) % self.seats] = min(1.0, left / 4)

    def two_deck(self, sheet: _Sheet, knowledge: Knowledge) -> None:
        """Two-deck game: the latest rows, which can be the only ones whose pairs may leave."""
        for owner, latest in enumerate(knowledge.game.table.latest_rows):
            if latest is not None:
                place = (owner - sheet.seat) % self.seats
                sheet.ones.append(self._at["latest_row"] + place * self.variant.rows + latest)


_OWN_PARTS = {"par": Tensors.par, "powers": Tensors.powers, "two_deck": Tensors.two_deck}
"""What fills the fields that only some games have, by the course of their rounds."""


def chosen_targets(begun: Begun, seat: int) -> list[Target]:
    """The cards that this seat has chosen in the action that it has begun, in order."""
    slots = [one for one in begun.chosen if isinstance(one, int)]
    match begun.kind:
        case "switch":
            return [(one[0], int(one[1])) for one in begun.chosen if isinstance(one, tuple)]
        case "exchange" | "arrange":
            return [(seat, slot) for slot in slots]
        case "rearrange":
            return [(slots[0], slot) for slot in slots[1:]]
    return []


def _within(number: float) -> float:
    return max(LOW, min(HIGH, number))
