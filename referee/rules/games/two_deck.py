"""The two-deck game with discardable pairs (TDK). Turns are as in six-card golf, but everybody sees the stock card."""

from collections.abc import Iterator

from protocol import events
from protocol.actions import DiscardPairs, Draw, Swap
from protocol.cards import Card, rank
from protocol.offers import AnyOf, Offer
from referee.rules.games import turns
from referee.rules.questions import Flow, ask
from referee.rules.secrets import everybody
from referee.rules.table import Table
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[Card]:
    """TDK-07: after the pairs (TDK-05) the turn goes on with the cards that are left; all see the stock card (TDK-20).

    A stock card takes any of their slots or is discarded (TDK-08), and after a discard a card is turned up (TDK-09). A
    pile card must be swapped in (TDK-10); it may be one of the pair that was just discarded (TDK-11)."""
    rows = _discardable(table, seat)
    if rows:
        yield from _discard_pairs(table, seat, rows)
    action = yield turns.turn_ask(table, seat, opens_turn=not rows)
    source = action.source if isinstance(action, Draw) else "stock"
    turns.draw(table, seat, source, all_see=lambda _: True)
    placed = yield turns.place_ask(seat, table.occupied(seat), source == "stock")
    if isinstance(placed, Swap):
        table.latest_rows[seat] = placed.slot // 2
        return turns.place(table, seat, placed, face_up=True)
    discarded = turns.discard_hand(table, seat)
    flipped = yield from turns.flip_after_discard(table, seat)
    table.latest_rows[seat] = None if flipped is None else flipped // 2
    return discarded


def _discardable(table: Table, seat: int) -> tuple[int, ...]:
    """Return the rows with a pair (TDK-05); with `pairs_leave = next_turn` only one made in the seat's latest turn."""
    layout = table.layouts[seat]
    found = []
    for row in range(len(layout) // 2):
        if table.options.pairs_leave == "next_turn" and row != table.latest_rows[seat]:
            continue
        first, second = layout[2 * row], layout[2 * row + 1]
        if first and second and first.up and second.up and rank(first.card) == rank(second.card):
            found.append(row)
    return tuple(found)


def _discard_pairs(table: Table, seat: int, rows: tuple[int, ...]) -> Flow[None]:
    """TDK-05, DEC-11: rows of two equal face-up cards may leave the layout, from the top row on (TDK-06).

    A layout is never emptied so: its last two cards can only have become a pair in the turn that finished the seat
    (TDK-14)."""
    offers = (Offer(kind="discard_pairs", rows=AnyOf(rows)),)
    action = yield ask(seat, "pairs", offers, DiscardPairs(rows=()), opens_turn=True)
    chosen = tuple(sorted(action.rows)) if isinstance(action, DiscardPairs) else ()
    cards = [table.remove(seat, number) for row in chosen for number in (2 * row, 2 * row + 1)]
    table.pile += cards
    if chosen:
        table.emit(events.PairsDiscarded(seat=seat, rows=chosen, cards=tuple([everybody(card) for card in cards])))


def _turn_in_words(variant: Variant) -> Iterator[str]:
    yield "First you may discard rows whose two cards lie face up and are equal in rank."
    if variant.options.pairs_leave == "next_turn":
        yield "A pair can be discarded only in the turn right after the one that made it."
    yield "Then draw the top card of the stock, which everybody sees, or of the pile."
    yield f"{turns.FROM_PILE}; a card from the stock may also be discarded."
    yield "The new card lies face up, the old one goes to the pile."
    yield from turns.flip_in_words(variant.options)


PLAY = turns.Play(
    open_round=turns.open_face_up,
    take_turn=take_turn,
    set_up_in_words=turns.set_up_in_words,
    turn_in_words=_turn_in_words,
)
