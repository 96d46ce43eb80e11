"""Cactus, 4-card golf for backpackers (CAC): hidden cards, the powers of J and Q, and slaps after every discard.

slaps.py has the slap window itself.
"""

from collections.abc import Iterator
from functools import lru_cache

from protocol import events
from protocol.actions import Discard, Draw, Knock, Nothing, Peek, Switch, Target
from protocol.cards import Card, rank
from protocol.offers import Offer, OneOf, Pick
from referee.rules.games.course import Course
from referee.rules.games.hidden import draw_and_place_in_words, first_look, place_face_down, switch
from referee.rules.games.six_card import DISCARD, NONE, discard_hand, knock, place_ask, turn_ask
from referee.rules.games.slaps import follow_discard
from referee.rules.table.asks import ALIKE, Ask, Flow
from referee.rules.table.seen import only
from referee.rules.table.table import Table, draw
from referee.rules.variants import Variant, size

_WITHOUT_KINGS = frozenset({"J", "Q"})
_WITH_KINGS = frozenset({"J", "Q", "K"})


def take_turn(table: Table, seat: int) -> Flow[None]:
    """CAC-09: the seat knocks, or it draws and places a card; then comes what its regular discard brings about.

    A turn has exactly one regular discard, and a knock turn has none (CAC-17)."""
    match (yield turn_ask(table, seat)):
        case Knock():
            knock(table, seat)
            return
        case Draw(source=source):
            draw(table, seat, source)
            discard = yield from _place(table, seat, public=source == "pile")
            has_power = rank(discard) in _face_ranks(table)
            yield from follow_discard(table, seat, discard, _use_power(table, seat) if has_power else None)


def _place(table: Table, seat: int, *, public: bool) -> Flow[Card]:
    """CAC-10, CAC-11: a stock card is swapped in or discarded, a pile card (`public`) must be swapped in.

    Returns the regular discard (CAC-13)."""
    action = yield place_ask(table, seat, offers=() if public else (DISCARD,))
    if isinstance(action, Discard):
        return discard_hand(table, seat)
    return place_face_down(table, seat, action, public=public)


def _face_ranks(table: Table) -> frozenset[str]:
    """Return the ranks that have a power as regular discards (CAC-13), kings where the pack has them (CAC-03)."""
    return _WITH_KINGS if table.options.cactus_ranks == "KA" else _WITHOUT_KINGS


def _use_power(table: Table, seat: int) -> Flow[None]:
    """CAC-15: the seat may peek at a card or switch two unseen, whatever was slapped onto its discard (CAC-16).

    Everybody is told which slots these are; only the peeker sees a card (CAC-39, INF-06)."""
    targets = table.targets(seat, up=False)
    match (yield _ask_for_power(seat, targets)):
        case Peek(target=target):
            table.emit(events.Peeked(seat=seat, target=target, card=only(seat, table.at(*target).card)))
        case Switch(targets=targets):
            switch(table, *targets)
            table.emit(events.Switched(seat=seat, targets=targets))


@lru_cache(ALIKE)
def _ask_for_power(seat: int, targets: tuple[Target, ...]) -> Ask:
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


COURSE = Course(
    open_round=first_look,
    take_turn=take_turn,
    set_up_in_words=_set_up_in_words,
    turn_in_words=_turn_in_words,
)
