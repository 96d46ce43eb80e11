"""Cambio (CMB), and four-card golf with a secret look (FOU-04): hidden cards, powers of discarded stock cards, a knock.

With the option `slaps` every discard opens a window (CMB-09).
"""

from collections.abc import Iterator

from protocol import events
from protocol.actions import Exchange, Nothing, Peek, Rearrange
from protocol.cards import JOKER, Card, rank
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games import look, turns
from referee.rules.games.slaps import follow_discard
from referee.rules.questions import Flow, ask
from referee.rules.secrets import everybody, only
from referee.rules.table import Table
from referee.rules.variants import Variant


def take_turn(table: Table, seat: int) -> Flow[Card | None]:
    """CMB-03: a knock (CMB-07), or a card is drawn and placed; a stock card that is discarded may have a power.

    The card that a swap replaces has none (CMB-05). Slaps do not spare the ender (CMB-09). Returns the regular discard,
    which may be a jack that costs the next seat its turn (KER-12)."""
    placed = yield from look.hidden_turn(table, seat)
    if placed is None:
        return None
    discard, as_drawn = placed
    yield from follow_discard(table, seat, discard, _use_power(table, seat, discard) if as_drawn else None)
    return discard


def _use_power(table: Table, seat: int, card: Card) -> Flow[None]:
    """CMB-06: the seat may use the power of its discard, if there is a card that it can be aimed at."""
    power = (table.options.cambio_powers or {}).get(rank(card))
    offers = () if power is None else _offers(table, seat, power)
    if not offers:
        return
    match (yield ask(seat, "power", (*offers, turns.NONE), Nothing())):
        case Peek(target=target):
            look.peek(table, seat, target)
        case Exchange(slot=slot, target=target):
            look.switch(table, seat, (seat, slot), target)
        case Rearrange(seat=of, slots=slots):
            _rearrange(table, of, slots)
            if hidden := table.options.hidden_rearrange:
                table.mix_unseen(of, by=seat)
            table.emit(events.Rearranged(seat=seat, of=of, slots=only(seat, slots) if hidden else everybody(slots)))


def _offers(table: Table, seat: int, power: str) -> tuple[Offer, ...]:
    """Return what the power can be aimed at, nothing where no card is left for it (CMB-06).

    By `protect_ender` the powers that move cards spare the ender; nobody is saved from being looked at (CMB-10)."""
    spared = None if power in ("peek_own", "peek_other") else turns.spared_ender(table)
    targets = table.targets(up=False, spared=spared)
    own = tuple([target for target in targets if target[0] == seat])
    others = tuple([target for target in targets if target[0] != seat])
    match power:
        case "peek_own":
            return (Offer(kind="peek", target=OneOf(own)),) if own else ()
        case "peek_other":
            return (Offer(kind="peek", target=OneOf(others)),) if others else ()
        case "exchange":
            slots = OneOf(tuple([number for _, number in own]))
            return (Offer(kind="exchange", slot=slots, target=OneOf(others)),) if own and others else ()
        case _:
            seats = dict.fromkeys(victim for victim, _ in others)
            return tuple(_rearrange_offer(victim, table.occupied(victim)) for victim in seats)


def _rearrange_offer(victim: int, slots: tuple[int, ...]) -> Offer:
    return Offer(kind="rearrange", seat=OneOf((victim,)), slots=Pick(len(slots), slots))


def _rearrange(table: Table, victim: int, slots: tuple[int, ...]) -> None:
    """AMB-49, CMB-09: the card of slot slots[i] goes to the i-th occupied slot.

    A seat that does not see `slots` can no longer follow any card of this layout (INF-05)."""
    layout = table.layouts[victim]
    moved = [layout[number] for number in slots]
    for number, slot in zip(table.occupied(victim), moved, strict=True):
        layout[number] = slot


# In words, for describe.py


POWERS_IN_WORDS = {
    "peek_own": "look at one of your cards",
    "peek_other": "look at one card of another seat",
    "exchange": "swap one of your cards with another seat's, both unseen",
    "rearrange": "rearrange another seat's cards",
}


def _turn_in_words(variant: Variant) -> Iterator[str]:
    yield from look.draw_and_place_in_words()
    for discarded, power in (variant.options.cambio_powers or {}).items():
        card = {JOKER: "a joker", "A": "an A", "8": "an 8"}.get(discarded, f"a {discarded}")
        yield f"Discarding {card} straight from the stock, you may {POWERS_IN_WORDS[power]}."
    if "rearrange" in (variant.options.cambio_powers or {}).values():
        who = "only you know" if variant.options.hidden_rearrange else "everybody sees"
        yield f"After a rearrangement {who} which card went where."
    if variant.options.protect_ender:
        others = "look at them and slap them" if variant.options.slaps else "look at them"
        yield f"No power may swap or rearrange the knocker's cards; the others may still {others}."


PLAY = turns.Play(
    open_round=look.open_hidden, take_turn=take_turn, set_up_in_words=look.set_up_in_words, turn_in_words=_turn_in_words
)
