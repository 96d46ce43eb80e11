"""Matches of Powers by a script: sets that are dealt, and turns in which a card's power is used."""

from typing import Any

from scripted import Script, Start

from protocol.actions import Action, Discard
from protocol.events import Event

ZERO = "(AS) (3S) (4S) / (6S) (7S) (8S)"
ONE = "(AH) (3H) (4H) / (6H) (7H) (8H)"
TWO = "(AD) (3D) (4D) / (6D) (7D) (8D)"

VIEWERS = (None, 0, 1, 2)

IN_ONE = [(1, slot) for slot in range(6)]
IN_TWO = [(2, slot) for slot in range(6)]

COPIES = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q"]
"""What a 2 copies as long as nobody has knocked."""


def deal(start: Start, stock: str, *sets: str, **options: Any) -> Script:
    """A match with these cards on top of the stock and these sets, by default three; without first looks."""
    return start("powers", sets or (ZERO, ONE, TWO), stock=stock, initial_look="none", **options)


def discard(match: Script, *answers: Action, seat: int = 0, then: str) -> list[Event]:
    """The seat draws from the stock, discards, and these answers are given; returns what the table was told."""
    match.play(f"{seat} turn: draw stock; place")
    for action in (Discard(), *answers):
        match.game.answer(action)
    assert match.open == then
    return match.news(None)[1:]
