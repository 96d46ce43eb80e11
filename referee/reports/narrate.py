"""Events in words, for `golfref replay`: what happened at a table, as a seat or the public saw it."""

from collections.abc import Iterator, Sequence

from protocol import events as wire
from protocol.actions import Target
from referee.rules.game import Game
from referee.rules.seen import view

HIDDEN = "a hidden card"


def narrate(game: Game, since: int, viewer: int | None, names: Sequence[str]) -> Iterator[str]:
    """A line for each event from number `since` on, as this seat saw it (None: the public view)."""
    for event in game.events[since:]:
        yield from _lines(view(event, viewer), names)


def _lines(event: wire.Event, names: Sequence[str]) -> Iterator[str]:
    match event:
        case wire.Round():
            up_card = f", up-card {event.up_card}" if event.up_card else ""
            kind = "playoff round" if event.playoff else "round"
            yield f"--- {kind} {event.round}: dealer {event.dealer}, starter {event.starter}{up_card}"
        case wire.Showdown():
            yield "showdown"
            for seat, cards in enumerate(event.layouts):
                yield f"  {_who(seat, names)}: {' '.join(card or '--' for card in cards)}"
        case wire.Scored():
            ended = "" if event.ender is None else f", ended by {_who(event.ender, names)}"
            capped = ", stopped at the turn cap" if event.capped else ""
            yield f"scores {_list(event.scores)} (raw {_list(event.raw)}), totals {_list(event.totals)}{ended}{capped}"
        case wire.WindowClosed() | wire.Reshuffled() | wire.KnockCancelled():
            yield _about_the_table(event)
        case _:
            seat = event.seat
            yield f"{_who(seat, names)} {_deed(event)}"


def _about_the_table(event: wire.WindowClosed | wire.Reshuffled | wire.KnockCancelled) -> str:
    match event:
        case wire.WindowClosed():
            return "the slap window closes"
        case wire.Reshuffled(stock=stock):
            return f"the pile is shuffled into a stock of {stock}"
        case wire.KnockCancelled(knocker=knocker):
            return f"the knock of seat {knocker} is cancelled"


def _deed(event: wire.Event) -> str:  # noqa: C901, PLR0911, PLR0912 - one line an event, in the order of events.py
    match event:
        case wire.TurnedUp(slots=slots, cards=cards):
            return "turns up " + ", ".join(f"s{slot} {_card(card)}" for slot, card in zip(slots, cards, strict=True))
        case wire.Looked(slots=slots, cards=cards):
            return "looks at " + ", ".join(f"s{slot} {_card(card)}" for slot, card in zip(slots, cards, strict=True))
        case wire.Drew(source=source, card=card):
            return f"draws {_card(card)} from the {source}"
        case wire.Swapped(slot=slot, card=card, replaced=replaced):
            return f"puts {_card(card)} into s{slot} and {_card(replaced)} on the pile"
        case wire.Discarded(card=card):
            return f"discards {_card(card)}"
        case wire.Knocked():
            return "knocks"
        case wire.Finished():
            return "has all cards face up"
        case wire.Skipped():
            return "loses a turn"
        case wire.Traded(target=target, given=given, taken=taken):
            return f"trades {_card(given)} for {_card(taken)} of {_place(target)}"
        case wire.Peeked(target=target, card=card):
            return f"peeks at {_place(target)}: {_card(card)}"
        case wire.Switched(targets=(first, second)):
            return f"switches {_place(first)} with {_place(second)}"
        case wire.Slapped(target=target, card=card, verdict=verdict, new_slot=new_slot):
            gets = "" if new_slot is None else f", a card comes to its s{new_slot}"
            return f"slaps {_place(target)}: {_card(card)}, {verdict}{gets}"
        case wire.Gave(slot=slot, target=target):
            return f"gives its s{slot} to {_place(target)}"
        case wire.Forfeited():
            return "has forfeited the match"
        case _:
            return type(event).__name__.lower()


def _who(seat: int, names: Sequence[str]) -> str:
    return f"{seat} {names[seat]}"


def _card(card: str | None) -> str:
    return card or HIDDEN


def _place(target: Target) -> str:
    return f"seat {target[0]} s{target[1]}"


def _list(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))
