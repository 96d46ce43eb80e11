"""What the games with hidden cards share: the secret look before play, and how a card is placed face down."""

from collections.abc import Iterator
from functools import lru_cache

from protocol import events
from protocol.actions import Look, Swap
from protocol.cards import Card
from protocol.offers import Offer, Pick
from referee.rules.games.six_card import DRAW, FROM_PILE, STARTER
from referee.rules.table.asks import ALIKE, Ask, Flow, Response, Sealed, choose_sealed
from referee.rules.table.seen import everybody, only
from referee.rules.table.table import Table
from referee.rules.variants import Variant, has_up_card


def open_round(table: Table) -> Flow[None]:
    """KER-01 with a secret look: the first up-card is turned up where the game has one, then each seat looks."""
    if has_up_card(table.variant):
        table.turn_up_card()
    yield from first_look(table)


def first_look(table: Table) -> Flow[None]:
    """CAC-06, CMB-02, POW-02, T4-02, PAR-04: each seat looks at its near row, at all its cards, or at any k of them.

    That a seat looked, and where, is public; the cards are not. Nobody is shown them again (INF-03, T4-09).
    """
    look = table.options.initial_look
    if look is None:
        return
    slots = table.occupied(0)
    if look.startswith("any:"):
        chosen = yield from _choose_looks(table, slots, int(look.removeprefix("any:")))
    else:
        chosen = (slots if look == "all" else table.variant.near_row,) * table.seats
    for seat, looked in enumerate(chosen):
        cards = tuple([only(seat, table.at(seat, number).card) for number in looked])
        table.emit(events.Looked(seat=seat, slots=looked, cards=cards))


def _choose_looks(table: Table, slots: tuple[int, ...], count: int) -> Flow[tuple[tuple[int, ...], ...]]:
    """Ask all seats, sealed, which of their own cards they look at (DEC-02); return the slots by seat."""
    actions = yield from choose_sealed(_ask_where_to_look(table.seats, slots, count))
    return tuple([action.slots for action in actions if isinstance(action, Look)])


@lru_cache(ALIKE)
def _ask_where_to_look(seats: int, slots: tuple[int, ...], count: int) -> Sealed:
    offers = (Offer(kind="look", slots=Pick(count, slots)),)
    fallback = Look(slots=slots[:count])
    asks = [Ask(seat=seat, decision="look", offers=offers, fallback=fallback) for seat in range(seats)]
    return Sealed(asks=tuple(asks))


def place_face_down(table: Table, seat: int, action: Response, *, public: bool) -> Card:
    """CAC-12, CMB-04, POW-06: the card in hand takes the slot face down, the old card goes face up to the pile.

    Its owner sees the old card when all others do (INF-08). `public` says that everybody knows the new card, because
    it came from the pile. Returns the old card.
    """
    if not isinstance(action, Swap) or table.hand is None:
        raise TypeError(f"cannot place by {action!r}")
    slot = table.at(seat, action.slot)
    card, replaced = table.hand, slot.card
    slot.card, slot.up, table.hand = card, False, None
    table.to_pile(replaced)
    table.emit(
        events.Swapped(
            seat=seat,
            slot=action.slot,
            card=everybody(card) if public else only(seat, card),
            face_up=False,
            replaced=everybody(replaced),
        )
    )
    return replaced


def switch(table: Table, first: tuple[int, int], second: tuple[int, int]) -> None:
    """Two cards of any seats change places unseen; each keeps its face (POW-09).

    The slots are public, so that a seat that knew one of the cards still knows where it lies (INF-04)."""
    (seat, number), (other, position) = first, second
    mine, theirs = table.at(seat, number), table.at(other, position)
    table.layouts[seat][number], table.layouts[other][position] = theirs, mine


# In words, for describe.py


def set_up_in_words(variant: Variant) -> Iterator[str]:
    """Tell the set-up of a game whose cards stay face down."""
    yield f"Each seat has {variant.rows} rows of {variant.columns} face-down cards."
    yield look_in_words(variant)
    yield "The top card of the stock starts the pile." if has_up_card(variant) else "The pile starts empty."
    yield STARTER


def look_in_words(variant: Variant) -> str:
    """Return one sentence about the secret look before play."""
    look = variant.options.initial_look or ""
    if look == "near_row":
        slots = ", ".join(f"s{slot}" for slot in variant.near_row)
        return f"Before play each seat looks once, in secret, at its near row ({slots})."
    if look == "all":
        return "Before play each seat looks once, in secret, at all its cards."
    if not look:
        return "No seat looks at its cards before play."
    count = look.removeprefix("any:")
    return f"Before play each seat looks once, in secret, at any {'one' if count == '1' else count} of its cards."


def draw_and_place_in_words() -> Iterator[str]:
    """Tell the usual turn of a game in which a card that is swapped in lies face down."""
    yield DRAW
    yield f"{FROM_PILE}; a card from the stock may also be discarded."
    yield "The new card lies face down; the old one goes face up on the pile, seen by all."
