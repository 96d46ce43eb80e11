"""Events in words, for `golfref replay`: what happened at a table, as a seat or the public saw it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from protocol import events as wire
from protocol.actions import Target
from referee.rules.game import Game

HIDDEN = "a hidden card"

Lying = Mapping[Target, str]
"""Cards as they lie after an event, by seat and slot."""

NOTHING: Lying = MappingProxyType({})

SENTENCES: Mapping[type[Struct], str] = {
    wire.UpCard: "{card} is turned up and starts the pile, {stock} cards in the stock",
    wire.TurnedUp: "{seat} turns up {pairs}",
    wire.Looked: "{seat} looks at {pairs}",
    wire.Arranged: "{seat} arranges its cards: {slots}",
    wire.Skipped: "{seat} loses a turn",
    wire.Drew: "{seat} draws {card} from the {source}",
    wire.Reshuffled: "the pile is shuffled into a stock of {stock}",
    wire.Swapped: "{seat} puts {card} {face_up} into {slot} and {replaced} on the pile",
    wire.Discarded: "{seat} discards {card}",
    wire.Knocked: "{seat} knocks",
    wire.Finished: "{seat} is the first to finish",
    wire.Traded: "{seat} trades {given} for {taken} of {target}",
    wire.SwappedOwn: "{seat} swaps two own cards: {pairs} now",
    wire.PairsDiscarded: "{seat} discards the pairs of {rows}: {cards}",
    wire.Stroked: "{seat} takes {row} as a stroke",
    wire.PowerUsed: "{seat} uses {power} with {card}{aim}",
    wire.Blocked: "{seat} blocks with a shield, {shields} left{shield}",
    wire.Shielded: "{seat} lays {card} down as a shield, {shields} now",
    wire.Peeked: "{seat} peeks at {target}: {card}",
    wire.Switched: "{seat} switches {targets}",
    wire.Rearranged: "{seat} rearranges the cards of {of}: {slots}",
    wire.LinesSwapped: "{seat} swaps {lines} of {of}: {layout} now",
    wire.Shuffled: "{seat} has the cards of {of} turned down and shuffled",
    wire.CardAdded: "{seat} has a stock card laid at {target}, {stock} left",
    wire.CardRemoved: "{seat} puts {card} of {target} on the pile",
    wire.Planted: "{seat} plants {card} at {target}, {replaced} goes to the pile",
    wire.Exposed: "{seat} turns up {target}: {card}",
    wire.Hidden: "{seat} turns down {target}",
    wire.DrewTwo: "{seat} draws two more: {cards}",
    wire.Kept: "{seat} keeps {card} face down in {slot}, {discarded} go to the pile",
    wire.KnockCancelled: "the knock of {knocker} is cancelled",
    wire.Slapped: "{seat} slaps {target}: {card}, {verdict}{new_slot}",
    wire.Gave: "{seat} gives its {slot} to {target}",
    wire.WindowClosed: "the slap window closes",
    wire.Forfeited: "{seat} has forfeited the match",
    wire.ParChosen: "{seat} chooses par {par} for the next hole",
}
"""What happened, by kind of event. The words in braces are its fields, or what `_other_words` makes of them.

Kinds of event that take several lines are in `_LINES`."""


def narrate(game: Game, since: int, viewer: int | None, names: Sequence[str]) -> Iterator[str]:
    """The lines for each event from number `since` on, as this seat saw it (None: the public view)."""
    for event in game.seen(viewer, since):
        yield from in_words(event, names)


def in_words(event: wire.Event, names: Sequence[str], lying: Lying = NOTHING) -> Iterator[str]:
    """The lines for one event. `names` are those of the bots, by seat; `lying` is what else the reader sees."""
    if type(event) in _LINES:
        yield from _LINES[type(event)](event, names)
        return
    words = {name: _field_in_words(name, getattr(event, name), names) for name in event.__struct_fields__}
    yield SENTENCES[type(event)].format(**words | _own(event) | _other_words(event, names, lying))


# Events of several lines


def _round(event: wire.Round, _: Sequence[str]) -> Iterator[str]:
    kind = "playoff round" if event.playoff else "round"
    yield (
        f"--- {kind} {event.round}: dealer {event.dealer}, starter {event.starter}, {event.rows} rows, "
        f"{event.stock} cards in the stock"
    )


def _showdown(event: wire.Showdown[wire.Shown], names: Sequence[str]) -> Iterator[str]:
    yield "showdown"
    for seat, cards in enumerate(event.layouts):
        yield f"  {_who(seat, names)}: {_layout(cards)}"


def _scored(event: wire.Scored, names: Sequence[str]) -> Iterator[str]:
    ended = "" if event.ender is None else f", ended by {_who(event.ender, names)}"
    capped = ", stopped at the turn cap" if event.capped else ""
    yield f"scores {_list(event.scores)} (raw {_list(event.raw)}), totals {_list(event.totals)}{ended}{capped}"


_LINES: Mapping[type[Struct], Callable[[Any, Sequence[str]], Iterator[str]]] = {
    wire.Round: _round,
    wire.Showdown: _showdown,
    wire.Scored: _scored,
}


# Fields in words


def _field_in_words(name: str, value: Any, names: Sequence[str]) -> str:
    """A field by its name. "A hidden card" stands for a card that the viewer may not see."""
    if name in _FIELDS:
        return _FIELDS[name](value)
    return _who(value, names) if name in {"seat", "of", "knocker"} else str(value)


def _own(event: wire.Event) -> dict[str, str]:
    """The words for the cards that a seat does something to, where it may be one of its own."""
    seat, target, targets = (getattr(event, name, None) for name in ("seat", "target", "targets"))
    words = {} if target is None else {"target": _place(target, seat)}
    return words if targets is None else words | {"targets": _places(targets, seat)}


def _other_words(event: wire.Event, names: Sequence[str], lying: Lying) -> dict[str, str]:
    """The words that are made of several fields, or that are special to this kind of event."""
    match event:
        case wire.TurnedUp() | wire.Looked() | wire.SwappedOwn():
            pairs = zip(event.slots, event.cards, strict=True)
            cards = ((slot, card or lying.get((event.seat, slot))) for slot, card in pairs)
            return {"pairs": ", ".join(f"s{slot} {_card(card)}" for slot, card in cards)}
        case wire.Arranged(seat=of) | wire.Rearranged(of=of) if lying:
            return {"slots": f"now {_layout(_lie(lying, of))}"}
        case wire.PowerUsed(power=power, against=against, targets=targets):
            aimed = [] if against is None else [f"against {_who(against, names)}"]
            at = [f"at {_places(targets, event.seat)}"] if targets else []
            return {
                "power": f"the power of {_POWERS.get(power, power)}",
                "aim": "".join(f", {one}" for one in aimed + at),
            }
        case wire.LinesSwapped(axis=axis, lines=lines, of=of, layout=layout):
            which = "two lines, hidden which," if axis is None or lines is None else f"{axis}s {_list(lines)}"
            return {
                "lines": which,
                "layout": _layout([lying.get((of, slot), card) for slot, card in enumerate(layout)]),
            }
    return {}


def _lie(lying: Lying, of: int) -> list[str]:
    return [card for (seat, _), card in sorted(lying.items()) if seat == of]


_POWERS = {"A": "the ace", "J": "the jack", "Q": "the queen", "BK": "the black king"}


def _card(card: str | None) -> str:
    return card or HIDDEN


def _cards(cards: Sequence[str | None]) -> str:
    return ", ".join(map(_card, cards)) or "no card"


def _layout(cards: Sequence[str | None]) -> str:
    return " ".join(card or "--" for card in cards)


def _order(slots: Sequence[int] | None) -> str:
    return "the order is hidden" if slots is None else f"now those of {' '.join(f's{slot}' for slot in slots)}"


def _place(target: Target, by: int | None) -> str:
    """A slot in words, for the seat that does something to it."""
    seat, slot = target
    return f"its own s{slot}" if seat == by else f"seat {seat} s{slot}"


def _places(targets: Sequence[Target], by: int | None) -> str:
    return " and ".join(_place(target, by) for target in targets)


_FIELDS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(("card", "given", "taken", "replaced"), _card),
    **dict.fromkeys(("cards", "discarded"), _cards),
    "slots": _order,
    "slot": lambda slot: f"s{slot}",
    "new_slot": lambda slot: "" if slot is None else f", a card comes to its s{slot}",
    "shield": lambda shield: "" if shield is None else f", {shield} goes to the pile",
    "row": lambda row: f"row {row}",
    "rows": lambda rows: f"row{'s' * (len(rows) > 1)} {_list(rows)}",
    "layout": _layout,
    "face_up": lambda up: "face up" if up else "face down",
}
"""The words for a field, by its name on the wire. Seats get the bot's name, all other fields stand as they are."""


def _who(seat: int, names: Sequence[str]) -> str:
    return f"{seat} {names[seat]}"


def _list(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))
