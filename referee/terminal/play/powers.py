"""What the power of a card does, in a line, so that a person knows it before the card is discarded.

It decides nothing: whether a power can be used is told by the request that follows.
"""

from protocol.cards import Card, rank
from referee.rules.games.power_cards import POWERS, power_of
from referee.rules.variants import Variant

_OF_CAMBIO = {
    "peek_own": "look at one of your cards",
    "peek_other": "look at one card of another seat",
    "exchange": "swap one of your cards with another seat's, both unseen",
    "rearrange": "rearrange another seat's cards",
}


def power_in_words(variant: Variant, card: Card) -> str:
    """What who discards this card may do then; empty where it has no power."""
    match variant.play:
        case "powers" if rank(card) == "2":
            return "use two different powers of 3 to black king"
        case "powers":
            power = POWERS.get(power_of(card))
            return power.in_words if power is not None else ""
        case "cactus":
            ranks = {"J", "Q", "K"} if variant.options.cactus_ranks == "KA" else {"J", "Q"}
            return "look at any card, or switch any two cards unseen" if rank(card) in ranks else ""
        case _:
            return _OF_CAMBIO.get((variant.options.cambio_powers or {}).get(rank(card), ""), "")
