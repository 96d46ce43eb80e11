"""What the file of each game offers: how its rounds begin and how its turns go, as they are played and in words.

This module must not know any game.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from protocol.cards import Card
from referee.rules.table.asks import Flow
from referee.rules.table.table import Table
from referee.rules.variants import Variant

SettleRows = Callable[[Table], Flow[int]]
"""What comes before the deal: returns how many rows the layouts of the round have."""

OpenRound = Callable[[Table], Flow[None]]
"""Plays what comes after the deal and before the first turn."""

TakeTurn = Callable[[Table, int], Flow[Card | None]]
"""Plays a seat's turn; returns the card that the seat put on the pile, None where it put none."""

InWords = Callable[[Variant], Iterator[str]]
"""Tells people, sentence by sentence, how a game goes with the options in force."""


class Course(Struct, frozen=True, kw_only=True):
    """How the rounds of a game go. `Variant.play` names a course, and courses.py lists all of them."""

    open_round: OpenRound
    take_turn: TakeTurn
    set_up_in_words: InWords
    turn_in_words: InWords
    settle_rows: SettleRows | None = None
    """None where every round has the rows of the variant."""
