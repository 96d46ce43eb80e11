"""The cards on the table at a moment of a match, all of them open, for pages that show one."""

import re
from collections.abc import Mapping

from msgspec import Struct

from protocol.cards import JOKER, Card, rank, suit
from referee.match_states.replay import Replay
from referee.match_states.view import View
from referee.rules.record import Record

_PART = re.compile(r"r\d+(?:t\d+|w\d+)?")
_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


class CardFace(Struct, frozen=True, kw_only=True):
    """A card as it is drawn."""

    rank: str
    suit: str
    is_red: bool
    is_up: bool
    """Whether it lies open at the table too."""


class Layout(Struct, frozen=True, kw_only=True):
    """The cards of a seat by rows, with None for empty slots, and what they scored where the round was over."""

    seat: int
    rows: tuple[tuple[CardFace | None, ...], ...]
    score: int | None


def layouts_at(record: Record, moment: str) -> tuple[Layout, ...]:
    """The cards of all seats when the round, turn or slap window of this moment was over. Raises what Replay raises."""
    replay, part = Replay(record), _PART.match(moment)
    of_part = re.compile(rf"{part[0] if part else 'r1'}(?![0-9])")
    view = [replay.blank, *(step.view for step in replay.steps if of_part.match(step.at))][-1]
    return tuple(_layout(view, seat, replay.cards) for seat in range(view.seats))


def _layout(view: View, seat: int, cards: Mapping[int, Card]) -> Layout:
    faces: dict[tuple[int, int], CardFace] = {}
    for slot, placed in enumerate(view.layouts[seat]):
        if placed is not None:
            faces[view.place(slot)] = _face(cards.get(placed.number, ""), is_up=placed.up)
    columns = max((column for _, column in faces), default=0) + 1
    return Layout(
        seat=seat,
        rows=tuple(tuple(faces.get((row, column)) for column in range(columns)) for row in range(view.rows)),
        score=view.scores[seat] if view.scores else None,
    )


def _face(card: str, *, is_up: bool) -> CardFace:
    if not card:
        return CardFace(rank="", suit="", is_red=False, is_up=False)
    shown = "★" if rank(card) == JOKER else rank(card)
    return CardFace(rank=shown, suit=_SUITS.get(suit(card), suit(card)), is_red=suit(card) in {"H", "D"}, is_up=is_up)
