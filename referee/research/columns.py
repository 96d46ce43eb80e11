"""The table of a game's observation: which codes there are, where they stand, and what each becomes in a tensor.

`codes.py` writes the codes, `tensors.py` makes tensors of them. `python -m referee.research GAME` prints the table.
"""

from __future__ import annotations  # array[int] is a type for type checkers alone

from array import array
from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Literal, get_args

from msgspec import Struct

from protocol.cards import Card, rank
from protocol.messages import Decision
from referee.research.moves import Several, grows, places
from referee.rules.games.power_cards import POWERS, power_of
from referee.rules.variants import Variant, deck, size

DECISIONS: tuple[str, ...] = get_args(Decision)
KINDS: tuple[str, ...] = get_args(Several)
POWER_NAMES = (*POWERS, "2", "Q")

EMPTY, UNKNOWN, KNOWN = 0, 1, 2
"""The code of a slot: empty, a card that the seat does not know, and from KNOWN on a kind of card, first face down."""

Becomes = Literal["one_of", "part", "card", "seats", "age", "left", ""]
"""What codes become in a tensor. "": nothing by themselves, and for

* `one_of`: as many numbers as the code has values but 0, and 1 at the value;
* `part`: the code divided by `most`;
* `card`: 1 if a card lies there, 1 if it lies face up, 1 if the seat knows it, and 1 at its kind, if it is known;
* `seats`: a number for each seat, from the bits of the code;
* `age`: how many events ago that was (`now`), divided by `most`, of cards that the seat knows;
* `left`: the code without those used (`shield_uses`, of which `most` make one), as a part of 4.
"""


class Column(Struct, frozen=True):
    """Some codes: their name and meaning, by axes how many there are, and what they become in a tensor."""

    name: str
    means: str
    becomes: Becomes = "part"
    most: float = 1
    shape: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How many codes there are."""
        return prod(self.shape)


class Fields(Struct, frozen=True, kw_only=True):
    """Where the codes of a game with so many seats stand; `at` has the first place of each name."""

    columns: tuple[Column, ...]
    at: dict[str, int]
    size: int
    seats: int
    places: int
    kinds: dict[Card, int]
    """For each card of the pack the number of its kind."""
    of_kind: tuple[int, ...]
    """How many cards of each kind the pack has."""
    is_hidden: bool
    """Whether cards can lie face down that some seats know."""
    has_steps: bool
    """Whether an action can take several steps."""
    grows: bool
    blank: array[int]
    """The codes at the beginning of a round."""


def fields_of(variant: Variant, seats: int) -> Fields:
    """Return where the codes of a game stand."""
    pack = deck(variant, seats)
    kinds = kinds_of_cards(variant, pack)
    counts = Counter(kinds[card] for card in pack)
    of_kind = tuple(counts[kind] for kind in range(len(counts)))
    columns = _columns(variant, seats, of_kind)
    at: dict[str, int] = {}
    blank = array("i")
    for column in columns:
        at[column.name] = len(blank)
        blank.extend([0] * column.count)
    blank[at["unseen"] : at["unseen"] + len(of_kind)] = array("i", of_kind)
    for seat in range(seats):
        start = at["cards"] + seat * places(variant)
        blank[start : start + size(variant)] = array("i", [UNKNOWN] * size(variant))
    return Fields(
        columns=columns,
        at=at,
        size=len(blank),
        seats=seats,
        places=places(variant),
        kinds=kinds,
        of_kind=of_kind,
        is_hidden="knows" in at,
        has_steps="begun" in at,
        grows="beyond" in at,
        blank=blank,
    )


def kinds_of_cards(variant: Variant, cards: Sequence[Card]) -> dict[Card, int]:
    """Return for each card of the pack the number of its kind: numbers rise in the order of the pack.

    Cards of a kind have the same rank and points, in Powers the same power, and are wild or not.
    """
    numbers: dict[object, int] = {}
    found = {}
    for card in cards:
        wild = variant.options.one_eyed_wild and card in ("JS", "JH")
        power = power_of(card) if variant.play == "powers" else ""
        kind = rank(card), variant.worth[card], power, wild
        found[card] = numbers.setdefault(kind, len(numbers))
    return found


def _columns(variant: Variant, seats: int, of_kind: tuple[int, ...]) -> tuple[Column, ...]:
    """The table: the codes that every game has, and those that follow from its rules."""
    options, play, count, pack = variant.options, variant.play, len(of_kind), sum(of_kind)
    slots = (seats, places(variant))
    rounds = float(options.rounds or 9)
    turns = float((variant.turns_each or options.turn_cap) * seats)
    limit = float(abs(options.limit or 0) or 5 * size(variant) * rounds)
    each, one = (seats,), (1,)
    table = [
        Column("decision", "what this seat is asked and has not answered", "one_of", len(DECISIONS), one),
        Column("turn", "whose turn it is", "one_of", seats, one),
        Column("dealer", "the dealer", "one_of", seats, one),
        Column("ender", "the seat that has knocked or finished", "one_of", seats, one),
        Column("to_come", "in a final lap, 1 for the seats that have a turn after this one", shape=each),
        Column("round", "the number of the round, as a part of all (of 9 if none are set)", "part", rounds, one),
        Column("turns", "the turns of this round so far, as a part of the turn cap", "part", turns, one),
        Column("playoff", "1 in a playoff", shape=one),
        Column("totals", "the totals, as a part of `limit`, or of 5 points a card of all rounds", "part", limit, each),
        Column("stock", "the cards in the stock, as a part of all cards", "part", pack, one),
        Column("pile", "the cards in the pile, as a part of all cards", "part", pack, one),
        Column("top", "the kind of the pile's top card", "one_of", count, one),
        Column("hand_of", "the seat that has drawn a card and not placed it", "one_of", seats, one),
        Column("hand", "the kind of that card, if this seat knows it", "one_of", count, one),
        Column("unseen", "the cards of each kind of which this seat does not know where they are", shape=(count,)),
        Column("cards", "the cards on the table", "card", count, slots),
    ]
    hidden_plays = ("cambio", "cactus", "powers", "four_turns", "par")
    if options.initial_look is not None or play in hidden_plays:
        table += [
            Column("knows", "the seats of which anybody can tell that they know the card", "seats", seats, slots),
            Column("shown", "the event that showed a known card last; a tensor has its age", "age", 20 * seats, slots),
            Column("now", "the number of the next event in its round", "", 0, one),
        ]
    if play == "powers" or options.slaps:
        table.append(Column("aimed", "1 if the latest power, or its right slap, is aimed at the card", shape=slots))
    if grows(variant):
        table.append(Column("beyond", "the cards without a place, as a part of all places", "part", slots[1], each))
    has_powers = play == "cambio" and bool(options.cambio_powers)
    if play in ("cactus", "powers") or has_powers or (play == "par" and options.arrange == "after_look"):
        table += [
            Column("chosen", "the card's place in the choice that this seat has begun", "part", slots[1], slots),
            Column("begun", "the kind of action that this seat has begun", "one_of", len(KINDS), one),
            Column("begun_seat", "the seat that it has chosen in it", "one_of", seats, one),
            Column("begun_axis", "1 if it has chosen columns", shape=one),
            Column("begun_card", "the card that it has chosen to keep, as a part of 3", "part", 3, one),
            Column("begun_line", "the line that it has chosen, as a part of all places", "part", slots[1], one),
        ]
    if play == "par":
        table += [
            Column("rows", "the rows of the hole, as a part of 5", "part", 5, one),
            Column("strokes", "by seat and row, 1 for those taken as strokes", shape=(seats, variant.rows)),
        ]
    if play == "powers":
        uses = float("inf") if options.shield_uses == "unlimited" else float(options.shield_uses)
        table += [
            Column("extra", "the kinds of the cards that this seat has drawn by an 8", "one_of", count, (2,)),
            Column("power", "the power announced last in this turn", "one_of", len(POWER_NAMES), one),
            Column("shields", "how many shields, without the used part of one, as a part of 4", "left", uses, each),
            Column("shield_uses", "how often the oldest shield was used", "", 0, each),
        ]
    if play == "two_deck":
        table.append(Column("latest_row", "the row of the latest card placed or turned", "one_of", variant.rows, each))
    return tuple(table)
