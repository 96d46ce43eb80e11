"""Out-of-turn discards of Cactus: the window, the order of the slaps, and what each of them does.

play/slaps/race.py measures reaction times; here they are given.
"""

from collections.abc import Iterator, Mapping

from protocol import actions, events
from protocol.actions import Action, Give, Pass, Target
from protocol.cards import Card, rank
from protocol.offers import Offer, OneOf
from referee.rules.options import Options
from referee.rules.questions import Ask, Flow, Slap, SlapOrder, Window, ask, cached
from referee.rules.secrets import everybody
from referee.rules.table import RoundOver, Table, targets_in
from referee.rules.variants import Variant


def follow_discard(
    table: Table, seat: int, discard: Card, power: Flow[None] | None, *, spared: int | None = None
) -> Flow[None]:
    """CAC-14: what a regular discard brings about: the slap window, then the power that the discard carries, if any.

    By option the power comes first (AMB-35). A game without slaps has no window, and in one nobody else may slap the
    cards of the seat `spared`. Once the last stock card has been drawn the round ends (CAC-20): without window and
    power where it was the turn's card, and after the window where a penalty took it (CAC-21). Raises RoundOver."""
    slaps = _play_windows(table, seat, discard, spared)
    steps = (slaps,) if power is None else (power, slaps) if table.options.power_before_slaps else (slaps, power)
    for step in steps:
        if table.stock_has_run_out():
            raise RoundOver
        yield from step


def _play_windows(table: Table, discarder: int, discard: Card, spared: int | None) -> Flow[None]:
    """CAC-45: a window, where the game has slaps; by option another while all slaps are wrong (AMB-37).

    Whether there is another follows from slaps that everybody has seen (INF-09)."""
    left = table.options.slap_tries if table.options.slaps else 0
    while left:
        all_wrong = yield from _play_window(table, discarder, discard, spared)
        left = left - 1 if all_wrong and not table.stock_has_run_out() else 0


def _play_window(table: Table, discarder: int, discard: Card, spared: int | None) -> Flow[bool]:
    """CAC-22: one window; every seat is asked, whatever it holds (CAC-23, INF-09).

    The slaps are resolved one after another, then a debt is paid. A slapped card opens no window of
    its own (CAC-34). Whose turn comes next does not change (CAC-37), and neither does the final lap (CAC-38). Returns
    whether there were slaps and all of them wrong. Raises RoundOver when a seat has no cards left (CAC-36)."""
    table.windows += 1
    asks = _slap_asks(table.with_face(up=False), spared)
    order = yield Window(number=table.windows, discarder=discarder, asks=asks)
    if not isinstance(order, SlapOrder):
        raise TypeError("a Window is answered by a SlapOrder")
    right = owed = None
    for slap in order.slaps:
        owner, number = slap.target
        if table.layouts[owner][number] is None:
            continue  # CAC-33: void, published to nobody; an earlier slap took the card
        if _resolve(table, slap, discard, done=right is not None):
            right, owed = slap, owner if owner != slap.seat else None
        _check_empty_seats(table, owed)
    if right is not None and owed is not None:
        yield from _give(table, right.seat, right.target)
    table.emit(events.WindowClosed())
    return bool(order.slaps) and right is None


@cached
def _slap_asks(down: tuple[tuple[int, ...], ...], spared: int | None) -> tuple[Ask, ...]:
    """DEC-08, CAC-24: any face-down card on the table, or pass; `down` has their slots by seat."""
    asks = []
    for seat in range(len(down)):
        targets = targets_in(down, None if seat == spared else spared)
        offers = (Offer(kind="pass"),) + (Offer(kind="slap", target=OneOf(targets)),) * bool(targets)
        asks.append(Ask(seat=seat, decision="slap", offers=offers, fallback=Pass()))
    return tuple(asks)


def _resolve(table: Table, slap: Slap, discard: Card, *, done: bool) -> bool:
    """CAC-26: one slap, which shows its card to everybody (CAC-39); returns whether it is the window's correct one.

    `done` says that a correct one has been made. A right card then lies on the pile, an own one (CAC-27) or another
    seat's (CAC-29), and only the first does (CAC-34): one that comes too late goes back, or another seat's
    becomes the slapper's by option (CAC-31, AMB-40). A wrong own card goes back and costs a stock card (CAC-28), none
    where the stock is empty (CAC-35). A wrong card of another seat becomes the slapper's (CAC-30). Being too late
    spares nobody the penalty for a wrong card (CAC-32)."""
    seat, (owner, number) = slap.seat, slap.target
    slot = table.at(owner, number)
    card = slot.card
    table.show((slot,), table.everybody)
    right = is_right(table.variant, card, discard)
    new_slot = None
    if right and not done:
        table.to_pile(table.remove(owner, number))
    elif owner != seat and (not right or table.options.late_card == "slapper"):
        new_slot = table.add(seat, table.remove(owner, number), table.everybody)
    elif not right and (penalty := table.take_stock()) is not None:
        new_slot = table.add(seat, penalty)
    table.emit(
        events.Slapped(
            seat=seat,
            target=slap.target,
            card=everybody(card),
            verdict="wrong" if not right else "late" if done else "right",
            new_slot=new_slot,
            stock=len(table.stock),
        )
    )
    return right and not done


def is_right(variant: Variant, card: Card, discard: Card) -> bool:
    """CAC-22, AMB-83: whether a slapped card is equal to the discard, in rank or by option in points."""
    if variant.options.slap_match == "points":
        return variant.worth[card] == variant.worth[discard]
    return rank(card) == rank(discard)


def _check_empty_seats(table: Table, owed: int | None) -> None:
    """CAC-20, CAC-36: a seat without cards ends the round, but not the one whose slot waits for DEC-09 (`owed`)."""
    for seat, layout in enumerate(table.layouts):
        if seat != owed and not any(layout):
            raise RoundOver


def _give(table: Table, seat: int, target: Target) -> Flow[None]:
    """CAC-29, DEC-09: one own card of the slapper moves unseen into the emptied slot.

    From where to where is public: who knew the card still knows it (INF-04)."""
    slots = table.occupied(seat)
    action = yield ask(seat, "give", (Offer(kind="give", slot=OneOf(slots)),), Give(slot=slots[0]))
    if not isinstance(action, Give):
        raise TypeError(f"cannot give by {action!r}")
    owner, number = target
    table.layouts[owner][number] = table.at(seat, action.slot)
    table.layouts[seat][action.slot] = None
    table.emit(events.Gave(seat=seat, slot=action.slot, target=target))
    _check_empty_seats(table, owed=None)


def order_slaps(
    options: Options,
    window: Window,
    answers: Mapping[int, Action],
    reaction_us: Mapping[int, float],
    lots: tuple[int, ...],
) -> SlapOrder:
    """CAC-25: the order in which a window's slaps are resolved.

    `answers` holds the actions by seat (missing: pass), `reaction_us` the measured times in microseconds of those
    that slapped (used by `slap_order = reaction` only), `lots` all seats in the window's drawn order.
    """
    slaps = [Slap(seat=seat, target=one.target) for seat, one in answers.items() if isinstance(one, actions.Slap)]
    if len(slaps) > 1 and options.slap_order == "clockwise":
        slaps.sort(key=lambda slap: (slap.seat - window.discarder - 1) % len(window.asks))
    elif len(slaps) > 1:
        slaps.sort(key=lambda slap: (slap.seat == window.discarder, lots.index(slap.seat)))
        if options.slap_order == "reaction":
            slaps = _by_photo_finish(slaps, reaction_us, options.photo_finish_us)
    return SlapOrder(slaps=tuple(slaps))


def _by_photo_finish(drawn: list[Slap], reaction_us: Mapping[int, float], margin_us: int) -> list[Slap]:
    """Return the slaps in order. The lot orders those that are less than the margin behind the fastest of them."""
    waiting = sorted(drawn, key=lambda slap: reaction_us[slap.seat])
    order: list[Slap] = []
    while waiting:
        first = waiting[0]
        group = [one for one in waiting if one is first or reaction_us[one.seat] - reaction_us[first.seat] < margin_us]
        order += sorted(group, key=drawn.index)
        waiting = waiting[len(group) :]
    return order


# In words, for describe.py


def slaps_in_words(options: Options) -> Iterator[str]:
    """Yield sentences on who may slap, what becomes of the cards, and who is first."""
    then = ", and after its power," if options.power_before_slaps else ""
    yield f"After every discard{then} each seat may throw one face-down card of any seat onto it."
    like = "of the same rank" if options.slap_match == "rank" else "that is worth as many points"
    yield f"The first card {like} stays there; if it was another seat's, you give that seat one of yours."
    yield "A wrong own card comes back, and you take a stock card unseen; a wrong card of another seat becomes yours."
    but = ", but another seat's becomes yours" if options.late_card == "slapper" else " where it was"
    yield f"A right card that comes too late goes back{but}. Everybody has seen all these cards."
    match options.slap_order:
        case "reaction":
            close = f"{options.photo_finish_us} microsecond{'s' * (options.photo_finish_us != 1)}"
            lot = f"within {close} of each other the lot decides, the discarder last"
            yield f"The fastest is first, by measured reaction time; {lot}."
        case "lottery":
            yield "The lot decides who is first, the discarder last."
        case "clockwise":
            yield "First is who sits next to the left of the discarder."
    if options.slap_tries > 1:
        yield f"Where all slaps were wrong, everybody may slap again, up to {options.slap_tries} times at each discard."
