"""Powers (POW): nearly every card does something when it is discarded as drawn. power_cards.py says what.

A power that is aimed at another set is an attack and can be blocked by a shield. A 2 copies two other powers and stands
in once for a card that its power uses up.
"""

from collections.abc import Iterator

from protocol import actions, events
from protocol.actions import Draw, Nothing, Swap, Target
from protocol.cards import Card
from protocol.offers import Offer, OneOf
from referee.rules.games import look, turns
from referee.rules.games.power_cards import POWERS, Use, cancel_knock, cancels_when_drawn, power_of, turned_up
from referee.rules.questions import Flow, Response, ask
from referee.rules.secrets import everybody
from referee.rules.table import Table
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[None]:
    """POW-04: knock, or draw and look at the card (POW-05); it is swapped in (POW-06), or discarded for its power.

    The pile is drawn by option only (POW-03), and its card is swapped in. A knock is the only way to end the round but
    for what GEN-08 and GEN-09 say (POW-24)."""
    action = yield turns.turn_ask(table, seat)
    if not isinstance(action, Draw):
        turns.knock(table, seat)
        return
    from_pile = action.source == "pile"
    card = turns.draw(table, seat, action.source, all_see=lambda drawn: cancels_when_drawn(table, drawn))
    cancels = not from_pile and cancels_when_drawn(table, card)
    if cancels:
        cancel_knock(table)
    placed = yield turns.place_ask(seat, table.occupied(seat), not from_pile)
    if isinstance(placed, Swap):
        was_up = table.at(seat, placed.slot).up
        turned_up(table, turns.place(table, seat, placed, face_up=False, public=from_pile or cancels), was_up=was_up)
    else:
        yield from _use_or_discard(table, seat, card)


def _use_or_discard(table: Table, seat: int, card: Card) -> Flow[None]:
    """POW-07: the seat may use a power that has a target; with a 2 it is asked what to copy.

    The last stock card gives no power where that ends the round (GEN-08)."""
    use = Use(table, seat, power_of(card), card, in_hand=True)
    has_used = False
    if not table.stock_has_run_out():
        has_used = yield from _copy_two(use) if use.power == "2" else _use_power(use)
    if not has_used:
        turns.discard_hand(table, seat)


def _use_power(use: Use) -> Flow[bool]:
    """DEC-07: ask whether and how the seat uses the power; return whether it did."""
    offers = _offers(use)
    action = (yield ask(use.seat, "power", (*offers, turns.NONE), Nothing())) if offers else Nothing()
    if isinstance(action, Nothing):
        return False
    yield from _carry_out(use, action)
    return True


def _offers(use: Use) -> tuple[Offer, ...]:
    """Return how a power can be used now; nothing where it has no legal target."""
    power = POWERS.get(use.power)
    return tuple(power.offers(use)) if power else ()


def _carry_out(use: Use, action: Response) -> Flow[None]:
    """Announce the power, let a shield block it, otherwise do what it does."""
    power = POWERS[use.power]
    against, targets = _aim(use.seat, action)
    if use.in_hand and not power.keeps_card:
        use.lay_on_pile()
    _announce(use, use.power, against, targets)
    if against is not None and (yield from _is_blocked(use, against)):
        return
    effect = power.act(use, action)
    if effect is not None:
        yield from effect
    if use.in_hand:
        use.lay_on_pile()


def _announce(use: Use, power: str, against: int | None = None, targets: tuple[Target, ...] = ()) -> None:
    card = everybody(use.card)
    use.table.hand_known_by = use.table.everybody
    use.table.emit(events.PowerUsed(seat=use.seat, card=card, power=power, against=against, targets=targets))


def _aim(seat: int, action: Response) -> tuple[int | None, tuple[Target, ...]]:
    """Return which other set the power is aimed at, and the slots that POW-29 makes public."""
    match action:
        case actions.Exchange(slot=slot, target=target):
            return target[0], ((seat, slot), target)
        case actions.Peek(target=target) | actions.Plant(target=target) | actions.Expose(target=target):
            return (target[0] if target[0] != seat else None), (target,)
        case actions.RemoveCard(slot=slot) | actions.Hide(slot=slot):
            return None, ((seat, slot),)
        case actions.AddCard(seat=victim) | actions.Shuffle(seat=victim) | actions.SwapLines(seat=victim):
            return victim, ()
    return None, ()


# Shields


def _is_blocked(use: Use, victim: int) -> Flow[bool]:
    """POW-17, DEC-10: a seat with a shield may block; the attack then has no effect.

    A shield that is used up goes to the pile, the oldest first, and everybody sees which (POW-29)."""
    table, shields = use.table, use.table.shields[victim]
    if not shields:
        return False
    answer = yield ask(victim, "block", (Offer(kind="block"), Offer(kind="allow")), actions.Allow())
    if not isinstance(answer, actions.Block):
        return False
    if use.in_hand:
        use.spent = True
        use.lay_on_pile()
    table.shield_uses[victim] += 1
    gone: Card | None = None
    if table.options.shield_uses != "unlimited" and table.shield_uses[victim] >= table.options.shield_uses:
        gone = shields.pop(0)
        table.to_pile(gone)
        table.shield_uses[victim] = 0
    table.emit(events.Blocked(seat=victim, shields=len(shields), shield=everybody(gone)))
    return True


# The 2


COPIED = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "BK")
"""The powers that a 2 can copy (POW-11)."""


def _copy_two(use: Use) -> Flow[bool]:
    """POW-11, DEC-14: the seat copies one power, then another; the 2 lies on the pile and can stand in once.

    There is no second one where the first, an 8, drew the last stock card and that ends the round (GEN-08). Returns
    whether the seat copied any."""
    done: list[str] = []
    standing_in = False
    while len(done) < 2 and not use.table.stock_has_run_out():
        copies = tuple(name for name in COPIED if name not in done and _can_copy(use, name, standing_in=standing_in))
        if not copies:
            break
        offers = (Offer(kind="copy", power=OneOf(copies)), Offer(kind="stop"))
        choice = yield ask(use.seat, "pick2", offers, actions.Stop())
        if not isinstance(choice, actions.Copy):
            break
        if not done:
            use.lay_on_pile()
            _announce(use, "2")
        done.append(choice.power)
        standing_in = (yield from _copy_one(use, choice.power, standing_in=standing_in)) or standing_in
    return bool(done)


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
    """Use one copied power; return whether the 2 has stood in for a card that is used up."""
    if power == "Q":
        _announce(use, "Q")
        return False
    copy = _copy(use, power, standing_in=standing_in)
    action = yield ask(use.seat, "power", (*_offers(copy), turns.NONE), Nothing())
    if isinstance(action, Nothing):
        return False
    copy.in_hand = not standing_in and POWERS[power].keeps_card
    if copy.in_hand:
        pile = use.table.pile  # a 2 that becomes a stand-in is taken from it again
        use.table.hand = pile.pop(len(pile) - 1 - pile[::-1].index(use.card))
    yield from _carry_out(copy, action)
    return copy.spent


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


PLAY = turns.Play(
    open_round=look.open_hidden, take_turn=take_turn, set_up_in_words=look.set_up_in_words, turn_in_words=_turn_in_words
)
