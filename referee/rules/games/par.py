"""Par golf (PAR): seats look at their cards and arrange them, and strokes fix pairs; No-Par has no strokes."""

from collections.abc import Iterator
from functools import lru_cache

from protocol import events
from protocol.actions import Arrange, ChoosePar, Draw, End, Nothing, Stroke, Swap, SwapOwn
from protocol.cards import Card
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games.course import Course
from referee.rules.games.hidden import first_look, look_in_words
from referee.rules.games.six_card import NONE, STARTER, Source, draw_sources, start_final_lap
from referee.rules.table.asks import ALIKE, Ask, Flow, Sealed, choose_sealed
from referee.rules.table.seen import Seen, everybody, only
from referee.rules.table.table import Slot, Table, draw, flip
from referee.rules.variants import Variant, possible_pars


def settle_rows(table: Table) -> Flow[int]:
    """PAR-28, DEC-17: the next hole has the par that comes next (PAR-22), or one that its dealer chooses."""
    pars = _pars_left(table)
    if not pars:
        return table.variant.rows
    par, offered = pars[0], tuple(sorted(set(pars)))
    if table.options.par_choice == "dealer" and len(offered) > 1:
        offers = (Offer(kind="choose_par", par=OneOf(offered)),)
        action = yield Ask(seat=table.dealer, decision="par", offers=offers, fallback=ChoosePar(par=par))
        par = action.par if isinstance(action, ChoosePar) else par
        table.emit(events.ParChosen(seat=table.dealer, par=par))
    table.pars.append(par)
    return par


def _pars_left(table: Table) -> tuple[int, ...]:
    """Return the pars that the next hole can have, the one first that it has if nobody chooses; () without par.

    A course is played hole by hole, and again from its beginning once all of its holes have been played."""
    options = table.options
    left = list(possible_pars(options))
    if options.course is None:
        return tuple(sorted(left, key=lambda par: par != options.par))
    for par in table.pars[len(table.pars) // len(left) * len(left) :]:
        left.remove(par)
    return tuple(left)


def open_hole(table: Table) -> Flow[None]:
    """PAR-04: seats look at all their cards and arrange them. Then top rows (PAR-05) and up-card (PAR-06) turn up."""
    yield from first_look(table)
    if table.options.arrange == "after_look":
        yield from _arrange(table)
    for seat in range(table.seats):
        flip(table, seat, (0, 1))
    table.turn_up_card()


def _arrange(table: Table) -> Flow[None]:
    """Ask all seats, sealed, where they put their own cards (DEC-03)."""
    actions = yield from choose_sealed(_ask_to_arrange(table.seats, table.occupied(0)))
    for seat, action in enumerate(actions):
        if isinstance(action, Arrange):
            table.layouts[seat] = [table.layouts[seat][number] for number in action.slots]
            table.emit(events.Arranged(seat=seat, slots=only(seat, action.slots)))


@lru_cache(ALIKE)
def _ask_to_arrange(seats: int, slots: tuple[int, ...]) -> Sealed:
    offers = (Offer(kind="arrange", slots=Pick(len(slots), slots)),)
    fallback = Arrange(slots=slots)
    asks = [Ask(seat=seat, decision="arrange", offers=offers, fallback=fallback) for seat in range(seats)]
    return Sealed(asks=tuple(asks))


def take_turn(table: Table, seat: int) -> Flow[Card | None]:
    """PAR-08: a stroke, then one action (PAR-09, PAR-11), unless the final stroke or `end` (PAR-17) ends the turn."""
    asked = yield from _take_strokes(table, seat)
    if not table.options.no_par and not free_slots(table, seat):
        _end_hole(table, seat)
        return None
    match (yield _turn_ask(table, seat, opens_turn=not asked)):
        case End():
            table.emit(events.Knocked(seat=seat))
            start_final_lap(table, seat)
        case SwapOwn(slots=slots):
            _swap_own(table, seat, slots)
        case Draw(source=source):
            card = draw(table, seat, source)
            action = yield _place_ask(seat, free_slots(table, seat))
            if isinstance(action, Swap):
                return _place(table, seat, action.slot, card, public=source == "pile")
    return None


def free_slots(table: Table, seat: int) -> tuple[int, ...]:
    """Return the slots that are not in a row taken as a stroke."""
    taken = table.strokes[seat]
    slots = table.occupied(seat)
    return tuple([number for number in slots if number // 2 not in taken]) if taken else slots


def _turn_ask(table: Table, seat: int, *, opens_turn: bool) -> Ask:
    """DEC-04: a seat draws, swaps two own cards (PAR-11), or ends a No-Par hole (PAR-17) that runs on (PAR-18)."""
    sources, free, options = draw_sources(table, seat), free_slots(table, seat), table.options
    is_late = table.seat_turns[seat] + 1 >= options.no_par_first_end
    may_end = options.no_par and table.knocker is None and is_late
    return _ask_for_turn(seat, sources, free, may_end, opens_turn)


@lru_cache(ALIKE)
def _ask_for_turn(
    seat: int, sources: tuple[Source, ...], free: tuple[int, ...], may_end: bool, opens_turn: bool
) -> Ask:
    offers = [Offer(kind="draw", source=OneOf(sources)), Offer(kind="swap_own", slots=Pick(2, free))]
    if may_end:
        offers.append(Offer(kind="end"))
    fallback = Draw(source=sources[0])
    return Ask(
        seat=seat,
        decision="turn",
        offers=tuple(offers),
        fallback=fallback,
        opens_turn=opens_turn,
        joins=not opens_turn,
    )


@lru_cache(ALIKE)
def _place_ask(seat: int, free: tuple[int, ...]) -> Ask:
    """PAR-09: a swap is forced."""
    return Ask(seat=seat, decision="place", offers=(Offer(kind="swap", slot=OneOf(free)),), fallback=Swap(slot=free[0]))


def _place(table: Table, seat: int, number: int, card: Card, *, public: bool) -> Card:
    """PAR-10, PAR-24: the new card takes over the face of the slot, the old one goes face up to the pile."""
    slot = table.at(seat, number)
    replaced, slot.card, table.hand = slot.card, card, None
    table.to_pile(replaced)
    seen = everybody(card) if public or slot.up else only(seat, card)
    table.emit(events.Swapped(seat=seat, slot=number, card=seen, face_up=slot.up, replaced=everybody(replaced)))
    return replaced


def _swap_own(table: Table, seat: int, slots: tuple[int, int]) -> None:
    """PAR-11, PAR-24: two own cards change places and take over the face of the new place."""
    first, second = (table.at(seat, number) for number in slots)
    first.card, second.card = second.card, first.card
    cards = (_face(first), _face(second))
    table.emit(events.SwappedOwn(seat=seat, slots=slots, cards=cards))


def _face(slot: Slot) -> Seen[Card | None]:
    return everybody(slot.card) if slot.up else Seen(None, None)


def _take_strokes(table: Table, seat: int) -> Flow[bool]:
    """PAR-12, DEC-12: from its second turn on a seat may take a row, or several; returns whether it was asked."""
    if table.options.no_par or table.seat_turns[seat] == 0:
        return False
    asked = False
    while free := free_slots(table, seat):
        action = yield _ask_for_stroke(seat, free, not asked)
        asked = True
        if not isinstance(action, Stroke):
            break
        _stroke(table, seat, action.row)
        if table.options.strokes_per_turn == 1:
            break
    return asked


@lru_cache(ALIKE)
def _ask_for_stroke(seat: int, free: tuple[int, ...], opens_turn: bool) -> Ask:
    rows = OneOf(tuple(sorted({number // 2 for number in free})))
    offers = (NONE, Offer(kind="stroke", row=rows))
    return Ask(seat=seat, decision="stroke", offers=offers, fallback=Nothing(), opens_turn=opens_turn)


def _stroke(table: Table, seat: int, row: int) -> None:
    """PAR-12, PAR-13: the row is fixed and lies face down from now on."""
    table.strokes[seat].add(row)
    for number in (2 * row, 2 * row + 1):
        table.at(seat, number).up = False
    table.emit(events.Stroked(seat=seat, row=row))


def _end_hole(table: Table, seat: int) -> None:
    """PAR-14, PAR-15: the final stroke ends the turn, and the first one on the table starts the last lap."""
    if table.knocker is None:
        table.emit(events.Finished(seat=seat))
        start_final_lap(table, seat)


# In words, for describe.py


def _set_up_in_words(variant: Variant) -> Iterator[str]:
    options = variant.options
    if options.course:
        holes, pars = len(options.course), " ".join(map(str, options.course))
        yield (
            f"A course of {holes} holes with the pars {pars}."
            if holes > 1
            else f"A course of one hole with par {pars}."
        )
    if options.par_choice == "dealer":
        which = "one that is left of the course" if options.course else "3, 4 or 5"
        yield f"Before the deal the dealer of each hole chooses its par: {which}."
    if len(set(possible_pars(options))) < 2:
        yield f"Each seat has {variant.rows} rows of two face-down cards."
    else:
        yield "Each seat has rows of two face-down cards, as many as the par."
    yield look_in_words(variant)
    if options.arrange == "after_look":
        yield "Then it arranges them as it likes, all seats at the same time."
    yield "The top row is turned up; the top card of the stock starts the pile."
    yield STARTER


def _turn_in_words(variant: Variant) -> Iterator[str]:
    options = variant.options
    draw = "Draw"
    if not options.no_par:
        several = "any number of rows" if options.strokes_per_turn == "unlimited" else "one row"
        yield f"From your second turn on you may first take {several} as a stroke: it is fixed and lies face down."
        draw = "Then draw"
    yield f"{draw} the top card of the stock (only you see it) or of the pile and swap it with one of your cards,"
    yield "which goes face up on the pile; the new card takes over whether it lies face up or down."
    yield "Or let two of your cards change places; each takes over the face of its new place."


COURSE = Course(
    open_round=open_hole,
    take_turn=take_turn,
    set_up_in_words=_set_up_in_words,
    turn_in_words=_turn_in_words,
    settle_rows=settle_rows,
)
