"""The cards of Powers, from the ace to the black king: how each power can be used, and what it does.

powers.py chooses, announces, blocks and copies powers. A new power is two functions and an entry here.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from protocol import actions, events
from protocol.actions import Target
from protocol.cards import Card, rank, suit
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games.look import peek, switch
from referee.rules.games.turns import spared_ender
from referee.rules.questions import Flow, ask
from referee.rules.secrets import Secret, everybody, only
from referee.rules.table import Slot, Table


class Use(Struct):
    """A power that is being used: the seat, the name of the power, and the card that carries it."""

    table: Table
    seat: int
    power: str
    card: Card
    in_hand: bool
    """Whether the card has not been laid anywhere yet, so that it can become a shield, be planted or be kept."""
    spent: bool = False
    """Whether the card has become a shield, was planted or kept, or was blocked before. A 2 stands in only once."""

    def lay_on_pile(self) -> None:
        """The used card goes to the pile."""
        self.in_hand, self.table.hand = False, None
        self.table.to_pile(self.card)

    def spend(self) -> None:
        """Note that the card does not go to the pile."""
        self.in_hand, self.spent, self.table.hand = False, True, None


def power_of(card: Card) -> str:
    """Return the name of a card's power: its rank, `BK` for black kings, "" for red kings (POW-21)."""
    if rank(card) == "K":
        return "BK" if suit(card) in "SC" else ""
    return rank(card)


# What turns up a black king


def turned_up(table: Table, card: Card, *, was_up: bool) -> None:
    """POW-22: a black king that becomes face up during the final lap cancels the knock by itself."""
    if not was_up and power_of(card) == "BK":
        cancel_knock(table)


def cancels_when_drawn(table: Table, card: Card) -> bool:
    """Return whether a card cancels the knock, by option, as soon as it is drawn from the stock; all then see it."""
    return table.options.black_king_cancels == "drawn" and table.ended_by is not None and power_of(card) == "BK"


def cancel_knock(table: Table) -> None:
    """POW-23: the lap is over, and the knocker plays on as the others do. Without a knock nothing happens."""
    if table.ended_by is not None:
        table.emit(events.KnockCancelled(knocker=table.ended_by))
        table.ended_by = table.final = None


# The powers, from the ace to the king


def _offer_ace(use: Use) -> Iterator[Offer]:
    """POW-10: a stock card goes to an opponent, or an own card goes to the pile."""
    victims = _opponents(use)
    # The ace will lie on the pile by then, so that a single card below it makes a stock.
    if victims and (use.table.can_draw_stock() or (use.table.pile and use.table.options.stock_out == "reshuffle")):
        yield Offer(kind="add", seat=OneOf(victims))
    if own := use.table.occupied(use.seat):
        yield Offer(kind="remove", slot=OneOf(own))


def _ace(use: Use, action: actions.AddCard | actions.RemoveCard) -> None:
    table = use.table
    if isinstance(action, actions.RemoveCard):
        slot = table.at(use.seat, action.slot)
        table.to_pile(table.remove(use.seat, action.slot))
        table.emit(events.CardRemoved(seat=use.seat, target=(use.seat, action.slot), card=everybody(slot.card)))
        turned_up(table, slot.card, was_up=slot.up)
    elif (card := table.take_stock()) is not None:
        target = (action.seat, add_to_set(table, action.seat, card))
        table.emit(events.CardAdded(seat=use.seat, target=target, stock=len(table.stock)))


def add_to_set(table: Table, seat: int, card: Card) -> int:
    """POW-08: the lowest-numbered empty slot, else row 0 of a new column; face down (POW-09). Returns the slot."""
    layout = table.layouts[seat]
    if None not in layout:
        layout += [None, None]
    number = layout.index(None)
    layout[number] = Slot(card)
    return number


def _offer_three(use: Use) -> Iterator[Offer]:
    """POW-14: an opponent's whole set is shuffled, so that nobody can follow a card of it any more (INF-05)."""
    if victims := tuple(seat for seat in _opponents(use) if use.table.occupied(seat)):
        yield Offer(kind="shuffle", seat=OneOf(victims))


def _three(use: Use, action: actions.Shuffle) -> None:
    table, victim = use.table, action.seat
    slots = table.occupied(victim)
    table.shuffles += 1
    cards = tuple(table.at(victim, number).card for number in slots)
    shuffled = table.chance.shuffle(table.round, table.shuffles, cards)
    for number, card in zip(slots, shuffled, strict=True):
        table.layouts[victim][number] = Slot(card)
    table.emit(events.Shuffled(seat=use.seat, of=victim))


def _offer_four(use: Use) -> Iterator[Offer]:
    """POW-15: an opponent's card is turned up, or an own card is turned down."""
    if hidden := _others(use, up=False):
        yield Offer(kind="expose", target=OneOf(hidden))
    if own := tuple(number for number in use.table.occupied(use.seat) if use.table.at(use.seat, number).up):
        yield Offer(kind="hide", slot=OneOf(own))


def _four(use: Use, action: actions.Expose | actions.Hide) -> None:
    table = use.table
    if isinstance(action, actions.Hide):
        table.at(use.seat, action.slot).up = False
        table.emit(events.Hidden(seat=use.seat, target=(use.seat, action.slot)))
        return
    slot = table.at(*action.target)
    slot.up = True
    table.show((slot,), table.everybody)
    table.emit(events.Exposed(seat=use.seat, target=action.target, card=everybody(slot.card)))
    turned_up(table, slot.card, was_up=False)


def _offer_five(_: Use) -> Iterator[Offer]:
    """POW-16: the card becomes a shield."""
    yield Offer(kind="shield")


def _five(use: Use, _: actions.Shield) -> None:
    shields = use.table.shields[use.seat]
    use.spend()
    shields.append(use.card)
    use.table.emit(events.Shielded(seat=use.seat, card=everybody(use.card), shields=len(shields)))


def _offer_six(use: Use) -> Iterator[Offer]:
    """POW-18: an own card is swapped for an opponent's, unseen."""
    own, others = use.table.occupied(use.seat), _others(use)
    if own and others:
        yield Offer(kind="exchange", slot=OneOf(own), target=OneOf(others))


def _six(use: Use, action: actions.Exchange) -> None:
    switch(use.table, use.seat, (use.seat, action.slot), action.target)


def _offer_seven(use: Use) -> Iterator[Offer]:
    """POW-19: two rows or columns of an opponent's set change places; by option only the actor sees which (INF-05)."""
    for victim in _opponents(use):
        if use.table.occupied(victim):
            for axis, count in (("row", 2), ("column", len(use.table.layouts[victim]) // 2)):
                pair = Pick(2, tuple(range(count)))
                yield Offer(kind="swap_lines", seat=OneOf((victim,)), axis=OneOf((axis,)), lines=pair)


def _seven(use: Use, action: actions.SwapLines) -> None:
    layout = use.table.layouts[action.seat]
    first, second = (line_of_set(len(layout) // 2, action.axis, line) for line in action.lines)
    for one, other in zip(first, second, strict=True):
        layout[one], layout[other] = layout[other], layout[one]
    to = (use.seat,) if use.table.options.hidden_rearrange else None
    if to is not None:
        use.table.mix_unseen(action.seat, by=use.seat)
    axis, lines = Secret(str(action.axis), to), Secret(action.lines, to)
    shown = tuple(None if slot is None else slot.card if slot.up else "?" for slot in layout)
    use.table.emit(events.LinesSwapped(seat=use.seat, of=action.seat, axis=axis, lines=lines, layout=shown))


def line_of_set(columns: int, axis: str, line: int) -> list[int]:
    """Return the slots of a row or column (POW-08). A column beyond the third has the slots 2k and 2k + 1."""
    by_column = [(k, k + 3) if k < 3 else (2 * k, 2 * k + 1) for k in range(columns)]
    return list(by_column[line]) if axis == "column" else [pair[line] for pair in by_column]


def _offer_eight(use: Use) -> Iterator[Offer]:
    """POW-20: two more cards are drawn and one of three is kept. It needs an own slot, and a card to keep."""
    if use.table.occupied(use.seat) and (use.in_hand or use.table.can_draw_stock()):
        yield Offer(kind="take_two")


def _eight(use: Use, _: actions.TakeTwo) -> Flow[None]:
    """POW-20, DEC-13: what is not kept of the 8 and the two goes to the pile, then the card that was replaced."""
    table, seat = use.table, use.seat
    drawn = [card for card in (table.take_stock(), table.take_stock()) if card is not None]
    three = [use.card if use.in_hand else None, *drawn]
    shown = next((number for number, card in enumerate(drawn, start=1) if cancels_when_drawn(table, card)), 0)
    seen = [everybody(card) if number == shown else only(seat, card) for number, card in enumerate(three)]
    table.extra = drawn
    table.extra_known_by = tuple([table.everybody if number == shown else 1 << seat for number in (1, 2)])
    table.emit(events.DrewTwo(seat=seat, cards=tuple(seen[1:]), stock=len(table.stock)))
    if shown:
        cancel_knock(table)
    choices = tuple(index for index, card in enumerate(three) if card is not None)
    slots = table.occupied(seat)
    offer = Offer(kind="keep", card=OneOf(choices), slot=OneOf(slots))
    answer = yield ask(seat, "pick8", (offer,), actions.Keep(card=choices[0], slot=slots[0]))
    if not isinstance(answer, actions.Keep) or (kept := three[answer.card]) is None:
        raise TypeError(f"cannot keep by {answer!r}")
    three[answer.card], table.extra = None, []
    if answer.card == 0:
        use.spend()
    use.in_hand, table.hand = False, None
    old = table.at(seat, answer.slot)
    # The pile shows whether the 8 itself was kept, and which of the two drawn cards.
    card = everybody(kept) if answer.card in (0, shown) else only(seat, kept)
    table.lay(seat, answer.slot, kept, table.everybody if card.to is None else 1 << seat)
    discarded = tuple([card for card in (*three, old.card) if card is not None])
    table.pile += discarded
    cards = tuple([everybody(one) for one in discarded])
    table.emit(events.Kept(seat=seat, slot=answer.slot, card=card, discarded=cards))
    turned_up(table, old.card, was_up=old.up)


def _offer_nine(use: Use) -> Iterator[Offer]:
    """POW-13: the 9 takes the place of an opponent's card. It must be there to be placed."""
    if use.in_hand and (others := _others(use)):
        yield Offer(kind="plant", target=OneOf(others))


def _nine(use: Use, action: actions.Plant) -> None:
    table, (victim, number) = use.table, action.target
    old = table.at(victim, number)
    table.lay(victim, number, use.card, table.everybody)
    use.spend()
    table.to_pile(old.card)
    card, replaced = everybody(use.card), everybody(old.card)
    table.emit(events.Planted(seat=use.seat, target=action.target, card=card, replaced=replaced))
    turned_up(table, old.card, was_up=old.up)


def _offer_ten(use: Use) -> Iterator[Offer]:
    """POW-12: the seat looks at an opponent's card."""
    if hidden := _others(use, up=False):
        yield Offer(kind="peek", target=OneOf(hidden))


def _offer_jack(use: Use) -> Iterator[Offer]:
    """POW-12: the seat looks at an own card."""
    if own := tuple((use.seat, number) for number in use.table.face_down(use.seat)):
        yield Offer(kind="peek", target=OneOf(own))


def _peek(use: Use, action: actions.Peek) -> None:
    peek(use.table, use.seat, action.target)


def _offer_black_king(use: Use) -> Iterator[Offer]:
    """The king has an effect only while a final lap runs."""
    if use.table.ended_by is not None:
        yield Offer(kind="cancel_knock")


def _black_king(use: Use, _: actions.CancelKnock) -> None:
    cancel_knock(use.table)


class Power(Struct, frozen=True):
    """A power: how it can be used now, what it does, and what it is for people."""

    offers: Callable[[Use], Iterator[Offer]]
    act: Callable[[Use, Any], Flow[None] | None]
    """Is given an action that one of the offers admits; what an 8 does asks once more."""
    in_words: str
    keeps_card: bool = False
    """Whether its card does not go to the pile."""


POWERS = {
    "A": Power(_offer_ace, _ace, "give an opponent the top stock card unseen, or put one of your cards on the pile"),
    "3": Power(_offer_three, _three, "shuffle an opponent's cards, all face down"),
    "4": Power(_offer_four, _four, "turn an opponent's card up, or one of yours down"),
    "5": Power(_offer_five, _five, "a shield beside your set", keeps_card=True),
    "6": Power(_offer_six, _six, "swap one of your cards with an opponent's, unseen"),
    "7": Power(_offer_seven, _seven, "two rows or two columns of an opponent's set change places"),
    "8": Power(_offer_eight, _eight, "draw two more, keep one of the three in your set", keeps_card=True),
    "9": Power(_offer_nine, _nine, "it replaces a card of an opponent, which goes to the pile", keeps_card=True),
    "10": Power(_offer_ten, _peek, "look at an opponent's card"),
    "J": Power(_offer_jack, _peek, "look at one of yours"),
    "BK": Power(
        _offer_black_king,
        _black_king,
        "cancels a knock, when discarded for it in the last lap, or when it turns up from any set then",
    ),
}
"""The powers by name. powers.py has the 2; the queen does nothing (POW-12), and neither do red kings (POW-21)."""


def _opponents(use: Use) -> tuple[int, ...]:
    """POW-01: a power may be aimed at any other seat; `protect_ender` takes the knocker out (POW-26)."""
    spared = spared_ender(use.table)
    return tuple([seat for seat in range(use.table.seats) if seat not in (use.seat, spared)])


def _others(use: Use, *, up: bool | None = None) -> tuple[Target, ...]:
    """Return the cards of opponents, all of them or those with this face."""
    return tuple(
        [
            (seat, number)
            for seat in _opponents(use)
            for number, slot in enumerate(use.table.layouts[seat])
            if slot is not None and (up is None or slot.up is up)
        ]
    )
