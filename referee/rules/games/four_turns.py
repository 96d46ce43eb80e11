"""Four-card golf with four turns each (T4): a swapped-in card lies face up and stays; nobody can end the round."""

from collections.abc import Iterator
from functools import lru_cache

from protocol.actions import Discard, Draw, Swap
from protocol.cards import Card
from protocol.offers import Offer, OneOf
from referee.rules.games.course import Course
from referee.rules.games.hidden import open_round, set_up_in_words
from referee.rules.games.six_card import DISCARD, DRAW, FROM_PILE, discard_hand, place_face_up, turn_ask
from referee.rules.table.asks import ALIKE, Ask, Flow
from referee.rules.table.table import Table, draw
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[Card]:
    """T4-05: a stock card is swapped with a face-down card or discarded; T4-06: a pile card must be swapped.

    No seat can pass or knock (T4-04). What is public is as in six-card golf (T4-14)."""
    action = yield turn_ask(table, seat)
    source = action.source if isinstance(action, Draw) else "stock"
    draw(table, seat, source)
    placed = yield _place_ask(seat, table.face_down(seat), source == "stock")
    return discard_hand(table, seat) if isinstance(placed, Discard) else place_face_up(table, seat, placed)


@lru_cache(ALIKE)
def _place_ask(seat: int, down: tuple[int, ...], may_discard: bool) -> Ask:
    """T4-07: face-up cards stay; in each of its four turns a seat still has one that lies face down (T4-08)."""
    offers = (Offer(kind="swap", slot=OneOf(down)),) + (DISCARD,) * may_discard
    fallback = Discard() if may_discard else Swap(slot=down[0])
    return Ask(seat=seat, decision="place", offers=offers, fallback=fallback)


# In words, for describe.py


def _turn_in_words(_: Variant) -> Iterator[str]:
    yield DRAW
    yield f"{FROM_PILE} that lies face down; a card from the stock may also be discarded."
    yield "The new card lies face up and stays; the old one goes face up on the pile."


COURSE = Course(
    open_round=open_round,
    take_turn=take_turn,
    set_up_in_words=set_up_in_words,
    turn_in_words=_turn_in_words,
)
