"""A table as lines of text, with the name of a style for each piece. Without any style the text says all of it.

A card that lies open stands in brackets, `[10H]`; one that lies face down in round ones where the viewer knows it,
`(10H)`, and as `[###]` where not. Knows neither rules nor the terminal.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from protocol.actions import Target
from protocol.cards import Card
from protocol.text import printable
from referee.match_states.view import Placed, View

CELL = 6
"""The width of a card with the space behind it."""

NARROWEST = 2
"""A layout takes the room of so many columns at least, so that a name fits above it."""

GAP = 2
"""The space between two layouts."""


class Piece(Struct, frozen=True):
    """A text and the name of its style; the empty name is plain text."""

    text: str
    style: str = ""


Line = tuple[Piece, ...]


class Glyphs(Struct, frozen=True, kw_only=True):
    """The signs that are drawn."""

    suits: Mapping[str, str]
    hidden: str
    turn: str
    more: str = "..."
    line: str = "-"
    """What a bar of an interval is drawn with, and the point in it."""
    point: str = "o"


UNICODE = Glyphs(suits={"S": "♠", "H": "♥", "D": "♦", "C": "♣"}, hidden="░░░", turn="►", more="…", line="─", point="●")
ASCII = Glyphs(suits={}, hidden="###", turn=">")


class Marks(Struct, frozen=True, kw_only=True):
    """What a person's choice adds to the drawing."""

    labels: Mapping[Target, str] = {}
    """The keys of the cards that may be chosen."""
    chosen: tuple[Target, ...] = ()
    """The cards that are chosen already, in their order."""
    cursor: Target | None = None


class Drawing(Struct, frozen=True, kw_only=True):
    """How to draw: for whom, with which signs and marks."""

    names: Sequence[str]
    """Those of the bots, by seat."""
    first: int = 0
    """The seat that stands first; the others follow clockwise."""
    you: int | None = None
    glyphs: Glyphs = UNICODE
    marks: Marks | None = None
    """None while nothing is to be chosen: then every card has the number of its slot."""


def draw_layouts(view: View, how: Drawing, width: int) -> list[Line]:
    """The layouts of all seats, beside each other as far as the width allows."""
    return [line for _, lines in _rows(view, how, width) for line in lines]


def block_line(view: View, seat: int, how: Drawing, width: int) -> int:
    """The number of the line of `draw_layouts` in which the layout of a seat begins."""
    number = 0
    for seats, lines in _rows(view, how, width):
        if seat in seats:
            break
        number += len(lines)
    return number


def draw_middle(view: View, how: Drawing) -> Line:
    """The stock, the pile, and the cards in hand."""
    pieces = [Piece(f" stock {view.stock}   pile ")]
    if view.pile:
        top = view.pile[-1]
        face = f"[{card_text(top, how.glyphs):>3}]" if top != "?" else f"[{how.glyphs.hidden}]"
        pieces += [Piece(face, "red" if is_red(top) else ""), Piece(f" of {len(view.pile)}")]
    else:
        pieces.append(Piece("empty"))
    if view.hand is not None:
        whose = "your" if view.hand.seat == how.you else f"{view.hand.seat}'s"
        pieces.append(Piece(f"   in {whose} hand "))
        for number in view.hand.cards:
            card = view.known.get(number)
            text = how.glyphs.hidden if card is None else f"{card_text(card, how.glyphs):>3}"
            pieces.append(Piece(f"[{text}]", "strong" if card else "dim"))
    return tuple(pieces)


def plain(lines: Sequence[Line]) -> str:
    """The drawing without its styles, a line each."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines) + "\n"


def card_text(card: Card, glyphs: Glyphs) -> str:
    """A card as it is drawn: `10♥`, or `10H` without such signs."""
    return card[:-1] + glyphs.suits.get(card[-1], card[-1]) if card[0] != "X" else card


def is_red(card: Card | None) -> bool:
    """Whether the card's suit is hearts or diamonds."""
    return card is not None and card[-1] in "HD" and card[0] != "X"


# Layouts


class _Block(Struct, frozen=True):
    width: int
    lines: list[Line]


def _block(view: View, how: Drawing, seat: int) -> _Block:
    """A seat: its name, its total and what there is to say of it, and its cards, each above its slot or its key."""
    layout = view.layouts[seat]
    places = {view.place(slot): slot for slot in range(len(layout))}
    rows = max((row for row, _ in places), default=0) + 1
    columns = max(NARROWEST, max((column for _, column in places), default=0) + 1)
    width = CELL * columns
    lines: list[Line] = [_name(view, how, seat, width), _state(view, how, seat, width)]
    for row in range(rows):
        slots = [places.get((row, column)) for column in range(columns)]
        cells = [_cell(view, how, seat, slot) for slot in slots]
        lines.append(tuple(piece for cell in cells for piece in cell))
        lines.append(tuple(_label(view, how, seat, slot) for slot in slots))
    return _Block(width, lines)


def _name(view: View, how: Drawing, seat: int, width: int) -> Line:
    sign = how.glyphs.turn if view.turn == seat else " "
    name = "you" if seat == how.you else printable(how.names[seat], 40)
    text = _cut(f"{sign}{seat} {name}", width, how.glyphs)
    return (Piece(text, "strong" if seat in (view.turn, how.you) else ""),)


def _state(view: View, how: Drawing, seat: int, width: int) -> Line:
    """The total, and the most important of what else there is to say, as far as there is room."""
    now = f"{view.scores[seat]:+d}" if view.scores else ""
    said = [f" {view.totals[seat]}" + (f" ({now})" if now else "")]
    if seat in view.forfeited:
        said.append("forfeit")
    if view.knocker == seat:
        said.append("ended")
    said += [f"{len(view.shields[seat])} shield{'s' * (len(view.shields[seat]) > 1)}"] * bool(view.shields[seat])
    if view.dealer == seat and view.round:
        said.append("dealer")
    text = said[0]
    for word in said[1:]:
        longer = f"{text}, {word}"
        text = longer if len(longer) <= width - 1 else text
    return (Piece(_cut(text, width, how.glyphs), "dim"),)


def _cell(view: View, how: Drawing, seat: int, slot: int | None) -> Iterator[Piece]:
    """A card in its brackets and the space behind it."""
    placed = None if slot is None else view.layouts[seat][slot]
    if placed is None or slot is None:
        yield Piece("  .   " if slot is not None else " " * CELL, "dim")
        return
    text, style = _face(view, how, placed)
    marks = how.marks or Marks()
    left, right = ("[", "]") if placed.up or placed.number not in view.known else ("(", ")")
    if (seat, slot) == marks.cursor:
        left, right = (">", "<")
    if (seat, slot) in marks.chosen or (seat, slot) == marks.cursor:
        style = "marked"
    yield Piece(f"{left}{text}{right}", style)
    yield Piece(" ")


def _face(view: View, how: Drawing, placed: Placed) -> tuple[str, str]:
    card = view.known.get(placed.number)
    if card is None:
        return how.glyphs.hidden, "dim"
    return f"{card_text(card, how.glyphs):>3}", ("red" if is_red(card) else "") if placed.up else "known"


def _label(view: View, how: Drawing, seat: int, slot: int | None) -> Piece:
    """Under a card its key where it may be chosen, else the number of its slot; `*` where it is chosen."""
    if slot is None or view.layouts[seat][slot] is None:
        return Piece(" " * CELL)
    stroked = "=" if view.place(slot)[0] in view.strokes[seat] else ""
    if how.marks is None or not (how.marks.labels or how.marks.chosen):
        return Piece(f"{slot}{stroked}".center(CELL - 1) + " ", "dim")
    if (seat, slot) in how.marks.chosen:
        order = how.marks.chosen.index((seat, slot)) + 1
        return Piece(f"*{order}".center(CELL - 1) + " ", "key")
    label = how.marks.labels.get((seat, slot), "")
    return Piece(f"{label}{stroked}".center(CELL - 1) + " ", "key" if label else "dim")


# Everything together


def _rows(view: View, how: Drawing, width: int) -> Iterator[tuple[list[int], list[Line]]]:
    """The layouts that stand beside each other, as many as there is room for: their seats and their lines."""
    seats: list[int] = []
    blocks: list[_Block] = []
    for step in range(view.seats):
        seat = (how.first + step) % view.seats
        block = _block(view, how, seat)
        # the space behind the last card may be cut off
        if blocks and sum(one.width + GAP for one in blocks) + block.width > width + 1:
            yield seats, _beside(blocks)
            seats, blocks = [], []
        seats.append(seat)
        blocks.append(block)
    yield seats, _beside(blocks)


def _beside(blocks: Sequence[_Block]) -> list[Line]:
    height = max(len(block.lines) for block in blocks)
    lines = []
    for number in range(height):
        pieces: list[Piece] = []
        for block in blocks:
            line = block.lines[number] if number < len(block.lines) else ()
            taken = sum(len(piece.text) for piece in line)
            pieces += [*line, Piece(" " * (block.width - taken + GAP))]
        lines.append(tuple(pieces))
    return lines


def _cut(text: str, width: int, glyphs: Glyphs) -> str:
    """The text with exactly this width."""
    if len(text) > width - 1:
        text = text[: width - 1 - len(glyphs.more)] + glyphs.more
    return text.ljust(width)
