"""Par golf (PAR): seats look at their cards and arrange them, and strokes fix pairs; No-Par has no strokes."""

from collections.abc import Iterator

from protocol import events
from protocol.actions import ChoosePar, Draw, End, Nothing, Stroke, Swap, SwapOwn
from protocol.cards import Card
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games import look, turns
from referee.rules.questions import Ask, Flow, ask, cached
from referee.rules.secrets import Secret, everybody, only
from referee.rules.table import Slot, Table
from referee.rules.variants import Variant, possible_pars


def settle_rows(table: Table) -> Flow[int]:
    """PAR-28, DEC-17: the next hole has the par that comes next (PAR-22), or one that its dealer chooses."""
    pars = _pars_left(table)
    if not pars:
        return table.variant.rows
    par, offered = pars[0], tuple(sorted(set(pars)))
    if table.options.par_choice == "dealer" and len(offered) > 1:
        action = yield ask(table.dealer, "par", (Offer(kind="choose_par", par=OneOf(offered)),), ChoosePar(par=par))
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
    yield from look.first_look(table)
    if table.options.arrange == "after_look":
        yield from _arrange(table)
    for seat in range(table.seats):
        turns.flip(table, seat, (0, 1))
    table.turn_up_card()


def _arrange(table: Table) -> Flow[None]:
    """Ask all seats, sealed, where they put their own cards (DEC-03)."""
    slots = table.occupied(0)
    chosen = yield from turns.choose_slots(table.seats, "arrange", len(slots), slots)
    for seat, order in enumerate(chosen):
        table.layouts[seat] = [table.layouts[seat][number] for number in order]
        table.mix_unseen(seat, by=seat)
        table.emit(events.Arranged(seat=seat, slots=only(seat, order)))


def take_turn(table: Table, seat: int) -> Flow[Card | None]:
    """PAR-08: strokes, then one action: a draw with a forced swap (PAR-09), two own cards (PAR-11), or `end` (PAR-17).

    The new card takes over the face of the slot (PAR-10, PAR-24). The final stroke ends the turn (PAR-14), and the
    first one on the table starts the last lap (PAR-15). A No-Par hole that nobody ends runs on (PAR-18)."""
    options, is_first = table.options, table.ended_by is None
    asked = not options.no_par and (yield from _take_strokes(table, seat))
    free = _free_slots(table, seat)
    if not free and not options.no_par:
        if is_first:
            table.emit(events.Finished(seat=seat))
            turns.start_final_lap(table, seat)
        return None
    may_end = options.no_par and is_first and table.seat_turns[seat] + 1 >= options.no_par_first_end
    match (yield _turn_ask(seat, turns.draw_sources(table, seat), free, may_end, not asked)):
        case End():
            turns.knock(table, seat)
        case SwapOwn(slots=slots):
            _swap_own(table, seat, slots)
        case Draw(source=source):
            turns.draw(table, seat, source)
            action = yield turns.place_ask(seat, free, False)
            face_up = isinstance(action, Swap) and table.at(seat, action.slot).up
            return turns.place(table, seat, action, face_up=face_up, public=source == "pile")
    return None


def _free_slots(table: Table, seat: int) -> tuple[int, ...]:
    """Return the slots that are not in a row taken as a stroke."""
    taken = table.strokes[seat]
    slots = table.occupied(seat)
    return tuple([number for number in slots if number // 2 not in taken]) if taken else slots


@cached
def _turn_ask(
    seat: int, sources: tuple[turns.Source, ...], free: tuple[int, ...], may_end: bool, opens_turn: bool
) -> Ask:
    """DEC-04 in par golf; the seat may join it to its answer on strokes (DEC-15)."""
    offers: tuple[Offer, ...] = (Offer(kind="draw", source=OneOf(sources)), Offer(kind="swap_own", slots=Pick(2, free)))
    offers += (Offer(kind="end"),) * may_end
    fallback, joins = Draw(source=sources[0]), not opens_turn
    return Ask(seat=seat, decision="turn", offers=offers, fallback=fallback, opens_turn=opens_turn, joins=joins)


def _swap_own(table: Table, seat: int, slots: tuple[int, int]) -> None:
    """PAR-11, PAR-24: two own cards change places and take over the face of the new place."""
    layout, (one, other) = table.layouts[seat], slots
    first, second = table.at(seat, other), table.at(seat, one)
    layout[one], layout[other] = first, second
    first.up, second.up = second.up, first.up
    table.show([slot for slot in (first, second) if slot.up], table.everybody)
    table.emit(events.SwappedOwn(seat=seat, slots=slots, cards=(_face(first), _face(second))))


def _face(slot: Slot) -> Secret[Card | None]:
    return everybody(slot.card) if slot.up else Secret(None, None)


def _take_strokes(table: Table, seat: int) -> Flow[bool]:
    """PAR-12, PAR-13: from its second turn on a seat may take a row, or several, which is fixed and lies face down.

    Returns whether the seat was asked (DEC-12)."""
    asked = False
    while table.seat_turns[seat] and (free := _free_slots(table, seat)):
        action = yield _stroke_ask(seat, free, not asked)
        asked = True
        if not isinstance(action, Stroke):
            break
        table.strokes[seat].add(action.row)
        for number in (2 * action.row, 2 * action.row + 1):
            table.at(seat, number).up = False
        table.emit(events.Stroked(seat=seat, row=action.row))
        if table.options.strokes_per_turn == 1:
            break
    return asked


@cached
def _stroke_ask(seat: int, free: tuple[int, ...], opens_turn: bool) -> Ask:
    rows = OneOf(tuple(sorted({number // 2 for number in free})))
    offers = (turns.NONE, Offer(kind="stroke", row=rows))
    return Ask(seat=seat, decision="stroke", offers=offers, fallback=Nothing(), opens_turn=opens_turn)


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
    yield look.look_in_words(variant)
    if options.arrange == "after_look":
        yield "Then it arranges them as it likes, all seats at the same time."
    yield "The top row is turned up; the top card of the stock starts the pile."
    yield turns.STARTER


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


PLAY = turns.Play(
    open_round=open_hole,
    take_turn=take_turn,
    set_up_in_words=_set_up_in_words,
    turn_in_words=_turn_in_words,
    settle_rows=settle_rows,
)
