"""Who may see what: the only way from what happened to what a seat is told (RULES.md section 3).

Inside the referee every card in an event is a `Secret`: a value with its audience. `view` starts from nothing and
adds what the viewer may know; an event whose secret field holds anything but `Secret` is refused, so a card cannot
reach a bot because somebody forgot about it.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Generic, TypeVar, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields, replace

from protocol import events as wire
from protocol.cards import Card

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Secret(Struct, Generic[T_co], frozen=True, gc=False):
    """A value and the seats that may see it. The audience None is everybody, spectators included."""

    value: T_co
    to: tuple[int, ...] | None

    def by(self, viewer: int | None) -> T_co | None:
        """Return the value for this seat (None: a spectator), or None when the seat may not see it."""
        return self.value if self.to is None or viewer in self.to else None


def everybody(value: T) -> Secret[T]:
    """Mark a value that lies open, such as a face-up card (INF-02)."""
    return Secret(value, None)


@cache
def _alone(seat: int) -> tuple[int, ...]:
    return (seat,)


def only(seat: int, value: T) -> Secret[T]:
    """Mark a value that one seat sees, such as a face-down card that it was shown (INF-02)."""
    return Secret(value, _alone(seat))


Hand = Secret[Card | None]
"""A card in an event inside the referee."""

Slots = Secret[tuple[int, ...]]
"""Slot numbers in an event inside the referee."""

TableEvent = (
    wire.Round | wire.UpCard[Hand] | wire.TurnedUp[Hand] | wire.Looked[Hand] | wire.Arranged[Slots] | wire.Skipped
    | wire.Drew[Hand] | wire.Reshuffled | wire.Swapped[Hand] | wire.Discarded[Hand] | wire.Knocked | wire.Finished
    | wire.Traded[Hand] | wire.SwappedOwn[Hand] | wire.PairsDiscarded[Hand] | wire.Stroked | wire.PowerUsed[Hand]
    | wire.Blocked[Hand] | wire.Shielded[Hand] | wire.Peeked[Hand] | wire.Switched | wire.Rearranged[Slots]
    | wire.LinesSwapped[Secret[str], Slots] | wire.Shuffled | wire.CardAdded | wire.CardRemoved[Hand]
    | wire.Planted[Hand] | wire.Exposed[Hand] | wire.Hidden | wire.DrewTwo[Hand] | wire.Kept[Hand]
    | wire.KnockCancelled | wire.Slapped[Hand] | wire.Gave | wire.WindowClosed | wire.Showdown[Hand] | wire.Scored
    | wire.Forfeited
    | wire.ParChosen
)  # fmt: skip
"""An event inside the referee: its secrets are `Secret`."""


def view(event: TableEvent, viewer: int | None) -> wire.Event:
    """Return the event as this seat, or with None a spectator, may see it (INF-01)."""
    secrets = _SECRETS[type(event)]
    if secrets == _CARD and type(card := event.card) is Secret:  # type: ignore[union-attr] # the usual case, written out
        shown = card.value if card.to is None or viewer in card.to else None
        return replace(event, card=shown)  # type: ignore[return-value] # of secrets nothing is left
    if not secrets:
        return event  # type: ignore[return-value]
    return replace(event, **{name: _as_seen_by(viewer, getattr(event, name)) for name in secrets})  # type: ignore[return-value]


def insiders(event: TableEvent) -> set[int]:
    """Return the seats that may see more of the event than a spectator does; all others see the same."""
    return {seat for name in _SECRETS[type(event)] for seat in _audience(getattr(event, name))}


def views(event: TableEvent) -> tuple[wire.Event, Sequence[tuple[int, wire.Event]]]:
    """Return the event as a spectator may see it, and as each of the `insiders` may, with its seat."""
    secrets = _SECRETS[type(event)]
    if secrets == _CARD and type(card := event.card) is Secret:  # type: ignore[union-attr] # the usual case, written out
        seen: wire.Event = replace(event, card=card.value)  # type: ignore[assignment] # of secrets nothing is left
        if card.to is None:
            return seen, ()
        return replace(event, card=None), [(seat, seen) for seat in card.to]  # type: ignore[return-value]
    if not secrets:
        return event, ()  # type: ignore[return-value]
    return view(event, None), [(seat, view(event, seat)) for seat in insiders(event)]


def _secrets(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the fields that hold secrets: those with a generic type."""
    return tuple(field.name for field in fields(kind) if _generic(field.type))


def _generic(kind: Any) -> bool:
    return isinstance(kind, TypeVar) or any(_generic(argument) for argument in getattr(kind, "__args__", ()))


_CARD = ("card",)
"""The secret of an event that tells of one card."""

_SECRETS: dict[type[Struct], tuple[str, ...]] = {
    kind: _secrets(kind) for kind in (get_origin(one) or one for one in get_args(TableEvent))
}
"""The fields of each kind of event that hold secrets."""


def _audience(value: Any) -> tuple[int, ...]:
    if type(value) is Secret:
        return value.to or ()
    return tuple([seat for one in value for seat in _audience(one)])


def _as_seen_by(viewer: int | None, value: Any) -> Any:
    """Return the value of a secret field as the viewer may know it. Raises TypeError where it has no audience."""
    if isinstance(value, Secret):
        return value.by(viewer)
    if isinstance(value, tuple):
        return tuple(_as_seen_by(viewer, one) for one in value)
    raise TypeError(f"a secret without an audience: {value!r}")
