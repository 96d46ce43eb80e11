"""What cards are worth (SCO-01): a base table for each kind of game, edited by the options of RULES.md 21.3.

This module knows nothing of layouts or of which cards cancel.
"""

from collections.abc import Mapping

from protocol.cards import JOKER, Card, rank
from referee.rules.options import Options
from referee.rules.variants import Variant

_PIPS = {str(points): points for points in range(2, 11)}

_B0 = {"0": 0, "1": 1, **_PIPS, "J": 10, "Q": 10}
_B0_KA = {"A": 1, **_PIPS, "J": 10, "Q": 10, "K": 0}
_B1 = {"A": 1, **_PIPS, "2": -2, "J": 10, "Q": 10, "K": 0}


def card_values(variant: Variant) -> dict[str, int]:
    """Points by rank, and by card code where one card differs from its rank, for the cards that a deal can hold."""
    table = value_table(variant)
    if not variant.options.jokers:
        table.pop(JOKER, None)
    return table


def value_table(variant: Variant) -> dict[str, int]:
    """As `card_values`, and in the family with the joker's points even where none is dealt; read it with `value`."""
    options = variant.options
    table = _cactus_table(options) if variant.flow == "cactus" else _family_table(options)
    if options.values:
        table.update(options.values)
    return table


def value(table: Mapping[str, int], card: Card) -> int:
    """A card's points: its own where the table names it, else its rank's."""
    return table[card] if card in table else table[rank(card)]


def _cactus_table(options: Options) -> dict[str, int]:
    """Table B0 (CAC-40)."""
    return dict(_B0_KA if options.cactus_ranks == "KA" else _B0)


def _family_table(options: Options) -> dict[str, int]:
    """Table B1 with its options; no two of them set the same rank (OPT-01)."""
    table = {**_B1, "J": options.jack_value, "Q": options.queen_value, JOKER: options.joker_value}
    if options.twos == "plus2":
        table["2"] = 2
    if options.qs40:
        table.update({"8": 0, "QS": 40})
    if options.j0q12k13:
        table.update({"J": 0, "Q": 12, "K": 13})
    if options.kings15:
        table["K"] = 15
    return table
