"""What an ask offers, as steps: whole actions, and the choices that make up the others one by one."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any, cast

from protocol.actions import (
    Action,
    Arrange,
    DiscardPairs,
    Exchange,
    Keep,
    Look,
    Rearrange,
    SwapLines,
    SwapOwn,
    Switch,
    TurnUp,
)  # fmt: skip
from protocol.offers import ACTIONS, FIELDS, AnyOf, Offer, OneOf, Pick
from referee.research.moves import SEVERAL, Begin, Begun, Chosen, Move, Several, Then, Value
from referee.rules.questions import Ask


def choices(ask: Ask, begun: Begun) -> Iterator[Move]:
    """Yield the moves that come next, of all pages, with the numbers of seats and slots as they are at the table."""
    if begun.kind is not None:
        yield from (Then(value=cast(Any, value)) for value in _next_values(ask, begun.kind, begun.chosen))
        return
    for kind in dict.fromkeys(offer.kind for offer in ask.offers if offer.kind in SEVERAL):
        several = cast(Several, kind)
        yield from (Begin(kind=several, value=value) for value in _next_values(ask, several, ()))
    for offer in ask.offers:
        if offer.kind not in SEVERAL:
            yield from _whole(offer)


def extended(ask: Ask, begun: Begun, move: Begin | Then) -> Begun:
    """Return what has begun after this step; choices with one value left are made, too."""
    kind, chosen = (move.kind, (move.value,)) if isinstance(move, Begin) else (begun.kind, (*begun.chosen, move.value))
    while len(left := _next_values(ask, cast(Several, kind), chosen)) == 1:
        chosen = (*chosen, *left)
    return Begun(kind=kind, chosen=chosen)


def finished(ask: Ask, begun: Begun) -> Action | None:
    """Return the action whose choices have all been made; None where one is still open."""
    if begun.kind is None or _next_values(ask, begun.kind, begun.chosen):
        return None
    return _built(begun.kind, begun.chosen)


def leads_to(begun: Begun, wanted: Action) -> bool:
    """Return whether the action can still come of what has begun."""
    parts = _parts(wanted)
    return begun.kind == _kind(wanted) and parts[: len(begun.chosen)] == begun.chosen


def _whole(offer: Offer) -> Iterator[Action]:
    """The actions of an offer with at most one choice, those that take slots in any order once, in rising order."""
    make = ACTIONS[offer.kind]
    fields = FIELDS[offer.kind]
    if not fields:
        yield make()
        return
    (name,) = fields
    choice = getattr(offer, name)
    if isinstance(choice, OneOf):
        yield from (make(**{name: value}) for value in choice.one_of)
    elif isinstance(choice, Pick):
        yield from (make(**{name: some}) for some in combinations(sorted(choice.of), choice.pick))
    else:
        counts = range(len(cast(AnyOf, choice).any_of) + 1)
        every = chain.from_iterable(combinations(sorted(choice.any_of), count) for count in counts)
        yield from (make(**{name: some}) for some in every)


def _next_values(ask: Ask, kind: Several, chosen: Chosen) -> tuple[Value, ...]:
    """The values of the next choice of an action of this kind; () where all have been made."""
    offers = (cast(Any, offer) for offer in ask.offers if offer.kind == kind)
    return tuple(value for offer in offers for value in _next_of(offer, kind, chosen, ask.seat))


def _next_of(  # noqa: PLR0911 - a case for each kind
    offer: Any, kind: Several, chosen: Chosen, actor: int
) -> Sequence[Value]:
    count = len(chosen)
    match kind:
        case "switch":
            return _rising(sorted(offer.targets.of, key=lambda target: from_actor(target, actor)), chosen)
        case "exchange":
            return (offer.slot.one_of, offer.target.one_of, ())[count]
        case "keep":
            return (offer.card.one_of, offer.slot.one_of, ())[count]
        case "arrange":
            return [slot for slot in offer.slots.of if slot not in chosen]
        case "rearrange":
            if not chosen:
                return cast(Sequence[Value], offer.seat.one_of)
            return [slot for slot in offer.slots.of if slot not in chosen[1:]] if chosen[0] in offer.seat.one_of else ()
        case "swap_lines":
            start = (offer.seat.one_of[0], offer.axis.one_of[0])
            if not chosen:
                return (start,)
            return _rising(offer.lines.of, chosen[1:]) if chosen[0] == start else ()


def from_actor(target: Any, actor: int) -> tuple[bool, int, int]:
    """Return what sorts targets clockwise, beginning with the cards of the seat that acts."""
    return target[0] < actor, target[0], target[1]


def _rising(values: Sequence[Value], chosen: Chosen) -> Sequence[Value]:
    """Two different values in their order: all but the last one, then those after the first choice."""
    if not chosen:
        return values[:-1]
    return values[values.index(chosen[0]) + 1 :] if len(chosen) == 1 else ()


def _built(kind: Several, chosen: Any) -> Action:
    match kind:
        case "switch":
            return Switch(targets=chosen)
        case "exchange":
            return Exchange(slot=chosen[0], target=chosen[1])
        case "keep":
            return Keep(card=chosen[0], slot=chosen[1])
        case "arrange":
            return Arrange(slots=chosen)
        case "rearrange":
            return Rearrange(seat=chosen[0], slots=chosen[1:])
        case "swap_lines":
            return SwapLines(seat=chosen[0][0], axis=chosen[0][1], lines=chosen[1:])


def _parts(action: Action) -> Chosen:  # noqa: PLR0911 - as above
    """The choices of an action that takes several steps, in the order of the steps."""
    match action:
        case Switch(targets=targets):
            return targets
        case Exchange(slot=slot, target=target):
            return slot, target
        case Keep(card=card, slot=slot):
            return card, slot
        case Arrange(slots=slots):
            return slots
        case Rearrange(seat=seat, slots=slots):
            return seat, *slots
        case SwapLines(seat=seat, axis=axis, lines=lines):
            return (seat, axis), *lines
    return ()


def _kind(action: Action) -> str:
    return str(type(action).__struct_config__.tag)


def ordered(action: Action, actor: int) -> Action:
    """Return the same action with what it takes in any order in the order of the steps."""
    match action:
        case TurnUp(slots=slots) | Look(slots=slots):
            return type(action)(slots=tuple(sorted(slots)))
        case SwapOwn(slots=pair):
            return SwapOwn(slots=cast(Any, tuple(sorted(pair))))
        case DiscardPairs(rows=rows):
            return DiscardPairs(rows=tuple(sorted(rows)))
        case Switch(targets=targets):
            return Switch(targets=cast(Any, tuple(sorted(targets, key=lambda target: from_actor(target, actor)))))
        case SwapLines(seat=of, axis=axis, lines=lines):
            return SwapLines(seat=of, axis=axis, lines=cast(Any, tuple(sorted(lines))))
    return action
