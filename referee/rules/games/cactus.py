"""Cactus, 4-card golf for backpackers (CAC): hidden cards, the powers of J and Q, and slaps after every discard.

slaps.py has the slap window itself.
"""

from collections.abc import Iterator

from protocol.actions import Nothing, Peek, Switch, Target
from protocol.cards import rank
from protocol.offers import Offer, OneOf, Pick
from referee.rules.book.variant import Variant, size
from referee.rules.games.look import draw_and_place_in_words, first_look, hidden_turn, peek, switch
from referee.rules.games.slaps import follow_discard
from referee.rules.games.turns import NONE, Play, left_of_dealer, spared_ender
from referee.rules.table.asks import Ask, Flow, cached
from referee.rules.table.table import Table


def starter(table: Table) -> int:
    """CAC-08: the highest total starts, or by option the seat left of the dealer.

    Ties go to the first clockwise from the dealer, the dealer included."""
    if table.options.fixed_starter:
        return left_of_dealer(table)
    return max([table.dealer, *table.others(table.dealer)], key=table.totals.__getitem__)


def take_turn(table: Table, seat: int) -> Flow[None]:
    """CAC-09: the seat knocks, or it draws and places a card; then comes what its regular discard brings about.

    A turn has exactly one regular discard (CAC-13), and a knock turn has none (CAC-17). Slaps spare the ender, too
    (CAC-19)."""
    placed = yield from hidden_turn(table, seat)
    if placed is not None:
        discard, _ = placed
        power = _use_power(table, seat) if rank(discard) in ("J", "Q", "K") else None
        yield from follow_discard(table, seat, discard, power, spared=spared_ender(table))


def _use_power(table: Table, seat: int) -> Flow[None]:
    """CAC-15: the seat may peek at a card or switch two unseen, whatever was slapped onto its discard (CAC-16).

    J, Q and K have this power as regular discards (CAC-13), kings where the pack has them (CAC-03). By `protect_ender`
    it spares the ender's cards (CAC-19)."""
    match (yield _power_ask(seat, table.targets(up=False, spared=spared_ender(table)))):
        case Peek(target=target):
            peek(table, seat, target)
        case Switch(targets=(first, second)):
            switch(table, seat, first, second)


@cached
def _power_ask(seat: int, targets: tuple[Target, ...]) -> Ask:
    offers = [NONE]
    if targets:
        offers.append(Offer(kind="peek", target=OneOf(targets)))
    if len(targets) > 1:
        offers.append(Offer(kind="switch", targets=Pick(2, targets)))
    return Ask(seat=seat, decision="power", offers=tuple(offers), fallback=Nothing())


# In words, for describe.py


POWER_IN_WORDS = "peek at any one card on the table, or switch any two cards on the table unseen"


def power_ranks_in_words(variant: Variant) -> str:
    """Return the ranks that have a power."""
    return "J, Q or K" if variant.options.cactus_ranks == "KA" else "J or Q"


def _set_up_in_words(variant: Variant) -> Iterator[str]:
    ranks = "A 2 ... 10 J Q K" if variant.options.cactus_ranks == "KA" else "0 1 2 ... 10 J Q"
    yield f"One pack of four suits of {ranks}, and one more suit for each seat beyond five."
    yield f"Each seat has {size(variant)} cards face down, s0 s1 / s2 s3, and looks once at its near row, s2 and s3."
    yield "All cards stay face down until the showdown. The pile starts empty."
    if variant.options.fixed_starter:
        yield "The seat left of the dealer starts; the deal moves left after each round."
    else:
        yield "The seat with the highest total starts, ties to the first clockwise from the dealer."


def _turn_in_words(variant: Variant) -> Iterator[str]:
    yield from draw_and_place_in_words()
    if variant.options.protect_ender:
        yield "The knocker's cards are safe from the others' powers and slaps."
    powers = power_ranks_in_words(variant)
    when = "before" if variant.options.power_before_slaps else "after"
    yield f"If the card that went to the pile is a {powers}, {when} the slaps you may use its power:"
    yield f"{POWER_IN_WORDS}."


PLAY = Play(
    starter=starter,
    open_round=first_look,
    take_turn=take_turn,
    set_up_in_words=_set_up_in_words,
    turn_in_words=_turn_in_words,
)
