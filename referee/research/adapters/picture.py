"""The table of a match as a text and as a picture of pixels, for whoever looks: a seat, the public, or with open cards.

Both are drawn as `golfref play` draws on the terminal. Knows no rules.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from protocol.cards import Card
from protocol.events import Scored
from referee.match_states.view import OPEN, Hand, Placed, View, Viewer
from referee.rules.game import Game
from referee.terminal.screen.draw import (
    ASCII,
    CELL,
    GAP,
    NARROWEST,
    UNICODE,
    Drawing,
    Glyphs,
    Line,
    Piece,
    draw_layouts,
    draw_middle,
    plain,
)

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
"""Rows, columns, and red, green and blue from 0 to 255."""

WIDTH = 100
"""How many characters wide the text is at most."""

LETTER, LINE = 10, 20
"""How many pixels wide a character and how high a line is."""

CLOTH, INK, PAPER = "#195f3c", {"": "#e8f0ea", "dim": "#9fc4ae", "strong": "#ffffff"}, "#ffffff"
FACES = {"red": "#b01828", "": "#141419", "strong": "#141419", "known": "#1f3f86", "dim": "#8f9fc4"}
"""The colours of what stands on cards, by style."""


class Picture(Struct, frozen=True, kw_only=True):
    """How the matches of one environment are drawn."""

    title: str
    names: tuple[str, ...]
    """Those of the players, by seat."""
    columns: int
    """For how many columns of cards a seat has room in the pixels, so that all pictures of a match have one size."""
    rows: int
    viewer: Viewer = OPEN

    def text(self, game: Game, asked: str) -> str:
        """Return the table as lines of text; `asked` says who decides what."""
        return plain(self._lines(game, asked, UNICODE, WIDTH))

    def pixels(self, game: Game, asked: str) -> Pixels:
        """Return the same as pixels, of one shape for all pictures of a game with so many seats.

        Raises ModuleNotFoundError without Pillow.
        """
        from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 - only pixels need it

        block = CELL * max(NARROWEST, self.columns) + GAP
        beside = min(len(self.names), max(1, (WIDTH + GAP) // block))
        broad, lines = max(60, beside * block), -(-len(self.names) // beside) * (2 + 2 * self.rows) + 3
        image = Image.new("RGB", (LETTER * (broad + 2), LINE * (lines + 1)), CLOTH)
        drawing, font = ImageDraw.Draw(image), ImageFont.load_default(15)
        for row, line in enumerate(self._lines(game, asked, ASCII, broad)):
            column = 1.0
            for piece in line:
                x, y, width = LETTER * column, LINE * (row + 0.5), LETTER * len(piece.text)
                if piece.text[:1] in ("[", "("):
                    drawing.rectangle((x, y + 1, x + width - 1, y + LINE - 1), PAPER, "black")
                    middle = (x + width / 2, y + LINE / 2)
                    drawing.text(middle, piece.text.strip("[( )]"), FACES[piece.style], font, anchor="mm")
                else:
                    for number, letter in enumerate(piece.text):
                        middle = (x + LETTER * (number + 0.5), y + LINE / 2)
                        drawing.text(middle, letter, INK[piece.style], font, anchor="mm")
                column += len(piece.text)
        return np.array(image)

    def _lines(self, game: Game, asked: str, glyphs: Glyphs, width: int) -> Sequence[Line]:
        view = view_of(game, self.viewer)
        how = Drawing(names=self.names, glyphs=glyphs)
        said = f": {asked}" if asked else ""
        headline = f"{self.title}, {'playoff, ' if view.playoff else ''}round {view.round}{said}"
        return [(Piece(headline),), *draw_layouts(view, how, width), draw_middle(view, how)]


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
