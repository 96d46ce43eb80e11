"""The shared turn kernel (KER): set-up, turns and the ways a round can end. Six-card golf and its family play it.

It reads from top to bottom like the rule book. The other games use the parts that they share.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from protocol import events
from protocol.actions import Action, Discard, Draw, Flip, Nothing, Swap, Trade, TurnUp
from protocol.cards import Card, rank
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games.course import Course, TakeTurn
from referee.rules.options import Options
from referee.rules.table.asks import ALIKE, Ask, Flow, Response, Sealed, choose_sealed
from referee.rules.table.seen import everybody
from referee.rules.table.table import RoundOver, Slot, Table, draw, flip
from referee.rules.variants import Variant, has_up_card, size

DISCARD = Offer(kind="discard")
KNOCK = Offer(kind="knock")
NONE = Offer(kind="none")
ONLY_DISCARD: tuple[Offer, ...] = (DISCARD,)

Source = Literal["stock", "pile"]
"""Where a card can be drawn from."""


def deal(table: Table, rows: int) -> None:
    """GEN-04: cards go out one at a time, clockwise from the dealer's left, row by row; the rest is the stock.

    Each layout gets so many rows. All of them lie face down (SIX-02, NIN-02, CAC-05, TDK-03)."""
    pack = table.chance.deck(table.round)
    dealt = table.seats * rows * table.variant.columns
    first = [(seat - table.dealer - 1) % table.seats for seat in range(table.seats)]
    table.layouts = [[Slot(card) for card in pack[start : dealt : table.seats]] for start in first]
    table.rows = rows
    table.stock = list(pack[: dealt - 1 : -1])
    table.pile = []
    table.hand = table.knocker = table.final = None
    table.turns = table.windows = table.reshuffles = table.shuffles = 0
    table.seat_turns = [0] * table.seats
    table.latest_rows = [None] * table.seats
    table.strokes = [set() for _ in range(table.seats)]
    table.shields = [[] for _ in range(table.seats)]
    table.shield_uses = [0] * table.seats
    table.capped = False
    table.turn = table.starter
    table.emit(
        events.Round(
            round=table.round,
            dealer=table.dealer,
            starter=table.starter,
            totals=tuple(table.totals),
            rows=table.rows,
            stock=len(table.stock),
            playoff=table.playoff,
        )
    )


def open_round(table: Table) -> Flow[None]:
    """KER-01: the first up-card is turned up where the game has one, then each seat's cards (SIX-03, FOU-02, FOU-03).

    The seats choose them sealed, and all are revealed together."""
    if has_up_card(table.variant):
        table.turn_up_card()
    count = table.options.initial_up
    if count == 0:
        return
    chosen = yield from choose_sealed(_ask_what_to_turn_up(table.seats, count, size(table.variant)))
    for seat, action in enumerate(chosen):
        if isinstance(action, TurnUp):
            flip(table, seat, action.slots)


@lru_cache(ALIKE)
def _ask_what_to_turn_up(seats: int, count: int, cards: int) -> Sealed:
    """DEC-01: so many of the cards, all of which lie face down."""
    slots = tuple(range(cards))
    offers, fallback = (Offer(kind="turn_up", slots=Pick(count, slots)),), TurnUp(slots=slots[:count])
    asks = [Ask(seat=seat, decision="turn_up", offers=offers, fallback=fallback) for seat in range(seats)]
    return Sealed(asks=tuple(asks))


def play_turns(table: Table, take_turn: TakeTurn) -> Flow[None]:
    """Turns go clockwise until the round is over (RoundOver). The order at the end of one is KER-13.

    Any jack that went to the pile skips, a one-eyed one too (OPT-05), and in a final lap it costs a final turn
    (OPT-07). The turn that draws the last stock card is completed, also in a final lap, and play stops (TDK-18)."""
    try:
        while True:
            seat = table.turn
            discarded = yield from take_turn(table, seat)
            table.turns += 1
            table.seat_turns[seat] += 1
            _check_end_trigger(table, seat)
            skip = discarded is not None and table.options.jack_skip and rank(discarded) == "J"
            if table.stock_has_run_out():
                return
            _next_turn(table, seat, skip=skip)
    except RoundOver:
        return


def start_final_lap(table: Table, seat: int) -> None:
    """KER-09, KER-10, KNO-02, CAC-18, POW-24: the ender has no further turn, every other seat has one."""
    table.knocker = seat
    table.final = table.others(seat)


def knock(table: Table, seat: int) -> None:
    """KER-10, KNO-02: the knock uses up the turn."""
    table.emit(events.Knocked(seat=seat))
    start_final_lap(table, seat)


def may_knock(table: Table) -> bool:
    """Return whether a knock is legal: no final lap runs (KER-02, KER-11), and turns are not counted (T4-04).

    A knock is legal in a seat's first turn too, whatever lies face down (KNO-01)."""
    return table.options.end_mode != "all_up" and table.knocker is None and table.variant.turns_each is None


def _check_end_trigger(table: Table, seat: int) -> None:
    """KER-09: the first layout that is completely face up makes its owner the ender (SIX-08, TDK-12).

    The round ends at once (NIN-05), or after a turn of every other seat, in which a second complete layout changes
    nothing (TDK-13)."""
    if table.options.end_mode == "knock" or table.knocker is not None or not table.lies_open(seat):
        return
    table.emit(events.Finished(seat=seat))
    start_final_lap(table, seat)
    if table.options.final_turns is None:
        raise RoundOver


def _next_turn(table: Table, seat: int, *, skip: bool) -> None:
    """Settle who is next (GEN-03, GEN-09, KER-12, T4-03). Raises RoundOver where nobody is, and at the turn cap.

    A jack (`skip`) takes the turn that would come next; at the turn cap none would come (KER-13)."""
    turns_each = table.variant.turns_each
    if turns_each is not None and table.turns == turns_each * table.seats:
        raise RoundOver
    left = table.left_of(seat)
    coming = [left, table.left_of(left)] if table.final is None else table.final
    lost, coming = (coming[:1], coming[1:]) if skip else ([], coming)
    if coming and table.turns >= table.options.turn_cap * table.seats:
        table.capped = True
        raise RoundOver
    for loser in lost:
        table.emit(events.Skipped(seat=loser))
    if not coming:
        raise RoundOver
    table.turn = coming[0]
    if table.final is not None:
        table.final = coming[1:]


def take_turn(table: Table, seat: int) -> Flow[Card | None]:
    """SIX-06: draw and place, by option knock (KER-10) or flip (KER-07); returns the card that went to the pile.

    It is the turn of six-card golf (SIX-05) and of all its family (NIN-04). A pile card must be swapped in (KER-03)."""
    match (yield turn_ask(table, seat)):
        case Draw(source="stock"):
            card = draw(table, seat, "stock")
            return (yield from _place_stock_card(table, seat, card))
        case Draw(source="pile"):
            card = draw(table, seat, "pile")
            swap = yield place_ask(table, seat, offers=())
            return place_face_up(table, seat, swap)
        case Flip(slot=slot):
            flip(table, seat, (slot,))
        case _:
            knock(table, seat)
    return None


def draw_sources(table: Table, seat: int) -> tuple[Source, ...]:
    """Return what can be drawn from (KER-02).

    A pile card must be swapped in, so that a seat without cards cannot take it (POW-25); in Powers the pile is drawn
    by option only (POW-03).
    """
    sources: tuple[Source, ...] = ("stock",) if table.can_draw_stock() else ()
    if table.pile and table.variant.can_draw_pile and any(table.layouts[seat]):
        sources += ("pile",)
    return sources


def turn_ask(table: Table, seat: int, *, opens_turn: bool = True) -> Ask:
    """DEC-04: how the turn begins in all games but par golf. Raises RoundOver with nothing to draw (GEN-08).

    What else is legal stays so where the stock is empty and cannot be made anew (SIX-12)."""
    sources = draw_sources(table, seat)
    if not sources:
        raise RoundOver
    down = table.face_down(seat) if table.options.flip_instead else ()
    return _turn_ask(seat, sources, may_knock(table), down, opens_turn)


@lru_cache(ALIKE)
def _turn_ask(seat: int, sources: tuple[Source, ...], knock: bool, down: tuple[int, ...], opens_turn: bool) -> Ask:
    offers = [Offer(kind="draw", source=OneOf(sources))]
    if knock:
        offers.append(KNOCK)
    if down:
        offers.append(Offer(kind="flip", slot=OneOf(down)))
    fallback = Draw(source=sources[0])
    return Ask(seat=seat, decision="turn", offers=tuple(offers), fallback=fallback, opens_turn=opens_turn)


def place_ask(table: Table, seat: int, offers: tuple[Offer, ...]) -> Ask:
    """DEC-05: the seat swaps with any own card (KER-03, KER-04) or takes one of `offers`; the fallback is a discard."""
    slots = table.occupied(seat)
    if offers in ((), ONLY_DISCARD):
        return _place_ask(seat, slots, offers == ONLY_DISCARD)
    return _placing(seat, slots, offers)


@lru_cache(ALIKE)
def _place_ask(seat: int, slots: tuple[int, ...], may_discard: bool) -> Ask:
    return _placing(seat, slots, ONLY_DISCARD if may_discard else ())


def _placing(seat: int, slots: tuple[int, ...], offers: tuple[Offer, ...]) -> Ask:
    swaps = (Offer(kind="swap", slot=OneOf(slots)),) if slots else ()
    fallback: Action = Discard() if DISCARD in offers else Swap(slot=slots[0])
    return Ask(seat=seat, decision="place", offers=swaps + offers, fallback=fallback)


def _place_stock_card(table: Table, seat: int, card: Card) -> Flow[Card]:
    """KER-04: swap (KER-05), discard with its flip (KER-06), or trade a king that was just drawn (CUT-02, CUT-05).

    A trade is public, and the other seat decides nothing (CUT-04); it may hit the ender (CUT-06). The card that it
    brings must be swapped in (CUT-03)."""
    further = ONLY_DISCARD
    if table.options.cutthroat_trade and rank(card) == "K":
        prey = tuple(target for target in table.targets(seat, up=True) if target[0] != seat)
        further += (Offer(kind="trade", target=OneOf(prey)),) if prey else ()
    action = yield place_ask(table, seat, further)
    match action:
        case Discard():
            discard_hand(table, seat)
            yield from flip_after_discard(table, seat)
            return card
        case Trade(target=(victim, number)):
            slot = table.at(victim, number)
            table.hand, slot.card = slot.card, card
            table.emit(
                events.Traded(seat=seat, target=(victim, number), given=everybody(card), taken=everybody(table.hand))
            )
            action = yield place_ask(table, seat, offers=())
    return place_face_up(table, seat, action)


def place_face_up(table: Table, seat: int, action: Response) -> Card:
    """KER-05: the card in hand takes the slot face up, the old card goes to the pile and is returned.

    Both are public, and the owner sees the old one no earlier than all others (SIX-07, INF-08)."""
    if not isinstance(action, Swap) or table.hand is None:
        raise TypeError(f"cannot place by {action!r}")
    slot = table.at(seat, action.slot)
    card, replaced = table.hand, slot.card
    slot.card, slot.up, table.hand = card, True, None
    table.to_pile(replaced)
    table.emit(
        events.Swapped(seat=seat, slot=action.slot, card=everybody(card), face_up=True, replaced=everybody(replaced))
    )
    return replaced


def discard_hand(table: Table, seat: int) -> Card:
    """KER-06: the card in hand goes face up on the pile and is returned."""
    if table.hand is None:
        raise LookupError("there is no card in hand")
    card, table.hand = table.hand, None
    table.to_pile(card)
    table.emit(events.Discarded(seat=seat, card=everybody(card)))
    return card


def flip_after_discard(table: Table, seat: int) -> Flow[int | None]:
    """KER-06, DEC-06, TDK-09: whether a face-down card may or must be turned up; nothing where all are up (SIX-12).

    Returns the slot of the card that was turned up, if one was."""
    down = table.face_down(seat)
    rule = table.options.flip_on_discard
    if rule == "never" or not down:
        return None
    optional = rule == "may" or (rule == "must_unless_last" and len(down) == 1)
    action = yield _flip_ask(seat, down, optional)
    if not isinstance(action, Flip):
        return None
    flip(table, seat, (action.slot,))
    return action.slot


@lru_cache(ALIKE)
def _flip_ask(seat: int, down: tuple[int, ...], optional: bool) -> Ask:
    offers = (Offer(kind="flip", slot=OneOf(down)),) + (NONE,) * optional
    fallback: Action = Nothing() if optional else Flip(slot=down[0])
    return Ask(seat=seat, decision="flip", offers=offers, fallback=fallback, joins=True)


# In words, for describe.py


STARTER = "The seat left of the dealer starts, play goes clockwise, the deal moves left after each round."
DRAW = "Draw the top card of the stock (only you see it) or of the pile."
FROM_PILE = "A card from the pile must be swapped with one of your cards"


def set_up_in_words(variant: Variant) -> Iterator[str]:
    """Tell the set-up of a game in which cards are turned face up."""
    yield f"Each seat has {variant.rows} rows of {variant.columns} face-down cards that nobody has seen."
    yield "The top card of the stock starts the discard pile." if has_up_card(variant) else "The pile starts empty."
    if count := variant.options.initial_up:
        any_of = f"any {'one' if count == 1 else count} of its cards"
        yield f"Each seat turns {any_of} face up, all seats at the same time."
    yield STARTER


def _turn_in_words(variant: Variant) -> Iterator[str]:
    options = variant.options
    yield DRAW
    yield f"{FROM_PILE}, face up or down."
    yield "A card from the stock may be swapped or discarded. The new card lies face up, the old one goes to the pile."
    yield from flip_in_words(options)
    if options.flip_instead:
        yield "Instead of drawing you may turn one of your face-down cards up."
    if options.jack_skip:
        yield "A jack that goes to the pile costs the next seat its turn."
    if options.cutthroat_trade:
        safe = ", but not of the ender," if options.protect_ender else ","
        yield f"A king from the stock may be traded for a face-up card of another seat{safe} which you must swap in."


def flip_in_words(options: Options) -> Iterator[str]:
    """Tell what may or must be turned up after a discard (KER-06), nothing where the option says never."""
    match options.flip_on_discard:
        case "may":
            yield "After discarding a stock card you may turn one of your face-down cards up."
        case "must":
            yield "After discarding a stock card you must turn one of your face-down cards up."
        case "must_unless_last":
            yield "After discarding a stock card you must turn a face-down card up, unless it is your last."


COURSE = Course(
    open_round=open_round,
    take_turn=take_turn,
    set_up_in_words=set_up_in_words,
    turn_in_words=_turn_in_words,
)
