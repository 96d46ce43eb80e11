"""Four-card golf with four turns each (T4): a swapped-in card lies face up and stays; nobody can end the round."""

from collections.abc import Iterator

from protocol.actions import Discard, Draw
from protocol.cards import Card
from referee.rules.book.variant import Variant
from referee.rules.games.look import open_hidden, set_up_in_words
from referee.rules.games.turns import DRAW, FROM_PILE, Play, discard_hand, draw, place, place_ask, turn_ask
from referee.rules.table.asks import Flow
from referee.rules.table.table import Table


def take_turn(table: Table, seat: int) -> Flow[Card]:
    """T4-05: a stock card is swapped with a face-down card or discarded; T4-06: a pile card must be swapped.

    Face-up cards stay (T4-07); in each of its four turns a seat still has one that lies face down (T4-08). No seat can
    pass or knock (T4-04). What is public is as in six-card golf (T4-14)."""
    action = yield turn_ask(table, seat)
    source = action.source if isinstance(action, Draw) else "stock"
    draw(table, seat, source)
    placed = yield place_ask(seat, table.face_down(seat), source == "stock")
    return discard_hand(table, seat) if isinstance(placed, Discard) else place(table, seat, placed, face_up=True)


def _turn_in_words(_: Variant) -> Iterator[str]:
    yield DRAW
    yield f"{FROM_PILE} that lies face down; a card from the stock may also be discarded."
    yield "The new card lies face up and stays; the old one goes face up on the pile."


PLAY = Play(open_round=open_hidden, take_turn=take_turn, set_up_in_words=set_up_in_words, turn_in_words=_turn_in_words)
