"""What a seat may know, as an array of numbers; fields.py says what stands where.

Everything follows from what lies open and the cards that the seat knows (`Slot.known_by`): one that it does not know
leaves no trace here. Seats are counted from the one that looks, 0 itself, then clockwise.
"""

from itertools import chain

import numpy as np

from protocol import events
from protocol.actions import Target
from protocol.cards import Card
from referee.research.actions import NOTHING_BEGUN, Begun, window
from referee.research.fields import DECISIONS, KINDS, POWER_NAMES, SLOT, Field, Tensor, fields_of, kinds_of_cards
from referee.rules.questions import Ask
from referee.rules.table import Layout, Table
from referee.rules.variants import Variant, deck, size

LOW, HIGH = -1.0, 1.0
"""Between these all values lie. What would go beyond is cut off there."""

UP, KNOWN, AGE, CHOSEN, AIMED = (SLOT.index(name) for name in ("up", "known", "age", "chosen", "aimed"))


MOST_LOOKS = 4096
"""How many looks of slots are kept. With many seats there can be more, and then they are made anew."""


class _Sheet:
    """A tensor that is being filled for a seat: the ones are set together at its end, which is faster."""

    __slots__ = ("ages", "begun", "known", "looks", "ones", "row", "seat")

    def __init__(self, row: Tensor, seat: int, begun: Begun) -> None:
        self.row, self.seat, self.begun = row, seat, begun
        self.ones: list[int] = []
        self.known: list[Card] = []
        """The cards that the seat knows, outside of the pile."""
        self.looks: list[int] = []
        """How each slot looks (`_new_look`), in the order of the field."""
        self.ages: list[tuple[int, float]] = []
        """The slots whose cards the seat knows, by their numbers in the field, and how long ago they were shown."""


class Tensors:
    """The tensors of a game with so many seats: `encode` fills one, `fields` says what stands where."""

    def __init__(self, variant: Variant, seats: int) -> None:
        self.variant, self.seats = variant, seats
        cards = deck(variant, seats)
        self.kinds = kinds_of_cards(variant, cards)
        """For each card of the pack the number of its kind, as in the fields."""
        many = len(set(self.kinds.values()))
        self.cards_of_kinds = tuple(
            tuple(card for card, number in self.kinds.items() if number == kind) for kind in range(many)
        )
        self.fields: tuple[Field, ...] = fields_of(variant, seats, many)
        """Every field in the order of the tensor."""
        self.shape: tuple[int] = (self.fields[-1].stop,)
        self._at = {field.name: field.start for field in self.fields}
        self._cards, self._page = len(cards), window(variant)
        self._of_kind: list[int] = np.bincount([self.kinds[card] for card in cards]).tolist()
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
            points[kind] = variant.worth[card]
        self._blank[self._at["points"] : self._at["decision"]] = points / max(1, np.abs(points).max())
        self._layouts_end = self._at["layouts"] + seats * self._page * self._slot
        self._forget_looks()

    def encode(
        self,
        table: Table,
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
        sheet = _Sheet(row, seat, begun)
        if ask is not None:
            sheet.ones.append(self._at["decision"] + DECISIONS.index(ask.decision))
        self._open_parts(sheet, table)
        self._layouts(sheet, table)
        self._hand(sheet, table)
        if begun != NOTHING_BEGUN:
            self._begun(sheet)
        own = _OWN_PARTS.get(self.variant.play)
        if own is not None:
            own(self, sheet, table)
        self._unseen(sheet, table)
        row[sheet.ones] = 1.0
        return row

    def _open_parts(self, sheet: _Sheet, table: Table) -> None:
        """What everybody sees but the layouts."""
        at, seats, seat, row, ones = self._at, self.seats, sheet.seat, sheet.row, sheet.ones
        ones += (at["turn"] + (table.turn - seat) % seats, at["dealer"] + (table.dealer - seat) % seats)
        if table.ended_by is not None:
            ones.append(at["ender"] + (table.ended_by - seat) % seats)
        ones += [at["to_come"] + (one - seat) % seats for one in table.final or ()]
        totals = table.totals[seat:] + table.totals[:seat]
        row[at["round"] : at["top"]] = [
            min(1.0, table.round / self._rounds),
            min(1.0, table.turns / self._turns),
            table.playoff,
            *[_within(total / self._total) for total in totals],
            *[_within((total - totals[0]) / self._unit) for total in totals],
            len(table.stock) / self._cards,
            len(table.pile) / self._cards,
        ]
        if table.pile:
            ones.append(at["top"] + self.kinds[table.pile[-1]])

    def _layouts(self, sheet: _Sheet, table: Table) -> None:
        seats, seat = self.seats, sheet.seat
        if len(self._looks) > MOST_LOOKS:
            self._forget_looks()
        sheet.looks = [0] * (seats * self._page)
        shown = table.everybody if table.events and type(table.events[-1]) is events.Scored else 0
        for owner, layout in enumerate(table.layouts):
            self._layout(sheet, owner, layout, shown, len(table.events))
        row, start = sheet.row, self._at["layouts"]
        part = row[start : self._layouts_end].reshape(-1, self._slot)
        self._looks.take(sheet.looks, 0, part, "clip")
        for place, age in sheet.ages:
            row[start + place * self._slot + AGE] = age
        for number, target in enumerate(chosen_targets(sheet.begun, seat), start=1):
            self._mark(sheet, target, CHOSEN, number / self._page)
        if self.variant.play == "powers" or self.variant.options.slaps:
            for target in announced(table)[1]:
                self._mark(sheet, target, AIMED, 1.0)
        if "beyond" in self._at:
            beyond = row[self._at["beyond"] : self._at["beyond"] + seats]
            np.minimum(beyond, 1.0, out=beyond)

    def _layout(self, sheet: _Sheet, owner: int, layout: Layout, shown: int, now: int) -> None:
        """Note how the slots of one seat look after so many events, and how long ago their cards were shown.

        `shown` has the bits of those who have just seen all cards: everybody at a showdown.
        """
        seat, page, kinds, numbers = sheet.seat, self._page, self.kinds, self._look_numbers
        away = (owner - seat) % self.seats
        first = sheet.begun.page * page
        start = away * page - first
        unit = 20 * self.seats
        for number, lies in enumerate(layout):
            if lies is None:
                continue
            kind = -1
            if (lies.known_by | shown) >> seat & 1:
                kind = kinds[lies.card]
                sheet.known.append(lies.card)
            if not first <= number < first + page:
                sheet.row[self._at["beyond"] + away] += 1 / page
                continue
            look = (lies.up, lies.openly_known_by | shown, seat, kind)
            sheet.looks[start + number] = numbers[look] if look in numbers else self._new_look(look)
            if kind >= 0 and not shown:
                sheet.ages.append((start + number, min(1.0, (now - lies.shown_at) / unit)))

    def _forget_looks(self) -> None:
        self._looks = np.zeros((1, self._slot), np.float32)
        """How slots have looked so far: the first row is an empty slot, `_look` adds the others."""
        self._look_numbers: dict[tuple[bool, int, int, int], int] = {}

    def _new_look(self, look: tuple[bool, int, int, int]) -> int:
        """Return the row of `_looks` with what a slot has for a seat, but for what changes from look to look.

        A look says whether the card lies face up; which seats are known to know it, as bits; which seat looks; and the
        kind of card, -1 if this seat does not know it.
        """
        up, seems, seat, kind = look
        row = np.zeros(self._slot, np.float32)
        row[0], row[UP] = 1.0, up
        row[[len(SLOT) + (other - seat) % self.seats for other in range(self.seats) if seems >> other & 1]] = 1.0
        if kind >= 0:
            row[[KNOWN, len(SLOT) + self.seats + kind]] = 1.0
        number = self._look_numbers[look] = len(self._looks)
        self._looks = np.vstack((self._looks, row))
        return number

    def _mark(self, sheet: _Sheet, target: Target, what: int, number: float) -> None:
        place, index = (target[0] - sheet.seat) % self.seats, target[1] - sheet.begun.page * self._page
        if 0 <= index < self._page:
            sheet.row[self._at["layouts"] + (place * self._page + index) * self._slot + what] = min(1.0, number)

    def _hand(self, sheet: _Sheet, table: Table) -> None:
        if table.hand is None:
            return
        sheet.ones.append(self._at["hand_of"] + (table.turn - sheet.seat) % self.seats)
        if table.hand_known_by >> sheet.seat & 1:
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
        left = self._of_kind.copy()
        for card in chain(table.pile, sheet.known, *table.shields):
            left[kinds[card]] -= 1
        start = self._at["unseen"]
        sheet.row[start : start + len(left)] = [some / every for some, every in zip(left, self._of_kind, strict=True)]

    def par(self, sheet: _Sheet, table: Table) -> None:
        """Par golf: the rows of the hole, and those that are taken as strokes."""
        sheet.row[self._at["rows"]] = min(1.0, table.rows / 5)
        for owner, rows in enumerate(table.strokes):
            start = self._at["strokes"] + (owner - sheet.seat) % self.seats * self.variant.rows
            sheet.ones += [start + one for one in rows]

    def powers(self, sheet: _Sheet, table: Table) -> None:
        """Powers: the further cards of an 8, the power in use, the shields."""
        many = len(self._of_kind)
        for number, card in enumerate(table.extra):
            if table.extra_known_by[number] >> sheet.seat & 1:
                sheet.ones.append(self._at["extra"] + number * many + self.kinds[card])
                sheet.known.append(card)
        if power := announced(table)[0]:
            sheet.ones.append(self._at["power"] + POWER_NAMES.index(power))
        for owner, shields in enumerate(table.shields):
            left = len(shields) - table.shield_uses[owner] / self._uses
            sheet.row[self._at["shields"] + (owner - sheet.seat) % self.seats] = min(1.0, left / 4)

    def two_deck(self, sheet: _Sheet, table: Table) -> None:
        """Two-deck game: the latest rows, which can be the only ones whose pairs may leave."""
        for owner, latest in enumerate(table.latest_rows):
            if latest is not None:
                place = (owner - sheet.seat) % self.seats
                sheet.ones.append(self._at["latest_row"] + place * self.variant.rows + latest)


_OWN_PARTS = {"par": Tensors.par, "powers": Tensors.powers, "two_deck": Tensors.two_deck}
"""What fills the fields that only some games have, by the course of their rounds."""


def announced(table: Table) -> tuple[str, tuple[Target, ...]]:
    """The power that was announced last in this turn, if any, and the cards at which it or a right slap is aimed."""
    aimed: tuple[Target, ...] | None = None
    for event in reversed(table.events):
        match event:
            case events.PowerUsed(power=power, targets=targets):
                return power, targets if aimed is None else aimed
            case events.Slapped(verdict="right", target=target) if aimed is None:
                aimed = (target,)
            case events.Gave() | events.WindowClosed():
                aimed = aimed or ()
            case events.Drew() | events.Knocked() | events.Round():
                break
    return "", aimed or ()


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
