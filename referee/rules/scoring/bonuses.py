"""Cards that count together for a number of their own (RULES.md section 6): blocks, sides of kings, the straight.

Wild jacks are jacks here (SCO-07). Slots are numbered row by row; a shape is a number of rows and one of columns.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from protocol.cards import JOKER, RANKS, Card, rank
from referee.rules.options import Options


class Bonus(Struct, frozen=True, kw_only=True):
    """Cards that count `score` together, instead of their own values."""

    slots: frozenset[int]
    score: int


def bonus_choices(
    options: Options, shape: tuple[int, int], cards: Sequence[Card | None], points: Sequence[int]
) -> Iterator[tuple[Bonus, ...]]:
    """Yield every choice of bonuses that share no card and leave no room for another; an empty one if there are none.

    A bonus can be left out only for another (SCO-08). One that stands alone counts, whether it helps or not.
    """
    found: list[Bonus] = []
    if options.block_bonus is not None:
        by_points = options.block_match == "points"
        likeness = [card and (worth if by_points else rank(card)) for card, worth in zip(cards, points, strict=True)]
        found += [Bonus(slots=slots, score=options.block_bonus) for slots in _blocks(shape, likeness)]
    if options.kings_side is not None:
        found += [Bonus(slots=slots, score=options.kings_side) for slots in _sides_of_kings(shape, cards)]
    if not found:
        yield ()
    for count in range(1, len(found) + 1):
        for chosen in combinations(found, count):
            taken = {slot for bonus in chosen for slot in bonus.slots}
            left = [bonus for bonus in found if bonus not in chosen]
            if len(taken) == 4 * count and not any(bonus.slots.isdisjoint(taken) for bonus in left):
                yield chosen


def is_straight(cards: Sequence[Card]) -> bool:
    """Return whether nine cards have consecutive ranks, the ace low, in any places (SCO-10, NIN-11)."""
    if any(rank(card) == JOKER for card in cards):
        return False
    steps = sorted(RANKS.index(rank(card)) for card in cards)
    return bool(steps) and steps == list(range(steps[0], steps[0] + 9))


def _blocks(shape: tuple[int, int], likeness: Sequence[str | int | None]) -> Iterator[frozenset[int]]:
    """Yield the slots of each four cards in a square that are alike (SCO-08, NIN-10)."""
    rows, columns = shape
    for row in range(rows - 1):
        for column in range(columns - 1):
            corner = row * columns + column
            slots = (corner, corner + 1, corner + columns, corner + columns + 1)
            alike = {likeness[slot] for slot in slots}
            if len(alike) == 1 and None not in alike:
                yield frozenset(slots)


def _sides_of_kings(shape: tuple[int, int], cards: Sequence[Card | None]) -> Iterator[frozenset[int]]:
    """Yield the slots of each long side that holds kings alone (SCO-09, EIG-04)."""
    rows, columns = shape
    for start in range(0, rows * columns, columns):
        if all(card and rank(card) == "K" for card in cards[start : start + columns]):
            yield frozenset(range(start, start + columns))
