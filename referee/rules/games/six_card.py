"""Six-card golf and its family: a card that is swapped in lies face up, and a stock king can be traded (CUT).

turns.py has most of it, since the other games share it.
"""

from collections.abc import Iterator

from protocol import events
from protocol.actions import Discard, Draw, Flip, Target, Trade
from protocol.cards import Card, rank
from referee.rules.games import turns
from referee.rules.questions import Flow
from referee.rules.secrets import everybody
from referee.rules.table import Table
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[Card | None]:
    """SIX-06: draw and place, by option knock (KER-10) or flip (KER-07); returns the regular discard.

    It is the turn of six-card golf (SIX-05) and of all its family (NIN-04). A pile card must be swapped in (KER-03)."""
    match (yield turns.turn_ask(table, seat)):
        case Draw(source=source):
            card = turns.draw(table, seat, source)
            if source == "stock":
                return (yield from _place_stock_card(table, seat, card))
            swap = yield turns.place_ask(seat, table.occupied(seat), False)
            return turns.place(table, seat, swap, face_up=True)
        case Flip(slot=slot):
            turns.flip(table, seat, (slot,))
        case _:
            turns.knock(table, seat)
    return None


def _place_stock_card(table: Table, seat: int, card: Card) -> Flow[Card]:
    """KER-04: swap (KER-05), discard with its flip (KER-06), or trade a king that was just drawn (CUT-02, CUT-05).

    A trade is public, and the other seat decides nothing (CUT-04). It may hit the ender, unless `protect_ender` is set
    (CUT-06). The card that it brings must be swapped in (CUT-03), so that a seat without cards cannot trade."""
    prey: tuple[Target, ...] = ()
    if table.options.cutthroat_trade and rank(card) == "K" and any(table.layouts[seat]):
        targets = table.targets(up=True, spared=turns.spared_ender(table))
        prey = tuple([target for target in targets if target[0] != seat])
    action = yield turns.place_ask(seat, table.occupied(seat), True, prey)
    match action:
        case Discard():
            turns.discard_hand(table, seat)
            yield from turns.flip_after_discard(table, seat)
            return card
        case Trade(target=target):
            table.hand, table.hand_known_by = table.at(*target).card, table.everybody
            table.lay(*target, card, table.everybody, up=True)
            table.emit(events.Traded(seat=seat, target=target, given=everybody(card), taken=everybody(table.hand)))
            action = yield turns.place_ask(seat, table.occupied(seat), False)
    return turns.place(table, seat, action, face_up=True)


def _turn_in_words(variant: Variant) -> Iterator[str]:
    options = variant.options
    yield turns.DRAW
    yield f"{turns.FROM_PILE}, face up or down."
    yield "A card from the stock may be swapped or discarded. The new card lies face up, the old one goes to the pile."
    yield from turns.flip_in_words(options)
    if options.flip_instead:
        yield "Instead of drawing you may turn one of your face-down cards up."
    if options.jack_skip:
        yield "A jack that goes to the pile costs the next seat its turn."
    if options.cutthroat_trade:
        safe = ", but not of the ender," if options.protect_ender else ","
        yield f"A king from the stock may be traded for a face-up card of another seat{safe} which you must swap in."


PLAY = turns.Play(
    open_round=turns.open_face_up,
    take_turn=take_turn,
    set_up_in_words=turns.set_up_in_words,
    turn_in_words=_turn_in_words,
)
