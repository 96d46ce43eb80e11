"""What changes in a state from one step to the next, as paths and values of plain data."""

from collections.abc import Iterator, Sequence
from typing import Any

from protocol.cards import Card
from referee.match_states.states import TOP_OF_PILE, Change
from referee.match_states.view import View

Path = tuple[str | int, ...]

Plain = Any
"""What JSON can hold."""


def shared_changes(before: View, after: View) -> Iterator[Change]:
    """The changes of all that everybody sees alike."""
    for name, field in _SCALARS.items():
        if getattr(before, field) != getattr(after, field):
            yield (name,), getattr(after, field)
    if before.pile != after.pile:
        if len(before.pile) != len(after.pile):
            yield ("pile", "count"), len(after.pile)
        if before.pile[-TOP_OF_PILE:] != after.pile[-TOP_OF_PILE:]:
            yield ("pile", "top"), _cards(after.pile[-TOP_OF_PILE:])
    for seat in range(after.seats):
        if _is_same(before, after, seat):
            continue
        old, new = _of_seat(before, seat), _of_seat(after, seat)
        yield from ((("seats", seat, name), new[name]) for name in new if old[name] != new[name])


def _is_same(before: View, after: View, seat: int) -> bool:
    """Whether surely nothing has changed before a seat but for its slots."""
    return (
        before.rows == after.rows
        and len(before.layouts[seat]) == len(after.layouts[seat])
        and before.shields is after.shields
        and before.strokes is after.strokes
        and before.totals is after.totals
        and before.scores is after.scores
        and before.forfeited is after.forfeited
    )


def _of_seat(view: View, seat: int) -> dict[str, Plain]:
    """What lies before a seat besides its slots."""
    return {
        "places": places(view, seat),
        "shields": _cards(view.shields[seat]),
        "strokes": sorted(view.strokes[seat]),
        "total": view.totals[seat],
        "score": view.scores[seat] if view.scores else None,
        "forfeited": seat in view.forfeited,
    }


_SCALARS = {
    "round": "round",
    "playoff": "playoff",
    "dealer": "dealer",
    "turn": "turn",
    "ender": "knocker",
    "stock": "stock",
}
"""Fields of a state, and of the view that they come from."""


def slot_changes(path: Path, before: Sequence[Plain], after: Sequence[Plain]) -> Iterator[Change]:
    """The changes of a seat's slots: all at once where they are more or fewer, or most of them have changed."""
    changed = [number for number, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or 2 * len(changed) > len(after) > 2:
        yield path, after
        return
    for number in changed:
        yield from value_changes((*path, number), before[number], after[number])


def value_changes(path: Path, before: Plain, after: Plain) -> Iterator[Change]:
    """The changes of a slot or of a hand: of one of its fields, or of the whole."""
    if before == after:
        return
    if before is not None and after is not None:
        fields = [name for name in after if before[name] != after[name]]
        if len(fields) == 1:
            yield (*path, fields[0]), after[fields[0]]
            return
    yield path, after


def blank(view: View) -> Plain:
    """The state of a table before anything has happened."""
    seats = [{"slots": [None] * len(view.layouts[seat]), **_of_seat(view, seat), "worth": None}
             for seat in range(view.seats)]  # fmt: skip
    return {
        **{name: getattr(view, field) for name, field in _SCALARS.items()},
        "pile": {"count": 0, "top": []},
        "hand": None,
        "seats": seats,
    }


def places(view: View, seat: int) -> list[list[int]]:
    """By slot, its row and its column."""
    return [list(view.place(slot)) for slot in range(len(view.layouts[seat]))]


def _cards(cards: Sequence[Card]) -> list[Card | None]:
    """Cards of the pile or shields; the follower says `?` for what the viewer was not told."""
    return [None if card == "?" else card for card in cards]
