"""The table of a match as a text and as a picture of pixels, for whoever looks: a seat, the public, or with open cards.

The text is drawn as `golfref play` draws it on the terminal. The pixels need nothing but numpy. Knows no rules.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from protocol.cards import JOKER, Card, rank, suit
from protocol.events import Scored
from referee.match_states.view import OPEN, Hand, Placed, View, Viewer
from referee.rules.game import Game
from referee.terminal.screen.draw import Drawing, draw_layouts, draw_middle, is_red, plain

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
"""Rows, columns, and red, green and blue from 0 to 255."""

Shape = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
"""Which dots of a sign are drawn."""

Colour = tuple[int, int, int]

WIDTH = 100
"""How many characters wide the text is."""


class Picture(Struct, frozen=True, kw_only=True):
    """How the matches of one environment are drawn."""

    title: str
    names: tuple[str, ...]
    """Those of the players, by seat."""
    columns: int
    """For how many columns of cards a seat has room in the pixels, so that all pictures of a match have one size."""
    rows: int
    viewer: Viewer = OPEN
    scale: int = 2
    """How many pixels wide and high each dot is."""

    def text(self, game: Game, asked: str) -> str:
        """Return the table as lines of text; `asked` says who decides what."""
        view = view_of(game, self.viewer)
        how = Drawing(names=self.names)
        said = f": {asked}" if asked else ""
        headline = f"{self.title}, {'playoff, ' if view.playoff else ''}round {view.round}{said}\n"
        return headline + plain([*draw_layouts(view, how, WIDTH), draw_middle(view, how)])

    def pixels(self, game: Game, asked: str) -> Pixels:
        """Return the same as pixels. The shape is the same for all pictures of a game with so many seats."""
        view = view_of(game, self.viewer)
        sheet = _Sheet(*self._size())
        across = self._across()
        for seat in range(view.seats):
            row, column = divmod(seat, across)
            self._draw_seat(sheet, view, seat, _MARGIN + row * self._high(), _MARGIN + column * self._wide())
        below = _MARGIN + -(-view.seats // across) * self._high()
        _draw_middle(sheet, view, below)
        sheet.write(f"{self.title}, round {view.round}", below + _MIDDLE, _MARGIN, _PALE)
        sheet.write(asked, below + _MIDDLE + _LINE, _MARGIN, _WHITE)
        return np.ascontiguousarray(sheet.dots.repeat(self.scale, axis=0).repeat(self.scale, axis=1))

    def _across(self) -> int:
        """How many seats stand beside each other: so many that the picture is about as wide as it is high."""
        seats = len(self.names)
        return min(
            range(1, seats + 1), key=lambda across: abs(across * self._wide() - -(-seats // across) * self._high())
        )

    def _wide(self) -> int:
        return max(self.columns * (_CARD_WIDE + _GAP), _LETTER * (1 + max(map(len, self.names)))) + 2 * _GAP

    def _high(self) -> int:
        return self.rows * (_CARD_HIGH + _GAP) + 2 * _LINE + 2 * _GAP

    def _size(self) -> tuple[int, int]:
        across = self._across()
        high = -(-len(self.names) // across) * self._high() + _MIDDLE + 2 * _LINE
        return high + 2 * _MARGIN, max(across * self._wide(), _NARROWEST) + 2 * _MARGIN

    def _draw_seat(self, sheet: "_Sheet", view: View, seat: int, top: int, left: int) -> None:
        sheet.write(f"{'>' if view.turn == seat else ' '}{self.names[seat]}", top, left, _WHITE)
        sheet.write(_state(view, seat)[: self._wide() // _LETTER - 1], top + _LINE, left, _PALE)
        for row in view.strokes[seat]:
            below = top + 2 * _LINE + (row + 1) * (_CARD_HIGH + _GAP) - _GAP + 1
            sheet.fill(below, left, 1, self.columns * (_CARD_WIDE + _GAP) - _GAP, _WHITE)
        for slot, placed in enumerate(view.layouts[seat]):
            row, column = view.place(slot)
            if row >= self.rows or column >= self.columns:
                continue
            y, x = top + 2 * _LINE + row * (_CARD_HIGH + _GAP), left + column * (_CARD_WIDE + _GAP)
            if placed is None:
                sheet.fill(y, x, _CARD_HIGH, _CARD_WIDE, _EMPTY)
            else:
                sheet.card(view.known.get(placed.number), y, x, up=placed.up)
        if more := sum(view.place(slot)[1] >= self.columns for slot, one in enumerate(view.layouts[seat]) if one):
            sheet.write(f"+{more}", top, left + self._wide() - 3 * _LETTER, _WHITE)


def _state(view: View, seat: int) -> str:
    """The total of a seat, and what else there is to say of it; strokes are drawn under their rows."""
    said = [str(view.totals[seat])]
    said += ["ended"] * (view.knocker == seat)
    said += [f"{len(view.shields[seat])} shields"] * bool(view.shields[seat])
    return " " + " ".join(said)


def _draw_middle(sheet: "_Sheet", view: View, top: int) -> None:
    """The stock with its number of cards, the pile with its top card, and what is in hand."""
    left = _MARGIN
    for words, cards in (
        (f"stock {view.stock}", [None] * bool(view.stock)),
        (f"pile {len(view.pile)}", [*view.pile[-1:]]),
        ("hand", [] if view.hand is None else [view.known.get(number) for number in view.hand.cards]),
    ):
        sheet.write(words, top, left, _PALE)
        for number, card in enumerate(cards):
            sheet.card(
                None if card == "?" else card, top + _LINE, left + number * (_CARD_WIDE + _GAP), up=words != "hand"
            )
        left += _NARROWEST // 3


# What is seen


def view_of(game: Game, viewer: Viewer) -> View:
    """Return the table as this viewer knows it: a seat, None as the public, OPEN with all cards."""
    table = game.table
    latest = table.events[-1] if table.events else None
    scores = latest.scores if isinstance(latest, Scored) else ()
    bit = table.seats if viewer is None else viewer
    known: dict[int, Card] = {}
    count = 0

    def number(card: Card, known_by: int) -> int:
        nonlocal count
        count += 1
        if scores or viewer == OPEN or known_by >> bit & 1:
            known[count] = card
        return count

    layouts = tuple(
        tuple(
            None if slot is None else Placed(number(slot.card, slot.known_by), up=slot.up or bool(scores))
            for slot in layout
        )
        for layout in table.layouts
    )
    hand = () if table.hand is None else ((table.hand, table.hand_known_by),)
    held = tuple(number(*card) for card in (*hand, *zip(table.extra, table.extra_known_by, strict=False)))
    return View(
        seats=table.seats,
        rows=table.rows or table.variant.rows,
        columns=table.variant.columns,
        round=table.round,
        turn=None if game.question is None else table.turn,
        playoff=table.playoff,
        dealer=table.dealer,
        stock=len(table.stock),
        pile=tuple(table.pile),
        layouts=layouts or ((),) * table.seats,
        known=known,
        hand=Hand(seat=table.turn, cards=held) if held else None,
        shields=tuple(map(tuple, table.shields)) or ((),) * table.seats,
        strokes=tuple(map(frozenset, table.strokes)) or (frozenset(),) * table.seats,
        knocker=table.ended_by,
        totals=tuple(table.totals),
        scores=scores,
        forfeited=frozenset(table.forfeited),
    )


# Dots

_CARD_WIDE, _CARD_HIGH = 20, 28
_GAP = 3
_MARGIN = 4
_LINE = 10
"""How high a line of writing is."""

_LETTER = 6
"""How wide a letter is with the space behind it."""

_MIDDLE = _LINE + _CARD_HIGH + _GAP
"""How high the stock, the pile and the hand are with the words above them."""

_NARROWEST = 216
"""So many dots are needed for the stock, the pile and the hand, and for the lines below them."""

_CLOTH: Colour = (25, 95, 60)
_EMPTY: Colour = (20, 80, 50)
_WHITE: Colour = (255, 255, 255)
_PALE: Colour = (190, 220, 200)
_BLACK: Colour = (20, 20, 25)
_RED: Colour = (190, 25, 40)
_BACK: Colour = (45, 75, 150)
_BACK_LINES: Colour = (90, 120, 190)
_KNOWN: Colour = (175, 195, 225)
"""The face of a card that lies face down, and that the viewer knows."""


class _Sheet:
    """Dots that are drawn on."""

    def __init__(self, high: int, wide: int) -> None:
        self.dots: Pixels = np.empty((high, wide, 3), np.uint8)
        self.dots[:] = _CLOTH

    def fill(self, top: int, left: int, high: int, wide: int, colour: Colour) -> None:
        self.dots[top : top + high, left : left + wide] = colour

    def stamp(self, shape: Shape, top: int, left: int, colour: Colour) -> None:
        """Colour the dots of a shape; what does not fit on the sheet is cut off."""
        area = self.dots[top : top + shape.shape[0], left : left + shape.shape[1]]
        area[shape[: area.shape[0], : area.shape[1]]] = colour

    def write(self, text: str, top: int, left: int, colour: Colour) -> None:
        for number, letter in enumerate(text.upper()):
            self.stamp(_shape(letter), top, left + _LETTER * number, colour)

    def card(self, card: Card | None, top: int, left: int, *, up: bool) -> None:
        """A card in the middle of its place: its face where it is known, else its back."""
        self.fill(top, left, _CARD_HIGH, _CARD_WIDE, _BLACK)
        if card is None:
            self.fill(top + 1, left + 1, _CARD_HIGH - 2, _CARD_WIDE - 2, _BACK)
            self.dots[top + 3 : top + _CARD_HIGH - 3 : 3, left + 3 : left + _CARD_WIDE - 3] = _BACK_LINES
            return
        self.fill(top + 1, left + 1, _CARD_HIGH - 2, _CARD_WIDE - 2, _WHITE if up else _KNOWN)
        colour = _RED if is_red(card) else _BLACK
        words = "JOK" if rank(card) == JOKER else rank(card)
        self.write(words, top + 3, left + (2 if len(words) > 2 else 3), colour)
        sign = suit(card)
        large = _shape(_SUIT_SIGNS.get(sign, sign) or "*").repeat(2, axis=0).repeat(2, axis=1)
        self.stamp(large, top + 12, left + 5, colour)


def _shape(letter: str) -> Shape:
    return _SHAPES.get(letter, _SHAPES["?"])


def _shapes(table: Sequence[str]) -> dict[str, Shape]:
    """Each entry is a sign and its seven rows of five dots, a row as a number from 0 to v (31)."""
    return {
        entry[0]: np.array([[int(row, 32) >> dot & 1 for dot in range(4, -1, -1)] for row in entry[1:]], np.bool_)
        for entry in table
    }


_SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

_SHAPES = _shapes(
    (
        "0ehjlphe", "14c4444e", "2eh168gv", "3v2421he", "426aiv22", "5vgu11he", "668guhhe", "7v124888", "8ehhehhe",
        "9ehhf12c", "Aehhvhhh", "Buhhuhhu", "Cehggghe", "Duhhhhhu", "Evgguggv", "Fvgguggg", "Gehgnhhe", "Hhhhvhhh",
        "Ie44444e", "J72222ic", "Khikokih", "Lggggggv", "Mhrllhhh", "Nhpljhhh", "Oehhhhhe", "Puhhuggg", "Qehhhlid",
        "Ruhhukih", "Sfgge11u", "Tv444444", "Uhhhhhhe", "Vhhhhha4", "Whhhllla", "Xhha4ahh", "Yhha4444", "Zv1248gv",
        "-000v000", "+044v440", "?eh12404", ">8421248", "_000000v", " 0000000", ".0000004", ":0400040", ",0000048",
        "*04le4l0", "♠4evvv4e", "♥avvve40", "♦4evvve4", "♣eervr4e",
    )
)  # fmt: skip
