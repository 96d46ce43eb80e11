"""Makes the states documents of a match: one for each viewer, and those of seats as additions to the public one."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from protocol.text import printable
from referee.film.film import OPEN, Film, Viewer
from referee.film.moments import moments
from referee.film.states import (
    TOP_OF_PILE,
    Additions,
    BotOfMatch,
    Change,
    Document,
    HandState,
    MoreOfStep,
    PileState,
    SeatState,
    SlotState,
    State,
    Step,
)
from referee.film.view import Placed, View
from referee.rules.record import Record


def document(record: Record, film: Film, viewer: Viewer) -> Document:
    """The match as this viewer may know it: a seat, None for the public, or OPEN."""
    names = moments(film.frames)
    start = state = plain(_state(film.blank))
    steps = []
    for number, frame in enumerate(film.frames):
        now = plain(_state(film.view(number, viewer)))
        steps.append(
            Step(
                at=names[number],
                round=frame.turn[0],
                turn=frame.turn[1],
                window=frame.window[1] if frame.is_window else 0,
                event=None if frame.event is None else str(frame.event.__struct_config__.tag),
                seat=getattr(frame.event, "seat", None),
                words=tuple(film.words(number, viewer)),
                changes=tuple(changes_between(state, now)),
            )
        )
        state = now
    return Document(
        golfref=record.golfref,
        preset=record.preset,
        game=printable(record.name, 100),
        view="open" if viewer == OPEN else "public" if viewer is None else "seat",
        seat=viewer if viewer is not None and viewer >= 0 else None,
        bots=tuple(
            BotOfMatch(name=name, owner=printable(bot.owner, 100))
            for name, bot in zip(film.names, record.seats, strict=True)
        ),
        totals=record.result.totals,
        ranks=record.result.ranks,
        start=msgspec.convert(start, State),
        steps=tuple(steps),
    )


def additions(public: Document, own: Document) -> Additions:
    """What makes `own` out of the public document of the same match."""
    if own.view == "public":
        raise ValueError("the public document has nothing to add to itself")
    state = truth = plain(own.start)
    more = []
    for number, (shared, step) in enumerate(zip(public.steps, own.steps, strict=True)):
        truth = changed(truth, step.changes)
        state = changed(state, shared.changes)
        changes = tuple(changes_between(state, truth))
        words = None if step.words == shared.words else step.words
        if changes or words is not None:
            more.append(MoreOfStep(step=number, words=words, changes=changes))
        state = truth
    return Additions(view=own.view, seat=own.seat, start=own.start, more=tuple(more))


def plain(state: State) -> Any:
    """The state as dicts and lists, as it stands in JSON."""
    return msgspec.json.decode(msgspec.json.encode(state))


def changes_between(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> Iterator[Change]:
    """What must be set in `before`, made of plain dicts and lists, so that it equals `after`."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key in after:
            yield from changes_between(before[key], after[key], (*path, key))
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from changes_between(old, new, (*path, number))
    elif before != after:
        yield path, after


def changed(state: Any, changes: Sequence[Change]) -> Any:
    """The state, made of plain dicts and lists, with the changes made. What has not changed is shared with it."""
    for path, value in changes:
        state = _set(state, path, value)
    return state


def _set(state: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    copy: Any = dict(state) if isinstance(state, dict) else list(state)
    copy[path[0]] = _set(copy[path[0]], path[1:], value)
    return copy


def _state(view: View) -> State:
    hand = view.hand
    return State(
        round=view.round,
        playoff=view.playoff,
        dealer=view.dealer,
        turn=view.turn,
        ender=view.knocker,
        stock=view.stock,
        pile=PileState(count=len(view.pile), top=tuple(map(_card, view.pile[-TOP_OF_PILE:]))),
        hand=None
        if hand is None
        else HandState(seat=hand.seat, cards=tuple(view.known.get(one) for one in hand.cards)),
        seats=tuple(_seat(view, seat) for seat in range(view.seats)),
    )


def _seat(view: View, seat: int) -> SeatState:
    layout = view.layouts[seat]
    return SeatState(
        slots=tuple(None if placed is None else _slot(view, placed) for placed in layout),
        places=tuple(view.place(slot) for slot in range(len(layout))),
        shields=tuple(map(_card, view.shields[seat])),
        strokes=tuple(sorted(view.strokes[seat])),
        total=view.totals[seat],
        score=view.scores[seat] if view.scores else None,
        forfeited=seat in view.forfeited,
    )


def _slot(view: View, placed: Placed) -> SlotState:
    return SlotState(up=placed.up, card=view.known.get(placed.number))


def _card(card: str) -> str | None:
    """A card of the pile or a shield; the follower says `?` for what the viewer was not told."""
    return None if card == "?" else card
