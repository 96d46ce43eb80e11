"""A cursor over the cards of a table, moved by arrows from one that may be chosen to the next."""

from collections.abc import Sequence

from protocol.actions import Target
from referee.match_states.view import View

ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
"""How many columns and rows an arrow goes."""


def moved(view: View, first: int, places: Sequence[Target], cursor: Target | None, arrow: str) -> Target:
    """The nearest card in the arrow's direction among `places`, as they are drawn with the seat `first` at the left.

    It is the cursor itself where there is none, and the first of `places` where the cursor was nowhere.
    """
    spots = _spots(view, first)
    if cursor is None or cursor not in places:
        own = [place for place in places if place[0] == first]
        return min(own or places, key=lambda place: (spots[place][1], spots[place][0]))
    (x, y), (right, down) = spots[cursor], ARROWS[arrow]

    def far(place: Target) -> tuple[int, int]:
        """How far a card lies aside from the way, and how far along it."""
        across, along = spots[place][0] - x, spots[place][1] - y
        return (abs(along), across * right) if right else (abs(across), along * down)

    ahead = [place for place in places if far(place)[1] > 0]
    return min(ahead, key=lambda place: (3 * far(place)[0] + far(place)[1], place), default=cursor)


def _spots(view: View, first: int) -> dict[Target, tuple[int, int]]:
    """Where each card lies, as columns and rows of cards, with the seats beside each other."""
    found, left = {}, 0
    for step in range(view.seats):
        seat = (first + step) % view.seats
        wide = 0
        for slot in range(len(view.layouts[seat])):
            row, column = view.place(slot)
            found[(seat, slot)] = (left + column, row)
            wide = max(wide, column + 1)
        left += wide + 1
    return found
