"""Four-card golf with four turns each (T4): a swapped-in card lies face up and stays; nobody can end the round."""

from collections.abc import Iterator

from protocol.actions import Discard, Draw
from protocol.cards import Card
from referee.rules.games import look, turns
from referee.rules.questions import Flow
from referee.rules.table import Table
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[Card]:
    """T4-05: a stock card is swapped with a face-down card or discarded; T4-06: a pile card must be swapped.

    Face-up cards stay (T4-07); in each of its four turns a seat still has one that lies face down (T4-08). No seat can
    pass or knock (T4-04). What is public is as in six-card golf (T4-14)."""
    action = yield turns.turn_ask(table, seat)
    source = action.source if isinstance(action, Draw) else "stock"
    turns.draw(table, seat, source)
    placed = yield turns.place_ask(seat, table.face_down(seat), source == "stock")
    if isinstance(placed, Discard):
        return turns.discard_hand(table, seat)
    return turns.place(table, seat, placed, face_up=True)


def _turn_in_words(_: Variant) -> Iterator[str]:
    yield turns.DRAW
    yield f"{turns.FROM_PILE} that lies face down; a card from the stock may also be discarded."
    yield "The new card lies face up and stays; the old one goes face up on the pile."


PLAY = turns.Play(
    open_round=look.open_hidden, take_turn=take_turn, set_up_in_words=look.set_up_in_words, turn_in_words=_turn_in_words
)
