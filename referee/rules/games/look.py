"""What the games with hidden cards share: the secret look before play, and a turn whose card is placed face down.

It must not know any game.
"""

from collections.abc import Iterator

from protocol import events
from protocol.actions import Discard, Draw, Target
from protocol.cards import Card
from referee.rules.games import turns
from referee.rules.questions import Flow
from referee.rules.secrets import only
from referee.rules.table import Table
from referee.rules.variants import Variant, has_up_card


def open_hidden(table: Table) -> Flow[None]:
    """KER-01 with a secret look: the first up-card is turned up where the game has one, then each seat looks."""
    if has_up_card(table.variant):
        table.turn_up_card()
    yield from first_look(table)


def first_look(table: Table) -> Flow[None]:
    """CAC-06, CMB-02, POW-02, T4-02, PAR-04: each seat looks at its near row, at all its cards, or at any k of them.

    That a seat looked, and where, is public; the cards are not. Nobody is shown them again (INF-03, T4-09). Which k
    they are the seats choose sealed (DEC-02)."""
    look = table.options.initial_look
    if look is None:
        return
    slots = table.occupied(0)
    if look.startswith("any:"):
        chosen = yield from turns.choose_slots(table.seats, "look", int(look.removeprefix("any:")), slots)
    else:
        chosen = [slots if look == "all" else table.variant.near_row] * table.seats
    for seat, looked in enumerate(chosen):
        own = [table.at(seat, number) for number in looked]
        table.show(own, 1 << seat)
        cards = tuple([only(seat, slot.card) for slot in own])
        table.emit(events.Looked(seat=seat, slots=looked, cards=cards))


def hidden_turn(table: Table, seat: int) -> Flow[tuple[Card, bool] | None]:
    """CAC-09, CMB-03: the seat knocks, or draws and places a card face down, so that another comes to the pile.

    A pile card must be swapped in (CAC-11, CMB-04), a stock card may be discarded (CAC-10, CMB-05). Returns the regular
    discard and whether it is the card as it was drawn; None after a knock."""
    action = yield turns.turn_ask(table, seat)
    if not isinstance(action, Draw):
        turns.knock(table, seat)
        return None
    turns.draw(table, seat, action.source)
    placed = yield turns.place_ask(seat, table.occupied(seat), action.source == "stock")
    if isinstance(placed, Discard):
        return turns.discard_hand(table, seat), True
    return turns.place(table, seat, placed, face_up=False, public=action.source == "pile"), False


def peek(table: Table, seat: int, target: Target) -> None:
    """The seat alone sees a card; everybody sees at which it looks (CAC-39, INF-06)."""
    slot = table.at(*target)
    table.show((slot,), 1 << seat)
    table.emit(events.Peeked(seat=seat, target=target, card=only(seat, slot.card)))


def switch(table: Table, seat: int, first: Target, second: Target) -> None:
    """A seat lets two cards of any seats change places unseen; each keeps its face (POW-09).

    The slots are public, so that a seat that knew one of the cards still knows where it lies (INF-04)."""
    one, other = table.at(*first), table.at(*second)
    table.layouts[first[0]][first[1]], table.layouts[second[0]][second[1]] = other, one
    table.emit(events.Switched(seat=seat, targets=(first, second)))


# In words, for describe.py


def set_up_in_words(variant: Variant) -> Iterator[str]:
    """Yield the set-up of a game whose cards stay face down."""
    yield f"Each seat has {variant.rows} rows of {variant.columns} face-down cards."
    yield look_in_words(variant)
    yield "The top card of the stock starts the pile." if has_up_card(variant) else "The pile starts empty."
    yield turns.STARTER


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
    """Yield the usual turn of a game in which a card that is swapped in lies face down."""
    yield turns.DRAW
    yield f"{turns.FROM_PILE}; a card from the stock may also be discarded."
    yield "The new card lies face down; the old one goes face up on the pile, seen by all."
