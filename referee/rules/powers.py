"""Powers (POW): nearly every card, discarded as it is drawn, does something. Each power is one function here.

A power that is aimed at another set is an attack and can be blocked by a shield (POW-17). A 2 copies two other powers
and stands in once for a card that its power uses up (POW-11).
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from protocol import events
from protocol.actions import (
    Action,
    AddCard,
    Allow,
    Block,
    CancelKnock,
    Copy,
    Discard,
    Draw,
    Exchange,
    Expose,
    Hide,
    Keep,
    Knock,
    Nothing,
    Peek,
    Plant,
    RemoveCard,
    Shuffle,
    Stop,
    SwapLines,
    Target,
)  # fmt: skip
from protocol.cards import Card, rank, suit
from protocol.offers import Offer, OneOf, Pick
from referee.rules.asks import Ask, Flow, choose
from referee.rules.hidden import place_face_down, switch
from referee.rules.kernel import DISCARD, NONE, choose_turn, discard_hand, knock, place_ask
from referee.rules.seen import Hand, Seen, everybody, only
from referee.rules.table import Slot, Table, draw


class Use(Struct):
    """A power that is being used: by whom, under which name, and the card that carries it."""

    table: Table
    seat: int
    power: str
    card: Card
    in_hand: bool
    """Whether the card has not yet been laid anywhere: it may become a shield, be planted or be kept."""
    spent: bool = False
    """Whether the card was used up so, or blocked when it would have been: a 2 stands in only once."""


def take_turn(table: Table, seat: int) -> Flow[None]:
    """POW-04..POW-07: knock, or draw, and swap or discard; a discarded card may be used for its power."""
    match (yield from choose_turn(table, seat)):
        case Knock():
            knock(table, seat)
            return
        case Draw(source=source):
            public = source == "pile"
            card = draw(table, seat, source)
            action = yield from choose(place_ask(table, seat, offers=() if public else (DISCARD,)))
            if isinstance(action, Discard):
                yield from _use_or_discard(table, seat, card)
            else:
                was_up = table.at(seat, getattr(action, "slot", 0)).up
                turned_up(table, place_face_down(table, seat, action, public=public), was_up=was_up)


def _use_or_discard(table: Table, seat: int, card: Card) -> Flow[None]:
    """POW-05, POW-07: DEC-07, where the card has a power with a legal target; a 2 asks for its copies instead.

    The last stock card gives no power where that ends the round (GEN-08)."""
    if table.stock_has_run_out():
        discard_hand(table, seat)
        return
    power = _power_of(card)
    use = Use(table, seat, power, card, in_hand=True)
    if power == "2":
        yield from _copy_two(use)
        return
    offers = _offers(use)
    action: Action = Nothing()
    if offers:
        ask = Ask(seat=seat, decision="power", offers=(*offers, NONE), fallback=Nothing())
        action = yield from choose(ask)
    if isinstance(action, Nothing):
        discard_hand(table, seat)
    else:
        yield from _carry_out(use, action)


def _power_of(card: Card) -> str:
    """The name of a card's power: its rank, `BK` for the black kings, nothing for red kings and queens."""
    if rank(card) == "K":
        return "BK" if suit(card) in "SC" else ""
    return rank(card)


def _offers(use: Use) -> tuple[Offer, ...]:
    """The actions by which a power can be used now; empty where it has no legal target (POW-07)."""
    power = _POWERS.get(use.power)
    return tuple(power.offers(use)) if power else ()


def _carry_out(use: Use, action: Action) -> Flow[None]:
    """POW-07, POW-17: announce the power, give a shield its chance, then do it."""
    table = use.table
    against, targets = _aim(use, action)
    if use.in_hand and not _POWERS[use.power].keeps_card:
        _lay_on_pile(use)
    table.emit(
        events.PowerUsed(seat=use.seat, card=everybody(use.card), power=use.power, against=against, targets=targets)
    )
    if against is not None and (yield from _is_blocked(use, against)):
        return
    yield from _POWERS[use.power].act(use, action)
    if use.in_hand:
        _lay_on_pile(use)


def _lay_on_pile(use: Use) -> None:
    use.in_hand, use.table.hand = False, None
    use.table.to_pile(use.card)


def _spend(use: Use) -> None:
    """The card goes somewhere else than to the pile."""
    use.in_hand, use.spent, use.table.hand = False, True, None


def _aim(use: Use, action: Action) -> tuple[int | None, tuple[Target, ...]]:
    """Which other set the power is aimed at, and the slots that POW-29 makes public."""
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
    """POW-17, DEC-10: a seat with a shield may block; the attack then has no effect."""
    table = use.table
    if not table.shields[victim]:
        return False
    offers = (Offer(kind="block"), Offer(kind="allow"))
    answer = yield from choose(Ask(seat=victim, decision="block", offers=offers, fallback=Allow()))
    if not isinstance(answer, Block):
        return False
    if use.in_hand:
        use.spent = True
        _lay_on_pile(use)
    table.shield_uses[victim] += 1
    if table.options.shield_uses != "unlimited" and table.shield_uses[victim] >= table.options.shield_uses:
        table.to_pile(table.shields[victim].pop(0))
        table.shield_uses[victim] = 0
    table.emit(events.Blocked(seat=victim, shields=len(table.shields[victim])))
    return True


# What turns up a black king


def turned_up(table: Table, card: Card, *, was_up: bool) -> None:
    """POW-22 (c): a black king that becomes face up during the final lap cancels the knock by itself."""
    if not was_up and _power_of(card) == "BK":
        cancel_knock(table)


def cancel_knock(table: Table) -> None:
    """POW-22, POW-23: the lap is over, the knocker an ordinary player again; without a knock nothing happens."""
    if table.knocker is not None:
        table.emit(events.KnockCancelled(knocker=table.knocker))
        table.knocker = table.final = None


# The powers, from the ace to the king


def _offer_ace(use: Use) -> Iterator[Offer]:
    """POW-10: a stock card for an opponent, or one own card away."""
    victims = _opponents(use)
    # The ace will lie on the pile by then (POW-07), so that a single card below it makes a stock.
    if victims and (use.table.can_draw_stock() or (use.table.pile and use.table.options.stock_out == "reshuffle")):
        yield Offer(kind="add", seat=OneOf(victims))
    if own := use.table.occupied(use.seat):
        yield Offer(kind="remove", slot=OneOf(own))


def _ace(use: Use, action: Action) -> Flow[None]:
    table = use.table
    if isinstance(action, AddCard):
        card = table.take_stock()
        if card is not None:
            number = add_to_set(table, action.seat, card)
            table.emit(events.CardAdded(seat=use.seat, target=(action.seat, number), stock=len(table.stock)))
    elif isinstance(action, RemoveCard):
        slot = table.at(use.seat, action.slot)
        table.to_pile(table.remove(use.seat, action.slot))
        table.emit(events.CardRemoved(seat=use.seat, target=(use.seat, action.slot), card=everybody(slot.card)))
        turned_up(table, slot.card, was_up=slot.up)
    yield from ()


def add_to_set(table: Table, seat: int, card: Card) -> int:
    """POW-08: the lowest-numbered empty slot, else row 0 of a new column; returns the slot."""
    layout = table.layouts[seat]
    if None not in layout:
        layout += [None, None]
    number = layout.index(None)
    layout[number] = Slot(card, up=False)
    return number


def _copy_two(use: Use) -> Flow[None]:
    """POW-11, DEC-14: one power, then a different one; the 2 lies on the pile and can stand in once.

    No second one where the first, an 8, drew the last stock card and that ends the round (GEN-08)."""
    table = use.table
    done: list[str] = []
    standing_in = False
    while len(done) < 2 and not table.stock_has_run_out():
        copies = tuple(name for name in COPIED if name not in done and _can_copy(use, name, standing_in=standing_in))
        offers = (Offer(kind="copy", power=OneOf(copies)),) if copies else ()
        if not copies:
            break
        ask = Ask(seat=use.seat, decision="pick2", offers=(*offers, Offer(kind="stop")), fallback=Stop())
        choice = yield from choose(ask)
        if not isinstance(choice, Copy):
            break
        if not done:
            _lay_on_pile(use)
            shown = everybody(use.card)
            table.emit(events.PowerUsed(seat=use.seat, card=shown, power="2", against=None, targets=()))
        done.append(choice.power)
        standing_in = (yield from _copy_one(use, choice.power, standing_in=standing_in)) or standing_in
    if not done:
        discard_hand(table, use.seat)


def _copy(use: Use, power: str, *, standing_in: bool) -> Use:
    return Use(use.table, use.seat, power, use.card, in_hand=not standing_in)


def _can_copy(use: Use, power: str, *, standing_in: bool) -> bool:
    """Whether a copy of the power has a legal target, and the 2 is there to stand in where that is needed."""
    if power == "Q":
        return True
    if power in ("5", "9") and standing_in:
        return False
    return bool(_offers(_copy(use, power, standing_in=standing_in)))


def _copy_one(use: Use, power: str, *, standing_in: bool) -> Flow[bool]:
    """One copied power; returns whether the 2 has now stood in for a card that is used up (POW-11)."""
    table = use.table
    if power == "Q":
        table.emit(events.PowerUsed(seat=use.seat, card=everybody(use.card), power="Q", against=None, targets=()))
        return False
    copy = _copy(use, power, standing_in=standing_in)
    ask = Ask(seat=use.seat, decision="power", offers=(*_offers(copy), NONE), fallback=Nothing())
    action = yield from choose(ask)
    if isinstance(action, Nothing):
        return False
    copy.in_hand = not standing_in and _POWERS[power].keeps_card
    if copy.in_hand:
        _take_from_pile(table, use.card)
    yield from _carry_out(copy, action)
    return copy.spent


def _take_from_pile(table: Table, card: Card) -> None:
    """POW-07: a 2 that becomes a stand-in is taken from the pile again."""
    last = len(table.pile) - 1 - table.pile[::-1].index(card)
    table.hand = table.pile.pop(last)


def _offer_three(use: Use) -> Iterator[Offer]:
    """POW-14: an opponent's whole set is shuffled."""
    if victims := tuple(seat for seat in _opponents(use) if use.table.occupied(seat)):
        yield Offer(kind="shuffle", seat=OneOf(victims))


def _three(use: Use, action: Action) -> Flow[None]:
    table = use.table
    if isinstance(action, Shuffle):
        slots = table.occupied(action.seat)
        table.shuffles += 1
        cards = tuple(table.at(action.seat, number).card for number in slots)
        shuffled = table.chance.shuffle(table.round, table.shuffles, cards)
        for number, card in zip(slots, shuffled, strict=True):
            table.layouts[action.seat][number] = Slot(card, up=False)
        table.emit(events.Shuffled(seat=use.seat, of=action.seat))
    yield from ()


def _offer_four(use: Use) -> Iterator[Offer]:
    """POW-15: an opponent's card up, or an own card down."""
    if hidden := _others(use, up=False):
        yield Offer(kind="expose", target=OneOf(hidden))
    if own := tuple(number for number in use.table.occupied(use.seat) if use.table.at(use.seat, number).up):
        yield Offer(kind="hide", slot=OneOf(own))


def _four(use: Use, action: Action) -> Flow[None]:
    table = use.table
    if isinstance(action, Expose):
        slot = table.at(*action.target)
        slot.up = True
        table.emit(events.Exposed(seat=use.seat, target=action.target, card=everybody(slot.card)))
        turned_up(table, slot.card, was_up=False)
    elif isinstance(action, Hide):
        table.at(use.seat, action.slot).up = False
        table.emit(events.Hidden(seat=use.seat, target=(use.seat, action.slot)))
    yield from ()


def _offer_five(_: Use) -> Iterator[Offer]:
    """POW-16: a shield."""
    yield Offer(kind="shield")


def _five(use: Use, _: Action) -> Flow[None]:
    table = use.table
    _spend(use)
    table.shields[use.seat].append(use.card)
    count = len(table.shields[use.seat])
    table.emit(events.Shielded(seat=use.seat, card=everybody(use.card), shields=count))
    yield from ()


def _offer_six(use: Use) -> Iterator[Offer]:
    """POW-18: an own card for an opponent's, unseen."""
    own, others = use.table.occupied(use.seat), _others(use)
    if own and others:
        yield Offer(kind="exchange", slot=OneOf(own), target=OneOf(others))


def _six(use: Use, action: Action) -> Flow[None]:
    if isinstance(action, Exchange):
        own = (use.seat, action.slot)
        switch(use.table, own, action.target)
        use.table.emit(events.Switched(seat=use.seat, targets=(own, action.target)))
    yield from ()


def _offer_seven(use: Use) -> Iterator[Offer]:
    """POW-19: two rows or two columns of an opponent's set."""
    for victim in _opponents(use):
        if use.table.occupied(victim):
            lines = {"row": 2, "column": len(use.table.layouts[victim]) // 2}
            for axis, count in lines.items():
                pair = Pick(2, tuple(range(count)))
                yield Offer(kind="swap_lines", seat=OneOf((victim,)), axis=OneOf((axis,)), lines=pair)


def _seven(use: Use, action: Action) -> Flow[None]:
    table = use.table
    if isinstance(action, SwapLines):
        layout = table.layouts[action.seat]
        first, second = (_line(len(layout) // 2, action.axis, line) for line in action.lines)
        for one, other in zip(first, second, strict=True):
            layout[one], layout[other] = layout[other], layout[one]
        to = (use.seat,) if table.options.hidden_rearrange else None
        table.emit(
            events.LinesSwapped(
                seat=use.seat,
                of=action.seat,
                axis=Seen(str(action.axis), to),
                lines=Seen(action.lines, to),
                layout=tuple(None if slot is None else slot.card if slot.up else "?" for slot in layout),
            )
        )
    yield from ()


def _line(columns: int, axis: str, line: int) -> list[int]:
    """POW-08: the slots of a row or column; a column beyond the third has the slots 2k and 2k + 1."""
    by_column = [(k, k + 3) if k < 3 else (2 * k, 2 * k + 1) for k in range(columns)]
    return list(by_column[line]) if axis == "column" else [pair[line] for pair in by_column]


def _offer_eight(use: Use) -> Iterator[Offer]:
    """POW-20: two more cards, one of three is kept; it needs an own slot, and a card to keep."""
    if use.table.occupied(use.seat) and (use.in_hand or use.table.can_draw_stock()):
        yield Offer(kind="take_two")


def _eight(use: Use, _: Action) -> Flow[None]:
    """POW-20, DEC-13. In the order of the pile: the unchosen of the 8 and the two, then the replaced card."""
    table, seat = use.table, use.seat
    drawn = [card for card in (table.take_stock(), table.take_stock()) if card is not None]
    secret: tuple[Hand, ...] = tuple(only(seat, card) for card in drawn)
    table.emit(events.DrewTwo(seat=seat, cards=secret, stock=len(table.stock)))
    table.extra = drawn
    three = ([use.card] if use.in_hand else [None]) + list(drawn)
    choices = tuple(index for index, card in enumerate(three) if card is not None)
    slots = table.occupied(seat)
    offer = Offer(kind="keep", card=OneOf(choices), slot=OneOf(slots))
    fallback = Keep(card=choices[0], slot=slots[0])
    answer = yield from choose(Ask(seat=seat, decision="pick8", offers=(offer,), fallback=fallback))
    if not isinstance(answer, Keep):
        raise TypeError(f"cannot keep by {answer!r}")
    kept = three[answer.card]
    rest = [card for index, card in enumerate(three) if index != answer.card and card is not None]
    table.extra = []
    if answer.card == 0:
        _spend(use)
    use.in_hand, table.hand = False, None
    old = table.at(seat, answer.slot)
    table.layouts[seat][answer.slot] = Slot(kept or use.card, up=False)
    discarded = (*rest, old.card)
    for card in discarded:
        table.to_pile(card)
    # That the 8 itself was kept shows by what lies on the pile; which of two drawn cards was kept does too.
    seen = everybody(kept) if answer.card == 0 else only(seat, kept)
    table.emit(
        events.Kept(seat=seat, slot=answer.slot, card=seen, discarded=tuple(everybody(card) for card in discarded))
    )
    turned_up(table, old.card, was_up=old.up)


def _offer_nine(use: Use) -> Iterator[Offer]:
    """POW-13: the 9 for any card of an opponent; it must be there to be placed."""
    if use.in_hand and (others := _others(use)):
        yield Offer(kind="plant", target=OneOf(others))


def _nine(use: Use, action: Action) -> Flow[None]:
    table = use.table
    if isinstance(action, Plant):
        seat, number = action.target
        old = table.at(seat, number)
        table.layouts[seat][number] = Slot(use.card, up=False)
        _spend(use)
        table.to_pile(old.card)
        table.emit(
            events.Planted(seat=use.seat, target=action.target, card=everybody(use.card), replaced=everybody(old.card))
        )
        turned_up(table, old.card, was_up=old.up)
    yield from ()


def _offer_ten(use: Use) -> Iterator[Offer]:
    """POW-12: a look at an opponent's card."""
    if hidden := _others(use, up=False):
        yield Offer(kind="peek", target=OneOf(hidden))


def _offer_jack(use: Use) -> Iterator[Offer]:
    """POW-12: a look at an own card."""
    if own := tuple((use.seat, number) for number in use.table.face_down(use.seat)):
        yield Offer(kind="peek", target=OneOf(own))


def _peek(use: Use, action: Action) -> Flow[None]:
    if isinstance(action, Peek):
        card = use.table.at(*action.target).card
        use.table.emit(events.Peeked(seat=use.seat, target=action.target, card=only(use.seat, card)))
    yield from ()


def _offer_black_king(use: Use) -> Iterator[Offer]:
    """POW-22 (a), (b): only while a knock is pending."""
    if use.table.knocker is not None:
        yield Offer(kind="cancel_knock")


def _black_king(use: Use, action: Action) -> Flow[None]:
    if isinstance(action, CancelKnock):
        cancel_knock(use.table)
    yield from ()


class Power(Struct, frozen=True):
    """A power: how it can be used now, what it does, and whether its card goes elsewhere than to the pile."""

    offers: Callable[[Use], Iterator[Offer]]
    act: Callable[[Use, Action], Flow[None]]
    keeps_card: bool = False


_POWERS = {
    "A": Power(_offer_ace, _ace),
    "3": Power(_offer_three, _three),
    "4": Power(_offer_four, _four),
    "5": Power(_offer_five, _five, keeps_card=True),
    "6": Power(_offer_six, _six),
    "7": Power(_offer_seven, _seven),
    "8": Power(_offer_eight, _eight, keeps_card=True),
    "9": Power(_offer_nine, _nine, keeps_card=True),
    "10": Power(_offer_ten, _peek),
    "J": Power(_offer_jack, _peek),
    "BK": Power(_offer_black_king, _black_king),
}
"""By name; the 2 is `_copy_two`, the queen does nothing (POW-12), red kings have no power (POW-21)."""

COPIED = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "BK")
"""What a 2 can copy (POW-11)."""


def _opponents(use: Use) -> tuple[int, ...]:
    """The seats that a power may be aimed at; `protect_ender` takes the knocker out (POW-26)."""
    protected = use.table.knocker if use.table.options.protect_ender else None
    return tuple(sorted(seat for seat in use.table.others(use.seat) if seat != protected))


def _others(use: Use, *, up: bool | None = None) -> tuple[Target, ...]:
    """The cards of opponents, all or those with this face."""
    return tuple(
        (seat, number)
        for seat in _opponents(use)
        for number in use.table.occupied(seat)
        if up is None or use.table.at(seat, number).up is up
    )
