"""The states document: a match as states, for whoever shows it. Its format is `golfref-states-1`.

A document has one viewer: the public, a seat, or `open`, who sees all cards. It begins with a state, and each step
tells what has happened, in words, and what it changes in the state. Changes are paths with values, so whoever shows
them needs no rules. Nothing here guesses: what a viewer cannot know is null.
"""

from typing import Any, Literal

from msgspec import Struct

from protocol.cards import Card

FORMAT: Literal["golfref-states-1"] = "golfref-states-1"
"""What a states document says that it is."""

TOP_OF_PILE = 3
"""How many cards of the pile a state tells, from the top."""


class SlotState(Struct, frozen=True, kw_only=True):
    """A card in a slot."""

    up: bool
    card: Card | None
    """None where the viewer does not know it."""
    knows: tuple[tuple[int, int], ...] = ()
    """For a face-down card: each seat of which the viewer can tell that it knows the card, and the step since when."""


class HandState(Struct, frozen=True, kw_only=True):
    """What a seat has drawn and not placed yet."""

    seat: int
    cards: tuple[Card | None, ...]


class PileState(Struct, frozen=True, kw_only=True):
    """The discard pile."""

    count: int
    top: tuple[Card | None, ...]
    """Its highest cards, three at most; the top card is the last one."""


class SeatState(Struct, frozen=True, kw_only=True):
    """What lies before a seat."""

    slots: tuple[SlotState | None, ...]
    """By slot number; None is an empty slot."""
    places: tuple[tuple[int, int], ...]
    """By slot number, its row and its column on the table, from 0."""
    shields: tuple[Card | None, ...] = ()
    strokes: tuple[int, ...] = ()
    """Par golf: the rows that are taken as strokes."""
    total: int = 0
    """Strokes of the rounds that are over."""
    score: int | None = None
    """The score of the round, once it is over."""
    worth: int | None = None
    """What the layout would score if the round ended now, by the rules. Only `open` is told."""
    forfeited: bool = False


class State(Struct, frozen=True, kw_only=True):
    """All that lies on the table, as the viewer knows it."""

    round: int
    """From 1; 0 before the first deal."""
    playoff: bool
    dealer: int
    turn: int | None
    """The seat whose turn it is."""
    ender: int | None
    """Who has knocked, ended the hole or finished first."""
    stock: int
    pile: PileState
    hand: HandState | None
    seats: tuple[SeatState, ...]


Change = tuple[tuple[str | int, ...], Any]
"""A path into the state, as in `["seats", 0, "slots", 2]`, and the value that stands there now."""


class Step(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that has happened."""

    at: str
    """The name of the moment, as in `r3t12` (moments.py)."""
    round: int
    turn: int
    """The number of the turn in its round; 0 before the first one."""
    window: int = 0
    """The number of the slap window in its round that this is part of; 0 outside of windows."""
    event: str | None = None
    """The kind of event as on the wire (protocol/README.md section 6); None where an answer changed nothing."""
    seat: int | None = None
    """Who did it."""
    words: tuple[str, ...] = ()
    cards: tuple[tuple[int, int], ...] = ()
    """The cards that are concerned, as seat and slot, where they lie afterwards."""
    changes: tuple[Change, ...] = ()


class BotOfMatch(Struct, frozen=True, kw_only=True):
    """Who sits on a seat."""

    name: str
    owner: str = ""


class Document(Struct, frozen=True, kw_only=True):
    """A match as one viewer may know it."""

    format: Literal["golfref-states-1"] = FORMAT
    golfref: str
    """The version that played it."""
    preset: str
    game: str
    """The game's name in tables."""
    view: Literal["public", "seat", "open"]
    seat: int | None = None
    """Whose view it is, where it is that of a seat."""
    bots: tuple[BotOfMatch, ...]
    totals: tuple[int, ...]
    """By seat, at the end of the match; lower is better."""
    ranks: tuple[int, ...]
    start: State
    """The state before the first step."""
    steps: tuple[Step, ...]


class MoreOfStep(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a seat's or the open document has besides the public one at a step. What is not there is the same."""

    step: int
    """The number of the step, from 0."""
    words: tuple[str, ...] | None = None
    """These take the place of the public words."""
    changes: tuple[Change, ...] = ()
    """These come after the public changes."""


class Additions(Struct, frozen=True, kw_only=True):
    """What makes a seat's or the open document out of the public one."""

    view: Literal["seat", "open"]
    seat: int | None = None
    start: State
    more: tuple[MoreOfStep, ...]
