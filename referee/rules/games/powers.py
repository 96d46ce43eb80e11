"""Powers (POW): nearly every card does something when it is discarded as drawn. power_cards.py says what.

A power that is aimed at another set is an attack and can be blocked by a shield (POW-17). A 2 copies two other powers
and stands in once for a card that its power uses up (POW-11).
"""

from collections.abc import Iterator

from protocol import events
from protocol.actions import (
    AddCard,
    Allow,
    Block,
    Copy,
    Discard,
    Draw,
    Exchange,
    Expose,
    Hide,
    Knock,
    Nothing,
    Peek,
    Plant,
    RemoveCard,
    Shuffle,
    Stop,
    Swap,
    SwapLines,
    Target,
)  # fmt: skip
from protocol.cards import Card
from protocol.offers import Offer, OneOf
from referee.rules.games.course import Course
from referee.rules.games.hidden import open_round, place_face_down, set_up_in_words
from referee.rules.games.power_cards import (
    POWERS,
    Use,
    cancel_knock,
    cancels_when_drawn,
    lay_on_pile,
    power_of,
    turned_up,
)  # fmt: skip
from referee.rules.games.six_card import DISCARD, NONE, Source, discard_hand, knock, place_ask, turn_ask
from referee.rules.table.asks import Ask, Flow, Response, alike
from referee.rules.table.seen import everybody
from referee.rules.table.table import Table, draw
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[None]:
    """POW-04: knock, or draw and look at the card (POW-05); it is swapped in (POW-06), or discarded for its power.

    A knock is the only way to end the round but for what GEN-08 and GEN-09 say (POW-24)."""
    match (yield turn_ask(table, seat)):
        case Knock():
            knock(table, seat)
            return
        case Draw(source=source):
            card, public = _draw(table, seat, source)
            action = yield place_ask(table, seat, offers=() if source == "pile" else (DISCARD,))
            if isinstance(action, Discard):
                yield from _use_or_discard(table, seat, card)
            elif isinstance(action, Swap):
                was_up = table.at(seat, action.slot).up
                turned_up(table, place_face_down(table, seat, action, public=public), was_up=was_up)


def _draw(table: Table, seat: int, source: Source) -> tuple[Card, bool]:
    """The card, and whether everybody has seen it: from the pile, or because it cancels the knock (POW-22)."""
    card = draw(table, seat, source, must_show=lambda drawn: cancels_when_drawn(table, drawn))
    if source == "pile" or not cancels_when_drawn(table, card):
        return card, source == "pile"
    cancel_knock(table)
    return card, True


def _use_or_discard(table: Table, seat: int, card: Card) -> Flow[None]:
    """POW-05, POW-07, DEC-07: the seat may use a power that has a target; with a 2 it is asked what to copy.

    The last stock card gives no power where that ends the round (GEN-08)."""
    if table.stock_has_run_out():
        discard_hand(table, seat)
        return
    power = power_of(card)
    use = Use(table, seat, power, card, in_hand=True)
    if power == "2":
        yield from _copy_two(use)
        return
    offers = _offers(use)
    action: Response = Nothing()
    if offers:
        action = yield _ask_for_power(seat, offers)
    if isinstance(action, Nothing):
        discard_hand(table, seat)
    else:
        yield from _carry_out(use, action)


def _ask_for_power(seat: int, offers: tuple[Offer, ...]) -> Ask:
    """DEC-07: whether and how the seat uses the power."""
    return alike(Ask(seat=seat, decision="power", offers=(*offers, NONE), fallback=Nothing()))


def _offers(use: Use) -> tuple[Offer, ...]:
    """Return how a power can be used now; nothing where it has no legal target (POW-07)."""
    power = POWERS.get(use.power)
    return tuple(power.offers(use)) if power else ()


def _carry_out(use: Use, action: Response) -> Flow[None]:
    """Announce the power, let a shield block it, otherwise do what it does (POW-07, POW-17)."""
    table = use.table
    against, targets = _aim(use, action)
    if use.in_hand and not POWERS[use.power].keeps_card:
        lay_on_pile(use)
    table.emit(
        events.PowerUsed(seat=use.seat, card=everybody(use.card), power=use.power, against=against, targets=targets)
    )
    if against is not None and (yield from _is_blocked(use, against)):
        return
    yield from POWERS[use.power].act(use, action)
    if use.in_hand:
        lay_on_pile(use)


def _aim(use: Use, action: Response) -> tuple[int | None, tuple[Target, ...]]:
    """Return which other set the power is aimed at, and the slots that POW-29 makes public."""
    match action:
        case Exchange(slot=slot, target=target):
            return target[0], ((use.seat, slot), target)
        case Peek(target=target) | Plant(target=target) | Expose(target=target):
            return (target[0] if target[0] != use.seat else None), (target,)
        case RemoveCard(slot=slot) | Hide(slot=slot):
            return None, ((use.seat, slot),)
        case AddCard(seat=victim) | Shuffle(seat=victim) | SwapLines(seat=victim):
            return victim, ()
    return None, ()


# Shields


def _is_blocked(use: Use, victim: int) -> Flow[bool]:
    """POW-17, DEC-10: a seat with a shield may block; the attack then has no effect.

    A shield that is used up goes to the pile, the oldest first, and everybody sees which (POW-29)."""
    table = use.table
    if not table.shields[victim]:
        return False
    offers = (Offer(kind="block"), Offer(kind="allow"))
    answer = yield alike(Ask(seat=victim, decision="block", offers=offers, fallback=Allow()))
    if not isinstance(answer, Block):
        return False
    if use.in_hand:
        use.spent = True
        lay_on_pile(use)
    table.shield_uses[victim] += 1
    gone: Card | None = None
    if table.options.shield_uses != "unlimited" and table.shield_uses[victim] >= table.options.shield_uses:
        gone = table.shields[victim].pop(0)
        table.to_pile(gone)
        table.shield_uses[victim] = 0
    table.emit(events.Blocked(seat=victim, shields=len(table.shields[victim]), shield=everybody(gone)))
    return True


# The 2


COPIED = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "BK")
"""The powers that a 2 can copy (POW-11)."""


def _copy_two(use: Use) -> Flow[None]:
    """POW-11, DEC-14: the seat copies one power, then another; the 2 lies on the pile and can stand in once.

    There is no second one where the first, an 8, drew the last stock card and that ends the round (GEN-08)."""
    table = use.table
    done: list[str] = []
    standing_in = False
    while len(done) < 2 and not table.stock_has_run_out():
        copies = tuple(name for name in COPIED if name not in done and _can_copy(use, name, standing_in=standing_in))
        offers = (Offer(kind="copy", power=OneOf(copies)),) if copies else ()
        if not copies:
            break
        ask = alike(Ask(seat=use.seat, decision="pick2", offers=(*offers, Offer(kind="stop")), fallback=Stop()))
        choice = yield ask
        if not isinstance(choice, Copy):
            break
        if not done:
            lay_on_pile(use)
            shown = everybody(use.card)
            table.emit(events.PowerUsed(seat=use.seat, card=shown, power="2", against=None, targets=()))
        done.append(choice.power)
        standing_in = (yield from _copy_one(use, choice.power, standing_in=standing_in)) or standing_in
    if not done:
        discard_hand(table, use.seat)


def _copy(use: Use, power: str, *, standing_in: bool) -> Use:
    return Use(use.table, use.seat, power, use.card, in_hand=not standing_in)


def _can_copy(use: Use, power: str, *, standing_in: bool) -> bool:
    """Return whether a copy has a legal target, and whether the 2 can stand in for its card where that is needed."""
    if power == "Q":
        return True
    if power in ("5", "9") and standing_in:
        return False
    return bool(_offers(_copy(use, power, standing_in=standing_in)))


def _copy_one(use: Use, power: str, *, standing_in: bool) -> Flow[bool]:
    """Use one copied power; return whether the 2 has stood in for a card that is used up (POW-11)."""
    table = use.table
    if power == "Q":
        table.emit(events.PowerUsed(seat=use.seat, card=everybody(use.card), power="Q", against=None, targets=()))
        return False
    copy = _copy(use, power, standing_in=standing_in)
    action = yield _ask_for_power(use.seat, _offers(copy))
    if isinstance(action, Nothing):
        return False
    copy.in_hand = not standing_in and POWERS[power].keeps_card
    if copy.in_hand:
        _take_from_pile(table, use.card)
    yield from _carry_out(copy, action)
    return copy.spent


def _take_from_pile(table: Table, card: Card) -> None:
    """POW-07: a 2 that becomes a stand-in is taken from the pile again."""
    last = len(table.pile) - 1 - table.pile[::-1].index(card)
    table.hand = table.pile.pop(last)


# In words, for describe.py


def power_in_words(power: str) -> str:
    """Return what a power does, by its name in events. A queen does nothing, which a 2 can copy."""
    if power == "2":
        return "two different powers of 3 to black king; the 2 stands in once for a 5, 8 or 9"
    return "nothing" if power == "Q" else POWERS[power].in_words


def _turn_in_words(variant: Variant) -> Iterator[str]:
    options = variant.options
    pile = " or of the pile; a card from the pile must be swapped in" if options.powers_draw_pile else ""
    yield f"Draw the top card of the stock (only you see it){pile}."
    yield "Swap it, face down, for one of your cards unseen, which goes face up on the pile;"
    yield "or discard it, and use its power if you like."
    for name in (*POWERS, "2"):
        yield f"{'Black king' if name == 'BK' else name}: {power_in_words(name)}."
    yield "Q and red kings: nothing."
    if options.black_king_cancels == "drawn":
        yield "Who draws a black king from the stock in the last lap shows it, and the knock is cancelled at once."
    if options.hidden_rearrange:
        yield "Only who plays a 7 knows which lines change places."
    uses = {1: "once", "unlimited": "as often as you like"}.get(options.shield_uses, f"{options.shield_uses} times")
    yield f"A shield blocks a power that is aimed at your set, if you choose so, {uses}."
    if options.protect_ender:
        yield "The knocker's set cannot be attacked."


COURSE = Course(
    open_round=open_round,
    take_turn=take_turn,
    set_up_in_words=set_up_in_words,
    turn_in_words=_turn_in_words,
)
