"""Cactus, 4-card golf for backpackers (CAC): hidden cards, the powers of J and Q, and slaps after every discard.

slaps.py has the slap window itself.
"""

from collections.abc import Iterator

from protocol.actions import Nothing, Peek, Switch
from protocol.cards import rank
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games import look, turns
from referee.rules.games.slaps import follow_discard
from referee.rules.questions import Flow, ask
from referee.rules.table import Table
from referee.rules.variants import Variant, size


def starter(table: Table) -> int:
    """CAC-08: the highest total starts, or by option the seat left of the dealer.

    Ties go to the first clockwise from the dealer, the dealer included."""
    if table.options.fixed_starter:
        return turns.left_of_dealer(table)
    return max([table.dealer, *table.others(table.dealer)], key=table.totals.__getitem__)


def take_turn(table: Table, seat: int) -> Flow[None]:
    """CAC-09: the seat knocks, or it draws and places a card; then comes what its regular discard brings about.

    A turn has exactly one regular discard (CAC-13), and a knock turn has none (CAC-17). Slaps spare the ender, too
    (CAC-19)."""
    placed = yield from look.hidden_turn(table, seat)
    if placed is not None:
        discard, _ = placed
        power = _use_power(table, seat) if rank(discard) in ("J", "Q", "K") else None
        yield from follow_discard(table, seat, discard, power, spared=turns.spared_ender(table))


def _use_power(table: Table, seat: int) -> Flow[None]:
    """CAC-15: the seat may peek at a card or switch two unseen, whatever was slapped onto its discard (CAC-16).

    J, Q and K have this power as regular discards (CAC-13), kings where the pack has them (CAC-03). By `protect_ender`
    it spares the ender's cards (CAC-19)."""
    targets = table.targets(up=False, spared=turns.spared_ender(table))
    offers: tuple[Offer, ...] = (turns.NONE,)
    offers += (Offer(kind="peek", target=OneOf(targets)),) * (len(targets) > 0)
    offers += (Offer(kind="switch", targets=Pick(2, targets)),) * (len(targets) > 1)
    match (yield ask(seat, "power", offers, Nothing())):
        case Peek(target=target):
            look.peek(table, seat, target)
        case Switch(targets=(first, second)):
            look.switch(table, seat, first, second)


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
    yield from look.draw_and_place_in_words()
    if variant.options.protect_ender:
        yield "The knocker's cards are safe from the others' powers and slaps."
    powers = power_ranks_in_words(variant)
    when = "before" if variant.options.power_before_slaps else "after"
    yield f"If the card that went to the pile is a {powers}, {when} the slaps you may use its power:"
    yield f"{POWER_IN_WORDS}."


PLAY = turns.Play(
    starter=starter,
    open_round=look.first_look,
    take_turn=take_turn,
    set_up_in_words=_set_up_in_words,
    turn_in_words=_turn_in_words,
)
