"""What cards are worth in a game (SCO-01).

This module must not know layouts, nor which cards cancel.
"""

from protocol.cards import JOKER
from referee.rules.variants import Variant


def card_values(variant: Variant) -> dict[str, int]:
    """Return the points of the cards that a deal can hold: by rank, and by card where one differs from its rank."""
    return {key: points for key, points in variant.card_points.items() if key != JOKER or variant.options.jokers}
