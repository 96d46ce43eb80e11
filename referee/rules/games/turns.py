"""What the games share (KER): the deal, the turns and how a round can end; drawing, placing, discarding, turning up.

It reads from top to bottom like the rule book. It must not know any game: each has its own turn in a file of its own.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from protocol import events
from protocol.actions import Action, Discard, Draw, Flip, Nothing, Swap, Target
from protocol.cards import Card, rank
from protocol.messages import Decision
from protocol.offers import ACTIONS, Offer, OneOf, Pick
from referee.rules.options import Options
from referee.rules.questions import Ask, Flow, Response, Sealed, cached
from referee.rules.scoring.cancelling import equal_lines
from referee.rules.secrets import everybody, only
from referee.rules.table import RoundOver, Slot, Table
from referee.rules.variants import Variant, has_up_card, size

DISCARD = Offer(kind="discard")
NONE = Offer(kind="none")

Source = Literal["stock", "pile"]
"""Where a card can be drawn from."""

TakeTurn = Callable[[Table, int], Flow[Card | None]]
"""Plays a seat's turn; returns the card that the seat put on the pile, None where it put none."""

InWords = Callable[[Variant], Iterator[str]]
"""Yields sentences that describe a part of a game with the options in force."""


def left_of_dealer(table: Table) -> int:
    """GEN-03: the seat left of the dealer starts."""
    return table.left_of(table.dealer)


class Play(Struct, frozen=True, kw_only=True):
    """How the rounds of a game go, and in words. `Variant.play` names it, and games/__init__.py lists all of them."""

    open_round: Callable[[Table], Flow[None]]
    """Plays what comes after the deal and before the first turn."""
    take_turn: TakeTurn
    set_up_in_words: InWords
    turn_in_words: InWords
    starter: Callable[[Table], int] = left_of_dealer
    settle_rows: Callable[[Table], Flow[int]] | None = None
    """What comes before the deal: returns how many rows the layouts have. None: as many as the variant's."""


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
    table.hand = table.ended_by = table.final = None
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


def open_face_up(table: Table) -> Flow[None]:
    """KER-01: the first up-card is turned up where the game has one, then each seat's cards (SIX-03, FOU-02, FOU-03).

    The seats choose them sealed, by option row by row (KER-15), and all are revealed together (DEC-01)."""
    if has_up_card(table.variant):
        table.turn_up_card()
    if count := table.options.initial_up:
        slots, width = tuple(range(size(table.variant))), table.variant.columns
        parts = [slots]
        if table.options.up_in_each_row:
            count, parts = 1, [slots[start : start + width] for start in slots[::width]]
        chosen: list[tuple[int, ...]] = [()] * table.seats
        for part in parts:
            more = yield from choose_slots(table.seats, "turn_up", count, part)
            chosen = [(*before, *now) for before, now in zip(chosen, more, strict=True)]
        for seat, up in enumerate(chosen):
            flip(table, seat, up)
        if table.options.lines_leave:
            _lines_leave(table)


def choose_slots(seats: int, kind: Decision, count: int, slots: tuple[int, ...]) -> Flow[list[tuple[int, ...]]]:
    """Ask every seat, sealed, for so many of these slots of its own, by an action of this kind; return them by seat."""
    actions = yield _ask_all(seats, kind, count, slots)
    if not isinstance(actions, tuple):
        raise TypeError("a Sealed is answered by a tuple of actions")
    return [action.slots for action in actions]  # type: ignore[union-attr] # each action of these kinds has slots


@cached
def _ask_all(seats: int, kind: Decision, count: int, slots: tuple[int, ...]) -> Sealed:
    offers, fallback = (Offer(kind=kind, slots=Pick(count, slots)),), ACTIONS[kind](slots=slots[:count])
    return Sealed(asks=tuple(Ask(seat=seat, decision=kind, offers=offers, fallback=fallback) for seat in range(seats)))


# Turns and the end of a round


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
            if table.options.lines_leave:
                _lines_leave(table)
            _check_end_trigger(table, seat)
            skip = discarded is not None and table.options.jack_skip and rank(discarded) == "J"
            if table.stock_has_run_out():
                return
            _next_turn(table, seat, skip=skip)
    except RoundOver:
        return


def start_final_lap(table: Table, seat: int) -> None:
    """CAC-18: the ender has no further turn, every other seat has one."""
    table.ended_by = seat
    table.final = table.others(seat)


def knock(table: Table, seat: int) -> None:
    """KER-10, KNO-02: the knock uses up the turn. With `knock_ends_at_once` it is the round's last (KER-16)."""
    table.emit(events.Knocked(seat=seat))
    start_final_lap(table, seat)
    if table.options.knock_ends_at_once:
        table.final = []


def spared_ender(table: Table) -> int | None:
    """Return the seat that ended the round if `protect_ender` is set. Each game says what must not be aimed at it."""
    return table.ended_by if table.options.protect_ender else None


def _lines_leave(table: Table) -> None:
    """KER-14: complete lines go to the pile, clockwise from the seat in turn, the cards of a seat by their slots."""
    shape = (table.variant.rows, table.variant.columns)
    for seat in (table.turn, *table.others(table.turn)):
        open_cards = [slot.card if slot is not None and slot.up else None for slot in table.layouts[seat]]
        for number in sorted(equal_lines(table.options, shape, open_cards)):
            card = table.remove(seat, number)
            table.to_pile(card)
            table.emit(events.CardRemoved(seat=seat, target=(seat, number), card=everybody(card)))


def _check_end_trigger(table: Table, seat: int) -> None:
    """KER-09: the first layout that is completely face up makes its owner the ender (SIX-08, TDK-12).

    The round ends at once (NIN-05), or after a turn of every other seat, in which a second complete layout changes
    nothing (TDK-13)."""
    if table.options.end_mode == "knock" or table.ended_by is not None or not table.lies_open(seat):
        return
    table.emit(events.Finished(seat=seat))
    start_final_lap(table, seat)
    if table.options.final_turns is None:
        raise RoundOver


def _next_turn(table: Table, seat: int, *, skip: bool) -> None:
    """Settle who is next (GEN-09, KER-12, T4-03). Raises RoundOver where nobody is, and at the turn cap.

    A jack (`skip`) takes the turn that would come next; at the turn cap none would come (KER-13)."""
    turns_each = table.variant.turns_each
    if turns_each is not None and table.turns == turns_each * table.seats:
        raise RoundOver
    coming = table.final
    if coming is None:
        left = table.left_of(seat)
        coming = [left, table.left_of(left)] if skip else [left]
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


# How a turn begins


def turn_ask(table: Table, seat: int, *, opens_turn: bool = True) -> Ask:
    """DEC-04: how the turn begins in all games but par golf. Raises RoundOver with nothing to draw (GEN-08).

    What else is legal stays so where the stock is empty and cannot be made anew (SIX-12)."""
    sources = draw_sources(table, seat)
    if not sources:
        raise RoundOver
    down = table.face_down(seat) if table.options.flip_instead else ()
    return _turn_ask(seat, sources, _may_knock(table), down, opens_turn)


def draw_sources(table: Table, seat: int) -> tuple[Source, ...]:
    """Return what can be drawn from (KER-02).

    A pile card must be swapped in, so that a seat without cards cannot take it (POW-25)."""
    sources: tuple[Source, ...] = ("stock",) if table.stock or table.can_draw_stock() else ()
    if table.pile and table.variant.can_draw_pile and any(table.layouts[seat]):
        sources += ("pile",)
    return sources


def _may_knock(table: Table) -> bool:
    """Return whether a knock is legal: no final lap runs (KER-02, KER-11), and turns are not counted (T4-04).

    A knock is legal in a seat's first turn too, whatever lies face down (KNO-01)."""
    return table.options.end_mode != "all_up" and table.ended_by is None and table.variant.turns_each is None


@cached
def _turn_ask(seat: int, sources: tuple[Source, ...], knock: bool, down: tuple[int, ...], opens_turn: bool) -> Ask:
    offers = [Offer(kind="draw", source=OneOf(sources))]
    if knock:
        offers.append(Offer(kind="knock"))
    if down:
        offers.append(Offer(kind="flip", slot=OneOf(down)))
    fallback = Draw(source=sources[0])
    return Ask(seat=seat, decision="turn", offers=tuple(offers), fallback=fallback, opens_turn=opens_turn)


def draw(table: Table, seat: int, source: Source, *, all_see: Callable[[Card], bool] | None = None) -> Card:
    """Draw a card into the hand. A stock card is seen by the seat alone (INF-07), or by everybody if `all_see` says so.

    Raises LookupError where no stock card is left."""
    if source == "pile":
        card = table.pile.pop()
        seen, table.hand_known_by = everybody(card), table.everybody
    else:
        taken = table.take_stock()
        if taken is None:
            raise LookupError("no stock card to draw")
        card = taken
        if all_see is not None and all_see(card):
            seen, table.hand_known_by = everybody(card), table.everybody
        else:
            seen, table.hand_known_by = only(seat, card), 1 << seat
    table.hand = card
    table.emit(events.Drew(seat=seat, source=source, card=seen, stock=len(table.stock)))
    return card


# What becomes of the card in hand


@cached
def place_ask(seat: int, slots: tuple[int, ...], may_discard: bool, prey: tuple[Target, ...] = ()) -> Ask:
    """DEC-05: the seat swaps the card in hand with one of its own (KER-03, KER-04), discards it or trades it."""
    offers: tuple[Offer, ...] = (Offer(kind="swap", slot=OneOf(slots)),) if slots else ()
    offers += (DISCARD,) * may_discard
    offers += (Offer(kind="trade", target=OneOf(prey)),) if prey else ()
    fallback: Action = Discard() if may_discard else Swap(slot=slots[0])
    return Ask(seat=seat, decision="place", offers=offers, fallback=fallback)


def place(table: Table, seat: int, action: Response, *, face_up: bool, public: bool = True) -> Card:
    """KER-05, CAC-12, CMB-04, POW-06: the card in hand takes the slot, the old one goes face up to the pile.

    Its owner sees the old card when all others do (SIX-07, INF-08). A new one that lies face down is known to everybody
    if it is `public`, because it came from the pile. Returns the old card."""
    if not isinstance(action, Swap) or table.hand is None:
        raise TypeError(f"cannot place by {action!r}")
    card, replaced = table.hand, table.at(seat, action.slot).card
    if face_up or public:
        seen, known_by = everybody(card), table.everybody
    else:
        seen, known_by = only(seat, card), table.hand_known_by
    table.layouts[seat][action.slot] = Slot(card, face_up, known_by, len(table.events))
    table.hand = None
    table.pile.append(replaced)
    table.emit(events.Swapped(seat=seat, slot=action.slot, card=seen, face_up=face_up, replaced=everybody(replaced)))
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


@cached
def _flip_ask(seat: int, down: tuple[int, ...], optional: bool) -> Ask:
    offers = (Offer(kind="flip", slot=OneOf(down)),) + (NONE,) * optional
    fallback: Action = Nothing() if optional else Flip(slot=down[0])
    return Ask(seat=seat, decision="flip", offers=offers, fallback=fallback, joins=True)


def flip(table: Table, seat: int, slots: tuple[int, ...]) -> None:
    """Turn a seat's own cards face up, so that everybody sees them."""
    turned = [table.at(seat, number) for number in slots]
    for slot in turned:
        slot.up = True
    table.show(turned, table.everybody)
    cards = tuple([everybody(slot.card) for slot in turned])
    table.emit(events.TurnedUp(seat=seat, slots=slots, cards=cards))


# In words, for describe.py


STARTER = "The seat left of the dealer starts, play goes clockwise, the deal moves left after each round."
DRAW = "Draw the top card of the stock (only you see it) or of the pile."
FROM_PILE = "A card from the pile must be swapped with one of your cards"


def set_up_in_words(variant: Variant) -> Iterator[str]:
    """Yield the set-up of a game in which cards are turned face up."""
    yield f"Each seat has {variant.rows} rows of {variant.columns} face-down cards that nobody has seen."
    yield "The top card of the stock starts the discard pile." if has_up_card(variant) else "The pile starts empty."
    if count := variant.options.initial_up:
        any_of = f"any {'one' if count == 1 else count} of its cards"
        if variant.options.up_in_each_row:
            any_of = "one card in each of its rows"
        yield f"Each seat turns {any_of} face up, all seats at the same time."
    yield STARTER


def flip_in_words(options: Options) -> Iterator[str]:
    """Yield what may or must be turned up after a discard (KER-06), nothing where the option is `never`."""
    match options.flip_on_discard:
        case "may":
            yield "After discarding a stock card you may turn one of your face-down cards up."
        case "must":
            yield "After discarding a stock card you must turn one of your face-down cards up."
        case "must_unless_last":
            yield "After discarding a stock card you must turn a face-down card up, unless it is your last."
